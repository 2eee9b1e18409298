//! The interface's files, embedded in the program and compressed at build time.

use axum::extract::{Path, Query};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use rust_embed::RustEmbed;
use serde::Deserialize;

/// Missing in lints and tests, which need no interface.
#[derive(RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/../target/interface"]
#[allow_missing = true]
struct Files;

/// Assets never change under one URL: the URL holds their hash.
const IMMUTABLE: &str = "private, max-age=31536000, immutable";

fn hash(name: &str) -> Option<String> {
    Files::get(name).map(|file| hub::hex(&file.metadata.sha256_hash()[..8]))
}

/// Where a file is, with the hash of its bytes.
pub fn url(name: &str) -> String {
    format!("/assets/{name}?v={}", hash(name).unwrap_or_default())
}

pub fn urls() -> app::page::Assets {
    app::page::Assets {
        css: url("verbatim.css"),
        secret: url("secret.js"),
        boot: url("boot.js"),
        js: url("frontend.js"),
        wasm: url("frontend_bg.wasm"),
        icon: url("icon.svg"),
    }
}

/// The stylesheet itself, for a file that needs nothing else.
pub fn style() -> String {
    Files::get("verbatim.css").map(|file| String::from_utf8_lossy(&file.data).into_owned()).unwrap_or_default()
}

/// One word for all assets and the program that draws the pages.
pub fn build() -> String {
    use sha2::{Digest as _, Sha256};
    let mut hasher = Sha256::new();
    hasher.update(env!("CARGO_PKG_VERSION"));
    let mut names: Vec<_> = Files::iter().collect();
    names.sort();
    for name in names {
        if let Some(file) = Files::get(&name) {
            hasher.update(file.metadata.sha256_hash());
        }
    }
    hub::hex(&hasher.finalize()[..8])
}

/// By the ending of its name. What has another one isn't served.
pub fn content_type(name: &str) -> Option<&'static str> {
    Some(match name.rsplit_once('.')?.1 {
        "js" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "wasm" => "application/wasm",
        "bin" => "application/octet-stream",
        "png" => "image/png",
        "svg" => "image/svg+xml",
        _ => return None,
    })
}

#[derive(Deserialize)]
pub struct Version {
    v: Option<String>,
}

pub async fn asset(Path(name): Path<String>, Query(Version { v }): Query<Version>, headers: HeaderMap) -> Response {
    // A page of another build asks for a part of that build: this one's would not fit.
    if v.is_some_and(|v| hash(&name).is_some_and(|hash| hash != v)) {
        return StatusCode::NOT_FOUND.into_response();
    }
    file(&name, IMMUTABLE, &headers)
}

/// A file in the form that the browser takes, to be kept by it as `keep` says.
pub fn file(name: &str, keep: &'static str, headers: &HeaderMap) -> Response {
    let Some(content_type) = content_type(name) else { return StatusCode::NOT_FOUND.into_response() };
    let accepted = headers.get(header::ACCEPT_ENCODING).and_then(|v| v.to_str().ok()).unwrap_or_default();
    let accepts = |coding: &str| accepted.split(',').any(|a| a.split(';').next().unwrap_or_default().trim() == coding);
    let mut packed = [("br", "br"), ("gzip", "gz")].into_iter().filter(|(coding, _)| accepts(coding));
    let packed = packed.find_map(|(coding, extension)| Some((coding, Files::get(&format!("{name}.{extension}"))?)));
    let common =
        [(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, keep), (header::VARY, "accept-encoding")];
    match packed {
        Some((coding, file)) => (common, [(header::CONTENT_ENCODING, coding)], file.data.into_owned()).into_response(),
        None => match Files::get(name) {
            Some(file) => (common, file.data.into_owned()).into_response(),
            None => StatusCode::NOT_FOUND.into_response(),
        },
    }
}
