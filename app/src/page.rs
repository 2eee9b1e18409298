//! A whole HTML document around a rendered body.

use crate::html::Html;
use crate::look::Look;
use crate::shared::attr;

const VIEWPORT: &str = "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1, viewport-fit=cover, interactive-widget=resizes-content\">";

/// The colour that a device gives to what surrounds the page: `--bg` of `style/tokens.css`, by colour scheme.
pub const GROUND: [(&str, &str); 2] = [("light", "#ffffff"), ("dark", "#0d1117")];

/// URLs of the browser's files, each with the hash of its bytes.
#[derive(Debug, Clone, Default)]
pub struct Assets {
    pub css: String,
    /// `secret.js`.
    pub secret: String,
    pub boot: String,
    pub js: String,
    pub wasm: String,
    pub icon: String,
}

/// Which script brings a page to life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Script<'a> {
    /// `boot.js`, which loads the islands.
    Islands,
    /// `login.js`, by its URL, which keeps the log-in's secret.
    LogIn(&'a str),
    /// A small module of its own, by its URL.
    Module(&'a str),
    None,
}

pub struct Document<'a> {
    pub title: &'a str,
    pub look: Look,
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
    html.tag("<!DOCTYPE html>\n<html lang=\"en\"").attr(attr::BUILD, page.build);
    for (choice, word) in page.look.chosen() {
        let usual = choice.values.first().is_some_and(|(usual, _)| *usual == word);
        if !usual || choice.name == "theme" {
            html.attr(choice.attribute, word);
        }
    }
    html.tag("><head><meta charset=\"utf-8\">")
        .tag(VIEWPORT)
        .tag("<meta name=\"color-scheme\" content=\"light dark\">");
    html.tag("<title>").text(page.title).tag(" · Verbatim</title>");
    html.tag("<link rel=\"icon\"").attr("href", &assets.icon).tag(">");
    html.tag("<link rel=\"stylesheet\"").attr("href", &assets.css).tag(">");
    // A page without a script may leave this place as a file.
    if page.script != Script::None {
        installable(&mut html, page.look.theme());
    }
    if matches!(page.script, Script::Islands | Script::LogIn(_)) {
        // Modules run in their order: what comes after asks it.
        html.tag("<script type=\"module\"").attr("src", &assets.secret).tag("></script>");
    }
    match page.script {
        Script::Islands => {
            html.tag("<link rel=\"modulepreload\"").attr("href", &assets.js).tag(">");
            html.tag("<link rel=\"preload\" as=\"fetch\" type=\"application/wasm\" crossorigin");
            html.attr("href", &assets.wasm).tag(">");
            // It brings a transcript to its end: nothing is drawn before, which would be drawn for nobody.
            html.tag("<script type=\"module\" blocking=\"render\"").attr("src", &assets.boot);
            html.attr(attr::JS, &assets.js).attr(attr::WASM, &assets.wasm).tag("></script>");
        }
        Script::LogIn(url) | Script::Module(url) => {
            html.tag("<script type=\"module\"").attr("src", url).tag("></script>");
        }
        Script::None => {}
    }
    html.tag("</head><body>").html(&Html::rendered(page.body));
    if page.script == Script::Islands {
        // The script takes it away. Where that doesn't come, the style shows it after a moment: on top, though the link
        // that skips to the content stays the first one.
        html.tag(
            "<p class=\"boot-late\" role=\"alert\">The interactive part of this page didn't load from the server. ",
        )
        .tag("You can read on. <a class=\"link\" href=\"\">Try again</a></p>");
    }
    html.tag("</body></html>");
    html.into_string()
}

/// Writes the tags that a browser needs to install Verbatim as an app.
fn installable(html: &mut Html, theme: &str) {
    html.tag("<link rel=\"manifest\" href=\"/manifest.webmanifest\">");
    for (scheme, colour) in GROUND.into_iter().filter(|(scheme, _)| ["system", scheme].contains(&theme)) {
        html.tag("<meta name=\"theme-color\"").attr("content", colour);
        if theme == "system" {
            html.attr("media", &format!("(prefers-color-scheme: {scheme})"));
        }
        html.tag(">");
    }
}
