//! Where a person writes to the agent. What was sent stands above the field until the server has it; what couldn't be
//! sent stays there, to be sent again. Both outlive the page, as a draft does.

use leptos::prelude::*;

/// A message on its way.
#[derive(Clone, PartialEq)]
struct Outgoing {
    /// Ours, so that sending it again can't double it.
    id: String,
    text: String,
    /// Why it wasn't sent; None while it is being sent.
    problem: Option<String>,
}

#[derive(Clone, Copy)]
struct Composing {
    #[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only the browser sends"))]
    session: StoredValue<String>,
    text: RwSignal<String>,
    outgoing: RwSignal<Vec<Outgoing>>,
    /// The text as the transcript would show it, while that is asked for.
    preview: RwSignal<Option<String>>,
}

/// Stands in the dock below the transcript.
#[island(lazy)]
pub fn Composer(session: String, agent: String) -> impl IntoView {
    let state = Composing {
        session: StoredValue::new(session),
        text: RwSignal::new(String::new()),
        outgoing: RwSignal::new(Vec::new()),
        preview: RwSignal::new(None),
    };
    let shown = NodeRef::<leptos::html::Div>::new();
    #[cfg(feature = "hydrate")]
    browser::start(state, shown);
    let strips = move || state.outgoing.get().into_iter().map(|message| strip(state, message)).collect::<Vec<_>>();
    let previews = move || state.preview.with(Option::is_some);
    let submit = move |event: leptos::ev::SubmitEvent| {
        event.prevent_default();
        #[cfg(feature = "hydrate")]
        browser::send(state);
    };
    let pressed = move |event: leptos::ev::KeyboardEvent| {
        if event.key() == "Enter" && (event.ctrl_key() || event.meta_key()) {
            event.prevent_default();
            #[cfg(feature = "hydrate")]
            browser::send(state);
        }
    };
    let typed = move |event| {
        state.text.set(event_target_value(&event));
        #[cfg(feature = "hydrate")]
        browser::keep(state);
    };
    let look = move |_| {
        #[cfg(feature = "hydrate")]
        browser::preview(state);
    };
    let empty = move || state.text.with(|text| text.trim().is_empty());
    let placeholder = format!("Message {agent}");
    view! {
        <form class="composer" aria-label="Message to the agent" on:submit=submit>
            <div aria-live="polite">{strips}</div>
            <div class="box">
                <label class="sr" for="say">"Message"</label>
                <textarea
                    id="say" rows="1" placeholder=placeholder aria-keyshortcuts="Control+Enter" hidden=previews
                    prop:value=move || state.text.get() on:input=typed on:keydown=pressed
                ></textarea>
                <div class="prose preview" node_ref=shown hidden=move || !previews()></div>
                <fieldset data-asks="" role="none"><div class="tools">
                    <button type="button" class="btn quiet" aria-pressed=move || previews().to_string() disabled=empty on:click=look>
                        {move || if previews() { "Write" } else { "Preview" }}
                    </button>
                    <span class="cap hide-narrow only-live">"The agent gets it with its next call"</span>
                    <span class="cap fg-warn only-kept">"Can't be sent while offline. The draft stays here."</span>
                    <button type="submit" class="btn primary" disabled=empty>"Send"<kbd>"Ctrl ↵"</kbd></button>
                </div></fieldset>
            </div>
        </form>
    }
}

fn strip(state: Composing, message: Outgoing) -> impl IntoView {
    let Outgoing { id, text, problem } = message;
    let failed = problem.is_some();
    let word = problem.unwrap_or_else(|| "Sending".to_owned());
    let (again, drop) = (id.clone(), id);
    let retry = move |_| {
        #[cfg(feature = "hydrate")]
        browser::again(state, &again);
        #[cfg(not(feature = "hydrate"))]
        let _ = &again;
    };
    let discard = move |_| {
        #[cfg(feature = "hydrate")]
        browser::done(state, &drop);
        #[cfg(not(feature = "hydrate"))]
        let _ = (state, &drop);
    };
    view! {
        <div class="strip" data-state=if failed { "failed" } else { "working" }>
            <span class="cap">{word}</span>
            <span class="cut grow">{text}</span>
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

#[cfg(feature = "hydrate")]
mod browser;
