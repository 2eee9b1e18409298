//! A whole HTML document around a rendered body.

use crate::html::Html;

const VIEWPORT: &str = "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content\">";

/// URLs of the browser's files, each with the hash of its bytes.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    pub css: String,
    pub boot: String,
    pub js: String,
    pub wasm: String,
    pub icon: String,
}

/// What the reader chose; `System` leaves it to the device.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    /// Reads the cookie. Anything unknown is `System`.
    pub fn parse(word: &str) -> Self {
        match word {
            "light" => Self::Light,
            "dark" => Self::Dark,
            _ => Self::System,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

/// Which script brings a page to life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script<'a> {
    /// `boot.js`, which loads the islands.
    Islands,
    /// A small module of its own, by its URL.
    Module(&'a str),
    None,
}

pub struct Document<'a> {
    pub title: &'a str,
    pub theme: Theme,
    /// Identifies the build. A page that was drawn by another one reloads.
    pub build: &'a str,
    pub assets: &'a Assets,
    pub script: Script<'a>,
    /// Rendered HTML.
    pub body: String,
}

/// The document. Its only scripts are static files, so that one constant Content-Security-Policy fits every page.
pub fn document(page: Document<'_>) -> String {
    let assets = page.assets;
    let mut html = Html::new();
    html.tag("<!DOCTYPE html>\n<html lang=\"en\"")
        .attr("data-theme", page.theme.as_str())
        .attr("data-build", page.build);
    html.tag("><head><meta charset=\"utf-8\">")
        .tag(VIEWPORT)
        .tag("<meta name=\"color-scheme\" content=\"light dark\">");
    html.tag("<title>").text(page.title).tag(" · Verbatim</title>");
    html.tag("<link rel=\"icon\"").attr("href", &assets.icon).tag(">");
    html.tag("<link rel=\"stylesheet\"").attr("href", &assets.css).tag(">");
    match page.script {
        Script::Islands => {
            html.tag("<link rel=\"modulepreload\"").attr("href", &assets.js).tag(">");
            html.tag("<script type=\"module\"").attr("src", &assets.boot);
            html.attr("data-js", &assets.js).attr("data-wasm", &assets.wasm).tag("></script>");
        }
        Script::Module(url) => {
            html.tag("<script type=\"module\"").attr("src", url).tag("></script>");
        }
        Script::None => {}
    }
    html.tag("</head><body>").html(&Html::rendered(page.body)).tag("</body></html>");
    html.into_string()
}
