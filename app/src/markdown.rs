//! Markdown as HTML, built from an allow-list: HTML in the source is shown as text but for a few elements that only
//! mark words, see `inline`; nothing is loaded from elsewhere, and size and depth are bounded.

mod autolink;
mod code_block;
mod direction;
mod fences;
mod growing;
mod inline;
mod literal;
mod script;
mod typed;
mod unseen;
mod writer;

use crate::html::Html;
use fences::Ending;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd, TextMergeStream};
use writer::{Surroundings, Writer};

pub(crate) use autolink::{is_safe, open as open_link};
pub(crate) use code_block::line_html;
pub use code_block::{code_block, code_lines};
pub use growing::{Grown, Settled, repaired};
pub use unseen::{Side, unseen};

/// Larger texts are cut, in bytes: nobody reads them as one message, and the page must stay quick.
const MAX_BYTES: usize = 256 * 1024;

const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES);

/// A text as HTML.
struct Written {
    html: Html,
    /// Where in it the blocks of the text's top level begin, each of which is one element.
    starts: Vec<usize>,
    /// State before each block.
    before: Vec<Surroundings>,
    cut: bool,
}

/// Treatment of a single line break in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Breaks {
    /// A space, as markdown says: agents write paragraphs.
    Soft,
    /// A line break: people press return where they want one.
    Hard,
}

/// The text as HTML, without an element around it. `scope` keeps ids of footnotes apart between messages.
pub fn to_html(text: &str, breaks: Breaks, scope: &str) -> Html {
    let (mut html, cut) = to_html_within(text, breaks, scope, usize::MAX);
    if cut {
        html.tag("<p class=\"mut\">Cut here: the rest is in the raw record</p>");
    }
    html
}

/// Like [`to_html`], with at most `max_elements`: a table of ten thousand cells isn't worth a slow page. The flag is
/// true if anything was cut.
pub fn to_html_within(text: &str, breaks: Breaks, scope: &str, max_elements: usize) -> (Html, bool) {
    let (text, cut_before) = within(text);
    let text = fences::separated(text, Ending::Final);
    let Written { html, cut, .. } = write(&text, Writer::new(breaks, scope, Surroundings::default()), max_elements);
    (html, cut || cut_before)
}

/// A person's text as they typed it, with line breaks and indents: of markdown only code and links are drawn.
pub fn typed(text: &str, max_elements: usize) -> (Html, bool) {
    let (text, cut) = within(text);
    let (html, also_cut) = typed::write(&fences::separated(text, Ending::Final), max_elements);
    (html, cut || also_cut)
}

/// How many elements are open.
#[derive(Default)]
struct Level(usize);

impl Level {
    /// Returns true if the next event begins a block at the top level.
    fn begins_block(&mut self, event: &Event<'_>) -> bool {
        let begins = self.0 == 0 && !matches!(event, Event::End(_));
        match event {
            Event::Start(_) => self.0 += 1,
            Event::End(_) => self.0 = self.0.saturating_sub(1),
            _ => {}
        }
        begins
    }
}

/// Draws a text whose fences are separated.
fn write(text: &str, mut writer: Writer<'_>, max_elements: usize) -> Written {
    let protected = literal::protected(text);
    if protected.is_some() {
        writer = writer.restoring();
    }
    let text = protected.as_deref().unwrap_or(text);
    let mut cut = false;
    let (mut level, mut starts, mut before) = (Level::default(), Vec::new(), Vec::new());
    let mut events = TextMergeStream::new(Parser::new_ext(text, OPTIONS));
    let mut in_row = false;
    // Whether an element of HTML is closed is known at the end of its block.
    'text: while let Some(block_events) = inline::next_block(&mut events) {
        let directions = direction::of_blocks(&block_events);
        for (event, direction) in block_events.into_iter().zip(directions) {
            // A row of a table stays whole, unless it is as long as all the rest.
            if writer.elements() > if in_row { max_elements.saturating_mul(2) } else { max_elements } {
                cut = true;
                break 'text;
            }
            if level.begins_block(&event) {
                starts.push(writer.len());
                before.push(writer.surroundings());
            }
            match &event {
                Event::Start(Tag::TableRow) => in_row = true,
                Event::End(TagEnd::TableRow) => in_row = false,
                _ => {}
            }
            writer.event(event, direction);
        }
    }
    Written { html: writer.finish(), starts, before, cut }
}

fn within(text: &str) -> (&str, bool) {
    let end = text.floor_char_boundary(MAX_BYTES);
    (&text[..end], end < text.len())
}

#[cfg(test)]
mod tests;
