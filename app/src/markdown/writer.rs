//! From markdown's events to HTML.

use super::direction::Direction;
use super::inline::{Mark, mark};
use super::literal::{ends_line, restored};
use super::{Breaks, autolink, code_block::code_block};
use crate::html::Html;
use crate::visible;
use pulldown_cmark::{Alignment, CodeBlockKind, CowStr, Event, HeadingLevel, Tag, TagEnd};
use std::{borrow::Cow, collections::HashMap};

/// Deeper nesting is drawn flat.
const MAX_DEPTH: usize = 24;
/// Levels of lists beyond it that are told apart.
const MOST_BULLETS: usize = 8;

pub(super) struct Writer<'s> {
    html: Html,
    breaks: Breaks,
    scope: &'s str,
    /// End tag of each open element, empty if nothing was opened, and the direction of its text.
    open: Vec<(&'static str, Direction)>,
    /// Puts back what the text was protected with.
    restored: fn(&str) -> Cow<'_, str>,
    /// True if the written line also ends on the screen.
    line_ends: bool,
    /// Language and text of the code block that is being read.
    code: Option<(String, String)>,
    /// Are we in a link? Bare addresses stay text there.
    links: usize,
    columns: Vec<Alignment>,
    column: usize,
    in_table: bool,
    in_head: bool,
    footnotes: HashMap<String, usize>,
    /// The levels of the headings that the present one is below, as they were written.
    headings: Vec<HeadingLevel>,
    /// Elements of what came before `html`.
    before: usize,
    /// Elements in the first so many bytes of `html`.
    counted: (usize, usize),
}

/// State before a block, which its drawing depends on.
#[derive(Debug, Clone, Default)]
pub(super) struct Surroundings {
    elements: usize,
    headings: Vec<HeadingLevel>,
}

impl<'s> Writer<'s> {
    pub fn new(breaks: Breaks, scope: &'s str, before: Surroundings) -> Self {
        Self {
            html: Html::new(),
            breaks,
            scope,
            open: Vec::new(),
            restored: |text| Cow::Borrowed(text),
            line_ends: false,
            code: None,
            links: 0,
            columns: Vec::new(),
            column: 0,
            in_table: false,
            in_head: false,
            footnotes: HashMap::new(),
            headings: before.headings,
            before: before.elements,
            counted: (0, 0),
        }
    }

    /// Returns the state before the next block.
    pub fn surroundings(&mut self) -> Surroundings {
        Surroundings { elements: self.elements(), headings: self.headings.clone() }
    }

    /// Puts back what the text was protected with.
    pub fn restoring(mut self) -> Self {
        self.restored = restored;
        self
    }

