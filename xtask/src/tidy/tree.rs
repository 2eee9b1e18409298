//! The files of the workspace, read once.
use std::{fs, path::Path};

use anyhow::Result;
use walkdir::{DirEntry, WalkDir};

/// Folders that hold nothing written by hand.
const SKIPPED: [&str; 6] = [".git", "node_modules", "playwright-report", "screenshots", "target", "test-results"];

pub struct File {
    /// Below the workspace, with `/`.
    pub path: String,
    /// Empty when the file is not text.
    pub text: String,
}

impl File {
    /// The part of the name after the last dot.
    pub fn extension(&self) -> &str {
        self.path.rsplit_once('.').map_or("", |(_, extension)| extension)
    }

    /// True for what only tests, examples and benches compile.
    pub fn is_test(&self) -> bool {
        ["/tests/", "/examples/", "/benches/"].iter().any(|folder| self.path.contains(folder))
            || self.path.ends_with("/tests.rs")
    }

    /// Lines with their number, from 1; of a Rust file only those before its test module.
    pub fn lines_of_program(&self) -> impl Iterator<Item = (usize, &str)> {
        let rust = self.extension() == "rs";
        (1..).zip(self.text.lines()).take_while(move |(_, line)| !(rust && line.starts_with("#[cfg(test)]")))
    }

    /// All lines with their number, from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        (1..).zip(self.text.lines())
    }
}

/// Sorted by path.
pub struct Tree(pub Vec<File>);

impl Tree {
    pub fn read(root: &Path) -> Result<Self> {
        let mut files = Vec::new();
        let walk = WalkDir::new(root).sort_by_file_name().into_iter();
        for entry in walk.filter_entry(|entry| !is_skipped(entry)) {
            let entry = entry?;
            if entry.file_type().is_file() {
                let path = entry.path().strip_prefix(root)?.to_string_lossy().replace('\\', "/");
                let text = String::from_utf8(fs::read(entry.path())?).unwrap_or_default();
                files.push(File { path, text });
            }
        }
        Ok(Self(files))
    }

    pub fn below<'a>(&'a self, folder: &'a str) -> impl Iterator<Item = &'a File> {
        self.0.iter().filter(move |file| file.path.starts_with(folder))
    }

    pub fn file(&self, path: &str) -> Option<&File> {
        self.0.iter().find(|file| file.path == path)
    }
}

fn is_skipped(entry: &DirEntry) -> bool {
    entry.depth() > 0 && entry.file_type().is_dir() && SKIPPED.iter().any(|name| entry.file_name() == *name)
}
