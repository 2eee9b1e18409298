//! `TOOL_CALL`: a quiet line until asked: what was used, on what, how long, with what result. Failed ones are open.

mod input;
mod look;
mod output;
mod sub_agent;

pub use look::{ToolName, glyph as kind_glyph};
pub(super) use output::{MAX_CUT, MAX_WHOLE, first, last};

use super::{
    Card,
    parts::{CopyText, Folded, Mark, State, TextButton},
};
use crate::ansi;
use crate::clock::{Clock, moment};
use crate::figures::{self, count, counted};
use crate::html::Html;
use crate::icon::{Glyph, Icon, Size};
use crate::message::view_options::{Child, Verbosity};
use crate::shared::page_action::PageAction;
use crate::time_text::duration;
use crate::visible;
use leptos::prelude::*;
use look::Look;
use model::{
    Role, SessionState, Status,
    hidden::hides,
    message_type::tool_call::{self, ToolKind, ToolState},
    text::one_line,
};
use output::{Keep, Piece};
use serde_json::Value;

#[component]
pub fn ToolCall(card: Card, call: tool_call::ToolCall) -> impl IntoView {
    let look = Look::of(&card, &call);
    let child = child(&card);
    let state = match call.state() {
        // Its answer got lost on the way; how it ended is known.
        ToolState::Running | ToolState::Orphaned if child.as_ref().is_some_and(sub_agent::is_done) => ToolState::Done,
        ToolState::Running if card.options.rests => ToolState::Orphaned,
        state => state,
    };
    let news = (state == ToolState::Running).then(|| call.other.get("progress").and_then(progress)).flatten();
    let news_or_output = news.is_some() || (state == ToolState::Running && call.output.is_some());
    let open =
        card.whole() || card.options.verbosity == Verbosity::Verbose || state == ToolState::Failed || news_or_output;
    let tail = look.tail && output::preview_of(&call).is_none();
    let keep = match (card.whole(), open, tail) {
        (true, ..) => Keep::All,
        // A running call shows its progress; a failed one its reason.
        (false, true, true) if state == ToolState::Running => Keep::Last { lines: 3 },
        (false, true, true) => Keep::Last { lines: 16 },
        (false, false, true) => Keep::Last { lines: 60 },
        (false, true, false) => Keep::First { lines: 16 },
        (false, false, false) => Keep::First { lines: 60 },
    };
    let place = place(&call, look.kind);
    // A rule's reason. A person's own words stand below the call.
    let reason = call.other.get("denied_reason").and_then(Value::as_str).map(|reason| one_line(reason, 160));
    let reason = reason.filter(|_| !call.error.as_deref().is_some_and(output::is_refusal));
    // A launch is over at once; how long the work took is known of a sub-agent alone.
    let took = match (call.background(), &child) {
        (false, _) => call.duration_ms().filter(|ms| *ms >= 100).map(|ms| ms.saturating_mul(1000)),
        (true, child) => child.as_ref().and_then(sub_agent::took),
    };
    let took = took.map(duration);
    let ends = call.task_status().is_some() || child.is_some();
    let since = call.started_at().filter(|at| state == ToolState::Running && at.0 > 0);
    // The task of an agent has priority over its figures.
    let figures = if look.agent { "cap hide-mid" } else { "cap hide-narrow" };
    let folded = (!open && card.at_a_glance()).then_some("");
    let body = match folded {
        Some(_) => folded_text(&call, &look).map(|text| view! { <Folded text /> }.into_any()),
        None => Some(body(&card, &call, &look, Shown { state, keep, news }).into_any()),
    };
    view! {
        <details
            class="card tool"
            data-state=state_word(state)
            data-kind=look.kind.as_str()
            data-folded=folded
            open=open
        >
            <summary>
                <Icon glyph=look.glyph state=look.tint />
                {tool_name(&look.name, &call.tool_name)}
                {target(&look, place)}
                {reason.map(|reason| view! { <span class="cut mut reason">{visible::html(&reason).into_view()}</span> })}
                {child.as_ref().and_then(|child| sub_agent::news(&card, child)).map(|news| view! { <span class="cut mut">{visible::html(&news).into_view()}</span> })}
                {look.role.clone().map(|role| who(&role))}
                {look.meta.clone().map(|meta| view! { <span class=figures>{meta}</span> })}
                {(call.background() && ends).then(|| view! { <span class="chip">"Background"</span> })}
                {took.map(|took| view! { <span class="cap">{took}</span> })}
                {since.map(|at| moment(&Clock::utc(card.options.now), at, "cap"))}
                {child
                    .as_ref()
                    .and_then(sub_agent::tokens)
                    .map(|tokens| view! { <span class=figures>{tokens}</span> })}
                {match child.as_ref().filter(|_| state != ToolState::Cancelled).and_then(sub_agent::mark) {
                    Some(mark) => view! { <State mark /> }.into_any(),
                    None if state == ToolState::Done && ends_unknown(&card, &call) => ().into_any(),
                    None => outcome(&call, state, child.as_ref()),
                }}
            </summary>
            {body}
        </details>
    }
}

