//! The difference of one file, as the changes page fetches it.

mod copy;
mod find;
mod prepared;
mod ruler;
mod table;

pub use copy::{CopyWhat, copied};
pub use prepared::{Prepared, known, prepare};

use crate::figures;
use crate::html::Html;
use crate::markdown::code_lines;
use crate::message::code_edit::diff_view::{Colours, Part, context_html, runs_html};
use crate::message::code_edit::{CUT, DiffStyle, Extent, NOT_TEXT, blocks};
use crate::shared::attr;
use diff::{Arrangement, Layout, Outline, Spaces};
use serde::Deserialize;

/// Unchanged lines around a change.
const CONTEXT: u32 = 3;
/// More lines than these are drawn as blocks of text.
const MAX_ROWS: usize = 240;
/// A longer line would wrap into thousands of rows.
const MAX_LINE: usize = 4_000;

/// How the reader wants to see it.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct BodyQuery {
    /// `split`, else unified.
    view: Option<String>,
    /// Unchanged lines around a change; `all`.
    context: Option<String>,
    /// `0:105-124,1:9-12`: unchanged lines that are shown too, by part and by their numbers in the new file.
    open: Option<String>,
    /// `1`: lines that differ in white space alone are equal.
    spaces: Option<u8>,
    /// `1`: also what is folded for a reason.
    show: Option<u8>,
    /// `1`: colours as elements, for browsers without highlights.
    spans: Option<u8>,
    /// `1`: as a table.
    table: Option<u8>,
    /// Hash of the change: one that is still known needs no look at the session.
    pub hash: Option<String>,
    /// Which part `rows`, `lines`, `step` and `find` belong to.
    part: Option<usize>,
    /// `500-1000`: these rows, of a large difference.
    rows: Option<String>,
    /// `523,801`: rows behind which a block ends.
    cut: Option<String>,
    /// `12-31`: unchanged lines with these numbers.
    lines: Option<String>,
    /// `R30-34~1a2b3c4d`, or `R3-7@812.0~1a2b3c4d` of an edit of unknown place: where these lines are, and what they
    /// say.
    find: Option<String>,
    /// `next` or `previous`: where the change behind or before the row `at` is.
    step: Option<String>,
    at: Option<u32>,
}

/// Response to a query.
#[derive(Debug, PartialEq, Eq)]
pub enum Body {
    /// The inner HTML of a file's body, or a piece of it.
    Html(String),
    /// Text for the page's program.
    Text(String),
}

pub fn body(prepared: &Prepared, query: &BodyQuery, address: &str) -> Body {
    let shown = Shown { prepared, query };
    let mut html = Html::new();
    if query.find.is_some() || query.step.is_some() {
        return Body::Text(find::answer(&shown).unwrap_or_default());
    }
    if let Some(range) = query.rows.as_deref().and_then(range) {
        if let Some(layout) = shown.part() {
            let cuts = query.cut.as_deref().unwrap_or_default().split(',').filter_map(|row| row.parse().ok());
            html.html(&blocks::rows_html(&layout, range, &cuts.collect::<Vec<_>>()));
        }
    } else if let Some(lines) = query.lines.as_deref().and_then(range) {
        if let Some(layout) = shown.part() {
            let look = shown.look(query.part.unwrap_or(0));
            html.html(&context_html(&layout, lines.start as u32, lines.end as u32, look));
        }
    } else if query.table == Some(1) {
        table::table(&mut html, &shown);
    } else {
        shown.difference(&mut html, address);
    }
    Body::Html(html.into_string())
}

impl BodyQuery {
    fn context(&self) -> u32 {
        match self.context.as_deref() {
            Some("all") => u32::MAX,
            Some(lines) => lines.parse().unwrap_or(CONTEXT),
            None => CONTEXT,
        }
    }

