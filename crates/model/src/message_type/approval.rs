//! APPROVAL: a permission, a question, a plan or a form that waits for a person. Decided once; the first decision wins.

use super::{Payload, strict};
use crate::{Body, Draft, Micros, Role, Status, search_text::SearchText, text, words};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// Beside the payload of a card: what an agent asked that was started here and waits for the decision (see [`crate::asked`]).
pub const ASKED_BY_AGENT: &str = "asked_by_agent";

/// Characters of a question that has no header, where its answer is one of several in a line.
const MAX_NAME: usize = 40;

words! {
    /// What is asked for. It decides how the request is drawn; the options decide what can be answered.
    ApprovalKind {
        /// May the agent do this?
        Permission = "permission",
        /// Which of these?
        Question = "question",
        /// Shall the agent go on so? `body` is the plan.
        Plan = "plan",
        /// Values for `fields`.
        Form = "form",
    }
    /// All but `open` are final. An unknown outcome is never an approval.
    ApprovalState {
        /// Waits for a person.
        Open = "open",
        /// A person allowed it, this time.
        AllowedOnce = "allowed_once",
        /// A person allowed it, and the same from then on.
        AllowedAlways = "allowed_always",
        /// A person denied it.
        Denied = "denied",
        /// A person chose, typed or filled in something that is neither leave nor denial.
        Answered = "answered",
        /// Nobody decided before the conversation went on or the time was over.
        Expired = "expired",
        /// The agent took it back.
        Cancelled = "cancelled",
        /// Another request took its place.
        Superseded = "superseded",
        /// In the agent's own terminal, say.
        DecidedElsewhere = "decided_elsewhere",
    }
    /// What choosing an option means.
    OptionKind {
        /// Leave for this time: `allowed_once`.
        AllowOnce = "allow_once",
        /// Leave for the same from then on: `allowed_always`.
        AllowAlways = "allow_always",
        /// No leave this time: `denied`.
        RejectOnce = "reject_once",
        /// No leave for the same from then on: `denied`.
        RejectAlways = "reject_always",
    }
    /// What a form's field takes, and the JSON of its value.
    FieldKind {
        /// A string.
        Text = "text",
        /// A number.
        Number = "number",
        /// A day, as a string: `2026-11-22`.
        Date = "date",
        /// One of `options`, as a string.
        Select = "select",
        /// A boolean.
        Checkbox = "checkbox",
    }
}

/// A request that a person decides, once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// What is asked for.
    pub kind: ApprovalKind,
    /// What is asked, in one line: also in lists and notifications.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub title: String,
    /// Markdown: the plan, or what is asked in full.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Questions with options. A permission or a plan has one, whose words are usually the title's.
    #[serde(default, deserialize_with = "strict::objects")]
    pub questions: Vec<Question>,
    /// Inputs of a form.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::objects")]
    pub fields: Vec<Field>,
    /// In the agent's own words: `low`, `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// `open` until it is decided or over; if absent, too. An agent can't set what only a person may say.
    #[serde(default = "ApprovalState::open")]
    pub state: ApprovalState,
    /// Who decided what; absent while it is open, and where nobody decided.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict::maybe_object")]
    pub decision: Option<Decision>,
}

/// One question of a request, with its options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// The question in full. Its answer names it by these words.
    pub question: String,
    /// A word or two, for a tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// What can be chosen. Without any, a person types the answer.
    #[serde(default, deserialize_with = "strict::objects")]
    pub options: Vec<Choice>,
    /// Several options can be chosen; one if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multi_select: Option<bool>,
    /// A person may type an answer instead; not if absent, unless there are no options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_text: Option<bool>,
}

/// One option of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Names the option in a decision. Unique in the request.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub id: String,
    /// What stands on the button.
    pub label: String,
    /// What the option means, in a sentence or two. Shown beside it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// What choosing it means for a permission or a plan; absent for a mere answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OptionKind>,
}

/// One input of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Names the value in an answer. Unique in the request.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub id: String,
    /// What stands before the input.
    pub label: String,
    /// What can be typed or chosen.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("x-default" = "text")))]
    pub kind: FieldKind,
    /// It can't be left empty, and a checkbox must be ticked; not if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// What a `select` offers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
}

/// Who decided what. What a transcript doesn't tell stays absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// What was decided.
    pub state: ApprovalState,
    /// Ids of the chosen options.
    #[serde(default)]
    pub selected: Vec<String>,
    /// What was typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What was answered to each question, where that is known apart. `selected` and `text` hold all of it together.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::objects")]
    pub answers: Vec<Answer>,
    /// The tool's input as the person changed it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_input: Option<Value>,
    /// The rule that "always" made, in the agent's syntax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// `owner` for a decision made in Verbatim, `key` for one that an agent reports, else whom the writer named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Micros>,
    /// `web`, `terminal`, `chat`. `archive` of a decision that came with an imported archive: it wasn't made here.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Name of the key that reports it. Set by the server; such a decision has `by: key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_by: Option<String>,
    /// SHA-256 of what the person was shown, in hex. Set by the server, where it was decided in Verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_sha256: Option<String>,
}