/// Draws the tool's name. Of a server's tool, the server's name is shortened first. `whole` is the recorded name.
fn tool_name(name: &ToolName, whole: &str) -> AnyView {
    let title = (*whole != name.own).then(|| visible::plain(whole));
    let own = visible::html(&name.own);
    match &name.server {
        Some(server) => view! {
            <b title=title>
                <span class="server">{visible::html(server).into_view()}</span>
                <span>"\u{a0}\u{b7} "{own.into_view()}</span>
            </b>
        }
        .into_any(),
        None => view! { <b title=title>{own.into_view()}</b> }.into_any(),
    }
}

/// Draws the role of an agent: the last word of `plugin:review:architect`.
fn who(role: &str) -> AnyView {
    let last = role.rsplit(':').find(|part| !part.is_empty()).unwrap_or(role).to_owned();
    let whole = (last != role).then(|| role.to_owned());
    // A letter of it says nothing.
    let least = format!("min-width:{}ch", last.chars().count().min(6));
    view! { <span class="cap who hide-narrow" title=whole style=least>{visible::html(&last).into_view()}</span> }
        .into_any()
}

/// Draws the subject. Of a file, the folders are shortened before its name. `place` is for the editor.
fn target(look: &Look, place: Option<(&str, Option<u64>)>) -> AnyView {
    let title = look.full_target.clone();
    // On a phone a part of the line: the state is never pushed out.
    let least = look.agent.then(|| format!("min-width:min({}ch,40%)", look.target.chars().count()));
    let path = place.map(|(path, _)| path.to_owned());
    let line = place.and_then(|(_, line)| line).map(|line| line.to_string());
    if look.is_path {
        return view! {
            <span class="target path" title=title data-path=path data-line=line>
                {visible::path(&look.target).into_view()}
            </span>
        }
        .into_any();
    }
    view! {
        <span
            class=if look.words { "target words" } else { "target" }
            style=least
            title=title
            data-path=path
            data-line=line
        >
            {visible::html(&look.target).into_view()}
        </span>
    }
    .into_any()
}

/// The visible parts of a call's body.
struct Shown {
    state: ToolState,
    keep: Keep,
    news: Option<String>,
}

fn body(card: &Card, call: &tool_call::ToolCall, look: &Look, shown: Shown) -> impl IntoView + use<> {
    let Shown { state, keep, news } = shown;
    let pieces = output::pieces(card, call, look, keep);
    let wraps = pieces.iter().any(|piece| matches!(piece, Piece::Terminal(_)));
    let input = input::view(card, call, look);
    let child = child(card);
    let steps = child.as_ref().and_then(|child| sub_agent::steps(card, child));
    let notes = notes(card, call, news);
    let is_bare = pieces.is_empty() && input.is_none() && child.is_none() && notes.is_none();
    let missing = is_bare.then(|| missing(card, call, state)).flatten();
    let notes = notes.or_else(|| Some(view! { <p class="line note-line">{missing?}</p> }.into_any()));
    // Why something failed comes before a long account of what was tried. Of a command the head says that.
    let why_first = call.state() == ToolState::Failed && output::error(call).is_some() && !look.tail && input.is_some();
    // Both are prose: without a word the result would go on where the prompt ends.
    let label = if why_first { Some("Input") } else { (look.agent && input.is_some()).then_some("Result") };
    let label = label.filter(|_| !pieces.is_empty()).map(|label| view! { <p class="line note-line">{label}</p> });
    let pieces = pieces.into_iter().map(|one| piece(card, one)).collect::<Vec<_>>();
    let input = input.map(Html::into_view);
    let (first, second) =
        if why_first { (pieces.into_any(), input.into_any()) } else { (input.into_any(), pieces.into_any()) };
    view! {
        {first}
        {label}
        {second}
        {steps}
        {notes}
        {foot(card, call, look, wraps)}
    }
}

