//! How often lines are compared as git compares them: `cargo run -p diff --example agreement -- FOLDER`, where the folder
//! holds transcripts of Claude Code. Each edit whose file is known is given to `git diff --histogram` too.
#![expect(clippy::print_stdout, reason = "it measures and prints")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("name a folder")?;
    let scratch = std::env::temp_dir().join(format!("agreement-{}", std::process::id()));
    fs::create_dir_all(&scratch)?;
    let mut files = Vec::new();
    transcripts(Path::new(&folder), &mut files)?;
    let (mut edits, mut same, mut fewer, mut more) = (0, 0, 0, 0);
    for file in files {
        for (old, new) in fs::read_to_string(file).unwrap_or_default().lines().filter_map(edit) {
            let ours: Vec<_> = diff::hunks(&old, &new, 0).into_iter().map(|hunk| (hunk.old, hunk.new)).collect();
            let theirs = of_git(&scratch, &old, &new)?;
            let lines = |hunks: &[(std::ops::Range<u32>, std::ops::Range<u32>)]| -> usize {
                hunks.iter().map(|(old, new)| old.len() + new.len()).sum()
            };
            edits += 1;
            same += usize::from(ours == theirs);
            fewer += usize::from(lines(&ours) < lines(&theirs));
            more += usize::from(lines(&ours) > lines(&theirs));
        }
    }
    fs::remove_dir_all(&scratch)?;
    println!("{edits} edits: {same} with the same hunks as git; fewer changed lines in {fewer}, more in {more}");
    Ok(())
}

fn transcripts(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            transcripts(&path, files)?;
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            files.push(path);
        }
    }
    Ok(())
}

fn edit(line: &str) -> Option<(String, String)> {
    if !line.contains("\"originalFile\"") {
        return None;
    }
    let line: Value = serde_json::from_str(line).ok()?;
    let result = line.get("toolUseResult")?;
    let text = |key: &str| result.get(key).and_then(Value::as_str);
    let old = text("originalFile")?;
    let new = match (text("content"), text("oldString"), text("newString")) {
        (Some(content), ..) => content.to_owned(),
        (_, Some(from), Some(to)) => old.replacen(from, to, 1),
        _ => return None,
    };
    (old != new).then(|| (old.to_owned(), new))
}

type Hunks = Vec<(std::ops::Range<u32>, std::ops::Range<u32>)>;

fn of_git(scratch: &Path, old: &str, new: &str) -> std::io::Result<Hunks> {
    let (a, b) = (scratch.join("a"), scratch.join("b"));
    fs::write(&a, old)?;
    fs::write(&b, new)?;
    let output = Command::new("git")
        .args(["diff", "--no-index", "--histogram", "--indent-heuristic", "--no-color", "--text", "-U0"])
        .args([&a, &b])
        .output()?;
    Ok(String::from_utf8_lossy(&output.stdout).lines().filter_map(header).collect())
}

/// `@@ -3,2 +3 @@`, from 0.
fn header(line: &str) -> Option<(std::ops::Range<u32>, std::ops::Range<u32>)> {
    let mut sides = line.strip_prefix("@@ -")?.split(" @@").next()?.split(" +");
    let mut side = || {
        let (start, length) = sides.next().map(|side| side.split_once(',').unwrap_or((side, "1")))?;
        let (start, length): (u32, u32) = (start.parse().ok()?, length.parse().ok()?);
        let start = if length == 0 { start } else { start - 1 };
        Some(start..start + length)
    };
    Some((side()?, side()?))
}
