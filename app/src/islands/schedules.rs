//! Actions on schedules: the form for a new one, and the buttons of each.

use crate::session_field::session_field;
use api::schedules::ScheduleState;
use leptos::prelude::*;

#[derive(Clone, Copy)]
struct Form {
    session: RwSignal<String>,
    prompt: RwSignal<String>,
    /// `cron` or `at`.
    kind: RwSignal<String>,
    cron: RwSignal<String>,
    at: RwSignal<String>,
    zone: RwSignal<String>,
    busy: RwSignal<bool>,
    /// Why it wasn't made: the field that is wrong (`/cron`; empty if none is), and the words.
    problem: RwSignal<Option<(String, String)>>,
}

/// The form that makes a schedule. `sessions` are ids and titles; `zone` is the reader's.
#[island(lazy)]
pub fn NewSchedule(sessions: Vec<(String, String)>, zone: String) -> impl IntoView {
    super::wake();
    let form = Form {
        session: RwSignal::new(sessions.first().map(|(id, _)| id.clone()).unwrap_or_default()),
        prompt: RwSignal::new(String::new()),
        kind: RwSignal::new("cron".to_owned()),
        cron: RwSignal::new(String::new()),
        at: RwSignal::new(String::new()),
        zone: RwSignal::new(zone),
        busy: RwSignal::new(false),
        problem: RwSignal::new(None),
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        browser::create(form);
    };
    let sessions = sessions.into_iter().map(|(id, title)| view! { <option value=id>{title}</option> });
    let sessions = sessions.collect::<Vec<_>>();
    let wrong =
        move |field: &'static str| move || form.problem.with(|it| it.as_ref().is_some_and(|(of, _)| of == field));
    let invalid = move |field: &'static str| move || wrong(field)().then_some("true");
    let note = move |field: &'static str| {
        move || {
            let words =
                form.problem.with(|it| it.as_ref().filter(|(of, _)| of == field).map(|(_, words)| words.clone()));
            words.map(|words| view! { <p class="cap fg-warn" id=format!("wrong{}", field.replace('/', "-")) role="alert">{words}</p> })
        }
    };
    let drawn = NodeRef::<leptos::html::Form>::new();
    browser::follow(drawn);
    let list = view! {
        <select id="schedule-session" aria-invalid=invalid("/session") aria-describedby="wrong-session" on:change=move |event| form.session.set(event_target_value(&event))>{sessions}</select>
    };
    let is_once = move || form.kind.with(|kind| kind == "at");
    view! {
        <form class="new-session" aria-label="New schedule" node_ref=drawn on:submit=submit>
            <label for="schedule-session">"Session"</label>
            {session_field("Find a session".to_owned(), list)}
            {note("/session")}
            <label for="schedule-prompt">"Prompt"</label>
            <textarea id="schedule-prompt" dir="auto" rows="3" placeholder="What should the agent do?" aria-invalid=invalid("/prompt") aria-describedby="wrong-prompt"
                prop:value=move || form.prompt.get() on:input=move |event| form.prompt.set(event_target_value(&event))></textarea>
            {note("/prompt")}
            <label for="schedule-kind">"When"</label>
            <select id="schedule-kind" on:change=move |event| form.kind.set(event_target_value(&event))>
                <option value="cron">"Repeatedly"</option>
                <option value="at">"Once"</option>
            </select>
            <div hidden=is_once>
                <label for="schedule-cron">"Cron expression"</label>
                <input id="schedule-cron" type="text" autocomplete="off" spellcheck="false" placeholder="0 9 * * 1-5" aria-invalid=invalid("/cron") aria-describedby="wrong-cron cron-help"
                    prop:value=move || form.cron.get() on:input=move |event| form.cron.set(event_target_value(&event))/>
                {note("/cron")}
                <p class="cap" id="cron-help">"Minute, hour, day of month, month, day of week. "<code>"0 9 * * 1-5"</code>" means 9:00, Monday to Friday; "<code>"*/30 * * * *"</code>" every half hour."</p>
            </div>
            <div hidden=move || !is_once()>
                <label for="schedule-at">"Day and time"</label>
                <input id="schedule-at" type="datetime-local" aria-invalid=invalid("/at") aria-describedby="wrong-at"
                    prop:value=move || form.at.get() on:input=move |event| form.at.set(event_target_value(&event))/>
                {note("/at")}
            </div>
            <label for="schedule-zone">"Time zone"</label>
            <input id="schedule-zone" type="text" autocomplete="off" spellcheck="false" placeholder="Europe/Berlin" aria-invalid=invalid("/zone") aria-describedby="wrong-zone"
                prop:value=move || form.zone.get() on:input=move |event| form.zone.set(event_target_value(&event))/>
            {note("/zone")}
            {note("")}
            <fieldset data-asks="" role="none">
                <p class="cap fg-warn only-kept">"Can't be made while offline"</p>
                <div class="actions">
                    <button type="submit" class="btn primary" disabled=move || form.busy.get()>
                        {move || if form.busy.get() { "Adding" } else { "Add schedule" }}
                    </button>
                </div>
            </fieldset>
        </form>
    }
}

/// Action of a button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wish {
    Run,
    Pause,
    Resume,
    Remove,
    Restore,
}

/// State of a row. Fields that only the browser reads are public.
#[derive(Clone, Copy)]
pub struct Row {
    pub id: StoredValue<String>,
    removed: RwSignal<bool>,
    busy: RwSignal<bool>,
    /// The result or the error.
    said: RwSignal<Option<String>>,
}

/// The buttons of a schedule; `name` tells it from the others.
#[island(lazy)]
pub fn ScheduleActions(id: String, name: String, state: ScheduleState) -> impl IntoView {
    super::wake();
    let row = Row {
        id: StoredValue::new(id),
        removed: RwSignal::new(false),
        busy: RwSignal::new(false),
        said: RwSignal::new(None),
    };
    let button = move |wish: Wish, label: &'static str, hidden: Signal<bool>| {
        let click = move |_| browser::act(row, wish);
        let name = format!(" {name}");
        view! {
            <button type="button" class="btn quiet tiny" hidden=hidden disabled=move || row.busy.get() on:click=click>{label}<span class="sr">{name}</span></button>
        }
    };
    let removed = Signal::derive(move || row.removed.get());
    let is_not = move |wanted: ScheduleState| Signal::derive(move || row.removed.get() || state != wanted);
    view! {
        <fieldset data-asks="" role="none"><div class="actions">
            {button.clone()(Wish::Run, "Run now", removed)}
            {button.clone()(Wish::Pause, "Pause", is_not(ScheduleState::Active))}
            {button.clone()(Wish::Resume, "Resume", is_not(ScheduleState::Paused))}
            {button.clone()(Wish::Remove, "Remove", removed)}
            {button(Wish::Restore, "Undo", Signal::derive(move || !row.removed.get()))}
            <span class="cap" role="status">{move || row.said.get()}</span>
        </div></fieldset>
    }
}

in_browser! {
    browser {
        fn follow(leptos::prelude::NodeRef<leptos::html::Form>);
        fn create(super::Form);
        fn act(super::Row, super::Wish);
    }
}
