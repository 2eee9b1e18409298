//! Transcripts of all agents: imported, exported byte for byte, and imported once more, which adds nothing.
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result, bail};
use clap::Args;
use serde_json::{Value, json};

use super::{
    http::Connection,
    import::settled,
    input::megabytes,
    machine::Machine,
    program::{Scratch, Server},
    table::{self, Budget, Figure},
};
use crate::step;

#[derive(Clone, Args)]
pub struct RoundTripArguments {
    /// Folder of transcripts, whosever they are
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Where a session's file is, and by which session it is exported.
type Sources = BTreeMap<String, (String, PathBuf)>;

/// Measures; fails if a file comes back changed, or if the second import adds a message.
pub fn measure(program: &Path, arguments: &RoundTripArguments) -> Result<Value> {
    let folder = arguments.folder.canonicalize().context("the folder can't be read")?;
    let scratch = Scratch::new("round-trip")?;
    let machine = Machine::measure(&scratch.0)?;
    let (server, _) = Server::start(program, &scratch.0.join("data"), &["--no-discover"])?;
    // A connection that nothing is asked on is closed meanwhile.
    let import = || -> Result<(Value, f32)> {
        let (job, seconds) = step::measured(|| {
            let id = server.connect()?.post("/v1/imports", &json!({ "paths": [folder] }))?["id"].clone();
            settled(&server)?;
            server.connect()?.json(&format!("/v1/imports/{id}"))
        });
        Ok((job?, seconds))
    };
    let (first, seconds) = import()?;
    let (second, again) = import()?;
    let count = |job: &Value, name: &str| job[name].as_u64().unwrap_or(0) as f64;
    let refused = first["failed"].as_array().map_or(0, Vec::len);
    let mut connection = server.connect()?;
    let sources = sources(&mut connection)?;
    let (mut bytes, mut changed) = (0, Vec::new());
    for (source, (session, path)) in &sources {
        let target = format!("/v1/sessions/{session}/export?format=original&source={source}");
        let exported = connection.get(&target)?;
        bytes += exported.len() as u64;
        if exported != fs::read(path).with_context(|| format!("{} is gone", path.display()))? {
            changed.push(path.display().to_string());
        }
    }
    let exact = |metric: &str, value: f64| Figure::budgeted(0, metric, "", vec![value], Budget::AtMost(0.0));
    let figures = [
        Figure::plain("files found", "", vec![count(&first, "files")]),
        Figure::plain("of them no transcripts", "", vec![refused as f64]),
        Figure::plain("sessions", "", vec![count(&first, "sessions")]),
        Figure::plain("messages", "", vec![count(&first, "messages")]),
        Figure::plain("import", "s", vec![f64::from(seconds)]),
        Figure::plain("second import", "s", vec![f64::from(again)]),
        exact("messages that the second import added", count(&second, "messages")),
        Figure::plain("files exported", "", vec![sources.len() as f64]),
        Figure::plain("exported", "MB", vec![megabytes(bytes)]),
        exact("of them changed", changed.len() as f64),
    ];
    let shown = table::present(&figures, &machine);
    if !changed.is_empty() || count(&second, "messages") > 0.0 {
        bail!("a file came back changed, or a second import added messages: {}", changed.join(", "));
    }
    Ok(shown)
}

/// The files of all sessions, those of sub-agents as well.
fn sources(connection: &mut Connection) -> Result<Sources> {
    let mut found = Sources::new();
    let mut after = String::new();
    loop {
        let page = connection.json(&format!("/v1/sessions?limit=500{after}"))?;
        let mut waiting = page["sessions"].as_array().cloned().unwrap_or_default();
        while let Some(session) = waiting.pop() {
            let id = session["id"].as_str().unwrap_or_default();
            let detail = connection.json(&format!("/v1/sessions/{id}"))?;
            for source in detail["sources"].as_array().into_iter().flatten() {
                let text = |name: &str| source[name].as_str().unwrap_or_default();
                found.insert(text("id").to_owned(), (id.to_owned(), PathBuf::from(text("path"))));
            }
            if session["child_count"] != 0 {
                let children = connection.json(&format!("/v1/sessions/{id}/children"))?;
                waiting.extend(children["sessions"].as_array().cloned().unwrap_or_default());
            }
        }
        match page["next"].as_str() {
            Some(next) => after = format!("&after={next}"),
            None => return Ok(found),
        }
    }
}
