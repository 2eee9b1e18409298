//! The licences of all parts of the program: its crates, the C inside of them, the interface's crates, and the libraries of the
//! languages.
use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use serde_json::Value;
use xtask::{step, tools, workspace};

use crate::targets::{self, Target};

/// How the names of files begin that hold a licence.
const NAMES: [&str; 7] = ["copying", "copyright", "licence", "license", "notice", "patents", "unlicense"];

/// Folders of crates with sources of others, which have licences of their own.
const INSIDE: [(&str, &str); 3] =
    [("tikv-jemalloc-sys", "jemalloc"), ("zstd-sys", "zstd"), ("ring", "third_party/fiat")];

/// A part of the program.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Part {
    name: String,
    /// As its manifest has it.
    licence: String,
    source: String,
}

/// Returns the text that is beside the program of a target.
pub fn list(target: &Target) -> Result<String> {
    // Who has each text: many crates share one.
    let mut parts = BTreeSet::new();
    let mut texts: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut add = |name: String, licence: &str, source: &str, found: Vec<PathBuf>| -> Result<()> {
        for file in found {
            let text = fs::read_to_string(&file).with_context(|| format!("{} can't be read", file.display()))?;
            let text = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
            texts.entry(text.trim_matches('\n').to_owned()).or_default().insert(name.clone());
        }
        parts.insert(Part { name, licence: licence.to_owned(), source: source.to_owned() });
        Ok(())
    };
    for (root, triple) in [("server", target.triple), ("frontend", tools::WASM)] {
        for package in crates(root, triple)? {
            let word = |field: &str| package[field].as_str().unwrap_or_default().to_owned();
            let folder = PathBuf::from(word("manifest_path"));
            let folder = folder.parent().context("a manifest lies in a folder")?;
            let inside = INSIDE.iter().filter(|(name, _)| *name == word("name")).map(|(_, inside)| folder.join(inside));
            let mut found = files(folder)?;
            for folder in inside {
                found.extend(files(&folder)?);
            }
            add(format!("{} {}", word("name"), word("version")), &word("license"), &word("repository"), found)?;
        }
    }
    let rust = tools::sysroot()?.join("share/doc/rust/licenses");
    let rust = ["Apache-2.0.txt", "MIT.txt", "LLVM-exception.txt"].map(|name| rust.join(name));
    let rust = rust.into_iter().filter(|file| file.is_file()).collect();
    add("Rust's standard library".to_owned(), "MIT OR Apache-2.0", "https://github.com/rust-lang/rust", rust)?;
    add("SQLite".to_owned(), "in the public domain", "https://sqlite.org/copyright.html", Vec::new())?;
    if target.is_static {
        let zig = targets::environment()?.with_file_name("..").join("lib");
        let musl = "site-packages/ziglang/lib/libc/musl/COPYRIGHT";
        let python =
            fs::read_dir(zig)?.find_map(|entry| Some(entry.ok()?.path().join(musl)).filter(|file| file.is_file()));
        let musl = python.context("ziglang brings no licence of musl")?;
        add("musl".to_owned(), "MIT", "https://musl.libc.org", vec![musl])?;
    }
    Ok(written(&parts, &texts))
}

fn written(parts: &BTreeSet<Part>, texts: &BTreeMap<String, BTreeSet<String>>) -> String {
    let line = "=".repeat(80);
    let mut written = "Verbatim is under MIT or Apache-2.0. It contains these parts, with their licences; the texts follow. A part with an \
        asterisk brings no text: its licence and its source are named.\n\n"
        .to_owned();
    for Part { name, licence, source } in parts {
        let sign = if texts.values().any(|names| names.contains(name)) { "" } else { "* " };
        written.push_str(&format!("{sign}{name}: {licence} {source}\n").replace(" \n", "\n"));
    }
    for (text, names) in texts {
        let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
        written.push_str(&format!("\n{line}\n{names}\n{line}\n\n{text}\n"));
    }
    written
}

/// Lists the crates of others that are in what a crate of ours becomes for a target.
fn crates(root: &str, triple: &str) -> Result<Vec<Value>> {
    let metadata = ["metadata", "--format-version", "1", "--locked", "--filter-platform", triple];
    let metadata: Value = serde_json::from_str(&step::output(&mut workspace::cargo(metadata))?)?;
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let nodes: BTreeMap<String, Value> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .filter_map(|node| Some((node["id"].as_str()?.to_owned(), node)))
        .collect();
    let packages: BTreeMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .filter_map(|package| Some((package["id"].as_str()?.to_owned(), package)))
        .collect();
    let first = packages.iter().find(|(_, package)| package["name"] == root && package["source"].is_null());
    let mut todo = vec![first.with_context(|| format!("the workspace has no crate `{root}`"))?.0.clone()];
    let mut seen = BTreeSet::new();
    while let Some(id) = todo.pop() {
        let Some(node) = nodes.get(&id).filter(|_| seen.insert(id.clone())) else { continue };
        // Neither what builds nor what tests it: kinds are null for what is linked.
        let linked = |dependency: &Value| list(&dependency["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
        let linked = list(&node["deps"]).into_iter().filter(linked);
        todo.extend(linked.filter_map(|dependency| dependency["pkg"].as_str().map(str::to_owned)));
    }
    Ok(packages
        .into_iter()
        .filter(|(id, package)| seen.contains(id) && !package["source"].is_null())
        .map(|(_, p)| p)
        .collect())
}

/// Lists the files of a folder that hold a licence.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).with_context(|| format!("{} can't be read", folder.display()))?;
    for entry in entries {
        let entry = entry?;
        let path = entry.path();
        let name = entry.file_name().to_string_lossy().to_lowercase();
        let is_text = path.extension().is_none_or(|extension| extension != "rs" && extension != "html");
        let holds = is_text && NAMES.iter().any(|begin| name.starts_with(begin));
        if path.is_file() && holds {
            found.push(path);
        } else if path.is_dir() && (name == "licenses" || name == "license") {
            let inside = fs::read_dir(path)?.filter_map(Result::ok).map(|entry| entry.path());
            found.extend(inside.filter(|file| file.is_file()));
        }
    }
    found.sort();
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_share_texts_and_one_without_is_marked() {
        let part = |name: &str| Part { name: name.to_owned(), licence: "MIT".to_owned(), source: String::new() };
        let parts = BTreeSet::from([part("a 1.0"), part("b 2.0"), part("c 3.0")]);
        let texts =
            BTreeMap::from([("Permission".to_owned(), BTreeSet::from(["a 1.0".to_owned(), "b 2.0".to_owned()]))]);
        let written = written(&parts, &texts);
        let line = "=".repeat(80);
        let rest = written.split_once("\n\n").unwrap().1;
        assert_eq!(
            rest,
            format!("a 1.0: MIT\nb 2.0: MIT\n* c 3.0: MIT\n\n{line}\na 1.0, b 2.0\n{line}\n\nPermission\n")
        );
    }
}
