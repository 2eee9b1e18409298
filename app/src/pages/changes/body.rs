//! The difference of one file, as the changes page fetches it.

use crate::html::Html;
use crate::markdown::code_lines;
use crate::message::code_edit::blocks;
use crate::message::code_edit::diff_view::{Colours, context_html, line_count, runs_html};
use crate::message::code_edit::{Extent, Look, to_fold};
use api::net::{NetFile, NetPart, NetTexts};
use diff::{DiffInput, Spaces, file_diff};
use model::view::{CodeLine, DiffRun, FileDiff};
use quick_cache::{Weighter, sync::Cache};
use serde::Deserialize;
use std::sync::{Arc, LazyLock, Mutex};

/// Unchanged lines around a change.
const CONTEXT: u32 = 3;
/// More lines than these are drawn as blocks of text.
const MAX_ROWS: usize = 600;
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
    /// `1`: lines that differ in white space alone are equal.
    spaces: Option<u8>,
    /// `1`: also what is folded for a reason.
    show: Option<u8>,
    /// `1`: colours as elements, for browsers without highlights.
    spans: Option<u8>,
    /// `1`: as a table.
    table: Option<u8>,
    /// `500-1000`: these rows, of a large difference.
    rows: Option<String>,
    /// Hash of the change that `rows` are of: rows of a change that is still known need no look at the session.
    hash: Option<String>,
    /// Which part `rows` or `lines` belong to.
    part: Option<usize>,
    /// `12-31`: unchanged lines with these numbers.
    lines: Option<String>,
}

/// What may be copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CopyWhat {
    Patch,
    Old,
    New,
}

/// The inner HTML of a file's body.
pub fn body(file: &NetFile, query: &BodyQuery, address: &str) -> String {
    let none = NetTexts { parts: Vec::new(), patches: Vec::new() };
    let texts = file.texts.as_ref().unwrap_or(&none);
    let shown = Shown { file, texts, query };
    let mut html = Html::new();
    if let Some(range) = query.rows.as_deref().and_then(range) {
        if let Some(diff) = shown.diff(query.part.unwrap_or(0)) {
            html.html(&blocks::rows_html(&diff, shown.language(), range));
        }
        return html.into_string();
    }
    if let Some(lines) = query.lines.as_deref().and_then(range) {
        let all = BodyQuery { context: Some("all".to_owned()), ..query.clone() };
        let shown = Shown { file, texts, query: &all };
        if let Some(diff) = shown.diff(query.part.unwrap_or(0)) {
            html.html(&context_html(&diff, lines.start as u32, lines.end as u32, shown.look(0)));
        }
        return html.into_string();
    }
    if query.table == Some(1) {
        shown.table(&mut html);
    } else {
        shown.difference(&mut html, address);
    }
    html.into_string()
}

/// Rows of a change that was drawn before, with nothing but what the query says.
pub fn known_rows(path: &str, query: &BodyQuery) -> Option<String> {
    let (hash, range) = (query.hash.as_deref()?, range(query.rows.as_deref()?)?);
    let diff = known(&query.key(hash, path, query.part.unwrap_or(0)))?;
    Some(blocks::rows_html(&diff, diff::language_of(path), range).into_string())
}

impl BodyQuery {
    fn context(&self) -> u32 {
        match self.context.as_deref() {
            Some("all") => u32::MAX,
            Some(lines) => lines.parse().unwrap_or(CONTEXT),
            None => CONTEXT,
        }
    }

    fn spaces(&self) -> Spaces {
        if self.spaces == Some(1) { Spaces::Ignored } else { Spaces::Matter }
    }

    fn key(&self, hash: &str, path: &str, part: usize) -> Key {
        (format!("{hash}{path}"), part, self.context(), self.spaces())
    }
}

/// `12-31`.
fn range(words: &str) -> Option<std::ops::Range<usize>> {
    let (from, to) = words.split_once('-')?;
    let (from, to) = (from.parse().ok()?, to.parse().ok()?);
    (from <= to).then_some(from..to)
}

struct Shown<'a> {
    file: &'a NetFile,
    texts: &'a NetTexts,
    query: &'a BodyQuery,
}

