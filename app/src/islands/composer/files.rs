//! Files that go with a message: chosen, pasted or dropped, and uploaded at once.

use super::{Attached, Composing};
use crate::browser::{dom, storage};
use api::blobs::{BlobMade, MOST_BYTES};
use api::contract::UploadBlob;
use api::transport::upload::Upload;
use api::{Problem, Route as _, json};
use leptos::ev::{ClipboardEvent, DragEvent};
use leptos::prelude::*;
use model::message_type::file::{FileItem, FileState};
use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use wasm_bindgen::JsCast;
use wasm_bindgen_futures::JsFuture;
use web_sys::{DataTransfer, Event, File, FileList, HtmlInputElement};

/// A file that isn't on the server, and its upload while that goes on.
struct Local {
    file: File,
    upload: Option<Upload>,
}

thread_local! {
    static KEYS: Cell<u32> = const { Cell::new(0) };
    /// By the key of what is attached.
    static LOCAL: RefCell<HashMap<u32, Local>> = RefCell::default();
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

/// Files among what was pasted. Text goes its own way.
pub fn pasted(state: Composing, event: &ClipboardEvent) {
    if let Some(files) = event.clipboard_data().and_then(|data| given(&data)) {
        event.prevent_default();
        add(state, Some(files));
    }
}

/// Takes files that are dropped anywhere on the page: a browser would leave the page for them.
pub fn listen(state: Composing) {
    let Some(document) = dom::document() else { return };
    dom::listen(&document, "dragover", move |event: DragEvent| {
        if holds_files(&event) {
            event.prevent_default();
            state.dragged.set(true);
        }
    });
    dom::listen(&document, "dragleave", move |event: DragEvent| {
        // Out of the window, and not from one element to the next.
        if event.related_target().is_none() {
            state.dragged.set(false);
        }
    });
    dom::listen(&document, "drop", move |event: DragEvent| {
        state.dragged.set(false);
        if holds_files(&event) {
            event.prevent_default();
            add(state, event.data_transfer().and_then(|data| given(&data)));
        }
    });
}

fn holds_files(event: &DragEvent) -> bool {
    event.data_transfer().is_some_and(|data| data.types().includes(&"Files".into(), 0))
}

fn given(data: &DataTransfer) -> Option<FileList> {
    data.files().filter(|files| files.length() > 0)
}

fn add(state: Composing, files: Option<FileList>) {
    let Some(files) = files else { return };
    let files = (0..files.length()).filter_map(|n| files.get(n));
    let keys: Vec<u32> = files
        .map(|file| {
            let key = attach(state, described(&file));
            LOCAL.with_borrow_mut(|all| all.insert(key, Local { file, upload: None }));
            key
        })
        .collect();
    // One after the other: the server takes few at a time.
    wasm_bindgen_futures::spawn_local(async move {
        for key in keys {
            run(state, key).await;
        }
    });
}

/// Uploads a file once more that didn't come through.
pub fn retry(state: Composing, key: u32) {
    change(state, key, |attached| {
        attached.progress.set(0);
        attached.retries = false;
        attached.file.error = None;
        attached.file.state = FileState::Processing;
    });
    focus();
    wasm_bindgen_futures::spawn_local(run(state, key));
}

/// Lets a file go. Its upload ends.
pub fn remove(state: Composing, key: u32) {
    let local = LOCAL.with_borrow_mut(|all| all.remove(&key));
    if let Some(upload) = local.and_then(|local| local.upload) {
        upload.abort();
    }
    state.attached.update(|all| all.retain(|attached| attached.key != key));
    keep(state);
    focus();
}

/// The button that was pressed goes.
fn focus() {
    if let Some(field) = dom::by_id("say").as_ref().and_then(dom::html) {
        let _ = field.focus();
    }
}

fn change(state: Composing, key: u32, change: impl FnOnce(&mut Attached)) {
    state.attached.update(|all| {
        if let Some(attached) = all.iter_mut().find(|attached| attached.key == key) {
            change(attached);
        }
    });
}

/// Uploads a file, unless it was let go.
async fn run(state: Composing, key: u32) {
    let Some(file) = LOCAL.with_borrow(|all| all.get(&key).map(|local| local.file.clone())) else { return };
    let done = upload(state, key, &file).await;
    // It may have been let go meanwhile.
    if !state.attached.with_untracked(|all| all.iter().any(|attached| attached.key == key)) {
        return;
    }
    match done {
        Ok(made) => {
            LOCAL.with_borrow_mut(|all| all.remove(&key));
            dom::announce(&format!("{} is attached", file.name()));
            change(state, key, |attached| {
                attached.file.blob = Some(made.blob);
                attached.file.state = FileState::Ready;
            });
        }
        Err(problem) => {
            dom::announce(&format!("{} is not attached: {}", file.name(), problem.title));
            change(state, key, |attached| {
                attached.file.error = Some(problem.title);
                attached.file.state = FileState::Error;
                attached.retries = problem.status == 0 || problem.status == 429 || problem.status >= 500;
            });
        }
    }
    keep(state);
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
    let attached = Attached { key, file, progress: RwSignal::new(0), retries: false };
    state.attached.update(|all| all.push(attached));
    key
}

async fn upload(state: Composing, key: u32, file: &File) -> Result<BlobMade, Problem> {
    if dom::kept_at().is_some() {
        return Err(Problem::outside(400, "offline", "Can't be attached while offline"));
    }
    if file.size() > MOST_BYTES as f64 {
        let limit = format!("Larger than {} MiB. Attach a part of it, or compress it", MOST_BYTES >> 20);
        return Err(Problem::outside(413, "too_large", limit));
    }
    // A folder has a size, and fails only when it is read.
    let is_read = match file.slice_with_i32_and_i32(0, 1) {
        Ok(start) => JsFuture::from(start.array_buffer()).await.is_ok(),
        Err(_) => false,
    };
    if !is_read {
        return Err(Problem::outside(400, "unreadable", "Can't be read. To attach a folder, attach its files"));
    }
    if file.size() == 0.0 {
        return Err(Problem::outside(400, "empty", "The file is empty"));
    }
    let upload = Upload::new()?;
    LOCAL.with_borrow_mut(|all| {
        if let Some(local) = all.get_mut(&key) {
            local.upload = Some(upload.clone());
        }
    });
    let progress = state.attached.with_untracked(|all| Some(all.iter().find(|one| one.key == key)?.progress));
    let Some(progress) = progress else { return Err(Problem::transport("Cancelled")) };
    let answer = upload.send(UploadBlob::PATH, file, move |percent| progress.set(percent)).await?;
    if answer.status >= 400 {
        return Err(answer.problem());
    }
    json::read(&answer.body).map_err(|_| Problem::transport("The server's response is invalid"))
}
