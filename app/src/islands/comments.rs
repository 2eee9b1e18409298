//! Comments on lines of the changes page: a comment, the field for one, and the button that sends the drafts. They
//! stand in rows that the server drew and the page replaces, so that what they know is kept outside of the rows, in
//! `Comments`. `frontend::changes` finds their places, and loads this part when there is a comment or one is begun.

use crate::shared::comments::{Comment, State};
use leptos::either::Either;
use leptos::ev;
use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::tachys::html::InertElement;

#[cfg(feature = "hydrate")]
mod browser;
#[cfg(feature = "hydrate")]
pub use browser::{At, Comments, Page};

/// Draws a comment. `lost` says that its lines aren't where they were. `remark` is the HTML of a comment of a review.
pub fn note(
    comment: Comment,
    lost: bool,
    remark: Option<String>,
    busy: impl Fn() -> bool + Copy + Send + Sync + 'static,
    press: impl Fn(&'static str) + Copy + 'static,
) -> impl IntoView {
    let outdated = comment.is_outdated(lost);
    let waits = comment.remark.as_ref().is_some_and(|remark| remark.review.shown_sha256.is_some()).then_some("");
    let button = |verb: &&'static str| {
        let verb = *verb;
        let (words, class) = match verb {
            "edit" => ("Edit", "btn quiet tiny"),
            "delete" => ("Delete", "btn quiet tiny"),
            "accept" => ("Accept suggestion", "btn tiny"),
            "resolve" => ("Resolve", "btn quiet tiny"),
            _ => ("Reopen", "btn quiet tiny"),
        };
        view! { <button type="button" class=class disabled=busy on:click=move |_| press(verb)>{words}</button> }
    };
    let buttons = comment.verbs(outdated).iter().map(button).collect::<Vec<_>>();
    let quote = (lost && !comment.quote.is_empty())
        .then(|| view! { <pre class="note-quote" tabindex="0">{comment.quote.clone()}</pre> });
    let text = if let Some(html) = remark {
        Either::Left(InertElement::new(html))
    } else {
        let class = if comment.state == State::Resolved { "lines mut" } else { "lines" };
        Either::Right(view! { <p class=class>{comment.text.clone()}</p> })
    };
    view! {
        <div class="note" data-id=comment.id.to_string() data-state=comment.colour(outdated) data-waits=waits>
            <div class="note-head"><b class="state">{comment.word(outdated)}</b><span class="cap num">{comment.lines().label()}</span><span class="sp"></span>{buttons}</div>
            {quote}{text}
        </div>
    }
}

/// Draws the field for a comment on lines, `R12-15`. It stands in a template first, so that letters find it at once.
pub fn field(
    lines: String,
    area: NodeRef<Textarea>,
    text: impl Fn() -> String + Copy + Send + Sync + 'static,
    typed: impl Fn(String) + Copy + 'static,
    press: impl Fn(&'static str) + Copy + 'static,
) -> impl IntoView {
    let label = format!("Comment on {lines}");
    let pressed = move |event: ev::KeyboardEvent| {
        match event.key().as_str() {
            "Enter" if event.ctrl_key() || event.meta_key() => press("add"),
            "Escape" => press("leave"),
            _ => return,
        }
        event.prevent_default();
        event.stop_propagation();
    };
    view! {
        <div class="note writing-note" on:keydown=pressed>
            <textarea rows="2" dir="auto" node_ref=area aria-label=label.clone() placeholder=format!("{label}. It is kept until you send it.")
                prop:value=text on:input=move |event| typed(event_target_value(&event))></textarea>
            <div class="note-foot"><button type="button" class="btn primary tiny" on:click=move |_| press("add")>"Add comment"</button>
                <button type="button" class="btn quiet tiny" on:click=move |_| press("cancel")>"Cancel"</button><span class="sp"></span>
                <button type="button" class="btn quiet tiny" data-note="link">"Copy link"</button>
                <button type="button" class="btn quiet tiny" data-note="editor">"Open in the editor"</button></div>
        </div>
    }
}

/// Draws the button that sends the drafts: where an agent hears, to that, and else to the clipboard.
pub fn sender(
    class: String,
    hears: bool,
    drafts: impl Fn() -> usize + Copy + Send + Sync + 'static,
    busy: impl Fn() -> bool + Copy + Send + Sync + 'static,
    send: impl Fn(ev::MouseEvent) + Copy + 'static,
) -> impl IntoView {
    let words = move || {
        let (does, count) = (if hears { "Send" } else { "Copy" }, drafts());
        format!("{does} {count} comment{}", if count == 1 { "" } else { "s" })
    };
    view! { <button type="button" class=class data-review="send" hidden=move || drafts() == 0 disabled=busy on:click=send>{words}</button> }
}