    /// `direction`: of the text in the block that starts.
    pub fn event(&mut self, event: Event<'_>, direction: Option<Direction>) {
        let line_ends = std::mem::take(&mut self.line_ends);
        match event {
            Event::Start(tag) => self.start(tag, direction),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) | Event::InlineMath(code) | Event::DisplayMath(code) => {
                self.html.tag("<code>");
                let code = (self.restored)(&code);
                visible::push(&mut self.html, &code);
                self.html.tag("</code>");
            }
            Event::Html(text) if mark(&text) == Some(Mark::Breaks) => self.line_break(),
            Event::InlineHtml(text) => match mark(&text) {
                Some(Mark::Opens(open, close)) => self.push(open, close),
                Some(Mark::Closes(_)) => self.pop(),
                Some(Mark::Breaks) => self.line_break(),
                None => self.html_text(&text),
            },
            Event::Html(text) => self.html_text(&text),
            Event::FootnoteReference(label) => self.footnote_reference(&label),
            Event::SoftBreak => {
                self.html.tag(if line_ends || self.breaks == Breaks::Hard { "<br>" } else { "\n" });
            }
            Event::HardBreak => self.line_break(),
            Event::Rule => {
                self.html.tag("<hr>");
            }
            Event::TaskListMarker(true) => {
                self.html.tag("<span class=\"box done\" role=\"img\" aria-label=\"Done\"></span>");
            }
            Event::TaskListMarker(false) => {
                self.html.tag("<span class=\"box\" role=\"img\" aria-label=\"Open\"></span>");
            }
        }
    }

    /// Elements written so far.
    pub fn elements(&mut self) -> usize {
        let (elements, bytes) = self.counted;
        let fresh = self.html.as_str().get(bytes..).unwrap_or_default();
        self.counted = (elements + fresh.matches("</").count(), self.html.len());
        self.before + self.counted.0
    }

    /// Bytes written so far.
    pub fn len(&self) -> usize {
        self.html.len()
    }

    pub fn finish(mut self) -> Html {
        while let Some((close, _)) = self.open.pop() {
            self.html.tag(close);
        }
        self.html
    }

    /// HTML that isn't ours to draw.
    fn html_text(&mut self, text: &str) {
        let text = (self.restored)(text);
        visible::prose(&mut self.html, &text);
    }

    fn text(&mut self, text: &str) {
        self.line_ends = ends_line(text);
        let text = &*(self.restored)(text);
        if let Some((_, code)) = &mut self.code {
            code.push_str(text);
        } else if self.links > 0 {
            visible::prose(&mut self.html, text);
        } else {
            autolink::text(&mut self.html, text);
        }
    }

    fn line_break(&mut self) {
        self.html.tag("<br>");
    }

    /// Opens an element, unless we are too deep already. A table that was opened gets all its parts.
    fn push(&mut self, open: &'static str, close: &'static str) {
        let opens = self.has_room();
        if opens {
            self.html.tag(open);
        }
        self.opened(if opens { close } else { "" }, None);
    }

    /// Opens an element that is a block, without the end of its tag: it says its direction where that isn't the one
    /// around it. Returns whether it was opened.
    fn block(&mut self, open: &'static str, close: &'static str, direction: Option<Direction>) -> bool {
        let opens = self.has_room();
        if opens {
            self.html.tag(open);
            self.direction(direction);
            self.html.tag(">");
        }
        self.opened(if opens { close } else { "" }, direction.filter(|_| opens));
        opens
    }

    fn has_room(&self) -> bool {
        self.open.len() < MAX_DEPTH || self.in_table
    }

    fn opened(&mut self, close: &'static str, direction: Option<Direction>) {
        self.open.push((close, direction.unwrap_or(self.around())));
    }

    /// The direction of what is open.
    fn around(&self) -> Direction {
        self.open.last().map_or(Direction::default(), |(_, direction)| *direction)
    }

    fn direction(&mut self, direction: Option<Direction>) {
        if let Some(direction) = direction.filter(|direction| *direction != self.around()) {
            self.html.tag(direction.attribute());
        }
    }

    fn pop(&mut self) {
        if let Some((close, _)) = self.open.pop() {
            self.html.tag(close);
        }
    }

    fn start(&mut self, tag: Tag<'_>, direction: Option<Direction>) {
        match tag {
            Tag::Paragraph => _ = self.block("<p", "</p>", direction),
            Tag::Heading { level, .. } => self.heading(level, direction),
            Tag::BlockQuote(_) => _ = self.block("<blockquote", "</blockquote>", direction),
            Tag::HtmlBlock => _ = self.block("<p class=\"lines\"", "</p>", direction),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(language) => (self.restored)(&language).into_owned(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(None) => self.push("<ul>", "</ul>"),
            Tag::List(Some(start)) => self.ordered(start),
            Tag::Item => self.item(direction),
            Tag::FootnoteDefinition(label) => self.footnote(&label, direction),
            Tag::Table(columns) => {
                self.columns = columns;
                self.in_table = self.open.len() < MAX_DEPTH;
                if self.block("<div class=\"table-wrap\" tabindex=\"0\"", "</tbody></table></div>", direction) {
                    self.html.tag("<table class=\"table\">");
                }
            }
            Tag::TableHead => {
                (self.in_head, self.column) = (true, 0);
                self.push("<thead><tr>", "</tr></thead><tbody>");
            }
            Tag::TableRow => {
                self.column = 0;
                self.push("<tr>", "</tr>");
            }
            Tag::TableCell => self.cell(direction),
            Tag::Emphasis => self.push("<em>", "</em>"),
            Tag::Strong => self.push("<strong>", "</strong>"),
            Tag::Strikethrough => self.push("<del>", "</del>"),
            Tag::Link { dest_url, .. } => self.link(&(self.restored)(&dest_url)),
            Tag::Image { dest_url, .. } => self.image(&(self.restored)(&dest_url)),
            _ => self.push("", ""),
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    code_block(&mut self.html, &language, &code);
                }
                return;
            }
            TagEnd::Link | TagEnd::Image => self.links = self.links.saturating_sub(1),
            TagEnd::TableHead => self.in_head = false,
            TagEnd::Table => self.in_table = false,
            _ => {}
        }
        self.pop();
    }

    /// Writes an item. One that is too deep for its own list is a line of the last list, with a bullet for each further
    /// level.
    fn item(&mut self, direction: Option<Direction>) {
        let deeper = self.open.len().saturating_sub(MAX_DEPTH);
        if self.open.len() >= MAX_DEPTH {
            let bullets = "\u{2022}".repeat(deeper.div_ceil(2).clamp(1, MOST_BULLETS)) + " ";
            self.html.tag("<br>").text(&bullets);
        }
        self.block("<li", "</li>", direction);
    }

    /// A level below the page's own headings, and never more than one below the last: whoever listens goes from level
    /// to level.
    fn heading(&mut self, level: HeadingLevel, direction: Option<Direction>) {
        while self.headings.pop_if(|above| *above >= level).is_some() {}
        self.headings.push(level);
        let (open, close) = match self.headings.len() {
            1 => ("<h2", "</h2>"),
            2 => ("<h3", "</h3>"),
            3 => ("<h4", "</h4>"),
            4 => ("<h5", "</h5>"),
            _ => ("<h6", "</h6>"),
        };
        self.block(open, close, direction);
    }

    fn ordered(&mut self, start: u64) {
        if start == 1 || self.open.len() >= MAX_DEPTH {
            self.push("<ol>", "</ol>");
        } else {
            self.html.tag("<ol").attr("start", &start.to_string()).tag(">");
            self.opened("</ol>", None);
        }
    }

    fn cell(&mut self, direction: Option<Direction>) {
        let at = self.column;
        self.column += 1;
        let (open, close) = match (self.in_head, self.columns.get(at)) {
            (true, Some(Alignment::Right)) => ("<th scope=\"col\" class=\"right\"", "</th>"),
            (true, Some(Alignment::Center)) => ("<th scope=\"col\" class=\"mid\"", "</th>"),
            (true, _) => ("<th scope=\"col\"", "</th>"),
            (false, Some(Alignment::Right)) => ("<td class=\"right\"", "</td>"),
            (false, Some(Alignment::Center)) => ("<td class=\"mid\"", "</td>"),
            (false, _) => ("<td", "</td>"),
        };
        self.block(open, close, direction);
    }

    fn link(&mut self, address: &str) {
        self.links += 1;
        if self.open.len() >= MAX_DEPTH {
            self.opened("", None);
        } else if autolink::is_safe(address) {
            autolink::open(&mut self.html, address);
            self.opened("</a>", None);
        } else {
            // Often a path of the project: say it on hover, but never follow it.
            self.html.tag("<span class=\"ref\"").attr("title", address).tag(">");
            self.opened("</span>", None);
        }
    }

    /// Images elsewhere are never loaded: that would tell their server who reads what.
    fn image(&mut self, address: &str) {
        self.link(address);
        self.html.tag("Image: ");
    }

    fn footnote_number(&mut self, label: &str) -> usize {
        let next = self.footnotes.len() + 1;
        *self.footnotes.entry(label.to_owned()).or_insert(next)
    }

    fn footnote_id(&self, number: usize) -> String {
        format!("fn-{}-{number}", self.scope)
    }

    fn footnote_reference(&mut self, label: &CowStr<'_>) {
        let number = self.footnote_number(label);
        let target = format!("#{}", self.footnote_id(number));
        self.html.tag("<sup><a").attr("href", &target).tag(">").number(number as i64).tag("</a></sup>");
    }

    fn footnote(&mut self, label: &CowStr<'_>, direction: Option<Direction>) {
        let number = self.footnote_number(label);
        if self.open.len() >= MAX_DEPTH {
            self.opened("", None);
            return;
        }
        let id = self.footnote_id(number);
        self.html.tag("<div class=\"footnote\"").attr("id", &id);
        self.direction(direction);
        self.html.tag("><sup>").number(number as i64).tag("</sup>");
        self.opened("</div>", direction);
    }
}
