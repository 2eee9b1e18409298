//! Waiting times of a person in the browser: `end2end/perf/session.mjs` and `diff.mjs` drive it, the table is ours.
use std::{path::Path, process::Command};

use anyhow::{Context, Result};
use serde_json::Value;

use super::{
    machine::Machine,
    program::Scratch,
    table::{self, Budget, Figure},
};
use crate::{step, tools, workspace};

pub fn measure(program: &Path, transcripts: Option<&Path>, firefox: bool) -> Result<Value> {
    let folder = workspace::root().join("end2end");
    if !folder.join("node_modules").is_dir() {
        let npm = tools::find(["npm"]).context("npm not found: the browser bench needs Node.js 20 or newer")?;
        step::run(Command::new(npm).args(["ci", "--no-audit", "--no-fund"]).current_dir(&folder))?;
    }
    let node = tools::find(["node"]).context("node not found: the browser bench needs Node.js 20 or newer")?;
    let scratch = Scratch::new("browser")?;
    let machine = Machine::measure(&scratch.0)?;
    let mut figures: Vec<Figure> = Vec::new();
    for script in ["perf/session.mjs", "perf/diff.mjs"] {
        let mut command = Command::new(&node);
        command.arg(script).arg(&scratch.0).current_dir(&folder);
        if firefox {
            let program = tools::find(["firefox-esr", "firefox"]).context("Firefox not found")?;
            command.env("VERBATIM_BROWSER", "firefox").env("FIREFOX", program);
        }
        if let Some(transcripts) = transcripts {
            command.env("VERBATIM_TRANSCRIPTS", transcripts.canonicalize().context("the transcripts aren't there")?);
        }
        let answer = step::output(command.env("VERBATIM_PROGRAM", program).env("CHROMIUM", tools::chromium()?))?;
        let answer: Value = serde_json::from_str(&answer).context("the browser's figures can't be read")?;
        figures.extend(answer.as_array().context("the browser's figures are no list")?.iter().map(figure));
    }
    Ok(table::present(&figures, &machine))
}

fn figure(answer: &Value) -> Figure {
    let values = answer["values"].as_array().map(Vec::as_slice).unwrap_or_default();
    let budget = answer["atMost"].as_f64().map(|most| match answer["p99AtMost"].as_f64() {
        Some(slowest) => Budget::Percentiles(most, slowest),
        None => Budget::AtMost(most),
    });
    Figure::budgeted(
        answer["row"].as_u64().unwrap_or(0) as u8,
        answer["metric"].as_str().unwrap_or_default(),
        unit(answer["unit"].as_str().unwrap_or_default()),
        values.iter().filter_map(Value::as_f64).collect(),
        budget,
    )
}

fn unit(name: &str) -> &'static str {
    match name {
        "ms" => "ms",
        "kB" => "kB",
        "MB" => "MB",
        _ => "",
    }
}
