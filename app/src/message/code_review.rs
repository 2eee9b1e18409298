//! `CODE_REVIEW`: comments on lines of a file, the most severe first, each with buttons to answer it.

pub mod reviewed;

use super::{
    Card,
    code_edit::{DiffStyle, Extent, diff_html},
    parts::{Mark, ShowAll, State, TextButton},
};
use crate::figures::counted;
use crate::html::Html;
use crate::icon::{Glyph, Icon, Size};
use crate::markdown::{Breaks, code_block, to_html_within};
use crate::message::view_options::Detail;
use crate::shared::page_action::PageAction;
use crate::shared::{file_id, hash::text_hash, session_href};
use crate::visible;
use diff::DiffInput;
use leptos::prelude::*;
use model::Status;
use model::envelope::{LineComment, ReviewInfo, ReviewState, Side, review_info};
use model::message_type::code_review::{self, ReviewComment, Severity};
use reviewed::ReviewedLines;

/// Maximum number of comments before the reader asks for all of them.
const AT_FIRST: usize = 30;
/// Maximum number of comments of a card.
const MOST: usize = 2_000;
/// Maximum size of a suggestion that is shown as code, in bytes.
const MOST_CODE: usize = 64 * 1024;

#[component]
pub fn CodeReview(card: Card, review: code_review::CodeReview) -> impl IntoView {
    let infos = review_info(card.draft().metadata.as_ref());
    let known = card.options.reviews.get(&card.entry.message.seq).cloned();
    let changed = match &known {
        Some(known) => known.path.as_deref(),
        None => Some(review.file_path.as_str()),
    };
    let changes = changed.map(|path| changes(&card, path));
    let most = if card.whole() { MOST } else { AT_FIRST };
    let mut findings: Vec<Finding<'_>> = review
        .comments
        .iter()
        .enumerate()
        .map(|(index, comment)| Finding {
            index,
            comment,
            info: infos.get(&index).copied(),
            lines: known.as_ref().and_then(|known| known.lines.get(index)),
        })
        .collect();
    findings.sort_by_key(|finding| finding.comment.severity);
    let (all, open) = (findings.len(), findings.iter().filter(|finding| finding.info.is_none()).count());
    let left = all.saturating_sub(most);
    let items: Vec<_> = findings
        .iter()
        .take(most)
        .take_while(|_| !card.options.stop.is_over())
        .map(|finding| finding.view(&card, &review, changes.as_deref()))
        .collect();
    let counts: Vec<_> = review
        .counts()
        .into_iter()
        .map(|(severity, count)| {
            view! { <span class="chip" data-state=look(severity).0>{counted_as(severity, count)}</span> }
        })
        .collect();
    let mark = match (all, open) {
        (0, _) => Some(Mark::new("done", Glyph::DONE, "No comments")),
        (_, 0) => Some(Mark::new("done", Glyph::DONE, "All answered")),
        (_, open) if open < all => Some(Mark::new("idle", Glyph::HALF, format!("{open} open"))),
        _ => None,
    };
    let verdict = review.summary.as_deref().map(str::trim).filter(|summary| !summary.is_empty()).map(|summary| {
        view! { <div class="body prose">{card.prose(summary).into_view()}</div> }
    });
    let path = visible::path(card.short_path(&review.file_path));
    let more = match left {
        0 => None,
        _ if card.printed() => Some(view! { <p class="line">{counted(left as i64, "more comment")}</p> }.into_any()),
        _ if card.whole() => {
            let words = format!("{}: open the full text", counted(left as i64, "more comment"));
            Some(view! { <a class="hidden-lines" target="_blank" href=card.full_text()>{words}</a> }.into_any())
        }
        _ => Some(view! { <ShowAll label=format!("Show {}", counted(left as i64, "more comment")) /> }.into_any()),
    };
    view! {
        <details class="card code-review" open>
            <summary>
                <Icon glyph=Glyph::COMMENT />
                <b>"Review"</b>
                <span class="path" title=visible::plain(&review.file_path)>
                    {path.into_view()}
                </span>
                <span class="below severities">{counts}</span>
                {mark.map(|mark| view! { <State mark /> })}
            </summary>
            {verdict}
            {(all > 0)
                .then(|| {
                    view! {
                        <ol class="findings" role="list" aria-label="Comments">
                            {items}
                        </ol>
                    }
                })}
            {more}
            <footer>
                {changes
                    .map(|to| {
                        view! {
                            <a class="btn quiet tiny" href=to>
                                "Show in the changes"
                            </a>
                        }
                    })}
                <span class="sp"></span>
                <TextButton action=PageAction::Copy label="Copy".to_owned() />
            </footer>
        </details>
    }
}

