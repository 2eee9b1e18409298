//! FILE: files by name, with what can be shown of them: pictures, players, the first lines of texts. Bytes come from
//! our own address only.

use super::{Card, parts::Acts, tool_call::first};
use crate::figures::counted;
use crate::html::Html;
use crate::icon::{Glyph, Icon, Size};
use crate::markdown::code_block;
use crate::visible;
use api::Route as _;
use api::contract::GetBlob;
use leptos::prelude::*;
use model::{
    Payload, Role, Status,
    message_type::action::SELECTED,
    message_type::file::{self, FileItem, FileState, Preview, size_text},
};

/// Maximum number of lines and bytes of a shown text.
const LINES: usize = 12;
const BYTES: usize = 4 * 1024;

#[component]
pub fn File(card: Card, file: file::File) -> impl IntoView {
    let class = card.voice_class();
    let content = card.draft().content.trim();
    let named = file.files.iter().any(|item| item.name == content);
    let said = !content.is_empty() && !named && content != file.to_markdown().trim() && content != file.summary();
    let draw = if card.draft().role == Role::User { Card::typed } else { Card::prose };
    let caption = said.then(|| view! { <div class="prose">{draw(&card, content).into_view()}</div> });
    let actions: Vec<_> = (0..file.files.len()).map(|number| actions(&card, &file, number)).collect();
    let files = file.files.into_iter().zip(actions);
    let files: Vec<_> = files
        .map(|(item, actions)| {
            let shown = shown(&card, &item);
            let class = shown.is_some().then_some("wide");
            view! { <li class=class>{one(item)} {shown} {actions}</li> }
        })
        .collect();
    view! {
        <div class=class>
            {caption}
            <ul class="files" role="list">
                {files}
            </ul>
            <Acts card />
        </div>
    }
}

/// The buttons of a file, else what a person chose of them. `frontend::decisions` sends the form.
fn actions(card: &Card, file: &file::File, number: usize) -> Option<AnyView> {
    let item = file.files.get(number).filter(|item| !item.actions.is_empty())?;
    if let Some(chosen) = file.chosen(card.draft().metadata.as_ref(), number) {
        let name = visible::phrase(chosen.name());
        let line = view! {
            <p class="cap chosen" data-state="done">
                <Icon glyph=Glyph::CHECK size=Size::Small />
                <span>{SELECTED}<b>{name.into_view()}</b></span>
            </p>
        };
        return Some(line.into_any());
    }
    // Where no agent listens they can't be pressed.
    let answers = card.options.answers && !card.printed() && card.draft().status != Status::Retracted;
    let buttons: Vec<_> = item
        .actions
        .iter()
        .map(|action| {
            let value = format!("{number}:{}", action.id);
            view! {
                <button type="submit" name="option" value=value class="btn tiny" disabled=!answers>
                    <span>{visible::phrase(action.name()).into_view()}</span>
                </button>
            }
        })
        .collect();
    let id = card.draft().id.to_string();
    let view = view! {
        <form class="answer file-actions" data-decide=id data-shown=card.entry.shown_sha256.clone()>
            <fieldset data-asks="" aria-label=format!("Actions for {}", item.name)>
                <p class="cap" role="alert" data-problem="" hidden></p>
                <p class="cap fg-warn only-kept">"Can't be answered while offline"</p>
                <div class="actions">{buttons}</div>
            </fieldset>
        </form>
    };
    Some(view.into_any())
}