    /// The lines of a part that were asked for.
    fn opened(&self, part: usize) -> Vec<std::ops::Range<u32>> {
        let one = |words: &str| {
            let (of, lines) = words.split_once(':')?;
            let lines = range(lines).filter(|_| of.parse() == Ok(part))?;
            Some(u32::try_from(lines.start).ok()?..u32::try_from(lines.end).ok()?.saturating_add(1))
        };
        self.open.as_deref().unwrap_or_default().split(',').filter_map(one).collect()
    }

    /// Returns whether lines count as changed that differ only in white space.
    pub fn spaces(&self) -> Spaces {
        if self.spaces == Some(1) { Spaces::Ignored } else { Spaces::Matter }
    }

    fn arrangement(&self) -> Arrangement {
        if self.view.as_deref() == Some("split") { Arrangement::Split } else { Arrangement::Unified }
    }
}

/// `12-31`.
fn range(words: &str) -> Option<std::ops::Range<usize>> {
    let (from, to) = words.split_once('-')?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to).then_some(from..to)
}

/// A file, and how it is looked at.
struct Shown<'a> {
    prepared: &'a Prepared,
    query: &'a BodyQuery,
}

impl<'a> Shown<'a> {
    fn outlines(&self) -> &'a [Outline] {
        self.prepared.outlines(self.query.spaces())
    }

    /// The part that is asked for, laid out.
    fn part(&self) -> Option<Layout<'a>> {
        let part = self.query.part.unwrap_or(0);
        self.outlines().get(part).map(|outline| self.layout(part, outline))
    }

    /// A side alone isn't set beside nothing.
    fn arrangement(&self) -> Arrangement {
        if self.outlines().iter().all(prepared::is_one_sided) { Arrangement::Unified } else { self.query.arrangement() }
    }

    fn layout(&self, part: usize, outline: &'a Outline) -> Layout<'a> {
        outline.lay_out_with(self.arrangement(), self.query.context(), &self.query.opened(part))
    }

    fn place(&self, index: usize) -> Part<'a> {
        let edit = self.prepared.edits.get(index).and_then(Option::as_deref);
        Part { index, path: &self.prepared.path, file: &self.prepared.id, edit }
    }

    fn look(&self, part: usize) -> DiffStyle<'a> {
        let is_elements = self.query.spans == Some(1);
        DiffStyle {
            extent: Extent::All,
            split: self.arrangement() == Arrangement::Split,
            colours: if is_elements { Colours::Elements } else { Colours::Ranges },
            part: Some(self.place(part)),
        }
    }

    fn difference(&self, html: &mut Html, address: &str) {
        let prepared = self.prepared;
        if let Some(pictures) = &prepared.pictures {
            html.html(pictures);
            return;
        }
        if let Some(why) = prepared.folded.as_deref().filter(|_| self.query.show != Some(1)) {
            html.tag("<p class=\"folded-why\"><span>")
                .text(why)
                .tag("</span><button type=\"button\" class=\"btn\" data-review=\"show\">Show anyway</button></p>");
            return;
        }
        if prepared.too_large {
            return note(html, "Its edits have more than 16 MiB of text. Each is in the transcript");
        }
        if prepared.broken {
            note(
                html,
                "The file was changed by something else between the edits, or has too many of them. Each part below is compared separately",
            );
        }
        let outlines = self.outlines();
        if outlines.iter().any(|outline| outline.approximate() && !prepared::is_one_sided(outline)) {
            note(html, "The file is large: moved blocks and some changed words aren't marked");
        }
        if outlines.iter().any(Outline::is_cut) {
            note(html, CUT);
        }
        let layouts: Vec<Layout<'_>> =
            outlines.iter().enumerate().map(|(part, outline)| self.layout(part, outline)).collect();
        ruler::ruler_html(html, &layouts);
        let rows: usize = layouts.iter().map(Layout::len).sum();
        if rows > MAX_ROWS || outlines.iter().any(|outline| outline.has_longer_line(MAX_LINE)) {
            let mut end = None;
            for (part, (outline, layout)) in outlines.iter().zip(&layouts).enumerate() {
                before(html, end, outline);
                html.html(&blocks::frame_html(layout, self.place(part), address));
                end = prepared::end(outline);
            }
        } else if !outlines.is_empty() {
            self.rows(html, outlines);
        }
        for patch in &prepared.patches {
            patch_html(html, patch);
        }
        if outlines.is_empty() && prepared.patches.is_empty() {
            note(html, "No difference: the edits cancelled each other, or the change wasn't recorded");
        }
    }

    fn rows(&self, html: &mut Html, outlines: &[Outline]) {
        if let Some(words) = outlines.iter().find_map(Outline::line_ends_note) {
            note(html, &words);
        }
        let split = self.arrangement() == Arrangement::Split;
        let classes = match (outlines.iter().all(prepared::is_one_sided), split) {
            (true, _) => "<div class=\"diff one\">",
            (_, true) => "<div class=\"diff\"><div class=\"split\">",
            _ => "<div class=\"diff\">",
        };
        html.tag(classes);
        let mut end = None;
        for (part, outline) in outlines.iter().enumerate() {
            before(html, end, outline);
            let look = self.look(part);
            if let Some(edit) = look.part.and_then(|part| part.edit) {
                html.tag("<div class=\"loose\"").attr(attr::EDIT, edit).tag(">");
            }
            runs_html(html, &outline.file_diff_with(self.query.context(), &self.query.opened(part)), look);
            if look.part.is_some_and(|part| part.edit.is_some()) {
                html.tag("</div>");
            }
            end = prepared::end(outline);
        }
        html.tag(if split { "</div></div>" } else { "</div>" });
    }
}

