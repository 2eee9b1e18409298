//! The agent of a session, where the server started it, joined it, or can go on with it: what it does, who holds it, what
//! it writes at the moment, and what a person can do with it. Its messages are in the transcript.

use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use api::driving::{AgentAbility, AgentChoice, AgentHolder, AgentNotice, AgentState, DrivenAgent, WaitingMessage};
use leptos::prelude::*;
use model::Micros;

/// Characters of a growing text that are shown: its end.
const SHOWN: usize = 1_200;

#[derive(Clone, Copy)]
struct Bar {
    #[cfg_attr(not(feature = "hydrate"), expect(dead_code, reason = "only the browser asks"))]
    session: StoredValue<String>,
    agent: RwSignal<DrivenAgent>,
    /// A request is on its way.
    busy: RwSignal<bool>,
    /// Why the last one was refused.
    problem: RwSignal<Option<String>>,
}

/// Something that a button does.
#[derive(Debug, Clone, PartialEq)]
enum Wish {
    Interrupt,
    Steer,
    End,
    Join,
    Leave,
    Resume,
    Fork,
    Mode(String),
    Model(String),
    /// Dismisses the notices up to this one.
    Dismiss(i64),
    /// Takes back the message with this id, which waits.
    Withdraw(String),
    /// Shows the page with a field to write in.
    Write,
}

/// Stands above the composer.
#[island(lazy)]
pub fn AgentBar(agent: DrivenAgent) -> impl IntoView {
    super::wake();
    let bar = Bar {
        session: StoredValue::new(agent.session.clone()),
        agent: RwSignal::new(agent),
        busy: RwSignal::new(false),
        problem: RwSignal::new(None),
    };
    #[cfg(feature = "hydrate")]
    browser::start(bar);
    // The page was opened before the terminal took messages.
    let writes = move || can(bar, AgentAbility::Write) && !has_composer();
    let write = view! {
        <button type="button" class="btn tiny" title="Reload the page with a field to write in" hidden=move || !writes() on:click=move |_| act(bar, Wish::Write)>"Write"</button>
    };
    let button = move |wish: Wish, label: &'static str, title: &'static str, ability: AgentAbility| {
        let click = move |_| act(bar, wish.clone());
        let hidden = move || !can(bar, ability) || ability == AgentAbility::End && starts(bar);
        view! {
            <button type="button" class="btn tiny" title=title hidden=hidden disabled=move || bar.busy.get() on:click=click>{label}</button>
        }
    };
    // Also while the request that starts it waits.
    let cancel = view! {
        <button type="button" class="btn tiny" title="Cancel the start" hidden=move || !(can(bar, AgentAbility::End) && starts(bar)) on:click=move |_| act(bar, Wish::End)>"Cancel"</button>
    };
    let growing = move || {
        let texts = bar.agent.with(|agent| agent.growing.clone());
        let text = |text: api::driving::GrowingText| {
            let kind = if text.thought { "Thinking" } else { "Writing" };
            view! { <div class="growing" data-thought=text.thought.then_some("")><span class="cap">{kind}</span><p dir="auto">{end_of(&text.text)}</p></div> }
        };
        texts.into_iter().map(text).collect::<Vec<_>>()
    };
    let tokens = move || {
        let tokens = bar.agent.with(|agent| agent.tokens);
        (tokens > 0).then(|| view! { <span class="cap num" title="Uncached tokens of this turn so far">{format!("{} tokens", figures::count(tokens))}</span> })
    };
    let said = move || {
        let words = bar.problem.get().or_else(|| bar.agent.with(|agent| agent.reason.clone()));
        let words = words.or_else(|| current(bar).map(|notice| notice.text));
        words.map(|words| view! { <p class="cap fg-warn" dir="auto">{words}</p> })
    };
    let modes = choice(bar, "Mode", |agent| (agent.modes.clone(), agent.mode.clone()), Wish::Mode);
    let models = choice(bar, "Model", |agent| (agent.models.clone(), agent.model.clone()), Wish::Model);
    view! {
        <section class="agent-bar" aria-label="The agent">
            <div aria-live="off">{growing}</div>
            <div class="said"><div role="status">{said}</div>{dismissal(bar)}</div>
            {way(bar)}
            {waiting(bar)}
            {all_notices(bar)}
            <fieldset data-asks="" role="none"><div class="strip">
                {move || mark(bar.agent.with(|agent| (agent.state, agent.held_by)))}
                {tokens}
                <span class="sp"></span>
                {modes}
                {models}
                {button(Wish::Steer, "Send now", "Pass on what you wrote now, during the agent's turn. Otherwise it gets it after the turn", AgentAbility::Steer)}
                {button(Wish::Interrupt, "Interrupt", "Interrupt the agent (Escape twice)", AgentAbility::Interrupt)}
                {button(Wish::End, "End", "End the agent. The session can be resumed", AgentAbility::End)}
                {cancel}
                {write}
                {button(Wish::Leave, "Leave", "Leave the agent to its terminal, where it goes on", AgentAbility::Leave)}
                {button(Wish::Join, "Join", "Write to the agent in its terminal from here", AgentAbility::Join)}
                {button(Wish::Resume, "Resume", "Restart the agent in this session", AgentAbility::Resume)}
                {button(Wish::Fork, "Fork", "Start the agent in a new session that begins with a copy of this one", AgentAbility::Fork)}
            </div></fieldset>
        </section>
    }
}

