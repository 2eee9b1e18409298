//! The built-in example: it validates, and it shows every kind of message there is.

use model::envelope::{self, EditState, edit_info};
use model::message_type::approval::{ApprovalKind, ApprovalState};
use model::message_type::file::FileState;
use model::message_type::tool_call::{ToolKind, ToolState};
use model::policy::{self, Look};
use model::{Body, Context, Draft, MessageType, Part, Role, RunOutcome, SessionFacts, Status};
use serde::Deserialize;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::path::PathBuf;

#[derive(Deserialize)]
struct Example {
    key: String,
    facts: SessionFacts,
    seconds_ago: i64,
    messages: Vec<ExampleMessage>,
    runs: Vec<model::Run>,
}

#[derive(Deserialize)]
struct ExampleMessage {
    at: i64,
    #[serde(flatten)]
    draft: Draft,
}

fn example() -> Vec<Example> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fixtures/demo.json");
    serde_json::from_str(&std::fs::read_to_string(path).expect("the file")).expect("sessions")
}

fn drafts(sessions: &[Example]) -> impl Iterator<Item = &Draft> {
    sessions.iter().flat_map(|session| &session.messages).map(|message| &message.draft)
}

#[test]
fn every_envelope_normalizes_to_itself() {
    for draft in drafts(&example()) {
        let metadata = draft.metadata.clone().map(Value::Object);
        let normalized = envelope::normalize(metadata).unwrap_or_else(|error| panic!("{}: {error}", draft.id));
        assert_eq!(normalized, draft.metadata, "{}", draft.id);
        assert!(!matches!(Body::of(draft), Body::Invalid { .. }), "{}", draft.id);
    }
}

#[test]
fn every_context_is_what_the_policy_allows() {
    for draft in drafts(&example()) {
        assert_eq!(policy::policy(&policy::facts_of(draft)).context, draft.context, "{}", draft.id);
        assert!(!draft.content.is_empty(), "{}", draft.id);
    }
}

#[test]
fn ids_are_unique_and_times_ascend() {
    let sessions = example();
    let mut ids = HashSet::new();
    for session in &sessions {
        let mut before = 0;
        for ExampleMessage { at, draft } in &session.messages {
            assert!(ids.insert(draft.id.clone()), "{} twice", draft.id);
            assert!(*at >= before && *at < session.seconds_ago, "{}: {at}", draft.id);
            before = *at;
        }
    }
}

#[test]
fn runs_and_children_are_named_by_what_exists() {
    let sessions = example();
    let keys: HashSet<&str> = sessions.iter().map(|session| session.key.as_str()).collect();
    let calls: HashSet<&str> = drafts(&sessions).filter_map(|draft| draft.call_id.as_deref()).collect();
    let mut children = 0;
    for session in &sessions {
        let runs: HashSet<&str> = session.runs.iter().map(|run| run.id.as_str()).collect();
        for run_id in session.messages.iter().filter_map(|message| message.draft.run_id.as_deref()) {
            assert!(runs.contains(run_id), "{run_id}");
        }
        if let Some(parent) = &session.facts.parent {
            assert!(keys.contains(parent.as_str()), "{parent}");
            assert!(session.facts.call_id.as_deref().is_some_and(|id| calls.contains(id)), "{}", session.key);
            children += 1;
        }
    }
    assert_eq!((sessions.len(), children), (4, 1));
}

#[test]
fn derived_messages_follow_their_calls() {
    for session in example() {
        let mut parts: BTreeMap<&str, (Option<Part>, usize)> = BTreeMap::new();
        for ExampleMessage { draft, .. } in &session.messages {
            let Some(call_id) = &draft.call_id else {
                assert_eq!(draft.part, Part::Whole, "{}", draft.id);
                continue;
            };
            let known = parts.entry(call_id).or_default();
            if draft.part == Part::Derived {
                assert!(known.0.is_some(), "{} before its call", draft.id);
                assert!(draft.id.as_str().starts_with(&format!("{call_id}~")), "{}", draft.id);
                known.1 += 1;
            } else {
                assert_eq!((draft.message_type(), known.0), ("TOOL_CALL", None), "{}", draft.id);
                known.0 = Some(draft.part);
            }
        }
        for (call_id, (part, derived)) in parts {
            assert!(part != Some(Part::Replaced) || derived > 0, "nothing stands for {call_id}");
        }
    }
}

/// Everything of which the example must show at least one.
#[test]
fn nothing_is_missing() {
    let sessions = example();
    let mut shown: BTreeSet<String> = BTreeSet::new();
    for draft in drafts(&sessions) {
        let policy = policy::policy(&policy::facts_of(draft));
        shown.insert(format!("type {}", draft.message_type()));
        shown.insert(format!("role {}", draft.role));
        shown.insert(format!("status {}", draft.status));
        shown.insert(format!("context {}", draft.context));
        shown.insert(format!("part {}", draft.part));
        shown.insert(format!("look {}", policy.look));
        match Body::of(draft) {
            Body::ToolCall(call) => {
                shown.insert(format!("call {}", call.state()));
                shown.insert(format!("kind {}", call.kind()));
            }
            Body::CodeEdit(edit) => {
                for index in 0..edit.edits.len() {
                    let state = edit_info(draft.metadata.as_ref(), index).state;
                    shown.insert(format!("edit {}", state.expect("a state")));
                }
            }
            Body::Approval(approval) => {
                shown.insert(format!("approval {}", approval.state));
                shown.insert(format!("asks {}", approval.kind));
            }
            Body::File(file) => shown.extend(file.files.iter().map(|file| format!("file {}", file.state))),
            _ => {}
        }
    }
    shown.extend(sessions.iter().flat_map(|session| &session.runs).map(|run| format!("run {}", run.outcome)));

    let all =
        |what: &'static str, words: &'static [&'static str]| words.iter().map(move |word| format!("{what} {word}"));
    let mut wanted: BTreeSet<String> = BTreeSet::new();
    wanted.extend(all("type", MessageType::WORDS));
    wanted.extend(all("type", &["acme.deploy/plan"]));
    wanted.extend(all("role", Role::WORDS));
    wanted.extend(all("status", Status::WORDS));
    wanted.extend(all("context", Context::WORDS));
    wanted.extend(all("part", Part::WORDS));
    wanted.extend(all("look", Look::WORDS));
    wanted.extend(all("call", ToolState::WORDS));
    wanted.extend(all("kind", ToolKind::WORDS));
    wanted.extend(all("edit", EditState::WORDS));
    wanted.extend(all("approval", ApprovalState::WORDS));
    wanted.extend(all("asks", ApprovalKind::WORDS));
    wanted.extend(all("file", FileState::WORDS));
    wanted.extend(all("run", RunOutcome::WORDS));
    // Only a browser knows this status.
    wanted.remove("status sending");
    let missing: Vec<&String> = wanted.difference(&shown).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