/// Returns the content below the name: a player, or the first lines.
fn shown(card: &Card, item: &FileItem) -> Option<AnyView> {
    let address = address(item).filter(|_| item.state == FileState::Ready)?;
    let name = item.name.clone();
    // On paper nothing plays.
    let plays = !card.printed();
    match item.preview()? {
        Preview::Audio if plays => {
            Some(view! { <audio controls preload="none" src=address aria-label=format!("Audio {name}")></audio> }.into_any())
        }
        Preview::Video if plays => Some(
            view! { <video controls playsinline preload="none" src=address aria-label=format!("Video {name}")></video> }
                .into_any(),
        ),
        Preview::Text => {
            let text = card.options.texts.get(item.digest()?)?;
            let text = text.trim_end();
            let (lines, left) = first(text, LINES, BYTES);
            let note = (left > 0).then(|| {
                let count = counted(lines.lines().count() as i64, "line");
                view! { <p class="cap">{format!("First {count}")}</p> }
            });
            let mut html = Html::new();
            code_block(&mut html, &item.ending().unwrap_or_default(), lines);
            Some(view! { {html.into_view()} {note} }.into_any())
        }
        Preview::Image | Preview::Pdf | Preview::Audio | Preview::Video => None,
    }
}

fn one(item: FileItem) -> AnyView {
    // A broken file can still be saved.
    let address = address(&item).filter(|_| item.state != FileState::Processing);
    let preview = item.preview().filter(|_| item.state == FileState::Ready);
    // By their names alone browsers open none.
    let opens = Preview::of(&item.mime).is_some_and(|(is, _)| Some(is) == preview)
        && matches!(preview, Some(Preview::Image | Preview::Pdf | Preview::Text));
    let thumb = match &address {
        Some(address) if preview == Some(Preview::Image) => {
            view! { <img class="thumb" src=address.clone() alt=format!("Picture {}", item.name) loading="lazy" decoding="async" /> }.into_any()
        }
        _ => {
            let glyph = match item.state {
                FileState::Ready if address.is_some() => Glyph::FILE,
                FileState::Processing => Glyph::CLOCK,
                FileState::Error => Glyph::FAIL,
                FileState::Ready => Glyph::LOST,
            };
            view! {
                <span class="thumb">
                    <Icon glyph />
                </span>
            }
            .into_any()
        }
    };
    let note = match (&item.error, item.state, &address) {
        (Some(error), ..) => Some(error.clone()),
        (None, FileState::Processing, _) => Some("Being processed".to_owned()),
        (None, FileState::Error, _) => Some("Failed".to_owned()),
        (None, FileState::Ready, None) => Some("Not in the transcript".to_owned()),
        (None, FileState::Ready, Some(_)) => None,
    };
    let facts = match note {
        Some(note) => {
            let class = if item.state == FileState::Error { "cap fg-err" } else { "cap" };
            view! { <span class=class>{visible::html(&note).into_view()}</span> }.into_any()
        }
        None => {
            view! { <span class="cap">{visible::html(&format!("{} · {}", kind(&item.mime), size_text(item.size))).into_view()}</span> }.into_any()
        }
    };
    let words = view! {
        <span>
            <span class="cut" title=item.name.clone()>
                {visible::html(&item.name).into_view()}
            </span>
            {facts}
        </span>
    };
    match address {
        Some(address) if opens => {
            let save = format!("Download {}", item.name);
            view! {
                <span class="fileline">
                    <a class="filecard" href=address.clone() target="_blank" rel="noopener">
                        {thumb}
                        {words}
                    </a>
                    <a class="btn quiet tiny icon" href=address download=saved_as(&item.name) title=save.clone() aria-label=save>
                        <Icon glyph=Glyph::SAVE />
                    </a>
                </span>
            }
            .into_any()
        }
        Some(address) => view! {
            <a class="filecard" href=address download=saved_as(&item.name)>
                {thumb}
                {words}
            </a>
        }
        .into_any(),
        None => view! { <span class="filecard">{thumb} {words}</span> }.into_any(),
    }
}

/// The name without its folders.
fn saved_as(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// Where the bytes are read.
fn address(item: &FileItem) -> Option<String> {
    item.digest().map(|digest| GetBlob.path([digest]))
}

/// `image/png` as `PNG`, `text/plain` as `Text`.
fn kind(mime: &str) -> String {
    match mime.split_once('/') {
        Some(("text", "plain")) => "Text".to_owned(),
        Some((_, kind)) if !kind.is_empty() => kind.to_uppercase(),
        _ => "File".to_owned(),
    }
}