/// Why there is nothing to show.
fn missing(card: &Card, call: &tool_call::ToolCall, state: ToolState) -> Option<&'static str> {
    match state {
        ToolState::Running if card.draft().status == Status::Streaming && call.input.is_empty() => {
            Some("Its input is still being written")
        }
        ToolState::Running => Some("No output yet"),
        ToolState::Orphaned => Some("No answer was recorded"),
        ToolState::Done if !call.background() => Some("No output"),
        _ => None,
    }
}

/// The file that a call reads or changes, and the first line of what it reads of it.
fn place(call: &tool_call::ToolCall, kind: ToolKind) -> Option<(&str, Option<u64>)> {
    if !matches!(kind, ToolKind::Read | ToolKind::Edit) {
        return None;
    }
    let path = ["file_path", "notebook_path", "path"].iter().find_map(|key| call.input.get(*key)?.as_str())?;
    let said = call.other.get("result").and_then(|result| result.get("file")?.get("startLine")?.as_u64());
    let asked = || call.input.get("offset").and_then(Value::as_u64);
    // Some tools count from 0: what they gave back counts as editors do.
    let given = || tool_call::Numbered::read(&call.output_text()?).and_then(|read| u64::try_from(read.first).ok());
    let line = said.or_else(|| asked().map(|asked| given().unwrap_or(asked))).filter(|line| *line > 1);
    Some((path, line))
}

