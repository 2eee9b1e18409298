//! FILE: files by name, images with a thumbnail. Bytes come from our own address only.

use super::{Card, parts::Acts};
use crate::icon::{Glyph, Icon, Size};
use crate::visible;
use leptos::prelude::*;
use model::{
    Payload, Role, Status,
    message_type::action::SELECTED,
    message_type::file::{self, FileItem, FileState, size_text},
};

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
    let files: Vec<_> = files.map(|(item, actions)| view! { <li>{one(item)} {actions}</li> }).collect();
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

fn one(item: FileItem) -> AnyView {
    // A broken file can still be saved.
    let address = item.blob.as_deref().and_then(address).filter(|_| item.state != FileState::Processing);
    let is_shown = item.state == FileState::Ready && shown_as_image(&item.mime);
    let thumb = match &address {
        Some(address) if is_shown => {
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
        Some(address) if is_shown => view! {
            <a class="filecard" href=address target="_blank" rel="noopener">
                {thumb}
                {words}
            </a>
        }
        .into_any(),
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

/// Where the bytes are read. Only a digest in hex makes an address.
fn address(blob: &str) -> Option<String> {
    let digest = blob.strip_prefix("sha256:").unwrap_or(blob);
    let is_digest = digest.len() == 64 && digest.bytes().all(|b| b.is_ascii_hexdigit());
    is_digest.then(|| format!("/v1/blobs/{digest}"))
}

/// Formats that every browser draws and that hold no script.
fn shown_as_image(mime: &str) -> bool {
    matches!(mime, "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/avif")
}

/// `image/png` as `PNG`, `text/plain` as `Text`.
fn kind(mime: &str) -> String {
    match mime.split_once('/') {
        Some(("text", "plain")) => "Text".to_owned(),
        Some((_, kind)) if !kind.is_empty() => kind.to_uppercase(),
        _ => "File".to_owned(),
    }
}