impl Shown<'_> {
    fn language(&self) -> Option<&str> {
        self.file.language.as_deref().or_else(|| diff::language_of(&self.file.path))
    }

    fn look(&self, part: usize) -> Look {
        let is_elements = self.query.spans == Some(1);
        Look {
            extent: Extent::Whole,
            split: self.query.view.as_deref() == Some("split"),
            colours: if is_elements { Colours::Elements } else { Colours::Ranges },
            part: Some(part),
        }
    }

    fn diff(&self, part: usize) -> Option<Arc<FileDiff>> {
        let text = self.texts.parts.get(part)?;
        let key = self.query.key(&self.file.hash, &self.file.path, part);
        if let Some(diff) = known(&key) {
            return Some(diff);
        }
        let diff = Arc::new(file_diff(&DiffInput {
            old: text.old.as_deref(),
            new: text.new.as_deref(),
            language: self.file.language.as_deref(),
            path: &self.file.path,
            first_line: text.first_line,
            context: self.query.context(),
            spaces: self.query.spaces(),
        }));
        keep(key, &diff);
        Some(diff)
    }

    fn difference(&self, html: &mut Html, address: &str) {
        let sides = self.texts.parts.iter().flat_map(|part| part.old.iter().chain(&part.new)).map(String::as_str);
        let changed = || u32::try_from(self.file.added + self.file.removed).unwrap_or(u32::MAX);
        let folded =
            to_fold(&self.file.path, &sides.collect::<Vec<_>>(), changed).filter(|_| self.query.show != Some(1));
        if let Some(why) = folded {
            html.tag("<p class=\"folded-why\"><span>").text(&why).tag("</span><button type=\"button\" class=\"btn quiet tiny\" data-review=\"show\">Show the difference</button></p>");
            return;
        }
        if self.file.broken {
            note(html, "The file was changed by something else between the edits: each part below stands for itself");
        }
        let diffs: Vec<Arc<FileDiff>> = (0..self.texts.parts.len()).filter_map(|part| self.diff(part)).collect();
        if diffs.iter().any(|diff| diff.approximate) {
            note(html, "Lines are compared, words aren't: the file is too large");
        }
        let rows: usize = diffs.iter().map(|diff| line_count(diff)).sum();
        if rows > MAX_ROWS || diffs.iter().any(|diff| has_long_line(diff)) {
            for (part, diff) in diffs.iter().enumerate() {
                html.html(&blocks::frame_html(
                    diff,
                    self.language(),
                    &format!("{address}&hash={}&part={part}", self.file.hash),
                ));
            }
        } else if !diffs.is_empty() {
            self.rows(html, &diffs);
        }
        for patch in &self.texts.patches {
            html.tag("<pre class=\"term\" tabindex=\"0\">");
            code_lines(html, "diff", patch);
            html.tag("</pre>");
        }
        if diffs.is_empty() && self.texts.patches.is_empty() {
            note(html, "No difference: the edits took each other back, or what changed was not recorded");
        }
    }

    fn rows(&self, html: &mut Html, diffs: &[Arc<FileDiff>]) {
        let one_sided = diffs.iter().all(|diff| diff.change != model::view::FileChange::Modified);
        let split = self.query.view.as_deref() == Some("split") && !one_sided;
        let classes = match (one_sided, split) {
            (true, _) => "<div class=\"diff one\">",
            (_, true) => "<div class=\"diff\"><div class=\"split\">",
            _ => "<div class=\"diff\">",
        };
        html.tag(classes);
        let mut end = None;
        for (part, diff) in diffs.iter().enumerate() {
            match (end, diff.first_line) {
                (_, None) => between(html, "A fragment: where it is in the file was not recorded", None),
                (Some(end), Some((_, first))) if first > end => {
                    between(html, " lines not recorded", Some(first - end));
                }
                (None, Some((_, first))) if first > 1 => {
                    between(html, " lines before are not recorded", Some(first - 1));
                }
                _ => {}
            }
            let look = Look { split, ..self.look(part) };
            runs_html(html, diff, look);
            let lines =
                self.texts.parts.get(part).and_then(|part| part.new.as_deref()).map_or(0, |text| text.lines().count());
            end = diff.first_line.map(|(_, first)| first + lines as u32);
        }
        html.tag(if split { "</div></div>" } else { "</div>" });
    }

    /// For those who don't see the page: a table, with what each line is in words.
    fn table(&self, html: &mut Html) {
        html.tag("<div class=\"scroll-x\"><table class=\"diff-table\" role=\"table\"><caption>").text(&self.file.path);
        html.tag("</caption><thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Text</th></tr></thead><tbody>");
        let row = |html: &mut Html, class: &'static str, word: &'static str, number: u32, line: &CodeLine| {
            html.tag(class).tag(word).number(number).tag("</th><td><code>").text(&line.text).tag("</code></td></tr>");
        };
        for part in 0..self.texts.parts.len() {
            let Some(diff) = self.diff(part) else { continue };
            let (mut old, mut new) = diff.first_line.unwrap_or((1, 1));
            for run in &diff.runs {
                match run {
                    DiffRun::Context(lines) => {
                        for line in lines {
                            row(html, "<tr><th scope=\"row\">", "Line ", new, line);
                            (old, new) = (old + 1, new + 1);
                        }
                    }
                    DiffRun::Change { old: gone, new: come, .. } => {
                        for line in gone {
                            row(html, "<tr class=\"del\"><th scope=\"row\">", "Removed line ", old, line);
                            old += 1;
                        }
                        for line in come {
                            row(html, "<tr class=\"ins\"><th scope=\"row\">", "Added line ", new, line);
                            new += 1;
                        }
                    }
                    DiffRun::Gap { lines, .. } => {
                        html.tag("<tr><td colspan=\"2\">").number(*lines).tag(" unchanged lines</td></tr>");
                        (old, new) = (old + lines, new + lines);
                    }
                }
            }
        }
        html.tag("</tbody></table></div>");
    }
}

