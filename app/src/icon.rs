//! Icons: the component, and the shapes.

use leptos::prelude::*;
use leptos::tachys::html::InertElement;

/// A shape on a grid of 16 px, drawn with a stroke in the colour of the text. It holds its own markup, so that a page's
/// WebAssembly has those that it draws, and no others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Glyph(&'static str);

/// Each has one path wherever that is possible: an icon is two elements then.
macro_rules! glyphs {
    ($( $NAME:ident = $path:literal $(+ $more:literal)?; )*) => {
        impl Glyph {
            $( pub const $NAME: Self = Self(concat!("<path d=\"", $path, "\"/>" $(, $more)?)); )*
        }
    };
}

/// Size of an icon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Size {
    /// 16 px.
    #[default]
    Normal,
    /// 14 px.
    Small,
}

/// How an icon moves.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Motion {
    #[default]
    None,
    /// Something runs.
    Spins,
    /// It points down while what it stands before is unfolded.
    Unfolds,
}

impl Motion {
    pub const fn spins_if(runs: bool) -> Self {
        if runs { Self::Spins } else { Self::None }
    }
}

/// An icon beside its word. Give it a `label` only where no word stands beside it.
#[component]
pub fn Icon(
    glyph: Glyph,
    #[prop(optional)] size: Size,
    #[prop(optional)] motion: Motion,
    #[prop(optional_no_strip, into)] label: Option<&'static str>,
    /// Gives it the colour of a state.
    #[prop(optional_no_strip, into)]
    state: Option<&'static str>,
) -> InertElement {
    InertElement::new(markup(glyph, IconStyle { size, motion, label, state }))
}

/// How an icon is drawn.
#[derive(Debug, Clone, Copy, Default)]
pub struct IconStyle {
    pub size: Size,
    pub motion: Motion,
    pub label: Option<&'static str>,
    pub state: Option<&'static str>,
}

impl IconStyle {
    pub const SMALL: Self = Self { size: Size::Small, motion: Motion::None, label: None, state: None };
}

/// It is SVG in the page: one that a style names as a mask costs the browser a document each, before the first paint.
pub fn markup(glyph: Glyph, look: IconStyle) -> String {
    let mut svg = String::from("<svg viewBox=\"0 0 16 16\" class=\"i");
    svg.push_str(match look.size {
        Size::Normal => "",
        Size::Small => " sm",
    });
    svg.push_str(match look.motion {
        Motion::None => "",
        Motion::Spins => " spin",
        Motion::Unfolds => " unfolds",
    });
    if let Some(state) = look.state {
        svg.push_str("\" data-state=\"");
        svg.push_str(state);
    }
    match look.label {
        Some(label) => {
            svg.push_str("\" role=\"img\" aria-label=\"");
            svg.push_str(label);
        }
        None => svg.push_str("\" aria-hidden=\"true"),
    }
    svg.push_str("\">");
    svg.push_str(glyph.0);
    svg.push_str("</svg>");
    svg
}

