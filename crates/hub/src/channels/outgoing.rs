//! Text of messages in channels.

use crate::basics::{clock, problem};
use crate::caller::Caller;
use crate::channels::open_channels::Open;
use crate::context::{Hub, Scoped};
use crate::requests::shown::Room;
use crate::requests::shown::shown;
use crate::routing;
use crate::upkeep::trash::{DAY, DELIVERY_DAYS};
use crate::writing::entries::entry;
use crate::writing::posting::ORIGIN;
use ::channels::{Lane, Outgoing, Receives};
use api::Problem;
use api::messages::{AskedCall, Entry};
use model::asked::AskedChange;
use model::message_type::approval::Approval;
use model::message_type::progress::is_under_way;
use model::message_type::tool_call::ToolState;
use model::policy::{ChannelView, Verbosity, channel_text};
use model::{AssistantName, Body, Draft, MessageType, Provenance, Role, SessionId, Status};
use store::{ChannelRow, DueDelivery};

/// Characters of an approval that every channel shows whole: only then a person decides on what they read.
const SHOWN: usize = 6000;

/// A body that is ready to be sent.
pub struct Rendered {
    pub body: String,
    /// The text that it says.
    pub said: String,
    /// Hash of the shown request, which a decision must have.
    pub shown: Option<String>,
    pub is_talk: bool,
}

/// Renders a message as it is now. None where the channel is told nothing of it.
pub async fn render(hub: &Hub, row: &ChannelRow, open: &Open, due: &DueDelivery) -> Result<Option<Rendered>, Problem> {
    let workspace = &hub.workspace;
    let session = workspace.session(&due.session, clock::now()).await.map_err(problem)?;
    let Some(session) = session.filter(|session| session.deleted_at.is_none()) else { return Ok(None) };
    let stored = workspace.message_at(&due.session, due.key.seq).await.map_err(problem)?;
    let Some(stored) = stored else { return Ok(None) };
    let entry = entry(stored);
    let draft = &entry.message.draft;
    let abilities = &open.kind.abilities;
    // Old rows are deleted: a new row for a message this old may be of one that was sent already, which isn't sent
    // twice.
    let is_forgotten = due.sends == 0 && due.queued_at.since(draft.created_at) > DELIVERY_DAYS * DAY;
    // A channel that seems to be made after the row was made while the clock was ahead.
    let is_before = draft.created_at < row.created_at && row.created_at <= due.queued_at;
    let is_old = is_forgotten || (row.every_session && is_before);
    if is_old || came_by(draft, &row.id) || (!abilities.edits && !is_settled(&entry)) {
        return Ok(None);
    }
    let verbosity = Verbosity::parse(&row.verbosity).unwrap_or(Verbosity::Normal);
    let view = ChannelView { verbosity, bot_identity: abilities.bot_identity };
    let named = named(draft, &routing::assistant(hub, &session).await?);
    let mut text = channel_text(&named, view);
    let page = page(hub, &due.session, Some(due.key.seq));
    let mut shown = None;
    if let Some(text) = &mut text
        && Approval::open_of(draft, entry.body()).is_some()
    {
        shown = ask(hub, entry.clone(), text, &page).await?.filter(|_| abilities.receives != Receives::Nothing);
    }
    let before = due.said.as_deref().filter(|_| due.sends > 0);
    let lane = lane(draft);
    let title = session.title.as_str();
    let outgoing = Outgoing { title, message: &entry.message, text: text.as_deref(), lane, before, page: &page };
    let body = open.channel.render(&outgoing);
    let said = text.unwrap_or_default();
    Ok(body.map(|body| Rendered { body, said, shown, is_talk: lane == Lane::Talk }))
}

/// The address of a session, or of a message in it.
pub fn page(hub: &Hub, session: &SessionId, seq: Option<i64>) -> String {
    let session = format!("{}/s/{}", hub.settings.base_url, api::endpoint::segment(session.as_str()));
    seq.map_or(session.clone(), |seq| format!("{session}?at={seq}#m{seq}"))
}

/// The session's agent speaks under the assistant's name, another one under its own.
fn named(draft: &Draft, assistant: &AssistantName) -> Draft {
    let mut named = draft.clone();
    if draft.role == Role::Assistant {
        named.sender_name = Some(assistant.of(draft).to_owned());
    }
    named
}

/// Adds to an open approval all that a decision covers, and returns what the decision is bound to. None where that is
/// too much to be shown: then it is decided in the page.
async fn ask(hub: &Hub, mut entry: Entry, text: &mut String, page: &str) -> Result<Option<String>, Problem> {
    let owner = Scoped::new(hub.clone(), Caller::owner());
    shown(&owner, &mut entry, &mut Room::default()).await?;
    let calls = entry.calls.iter().map(given);
    let whole = format!("{text}{}", calls.collect::<String>());
    let words =
        model::markdown::said_besides(&entry.message.draft, &Body::of(&entry.message.draft)).unwrap_or_default();
    let whole = if words.is_empty() { whole } else { format!("{whole}\n{words}") };
    if entry.shown_sha256.is_some() && whole.chars().count() <= SHOWN {
        *text = format!("{whole}\n{page}");
        return Ok(entry.shown_sha256);
    }
    *text = format!("{text}\nThere is more to read than fits here. Decide it in the page: {page}");
    Ok(None)
}

/// Returns a call's input and changes as text, for a person who decides.
fn given(call: &AskedCall) -> String {
    let mut lines = vec![call.tool_name.clone()];
    if !call.input.is_empty() {
        let input = serde_json::to_string(&call.input).unwrap_or_default();
        lines = vec![format!("{}: {input}", call.tool_name)];
    }
    lines.extend(call.paths.iter().map(|path| format!("path: {path}")));
    lines.extend(call.texts.iter().cloned());
    for (edit, info) in call.changes.iter().flat_map(AskedChange::parts) {
        let (added, removed) = edit.line_counts_with(&info);
        let from = info.moved_from.as_ref().map(|from| format!(", moved from {from}")).unwrap_or_default();
        lines.push(format!("{} {} (+{added} -{removed}){from}", edit.verb(), edit.file_path));
        lines.push(edit.diff_with(&info));
    }
    format!("\n{}", lines.join("\n"))
}

/// Did a person write it in this channel? They see it there.
fn came_by(draft: &Draft, channel: &str) -> bool {
    let is_persons = draft.role == Role::User && draft.provenance == Provenance::Person;
    let origin = draft.metadata.as_ref().and_then(|metadata| metadata.get(ORIGIN)?.get("id")?.as_str());
    is_persons && origin == Some(channel)
}

/// Returns true if the message isn't expected to change any more.
fn is_settled(entry: &Entry) -> bool {
    let draft = &entry.message.draft;
    let runs =
        matches!(entry.body(), Body::ToolCall(call) if call.state() == ToolState::Running) && entry.outcome.is_none();
    draft.status != Status::Streaming && !runs && !is_under_way(draft)
}

fn lane(draft: &Draft) -> Lane {
    let is_work = match (draft.role, draft.message_type()) {
        (Role::Tool | Role::Model | Role::System, _) => true,
        (Role::Assistant, kind) => {
            [MessageType::ToolCall, MessageType::CodeEdit, MessageType::Todo, MessageType::Progress]
                .iter()
                .any(|it| kind == *it)
        }
        (Role::User | Role::Host, _) => false,
    };
    if is_work { Lane::Work } else { Lane::Talk }
}
