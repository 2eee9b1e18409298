//! Icons: a sprite of symbols, emitted once a document, and the component that refers to it.

use leptos::prelude::*;

/// Writes the icons: the enum, their ids and their shapes.
macro_rules! icons {
    ($( $Name:ident = $id:literal $shape:literal; )*) => {
        /// An icon of the sprite: 16 px, drawn with a stroke in the colour of the text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Glyph { $( $Name, )* }

        impl Glyph {
            /// The `href` of the symbol: `#i-copy`.
            pub const fn href(self) -> &'static str {
                match self { $( Self::$Name => concat!("#i-", $id), )* }
            }

        }

        #[cfg(feature = "ssr")]
        const SPRITE: &str = concat!(
            "<svg hidden>",
            $( "<symbol id=\"i-", $id, "\" viewBox=\"0 0 16 16\">", $shape, "</symbol>", )*
            "</svg>"
        );
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
    /// 14 px and turning: something runs.
    Spinning,
}

impl Size {
    const fn class(self) -> &'static str {
        match self {
            Self::Normal => "i",
            Self::Small => "i sm",
            Self::Spinning => "i sm spin",
        }
    }
}

/// An icon beside its word. Give it a `label` only where no word stands beside it.
#[component]
pub fn Icon(
    glyph: Glyph,
    #[prop(optional)] size: Size,
    #[prop(optional_no_strip, into)] label: Option<&'static str>,
    /// Gives it the colour of a state.
    #[prop(optional_no_strip, into)]
    state: Option<&'static str>,
) -> impl IntoView {
    let hidden = label.is_none().then_some("true");
    let role = label.map(|_| "img");
    view! {
        <svg class=size.class() data-state=state aria-hidden=hidden role=role aria-label=label>
            <use href=glyph.href()></use>
        </svg>
    }
}

/// The symbols that icons refer to, once a document.
#[cfg(feature = "ssr")]
pub const fn sprite() -> &'static str {
    SPRITE
}

