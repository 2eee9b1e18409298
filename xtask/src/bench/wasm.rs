//! What a browser downloads once: size of each file of the interface.
use std::fs;

use anyhow::Result;
use serde_json::{Value, json};

use crate::{
    interface::{self, compressed},
    step, workspace,
};

/// Bytes by file: `{"frontend.js": {"raw", "gzip", "brotli"}, ..., "total": ...}`.
pub fn measure() -> Result<Value> {
    interface::build()?;
    let folder = workspace::interface();
    let mut figures = serde_json::Map::new();
    let mut total = [0; 3];
    step::say(&format!("{:>9} {:>9} {:>9}  bytes of", "raw", "gzip", "brotli"));
    for name in interface::files()? {
        let path = folder.join(&name);
        let sizes = [
            fs::metadata(&path)?.len(),
            fs::metadata(compressed(&path, "gz"))?.len(),
            fs::metadata(compressed(&path, "br"))?.len(),
        ];
        for (sum, size) in total.iter_mut().zip(sizes) {
            *sum += size;
        }
        figures.insert(name.clone(), line(&name, sizes));
    }
    figures.insert("total".to_owned(), line("total", total));
    Ok(figures.into())
}

fn line(name: &str, [raw, gzip, brotli]: [u64; 3]) -> Value {
    step::say(&format!("{raw:9} {gzip:9} {brotli:9}  {name}"));
    json!({ "raw": raw, "gzip": gzip, "brotli": brotli })
}
