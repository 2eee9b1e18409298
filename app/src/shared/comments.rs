//! Comments on lines of changed files: what they say of themselves, and the fields that were begun.

use super::diff_lines::Lines;
use super::{OfReview, Sent};
use model::envelope::{LineComment, ReviewState, Side};
use model::message_type::code_review::Severity;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// State of a comment. Whether it is outdated is determined when it is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum State {
    Draft,
    Sent,
    Resolved,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Comment {
    /// Time when a draft was begun, in seconds since 1970, as its id.
    pub id: u32,
    pub path: String,
    pub side: char,
    pub from: u32,
    pub to: u32,
    /// The edit, if its position in the file is unknown: see [`Lines`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit: Option<String>,
    /// The lines as they were.
    pub quote: String,
    pub text: String,
    pub state: State,
    /// The comment of an agent's review.
    #[serde(skip)]
    pub remark: Option<Remark>,
}

/// Further data of an agent's comment.
#[derive(Debug, Clone)]
pub struct Remark {
    pub severity: Option<Severity>,
    pub suggestion: Option<String>,
    pub review: OfReview,
}

impl Comment {
    /// Returns a comment that was sent, as the `place`th one of all: numbered from the end, where no draft is.
    pub fn of_sent(place: u32, sent: &Sent) -> Self {
        let said = &sent.comment;
        let remark = sent.review.clone().map(|review| Remark {
            severity: said.severity,
            suggestion: said.suggestion.clone(),
            review,
        });
        Self {
            id: u32::MAX - place,
            path: said.file_path.clone(),
            side: if said.side == Side::Old { 'L' } else { 'R' },
            from: said.start_line,
            to: said.end_line,
            edit: said.edit.clone(),
            quote: said.quote.clone(),
            text: said.body.clone(),
            state: if said.resolved { State::Resolved } else { State::Sent },
            remark,
        }
    }

    /// Returns its place among those that were sent. A draft is in none of them.
    pub fn place_among_sent(id: u32) -> Option<usize> {
        usize::try_from(u32::MAX - id).ok()
    }

    /// Returns the comment as a message holds it.
    pub fn said(&self) -> LineComment {
        LineComment {
            file_path: self.path.clone(),
            side: if self.side == 'L' { Side::Old } else { Side::New },
            start_line: self.from,
            end_line: self.to,
            edit: self.edit.clone(),
            quote: self.quote.clone(),
            body: self.text.clone(),
            severity: None,
            suggestion: None,
            resolved: false,
        }
    }

    pub fn lines(&self) -> Lines {
        Lines { side: self.side, from: self.from, to: self.to, edit: self.edit.clone() }
    }

    /// `src/a.rs:12-15` as code, and which side if it is the old one. Where the lines are isn't said if it isn't known:
    /// they follow.
    pub fn place(&self) -> String {
        if self.edit.is_some() {
            let side = if self.side == 'L' { ", before the change" } else { "" };
            return format!("`{}` (position in the file unknown{side})", self.path);
        }
        let lines = if self.from == self.to { self.from.to_string() } else { format!("{}-{}", self.from, self.to) };
        let side = if self.side == 'L' { " (before the change)" } else { "" };
        format!("`{}:{lines}{side}`", self.path)
    }

    /// Returns true if its lines have changed: for an agent's comment by the review, for a person's if they aren't
    /// found.
    pub fn is_outdated(&self, is_lost: bool) -> bool {
        self.remark.as_ref().map_or(is_lost, |remark| remark.review.outdated)
    }

    /// The state whose colour a comment has.
    pub fn colour(&self, is_outdated: bool) -> &'static str {
        let severity = self.remark.as_ref().and_then(|remark| remark.severity);
        match (self.state, severity) {
            (State::Resolved, _) => "done",
            _ if is_outdated => "idle",
            (State::Draft, _) => "question",
            (State::Sent, Some(Severity::Blocker)) => "failed",
            (State::Sent, Some(Severity::Major)) => "needs",
            (State::Sent, Some(Severity::Nit)) => "idle",
            (State::Sent, Some(Severity::Minor) | None) => "working",
        }
    }

    /// Its state in words; of an open comment of a review how much it matters.
    pub fn word(&self, is_outdated: bool) -> String {
        let word = match (self.state, self.remark.as_ref().map(|remark| (remark.severity, remark.review.state))) {
            (State::Resolved, Some((_, Some(ReviewState::Accepted)))) => "Accepted",
            (State::Resolved, _) => "Resolved",
            (State::Draft, _) => "Draft",
            (State::Sent, Some((Some(severity), _))) => severity.name(),
            (State::Sent, _) => "Sent",
        };
        if is_outdated && self.state != State::Resolved { format!("{word}, outdated") } else { word.to_owned() }
    }

    /// Returns the verbs of its buttons.
    pub fn verbs(&self, is_outdated: bool) -> &'static [&'static str] {
        // Where no agent gets the answer to a review there is none.
        let answers = self.remark.as_ref().is_none_or(|remark| remark.review.shown_sha256.is_some());
        let accepts = self.remark.as_ref().is_some_and(|remark| remark.suggestion.is_some()) && !is_outdated;
        match self.state {
            State::Draft => &["edit", "delete"],
            State::Sent if answers && accepts => &["accept", "resolve"],
            State::Sent if answers => &["resolve"],
            State::Resolved if answers => &["reopen"],
            State::Sent | State::Resolved => &[],
        }
    }
}

