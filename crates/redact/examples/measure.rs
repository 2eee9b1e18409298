//! Measures the rules: how many secrets of a collection are found, and in how many lines of other texts something is.
//!
//! `cargo run --release -p redact --example measure -- CASES.jsonl FOLDER`: each case is `{"text": ..., "secret": ...}`; of the folder
//! each line of each string in its files of JSON lines is a line, and of others each line.

#![expect(clippy::print_stdout, reason = "it prints figures")]

use redact::Redactor;
use serde::Deserialize;
use serde_json::Value;
use std::path::{Path, PathBuf};

#[derive(Deserialize)]
struct Case {
    text: String,
    secret: String,
}

#[derive(Default)]
struct Lines {
    all: u64,
    masked: u64,
}

fn main() -> std::io::Result<()> {
    let mut arguments = std::env::args().skip(1);
    let (redactor, cases) = (Redactor::default(), arguments.next().unwrap_or_default());
    let cases = std::fs::read_to_string(cases)?;
    let cases: Vec<Case> = cases.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let marks: Vec<String> = redact::rules().map(|(id, ..)| format!("[{id}]")).collect();
    let left = |text: &str| {
        let masked = redactor.text(text, &mut |_| {}).into_owned();
        marks.iter().fold(masked, |text, mark| text.replace(mark, "*"))
    };
    let missed = cases.iter().filter(|case| left(&case.text).contains(&case.secret));
    let missed: Vec<&Case> = missed.collect();
    for case in &missed {
        println!("missed: {}", case.text);
    }
    println!("{} of {} secrets found", cases.len() - missed.len(), cases.len());
    let mut lines = Lines::default();
    for folder in arguments {
        let mut files = Vec::new();
        collect(Path::new(&folder), &mut files)?;
        for file in files {
            let Ok(text) = std::fs::read_to_string(&file) else { continue };
            for line in text.lines() {
                match serde_json::from_str::<Value>(line) {
                    Ok(value) => strings(&value, &mut |text| lines.look(&redactor, text)),
                    Err(_) => lines.look(&redactor, line),
                }
            }
        }
    }
    let share = lines.masked as f64 * 100.0 / lines.all.max(1) as f64;
    println!("something found in {} of {} lines, {share:.3} %", lines.masked, lines.all);
    Ok(())
}

impl Lines {
    /// E-mail addresses and home folders are what they are, and not counted.
    fn look(&mut self, redactor: &Redactor, text: &str) {
        for line in text.lines().filter(|line| !line.trim().is_empty()) {
            self.all += 1;
            let mut is_masked = false;
            redactor.text(line, &mut |found| is_masked |= !matches!(found.rule, "email" | "home"));
            self.masked += u64::from(is_masked);
        }
    }
}

fn strings(value: &Value, each: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => each(text),
        Value::Array(items) => items.iter().for_each(|item| strings(item, each)),
        Value::Object(fields) => fields.values().for_each(|field| strings(field, each)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in folder.read_dir()? {
        let path = entry?.path();
        if path.is_dir() { collect(&path, files)? } else { files.push(path) }
    }
    Ok(())
}
