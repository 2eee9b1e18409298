//! APPROVAL: a permission, a question, a plan or a form that waits for a person. The first decision counts.

use super::{Payload, strict};
use crate::{Body, Draft, Micros, Role, Status, search_text::SearchText, text, words};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeSet;

/// Extra for the call that a running agent asks about, see [`crate::asked`].
pub const ASKED_BY_AGENT: &str = "asked_by_agent";

/// Maximum length of a question without a header, as the name of its answer in a line of several.
const MAX_NAME: usize = 40;

words! {
    /// Kind of the request. It determines how the request is drawn; the options determine the possible answers.
    ApprovalKind {
        /// Permission for an action.
        Permission = "permission",
        /// A choice between options.
        Question = "question",
        /// Acceptance of a plan, which is the `body`.
        Plan = "plan",
        /// Values for `fields`.
        Form = "form",
    }
    /// State of a request. All states except `open` are final. An unknown outcome is never a permission.
    ApprovalState {
        /// Waits for a person.
        Open = "open",
        /// A person allowed it once.
        AllowedOnce = "allowed_once",
        /// A person allowed it, and the same from then on.
        AllowedAlways = "allowed_always",
        /// A person denied it.
        Denied = "denied",
        /// A person chose, typed or filled in an answer that is neither a permission nor a denial.
        Answered = "answered",
        /// Nobody decided before the conversation continued or the time was over.
        Expired = "expired",
        /// The agent cancelled it.
        Cancelled = "cancelled",
        /// Another request replaced it.
        Superseded = "superseded",
        /// Decided elsewhere, for example in the agent's own terminal.
        DecidedElsewhere = "decided_elsewhere",
    }
    /// Effect of an option.
    OptionKind {
        /// Allows it once: `allowed_once`.
        AllowOnce = "allow_once",
        /// Allows it from then on: `allowed_always`.
        AllowAlways = "allow_always",
        /// Denies it once: `denied`.
        RejectOnce = "reject_once",
        /// Denies it from then on: `denied`.
        RejectAlways = "reject_always",
    }
    /// Kind of a form's field, and the JSON type of its value.
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

/// A request that a person decides once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Approval {
    /// Kind of the request.
    pub kind: ApprovalKind,
    /// The request in one line, also for lists and notifications.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub title: String,
    /// The plan or the full request, in markdown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// Questions with options. A permission or a plan has one, usually with the text of the title.
    #[serde(default, deserialize_with = "strict::objects")]
    pub questions: Vec<Question>,
    /// Inputs of a form.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::objects")]
    pub fields: Vec<Field>,
    /// Risk, by the agent's own name: `low`, `high`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<String>,
    /// State; `open` if absent. An agent can't set states that are a person's decision.
    #[serde(default = "ApprovalState::open")]
    pub state: ApprovalState,
    /// The decision. Absent while it is open, and if nobody decided.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict::maybe_object")]
    pub decision: Option<Decision>,
}

/// One question of a request, with its options.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Full text of the question, by which its answer names it.
    pub question: String,
    /// A word or two, for a tab.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub header: Option<String>,
    /// Options. If there are none, a person types the answer.
    #[serde(default, deserialize_with = "strict::objects")]
    pub options: Vec<Choice>,
    /// True if several options can be chosen; false if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub multi_select: Option<bool>,
    /// True if a person can type an answer instead. If absent: only if there are no options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allow_text: Option<bool>,
}

/// One option of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Choice {
    /// Id of the option, unique in the request.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub id: String,
    /// Label of the button.
    pub label: String,
    /// Description in one or two sentences, shown beside the option.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Effect for a permission or a plan. Absent for a plain answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<OptionKind>,
}

/// One input of a form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Field {
    /// Id of the value, unique in the request.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub id: String,
    /// Label of the input.
    pub label: String,
    /// Kind of the value.
    #[serde(rename = "type")]
    #[cfg_attr(feature = "schema", schemars(extend("x-default" = "text")))]
    pub kind: FieldKind,
    /// True if a value is required, and a checkbox must be ticked; false if absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Options of a `select`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
}