/// All drafts as one message.
pub fn message(drafts: &[Comment]) -> String {
    let mut text = String::from("Comments on your changes:");
    for comment in drafts {
        // A fence longer than any in the quote.
        let mut fence = String::from("```");
        while comment.quote.contains(&fence) {
            fence.push('`');
        }
        text.push_str(&format!("\n\n{}\n\n{fence}\n{}\n{fence}\n\n{}", comment.place(), comment.quote, comment.text));
    }
    text
}

/// Returns the number of comments that aren't resolved, by file.
pub fn open_by_path(all: &[Comment]) -> BTreeMap<&str, usize> {
    let mut open = BTreeMap::new();
    for comment in all.iter().filter(|comment| comment.state != State::Resolved) {
        *open.entry(comment.path.as_str()).or_default() += 1;
    }
    open
}

/// The key in the browser's storage of a session's drafts.
pub fn drafts_key(session: &str) -> String {
    format!("comments:{session}")
}

/// The key in the tab's storage of a session's [`Unfinished`].
pub fn unfinished_key(session: &str) -> String {
    format!("unfinished:{session}")
}

/// The number of a new draft, in seconds since 1970: behind those that there are.
pub fn number(drafts: &[Comment], now: u32) -> u32 {
    drafts.iter().map(|draft| draft.id + 1).max().unwrap_or(0).max(now)
}

/// Which field: that for lines of a file, or that of a comment which is changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub path: String,
    pub lines: String,
    /// The comment.
    pub id: Option<u32>,
}

impl Field {
    fn key(&self) -> String {
        match self.id {
            Some(id) => format!("#{id}"),
            None => format!("{} {}", self.path, self.lines),
        }
    }
}

/// Comments that were begun and not added.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Unfinished {
    /// Unfinished texts by path and lines, or by the edited comment.
    texts: BTreeMap<String, String>,
    /// The field that was open: id of the file, lines, the comment that is changed.
    open: Option<(String, String, Option<u32>)>,
}

impl Unfinished {
    /// Returns the unfinished text of a field.
    pub fn text(&self, field: &Field) -> Option<&str> {
        self.texts.get(&field.key()).map(String::as_str)
    }

    /// The field that is open in a file.
    pub fn open_in(&self, file: &str) -> Option<(&str, Option<u32>)> {
        self.open.as_ref().filter(|(of, ..)| of == file).map(|(_, lines, id)| (lines.as_str(), *id))
    }

    /// Returns true if the field of this comment is open.
    pub fn changes(&self, id: u32) -> bool {
        self.open.as_ref().is_some_and(|(.., of)| *of == Some(id))
    }

    /// A field is open in a file, and says this.
    pub fn keep(&mut self, file: String, field: &Field, text: String) {
        if text.trim().is_empty() {
            self.texts.remove(&field.key());
        } else {
            self.texts.insert(field.key(), text);
        }
        self.open = Some((file, field.lines.clone(), field.id));
    }

    /// A comment was added, or is given up.
    pub fn forget(&mut self, field: &Field) {
        self.texts.remove(&field.key());
        self.open = None;
    }

    /// Another field was opened instead, or none.
    pub fn close(&mut self) {
        self.open = None;
    }
}

#[cfg(test)]
mod tests {
    use super::{
        Comment, Field, OfReview, Remark, ReviewState, Sent, Severity, State, Unfinished, message, number, open_by_path,
    };

    fn comment(state: State) -> Comment {
        Comment {
            id: 7,
            path: "src/a.rs".to_owned(),
            side: 'R',
            from: 12,
            to: 15,
            edit: None,
            quote: "let a = 1;".to_owned(),
            text: "Why?".to_owned(),
            state,
            remark: None,
        }
    }

