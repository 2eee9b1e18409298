//! Differences and code, line by line.

use crate::theme::Theme;
use crate::wrap::{Break, wrap};
use diff::texts;
use model::envelope::EditInfo;
use model::message_type::code_edit::Edit;
use model::view::{CodeLine, DiffRun, FileDiff, TokenClass};
use ratatui::style::Style;
use ratatui::text::{Line, Span};

/// Lines around a change.
const CONTEXT: u32 = 3;

/// The lines of an edit: removed ones begin with `-`, added ones with `+`. `edits` is how many its message has.
pub fn edit(edit: &Edit, info: &EditInfo, edits: usize, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let texts = texts(edit, info).among(edits);
    let Some(diff) = texts.file_diff(edit, CONTEXT) else { return Vec::new() };
    let mut lines = file(&diff, width, theme);
    if diff.is_cut {
        lines.push(Line::styled("Too much to be compared line by line: all lines count as changed", theme.quiet()));
    }
    lines.extend(texts.line_ends_note().map(|note| Line::styled(note, theme.quiet())));
    lines
}

fn file(diff: &FileDiff, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut numbers = diff.first_line;
    let mut rows = Rows { lines: Vec::new(), width, theme };
    for run in &diff.runs {
        match run {
            DiffRun::Gap { lines, section } => {
                let section = section.as_deref().map_or_else(String::new, |section| format!("  {}", section.trim()));
                let plural = if *lines == 1 { "" } else { "s" };
                rows.note(&format!("⋯ {lines} unchanged line{plural}{section}"));
                numbers = numbers.map(|(old, new)| (old + lines, new + lines));
            }
            DiffRun::Context(lines) => {
                for line in lines {
                    rows.line(' ', numbers.map(|(_, new)| new), line, Style::new());
                    numbers = numbers.map(|(old, new)| (old + 1, new + 1));
                }
            }
            DiffRun::Change { old, new, .. } => {
                for line in old {
                    rows.line('-', numbers.map(|(old, _)| old), line, theme.removed());
                    numbers = numbers.map(|(old, new)| (old + 1, new));
                }
                for line in new {
                    rows.line('+', numbers.map(|(_, new)| new), line, theme.added());
                    numbers = numbers.map(|(old, new)| (old, new + 1));
                }
            }
        }
    }
    rows.lines
}

struct Rows {
    lines: Vec<Line<'static>>,
    width: usize,
    theme: Theme,
}

impl Rows {
    fn line(&mut self, sign: char, number: Option<u32>, line: &CodeLine, style: Style) {
        let number = number.map_or_else(String::new, |number| format!("{number:>5} "));
        let next = Span::styled(format!("{}  ", " ".repeat(number.len())), style);
        let first = Span::styled(format!("{number}{sign} "), style);
        let spans = spans(line, style, self.theme);
        self.lines.extend(wrap(&spans, self.width, Break::Anywhere, (&first, &next)));
        if line.no_newline && sign != ' ' {
            self.note("  no line end at the end of the file");
        }
    }

    fn note(&mut self, text: &str) {
        let spans = [Span::styled(crate::visible::text(text), self.theme.quiet())];
        self.lines.extend(wrap(&spans, self.width, Break::Anywhere, (&Span::raw(""), &Span::raw(""))));
    }
}

/// The pieces of a line: changed words stand out. `diff` made visible what hides.
fn spans(line: &CodeLine, style: Style, theme: Theme) -> Vec<Span<'static>> {
    let mut edges: Vec<usize> = line.marks.iter().flat_map(|(start, end)| [*start as usize, *end as usize]).collect();
    edges.extend(line.tokens.iter().flat_map(|token| [token.start as usize, token.end as usize]));
    edges.extend([0, line.text.len()]);
    edges.sort_unstable();
    edges.dedup();
    let changed = style != Style::new();
    let piece = |pair: &[usize]| {
        let &[start, end] = pair else { return None };
        let text = line.text.get(start..end)?.replace('\t', "    ");
        let marked = line.marks.iter().any(|(from, to)| *from as usize <= start && end <= *to as usize);
        let token = line.tokens.iter().find(|token| token.start as usize <= start && end <= token.end as usize);
        let style = match token {
            // A changed line has the colour of its side.
            Some(token) if !changed => self::token(token.class, theme),
            _ => style,
        };
        Some(Span::styled(text, if marked { theme.marked(style) } else { style }))
    };
    edges.windows(2).filter_map(piece).collect()
}

fn token(class: TokenClass, theme: Theme) -> Style {
    match class {
        TokenClass::Comment => theme.quiet(),
        TokenClass::Keyword => theme.strong(),
        TokenClass::String | TokenClass::Number => theme.code(),
        TokenClass::Function | TokenClass::Type => Style::new(),
    }
}

/// Code with the colours of its language. `diff` doesn't change the text, so that what hides is made visible first.
pub fn block(language: &str, code: &str, theme: Theme) -> Vec<Vec<Span<'static>>> {
    let code = crate::visible::text(code.trim_end_matches('\n'));
    diff::highlight(language, &code).iter().map(|line| spans(line, Style::new(), theme)).collect()
}