/// A decision. Fields that a transcript doesn't record are absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Decision {
    /// The decided state.
    pub state: ApprovalState,
    /// Ids of the chosen options.
    #[serde(default)]
    pub selected: Vec<String>,
    /// Typed text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Answer to each question, if known separately. `selected` and `text` contain all of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty", deserialize_with = "strict::objects")]
    pub answers: Vec<Answer>,
    /// The tool's input after the person's changes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edited_input: Option<Value>,
    /// The rule that "always" created, in the agent's syntax.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// `owner` for a decision in Verbatim, `key` for one that an agent reports, otherwise the name that the sender
    /// gave.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
    /// When it was decided.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub at: Option<Micros>,
    /// `web`, `terminal`, `chat`; `archive` for a decision from an imported archive.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    /// Name of the key that reported it. Set by the server; such a decision has `by: key`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reported_by: Option<String>,
    /// SHA-256 of what the person was shown, in hex. Set by the server for a decision in Verbatim.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shown_sha256: Option<String>,
}

/// The answer to one question.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// Text of the question. Absent for an answer to the whole request.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// Ids of the chosen options.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub selected: Vec<String>,
    /// Typed text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Note beside the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// `via` of a decision from an imported archive.
pub const BY_ARCHIVE: &str = "archive";

/// Returns true if an agent that this server started or joined asked for it.
pub fn is_asked_by_driver(draft: &Draft) -> bool {
    draft.metadata.as_ref().is_some_and(|metadata| metadata.contains_key(ASKED_BY_AGENT))
}

impl Decision {
    /// Makes a decision with only a state.
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

    /// Returns true if it comes from an imported archive, so that it wasn't made here.
    pub fn is_by_archive(&self) -> bool {
        self.via.as_deref() == Some(BY_ARCHIVE)
    }
}

impl OptionKind {
    /// Returns the effect of the option in words.
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
    /// Returns the effect of the option, unless its label says the same. An agent can call a permission "No".
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
    /// Returns true if it asks for a permission, which an unclear answer never gives.
    pub fn asks_permission(self) -> bool {
        matches!(self, Self::Permission | Self::Plan)
    }
}

impl ApprovalState {
    /// The state of a request without one.
    fn open() -> Self {
        Self::Open
    }

    /// Returns true if it is open.
    pub fn is_open(self) -> bool {
        self == Self::Open
    }

    /// Returns true if only a person can set it: a permission, a denial or an answer.
    pub fn is_persons(self) -> bool {
        matches!(self, Self::AllowedOnce | Self::AllowedAlways | Self::Denied | Self::Answered)
    }
}

impl Approval {
    /// Returns true if a person can answer in free text: a question allows it or has no options, or there are no
    /// questions.
    pub fn takes_words(&self) -> bool {
        let of = |question: &Question| question.allow_text == Some(true) || question.options.is_empty();
        self.questions.iter().any(of) || (self.questions.is_empty() && self.fields.is_empty())
    }

    /// Returns a JSON pointer to the first id that two options or fields share, because an answer would be ambiguous.
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

    /// Returns a JSON pointer to a required choice without options, because no answer would be valid. None if it isn't
    /// open.
    pub fn unanswerable(&self) -> Option<String> {
        if !self.state.is_open() {
            return None;
        }
        let offers = |field: &Field| field.options.iter().flatten().any(|option| !text::is_blank(option));
        let closed = |field: &Field| field.kind == FieldKind::Select && field.required == Some(true) && !offers(field);
        self.fields.iter().position(closed).map(|index| format!("/fields/{index}/options"))
    }

    /// Returns the open APPROVAL of a message. None if it is decided, the message is retracted, or its role can't ask.
    pub fn open_in(draft: &Draft) -> Option<Self> {
        Self::open_of(draft, &Body::of(draft)).cloned()
    }

    /// Like [`Approval::open_in`], for a message whose content was parsed.
    pub fn open_of<'b>(draft: &Draft, body: &'b Body) -> Option<&'b Self> {
        match body {
            _ if draft.status == Status::Retracted || !draft.may_ask() => None,
            Body::Approval(approval) if approval.state.is_open() => Some(approval),
            _ => None,
        }
    }

    /// Returns all options of all questions.
    pub fn choices(&self) -> impl Iterator<Item = &Choice> {
        self.questions.iter().flat_map(|question| &question.options)
    }

    /// Returns the chosen, typed and noted answers, by label; empty if open. Several answers are named by the headers
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

    /// Returns the state in words, with the reporting key if there is one.
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