fn can(bar: Bar, ability: AgentAbility) -> bool {
    bar.agent.with(|agent| agent.can(ability))
}

fn starts(bar: Bar) -> bool {
    bar.agent.with(|agent| agent.state == AgentState::Starting)
}

fn has_composer() -> bool {
    #[cfg(feature = "hydrate")]
    return crate::browser::dom::by_id("say").is_some();
    #[cfg(not(feature = "hydrate"))]
    true
}

/// How a message reaches an agent in its own terminal.
fn way(bar: Bar) -> impl IntoView {
    let words = move || match bar.agent.with(|agent| (agent.state, agent.held_by)) {
        (AgentState::Terminal, _) => {
            "Your message goes to the terminal as a note. Claude is told that you didn't type it there, and that it permits nothing."
        }
        (AgentState::TerminalBusy, _) => {
            "Your message waits for the end of the turn. It then goes to the terminal as a note that permits nothing."
        }
        (AgentState::Starting, Some(AgentHolder::Both)) => {
            "The connection to the agent was lost, and is made again. Your message waits."
        }
        (AgentState::Working | AgentState::Waiting, Some(AgentHolder::Both)) => {
            "Runs in its terminal and here, by the agent's own background server. The first answer counts. Your message waits for the end of the turn."
        }
        (_, Some(AgentHolder::Both)) => {
            "Runs in its terminal and here, by the agent's own background server. Your message goes there as if you typed it."
        }
        _ => "",
    };
    view! { <p class="cap" role="status" hidden=move || words().is_empty()>{words}</p> }
}

/// The messages that the agent in its own terminal hasn't taken yet.
fn waiting(bar: Bar) -> impl IntoView {
    let waiting = move || bar.agent.with(|agent| agent.waiting.clone());
    let line = move |WaitingMessage { id, text }: WaitingMessage| {
        let withdraw = move |_| act(bar, Wish::Withdraw(id.clone()));
        view! {
            <div class="strip">
                <span class="cap">{move || if bar.agent.with(|agent| agent.state.is_busy()) { "Waits for the end of the turn" } else { "Waits" }}</span>
                <span class="cut grow" dir="auto">{text}</span>
                <button type="button" class="btn tiny" title="Take this message back: the agent won't get it" disabled=move || bar.busy.get() on:click=withdraw>"Withdraw"</button>
            </div>
        }
    };
    view! { <div><For each=waiting key=|message| message.id.clone() children=line/></div> }
}

/// Returns the notice that the bar shows; None while it shows a problem or the reason of the end.
fn current(bar: Bar) -> Option<AgentNotice> {
    let is_shown = bar.problem.with(Option::is_none) && bar.agent.with(|agent| agent.reason.is_none());
    bar.agent.with(|agent| agent.notices.iter().rev().find(|notice| notice.current).filter(|_| is_shown).cloned())
}

/// When the notice came, and what takes it away. Beside it, so that the age isn't announced again and again.
fn dismissal(bar: Bar) -> impl IntoView {
    let shown = move || current(bar).into_iter().collect::<Vec<_>>();
    let beside = move |AgentNotice { id, at, .. }: AgentNotice| {
        view! {
            {moment(at)}
            <button type="button" class="btn quiet tiny" title="Dismiss this notice" disabled=move || bar.busy.get() on:click=move |_| act(bar, Wish::Dismiss(id))>"Dismiss"</button>
        }
    };
    view! { <For each=shown key=|notice| notice.id children=beside/> }
}

/// All that is known, the latest first: also what was dismissed, or is of an earlier turn.
fn all_notices(bar: Bar) -> impl IntoView {
    let notices = move || bar.agent.with(|agent| agent.notices.iter().rev().cloned().collect::<Vec<_>>());
    let count = move || bar.agent.with(|agent| agent.notices.len());
    // The only one is in the bar already.
    let hidden = move || count() == usize::from(current(bar).is_some());
    let label = move || figures::counted(i64::try_from(count()).unwrap_or(i64::MAX), "notice");
    let line = |notice: AgentNotice| view! { <li><span dir="auto">{notice.text}</span>" "{moment(notice.at)}</li> };
    view! {
        <details class="notices" hidden=hidden>
            <summary class="cap">{label}</summary>
            <ul class="cap"><For each=notices key=|notice| notice.id children=line/></ul>
        </details>
    }
}

