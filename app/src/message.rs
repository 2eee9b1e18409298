//! The components of messages, one file per message type. They are drawn on the server only; what they hold is HTML
//! that can be read and unfolded without scripts. Actions are buttons with `data-action`, which the transcript takes
//! over.
//!
//! How to add one: a file here with a component that takes a [`Card`] and the payload, and an entry in
//! [`crate::message_renderer`]. Its style goes into a sheet of the same name in `style/message`, which `style/main.css`
//! imports.

#![expect(clippy::needless_pass_by_value, reason = "a component owns its properties")]

pub mod action;
pub mod approval;
pub mod broken;
pub mod chart;
pub mod code_edit;
pub mod code_review;
pub mod declared;
pub mod error;
pub mod file;
pub mod parts;
pub mod progress;
pub mod text;
pub mod todo;
pub mod tool_call;
pub mod unknown;
pub mod view_options;
pub mod voice;

use crate::html::Html;
use crate::markdown::{Breaks, to_html_within, typed};
use crate::paths::path_within;
use crate::shared::fragments_href;
use api::messages::Entry;
use model::Draft;
use model::policy::{Look, Policy, Side, facts_of, policy};
use std::sync::Arc;
use view_options::{Detail, TranscriptOptions};

/// Elements of a text before the reader asks for all of it.
pub(crate) const AT_FIRST: usize = 400;
/// Characters of a value before the reader asks for all of it.
const CUT_CHARS: usize = 4_000;

/// Input of every message component: a message, and the display options. Clones share state.
#[derive(Debug, Clone)]
pub struct Card {
    pub entry: Arc<Entry>,
    pub options: Arc<TranscriptOptions>,
    /// How the message is treated: the one source of its side and look.
    pub policy: Policy,
}

impl Card {
    pub fn new(entry: Entry, options: Arc<TranscriptOptions>) -> Self {
        let policy = policy(&facts_of(&entry.message.draft));
        Self { entry: Arc::new(entry), options, policy }
    }

    pub fn draft(&self) -> &Draft {
        &self.entry.message.draft
    }

    /// Class of the block in the speaker's voice.
    pub fn voice_class(&self) -> &'static str {
        match self.policy {
            Policy { look: Look::PassedOn, .. } => "msg passed",
            Policy { look: Look::Dimmed, .. } => "msg user dimmed",
            Policy { side: Side::Right, .. } => "msg user",
            _ => "msg",
        }
    }

    /// Returns true if it was read from a transcript, so that its bytes are evidence.
    pub fn is_observed(&self) -> bool {
        !self.entry.message.records.is_empty()
    }

    /// Returns true if nothing is shortened.
    pub fn whole(&self) -> bool {
        matches!(self.options.detail, Detail::Whole | Detail::Printed)
    }

    /// Returns true for print, where nothing more can be loaded.
    pub fn printed(&self) -> bool {
        self.options.detail == Detail::Printed
    }

    /// Returns true if the content of folded parts isn't drawn yet.
    pub fn at_a_glance(&self) -> bool {
        self.options.detail == Detail::Glance
    }

    /// The text as markdown, for the voice of an agent.
    pub fn prose(&self, markdown: &str) -> Html {
        self.markdown(markdown, Breaks::Soft)
    }

    /// Like [`Self::prose`], for one of several texts of a message: what they name by an id isn't mixed up.
    pub fn prose_of(&self, markdown: &str, part: usize) -> Html {
        let scope = format!("{}-{part}", self.entry.message.seq);
        self.cut_html(|max| to_html_within(markdown, Breaks::Soft, &scope, max))
    }

    /// The text as markdown. What would make the page slow is cut, and says how to get the rest.
    pub fn markdown(&self, markdown: &str, breaks: Breaks) -> Html {
        let scope = self.entry.message.seq.to_string();
        self.cut_html(|max| to_html_within(markdown, breaks, &scope, max))
    }

    /// A person's text as they typed it, cut the same way.
    pub fn typed(&self, text: &str) -> Html {
        self.cut_html(|max| typed(text, max))
    }

    /// Draws up to so many elements; says how to get the rest.
    fn cut_html(&self, draw: impl FnOnce(usize) -> (Html, bool)) -> Html {
        const AT_ALL: usize = 30_000;
        let (mut html, cut) = draw(if self.whole() { AT_ALL } else { AT_FIRST });
        if cut && self.whole() {
            html.tag("<p class=\"mut\">Too long to draw. <a target=\"_blank\"").attr("href", &self.full_text());
            html.tag(">Open the full text</a></p>");
        } else if cut {
            parts::show_all(&mut html, "Show all");
        }
        html
    }

    /// Where everything that the message says is read, as plain text.
    pub fn full_text(&self) -> String {
        format!("{}/text/{}", fragments_href(self.options.session_id.as_str()), self.entry.message.seq)
    }

    /// Returns true if [`Self::cut_text`] shortens the text, which can be loaded in full.
    pub fn cuts(&self, text: &str) -> bool {
        !self.whole() && text.chars().nth(CUT_CHARS).is_some()
    }

    /// The beginning of a text in which nothing hides, with the count of what is cut.
    pub fn cut_text(&self, text: &str) -> Html {
        let max = if self.whole() { 1_000_000 } else { CUT_CHARS };
        let end = text.char_indices().nth(max).map_or(text.len(), |(at, _)| at);
        let mut html = crate::visible::html(&text[..end]);
        if end < text.len() {
            let left = crate::figures::count(text[end..].chars().count() as i64);
            html.tag("<span class=\"more\">").text(&format!("… {left} more characters")).tag("</span>");
        }
        html
    }

    /// A path without the folder that the agent worked in, or the one that the session is of.
    pub fn short_path<'p>(&self, path: &'p str) -> &'p str {
        let folders = [self.draft().origin.cwd.as_deref(), Some(self.options.project.as_str())];
        folders.into_iter().flatten().find_map(|folder| path_within(path, folder)).unwrap_or(path)
    }
}