icons! {
    Ask = "ask" r#"<circle cx="8" cy="8" r="6.25"/><path d="M6.3 6.3a1.75 1.75 0 1 1 2.5 1.9c-.5.3-.8.6-.8 1.1M8 11.4v.01"/>"#;
    Bell = "bell" r#"<path d="M3.2 11.6c1-1.1 1.2-2.2 1.2-4.6a3.6 3.6 0 0 1 7.2 0c0 2.4.2 3.5 1.2 4.6zM6.6 13.9h2.8"/>"#;
    Branch = "branch" r#"<circle cx="4.5" cy="3.4" r="1.65"/><circle cx="4.5" cy="12.6" r="1.65"/><circle cx="11.5" cy="4.9" r="1.65"/><path d="M4.5 5.1v5.8M11.5 6.6c0 2.4-4 2-6.4 3.7"/>"#;
    Chart = "chart" r#"<path d="M2.5 2v11.5H14M5.5 10.5V8M8.5 10.5v-5M11.5 10.5V7"/>"#;
    Check = "check" r#"<path d="m3.5 8.5 3 3 6-7"/>"#;
    Chev = "chev" r#"<path d="m6 4 4 4-4 4"/>"#;
    Clip = "clip" r#"<path d="m13.4 7.3-5.5 5.5a3.4 3.4 0 0 1-4.8-4.8l5.7-5.7a2.3 2.3 0 0 1 3.2 3.2l-5.6 5.6a1.1 1.1 0 0 1-1.6-1.6l5-5"/>"#;
    Clock = "clock" r#"<circle cx="8" cy="8" r="6.25"/><path d="M8 4.5V8l2.3 1.5"/>"#;
    Code = "code" r#"<path d="m5 4.5-3.5 3.5L5 11.5M11 4.5l3.5 3.5-3.5 3.5M9.3 3 6.7 13"/>"#;
    Comment = "comment" r#"<path d="M2 3.5a1 1 0 0 1 1-1h10a1 1 0 0 1 1 1v6.8a1 1 0 0 1-1 1H8l-3.3 2.9v-2.9H3a1 1 0 0 1-1-1z"/>"#;
    Copy = "copy" r#"<rect x="5.25" y="5.25" width="9" height="9" rx="1.75"/><path d="M10.75 5.25V3a1.25 1.25 0 0 0-1.25-1.25H3A1.25 1.25 0 0 0 1.75 3v6.5A1.25 1.25 0 0 0 3 10.75h2.25"/>"#;
    Cut = "cut" r#"<circle cx="8" cy="8" r="6.25"/><path d="m3.8 12.2 8.4-8.4"/>"#;
    Db = "db" r#"<ellipse cx="8" cy="3.8" rx="5.5" ry="2"/><path d="M2.5 3.8v8.4c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2V3.8M2.5 8c0 1.1 2.5 2 5.5 2s5.5-.9 5.5-2"/>"#;
    Diff = "diff" r#"<rect x="2.25" y="1.75" width="11.5" height="12.5" rx="2"/><path d="M8 4.3v4M6 6.3h4M6 11.2h4"/>"#;
    Dn = "dn" r#"<path d="M8 2.8v10.4M3.6 8.8 8 13.2l4.4-4.4"/>"#;
    Done = "done" r#"<circle cx="8" cy="8" r="6.25"/><path d="m5.5 8.2 1.8 1.8 3.2-3.7"/>"#;
    Down = "down" r#"<path d="m4 6 4 4 4-4"/>"#;
    Edit = "edit" r#"<path d="m10.7 2.6 2.7 2.7-8 8-3.4.7.7-3.4z"/><path d="m9.2 4.1 2.7 2.7"/>"#;
    Exit = "exit" r#"<path d="M6.5 2.25H3.25a1 1 0 0 0-1 1v9.5a1 1 0 0 0 1 1H6.5M10.5 11l3-3-3-3M13.5 8h-7"/>"#;
    Expand = "expand" r#"<path d="M8 6.2V2M5.8 4 8 1.8 10.2 4M8 9.8V14M5.8 12 8 14.2l2.2-2.2M3 8h10"/>"#;
    Eye = "eye" r#"<path d="M1.6 8S3.8 3.7 8 3.7 14.4 8 14.4 8 12.2 12.3 8 12.3 1.6 8 1.6 8z"/><circle cx="8" cy="8" r="1.9"/>"#;
    Fail = "fail" r#"<path d="M5.4 1.75h5.2l3.65 3.65v5.2l-3.65 3.65H5.4L1.75 10.6V5.4z"/><path d="m6 6 4 4M10 6l-4 4"/>"#;
    File = "file" r#"<path d="M4 1.75h5l3.25 3.25v9.25H4z"/><path d="M9 1.75V5h3.25"/>"#;
    Filter = "filter" r#"<path d="M2 4h12M4.5 8h7M6.5 12h3"/>"#;
    Fold = "fold" r#"<path d="M8 1.5v4M6 3.7l2 2 2-2M8 14.5v-4M6 12.3l2-2 2 2M2.5 8h11"/>"#;
    Folder = "folder" r#"<path d="M1.75 4.25a1 1 0 0 1 1-1h3.4l1.5 1.7h5.6a1 1 0 0 1 1 1v6.3a1 1 0 0 1-1 1H2.75a1 1 0 0 1-1-1z"/>"#;
    Gear = "gear" r#"<path d="M2 4.5h5.2M11 4.5h3M2 11.5h3M8.8 11.5H14"/><circle cx="9.1" cy="4.5" r="1.9"/><circle cx="6.9" cy="11.5" r="1.9"/>"#;
    Globe = "globe" r#"<circle cx="8" cy="8" r="6.25"/><path d="M1.75 8h12.5M8 1.75c2.2 2 2.2 10.5 0 12.5M8 1.75c-2.2 2-2.2 10.5 0 12.5"/>"#;
    Half = "half" r#"<circle cx="8" cy="8" r="6.25"/><path d="M8 4.6a3.4 3.4 0 0 1 0 6.8z" fill="currentColor" stroke="none"/>"#;
    Home = "home" r#"<path d="M2 7.4 8 2.2l6 5.2M3.5 6.4v7.4h9V6.4M6.5 13.6V9.5h3v4.1"/>"#;
    Idle = "idle" r#"<circle cx="8" cy="8" r="6.25"/>"#;
    Kbd = "kbd" r#"<rect x="1.5" y="3.75" width="13" height="8.5" rx="1.75"/><path d="M4.3 6.7v.01M6.8 6.7v.01M9.3 6.7v.01M11.8 6.7v.01M5.2 9.5h5.6"/>"#;
    Key = "key" r#"<circle cx="5" cy="11" r="3.1"/><path d="m7.3 8.7 6-6M10.7 5.3l2 2"/>"#;
    Layers = "layers" r#"<path d="m8 1.9 6.2 3.3L8 8.5 1.8 5.2z"/><path d="m2.3 8.2 5.7 3 5.7-3M2.3 11l5.7 3 5.7-3"/>"#;
    Link = "link" r#"<path d="M6.8 9.2a2.7 2.7 0 0 0 3.8 0l2.3-2.3a2.7 2.7 0 0 0-3.8-3.8l-1 1M9.2 6.8a2.7 2.7 0 0 0-3.8 0L3.1 9.1a2.7 2.7 0 0 0 3.8 3.8l1-1"/>"#;
    List = "list" r#"<path d="m1.9 4.2 1.2 1.2 2-2.3M1.9 10.7l1.2 1.2 2-2.3M7.7 4.6h6.4M7.7 11.1h6.4"/>"#;
    Lock = "lock" r#"<rect x="3" y="7" width="10" height="7" rx="1.75"/><path d="M5 7V5a3 3 0 0 1 6 0v2"/>"#;
    Lost = "lost" r#"<circle cx="8" cy="8" r="6.25" stroke-dasharray="2.2 2.7"/><path d="M8 5.2v3.2M8 10.8v.01"/>"#;
    Mark = "mark" r#"<rect x="1.5" y="1.5" width="13" height="13" rx="3.5"/><path d="M5.7 5.5v4.2M8 5.5v5.2M10.3 5.5v2.5"/>"#;
    More = "more" r#"<path d="M3.2 8v.01M8 8v.01M12.8 8v.01" stroke-width="2.1"/>"#;
    Needs = "needs" r#"<path d="M8 2.2 14.4 13.3H1.6z"/><path d="M8 6.5v3M8 11.4v.01"/>"#;
    Panel = "panel" r#"<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="2"/><path d="M9.8 2.8v10.4"/>"#;
    Plug = "plug" r#"<path d="M5.5 1.9v3.2M10.5 1.9v3.2M3.5 5.1h9v2.4a4.5 4.5 0 0 1-9 0zM8 12v2.2"/>"#;
    Plus = "plus" r#"<path d="M8 3v10M3 8h10"/>"#;
    Refresh = "refresh" r#"<path d="M13.6 3v3.2h-3.2M2.4 13V9.8h3.2"/><path d="M13.3 6.2A5.6 5.6 0 0 0 3.2 5.2M2.7 9.8a5.6 5.6 0 0 0 10.1 1"/>"#;
    Search = "search" r#"<circle cx="7" cy="7" r="4.75"/><path d="m10.6 10.6 3.4 3.4"/>"#;
    Split = "split" r#"<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="2"/><path d="M8 2.8v10.4"/>"#;
    Stop = "stop" r#"<rect x="4" y="4" width="8" height="8" rx="1.5"/>"#;
    Sub = "sub" r#"<circle cx="4" cy="3.6" r="1.85"/><circle cx="12" cy="12.4" r="1.85"/><path d="M4 5.5v3.4a3.5 3.5 0 0 0 3.5 3.5h2.6"/>"#;
    Sun = "sun" r#"<circle cx="8" cy="8" r="2.8"/><path d="M8 1.3v1.5M8 13.2v1.5M1.3 8h1.5M13.2 8h1.5M3.3 3.3l1 1M11.7 11.7l1 1M3.3 12.7l1-1M11.7 4.3l1-1"/>"#;
    Term = "term" r#"<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="2"/><path d="m4.7 6 2 2-2 2M8.6 10.2h2.8"/>"#;
    Think = "think" r#"<circle cx="8" cy="8" r="6.25"/><path d="M5.2 8v.01M8 8v.01M10.8 8v.01" stroke-width="1.9"/>"#;
    Trash = "trash" r#"<path d="M2.8 4.3h10.4M6 4.3V2.5h4v1.8M4.2 4.3l.6 9.4h6.4l.6-9.4"/>"#;
    Undo = "undo" r#"<path d="M5 3 2.2 5.8 5 8.6M2.5 5.8h7a4 4 0 0 1 0 8H6"/>"#;
    Unified = "unified" r#"<rect x="1.75" y="2.75" width="12.5" height="10.5" rx="2"/><path d="M1.8 8h12.4"/>"#;
    Up = "up" r#"<path d="M8 13.2V2.8M3.6 7.2 8 2.8l4.4 4.4"/>"#;
    User = "user" r#"<circle cx="8" cy="5.2" r="2.8"/><path d="M2.7 14c.4-3 2.5-4.5 5.3-4.5s4.9 1.5 5.3 4.5"/>"#;
    Work = "work" r#"<circle cx="8" cy="8" r="6.25" opacity=".28"/><path d="M8 1.75A6.25 6.25 0 0 1 14.25 8"/>"#;
    X = "x" r#"<path d="m4 4 8 8M12 4l-8 8"/>"#;
}
