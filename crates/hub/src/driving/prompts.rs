//! Input of a driven agent, by the renderer of all runs and through the context log; and its images, which the log
//! contains by name.

use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::driving::Running;
use crate::notices;
use crate::routing::RoutingTable;
use crate::writing::posting;
use crate::writing::refusal::refusal;
use api::Problem;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use drivers::{Picture, Prompt, When};
use model::message_type::file::{FileItem, FileState};
use model::routing::Place;
use model::run_prompt::{NoticePlacement, Rendered, RunFormat};
use model::{Body, SessionId};
use serde_json::Value;
use std::collections::BTreeSet;
use store::{GivenRun, LiveBegin, LiveDone, LiveWrite, StoreError, Takes};

/// Kinds of pictures that models take.
const PICTURES: [&str; 4] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/// The largest picture that an agent is given, and all pictures of a prompt together, in bytes.
const MOST: u64 = 5 << 20;
const MOST_IN_ALL: u64 = 20 << 20;

/// Takes the next prompt that people wrote, with what the system said before it. None if nobody wrote one. A prompt
/// that joins a run has no notices: that run has its own.
pub async fn next(hub: &Hub, running: &Running, when: When) -> Result<Option<Prompt>, Problem> {
    let session = &running.session;
    let placement = match when {
        When::Queue if running.program.has_system_prompt_for_runs() => NoticePlacement::SystemPrompt,
        When::Queue | When::Steer => NoticePlacement::Prompt,
    };
    let (takes, notices) = match when {
        When::Queue => {
            let stored = hub.workspace.session(session, clock::now()).await.map_err(problem)?;
            let stored = stored.ok_or_else(|| Problem::not_found("session"))?;
            (Takes::Prompt, notices::of_run(hub, &stored).await?)
        }
        When::Steer => (Takes::Joining, Vec::new()),
    };
    let given = take(hub, session, (placement, notices), takes).await?;
    let seqs: BTreeSet<i64> = given.pieces.iter().filter_map(|piece| piece.seq).collect();
    let Some(mut prompt) = prompt(given, when) else { return Ok(None) };
    prompt.pictures = pictures(hub, running, seqs).await;
    Ok(Some(prompt))
}

/// Takes the next prompt that people wrote for an agent in its own terminal, as one text.
pub async fn for_terminal(hub: &Hub, session: &SessionId) -> Result<Option<String>, Problem> {
    let given = take(hub, session, (NoticePlacement::Prompt, Vec::new()), Takes::Prompt).await?;
    let prompt = prompt(given, When::Queue);
    Ok(prompt.map(|Prompt { before, text, .. }| [before, vec![text]].concat().join("\n\n")))
}

async fn take(
    hub: &Hub,
    session: &SessionId,
    (placement, notices): (NoticePlacement, Vec<String>),
    takes: Takes,
) -> Result<GivenRun, Problem> {
    let (session, run) = (session.clone(), posting::new_id().to_string());
    let senders = hub.state::<RoutingTable>().rules(&session, Place::Room).senders.clone();
    let begin = LiveBegin { session, run, format: RunFormat::Text, placement, notices, takes, senders };
    match hub.writer.write(LiveWrite::Begin(Box::new(begin))).await.map_err(refusal)? {
        (LiveDone::Begun(given), _) => Ok(*given),
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
    let system_notices = rendered.system().into_iter().collect();
    Some(Prompt { id, text, when, before: texts, system_notices, pictures: Vec::new() })
}

/// The texts of a prompt in the format `anthropic`.
fn blocks(prompt: &str) -> Vec<String> {
    let messages: Vec<Value> = serde_json::from_str(prompt).unwrap_or_default();
    let blocks = messages.iter().filter_map(|message| message["content"].as_array()).flatten();
    blocks.filter_map(|block| block["text"].as_str().map(str::to_owned)).collect()
}

/// The pictures of messages. The bar names what can't be given, and why: the agent has its name alone.
async fn pictures(hub: &Hub, running: &Running, seqs: BTreeSet<i64>) -> Vec<Picture> {
    let (mut pictures, mut room) = (Vec::new(), MOST_IN_ALL);
    for seq in seqs {
        let Ok(Some(stored)) = hub.workspace.message_at(&running.session, seq).await else { continue };
        let Body::File(file) = Body::of(&stored.message.draft) else { continue };
        for item in &file.files {
            match picture(hub, item, room).await {
                Ok((picture, size)) => {
                    room -= size;
                    pictures.push(picture);
                }
                Err(why) => {
                    let name = model::text::one_line(&item.name, 80);
                    let notice = format!("The agent was given only the name of {name}, without its content: {why}");
                    running.show(hub, |view| view.note_of_prompt(notice));
                }
            }
        }
    }
    pictures
}

/// Returns a picture with its size in bytes, or the reason why the agent isn't given it. `room` is what other pictures
/// of the prompt leave, in bytes.
async fn picture(hub: &Hub, item: &FileItem, room: u64) -> Result<(Picture, u64), String> {
    if !PICTURES.contains(&item.mime.as_str()) {
        return Err("it only accepts PNG, JPEG, GIF and WebP images".to_owned());
    }
    let unreadable = |error: StoreError| {
        tracing::warn!(%error, "a picture can't be read");
        "the file can't be read at the moment".to_owned()
    };
    let address = item.blob.as_deref().filter(|_| item.state == FileState::Ready);
    let blob = match address {
        Some(address) => hub.workspace.blob(address.strip_prefix("sha256:").unwrap_or(address)).await,
        None => Ok(None),
    };
    let blob = blob.map_err(unreadable)?.ok_or("the file isn't stored here")?;
    if blob.size > MOST {
        return Err(format!("it accepts images of at most {} MiB", MOST >> 20));
    }
    if blob.size > room {
        return Err(format!("it accepts at most {} MiB of images per prompt", MOST_IN_ALL >> 20));
    }
    let mut bytes = Vec::new();
    let mut reader = hub.workspace.read_blob(&blob, 0..blob.size);
    while let Some(part) = reader.next_part().await.map_err(unreadable)? {
        bytes.extend(part);
    }
    Ok((Picture { mime: item.mime.clone(), data: STANDARD.encode(bytes) }, blob.size))
}
