//! Approvals that are ready to be asked.

use model::message_type::approval::{Approval, ApprovalKind, ApprovalState, Choice, Field, OptionKind, Question};

/// May the agent do this? Once, always, or not.
pub fn permission(what: &str) -> Approval {
    let choice = |id: &str, label: &str, kind| Choice { kind: Some(kind), ..choice(id, label) };
    let options = vec![
        choice("allow_once", "Allow once", OptionKind::AllowOnce),
        choice("allow_always", "Always allow", OptionKind::AllowAlways),
        choice("reject_once", "Deny", OptionKind::RejectOnce),
    ];
    with_options(ApprovalKind::Permission, what, options)
}

/// Which one? The answer is a label.
pub fn choose(question: &str, labels: &[&str]) -> Approval {
    let options = labels.iter().enumerate().map(|(n, label)| choice(&(n + 1).to_string(), label)).collect();
    with_options(ApprovalKind::Question, question, options)
}

/// Shall the agent go on so? `body` is the plan, in markdown.
pub fn plan(title: &str, body: &str) -> Approval {
    let options = vec![
        Choice { kind: Some(OptionKind::AllowOnce), ..choice("accept", "Accept") },
        Choice { kind: Some(OptionKind::RejectOnce), ..choice("reject", "Reject") },
    ];
    Approval { body: Some(body.to_owned()), ..with_options(ApprovalKind::Plan, title, options) }
}

/// Values for these fields.
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
