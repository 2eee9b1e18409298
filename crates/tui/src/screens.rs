//! Draws the screens.

mod lists;
mod session;

use crate::app::{App, Screen, Typing};
use crate::compose::Field;
use crate::keys::{Group, KEYS};
use crate::visible;
use crate::wrap::{Break, cut, wrap};
use ratatui::Frame;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::Paragraph;

/// The smallest window in which anything can be read and decided.
const LEAST: (u16, u16) = (30, 8);
/// Lines that a text takes at most while it is typed.
const FIELD: usize = 8;

/// Draws the state. What of a request is drawn counts as seen.
pub fn draw(app: &mut App, frame: &mut Frame<'_>) {
    let area = frame.area();
    if area.width < LEAST.0 || area.height < LEAST.1 {
        frame.render_widget(Paragraph::new("This window is too small"), area);
        return;
    }
    let field = field(app, area.width as usize, FIELD.min(area.height as usize / 2));
    let foot = field.as_ref().map_or(1, |(lines, _)| lines.len() as u16 + 1);
    let [body, foot] =
        [Rect { height: area.height - foot, ..area }, Rect { y: area.y + area.height - foot, height: foot, ..area }];
    match app.screen {
        Screen::Sessions => lists::sessions(app, frame, body),
        Screen::Search => lists::hits(app, frame, body),
        Screen::Transcript => session::transcript(app, frame, body),
        Screen::Review => session::review(app, frame, body),
        Screen::Help => help(app, frame, body),
    }
    let hints = Rect { y: foot.y + foot.height - 1, height: 1, ..foot };
    if let Some((lines, cursor)) = field {
        frame.set_cursor_position(Position { x: foot.x + cursor.0, y: foot.y + cursor.1 });
        paragraph(frame, Rect { height: foot.height - 1, ..foot }, lines);
    }
    let (hint, style) = match &app.notice {
        Some(notice) => (visible::line(notice, 500), app.theme.warning()),
        None => (hint(app), app.theme.quiet()),
    };
    paragraph(frame, hints, vec![Line::styled(cut(&hint, area.width as usize), style)]);
}

fn paragraph(frame: &mut Frame<'_>, area: Rect, lines: Vec<Line<'static>>) {
    frame.render_widget(Paragraph::new(lines), area);
}

fn hint(app: &App) -> String {
    match (&app.typing, app.screen) {
        (Some(Typing::Message(_)), _) => {
            "Enter sends, Alt Enter begins a line, Ctrl s sends and steers, Esc leaves".to_owned()
        }
        (Some(_), _) => "Enter searches, Esc leaves".to_owned(),
        (None, Screen::Review) => app.review.as_ref().map_or_else(String::new, crate::review::Review::hints),
        (None, Screen::Sessions) => "j k move, Enter opens, / filters, g a what needs you, ? keys".to_owned(),
        (None, Screen::Search) => "j k move, Enter opens, / searches, Esc back".to_owned(),
        (None, Screen::Transcript) => {
            "j k move, e unfolds, r writes, a decides, / searches, ? keys, Esc back".to_owned()
        }
        (None, Screen::Help) => "j k scroll, Esc back".to_owned(),
    }
}

/// The lines of what is being typed, and where its cursor is in them.
fn field(app: &App, width: usize, most: usize) -> Option<(Vec<Line<'static>>, (u16, u16))> {
    let (label, field) = match (&app.typing, &app.review) {
        (Some(Typing::Filter(field)), _) => ("Filter: ".to_owned(), field),
        (Some(Typing::Search(field)), _) => ("Search: ".to_owned(), field),
        (Some(Typing::Find(field, _)), _) => ("Find here: ".to_owned(), field),
        (Some(Typing::Message(field)), _) => ("> ".to_owned(), field),
        (None, Some(review)) => review.typing()?,
        (None, None) => return None,
    };
    let first = Span::styled(label, app.theme.person());
    let next = Span::raw(" ".repeat(first.width()));
    let rows = |text: &str| -> Vec<Line<'static>> {
        let text = visible::text(text);
        let lines = text.split('\n').enumerate().flat_map(|(index, line)| {
            let mark = if index == 0 { &first } else { &next };
            wrap(&[Span::raw(line.to_owned())], width.saturating_sub(1), Break::Anywhere, (mark, &next))
        });
        lines.collect()
    };
    let (before, _) = Field::halves(field);
    let upto = rows(before);
    let all = rows(field.text());
    // The line of the cursor stays in view.
    let skipped = upto.len().saturating_sub(most);
    let cursor = (upto.last().map_or(0, Line::width) as u16, (upto.len().saturating_sub(1 + skipped)) as u16);
    Some((all.into_iter().skip(skipped).take(most).collect(), cursor))
}

fn help(app: &mut App, frame: &mut Frame<'_>, area: Rect) {
    let theme = app.theme;
    let mut lines = vec![Line::styled("Keys", theme.strong())];
    for (group, title) in Group::ALL {
        lines.push(Line::default());
        lines.push(Line::styled(title, theme.strong()));
        for (_, keys, words, _) in KEYS.iter().filter(|(of, ..)| *of == group) {
            lines.push(Line::from(vec![Span::styled(format!("  {keys:24}"), theme.person()), Span::raw(*words)]));
        }
    }
    app.help_top = app.help_top.min(lines.len().saturating_sub(area.height as usize));
    paragraph(frame, area, lines.into_iter().skip(app.help_top).collect());
}
