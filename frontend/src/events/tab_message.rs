//! What tabs say to each other: plain arrays, which the browser copies by itself.

use app::browser::page_state::Link;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};

pub enum Word {
    /// The cursor behind a change, and the change as the server wrote it.
    Feed(String, String),
    Import,
    Build(String),
    Link(Link),
    /// How a text goes on that is being written, as the server wrote it.
    Growth(String),
    /// A tab came, which shows this session: who has the stream, and how is it?
    Hello(Option<String>),
    /// Another tab has the stream now: which sessions do the others show?
    Shows,
    /// A tab shows this session.
    Showing(String),
    /// This tab has the stream, and was told everything up to this position; 0 if it doesn't know.
    Leads(i64, Link),
    /// The list of sessions of every page's rail.
    Rail(String),
    /// What is new to the reader, as the server wrote it.
    Unread(String),
    /// The log-in ended, or the history that the page shows.
    Out,
}

impl Word {
    pub fn to_js(&self) -> JsValue {
        let parts: [JsValue; 4] = match self {
            Self::Feed(cursor, event) => ["feed".into(), cursor.into(), event.into(), JsValue::NULL],
            Self::Import => named("import"),
            Self::Build(build) => ["build".into(), build.into(), JsValue::NULL, JsValue::NULL],
            Self::Link(link) => with_link("link", 0, *link),
            Self::Growth(told) => ["growth".into(), told.into(), JsValue::NULL, JsValue::NULL],
            Self::Hello(session) => [
                "hello".into(),
                session.as_deref().map_or(JsValue::NULL, JsValue::from_str),
                JsValue::NULL,
                JsValue::NULL,
            ],
            Self::Shows => named("shows"),
            Self::Showing(session) => ["showing".into(), session.into(), JsValue::NULL, JsValue::NULL],
            Self::Leads(pos, link) => with_link("leads", *pos, *link),
            Self::Rail(html) => ["rail".into(), html.into(), JsValue::NULL, JsValue::NULL],
            Self::Unread(answer) => ["unread".into(), answer.into(), JsValue::NULL, JsValue::NULL],
            Self::Out => named("out"),
        };
        parts.iter().collect::<Array>().into()
    }

    pub fn from_js(said: &JsValue) -> Option<Self> {
        let said: &Array = said.dyn_ref()?;
        let text = |at| said.get(at).as_string();
        Some(match text(0)?.as_str() {
            "feed" => Self::Feed(text(1)?, text(2)?),
            "import" => Self::Import,
            "build" => Self::Build(text(1)?),
            "link" => Self::Link(link(said)),
            "growth" => Self::Growth(text(1)?),
            "hello" => Self::Hello(text(1)),
            "shows" => Self::Shows,
            "showing" => Self::Showing(text(1)?),
            "leads" => Self::Leads(number(said, 1), link(said)),
            "rail" => Self::Rail(text(1)?),
            "unread" => Self::Unread(text(1)?),
            "out" => Self::Out,
            _ => return None,
        })
    }
}

fn named(name: &str) -> [JsValue; 4] {
    [name.into(), JsValue::NULL, JsValue::NULL, JsValue::NULL]
}

/// Positions are far below what a double holds exactly.
fn with_link(name: &str, pos: i64, link: Link) -> [JsValue; 4] {
    let (kind, n) = match link {
        Link::Connecting => ("connecting", 0),
        Link::Live => ("live", 0),
        Link::Reconnecting(n) => ("reconnecting", i64::from(n)),
        Link::Offline => ("offline", 0),
        Link::Replaying(n) => ("replaying", n),
    };
    [name.into(), JsValue::from_f64(pos as f64), kind.into(), JsValue::from_f64(n as f64)]
}

fn number(said: &Array, at: u32) -> i64 {
    said.get(at).as_f64().unwrap_or(0.0) as i64
}

fn link(said: &Array) -> Link {
    let n = number(said, 3);
    match said.get(2).as_string().as_deref() {
        Some("live") => Link::Live,
        Some("reconnecting") => Link::Reconnecting(u32::try_from(n).unwrap_or(0)),
        Some("offline") => Link::Offline,
        Some("replaying") => Link::Replaying(n),
        _ => Link::Connecting,
    }
}
