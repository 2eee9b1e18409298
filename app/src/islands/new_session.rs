//! The form of a new session: which agent, in which folder, with which prompt.

use api::driving::Agents;
use leptos::prelude::*;

#[derive(Clone, Copy)]
struct Form {
    agent: RwSignal<String>,
    folder: RwSignal<String>,
    prompt: RwSignal<String>,
    mode: RwSignal<String>,
    busy: RwSignal<bool>,
    /// Why it wasn't started: the field that is wrong (`/folder`; empty if none is), and the words.
    problem: RwSignal<Option<(String, String)>>,
}

/// Stands on its own page.
#[island(lazy)]
pub fn NewSession(agents: Agents) -> impl IntoView {
    super::wake();
    let first = agents.agents.iter().find(|agent| agent.installed).or(agents.agents.first());
    let form = Form {
        agent: RwSignal::new(first.map(|agent| agent.name.clone()).unwrap_or_default()),
        folder: RwSignal::new(agents.folders.first().cloned().unwrap_or_default()),
        prompt: RwSignal::new(String::new()),
        mode: RwSignal::new(String::new()),
        busy: RwSignal::new(false),
        problem: RwSignal::new(None),
    };
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        browser::start(form);
    };
    let pressed = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            browser::start(form);
        }
    };
    browser::follow(form);
    let cancel = move |_| {
        browser::go_back();
    };
    let folders =
        agents.folders.iter().cloned().map(|folder| view! { <option value=folder></option> }).collect::<Vec<_>>();
    let names = agents
        .agents
        .iter()
        .map(|agent| {
            let label = if agent.installed { agent.title.clone() } else { format!("{} (not installed)", agent.title) };
            view! { <option value=agent.name.clone()>{label}</option> }
        })
        .collect::<Vec<_>>();
    let all = StoredValue::new(agents.agents);
    let modes = move || {
        let name = form.agent.get();
        let modes = all.with_value(|all| all.iter().find(|agent| agent.name == name).map(|agent| agent.modes.clone()));
        let option = |mode: String| {
            let value = mode.clone();
            view! { <option value=value>{mode}</option> }
        };
        modes.unwrap_or_default().into_iter().map(option).collect::<Vec<_>>()
    };
    let wrong =
        move |field: &'static str| move || form.problem.with(|it| it.as_ref().is_some_and(|(of, _)| of == field));
    let note = move |field: &'static str| {
        move || {
            let words =
                form.problem.with(|it| it.as_ref().filter(|(of, _)| of == field).map(|(_, words)| words.clone()));
            words.map(|words| view! { <p class="cap fg-warn" id=format!("wrong{}", field.replace('/', "-")) role="alert">{words}</p> })
        }
    };
    let recent = agents.folders.into_iter().take(5).map(|folder| {
        let chosen = folder.clone();
        view! { <button type="button" class="btn quiet tiny" on:click=move |_| form.folder.set(chosen.clone())>{folder}</button> }
    });
    let recent = recent.collect::<Vec<_>>();
    let invalid = move |field: &'static str| move || wrong(field)().then_some("true");
    view! {
        <form class="new-session" aria-label="New session" on:submit=submit on:keydown=pressed>
            <label for="new-agent">"Agent"</label>
            <select id="new-agent" aria-invalid=invalid("/agent") aria-describedby="wrong-agent" on:change=move |event| form.agent.set(event_target_value(&event))>{names}</select>
            {note("/agent")}
            <label for="new-folder">"Folder"</label>
            <input id="new-folder" type="text" list="new-folders" required autocomplete="off" spellcheck="false" placeholder="/home/you/project"
                aria-invalid=invalid("/folder") aria-describedby="wrong-folder folder-help"
                prop:value=move || form.folder.get() on:input=move |event| form.folder.set(event_target_value(&event))/>
            <datalist id="new-folders">{folders}</datalist>
            {note("/folder")}
            <div class="recent" aria-label="Recent folders" role="group">{recent}</div>
            <p class="cap" id="folder-help">"The agent's working folder on the server's machine. Verbatim reads its transcripts from then on."</p>
            <label for="new-prompt">"Prompt"</label>
            <textarea id="new-prompt" dir="auto" rows="5" placeholder="What should the agent do? Without a prompt, it waits for one."
                prop:value=move || form.prompt.get() on:input=move |event| form.prompt.set(event_target_value(&event))></textarea>
            {note("/prompt")}
            <label for="new-mode">"Mode"</label>
            <select id="new-mode" aria-invalid=invalid("/mode") aria-describedby="wrong-mode" on:change=move |event| form.mode.set(event_target_value(&event))>{modes}</select>
            {note("/mode")}
            {note("")}
            <div class="actions">
                <button type="submit" class="btn primary" disabled=move || form.busy.get()>
                    {move || if form.busy.get() { "Starting" } else { "Start" }}<kbd>"Ctrl ↵"</kbd>
                </button>
                <button type="button" class="btn" title="Go back. Your text stays here" disabled=move || form.busy.get() on:click=cancel>
                    "Cancel"<kbd>"Esc"</kbd>
                </button>
            </div>
        </form>
    }
}

in_browser! {
    browser {
        fn start(super::Form);
        fn follow(super::Form);
        fn go_back();
    }
}