/// Returns the URL of the file on the changes page.
fn changes(card: &Card, path: &str) -> String {
    format!("{}/changes#{}", session_href(card.entry.message.session_id.as_str()), file_id(path))
}

/// Returns the state whose colour shows a severity, and its icon.
const fn look(severity: Severity) -> (&'static str, Glyph) {
    match severity {
        Severity::Blocker => ("failed", Glyph::FAIL),
        Severity::Major => ("needs", Glyph::NEEDS),
        Severity::Minor => ("working", Glyph::COMMENT),
        Severity::Nit => ("idle", Glyph::IDLE),
    }
}

fn counted_as(severity: Severity, count: usize) -> String {
    match severity {
        Severity::Blocker | Severity::Nit => counted(count as i64, severity.as_str()),
        Severity::Major | Severity::Minor => format!("{count} {severity}"),
    }
}

/// One comment with what is known about it.
struct Finding<'a> {
    /// Its index in the payload.
    index: usize,
    comment: &'a ReviewComment,
    info: Option<ReviewInfo>,
    lines: Option<&'a ReviewedLines>,
}

impl Finding<'_> {
    fn view(&self, card: &Card, review: &code_review::CodeReview, changes: Option<&str>) -> AnyView {
        let comment = self.comment;
        let (state, glyph) = look(comment.severity);
        let lines = comment.lines();
        // Capitalised: it stands alone here.
        let place = format!("L{}", &lines[1..]);
        let place = match changes {
            Some(changes) => {
                view! { <a class="link num" href=format!("{changes}:{}", self.address())>{place}</a> }.into_any()
            }
            None => view! { <span class="num">{place}</span> }.into_any(),
        };
        let outdated = self.is_outdated().then(|| {
            view! { <span class="chip" title="A later edit changed these lines">"Outdated"</span> }
        });
        let answered = self.info.map(|info| match info.state {
            ReviewState::Accepted => Mark::new("done", Glyph::CHECK, "Accepted"),
            ReviewState::Resolved => Mark::new("done", Glyph::DONE, "Resolved"),
        });
        let class = if answered.is_some() { "finding is-done" } else { "finding" };
        view! {
            <li class=class>
                <div class="finding-head">
                    <span class="state" data-state=state>
                        <Icon glyph size=Size::Small />
                        {comment.severity.name()}
                    </span>
                    {place}
                    {outdated}
                    <span class="sp"></span>
                    {answered.map(|mark| view! { <State mark /> })}
                </div>
                <div class="prose">{card.prose_of(&comment.body, self.index).into_view()}</div>
                {comment.suggestion.as_deref().map(|code| self.suggestion(card, review, code))}
                {self.answers(card, &lines)}
            </li>
        }
        .into_any()
    }

    /// Returns the fragment of the lines on the changes page: `R3-4`. If their text is known, its hash follows, by
    /// which the page finds lines that have moved.
    fn address(&self) -> String {
        let (first, last) = (self.comment.start_line, self.comment.last_line());
        let side = if self.comment.side == Side::Old { 'L' } else { 'R' };
        let lines = if first == last { format!("{side}{first}") } else { format!("{side}{first}-{last}") };
        match self.lines.and_then(|lines| lines.quote.as_deref()) {
            Some(quote) => format!("{lines}~{}", text_hash(quote)),
            None => lines,
        }
    }

    fn is_outdated(&self) -> bool {
        self.lines.is_some_and(|lines| lines.outdated)
    }

    fn suggestion(&self, card: &Card, review: &code_review::CodeReview, code: &str) -> AnyView {
        let extent = match card.options.detail {
            Detail::Printed => Extent::All,
            Detail::Whole => Extent::Whole,
            Detail::Glance | Detail::Unfolded => Extent::Beginning,
        };
        let suggested = Suggested {
            path: &review.file_path,
            first_line: self.comment.start_line,
            quote: self.lines.and_then(|lines| lines.quote.as_deref()),
            code,
        };
        let (html, hidden) = suggested.draw(extent, review.comments.len());
        let more = match (hidden, card.whole()) {
            (false, _) => None,
            (true, false) => Some(view! { <ShowAll label="Show all of the suggestion".to_owned() /> }.into_any()),
            (true, true) => {
                let words = "Too long to draw: open the full text";
                Some(view! { <a class="hidden-lines" target="_blank" href=card.full_text()>{words}</a> }.into_any())
            }
        };
        view! {
            {html.into_view()}
            {more}
        }
        .into_any()
    }

    /// Renders the form with the buttons, which `frontend::decisions` sends.
    fn answers(&self, card: &Card, lines: &str) -> Option<AnyView> {
        let shown = card.entry.shown_sha256.clone();
        // There are no buttons if no agent receives the answer, or if the card doesn't show everything.
        if !card.options.answers || card.printed() || card.draft().status == Status::Retracted || shown.is_none() {
            return None;
        }
        let button = |verb: &str, class: &'static str, words: &'static str| {
            view! {
                <button type="submit" name="option" value=format!("{}:{verb}", self.index) class=class>
                    {words}
                </button>
            }
        };
        let is_open = self.info.is_none();
        let accepts = is_open && self.comment.suggestion.is_some() && !self.is_outdated();
        let view = view! {
            <form class="answer" data-decide=card.draft().id.to_string() data-shown=shown>
                <fieldset data-asks="" aria-label=format!("Answer to the comment on {lines}")>
                    <p class="cap" role="alert" data-problem="" hidden></p>
                    <p class="cap fg-warn only-kept">"Can't be answered while offline"</p>
                    <div class="actions">
                        {accepts.then(|| button("accept", "btn tiny", "Accept suggestion"))}
                        {is_open.then(|| button("resolve", "btn quiet tiny", "Resolve"))}
                        {(!is_open).then(|| button("reopen", "btn quiet tiny", "Reopen"))}
                    </div>
                </fieldset>
            </form>
        };
        Some(view.into_any())
    }
}

