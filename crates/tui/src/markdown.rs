//! Markdown, drawn plainly.

use crate::code;
use crate::theme::Theme;
use crate::visible;
use crate::wrap::{Break, wrap};
use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};
use std::mem::take;

/// The lines of a text in a width. Tables and HTML stand as they are written.
pub fn lines(markdown: &str, width: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut writer = Writer {
        width,
        theme,
        lines: Vec::new(),
        spans: Vec::new(),
        styles: vec![Style::new()],
        first: String::new(),
        indent: String::new(),
        lists: Vec::new(),
        code: None,
        links: Vec::new(),
    };
    for event in Parser::new_ext(markdown, Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS) {
        writer.event(event);
    }
    writer.end_line();
    while writer.lines.last().is_some_and(|line| line.width() == 0) {
        writer.lines.pop();
    }
    writer.lines
}

struct Writer {
    width: usize,
    theme: Theme,
    lines: Vec<Line<'static>>,
    spans: Vec<Span<'static>>,
    styles: Vec<Style>,
    /// Prefix of the next line only: a bullet.
    first: String,
    /// Prefix of all lines: of lists and quotes.
    indent: String,
    /// The number of the next item; None for bullets.
    lists: Vec<Option<u64>>,
    /// Language and text of the code that is being read.
    code: Option<(String, String)>,
    links: Vec<(String, usize)>,
}

impl Writer {
    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or_default()
    }

    fn push_style(&mut self, modifier: Modifier) {
        self.styles.push(self.style().add_modifier(modifier));
    }

    fn text(&mut self, text: &str, style: Style) {
        let text = visible::text(text);
        for (index, piece) in text.split('\n').enumerate() {
            if index > 0 {
                self.end_line();
            }
            if !piece.is_empty() {
                self.spans.push(Span::styled(piece.to_owned(), style));
            }
        }
    }

    fn end_line(&mut self) {
        if self.spans.is_empty() && self.first.is_empty() {
            return;
        }
        let spans = take(&mut self.spans);
        let next = Span::raw(self.indent.clone());
        let first = if self.first.is_empty() { next.clone() } else { Span::raw(take(&mut self.first)) };
        self.lines.extend(wrap(&spans, self.width, Break::Words, (&first, &next)));
    }

    fn blank(&mut self) {
        self.end_line();
        // Items of a list stand close.
        if self.lists.is_empty() && self.lines.last().is_some_and(|line| line.width() > 0) {
            self.lines.push(Line::default());
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.text(&text, self.style()),
            },
            Event::Code(code) => {
                let style = self.style().patch(self.theme.code());
                let quotes = if self.theme == Theme::Plain { "`" } else { "" };
                self.text(&format!("{quotes}{code}{quotes}"), style);
            }
            Event::Html(html) | Event::InlineHtml(html) => self.text(html.trim_end_matches('\n'), self.style()),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.text(&text, self.style());
            }
            Event::SoftBreak | Event::HardBreak => self.end_line(),
            Event::Rule => {
                self.blank();
                self.lines.push(Line::styled("─".repeat(self.width.min(40)), self.theme.quiet()));
                self.lines.push(Line::default());
            }
            Event::TaskListMarker(done) => self.text(if done { "[x] " } else { "[ ] " }, self.style()),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.blank();
                self.push_style(Modifier::BOLD);
                let signs = match level {
                    HeadingLevel::H1 => 1,
                    HeadingLevel::H2 => 2,
                    _ => 3,
                };
                self.text(&format!("{} ", "#".repeat(signs)), self.style());
            }
            Tag::BlockQuote(_) => {
                self.blank();
                self.indent.push_str("│ ");
            }
            Tag::CodeBlock(kind) => {
                self.end_line();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.split_whitespace().next().unwrap_or_default().to_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(start) => {
                self.end_line();
                self.lists.push(start);
            }
            Tag::Item => {
                self.end_line();
                let mark = match self.lists.last_mut() {
                    Some(Some(number)) => {
                        *number += 1;
                        format!("{}. ", *number - 1)
                    }
                    _ => "• ".to_owned(),
                };
                self.first = format!("{}{mark}", self.indent);
                self.indent.push_str("  ");
            }
            Tag::Emphasis => self.push_style(Modifier::ITALIC),
            Tag::Strong => self.push_style(Modifier::BOLD),
            Tag::Strikethrough => self.push_style(Modifier::CROSSED_OUT),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.links.push((dest_url.to_string(), self.spans.len()));
            }
            _ => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.blank(),
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end_line();
            }
            TagEnd::BlockQuote(_) => {
                self.end_line();
                self.indent.truncate(self.indent.len().saturating_sub("│ ".len()));
                self.blank();
            }
            TagEnd::CodeBlock => {
                let (language, code) = self.code.take().unwrap_or_default();
                let mark = Span::styled(format!("{}┆ ", self.indent), self.theme.quiet());
                for line in code::block(&language, &code, self.theme) {
                    self.lines.extend(wrap(&line, self.width, Break::Anywhere, (&mark, &mark)));
                }
                self.blank();
            }
            TagEnd::List(_) => {
                self.end_line();
                self.lists.pop();
                self.blank();
            }
            TagEnd::Item => {
                self.end_line();
                self.indent.truncate(self.indent.len().saturating_sub(2));
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.link(),
            _ => {}
        }
    }

    /// Where a link leads stands behind it, unless its words say so.
    fn link(&mut self) {
        let Some((target, from)) = self.links.pop() else { return };
        let words: String = self.spans.get(from..).unwrap_or_default().iter().map(|span| &*span.content).collect();
        if words != target && !target.is_empty() {
            self.text(&format!(" ({target})"), self.style().patch(self.theme.quiet()));
        }
    }
}
