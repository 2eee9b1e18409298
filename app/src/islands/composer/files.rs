//! Files that go with a message: chosen, pasted or dropped, and uploaded at once.

use super::{Attached, Composing};
use crate::browser::{dom, storage};
use api::blobs::{BlobMade, MOST_BYTES};
use api::contract::UploadBlob;
use api::transport::fetch;
use api::{Problem, Route as _, json};
use leptos::prelude::*;
use model::message_type::file::{FileItem, FileState};
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{DataTransfer, Event, File, FileList, HtmlInputElement};

thread_local! {
    static KEYS: Cell<u32> = const { Cell::new(0) };
}

/// Where files are kept that wait for their message.
fn place(state: Composing) -> String {
    format!("files:{}", state.session.get_value())
}

/// Takes up what an earlier page had.
pub fn restore(state: Composing) {
    let kept = storage::get(&place(state));
    let files: Vec<FileItem> = kept.and_then(|kept| json::read(kept.as_bytes()).ok()).unwrap_or_default();
    for file in files {
        attach(state, file);
    }
}

/// Keeps what is uploaded for the next page.
pub fn keep(state: Composing) {
    let files = ready(state);
    let kept = json::write(&files).ok().filter(|_| !files.is_empty());
    storage::set(&place(state), kept.as_deref());
}

/// Files that can go with a message.
pub fn ready(state: Composing) -> Vec<FileItem> {
    let all = state.attached.get_untracked();
    all.into_iter().map(|attached| attached.file).filter(|file| file.state == FileState::Ready).collect()
}

/// They went with a message. What failed stays to be seen.
pub fn sent(state: Composing) {
    state.attached.update(|all| all.retain(|attached| attached.file.state != FileState::Ready));
    keep(state);
}

pub fn chosen(state: Composing, event: &Event) {
    let Some(input) = event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok()) else { return };
    add(state, input.files());
    // The same file can be chosen again.
    input.set_value("");
}

/// What was pasted or dropped. Text goes its own way.
pub fn transferred(state: Composing, event: &Event, data: Option<DataTransfer>) {
    let Some(files) = data.and_then(|data| data.files()).filter(|files| files.length() > 0) else { return };
    event.prevent_default();
    add(state, Some(files));
}

fn add(state: Composing, files: Option<FileList>) {
    let Some(files) = files.filter(|_| dom::kept_at().is_none()) else { return };
    let files = (0..files.length()).filter_map(|n| files.get(n));
    let files: Vec<(u32, File)> = files.map(|file| (attach(state, described(&file)), file)).collect();
    // One after the other: the server takes few at a time.
    wasm_bindgen_futures::spawn_local(async move {
        for (key, file) in files {
            let done = upload(&file).await;
            state.attached.update(|all| {
                let Some(attached) = all.iter_mut().find(|attached| attached.key == key) else { return };
                match done {
                    Ok(made) => {
                        attached.file.blob = Some(made.blob);
                        attached.file.state = FileState::Ready;
                        dom::announce(&format!("{} is attached", attached.file.name));
                    }
                    Err(problem) => {
                        dom::announce(&format!("{} is not attached: {}", attached.file.name, problem.title));
                        attached.file.error = Some(problem.title);
                        attached.file.state = FileState::Error;
                    }
                }
            });
            keep(state);
        }
    });
}

fn described(file: &File) -> FileItem {
    FileItem {
        name: Some(file.name()).filter(|name| !name.is_empty()).unwrap_or_else(|| "file".to_owned()),
        mime: Some(file.type_())
            .filter(|mime| !mime.is_empty())
            .unwrap_or_else(|| "application/octet-stream".to_owned()),
        size: file.size() as u64,
        blob: None,
        state: FileState::Processing,
        error: None,
        actions: Vec::new(),
    }
}

fn attach(state: Composing, file: FileItem) -> u32 {
    let key = KEYS.get();
    KEYS.set(key.wrapping_add(1));
    state.attached.update(|all| all.push(Attached { key, file }));
    key
}

async fn upload(file: &File) -> Result<BlobMade, Problem> {
    if file.size() > MOST_BYTES as f64 {
        return Err(Problem::new(413, "too_large", format!("Larger than {} MiB", MOST_BYTES >> 20)));
    }
    if file.size() == 0.0 {
        return Err(Problem::new(400, "empty", "There is nothing in it"));
    }
    let answer = fetch::send_file(UploadBlob::PATH, &file.type_(), file.into()).await?;
    if answer.status >= 400 {
        return Err(api::client::refusal(&answer));
    }
    json::read(&answer.body).map_err(|_| Problem::transport("The server's answer can't be read"))
}
