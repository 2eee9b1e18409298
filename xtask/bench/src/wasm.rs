//! The files of the interface, which a browser downloads once, with their sizes.
use std::{collections::BTreeSet, fs, path::Path};

use anyhow::Result;
use serde_json::{Value, json};

use crate::{interface, step, workspace};

/// Bytes by file: `{"frontend.js": {"raw", "gzip", "brotli"}, ..., "total": ...}`.
pub fn measure() -> Result<Value> {
    interface::build()?;
    let folder = workspace::interface();
    let mut figures = serde_json::Map::new();
    let mut total = [0; 3];
    step::say(&format!("{:>9} {:>9} {:>9}  bytes of", "raw", "gzip", "brotli"));
    for name in names(&folder)? {
        let path = folder.join(&name);
        let compressed = |encoding| path.with_added_extension(encoding);
        let sizes =
            [fs::metadata(&path)?.len(), fs::metadata(compressed("gz"))?.len(), fs::metadata(compressed("br"))?.len()];
        for (sum, size) in total.iter_mut().zip(sizes) {
            *sum += size;
        }
        figures.insert(name.clone(), line(&name, sizes));
    }
    figures.insert("total".to_owned(), line("total", total));
    Ok(figures.into())
}

/// The files, sorted, without their compressed forms.
fn names(folder: &Path) -> Result<BTreeSet<String>> {
    let names = folder.read_dir()?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned()));
    let names: Result<BTreeSet<String>> = names.collect();
    Ok(names?.into_iter().filter(|name| ![".br", ".gz"].iter().any(|end| name.ends_with(end))).collect())
}

fn line(name: &str, [raw, gzip, brotli]: [u64; 3]) -> Value {
    step::say(&format!("{raw:9} {gzip:9} {brotli:9}  {name}"));
    json!({ "raw": raw, "gzip": gzip, "brotli": brotli })
}
