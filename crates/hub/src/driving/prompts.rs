//! What a driven agent is given, by the renderer of all runs and through the context log.

use super::Running;
use crate::refusal::refusal;
use crate::{Hub, clock, posting, problem};
use api::Problem;
use drivers::{Prompt, When};
use model::routing::Place;
use model::run_prompt::{NoticePlacement, Rendered, RunFormat};
use serde_json::Value;
use store::{GivenRun, LiveBegin, LiveDone, LiveWrite, Takes};

/// Takes the next prompt that people wrote, with what the system said before it. None if nobody wrote one. A prompt that joins a run
/// has no notices: that run has its own.
pub async fn next(hub: &Hub, running: &Running, when: When) -> Result<Option<Prompt>, Problem> {
    let session = &running.session;
    let placement = match when {
        When::Queue if running.program.has_system_prompt_for_runs() => NoticePlacement::SystemPrompt,
        When::Queue | When::Steer => NoticePlacement::Prompt,
    };
    let notices = match when {
        When::Queue => {
            let stored = hub.workspace.session(session, clock::now()).await.map_err(problem)?;
            hub.notices.of(&stored.ok_or_else(|| Problem::not_found("session"))?).await
        }
        When::Steer => Vec::new(),
    };
    let (session, run) = (session.clone(), posting::new_id().to_string());
    let senders = hub.routing.rules(&session, Place::Room).senders.clone();
    let begin = LiveBegin { session, run, format: RunFormat::Text, placement, notices, takes: Takes::Prompt, senders };
    match hub.writer.write(LiveWrite::Begin(Box::new(begin))).await.map_err(refusal)? {
        (LiveDone::Begun(given), _) => Ok(prompt(*given, when)),
        _ => Err(Problem::internal()),
    }
}

fn prompt(given: GivenRun, when: When) -> Option<Prompt> {
    // Agents take UUIDs alone.
    let id = uuid::Uuid::try_parse(&given.id).map_or_else(|_| posting::new_id().to_string(), |id| id.to_string());
    let rendered = Rendered { pieces: given.pieces };
    let mut texts = match given.format {
        RunFormat::Text => vec![rendered.prompt()],
        _ => blocks(&rendered.prompt()),
    };
    let text = texts.pop().filter(|text| !text.is_empty())?;
    Some(Prompt { id, text, when, before: texts, system_notices: rendered.system().into_iter().collect() })
}

/// The texts of a prompt in the format `anthropic`.
fn blocks(prompt: &str) -> Vec<String> {
    let messages: Vec<Value> = serde_json::from_str(prompt).unwrap_or_default();
    let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    blocks.filter_map(|block| block["text"].as_str().map(str::to_owned)).collect()
}
