//! System lines: what the program says about itself.

use super::at::{At, extras, message_id, tokens};
use super::blocks::result_text;
use super::obj::Obj;
use super::said::tagged;
use super::state::State;
use crate::parts::short::fields_in_short;
use model::{Context, Role, RunOutcome, Usage};
use serde_json::{Map, Value};

impl State {
    pub fn system(&mut self, at: &At, line: &Obj) {
        let subtype = line.filled("subtype").unwrap_or_else(|| "system".to_owned());
        let content = line.filled("content");
        match subtype.as_str() {
            "turn_duration" => self.turn_duration(at, line),
            "compact_boundary" => {
                let mut draft = at.text(&at.id, Role::System, "compact_boundary", content.unwrap_or_default());
                if draft.content.is_empty() {
                    "Conversation compacted".clone_into(&mut draft.content);
                }
                draft.context = Context::None;
                let figures = line.value("compactMetadata").unwrap_or_else(|| Map::new().into());
                draft.metadata = Some(extras("compact", figures.clone()));
                let session = &mut self.book.sessions[at.session];
                if let Some((last, _)) = session.boundary.replace((at.id.clone(), figures)) {
                    self.book.release(at.session, message_id(&last).as_str());
                }
                self.book.keep(at.session, draft, at.span);
            }
            "api_error" | "error" | "api_refusal" => self.system_error(at, &subtype, line),
            "local_command" => {
                let text = content.unwrap_or_default();
                match tagged(text.trim_start()) {
                    Some(said) => self.say_said(&mut at.clone(), &at.id, said, None),
                    None => self.aside(at, &subtype, text),
                }
            }
            "stop_hook_summary" => {
                let mut draft = at.aside(&at.id, &subtype, hooks_in_short(line));
                draft.metadata = Some(extras("hooks", line.value("hookInfos").unwrap_or_default()));
                self.book.say(at.session, draft, at.span);
                if !line.is_true("preventedContinuation") && !self.calls.has_open(at.session) {
                    self.book.sessions[at.session].runs.pause(RunOutcome::Done, at.time);
                }
            }
            "microcompact_boundary" => {
                let mut draft =
                    at.aside(&at.id, &subtype, content.unwrap_or_else(|| "Older tool results removed".to_owned()));
                draft.metadata =
                    Some(extras("compact", line.value("microcompactMetadata").unwrap_or_else(|| Map::new().into())));
                self.book.say(at.session, draft, at.span);
            }
            // Any line with words is kept as a text, so that it can be read and found: a recap, a notice.
            _ => match content.or_else(|| line.raw("content").map(result_text)).filter(|words| !words.is_empty()) {
                Some(words) => {
                    let mut draft = at.text(&at.id, Role::System, &subtype, words);
                    draft.context = Context::Ephemeral;
                    self.book.say(at.session, draft, at.span);
                }
                None => self.aside(at, &subtype, fields_in_short(&subtype, line)),
            },
        }
    }

    /// The end of a turn, with its time and its tokens.
    fn turn_duration(&mut self, at: &At, line: &Obj) {
        let duration = line.int("durationMs").unwrap_or(0);
        let runs = &mut self.book.sessions[at.session].runs;
        let run = runs.last_id().map(str::to_owned);
        let usage = runs.last().map(|run| run.usage).unwrap_or_default();
        let output_unknown = runs.output_unknown();
        runs.end(RunOutcome::Done, Some(at.time));
        let failed = runs.last().is_some_and(|run| run.outcome == RunOutcome::Failed);
        let mut draft = at.text(&at.id, Role::Host, "result_meta", seconds(duration));
        draft.run_id = run;
        let mut metadata = Map::from_iter([("duration_ms".to_owned(), duration.into())]);
        if failed {
            metadata.insert("outcome".to_owned(), RunOutcome::Failed.as_str().into());
        }
        metadata.extend(tokens(usage));
        if output_unknown && usage != Usage::default() {
            metadata.insert("output_unknown".to_owned(), true.into());
        }
        draft.metadata = Some(metadata);
        self.book.say(at.session, draft, at.span);
    }

    fn system_error(&mut self, at: &At, subtype: &str, line: &Obj) {
        // The provider's own words are nested once or twice, by version.
        let error = line.obj("error");
        let inner = error.as_ref().and_then(|error| error.obj("error"));
        let innermost = inner.as_ref().and_then(|error| error.obj("error"));
        let levels = [innermost.as_ref(), inner.as_ref(), error.as_ref()];
        let find = |key: &str| levels.iter().flatten().find_map(|level| level.filled(key));
        let status = error.as_ref().and_then(|error| error.int("status"));
        let cause = line.obj("cause").and_then(|cause| cause.filled("code").or_else(|| cause.filled("message")));
        let kind = find("type").filter(|kind| kind != "error").unwrap_or_else(|| subtype.to_owned());
        let message = find("message").or_else(|| find("formatted")).or_else(|| line.filled("content"));
        let message = message
            .or_else(|| line.filled("apiRefusalExplanation"))
            .or_else(|| line.filled("error"))
            .or(cause)
            .or_else(|| status.map(|status| format!("Status {status}")))
            .unwrap_or_else(|| "The request failed".to_owned());
        let (attempt, most) = (line.int("retryAttempt"), line.int("maxRetries"));
        let retryable = attempt.zip(most).is_some_and(|(attempt, most)| attempt < most);
        let mut draft = at.error(&at.id, &kind, message, Some(retryable));
        if let Some((attempt, most)) = attempt.zip(most).filter(|(attempt, _)| *attempt > 0) {
            draft.content = format!("{} (attempt {attempt} of {most})", draft.content);
        }
        let extras = [
            ("status", status.map(Value::from)),
            ("retry_attempt", attempt.map(Value::from)),
            ("max_retries", most.map(Value::from)),
            ("retry_in_ms", line.int("retryInMs").map(Value::from)),
            ("retracted", line.value("retractedMessageUuids")),
        ];
        self.error(at, draft, extras);
    }
}

/// `3.4 s`, `2 min 5 s`.
fn seconds(milliseconds: i64) -> String {
    let tenths = milliseconds.max(0) / 100;
    if tenths < 600 {
        return format!("{}.{} s", tenths / 10, tenths % 10);
    }
    let seconds = tenths / 10;
    format!("{} min {} s", seconds / 60, seconds % 60)
}

fn hooks_in_short(line: &Obj) -> String {
    let count = line.int("hookCount").unwrap_or(0);
    let plural = if count == 1 { "" } else { "s" };
    let mut text = format!("{count} stop hook{plural} ran");
    let errors = line.list("hookErrors").unwrap_or_default();
    for error in errors {
        text.push_str(": ");
        text.push_str(&super::blocks::joined_text(error));
    }
    if line.is_true("preventedContinuation") {
        let reason = line.filled("stopReason").map_or(String::new(), |reason| format!(": {reason}"));
        text = format!("{text}; continuation prevented{reason}");
    }
    text
}
