//! Where a person writes to the agent. What was sent stands above the field until the server has it; what couldn't be
//! sent stays there, to be sent again. Both outlive the page, as a draft does.

use crate::icon::{Glyph, Icon, Motion, Size};
use leptos::prelude::*;
use model::message_type::file::{FileItem, FileState, size_text};

/// A message on its way.
#[derive(Clone, PartialEq)]
struct Outgoing {
    /// Ours, so that sending it again can't double it.
    id: String,
    text: String,
    files: Vec<FileItem>,
    /// The question that it answers.
    reply_to: Option<String>,
    /// When it was written, in milliseconds since 1970: what was written first goes first.
    at: f64,
    /// Why it wasn't sent; None while it is being sent, or waits for those before it.
    problem: Option<Unsent>,
}

#[derive(Clone, PartialEq)]
struct Unsent {
    words: String,
    /// The server wasn't there: once it is, it is sent without being asked for. Else it was refused.
    lost: bool,
}

/// A file that goes along. It is uploaded as soon as it is chosen.
#[derive(Clone, PartialEq)]
struct Attached {
    key: u32,
    file: FileItem,
    /// Percentage that the server has.
    progress: RwSignal<u8>,
    /// It failed, and may come through if it is uploaded again.
    retries: bool,
}

/// State of the composer. Fields that only the browser reads are public.
#[derive(Clone, Copy)]
pub struct Composing {
    pub session: StoredValue<String>,
    text: RwSignal<String>,
    attached: RwSignal<Vec<Attached>>,
    /// Files are dragged over the page.
    dragged: RwSignal<bool>,
    outgoing: RwSignal<Vec<Outgoing>>,
    /// One of them is being sent: the others wait, so that none overtakes another.
    pub sending: StoredValue<bool>,
    /// How often in a row the server wasn't reached, and whether the next try has its time already.
    pub retry: StoredValue<(u32, bool)>,
    /// The text as the transcript would show it, while that is asked for.
    preview: RwSignal<Option<String>>,
    /// The question that this page answered last: what is written next only follows.
    pub answered: StoredValue<Option<String>>,
}

/// Stands in the dock below the transcript.
#[island(lazy)]
pub fn Composer(session: String, agent: String, way: String) -> impl IntoView {
    super::wake();
    let state = Composing {
        session: StoredValue::new(session),
        text: RwSignal::new(String::new()),
        attached: RwSignal::new(Vec::new()),
        dragged: RwSignal::new(false),
        outgoing: RwSignal::new(Vec::new()),
        sending: StoredValue::new(false),
        retry: StoredValue::new((0, false)),
        preview: RwSignal::new(None),
        answered: StoredValue::new(None),
    };
    let shown = NodeRef::<leptos::html::Div>::new();
    browser::start(state, shown);
    let strips = move || state.outgoing.get().into_iter().map(|message| strip(state, message)).collect::<Vec<_>>();
    let previews = move || state.preview.with(Option::is_some);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        browser::send(state);
    };
    let pressed = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            browser::send(state);
        }
    };
    let typed = move |event| {
        state.text.set(event_target_value(&event));
        browser::keep(state);
    };
    let look = move |_| {
        browser::preview(state);
    };
    let chosen = move |event: leptos::ev::Event| {
        files::chosen(state, &event);
    };
    let pasted = move |event: leptos::ev::ClipboardEvent| {
        files::pasted(state, &event);
    };
    let empty = move || state.text.with(|text| model::text::is_blank(text));
    let idle = move || {
        let (ready, busy) = state.attached.with(|all| (has(all, FileState::Ready), has(all, FileState::Processing)));
        busy || (empty() && !ready)
    };
    let attached = move || {
        let list = state.attached.get().into_iter().map(|attached| chip(state, attached)).collect::<Vec<_>>();
        (!list.is_empty()).then(|| view! { <ul class="attached" role="list" aria-label="Attached files">{list}</ul> })
    };
    let placeholder = format!("Message {agent}");
    view! {
        <form class="composer" aria-label="Message to the agent" on:submit=submit on:keydown=pressed>
            <div aria-live="polite">{strips}</div>
            <div class="box" data-dragged=move || state.dragged.get().then_some("")>
                {attached}
                <label class="sr" for="say">"Message"</label>
                <textarea
                    id="say" dir="auto" rows="1" placeholder=placeholder aria-keyshortcuts="Control+Enter" hidden=previews
                    prop:value=move || state.text.get() on:input=typed on:paste=pasted
                ></textarea>
                <p class="drop" aria-hidden="true">"Drop files to attach them"</p>
                <div class="prose preview" node_ref=shown hidden=move || !previews()></div>
                <fieldset data-asks="" role="none"><div class="tools">
                    <label class="btn quiet icon attach" title="Attach files">
                        <Icon glyph=Glyph::CLIP/>
                        <input type="file" multiple class="sr" aria-label="Attach files" on:change=chosen/>
                    </label>
                    <button type="button" class="btn quiet" aria-pressed=move || previews().to_string() disabled=empty on:click=look>
                        {move || if previews() { "Write" } else { "Preview" }}
                    </button>
                    <span class="cap hide-narrow only-live">{way}</span>
                    <span class="cap fg-warn only-kept">"You are offline. The draft stays here."</span>
                    <button type="submit" class="btn primary" disabled=idle>"Send"<kbd>"Ctrl ↵"</kbd></button>
                </div></fieldset>
            </div>
        </form>
    }
}

