//! Constructors for common approvals.

use model::message_type::approval::{Approval, ApprovalKind, ApprovalState, Choice, Field, OptionKind, Question};

/// Returns an open permission request for `what`, with three options: allow once, always allow, deny.
pub fn permission(what: &str) -> Approval {
    let choice = |id: &str, label: &str, kind| Choice { kind: Some(kind), ..choice(id, label) };
    let options = vec![
        choice("allow_once", "Allow once", OptionKind::AllowOnce),
        choice("allow_always", "Always allow", OptionKind::AllowAlways),
        choice("reject_once", "Deny", OptionKind::RejectOnce),
    ];
    with_options(ApprovalKind::Permission, what, options)
}

/// Returns a question with one option per label. The answer is one of the labels.
pub fn choose(question: &str, labels: &[&str]) -> Approval {
    let options = labels.iter().enumerate().map(|(n, label)| choice(&(n + 1).to_string(), label)).collect();
    with_options(ApprovalKind::Question, question, options)
}

/// Returns a plan to accept or reject. `body` is the plan, in markdown.
pub fn plan(title: &str, body: &str) -> Approval {
    let options = vec![
        Choice { kind: Some(OptionKind::AllowOnce), ..choice("accept", "Accept") },
        Choice { kind: Some(OptionKind::RejectOnce), ..choice("reject", "Reject") },
    ];
    Approval { body: Some(body.to_owned()), ..with_options(ApprovalKind::Plan, title, options) }
}

/// Returns a form. A person fills in its fields, or answers with a text.
pub fn form(title: &str, fields: Vec<Field>) -> Approval {
    Approval { fields, questions: Vec::new(), ..with_options(ApprovalKind::Form, title, Vec::new()) }
}

fn choice(id: &str, label: &str) -> Choice {
    Choice { id: id.to_owned(), label: label.to_owned(), ..Choice::default() }
}

fn with_options(kind: ApprovalKind, title: &str, options: Vec<Choice>) -> Approval {
    Approval {
        kind,
        title: title.to_owned(),
        body: None,
        questions: vec![Question { question: title.to_owned(), options, ..Question::default() }],
        fields: Vec::new(),
        risk: None,
        state: ApprovalState::Open,
        decision: None,
    }
}
