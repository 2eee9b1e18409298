//! Why a write wasn't done, as the problem that a client reads.

use crate::context::writer::Failure;
use crate::may::deleted;
use crate::writing::entries::entry;
use crate::writing::posting;
use api::{Problem, ProblemCode};
use model::closed::Closed;
use model::message_type::file::FileAction;
use model::{Body, Role, Status, summary, text};
use store::{Objection, Refusal, StoredMessage};

/// So many characters of what somebody said stand in a problem's title.
const WORDS: usize = 200;

/// Why a write wasn't done, as a problem.
pub(crate) fn refusal(failure: Failure) -> Problem {
    let refusal = match failure {
        Failure::Problem(problem) => return problem,
        Failure::Refused(refusal) => refusal,
    };
    match refusal {
        Refusal::NoSession => Problem::not_found("session"),
        Refusal::Deleted { field: None } => deleted(),
        Refusal::Deleted { field } => {
            Problem { field: field.map(str::to_owned), ..deleted().coded(ProblemCode::NameOfDeleted) }
        }
        Refusal::Taken { field } => Problem {
            field: Some(field.to_owned()),
            ..Problem::new(ProblemCode::SessionTaken, "This name belongs to another key's session")
                .hint("A session belongs to the key that created it. Use that key, or another name")
        },
        Refusal::NoMessage => Problem::not_found("message"),
        Refusal::NoRun => Problem::not_found("run that was begun by this API"),
        Refusal::NotDue => Problem::new(ProblemCode::ScheduleChanged, "The schedule was changed by another request")
            .hint("Read it again"),
        Refusal::OpenRun { run, format, placement } => {
            let title = format!("A run is open that has the format `{format}` and its notices in `{placement}`");
            let hint = format!("Use the same options, or end that run first: its id is `{run}`");
            Problem::new(ProblemCode::RunOpen, title).hint(hint)
        }
        Refusal::Repeated => Problem::new(ProblemCode::Repeated, "This event was already processed"),
        Refusal::Conflict => Problem {
            field: Some("/id".to_owned()),
            ..Problem::new(ProblemCode::IdConflict, "This id is already used with different content")
                .hint("Repeat the original request unchanged, or use a new id")
        },
        Refusal::Revision(current) => current_one(
            Problem::new(
                ProblemCode::RevisionChanged,
                format!("The message is at revision {}", current.message.revision),
            ),
            *current,
        ),
        Refusal::Rule(objection, current) => {
            let problem = objected(objection, current.as_deref());
            match current {
                Some(current) => current_one(problem, *current),
                None => problem,
            }
        }
        Refusal::TooLong { field, most } => posting::too_long(field, most),
        Refusal::At(index, refusal) => {
            let problem = self::refusal(Failure::Refused(*refusal));
            let field = format!("/messages/{index}{}", problem.field.as_deref().unwrap_or_default());
            Problem { field: Some(field), ..problem }
        }
    }
}

fn objected(objection: Objection, current: Option<&StoredMessage>) -> Problem {
    let (code, title) = match objection {
        Objection::Decided => return decided(current),
        Objection::Answered => {
            let title = current.map_or_else(String::new, |answer| {
                let draft = &answer.message.draft;
                let who = draft.sender_name.as_deref().unwrap_or(&draft.sender);
                format!(", by {who}: {}", summary::summary(draft))
            });
            return Problem::new(ProblemCode::Answered, format!("It was already answered{title}"));
        }
        Objection::Changed => {
            let problem = Problem::new(ProblemCode::Changed, "The request has changed since it was shown");
            return problem.hint("Read it again before you decide");
        }
        Objection::Status => {
            (ProblemCode::StatusConflict, "The message can't change from its status to the requested one")
        }
        Objection::NotYours => (
            ProblemCode::NotYours,
            "Only the author's side can change a message: agents those of agents, people those of people",
        ),
        Objection::NotYoursToDecide => {
            (ProblemCode::NotYoursToDecide, "An agent can't decide; it can ask, and retract its question")
        }
        Objection::OutOfSight => {
            (ProblemCode::CannotAsk, "Only a message with the role `assistant` that people see can ask them something")
        }
        Objection::Stale => (ProblemCode::Stale, "Another reader took messages"),
        Objection::RunEnded => (ProblemCode::RunEnded, "The run has already ended with another outcome"),
    };
    Problem::new(code, title)
}

/// Returns the problem of an earlier decision, with its author and answer.
fn decided(current: Option<&StoredMessage>) -> Problem {
    let draft = current.map(|current| &current.message.draft);
    if draft.is_some_and(|draft| draft.status == Status::Retracted) {
        return Problem::new(ProblemCode::Retracted, "It was retracted: nobody waits for a decision");
    }
    if let Some(closed) = draft.and_then(Closed::of) {
        return Problem::new(ProblemCode::Decided, format!("It is closed: {}", closed.reason.sentence()));
    }
    let how = match draft.map(Body::of) {
        Some(Body::Approval(approval)) => match &approval.decision {
            Some(decision) => {
                let by = match (&decision.reported_by, &decision.by) {
                    (Some(key), _) => format!(", as {key} reports"),
                    (None, Some(_)) if decision.is_by_archive() => ", according to the imported archive".to_owned(),
                    (None, Some(by)) => format!(", by {by}"),
                    (None, None) => String::new(),
                };
                let answer = Some(approval.answer()).filter(|answer| !answer.is_empty());
                let answer = answer.unwrap_or_else(|| decision.state.label());
                format!("{by}: {}", text::one_line(&answer, WORDS))
            }
            None => format!(": {}", approval.state.label()),
        },
        Some(Body::File(file)) => {
            let extras = draft.and_then(|draft| draft.metadata.as_ref());
            let chosen = (0..file.files.len()).filter_map(|number| file.chosen(extras, number));
            let names: Vec<&str> = chosen.map(FileAction::name).collect();
            format!(": {}", text::one_line(&names.join(", "), WORDS))
        }
        _ => String::new(),
    };
    Problem::new(ProblemCode::Decided, format!("It was already decided{how}"))
}

/// A problem with the message as it is: not the host's, which nobody changes, and which a model may not read.
fn current_one(problem: Problem, current: StoredMessage) -> Problem {
    if current.message.draft.role == Role::Host {
        return problem;
    }
    Problem { current: serde_json::to_value(entry(current)).ok(), ..problem }
}