/// The answer to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The question's own words. Absent for an answer to all that was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Ids of the chosen options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<String>,
    /// What was typed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// What was noted beside the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `via` of a decision that an imported archive tells of: nobody made it here.
pub const BY_ARCHIVE: &str = "archive";

/// Returns whether a running agent that was started here asked for it.
pub fn is_asked_by_driver(draft: &Draft) -> bool {
    draft.metadata.as_ref().is_some_and(|metadata| metadata.contains_key(ASKED_BY_AGENT))
}

impl Decision {
    /// Makes a decision of which nothing else is known.
    pub fn new(state: ApprovalState) -> Self {
        Self {
            state,
            selected: Vec::new(),
            text: None,
            answers: Vec::new(),
            edited_input: None,
            rule: None,
            by: None,
            at: None,
            via: None,
            reported_by: None,
            shown_sha256: None,
        }
    }

    /// Returns whether an imported archive tells of it, so that nobody made it here.
    pub fn is_by_archive(&self) -> bool {
        self.via.as_deref() == Some(BY_ARCHIVE)
    }
}

impl OptionKind {
    /// Returns what choosing such an option does, in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::AllowOnce => "allows once",
            Self::AllowAlways => "allows always",
            Self::RejectOnce => "denies",
            Self::RejectAlways => "denies always",
        }
    }
}

impl Choice {
    /// Returns what the option does, unless its label says just that: an agent may call a permission "No".
    pub fn meaning(&self) -> Option<&'static str> {
        let labels: &[&str] = match self.kind? {
            OptionKind::AllowOnce => &["allow", "allow once", "yes", "approve", "run", "run it"],
            OptionKind::AllowAlways => &["allow always", "always allow", "always"],
            OptionKind::RejectOnce => &["deny", "deny once", "no", "reject"],
            OptionKind::RejectAlways => &["deny always", "always deny", "never"],
        };
        let label = if self.label.is_empty() { &self.id } else { &self.label };
        (!labels.contains(&label.to_lowercase().as_str())).then(|| self.kind.map(OptionKind::words))?
    }
}

impl ApprovalKind {
    /// Returns whether it asks for leave, which an unclear word never gives.
    pub fn asks_permission(self) -> bool {
        matches!(self, Self::Permission | Self::Plan)
    }
}

impl ApprovalState {
    /// The state of a request that says none.
    fn open() -> Self {
        Self::Open
    }

    /// Returns whether it waits for somebody.
    pub fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Returns whether only a person may say it: leave, denial or an answer.
    pub fn is_persons(self) -> bool {
        matches!(self, Self::AllowedOnce | Self::AllowedAlways | Self::Denied | Self::Answered)
    }
}

impl Approval {
    /// Returns whether a person may answer in words of their own: a question allows it or has no options, or nothing is
    /// asked but the title.
    pub fn takes_words(&self) -> bool {
        let of = |question: &Question| question.allow_text == Some(true) || question.options.is_empty();
        self.questions.iter().any(of) || (self.questions.is_empty() && self.fields.is_empty())
    }

    /// Returns a JSON pointer into the payload to the first id that another option, or another field, has too: nobody
    /// could say which one is meant.
    pub fn ambiguous(&self) -> Option<String> {
        let mut seen = BTreeSet::new();
        let options = self.questions.iter().enumerate().flat_map(|(q, question)| {
            let options = question.options.iter().enumerate();
            options.map(move |(o, option)| (format!("/questions/{q}/options/{o}/id"), ("option", option.id.as_str())))
        });
        let fields = self.fields.iter().enumerate();
        let fields = fields.map(|(f, field)| (format!("/fields/{f}/id"), ("field", field.id.as_str())));
        options.chain(fields).find_map(|(pointer, id)| (!seen.insert(id)).then_some(pointer))
    }

    /// Returns a JSON pointer into the payload where something must be chosen and nothing is offered: whatever a person
    /// sends, it isn't the answer. None once it is no longer open.
    pub fn unanswerable(&self) -> Option<String> {
        if !self.state.is_open() {
            return None;
        }
        let offers = |field: &Field| field.options.iter().flatten().any(|option| !text::is_blank(option));
        let closed = |field: &Field| field.kind == FieldKind::Select && field.required == Some(true) && !offers(field);
        self.fields.iter().position(closed).map(|index| format!("/fields/{index}/options"))
    }

    /// Returns the open APPROVAL of a message. None once it is decided, for a retracted message, and for a role that
    /// doesn't ask.
    pub fn open_in(draft: &Draft) -> Option<Self> {
        Self::open_of(draft, &Body::of(draft)).cloned()
    }