/// The suggested replacement of some lines.
struct Suggested<'a> {
    path: &'a str,
    first_line: u32,
    /// The text of the lines when they were reviewed, if it is known.
    quote: Option<&'a str>,
    code: &'a str,
}

impl Suggested<'_> {
    /// Renders the suggestion as a diff against the reviewed lines, or as code if these aren't known. The limit on work
    /// is shared by `among` diffs. Returns whether something is left out.
    fn draw(&self, extent: Extent, among: usize) -> (Html, bool) {
        let mut html = Html::new();
        html.tag("<div class=\"suggestion\" role=\"group\" aria-label=\"Suggestion\">");
        let mut is_cut = false;
        match self.quote {
            Some(quote) => {
                let (old, new) = (ended(quote), ended(self.code));
                let diff = diff::file_diff(&DiffInput {
                    old: Some(&old),
                    new: Some(&new),
                    path: self.path,
                    first_line: Some((self.first_line, self.first_line)),
                    context: u32::MAX,
                    among,
                    ..DiffInput::default()
                });
                let (drawn, hidden) = diff_html(&diff, DiffStyle::of(extent));
                html.html(&drawn);
                is_cut = hidden > 0;
            }
            None if self.code.trim().is_empty() => {
                html.tag("<p class=\"mut\">Delete these lines</p>");
            }
            None => {
                let end = self.code.match_indices('\n').nth(extent.lines()).map_or(self.code.len(), |(at, _)| at);
                let end = end.min(self.code.floor_char_boundary(MOST_CODE));
                is_cut = end < self.code.len();
                code_block(&mut html, diff::language_of(self.path).unwrap_or_default(), &self.code[..end]);
            }
        }
        html.tag("</div>");
        (html, is_cut)
    }
}

/// Renders a comment for the changes page, where it follows its lines: its suggestion is code, not a diff. A long
/// comment is shortened there, and complete in the transcript.
pub fn remark(comment: &LineComment, scope: &str) -> Html {
    let (prose, mut is_cut) = to_html_within(&comment.body, Breaks::Soft, scope, super::AT_FIRST);
    let mut html = Html::new();
    html.tag("<div class=\"prose\">").html(&prose).tag("</div>");
    if let Some(code) = &comment.suggestion {
        let suggested = Suggested { path: &comment.file_path, first_line: comment.start_line, quote: None, code };
        let (drawn, hidden) = suggested.draw(Extent::Beginning, 1);
        html.tag("<p class=\"cap\">Suggestion</p>").html(&drawn);
        is_cut |= hidden;
    }
    if is_cut {
        html.tag("<p class=\"cap\">Shortened. The transcript shows all of it.</p>");
    }
    html
}

/// Returns the text with a line end after its last line.
fn ended(text: &str) -> String {
    if text.is_empty() || text.ends_with('\n') { text.to_owned() } else { format!("{text}\n") }
}