    /// A comment of a review, with a suggestion.
    fn remark(state: State, severity: Option<Severity>) -> Comment {
        let review = OfReview { index: 0, state: None, outdated: false, shown_sha256: Some("9f".to_owned()) };
        Comment {
            remark: Some(Remark { severity, suggestion: Some("let b = 1;".to_owned()), review }),
            ..comment(state)
        }
    }

    fn names(comment: &Comment, is_outdated: bool) -> Vec<&'static str> {
        comment.verbs(is_outdated).to_vec()
    }

    #[test]
    fn a_place_names_file_and_lines() {
        assert_eq!(comment(State::Draft).place(), "`src/a.rs:12-15`");
        assert_eq!(Comment { to: 12, ..comment(State::Draft) }.place(), "`src/a.rs:12`");
    }

    #[test]
    fn a_place_says_that_it_is_before_the_change() {
        assert_eq!(Comment { side: 'L', ..comment(State::Draft) }.place(), "`src/a.rs:12-15 (before the change)`");
    }

    #[test]
    fn lines_of_an_edit_of_unknown_place_have_no_numbers() {
        let edit = Comment { edit: Some("8.1".to_owned()), ..comment(State::Draft) };
        assert_eq!(edit.place(), "`src/a.rs` (position in the file unknown)");
        assert_eq!(
            Comment { side: 'L', ..edit }.place(),
            "`src/a.rs` (position in the file unknown, before the change)"
        );
    }

    #[test]
    fn drafts_are_one_message() {
        let text = "Comments on your changes:\n\n`src/a.rs:12-15`\n\n```\nlet a = 1;\n```\n\nWhy?";
        assert_eq!(message(&[comment(State::Draft)]), text);
        assert_eq!(message(&[comment(State::Draft), comment(State::Draft)]).matches("Why?").count(), 2);
    }

    #[test]
    fn a_quote_with_fences_has_a_longer_one() {
        let quoted = Comment { quote: "````md\n````".to_owned(), ..comment(State::Draft) };
        assert!(message(&[quoted]).contains("\n`````\n````md\n````\n`````\n"));
    }

    #[test]
    fn a_draft_can_be_changed_and_deleted() {
        assert_eq!(names(&comment(State::Draft), true), ["edit", "delete"]);
    }

    #[test]
    fn a_sent_comment_can_be_resolved_and_opened_again() {
        assert_eq!(
            (names(&comment(State::Sent), true), names(&comment(State::Resolved), true)),
            (vec!["resolve"], vec!["reopen"])
        );
    }

    #[test]
    fn a_suggestion_is_accepted_while_its_lines_are_as_they_were() {
        let sent = remark(State::Sent, None);
        assert_eq!((names(&sent, false), names(&sent, true)), (vec!["accept", "resolve"], vec!["resolve"]));
    }

    #[test]
    fn a_review_that_nobody_hears_of_has_no_buttons() {
        for state in [State::Sent, State::Resolved] {
            let mut unheard = remark(state, None);
            if let Some(remark) = &mut unheard.remark {
                remark.review.shown_sha256 = None;
            }
            assert_eq!(names(&unheard, false), [""; 0]);
        }
    }

    #[test]
    fn an_open_comment_has_the_colour_of_how_much_it_matters() {
        let colours = [Severity::Blocker, Severity::Major, Severity::Minor, Severity::Nit]
            .map(|severity| remark(State::Sent, Some(severity)).colour(false));
        assert_eq!(colours, ["failed", "needs", "working", "idle"]);
        assert_eq!([comment(State::Sent).colour(false), comment(State::Draft).colour(false)], ["working", "question"]);
    }

    #[test]
    fn an_outdated_comment_is_idle_unless_it_is_resolved() {
        assert_eq!([comment(State::Sent).colour(true), comment(State::Resolved).colour(true)], ["idle", "done"]);
    }

    #[test]
    fn a_comment_says_its_state() {
        let words = [State::Draft, State::Sent, State::Resolved].map(|state| comment(state).word(false));
        assert_eq!(words, ["Draft", "Sent", "Resolved"]);
    }

    #[test]
    fn an_outdated_comment_says_so_unless_it_is_resolved() {
        assert_eq!(
            (comment(State::Sent).word(true), comment(State::Resolved).word(true)),
            ("Sent, outdated".to_owned(), "Resolved".to_owned())
        );
    }

    #[test]
    fn an_accepted_suggestion_says_so() {
        let mut accepted = remark(State::Resolved, None);
        if let Some(remark) = &mut accepted.remark {
            remark.review.state = Some(ReviewState::Accepted);
        }
        assert_eq!(accepted.word(false), "Accepted");
    }

    #[test]
    fn the_review_says_whether_its_comment_is_outdated() {
        let mut outdated = remark(State::Sent, None);
        if let Some(remark) = &mut outdated.remark {
            remark.review.outdated = true;
        }
        assert_eq!([outdated.is_outdated(false), remark(State::Sent, None).is_outdated(true)], [true, false]);
        assert_eq!([comment(State::Sent).is_outdated(true), comment(State::Sent).is_outdated(false)], [true, false]);
    }

    #[test]
    fn a_new_draft_has_a_number_of_its_own() {
        assert_eq!(
            (number(&[], 100), number(&[comment(State::Draft)], 100), number(&[comment(State::Draft)], 3)),
            (100, 100, 8)
        );
    }

    fn field(lines: &str, id: Option<u32>) -> Field {
        Field { path: "src/a.rs".to_owned(), lines: lines.to_owned(), id }
    }

    #[test]
    fn what_was_begun_is_found_by_its_lines() {
        let mut unfinished = Unfinished::default();
        unfinished.keep("d-1".to_owned(), &field("R12", None), "Why".to_owned());
        assert_eq!((unfinished.text(&field("R12", None)), unfinished.text(&field("R13", None))), (Some("Why"), None));
        assert_eq!(unfinished.text(&field("R12", Some(7))), None);
    }

    #[test]
    fn a_changed_comment_is_found_by_its_number_wherever_its_lines_are() {
        let mut unfinished = Unfinished::default();
        unfinished.keep("d-1".to_owned(), &field("R12", Some(7)), "Why".to_owned());
        assert_eq!(unfinished.text(&field("R40", Some(7))), Some("Why"));
    }

    #[test]
    fn an_empty_field_is_open_and_holds_nothing() {
        let mut unfinished = Unfinished::default();
        unfinished.keep("d-1".to_owned(), &field("R12", None), "Why".to_owned());
        unfinished.keep("d-1".to_owned(), &field("R12", None), " \n".to_owned());
        assert_eq!((unfinished.text(&field("R12", None)), unfinished.open_in("d-1")), (None, Some(("R12", None))));
    }

    #[test]
    fn a_field_is_open_in_its_file_alone() {
        let mut unfinished = Unfinished::default();
        unfinished.keep("d-1".to_owned(), &field("R12", Some(7)), "Why".to_owned());
        assert_eq!((unfinished.open_in("d-1"), unfinished.open_in("d-2")), (Some(("R12", Some(7))), None));
    }

    #[test]
    fn a_field_that_was_closed_keeps_what_was_begun() {
        let mut unfinished = Unfinished::default();
        unfinished.keep("d-1".to_owned(), &field("R12", None), "Why".to_owned());
        unfinished.close();
        assert_eq!((unfinished.open_in("d-1"), unfinished.text(&field("R12", None))), (None, Some("Why")));
    }

    #[test]
    fn an_added_comment_is_begun_no_more() {
        let mut unfinished = Unfinished::default();
        unfinished.keep("d-1".to_owned(), &field("R12", None), "Why".to_owned());
        unfinished.forget(&field("R12", None));
        assert_eq!((unfinished.open_in("d-1"), unfinished.text(&field("R12", None))), (None, None));
    }

    #[test]
    fn one_comment_is_changed_at_a_time() {
        let mut unfinished = Unfinished::default();
        unfinished.keep("d-1".to_owned(), &field("R12", Some(7)), "Why".to_owned());
        assert_eq!((unfinished.changes(7), unfinished.changes(8)), (true, false));
        unfinished.keep("d-1".to_owned(), &field("R12", None), "Why".to_owned());
        assert!(!unfinished.changes(7));
    }

    #[test]
    fn a_comment_that_was_sent_is_the_same_as_before() {
        let draft = comment(State::Draft);
        let sent = Sent { message: "m-1".to_owned(), comment: draft.said(), review: None };
        let back = Comment::of_sent(3, &sent);
        assert_eq!((back.said(), back.state, Comment::place_among_sent(back.id)), (draft.said(), State::Sent, Some(3)));
    }

    #[test]
    fn open_comments_are_counted_by_file() {
        let elsewhere = Comment { path: "b".to_owned(), ..comment(State::Resolved) };
        let all = [comment(State::Draft), comment(State::Sent), comment(State::Resolved), elsewhere];
        assert_eq!(open_by_path(&all), [("src/a.rs", 2)].into());
    }
}
