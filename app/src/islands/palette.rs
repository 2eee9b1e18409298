//! The palette: sessions, commands and files by a few letters. The server finds and ranks; what was typed, found and
//! chosen is here. `frontend` opens it, and `boot.js` brings it to life when the focus first enters it.

use crate::icon::{Glyph, Icon};
use crate::shared::palette::{Found, Group, Pieces, Requests, count};
use crate::shared::words::rotated;
use leptos::either::Either;
use leptos::ev;
use leptos::html::Dialog;
use leptos::prelude::*;
use leptos::tachys::html::InertElement;

#[derive(Clone, Copy)]
struct Palette {
    dialog: NodeRef<Dialog>,
    query: RwSignal<String>,
    /// None before the first answer, and after one that failed.
    found: RwSignal<Option<Vec<Group>>>,
    /// Number of the chosen option.
    chosen: RwSignal<Option<usize>>,
    requests: StoredValue<Requests>,
    /// The list for an empty query, shown at once when it opens again.
    #[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only the browser asks"))]
    recent: StoredValue<Option<Vec<Group>>>,
}

/// Stands on every page, closed.
#[island(lazy)]
pub fn CommandPalette() -> impl IntoView {
    super::wake();
    let palette = Palette {
        dialog: NodeRef::new(),
        query: RwSignal::new(String::new()),
        found: RwSignal::new(None),
        chosen: RwSignal::new(None),
        requests: StoredValue::new(Requests::default()),
        recent: StoredValue::new(None),
    };
    browser::start(palette);
    let typed = move |event| {
        palette.query.set(event_target_value(&event));
        browser::ask(palette);
    };
    let pressed = move |event: ev::KeyboardEvent| {
        match event.key().as_str() {
            "ArrowDown" => walk(palette, 1),
            "ArrowUp" => walk(palette, -1),
            "Enter" => {
                if palette.requests.try_update_value(Requests::enter) == Some(true) {
                    browser::choose(palette, palette.chosen.get_untracked());
                }
            }
            _ => return,
        }
        event.prevent_default();
    };
    // The backdrop around the palette is the dialog, too.
    let clicked = move |event: ev::MouseEvent| {
        if event.target() == event.current_target() {
            browser::close(palette);
        }
    };
    let active = move || palette.chosen.get().map(id);
    let list = move || palette.found.get().map(|groups| list(palette, groups));
    let hint = |key: &'static str, words: &'static str| view! { <span><kbd>{key}</kbd>{words}</span> };
    view! {
        <dialog id="palette" class="palette" aria-label="Search or jump to" node_ref=palette.dialog on:keydown=pressed on:click=clicked
            on:close=move |_| palette.requests.update_value(Requests::close)>
            <label class="field"><Icon glyph=Glyph::SEARCH/><span class="sr">"Search or jump to"</span>
                <input id="palette-field" dir="auto" role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list"
                    aria-activedescendant=active autocomplete="off" autocapitalize="off" spellcheck="false" placeholder="Sessions, commands, files"
                    prop:value=move || palette.query.get() on:input=typed/>
                <kbd>"Esc"</kbd></label>
            <div role="listbox" id="palette-list" aria-label="Results">{list}</div>
            <footer>{hint("\u{2191} \u{2193}", "move")}{hint("\u{21b5}", "open")}{hint(">", "commands")}{hint("#", "sessions")}{hint("@", "files")}</footer>
        </dialog>
    }
}

fn walk(palette: Palette, step: i32) {
    let count = palette.found.with_untracked(|found| found.as_deref().map_or(0, count));
    palette.chosen.update(|at| *at = rotated(*at, step, count));
}

fn id(number: usize) -> String {
    format!("option-{}", number + 1)
}

fn list(palette: Palette, groups: Vec<Group>) -> impl IntoView {
    let nothing =
        (count(&groups) == 0).then(|| view! { <p class="cap none" role="presentation">"Nothing matches"</p> });
    let mut numbers = 0..;
    let group = |Group { heading, options }: Group| {
        let options = options.into_iter().zip(numbers.by_ref()).map(|(found, number)| option(palette, found, number));
        let options = options.collect::<Vec<_>>();
        view! { <div role="group" aria-label=heading.clone()><p class="group-head" role="presentation">{heading.clone()}</p>{options}</div> }
    };
    let groups = groups.into_iter().map(group).collect::<Vec<_>>();
    view! { {groups}{nothing} }
}

fn option(palette: Palette, found: Found, number: usize) -> impl IntoView {
    let Found { icon, state, words, folder, beside, when, keys, .. } = found;
    let selected = move || (palette.chosen.get() == Some(number)).to_string();
    let folder = folder.map(|folder| view! { <span class="cap cut folder"><bdi>{pieces(folder)}</bdi></span> });
    let beside = (!beside.is_empty()).then(|| view! { <span class="cap cut about-it" dir="auto">{beside}</span> });
    let when = when.map(|when| view! { <span class="cap num">{when}</span> });
    let keys = keys.into_iter().map(|keys| view! { <kbd>{keys}</kbd> }).collect::<Vec<_>>();
    view! {
        <div role="option" id=id(number) aria-selected=selected data-state=state on:click=move |_| browser::choose(palette, Some(number))>
            {InertElement::new(icon)}<span class="cut" dir="auto">{pieces(words)}</span>{folder}{beside}{when}" "{keys}
        </div>
    }
}

/// A text with `<mark>` around what was typed.
fn pieces(pieces: Pieces) -> impl IntoView {
    let piece = |(text, typed): (String, bool)| {
        if typed { Either::Left(view! { <mark>{text}</mark> }) } else { Either::Right(text) }
    };
    pieces.into_iter().map(piece).collect::<Vec<_>>()
}

in_browser! {
    browser {
        fn start(super::Palette);
        fn ask(super::Palette);
        fn choose(super::Palette, Option<usize>);
        fn close(super::Palette);
    }
}