/// Returns the content of a folded card: input and output as text, shortened. None if there is nothing to read.
fn folded_text(call: &tool_call::ToolCall, look: &Look) -> Option<String> {
    const MAX_CHARS: usize = 2_000;
    let input =
        (!call.input.is_empty() && !look.says_all).then(|| model::text::clip(&input::text(&call.input), MAX_CHARS));
    let tail = look.tail && output::preview_of(call).is_none();
    let error = output::error(call).map(ansi::plain);
    let output = [error, call.shown_output()].into_iter().flatten();
    let output = output.map(|text| {
        let text = text.trim_end();
        let from = text.char_indices().nth_back(MAX_CHARS - 1).map_or(0, |(at, _)| at);
        // The end of a log is most important, as in the drawn card.
        if tail && from > 0 { format!("…{}", &text[from..]) } else { model::text::clip(text, MAX_CHARS) }
    });
    let parts: Vec<String> = input.into_iter().chain(output).filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

/// Input and output, uncut and without escape sequences.
pub fn whole_text(call: &tool_call::ToolCall) -> String {
    let output = [call.shown_error(), call.shown_output()].into_iter().flatten();
    let input = (!call.input.is_empty()).then(|| input::text(&call.input));
    input.into_iter().chain(output).collect::<Vec<_>>().join("\n\n")
}

/// A line of so many characters fits on a phone, and one of so many beside the open panel.
const NARROW: usize = 44;
const WIDE: usize = 72;

/// So many lines are wrapped until the reader asks otherwise.
const FEW: i64 = 6;

/// How much it said, and what can be done with that.
fn foot(card: &Card, call: &tool_call::ToolCall, look: &Look, wraps: bool) -> impl IntoView + use<> {
    let output::Size { lines, bytes, longest } = output::size(call, look);
    // Where every line has room there is nothing to wrap.
    let wrap = if longest > WIDE { "btn quiet tiny toggle" } else { "btn quiet tiny toggle only-narrow" };
    let preview = output::preview_of(call);
    let size = (bytes > 0).then(|| {
        if let Some(all) = preview {
            let all = (all > 0).then(|| format!(" of {}", figures::bytes(all)));
            return format!("First {}{}", figures::bytes(bytes), all.unwrap_or_default());
        }
        let lines = lines.filter(|lines| *lines > 0).map(|lines| counted(lines, "line"));
        lines.into_iter().chain([figures::bytes(bytes)]).collect::<Vec<_>>().join(", ")
    });
    let facts = size.unwrap_or_default();
    // If there are few lines, or the call failed, none is hidden.
    let few = lines.unwrap_or_default() <= FEW || call.state() == ToolState::Failed;
    let given = input::text(&call.input);
    let long = |lines: i64, bytes: usize| lines > 60 || bytes > 8 * 1024;
    let long = long(lines.unwrap_or_default(), usize::try_from(bytes).unwrap_or(usize::MAX))
        || long(given.lines().count() as i64, given.len());
    view! {
        <footer>
            <span class="cut">{facts}</span>
            <span class="sp"></span>
            {child(card)
                .map(|child| {
                    let address = sub_agent::address(&child, None);
                    let id = child.session.id.to_string();
                    if Child::is_missing(&child.session) {
                        return view! { <span class="cap">"Transcript not found"</span> }.into_any();
                    }
                    view! { <a class="btn quiet tiny" href=address data-agent=id>"Open its transcript"</a> }.into_any()
                })}
            {(wraps && longest > NARROW)
                .then(|| {
                    view! {
                        <label class=wrap>
                            <input type="checkbox" class="sr wraps" checked=few />
                            "Wrap"
                        </label>
                    }
                })}
            {long.then(|| view! { <a class="btn quiet tiny" href=card.full_text() target="_blank">"Open full"</a> })}
            {place(call, look.kind)
                .map(|(path, line)| {
                    let line = line.map(|line| line.to_string());
                    view! {
                        <button
                            type="button"
                            class="btn quiet tiny"
                            data-action=PageAction::OpenInEditor.name()
                            data-path=path.to_owned()
                            data-line=line
                        >
                            "Open in the editor"
                        </button>
                    }
                })}
            // A command with control characters can't be copied from here.
            {input::command(&call.input).filter(|(_, text)| !text.contains(hides)).map(|(_, text)| view! { <CopyText text label="Copy command" /> })}
            <TextButton action=PageAction::Copy label="Copy".to_owned() />
        </footer>
    }
}

/// Returns true if it is the output of a tool of which nobody noted how it ended.
fn ends_unknown(card: &Card, call: &tool_call::ToolCall) -> bool {
    card.draft().role == Role::Tool && call.exit_code().is_none() && !call.other.contains_key("state")
}

/// Done is the rule: its icon alone. Everything else says so in a word.
fn outcome(call: &tool_call::ToolCall, state: ToolState, child: Option<&Child>) -> AnyView {
    if let Some(mark) = (state == ToolState::Done).then(|| behind(call, child)).flatten() {
        return view! { <State mark /> }.into_any();
    }
    let mark = match state {
        ToolState::Done => {
            return view! { <Icon glyph=Glyph::DONE size=Size::Small label="Done" state="done" /> }.into_any();
        }
        ToolState::Running => Mark::new("running", Glyph::WORK, "Running"),
        ToolState::Failed if timed_out(call) => Mark::new("failed", Glyph::CLOCK, "Timed out"),
        ToolState::Failed => match call.exit_code().filter(|code| *code != 0) {
            Some(code) => Mark::new("failed", Glyph::FAIL, format!("Exit {code}")),
            None => Mark::new("failed", Glyph::FAIL, "Failed"),
        },
        ToolState::Denied => Mark::new("denied", Glyph::CUT, "Denied"),
        ToolState::Cancelled if child.is_some() => Mark::new("idle", Glyph::CUT, "Interrupted"),
        ToolState::Cancelled => Mark::new("idle", Glyph::CUT, "Cancelled"),
        ToolState::Orphaned => Mark::new("lost", Glyph::LOST, "No answer recorded"),
    };
    view! { <State mark /> }.into_any()
}

/// How the work stands that goes on behind a result, where that isn't done.
fn behind(call: &tool_call::ToolCall, child: Option<&Child>) -> Option<Mark> {
    let failed = child.is_some_and(|child| child.session.state == SessionState::Failed);
    match (call.background(), call.task_status()) {
        (false, Some("running")) => Some(Mark::new("idle", Glyph::CLOCK, "Still running")),
        (false, _) | (true, Some("completed")) => None,
        (true, Some("failed")) => Some(Mark::new("failed", Glyph::FAIL, "Failed")),
        (true, Some("killed" | "stopped")) => Some(Mark::new("idle", Glyph::CUT, "Stopped")),
        (true, _) if failed => Some(Mark::new("failed", Glyph::FAIL, "Failed")),
        (true, _) if child.is_some() => None,
        (true, _) => Some(Mark::new("idle", Glyph::CLOCK, "In the background")),
    }
}

/// Did it run out of time? Said by the agent, or by the first line of the error.
fn timed_out(call: &tool_call::ToolCall) -> bool {
    let said = call.other.get("timed_out").and_then(Value::as_bool).unwrap_or(false);
    let first = call.error.as_deref().map(output::bare).and_then(|error| error.lines().next()).unwrap_or_default();
    said || (first.starts_with("Command timed out") || first.starts_with("Timed out"))
}

const fn state_word(state: ToolState) -> &'static str {
    match state {
        ToolState::Running => "running",
        ToolState::Done => "done",
        ToolState::Failed => "failed",
        ToolState::Denied => "denied",
        ToolState::Cancelled => "idle",
        ToolState::Orphaned => "lost",
    }
}

