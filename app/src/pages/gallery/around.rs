//! Elements around messages that appear dynamically: toasts, parts that are loading, comments, the state of the
//! connection. Each state is drawn statically, with the browser's classes.

use crate::figures::counted;
use crate::html::Html;
use crate::icon::{Glyph, Icon, IconStyle, Size, markup};
use crate::islands::comments::note;
use crate::part::{Part, part};
use crate::shared::comments::{Comment, State};
use leptos::prelude::*;

/// Title of the part among the groups of messages.
pub const TITLE: &str = "Around messages";

pub fn around() -> Part {
    part! {
        {toasts()}
        {row("Not loaded yet", part! { <div class="chunk-gap" style="height:180px"></div> })}
        {row("Couldn't be loaded", part! {
            <div class="chunk-gap"><p class="failed" role="status"><span>"This part couldn't be loaded: the server doesn't respond"</span><button type="button" class="btn tiny">"Try again"</button></p></div>
        })}
        {comments()}
        {connection()}
    }
}

fn row(state: &'static str, shown: impl IntoView) -> Part {
    part! { <section class="gallery-row"><h2 class="cap">{state}</h2>{shown}</section> }
}

fn toasts() -> Part {
    let toast = |state: Option<&'static str>, words: &'static str, undo: bool| {
        let undo = undo.then(|| part! { <button type="button" class="btn tiny">"Undo"</button> });
        let close = Html::rendered(markup(Glyph::X, IconStyle::default()));
        part! {
            <div class="toast" data-state=state><p>{words}</p>{undo}<button type="button" class="btn quiet tiny icon" aria-label="Close">{close.into_view()}</button></div>
        }
    };
    part! {
        {row("Toast", toast(None, "Copied", false))}
        {row("Toast, with the way back", toast(None, "Archived: Fix the login race", true))}
        {row("Toast of a failure, which stays", toast(Some("failed"), "Not archived: the server doesn't answer", false))}
    }
}

fn comments() -> Part {
    let draft = Comment {
        id: 0,
        path: String::new(),
        side: 'R',
        from: 12,
        to: 15,
        edit: None,
        quote: "let token = refresh(&store)?;".to_owned(),
        text: "Does this hold the lock for longer than it has to?".to_owned(),
        state: State::Draft,
        remark: None,
    };
    let note = |state: State, lost: bool| {
        part! { {note(Comment { state, ..draft.clone() }, lost, None, || false, |_| {})} }
    };
    part! {
        {row("Comment, a draft", note(State::Draft, false))}
        {row("Comment, sent to the agent", note(State::Sent, false))}
        {row("Comment, resolved", note(State::Resolved, false))}
        {row("Comment, its lines have changed since", note(State::Sent, true))}
    }
}

fn connection() -> Part {
    let states = ["Connecting", "Live", "Reconnecting", "Offline", "Catching up"].map(|word| {
        let tag = if word == "Live" { "done" } else { "idle" };
        part! { <span class="state" data-state=tag><Icon glyph=Glyph::PLUG size=Size::Small/><span>{word}</span></span> }
    });
    let behind = format!("Catching up: {} behind", counted(12, "change"));
    let notices = [
        "No response since 14:02, attempt 3. Newer messages appear when the connection is back.",
        "Offline since 14:02. Newer messages appear when the connection is back.",
        "Offline: as of 21 Nov, 14:02. The page updates automatically when the server responds.",
        behind.as_str(),
    ];
    let notices = notices.map(|words| part! { <p class="link-notice">{words.to_owned()}</p> });
    part! {
        {row("Connection", part! { <p class="gallery-states">{states.into_iter().collect::<Vec<_>>()}</p> })}
        {row("What a page that isn't live says", part! { <div class="gallery-notices">{notices.into_iter().collect::<Vec<_>>()}</div> })}
    }
}