    /// Like [`Approval::open_in`], of a message whose content was read.
    pub fn open_of<'b>(draft: &Draft, body: &'b Body) -> Option<&'b Self> {
        match body {
            _ if draft.status == Status::Retracted || !draft.may_ask() => None,
            Body::Approval(approval) if approval.state.is_open() => Some(approval),
            _ => None,
        }
    }

    /// All options of all questions.
    pub fn choices(&self) -> impl Iterator<Item = &Choice> {
        self.questions.iter().flat_map(|question| &question.options)
    }

    /// Returns what was chosen, typed and noted, by label; empty while open. Several answers are named by the headers
    /// of their questions.
    pub fn answer(&self) -> String {
        let Some(decision) = &self.decision else { return String::new() };
        if decision.answers.is_empty() {
            return self.words(&decision.selected, decision.text.as_deref());
        }
        let named = |answer: &Answer| {
            let words = self.answer_words(answer);
            let asked = answer.question.as_deref().filter(|_| decision.answers.len() > 1);
            let header = |asked: &str| {
                let question = self.questions.iter().find(|question| question.question == asked);
                let header = question.and_then(|question| question.header.clone());
                header.unwrap_or_else(|| text::one_line(asked, MAX_NAME))
            };
            asked.map_or_else(|| words.clone(), |asked| format!("{}: {words}", header(asked)))
        };
        let words: Vec<String> = decision.answers.iter().map(named).collect();
        words.join("; ")
    }

    /// State in words. What a key reports says so, wherever it is read: in a list, an export or a prompt.
    fn outcome(&self) -> String {
        let reported_by = self.decision.as_ref().and_then(|decision| decision.reported_by.as_deref());
        let state = self.state.label();
        reported_by
            .map_or_else(|| state.clone(), |key| format!("{state}, reported by {}", text::one_line(key, MAX_NAME)))
    }

    /// Returns one answer in words, by label, with its note in parentheses.
    pub fn answer_words(&self, answer: &Answer) -> String {
        let words = self.words(&answer.selected, answer.text.as_deref());
        match answer.note.as_deref() {
            Some(note) if words.is_empty() => note.to_owned(),
            Some(note) => format!("{words} ({note})"),
            None => words,
        }
    }

    fn words(&self, selected: &[String], text: Option<&str>) -> String {
        let label = |id: &String| {
            let choice = self.choices().find(|choice| choice.id == *id);
            choice.map_or_else(|| id.clone(), |choice| choice.label.clone())
        };
        let parts: Vec<String> = selected.iter().map(label).chain(text.map(str::to_owned)).collect();
        parts.join(", ")
    }
}

impl Payload for Approval {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        let what = match self.kind {
            ApprovalKind::Permission => "Permission",
            ApprovalKind::Question => "Question",
            ApprovalKind::Plan => "Plan",
            ApprovalKind::Form => "Form",
        };
        let answer = self.answer();
        let state = self.outcome();
        let end = if answer.is_empty() { state } else { format!("{state}: {answer}") };
        format!("{what}: {} ({end})", self.title)
    }

    fn to_markdown(&self) -> String {
        let mut blocks = vec![format!("**{}**", text::one_line(&self.title, usize::MAX))];
        blocks.extend(self.body.clone());
        for question in &self.questions {
            // A single question is usually the title again.
            if question.question != self.title {
                blocks.push(question.question.clone());
            }
            let options: Vec<String> = question
                .options
                .iter()
                .map(|choice| match &choice.description {
                    Some(description) => format!("- {}: {description}", choice.label),
                    None => format!("- {}", choice.label),
                })
                .collect();
            if !options.is_empty() {
                blocks.push(options.join("\n"));
            }
            let answers = self.decision.iter().flat_map(|decision| &decision.answers);
            let given = answers.filter(|answer| answer.question.as_deref() == Some(&question.question));
            // With a single question, the last line has its answer.
            let given = given.filter(|_| self.questions.len() > 1);
            blocks.extend(given.map(|answer| format!("Answer: {}", self.answer_words(answer))));
        }
        if !self.fields.is_empty() {
            let fields: Vec<String> = self.fields.iter().map(|field| format!("- {}", field.label)).collect();
            blocks.push(fields.join("\n"));
        }
        let answer = self.answer();
        let state = self.outcome();
        blocks.push(if answer.is_empty() { format!("*{state}*") } else { format!("*{state}:* {answer}") });
        blocks.join("\n\n")
    }

    fn search_text(&self, draft: &Draft, text: &mut SearchText) {
        text.push(&draft.content);
        draft.payload().into_iter().for_each(|payload| text.push_shown_strings(payload));
    }

    fn example() -> Self {
        let choice = |id: &str, label: &str, kind| Choice {
            id: id.to_owned(),
            label: label.to_owned(),
            description: None,
            kind: Some(kind),
        };
        Self {
            kind: ApprovalKind::Permission,
            title: "Run `cargo publish --dry-run`".to_owned(),
            body: None,
            questions: vec![Question {
                question: "Run `cargo publish --dry-run`".to_owned(),
                options: vec![
                    choice("allow_once", "Allow once", OptionKind::AllowOnce),
                    choice("allow_always", "Always allow", OptionKind::AllowAlways),
                    choice("reject_once", "Deny", OptionKind::RejectOnce),
                ],
                ..Question::default()
            }],
            fields: Vec::new(),
            risk: Some("medium".to_owned()),
            state: ApprovalState::Open,
            decision: None,
        }
    }
}