fn strip(state: Composing, message: Outgoing) -> impl IntoView {
    let Outgoing { id, text, files, problem, .. } = message;
    let said = match (text.is_empty(), &*files) {
        (true, files) => files.iter().map(|file| &*file.name).collect::<Vec<_>>().join(", "),
        (false, []) => text,
        (false, files) => format!("{text} ({})", crate::figures::counted(files.len() as i64, "file")),
    };
    let failed = problem.is_some();
    let word = problem.map_or_else(|| "Sending".to_owned(), |problem| problem.words);
    let (again, drop) = (id.clone(), id);
    let retry = move |_| {
        browser::resend(state, &again);
    };
    let discard = move |_| {
        browser::done(state, &drop);
    };
    view! {
        <div class="strip" data-state=if failed { "failed" } else { "working" }>
            <span class="cap">{word}</span>
            <span class="cut grow" dir="auto">{said}</span>
            {failed
                .then(|| {
                    view! {
                        <button type="button" class="btn tiny" on:click=retry>"Send again"</button>
                        <button type="button" class="btn quiet tiny" on:click=discard>"Discard"</button>
                    }
                })}
        </div>
    }
}

fn has(all: &[Attached], state: FileState) -> bool {
    all.iter().any(|attached| attached.file.state == state)
}

/// A file with what became of it, and the way to let it go.
fn chip(state: Composing, attached: Attached) -> impl IntoView {
    let Attached { key, file, progress, retries } = attached;
    let (tag, glyph, motion) = match file.state {
        FileState::Processing => ("working", Glyph::WORK, Motion::Spins),
        FileState::Ready => ("done", Glyph::FILE, Motion::None),
        FileState::Error => ("failed", Glyph::FAIL, Motion::None),
    };
    let is_under_way = file.state == FileState::Processing;
    // A number of its own, so that what has the focus stays as it counts.
    let note = match (file.state, file.error) {
        (FileState::Processing, _) => view! {
            <span class="cap num">{move || format!("{} %", progress.get())}</span>
            <span class="meter"><span class="bar-fill" style=move || format!("--v:{}", progress.get())></span></span>
        }
        .into_any(),
        (FileState::Error, why) => {
            view! { <span class="cap">{why.unwrap_or_else(|| "Failed".to_owned())}</span> }.into_any()
        }
        (FileState::Ready, _) => view! { <span class="cap">{size_text(file.size)}</span> }.into_any(),
    };
    let remove = format!("{} {}", if is_under_way { "Cancel" } else { "Remove" }, file.name);
    let gone = move |_| {
        files::remove(state, key);
    };
    let again = move |_| {
        files::retry(state, key);
    };
    view! {
        <li data-state=tag>
            <Icon glyph size=Size::Small motion/>
            <span class="cut" title=file.name.clone()>{file.name.clone()}</span>
            {note}
            {retries.then(|| view! { <button type="button" class="btn tiny" on:click=again>"Try again"</button> })}
            <button type="button" class="btn quiet tiny icon" aria-label=remove.clone() title=remove on:click=gone><Icon glyph=Glyph::X size=Size::Small/></button>
        </li>
    }
}

in_browser! {
    browser {
        fn start(super::Composing, leptos::prelude::NodeRef<leptos::html::Div>);
        fn send(super::Composing);
        fn keep(super::Composing);
        fn preview(super::Composing);
        fn resend(super::Composing, &str);
        fn done(super::Composing, &str);
    }
    files {
        fn chosen(super::Composing, &leptos::ev::Event);
        fn pasted(super::Composing, &leptos::ev::ClipboardEvent);
        fn remove(super::Composing, u32);
        fn retry(super::Composing, u32);
    }
}
