//! Files of the installable app: the manifest, the service worker, and the worker's page for pages that it doesn't
//! store. They are public, because they contain no user data.

use super::{Shared, assets, page_data};
use api::json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde_json::json;

/// Each build has another address for the worker, so that a day is no lag.
const A_DAY: &str = "private, max-age=86400";

/// Read by browsers that install the site. They ask without a cookie, so that it is the same for all. Addresses in it are relative to
/// its own, which has the path of the public URL.
pub async fn manifest() -> Response {
    let [(_, light), _] = app::page::GROUND;
    let icon = |name: &str, sizes: &str, purpose: &str| json!({ "src": assets::url(name).trim_start_matches('/'), "sizes": sizes, "type": assets::content_type(name), "purpose": purpose });
    let shortcut = |name: &str, url: &str| json!({ "name": name, "url": url });
    let manifest = json!({
        "name": "Verbatim",
        "short_name": "Verbatim",
        "description": "Everything that coding agents see, say and do",
        "start_url": "./",
        "scope": "./",
        "display": "standalone",
        "theme_color": light,
        "background_color": light,
        "icons": [
            icon("icon-192.png", "192x192", "any"),
            icon("icon-512.png", "512x512", "any"),
            icon("icon-maskable-512.png", "512x512", "maskable"),
            icon("icon.svg", "any", "any"),
        ],
        "shortcuts": [
            shortcut("Sessions", "sessions"),
            shortcut("Needs you", "inbox"),
            shortcut("Search", "search"),
        ],
    });
    let kind = [(header::CONTENT_TYPE, "application/manifest+json"), (header::CACHE_CONTROL, "no-cache")];
    (kind, json::write(&manifest).unwrap_or_default()).into_response()
}

/// Path of the certificate of an authority of one's own.
pub const AUTHORITY: &str = "/authority.crt";

/// The certificate that devices install to trust the server. It is no secret: who installs it compares its fingerprint.
pub fn authority(der: Option<&[u8]>) -> Response {
    match der {
        Some(der) => {
            let kind = [(header::CONTENT_TYPE, "application/x-x509-ca-cert"), (header::CACHE_CONTROL, "no-store")];
            (kind, der.to_vec()).into_response()
        }
        None => (StatusCode::NOT_FOUND, "This server has no authority of its own\n").into_response(),
    }
}

/// The icon of 192 pixels, in the program: browsers ask for these two by themselves, on pages that name none.
const ICON: &[u8] = include_bytes!("../../../app/assets/icon-192.png");

fn icon(content_type: &'static str, bytes: Vec<u8>) -> Response {
    ([(header::CONTENT_TYPE, content_type), (header::CACHE_CONTROL, "public, max-age=86400")], bytes).into_response()
}

pub async fn touch_icon() -> Response {
    icon("image/png", ICON.to_vec())
}

/// An icon file that holds the PNG: a header, an entry, then the picture.
pub async fn favicon() -> Response {
    /// Bytes before the picture.
    const START: u32 = 22;
    let length = u32::try_from(ICON.len()).unwrap_or_default();
    // Kind 1 is an icon, with 1 picture of 192 times 192 pixels, in 1 plane of 32 bits.
    let mut file = vec![0, 0, 1, 0, 1, 0, 192, 192, 0, 0, 1, 0, 32, 0];
    file.extend(length.to_le_bytes());
    file.extend(START.to_le_bytes());
    file.extend(ICON);
    icon("image/x-icon", file)
}

/// At the root, since a worker has a say in what lies below it only.
pub async fn worker(headers: HeaderMap) -> Response {
    assets::file("worker.js", A_DAY, &headers)
}

pub async fn page(State(site): State<Shared>, headers: HeaderMap) -> Response {
    let script = assets::url("offline.js");
    let page = app::pages::offline::page(&app::pages::offline::OfflinePage {
        script: script.clone(),
        look: page_data::look(&headers),
        build: site.build.clone(),
        assets: site.assets.clone(),
    });
    page_data::with_files(page_data::html(StatusCode::OK, page), &site, &[&script])
}