/// Lines of a patch that are drawn: each of them is some elements.
const MAX_PATCH: usize = 120;

/// A patch of which the texts can't be read, as it came, and why.
fn patch_html(html: &mut Html, patch: &str) {
    // Its bytes, as git writes them, are nothing to read.
    if diff::is_binary_patch(patch) {
        return note(html, NOT_TEXT);
    }
    note(
        html,
        if patch.lines().any(|line| line.starts_with("new mode ")) {
            "The mode of the file changed"
        } else {
            "The recorded patch is incomplete and can't be compared. It is shown unchanged"
        },
    );
    let end = patch.match_indices('\n').nth(MAX_PATCH - 1).map_or(patch.len(), |(at, _)| at);
    // A line may be as long as a file.
    let end = patch.floor_char_boundary(end.min(MAX_PATCH * 400));
    html.tag("<pre class=\"term\" tabindex=\"0\">");
    code_lines(html, "diff", &patch[..end]);
    html.tag("</pre>");
    let left = patch[end..].trim_matches('\n').lines().count();
    if left > 0 {
        let words = figures::counted(i64::try_from(left).unwrap_or(i64::MAX), "more line");
        html.tag("<p class=\"line note-line\">").text(&words).tag(": copy the patch to read them</p>");
    }
}

/// Draws the unknown lines before a part.
fn before(html: &mut Html, end: Option<u32>, outline: &Outline) {
    match (end, outline.first_line()) {
        (_, None) => {
            between(html, "The position in the file wasn't recorded. Lines are counted from the first one shown", None);
        }
        (Some(end), Some((_, first))) if first > end => between(html, " lines not recorded", Some(first - end)),
        (None, Some((_, first))) if first > 1 => between(html, " lines before are not recorded", Some(first - 1)),
        _ => {}
    }
}

fn note(html: &mut Html, words: &str) {
    html.tag("<p class=\"line note-line\">").text(words).tag("</p>");
}

fn between(html: &mut Html, words: &'static str, lines: Option<u32>) {
    html.tag("<p class=\"gap unknown\"><span>");
    if let Some(lines) = lines {
        html.number(lines);
    }
    html.tag(words).tag("</span></p>");
}
