//! The list of sessions, and the hits of a search.

use super::paragraph;
use crate::app::{App, Screen};
use crate::card::time;
use crate::theme::Theme;
use crate::visible;
use crate::wrap::{column, cut};
use api::search::Hit;
use api::sessions::SessionShow;
use jiff::Timestamp;
use model::{Micros, Session, SessionState};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::text::{Line, Span};

pub fn sessions(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let theme = app.theme;
    let mut title = match app.query.show {
        Some(SessionShow::NeedsYou) => "Sessions that need you".to_owned(),
        _ => "Sessions".to_owned(),
    };
    if let Some(words) = &app.query.q {
        title += &format!(" with “{}”", visible::line(words, 60));
    }
    let count = if app.is_listed { format!("  {}", app.sessions.total) } else { "  …".to_owned() };
    let head = Line::from(vec![Span::styled(title, theme.strong()), Span::styled(count, theme.quiet())]);
    paragraph(frame, Rect { height: 1, ..area }, vec![head]);
    let body = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
    if app.is_listed && app.sessions.rows.is_empty() {
        let words = match (app.query.show, &app.query.q) {
            (Some(_), _) => "Nothing needs you",
            (None, Some(_)) => "No session matches these words",
            (None, None) => "No sessions yet. `verbatim run` starts an agent, `verbatim import PATH` brings some in",
        };
        paragraph(frame, body, vec![Line::styled(words, theme.quiet())]);
        return;
    }
    rows(app, frame, body, false);
}

/// The sessions beside a transcript, in few columns.
pub fn rail(app: &App, frame: &mut Frame<'_>, area: Rect) {
    rows(app, frame, area, true);
}

fn rows(app: &App, frame: &mut Frame<'_>, area: Rect, narrow: bool) {
    let open = app.transcript.as_ref().filter(|_| narrow).map(crate::transcript::Transcript::id);
    let at = match open {
        Some(id) => app.sessions.rows.iter().position(|session| session.id.as_str() == id).unwrap_or(0),
        None => app.sessions.at,
    };
    let (height, width) = (area.height as usize, area.width as usize);
    let top = at.saturating_sub(height.saturating_sub(1));
    let line = |(index, session): (usize, &Session)| {
        let is_current = index == at && (open.is_none() || open == Some(session.id.as_str()));
        row(app, session, width, narrow, is_current)
    };
    paragraph(frame, area, app.sessions.rows.iter().enumerate().skip(top).take(height).map(line).collect());
}

fn row(app: &App, session: &Session, width: usize, narrow: bool, is_current: bool) -> Line<'static> {
    let theme = app.theme;
    let (state, style) = (session.state.label(), style_of(session.state, app.theme));
    let mut facts = String::new();
    let todos = session.todos();
    if !todos.is_empty() {
        facts += &format!(" {}/{}{}", todos.done, todos.whole(), todos.besides());
    }
    if session.lines_added + session.lines_removed > 0 {
        facts += &format!(" +{} -{}", session.lines_added, session.lines_removed);
    }
    let when = when(app, session.last_activity_at);
    let agent = visible::line(&session.agent, 12);
    let right = if narrow { String::new() } else { format!("{facts}  {agent}  {when}") };
    let right_width = unicode_width::UnicodeWidthStr::width(&*right);
    let room = width.saturating_sub(12 + right_width);
    let title = column(&visible::line(&session.title, 300), room);
    let spans =
        vec![Span::styled(format!(" {state:10} "), style), Span::raw(title), Span::styled(right, theme.quiet())];
    let line = Line::from(spans);
    if is_current { line.patch_style(theme.current()) } else { line }
}

pub fn style_of(state: SessionState, theme: Theme) -> Style {
    match state {
        SessionState::NeedsYou => theme.warning(),
        SessionState::Working => theme.agent(),
        SessionState::Lost | SessionState::Failed => theme.failed(),
        SessionState::Quiet | SessionState::Idle => theme.quiet(),
        SessionState::Done => theme.added(),
    }
}

/// `2026-11-21 14:02`, in the reader's zone.
fn when(app: &App, at: Micros) -> String {
    let day =
        Timestamp::from_microsecond(at.0).map(|at| at.to_zoned(app.zone.clone()).strftime("%Y-%m-%d").to_string());
    format!("{} {}", day.unwrap_or_default(), time(at, &app.zone))
}

pub fn hits(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let theme = app.theme;
    let place = if app.sought.session.is_some() { "In this session" } else { "In all sessions" };
    let title = format!("{place}: “{}”", visible::line(&app.sought.q, 60));
    let head = Line::from(vec![
        Span::styled(title, theme.strong()),
        Span::styled(format!("  {}", app.hits.total), theme.quiet()),
    ]);
    paragraph(frame, Rect { height: 1, ..area }, vec![head]);
    let body = Rect { y: area.y + 2, height: area.height.saturating_sub(2), ..area };
    if app.hits.rows.is_empty() {
        let words = "No message has all of these words; the last one may be the beginning of a word";
        paragraph(frame, body, vec![Line::styled(words, theme.quiet())]);
        return;
    }
    let (width, shown) = (area.width as usize, (body.height / 2).max(1) as usize);
    let top = app.hits.at.saturating_sub(shown - 1);
    let found = |(index, hit): (usize, &Hit)| {
        let is_current = index == app.hits.at && app.screen == Screen::Search;
        let file = hit.files.first().map(|path| format!("{}  ", visible::line(path, 200))).unwrap_or_default();
        let title = visible::line(&hit.session_title, 200);
        let above = format!("{}  {}  {file}{title}", hit.role.as_str(), when(app, hit.created_at));
        let above = Line::styled(cut(&above, width), if is_current { theme.current() } else { theme.quiet() });
        [above, snippet(app, hit, width)]
    };
    paragraph(frame, body, app.hits.rows.iter().enumerate().skip(top).take(shown).flat_map(found).collect());
}

fn snippet(app: &App, hit: &Hit, width: usize) -> Line<'static> {
    let text = &hit.snippet.text;
    let mut spans = vec![Span::raw("  ")];
    let mut at = 0;
    let mut push = |from: usize, to: usize, style: Style| {
        if let Some(piece) = text.get(from..to).filter(|piece| !piece.is_empty()) {
            spans.push(Span::styled(visible::text(piece), style));
        }
    };
    for (from, to) in &hit.snippet.marks {
        push(at, *from, Style::new());
        push(*from, *to, app.theme.marked(app.theme.warning()));
        at = *to;
    }
    push(at, text.len(), Style::new());
    let first = Span::raw("");
    let mut lines = crate::wrap::wrap(&spans, width, crate::wrap::Break::Words, (&first, &first));
    lines.truncate(1);
    lines.pop().unwrap_or_default()
}
