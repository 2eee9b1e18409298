//! One message as lines.

use crate::code;
use crate::markdown;
use crate::theme::Theme;
use crate::visible;
use crate::wrap::{Break, wrap};
use api::messages::Entry;
use jiff::tz::TimeZone;
use model::envelope::{TodoInfo, edit_info, todo_info};
use model::markdown::said_besides;
use model::message_type::approval::Approval;
use model::message_type::code_edit::CodeEdit;
use model::message_type::todo::{TodoItem, TodoStatus, is_cancelled};
use model::message_type::tool_call::{ToolCall, ToolState};
use model::policy::{decided_by, mark, sent_by};
use model::{AssistantName, Body, Micros, Role, Status};
use ratatui::style::Style;
use ratatui::text::{Line, Span};
use serde_json::Value;
use std::collections::BTreeMap;

/// Lines of a card that isn't unfolded.
const FOLDED: usize = 24;
/// Lines of an unfolded one. What is longer is read in the browser, or by `verbatim show`.
const UNFOLDED: usize = 2_000;

/// How cards are drawn.
#[derive(Debug, Clone)]
pub struct View {
    pub width: usize,
    pub theme: Theme,
    pub zone: TimeZone,
    /// Name of the session's assistant.
    pub assistant: AssistantName,
}

/// The lines of a message. A folded tool call is one line; others are cut where they are long.
pub fn lines(entry: &Entry, unfolded: bool, view: &View) -> Vec<Line<'static>> {
    let draft = &entry.message.draft;
    // A folded call is one line, so that many of them have room.
    let is_line = !unfolded && matches!(entry.body(), Body::ToolCall(_)) && draft.status != Status::Retracted;
    let mut lines = if is_line { Vec::new() } else { vec![head(entry, view)] };
    if draft.status == Status::Retracted {
        lines.push(Line::styled("Taken back", view.theme.quiet()));
        return lines;
    }
    let mut body = body(entry, unfolded, view);
    let most = if unfolded { UNFOLDED } else { FOLDED };
    // A cut that hides a line or two only costs a key.
    if body.len() > most + 2 {
        let more = body.len() - most;
        body.truncate(most);
        let how = if unfolded { "`verbatim show` prints all" } else { "e unfolds" };
        body.push(Line::styled(format!("… {more} more lines; {how}"), view.theme.quiet()));
    }
    lines.extend(body);
    lines
}

fn head(entry: &Entry, view: &View) -> Line<'static> {
    let draft = &entry.message.draft;
    let own = draft.sender_name.as_deref().filter(|_| draft.role != Role::Assistant);
    let own = own.map(|name| visible::line(name, 40)).filter(|name| !name.is_empty());
    let (name, style) = match draft.role {
        Role::User => ("You".to_owned(), view.theme.person()),
        Role::Assistant => (visible::line(view.assistant.of(draft), 40), view.theme.agent()),
        Role::Model => ("Reasoning".to_owned(), view.theme.quiet()),
        Role::Tool => ("Tool".to_owned(), view.theme.code()),
        Role::System => ("System".to_owned(), view.theme.quiet()),
        Role::Host => ("Verbatim".to_owned(), view.theme.strong()),
    };
    let name = format!("{}{}{}", mark(draft), own.unwrap_or(name), sent_by(draft));
    let mut spans = vec![Span::styled(name, style)];
    if entry.message_type != "TEXT" {
        spans.push(Span::styled(format!("  {}", visible::line(&entry.message_type, 40)), view.theme.quiet()));
    }
    spans.push(Span::styled(format!("  {}", time(draft.created_at, &view.zone)), view.theme.quiet()));
    match draft.status {
        Status::Streaming => spans.push(Span::styled("  writing…", view.theme.warning())),
        Status::Error => spans.push(Span::styled("  broken off", view.theme.failed())),
        Status::Final | Status::Sending | Status::Retracted => {}
    }
    if draft.requires_user_input {
        spans.push(Span::styled("  waits for an answer", view.theme.warning()));
    }
    Line::from(spans)
}

/// `14:02`.
pub fn time(at: Micros, zone: &TimeZone) -> String {
    let at = jiff::Timestamp::from_microsecond(at.0);
    at.map(|at| at.to_zoned(zone.clone()).strftime("%H:%M").to_string()).unwrap_or_default()
}

fn body(entry: &Entry, unfolded: bool, view: &View) -> Vec<Line<'static>> {
    let draft = &entry.message.draft;
    match entry.body() {
        Body::Text(_) => markdown::lines(&draft.content, view.width, view.theme),
        Body::CodeEdit(edit) => said(entry, view).chain(edits(entry, edit, view)).collect(),
        Body::Todo(todo) => {
            let info = todo_info(draft.metadata.as_ref());
            said(entry, view).chain(todos(&todo.todos, &info, view.width, view.theme)).collect()
        }
        Body::ToolCall(call) => tool(entry, call, unfolded, view),
        Body::Approval(approval) => said(entry, view).chain(asked(entry, approval, view)).collect(),
        Body::Unknown { payload, .. } => {
            let text = if draft.content.is_empty() { &entry.summary } else { &draft.content };
            let mut lines = markdown::lines(text, view.width, view.theme);
            if unfolded {
                let json = serde_json::to_string_pretty(payload).unwrap_or_default();
                lines.extend(plain(&json, view.width, view.theme.quiet()));
            }
            lines
        }
        body => {
            let text = model::markdown::generated(draft, body);
            let text = if text.is_empty() { entry.summary.clone() } else { text };
            markdown::lines(&text, view.width, view.theme)
        }
    }
}