glyphs! {
    ARCHIVE = "M2 2.75h12v3H2zM3 5.75v7.5h10v-7.5M6.25 8.5h3.5";
    ASK = "M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0zM6.3 6.3a1.75 1.75 0 1 1 2.5 1.9c-.5.3-.8.6-.8 1.1M8 11.4v.01";
    BELL = "M3.2 11.6c1-1.1 1.2-2.2 1.2-4.6a3.6 3.6 0 0 1 7.2 0c0 2.4.2 3.5 1.2 4.6zM6.6 13.9h2.8";
    BRACES = "M6 2.5c-1.6 0-2 .8-2 2v1.6c0 1-.6 1.9-1.8 1.9 1.2 0 1.8.9 1.8 1.9v1.6c0 1.2.4 2 2 2M10 2.5c1.6 0 2 .8 2 2v1.6c0 1 .6 1.9 1.8 1.9-1.2 0-1.8.9-1.8 1.9v1.6c0 1.2-.4 2-2 2";
    BRANCH = "M2.85 3.4a1.65 1.65 0 1 1 3.3 0 1.65 1.65 0 1 1-3.3 0zM2.85 12.6a1.65 1.65 0 1 1 3.3 0 1.65 1.65 0 1 1-3.3 0zM9.85 4.9a1.65 1.65 0 1 1 3.3 0 1.65 1.65 0 1 1-3.3 0zM4.5 5.1v5.8M11.5 6.6c0 2.4-4 2-6.4 3.7";
    CHART = "M2.5 2v11.5H14M5.5 10.5V8M8.5 10.5v-5M11.5 10.5V7";
    CHECK = "M3.5 8.5l3 3 6-7";
    CHEV = "M6 4l4 4-4 4";
    CLIP = "M13.4 7.3l-5.5 5.5a3.4 3.4 0 0 1-4.8-4.8l5.7-5.7a2.3 2.3 0 0 1 3.2 3.2l-5.6 5.6a1.1 1.1 0 0 1-1.6-1.6l5-5";
    CLOCK = "M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0zM8 4.5V8l2.3 1.5";
    CODE = "M5 4.5l-3.5 3.5L5 11.5M11 4.5l3.5 3.5-3.5 3.5M9.3 3 6.7 13";
    COMMENT = "M2 3.5a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v6.8a1 1 0 0 1-1 1H8l-3.3 2.9v-2.9H3a1 1 0 0 1-1-1z";
    COPY = "M7 5.25h5.5a1.75 1.75 0 0 1 1.75 1.75v5.5a1.75 1.75 0 0 1-1.75 1.75h-5.5a1.75 1.75 0 0 1-1.75-1.75v-5.5a1.75 1.75 0 0 1 1.75-1.75zM10.75 5.25V3a1.25 1.25 0 0 0-1.25-1.25H3A1.25 1.25 0 0 0 1.75 3v6.5A1.25 1.25 0 0 0 3 10.75h2.25";
    CUT = "M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0zM3.8 12.2l8.4-8.4";
    DB = "M2.5 3.8a5.5 2 0 1 1 11 0 5.5 2 0 1 1-11 0zM2.5 3.8v8.4c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V3.8M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2";
    DIFF = "M4.25 1.75h7.5a2 2 0 0 1 2 2v8.5a2 2 0 0 1-2 2h-7.5a2 2 0 0 1-2-2v-8.5a2 2 0 0 1 2-2zM8 4.3v4M6 6.3h4M6 11.2h4";
    DN = "M8 2.8v10.4M3.6 8.8 8 13.2l4.4-4.4";
    DONE = "M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0zM5.5 8.2l1.8 1.8 3.2-3.7";
    DOWN = "M4 6l4 4 4-4";
    EDIT = "M10.7 2.6l2.7 2.7-8 8-3.4.7.7-3.4zM9.2 4.1l2.7 2.7";
    EXIT = "M6.5 2.25H3.25a1 1 0 0 0-1 1v9.5a1 1 0 0 0 1 1H6.5M10.5 11l3-3-3-3M13.5 8h-7";
    EXPAND = "M8 6.2V2M5.8 4 8 1.8 10.2 4M8 9.8V14M5.8 12 8 14.2l2.2-2.2M3 8h10";
    EYE = "M1.6 8S3.8 3.7 8 3.7 14.4 8 14.4 8 12.2 12.3 8 12.3 1.6 8 1.6 8zM6.1 8a1.9 1.9 0 1 1 3.8 0 1.9 1.9 0 1 1-3.8 0z";
    FAIL = "M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4zM6 6l4 4M10 6l-4 4";
    FILE = "M4 1.75h5l3.25 3.25v9.25H4zM9 1.75V5h3.25";
    FILTER = "M2 4h12M4.5 8h7M6.5 12h3";
    FOLD = "M8 1.5v4M6 3.7l2 2 2-2M8 14.5v-4M6 12.3l2-2 2 2M2.5 8h11";
    FOLDER = "M1.75 4.25a1 1 0 0 1 1-1h3.4l1.5 1.7h5.6a1 1 0 0 1 1 1v6.3a1 1 0 0 1-1 1H2.75a1 1 0 0 1-1-1z";
    GEAR = "M2 4.5h5.2M11 4.5h3M2 11.5h3M8.8 11.5H14M7.2 4.5a1.9 1.9 0 1 1 3.8 0 1.9 1.9 0 1 1-3.8 0zM5 11.5a1.9 1.9 0 1 1 3.8 0 1.9 1.9 0 1 1-3.8 0z";
    GLOBE = "M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0zM1.75 8h12.5M8 1.75c2.2 2 2.2 10.5 0 12.5M8 1.75c-2.2 2-2.2 10.5 0 12.5";
    HALF = "M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0z" + r#"<path fill="currentColor" stroke="none" d="M8 4.6a3.4 3.4 0 0 1 0 6.8z"/>"#;
    HOME = "M2 7.4 8 2.2l6 5.2M3.5 6.4v7.4h9V6.4M6.5 13.6V9.5h3v4.1";
    IDLE = "M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0z";
    KBD = "M3.25 3.75h9.5a1.75 1.75 0 0 1 1.75 1.75v5a1.75 1.75 0 0 1-1.75 1.75h-9.5a1.75 1.75 0 0 1-1.75-1.75v-5a1.75 1.75 0 0 1 1.75-1.75zM4.3 6.7v.01M6.8 6.7v.01M9.3 6.7v.01M11.8 6.7v.01M5.2 9.5h5.6";
    KEY = "M1.9 11a3.1 3.1 0 1 1 6.2 0 3.1 3.1 0 1 1-6.2 0zM7.3 8.7l6-6M10.7 5.3l2 2";
    LAYERS = "M8 1.9l6.2 3.3L8 8.5 1.8 5.2zM2.3 8.2l5.7 3 5.7-3M2.3 11l5.7 3 5.7-3";
    LINK = "M6.8 9.2a2.7 2.7 0 0 0 3.8 0l2.3-2.3a2.7 2.7 0 0 0-3.8-3.8l-1 1M9.2 6.8a2.7 2.7 0 0 0-3.8 0L3.1 9.1a2.7 2.7 0 0 0 3.8 3.8l1-1";
    LEFT = "M10 4l-4 4 4 4";
    LIST = "M1.9 4.2l1.2 1.2 2-2.3M1.9 10.7l1.2 1.2 2-2.3M7.7 4.6h6.4M7.7 11.1h6.4";
    LOCK = "M4.75 7h6.5a1.75 1.75 0 0 1 1.75 1.75v3.5a1.75 1.75 0 0 1-1.75 1.75h-6.5a1.75 1.75 0 0 1-1.75-1.75v-3.5a1.75 1.75 0 0 1 1.75-1.75zM5 7V5a3 3 0 0 1 6 0v2";
    LOST = "M8 5.2v3.2M8 10.8v.01" + r#"<path stroke-dasharray="2.2 2.7" d="M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0z"/>"#;
    MARK = "M5 1.5h6a3.5 3.5 0 0 1 3.5 3.5v6a3.5 3.5 0 0 1-3.5 3.5h-6a3.5 3.5 0 0 1-3.5-3.5v-6a3.5 3.5 0 0 1 3.5-3.5zM5.7 5.5v4.2M8 5.5v5.2M10.3 5.5v2.5";
    MARKDOWN = "M2.5 3.25h11a1 1 0 0 1 1 1v7.5a1 1 0 0 1-1 1h-11a1 1 0 0 1-1-1v-7.5a1 1 0 0 1 1-1zM4 10V6l1.9 2.2L7.8 6v4M11.3 6v4M9.7 8.5l1.6 1.6 1.6-1.6";
    MORE = "M2.9 8a.3.3 0 1 1 .6 0 .3.3 0 1 1-.6 0zM7.7 8a.3.3 0 1 1 .6 0 .3.3 0 1 1-.6 0zM12.5 8a.3.3 0 1 1 .6 0 .3.3 0 1 1-.6 0z";
    NEEDS = "M8 2.2 14.4 13.3H1.6zM8 6.5v3M8 11.4v.01";
    PANEL = "M3.75 2.75h8.5a2 2 0 0 1 2 2v6.5a2 2 0 0 1-2 2h-8.5a2 2 0 0 1-2-2v-6.5a2 2 0 0 1 2-2zM9.8 2.8v10.4";
    PHONE = "M5 1.75h6a1 1 0 0 1 1 1v10.5a1 1 0 0 1-1 1H5a1 1 0 0 1-1-1V2.75a1 1 0 0 1 1-1zM7 12h2";
    PIN = "M5.5 2h5M6.25 2v4.5L4 9.25h8L9.75 6.5V2M8 9.25V14";
    PLUG = "M5.5 1.9v3.2M10.5 1.9v3.2M3.5 5.1h9v2.4a4.5 4.5 0 0 1-9 0zM8 12v2.2";
    PLUS = "M8 3v10M3 8h10";
    PRINT = "M4.5 6V2h7v4M4.5 11.5h-2a1 1 0 0 1-1-1V7a1 1 0 0 1 1-1h11a1 1 0 0 1 1 1v3.5a1 1 0 0 1-1 1h-2M4.5 9.5h7V14h-7z";
    REFRESH = "M13.6 3v3.2h-3.2M2.4 13V9.8h3.2M13.3 6.2A5.6 5.6 0 0 0 3.2 5.2M2.7 9.8a5.6 5.6 0 0 0 10.1 1";
    SAVE = "M8 2.2v7.6M4.8 6.8 8 10l3.2-3.2M2.5 13.5h11";
    SEARCH = "M2.25 7a4.75 4.75 0 1 1 9.5 0 4.75 4.75 0 1 1-9.5 0zM10.6 10.6l3.4 3.4";
    SPLIT = "M3.75 2.75h8.5a2 2 0 0 1 2 2v6.5a2 2 0 0 1-2 2h-8.5a2 2 0 0 1-2-2v-6.5a2 2 0 0 1 2-2zM8 2.8v10.4";
    STOP = "M5.5 4h5a1.5 1.5 0 0 1 1.5 1.5v5a1.5 1.5 0 0 1-1.5 1.5h-5a1.5 1.5 0 0 1-1.5-1.5v-5a1.5 1.5 0 0 1 1.5-1.5z";
    SUB = "M2.15 3.6a1.85 1.85 0 1 1 3.7 0 1.85 1.85 0 1 1-3.7 0zM10.15 12.4a1.85 1.85 0 1 1 3.7 0 1.85 1.85 0 1 1-3.7 0zM4 5.5v3.4a3.5 3.5 0 0 0 3.5 3.5h2.6";
    SUN = "M5.2 8a2.8 2.8 0 1 1 5.6 0 2.8 2.8 0 1 1-5.6 0zM8 1.3v1.5M8 13.2v1.5M1.3 8h1.5M13.2 8h1.5M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1";
    TABLE = "M2 2.75h12v10.5H2zM2 6.25h12M2 9.75h12M6 6.25v7";
    TERM = "M3.75 2.75h8.5a2 2 0 0 1 2 2v6.5a2 2 0 0 1-2 2h-8.5a2 2 0 0 1-2-2v-6.5a2 2 0 0 1 2-2zM4.7 6l2 2-2 2M8.6 10.2h2.8";
    THINK = "M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0zM5 8a.2.2 0 1 1 .4 0 .2.2 0 1 1-.4 0zM7.8 8a.2.2 0 1 1 .4 0 .2.2 0 1 1-.4 0zM10.6 8a.2.2 0 1 1 .4 0 .2.2 0 1 1-.4 0z";
    TOOL = "M13.9 4.7l-2.2 2.2-2.1-.5-.5-2.1 2.2-2.2a3.7 3.7 0 0 0-4.9 4.6L2.3 10.8a1.75 1.75 0 0 0 0 2.5l.4.4a1.75 1.75 0 0 0 2.5 0l4.1-4.1a3.7 3.7 0 0 0 4.6-4.9z";
    TRASH = "M2.8 4.3h10.4M6 4.3V2.5h4v1.8M4.2 4.3l.6 9.4h6.4l.6-9.4";
    UNDO = "M5 3 2.2 5.8 5 8.6M2.5 5.8h7a4 4 0 0 1 0 8H6";
    UNIFIED = "M3.75 2.75h8.5a2 2 0 0 1 2 2v6.5a2 2 0 0 1-2 2h-8.5a2 2 0 0 1-2-2v-6.5a2 2 0 0 1 2-2zM1.8 8h12.4";
    UP = "M8 13.2V2.8M3.6 7.2 8 2.8l4.4 4.4";
    USER = "M5.2 5.2a2.8 2.8 0 1 1 5.6 0 2.8 2.8 0 1 1-5.6 0zM2.7 14c.4-3 2.5-4.5 5.3-4.5s4.9 1.5 5.3 4.5";
    WORK = "M8 1.75A6.25 6.25 0 0 1 14.25 8" + r#"<path opacity=".28" d="M1.75 8a6.25 6.25 0 1 1 12.5 0 6.25 6.25 0 1 1-12.5 0z"/>"#;
    X = "M4 4l8 8M12 4l-8 8";
}