/// The sub-agent that this call started.
fn child(card: &Card) -> Option<Child> {
    card.options.child(card.draft()).cloned()
}

fn piece(card: &Card, piece: Piece) -> AnyView {
    match piece {
        Piece::Hidden(lines) => {
            let some = if lines == 1 { "line" } else { "lines" };
            let label = format!("Show {} hidden {some}", count(lines as i64));
            view! { <super::parts::ShowAll label /> }.into_any()
        }
        Piece::Left(lines) => {
            let words = format!("{} more lines: open the full text below", count(lines as i64));
            view! { <p class="line note-line">{words}</p> }.into_any()
        }
        Piece::Aside(title, text) => view! {
            <details class="aside">
                <summary>{title}</summary>
                <pre class="val" tabindex="0">
                    {card.cut_text(&text).in_pre().into_view()}
                </pre>
            </details>
        }
        .into_any(),
        Piece::Terminal(html) => view! {
            <pre class="term" tabindex="0">
                {html.in_pre().into_view()}
            </pre>
        }
        .into_any(),
        Piece::Prose(html) => view! { <div class="body prose">{html.into_view()}</div> }.into_any(),
        Piece::Data(html) => html.into_view().into_any(),
        Piece::Empty => view! { <p class="line note-line">"No output"</p> }.into_any(),
    }
}

/// Where the output went on, and what still runs.
fn notes(card: &Card, call: &tool_call::ToolCall, news: Option<String>) -> Option<AnyView> {
    let mut notes = Vec::new();
    if let Some(path) = call.other.get("persisted_path").and_then(Value::as_str) {
        let size = call.other.get("persisted_size").and_then(Value::as_u64);
        let size = size.map_or(String::new(), |bytes| format!(" ({})", figures::bytes(bytes)));
        notes.push(format!("Full output{size} was saved to {path}"));
    }
    notes.extend(news);
    let files = output::files(call);
    notes.extend((files > 0).then(|| format!("It returned {}, shown below", counted(files, "file"))));
    notes.extend(card.entry.outcome.map(|_| "Its result is a separate message below".to_owned()));
    let lines: Vec<_> = notes
        .into_iter()
        .map(|note| view! { <p class="line note-line">{visible::html(&note).into_view()}</p> })
        .collect();
    (!lines.is_empty()).then(|| lines.into_any())
}

fn progress(news: &Value) -> Option<String> {
    let text = match news {
        Value::String(text) => text.as_str(),
        Value::Object(map) => {
            ["statusMessage", "message", "text", "type"].iter().find_map(|key| map.get(*key)?.as_str())?
        }
        _ => return None,
    };
    Some(one_line(&ansi::plain(text), 200)).filter(|line| !line.is_empty())
}

#[cfg(test)]
mod tests {
    use super::place;
    use model::message_type::tool_call::{ToolCall, ToolKind};
    use serde_json::{Value, json};

    #[test]
    fn a_read_is_of_a_file_from_a_line_on() {
        let read = |input: Value, output: &str| {
            let mut call = ToolCall::new("Read", input.as_object().cloned().unwrap_or_default());
            call.output = Some(json!(output));
            call
        };
        let at = |call: &ToolCall| place(call, ToolKind::Read).map(|(path, line)| (path.to_owned(), line));
        let given = |line| Some(("/a.rs".to_owned(), line));
        assert_eq!(at(&read(json!({"file_path": "/a.rs"}), "1\ta\n")), given(None));
        assert_eq!(at(&read(json!({"file_path": "/a.rs", "offset": 40}), "fn a()")), given(Some(40)));
        // Offsets from 0 have results whose numbers count from 1.
        assert_eq!(at(&read(json!({"path": "/a.rs", "offset": 40}), "41\tfn a()")), given(Some(41)));
        let said = read(json!({"file_path": "/a.rs"}), "").with("result", json!({"file": {"startLine": 7}}));
        assert_eq!(at(&said), given(Some(7)));
        assert_eq!(place(&said, ToolKind::Execute), None);
    }
}
