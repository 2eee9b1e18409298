//! The stylesheet of the pages, for examples that need no server.
use std::{fs, io, path::Path};

/// Returns the text of `path`, usually `style/main.css`, with each sheet that it imports in place of the import.
pub fn read(path: &Path) -> io::Result<String> {
    let mut css = String::new();
    for line in fs::read_to_string(path)?.lines() {
        match line.strip_prefix("@import \"").and_then(|rest| rest.strip_suffix("\";")) {
            Some(file) => css += &read(&path.with_file_name(file))?,
            None => css += line,
        }
        css.push('\n');
    }
    Ok(css)
}