/// `12 min ago`. `frontend::times` keeps it true and writes the title in the reader's time zone.
fn moment(at: Micros) -> impl IntoView {
    let (now, exact) = clock(at);
    let words = figures::said_ago(now.since(at) / Micros::SECOND).unwrap_or_else(|| exact.clone());
    view! { <time class="cap" datetime=exact.clone() title=exact data-us=at.0.to_string() data-exact="" data-ago="">{words}</time> }
}

/// Returns the time of now, and a moment as `2026-11-21T14:02:11Z`.
fn clock(at: Micros) -> (Micros, String) {
    #[cfg(feature = "hydrate")]
    return browser::clock(at);
    #[cfg(not(feature = "hydrate"))]
    {
        let exact = jiff::Timestamp::from_microsecond(at.0).unwrap_or_default().to_string();
        (Micros(jiff::Timestamp::now().as_microsecond()), exact)
    }
}

fn act(bar: Bar, wish: Wish) {
    #[cfg(feature = "hydrate")]
    browser::act(bar, wish);
    #[cfg(not(feature = "hydrate"))]
    let _ = (bar, wish);
}

fn mark((state, held_by): (AgentState, Option<AgentHolder>)) -> impl IntoView {
    let is_shared = held_by == Some(AgentHolder::Both);
    let (tag, glyph, motion, words) = match state {
        AgentState::Starting if is_shared => ("working", Glyph::WORK, Motion::Spins, "Connects"),
        AgentState::Working if is_shared => ("working", Glyph::WORK, Motion::Spins, "Works in its terminal"),
        AgentState::Idle if is_shared => ("idle", Glyph::TERM, Motion::None, "Waits in its terminal"),
        AgentState::Observed if held_by.is_some() => ("idle", Glyph::TERM, Motion::None, "Runs in its terminal"),
        AgentState::Starting => ("working", Glyph::WORK, Motion::Spins, "Starts"),
        AgentState::Working => ("working", Glyph::WORK, Motion::Spins, "Works"),
        AgentState::Waiting => ("needs", Glyph::NEEDS, Motion::None, "Waits for your answer"),
        AgentState::Idle => ("idle", Glyph::IDLE, Motion::None, "Waits for your prompt"),
        AgentState::Ended => ("done", Glyph::DONE, Motion::None, "Ended"),
        AgentState::Failed => ("failed", Glyph::FAIL, Motion::None, "Failed"),
        AgentState::Interrupted => ("failed", Glyph::FAIL, Motion::None, "Interrupted"),
        AgentState::Observed => ("idle", Glyph::IDLE, Motion::None, "Started elsewhere"),
        AgentState::Terminal => ("idle", Glyph::TERM, Motion::None, "Waits in its terminal"),
        AgentState::TerminalBusy => ("working", Glyph::WORK, Motion::Spins, "Works in its terminal"),
    };
    view! { <span class="state" data-state=tag data-agent-state=state.as_str()><Icon glyph size=Size::Small motion/><span>{words}</span></span> }
}

/// A list of modes or models. One that isn't in the list is shown, too.
fn choice(
    bar: Bar,
    label: &'static str,
    read: impl Fn(&DrivenAgent) -> (Vec<AgentChoice>, Option<String>) + Copy + Send + Sync + 'static,
    wish: fn(String) -> Wish,
) -> impl IntoView {
    let options = move || {
        let (mut choices, current) = bar.agent.with(read);
        if let Some(current) = &current
            && !choices.iter().any(|choice| choice.id == *current)
        {
            choices.insert(0, AgentChoice { id: current.clone(), label: current.clone(), description: None });
        }
        let option = |choice: AgentChoice| {
            let selected = current.as_ref() == Some(&choice.id);
            view! { <option value=choice.id selected=selected title=choice.description>{choice.label}</option> }
        };
        choices.into_iter().map(option).collect::<Vec<_>>()
    };
    let hidden = move || bar.agent.with(|agent| read(agent).0.is_empty());
    let changed = move |event: leptos::ev::Event| act(bar, wish(event_target_value(&event)));
    let list = NodeRef::<leptos::html::Select>::new();
    // A refused choice isn't shown: the list has the agent's present value.
    #[cfg(feature = "hydrate")]
    Effect::new(move |_| {
        let current = bar.agent.with(read).1.unwrap_or_default();
        if let Some(list) = list.get() {
            list.set_value(&current);
        }
    });
    view! {
        <label class="pick" hidden=hidden><span class="sr">{label}</span>
            <select node_ref=list title=label disabled=move || bar.busy.get() on:change=changed>{options}</select>
        </label>
    }
}

/// The end of a long text, from a whole word on.
fn end_of(text: &str) -> String {
    let count = text.chars().count();
    if count <= SHOWN {
        return text.to_owned();
    }
    let end: String = text.chars().skip(count - SHOWN).collect();
    let end = end.split_once(char::is_whitespace).map_or(end.as_str(), |(_, rest)| rest);
    format!("\u{2026} {end}")
}

#[cfg(feature = "hydrate")]
mod browser;
