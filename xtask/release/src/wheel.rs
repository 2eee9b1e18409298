//! `pip install FILE.whl`: the program on the path. It runs without Python.
use std::io::{Cursor, Write};

use anyhow::Result;
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use sha2::{Digest, Sha256};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::{PACKAGE, Release, SUMMARY, files::Files, targets::Program, text};

/// Makes the wheel for one system.
pub fn make(release: &Release, program: &Program) -> Result<()> {
    let version = &release.version;
    let name = PACKAGE.replace('-', "_");
    let mut files = Files::default();
    files.add_program(&format!("{name}-{version}.data/scripts/verbatim"), program.read()?);
    let info = format!("{name}-{version}.dist-info");
    let mut fields = vec![
        "Metadata-Version: 2.4".to_owned(),
        format!("Name: {PACKAGE}"),
        format!("Version: {version}"),
        format!("Summary: {SUMMARY}"),
        "License-Expression: MIT OR Apache-2.0".to_owned(),
    ];
    for (path, text) in release.licences(program.target)? {
        fields.push(format!("License-File: {path}"));
        files.add(&format!("{info}/licenses/{path}"), text);
    }
    fields.push("Description-Content-Type: text/markdown".to_owned());
    files.add(&format!("{info}/METADATA"), format!("{}\n\n{}", fields.join("\n"), text("README.md")?));
    let tags = program.target.wheel.split('.').map(|platform| format!("Tag: py3-none-{platform}\n"));
    let head = "Wheel-Version: 1.0\nGenerator: verbatim-release\nRoot-Is-Purelib: false\n";
    files.add(&format!("{info}/WHEEL"), format!("{head}{}", tags.collect::<String>()));
    let record = format!("{info}/RECORD");
    let rows = files.iter().map(|(path, _, content)| {
        let sum = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(content));
        format!("{path},sha256={sum},{}\n", content.len())
    });
    let rows = rows.collect::<String>();
    files.add(&record, format!("{rows}{record},,\n"));
    release.write(&file_name(version, program.target.wheel), &zip(&files)?)
}

pub fn file_name(version: &str, platform: &str) -> String {
    format!("{}-{version}-py3-none-{platform}.whl", PACKAGE.replace('-', "_"))
}

/// All times are the first that the format has: 1980.
fn zip(files: &Files) -> Result<Vec<u8>> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, mode, content) in files.iter() {
        archive.start_file(path, SimpleFileOptions::DEFAULT.unix_permissions(mode))?;
        archive.write_all(content)?;
    }
    Ok(archive.finish()?.into_inner())
}
