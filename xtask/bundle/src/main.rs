//! Makes the browser's files from the compiled WebAssembly: `bundle WASM WORKSPACE`.
//!
//! They lie in `target/interface`: WebAssembly and its glue, the stylesheet and the static files of `app/assets`, each of them also
//! compressed. `server` embeds the folder while it is compiled, so a file is only written when its bytes changed. A crate of its own,
//! as it takes long to compile and nothing else needs what it is made of.
//!
//! How to add a file: lay it into `app/assets`, or into `style/` and name it in `style/main.css`.

use std::{
    env, fs,
    io::Write,
    path::{Path, PathBuf},
};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use sha2::{Digest, Sha256};

mod bind;
mod style;

/// To be raised when [`bind`] changes: the same WebAssembly is then bound anew.
const RECIPE: &str = "5";
/// All of `style/`.
const STYLE: &str = "verbatim.css";

fn main() -> Result<()> {
    let mut paths = env::args_os().skip(1).map(PathBuf::from);
    let (compiled, workspace) = paths.next().zip(paths.next()).context("usage: bundle WASM WORKSPACE")?;
    Bundle { workspace }.make(&compiled)
}

struct Bundle {
    /// The folder of the workspace's `Cargo.toml`.
    workspace: PathBuf,
}

impl Bundle {
    /// Makes what changed.
    fn make(&self, compiled: &Path) -> Result<()> {
        let folder = self.workspace.join("target/interface");
        fs::create_dir_all(&folder)?;
        self.bind_changed(compiled, &folder)?;
        let assets = self.workspace.join("app/assets");
        let names = names(&assets)?;
        let made = self.bound().1.into_iter().chain([STYLE.to_owned()]);
        remove_strangers(&folder, &names.iter().cloned().chain(made).collect::<Vec<_>>())?;
        for name in names {
            put(&folder, &name, &read(&assets.join(&name))?)?;
        }
        put(&folder, STYLE, style::joined(&self.workspace.join("style/main.css"))?.as_bytes())
    }

    fn stamp(&self) -> PathBuf {
        self.workspace.join("target/interface.stamp")
    }

    /// Of what [`bind`] made last: the fingerprint of its input, and the files' names.
    fn bound(&self) -> (String, Vec<String>) {
        let stamp = fs::read_to_string(self.stamp()).unwrap_or_default();
        let mut lines = stamp.lines().map(str::to_owned);
        (lines.next().unwrap_or_default(), lines.collect())
    }

    fn bind_changed(&self, compiled: &Path, folder: &Path) -> Result<()> {
        let wasm = read(compiled)?;
        let fingerprint = format!("{RECIPE} {:x}", Sha256::digest(&wasm));
        let (last, names) = self.bound();
        if last == fingerprint && names.iter().all(|name| whole(folder, name)) {
            return Ok(());
        }
        let mut lines = fingerprint;
        for (name, bytes) in bind::bind(&wasm, &self.workspace.join("target/interface.parts"))? {
            put(folder, &name, &bytes)?;
            lines += &format!("\n{name}");
        }
        fs::write(self.stamp(), lines)?;
        Ok(())
    }
}

fn names(folder: &Path) -> Result<Vec<String>> {
    folder.read_dir()?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Where the compressed form of a file lies: `frontend.js.br` for `frontend.js` and `br`.
fn compressed(path: &Path, encoding: &str) -> PathBuf {
    path.with_added_extension(encoding)
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