fn note(html: &mut Html, words: &'static str) {
    html.tag("<p class=\"line note-line\">").tag(words).tag("</p>");
}

fn between(html: &mut Html, words: &'static str, lines: Option<u32>) {
    html.tag("<p class=\"gap unknown\"><span>");
    if let Some(lines) = lines {
        html.number(lines);
    }
    html.tag(words).tag("</span></p>");
}

fn has_long_line(diff: &FileDiff) -> bool {
    let is_long = |line: &CodeLine| line.text.len() > MAX_LINE;
    diff.runs.iter().any(|run| match run {
        DiffRun::Context(lines) => lines.iter().any(is_long),
        DiffRun::Change { old, new, .. } => old.iter().chain(new).any(is_long),
        DiffRun::Gap { .. } => false,
    })
}

/// A text for the clipboard.
pub fn copied(file: &NetFile, what: CopyWhat) -> String {
    let parts = file.texts.as_ref().map(|texts| texts.parts.as_slice()).unwrap_or_default();
    match what {
        CopyWhat::Old => parts.iter().filter_map(|part| part.old.as_deref()).collect(),
        CopyWhat::New => parts.iter().filter_map(|part| part.new.as_deref()).collect(),
        CopyWhat::Patch => patch(file, parts),
    }
}

/// A unified diff that `git apply` and `patch` read.
fn patch(file: &NetFile, parts: &[NetPart]) -> String {
    use std::fmt::Write;
    let path = file.path.trim_start_matches('/');
    let side =
        |prefix: &str, is_there: bool| if is_there { format!("{prefix}/{path}") } else { "/dev/null".to_owned() };
    let mut out = format!(
        "--- {}\n+++ {}\n",
        side("a", parts.iter().all(|part| part.old.is_some())),
        side("b", parts.iter().all(|part| part.new.is_some()))
    );
    for part in parts {
        let (old, new) = (part.old.as_deref().unwrap_or_default(), part.new.as_deref().unwrap_or_default());
        let (first_old, first_new) = part.first_line.unwrap_or((1, 1));
        for hunk in diff::hunks(old, new, CONTEXT) {
            let at = |first: u32, range: &std::ops::Range<u32>| match range.len() {
                // git names the line before an empty side.
                0 => format!("{},0", (first + range.start).saturating_sub(1)),
                length => format!("{},{length}", first + range.start),
            };
            let _ = writeln!(out, "@@ -{} +{} @@", at(first_old, &hunk.old), at(first_new, &hunk.new));
            out.push_str(&hunk.text);
        }
    }
    for patch in file.texts.iter().flat_map(|texts| &texts.patches) {
        out.push_str(patch);
    }
    out
}

fn known(key: &Key) -> Option<Arc<FileDiff>> {
    let large = || LARGE.lock().ok()?.as_ref().filter(|(of, _)| of == key).map(|(_, diff)| Arc::clone(diff));
    DIFFS.get(key).or_else(large)
}

fn keep(key: Key, diff: &Arc<FileDiff>) {
    if line_count(diff) <= LARGE_LINES {
        DIFFS.insert(key, Arc::clone(diff));
    } else if let Ok(mut large) = LARGE.lock() {
        *large = Some((key, Arc::clone(diff)));
    }
}

/// A larger difference would throw all others out: of those the latest one is kept.
const LARGE_LINES: usize = 20_000;

static LARGE: Mutex<Option<(Key, Arc<FileDiff>)>> = Mutex::new(None);

/// Differences that were computed: a look at another part of the same file costs nothing.
static DIFFS: LazyLock<Cache<Key, Arc<FileDiff>, Size>> = LazyLock::new(|| Cache::with_weighter(256, MAX_CACHED, Size));

/// Bytes, roughly.
const MAX_CACHED: u64 = 48 * 1024 * 1024;

/// The content's hash and path, the part, the context, and whether white space counts.
type Key = (String, usize, u32, Spaces);

#[derive(Clone)]
struct Size;

impl Weighter<Key, Arc<FileDiff>> for Size {
    fn weight(&self, _: &Key, diff: &Arc<FileDiff>) -> u64 {
        // A line's fields cost about as much as its text.
        line_count(diff) as u64 * 200 + 400
    }
}
