//! The browser's files, in `target/interface`: WebAssembly and its glue, the stylesheet and the static files of
//! `app/assets`, each of them also compressed. `server` embeds the folder while it is compiled, so a file is only
//! written when its bytes changed.
use std::{
    fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

mod bind;

use crate::{step, style, tools, workspace};

/// The profile of the root `Cargo.toml` that the interface is always compiled with.
const PROFILE: &str = "wasm-release";
/// To be raised when [`bind`] changes: the same WebAssembly is then bound anew.
const RECIPE: &str = "5";
/// All of `style/`.
const STYLE: &str = "verbatim.css";

/// Builds what changed.
pub fn build() -> Result<()> {
    tools::for_building()?;
    let compiled = step::timed("interface: compile for the browser", compile)?;
    step::timed("interface: bind, join styles, compress", || {
        let folder = workspace::interface();
        fs::create_dir_all(&folder)?;
        bind_changed(&compiled, &folder)?;
        remove_strangers(&folder, &files()?)?;
        for name in assets()? {
            put(&folder, &name, &read(&assets_folder().join(&name))?)?;
        }
        put(&folder, STYLE, style::joined(&workspace::root().join("style/main.css"))?.as_bytes())
    })
}

/// The names in `target/interface`, sorted; `.br` and `.gz` stand beside each.
pub fn files() -> Result<Vec<String>> {
    let mut names = assets()?;
    names.extend(bound().1);
    names.push(STYLE.to_owned());
    names.sort();
    Ok(names)
}

/// Where the compressed form of a file lies: `frontend.js.br` for `frontend.js` and `br`.
pub fn compressed(path: &Path, encoding: &str) -> PathBuf {
    path.with_added_extension(encoding)
}

fn assets() -> Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in assets_folder().read_dir()? {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    Ok(names)
}

fn assets_folder() -> PathBuf {
    workspace::root().join("app/assets")
}

/// Compiles `frontend` alone: together with the rest of the workspace, Leptos' `hydrate` and `ssr` would unify.
fn compile() -> Result<PathBuf> {
    step::run(&mut workspace::cargo([
        "rustc",
        "--package",
        "frontend",
        "--lib",
        "--target",
        tools::WASM,
        "--profile",
        PROFILE,
        "--",
        // Where functions and data are named in the code: without it nothing can be split off.
        "-Clink-arg=--emit-relocs",
    ]))?;
    Ok(workspace::target().join(tools::WASM).join(PROFILE).join("frontend.wasm"))
}

fn stamp() -> PathBuf {
    workspace::root().join("target/interface.stamp")
}

/// Of what [`bind`] made last: the fingerprint of its input, and the files' names.
fn bound() -> (String, Vec<String>) {
    let stamp = fs::read_to_string(stamp()).unwrap_or_default();
    let mut lines = stamp.lines().map(str::to_owned);
    (lines.next().unwrap_or_default(), lines.collect())
}

fn bind_changed(compiled: &Path, folder: &Path) -> Result<()> {
    let wasm = read(compiled)?;
    let fingerprint = format!("{RECIPE} {:x}", Sha256::digest(&wasm));
    let (last, names) = bound();
    if last == fingerprint && names.iter().all(|name| whole(folder, name)) {
        return Ok(());
    }
    let mut lines = fingerprint;
    for (name, bytes) in bind::bind(&wasm, &workspace::target().join("interface.parts"))? {
        put(folder, &name, &bytes)?;
        lines += &format!("\n{name}");
    }
    fs::write(stamp(), lines)?;
    Ok(())
}

/// Writes a file and its compressed forms, unless all of them are there already.
fn put(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    let path = folder.join(name);
    if whole(folder, name) && fs::read(&path).is_ok_and(|last| last == bytes) {
        return Ok(());
    }
    // The file itself comes last: one that is there with these bytes vouches for its compressed forms.
    fs::write(compressed(&path, "br"), brotli_of(bytes)?)?;
    fs::write(compressed(&path, "gz"), gzip_of(bytes)?)?;
    fs::write(&path, bytes)?;
    Ok(())
}

fn whole(folder: &Path, name: &str) -> bool {
    let path = folder.join(name);
    compressed(&path, "br").is_file() && compressed(&path, "gz").is_file() && path.is_file()
}

fn brotli_of(bytes: &[u8]) -> Result<Vec<u8>> {
    let parameters = brotli::enc::BrotliEncoderParams { quality: 11, lgwin: 22, ..Default::default() };
    let mut packed = Vec::new();
    brotli::BrotliCompress(&mut &*bytes, &mut packed, &parameters)?;
    Ok(packed)
}

fn gzip_of(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// A file of an older build would be embedded and served.
fn remove_strangers(folder: &Path, files: &[String]) -> Result<()> {
    for entry in folder.read_dir()? {
        let entry = entry?;
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let plain = name.trim_end_matches(".br").trim_end_matches(".gz");
        if !files.iter().any(|file| file == plain) {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}

fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("{} can't be read", path.display()))
}