/// Returns the agent's text beside the payload.
fn said<'a>(entry: &'a Entry, view: &'a View) -> impl Iterator<Item = Line<'static>> + use<'a> {
    let words = said_besides(&entry.message.draft, entry.body());
    words.into_iter().flat_map(|words| markdown::lines(words, view.width, view.theme))
}

fn edits(entry: &Entry, edit: &CodeEdit, view: &View) -> Vec<Line<'static>> {
    let mut lines = Vec::new();
    let edits = edit.edits.len();
    for (index, edit) in edit.edits.iter().enumerate() {
        let info = edit_info(entry.message.draft.metadata.as_ref(), index);
        let (added, removed) = diff::texts(edit, &info).among(edits).line_counts();
        let state = info.state.map_or_else(String::new, |state| format!("  {}", state.label()));
        lines.push(Line::from(vec![
            Span::styled(format!("{} {}", edit.verb(), visible::line(&edit.file_path, 300)), view.theme.strong()),
            Span::styled(format!("  +{added}"), view.theme.added()),
            Span::styled(format!(" -{removed}"), view.theme.removed()),
            Span::styled(state, view.theme.quiet()),
        ]));
        lines.extend(code::edit(edit, &info, edits, view.width, view.theme));
    }
    lines
}

/// A to-do list: `[x]` done, `[~]` being worked at, `[-]` given up.
pub fn todos(items: &[TodoItem], info: &BTreeMap<String, TodoInfo>, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let item = |item: &TodoItem| {
        let (mark, style) = match item.status {
            _ if is_cancelled(item, info) => ("[-] ", theme.quiet()),
            TodoStatus::Completed => ("[x] ", theme.added()),
            TodoStatus::InProgress => ("[~] ", theme.warning()),
            TodoStatus::Pending => ("[ ] ", Style::new()),
        };
        let text = [Span::raw(visible::line(&item.content, 500))];
        wrap(&text, width, Break::Words, (&Span::styled(mark, style), &Span::raw("    ")))
    };
    items.iter().flat_map(item).collect()
}

fn tool(entry: &Entry, call: &ToolCall, unfolded: bool, view: &View) -> Vec<Line<'static>> {
    let (draft, theme) = (&entry.message.draft, view.theme);
    let (mark, style) = match call.state() {
        ToolState::Done => ("🔧 ✅ ", theme.added()),
        ToolState::Failed => ("🔧 ❌ ", theme.failed()),
        _ => ("🔧 ", theme.warning()),
    };
    let arrow = if unfolded { "▾ " } else { "▸ " };
    let mut facts = call.state().as_str().to_owned();
    if let Some(code) = call.exit_code().filter(|code| *code != 0) {
        facts += &format!(", exit {code}");
    }
    if draft.status == Status::Error {
        facts += ", broken off";
    }
    if let Some(ms) = call.duration_ms() {
        facts += &format!(", {:.1} s", ms as f64 / 1000.0);
    }
    let target = call.target().map_or_else(String::new, |target| format!("  {}", visible::text(&target)));
    let spans = [
        Span::styled(visible::line(&call.tool_name, 80), theme.strong()),
        Span::raw(target),
        Span::styled(format!("  {facts}"), theme.quiet()),
    ];
    let first = Span::styled(format!("{arrow}{mark}"), style);
    let next = Span::raw(" ".repeat(first.width()));
    let mut lines = wrap(&spans, view.width, Break::Words, (&first, &next));
    if !unfolded {
        lines.extend(said(entry, view));
        return lines;
    }
    for (key, value) in &call.input {
        lines.push(Line::styled(visible::line(key, 80), theme.quiet()));
        lines.extend(plain(&text_of(value), view.width, theme.code()));
    }
    for (name, text) in [("Output", call.shown_output()), ("Error", call.shown_error())] {
        if let Some(text) = text {
            lines.push(Line::styled(name, theme.quiet()));
            lines.extend(plain(text.trim_end(), view.width, Style::new()));
        }
    }
    lines.extend(said(entry, view));
    lines
}

/// A string as it is, anything else as JSON.
pub fn text_of(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

fn plain(text: &str, width: usize, style: Style) -> Vec<Line<'static>> {
    let indent = Span::raw("  ");
    let text = visible::text(text);
    let line = |line: &str| wrap(&[Span::styled(line.to_owned(), style)], width, Break::Anywhere, (&indent, &indent));
    text.split('\n').flat_map(line).collect()
}

/// A request as the transcript has it; it is decided in a screen of its own, which shows all of it.
fn asked(entry: &Entry, approval: &Approval, view: &View) -> Vec<Line<'static>> {
    let theme = view.theme;
    let title = [Span::styled(visible::text(&approval.title), theme.strong())];
    let (mark, style) = (Span::styled("🔐 ", theme.warning()), theme.warning());
    let mut lines = wrap(&title, view.width, Break::Words, (&mark, &Span::raw("   ")));
    if let Some(body) = &approval.body {
        lines.extend(markdown::lines(body, view.width, theme));
    }
    if Approval::open_of(&entry.message.draft, entry.body()).is_some() {
        lines.push(Line::styled("Waits for you: a reads and decides it", style));
    } else {
        let answer = visible::line(&approval.answer(), 200);
        let by = decided_by(approval).map(|by| format!(" {}", visible::line(&by, 100))).unwrap_or_default();
        let state = approval.state.label();
        lines.push(Line::styled(format!("{state}{by}  {answer}").trim_end().to_owned(), theme.quiet()));
    }
    lines
}
