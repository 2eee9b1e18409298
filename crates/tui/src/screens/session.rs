//! A session, and a request of it.

use super::lists::{rail, style_of};
use super::paragraph;
use crate::app::App;
use crate::card::{View, todos};
use crate::visible;
use model::message_type::todo::TodoProgress;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

/// Columns of the list of sessions beside a transcript, and of the to-do list.
const RAIL: u16 = 38;
const PANEL: u16 = 36;
/// Columns that a transcript keeps.
const LEAST: u16 = 76;

pub fn transcript(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let has_todos = app.transcript.as_ref().is_some_and(|transcript| !transcript.todos.todos.is_empty());
    let has_rail = app.has_rail && area.width > LEAST + RAIL;
    let rail_width = if has_rail { RAIL + 1 } else { 0 };
    let has_panel = has_todos && app.has_panel && area.width > LEAST + rail_width + PANEL;
    let panel_width = if has_panel { PANEL + 1 } else { 0 };
    if has_rail {
        rail(app, frame, Rect { width: RAIL, ..area });
        border(app, frame, Rect { x: area.x + RAIL, width: 1, ..area });
    }
    let main = Rect { x: area.x + rail_width, width: area.width - rail_width - panel_width, ..area };
    let head = head(app, main.width as usize, has_todos && !has_panel);
    paragraph(frame, Rect { height: 2, ..main }, head);
    if has_panel {
        let panel = Rect { x: main.x + main.width, width: panel_width, ..area };
        border(app, frame, Rect { width: 1, ..panel });
        let panel = Rect { x: panel.x + 2, width: panel.width.saturating_sub(2), ..panel };
        let lines = todo_lines(app, panel.width as usize);
        paragraph(frame, panel, lines);
    }
    let (theme, zone) = (app.theme, app.zone.clone());
    let Some(transcript) = &mut app.transcript else { return };
    let view = View { width: main.width as usize, theme, zone, assistant: transcript.detail.assistant.clone() };
    let body = Rect { y: main.y + 2, height: main.height.saturating_sub(2), ..main };
    let lines = transcript.window(&view, body.height as usize);
    paragraph(frame, body, lines);
}

fn assistant(app: &App) -> String {
    app.transcript.as_ref().map_or_else(String::new, |transcript| visible::line(&transcript.detail.assistant.name, 30))
}

fn border(app: &App, frame: &mut Frame<'_>, area: Rect) {
    paragraph(frame, area, (0..area.height).map(|_| Line::styled("│", app.theme.quiet())).collect());
}

fn head(app: &App, width: usize, counts_todos: bool) -> Vec<Line<'static>> {
    let Some(transcript) = &app.transcript else { return Vec::new() };
    let session = &transcript.detail.session;
    let (word, style) = (session.state.label(), style_of(session.state, app.theme));
    let mut facts = vec![assistant(app)];
    facts.extend(session.model.as_deref().map(|model| visible::line(model, 40)));
    facts.extend(session.branch.as_deref().map(|branch| visible::line(branch, 40)));
    if counts_todos {
        let todos = session.todos();
        facts.push(format!("☑ {}/{}{}", todos.done, todos.whole(), todos.besides()));
    }
    if transcript.is_dev {
        facts.push("developer view".to_owned());
    }
    if transcript.is_paused {
        facts.push("paused".to_owned());
    }
    let facts = crate::wrap::cut(&facts.join("  "), width.saturating_sub(word.len() + 2));
    vec![
        Line::styled(crate::wrap::cut(&visible::line(&session.title, 300), width), app.theme.strong()),
        Line::from(vec![Span::styled(format!("{word}  "), style), Span::styled(facts, app.theme.quiet())]),
    ]
}

fn todo_lines(app: &App, width: usize) -> Vec<Line<'static>> {
    let Some(transcript) = &app.transcript else { return Vec::new() };
    let list = &transcript.todos;
    let progress = TodoProgress::of(&list.todos, &list.todo_info);
    let title = format!("To do  {}/{}{}", progress.done, progress.whole(), progress.besides());
    let mut lines = vec![Line::styled(title, app.theme.strong()), Line::default()];
    lines.extend(todos(&list.todos, &list.todo_info, width, app.theme));
    lines
}

pub fn review(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let theme = app.theme;
    let title = app.transcript.as_ref().map_or("", |transcript| &transcript.detail.session.title);
    let title = crate::wrap::cut(&format!("Request in {}", visible::line(title, 300)), area.width as usize);
    let Some(review) = &mut app.review else { return };
    let words = review.words.as_ref().filter(|words| !review.is_typing && !words.text().is_empty());
    let below = match (&review.problem, words) {
        (Some(problem), _) => Some(Line::styled(problem.clone(), theme.failed())),
        (None, Some(words)) => Some(Line::raw(format!("> {}", visible::line(words.text(), 300)))),
        (None, None) => None,
    };
    let foot = u16::from(below.is_some());
    let body = Rect { y: area.y + 1, height: area.height.saturating_sub(1 + foot), ..area };
    let lines = review.window(body.width as usize, body.height as usize, theme);
    paragraph(frame, Rect { height: 1, ..area }, vec![Line::styled(title, theme.quiet())]);
    paragraph(frame, body, lines);
    paragraph(frame, Rect { y: body.y + body.height, height: foot, ..area }, below.into_iter().collect());
}
