//! The content that a person sees before a decision, and its hash, to which the decision is bound.

use crate::basics::hash::sha256;
use crate::basics::problem;
use crate::context::Scoped;
use crate::requests::declared;
use api::messages::{AskedCall, Entry, NotShown, NotShownReason};
use api::{Problem, ProblemCode};
use model::asked::{Asked, AskedChange};
use model::closed::Closed;
use model::hook::HookAsk;
use model::message_type::approval::Approval;
use model::{Body, Draft, SessionId, Status, markdown};
use serde::Serialize;
use serde_json::{Map, Value};
use store::StoredMessage;

/// Bytes of JSON that one decision may cover: what is larger is read by nobody.
const APPROVAL_BYTES: usize = 256 * 1024;
/// Calls that are named where they aren't shown.
const NAMED: usize = 20;
/// Bytes of JSON that the approvals of one reply may cover together.
const REPLY_BYTES: usize = 1024 * 1024;

/// Bytes that one reply still has for what its approvals cover.
pub struct Room(usize);

impl Default for Room {
    fn default() -> Self {
        Self(REPLY_BYTES)
    }
}

/// Adds to an open approval the calls that it asks about, and the hash that a decision is bound to; to a FILE or a
/// `CODE_REVIEW` with buttons the hash; to a message of a declared type what it is shown by. A reply that doesn't hold
/// all that the hash covers has no hash.
pub async fn shown(scoped: &Scoped, entry: &mut Entry, room: &mut Room) -> Result<(), Problem> {
    declared::show(scoped, entry).await?;
    let draft = &entry.message.draft;
    let has_buttons = match entry.body() {
        Body::File(file) => file.asks(draft.metadata.as_ref()),
        Body::CodeReview(review) => !review.comments.is_empty(),
        _ => false,
    };
    if has_buttons && draft.status != Status::Retracted && Closed::of(draft).is_none() {
        entry.shown_sha256 = Some(shown_sha256(draft, &[])?);
        return Ok(());
    }
    if Approval::open_of(draft, entry.body()).is_none() {
        return Ok(());
    }
    let stored = calls(scoped, &entry.message.session_id, draft).await?;
    let mut covered = Covered::of(draft, &stored);
    // A request of which the transcript tells nothing yet is shown by the card itself.
    let own = entry.message.seq;
    covered.calls.iter_mut().filter(|call| call.seq == 0).for_each(|call| call.seq = own);
    let bytes = covered.bytes()?;
    let reason = if covered.lacks_content(draft) {
        NotShownReason::NoContent
    } else if bytes > APPROVAL_BYTES {
        NotShownReason::TooLarge
    } else if bytes > room.0 {
        NotShownReason::LeftOut
    } else {
        room.0 -= bytes;
        entry.shown_sha256 = Some(covered.sha256()?);
        entry.calls = covered.calls;
        return Ok(());
    };
    let calls = covered.calls.iter().map(|call| call.seq).take(NAMED).collect();
    entry.not_shown = Some(NotShown { reason, bytes: bytes as u64, calls });
    Ok(())
}

/// The content that a decision covers.
struct Covered {
    /// The payload without its state and decision.
    payload: Map<String, Value>,
    calls: Vec<AskedCall>,
    /// The agent's own text beside the card.
    words: Option<String>,
}

impl Covered {
    fn of(draft: &Draft, calls: &[StoredMessage]) -> Self {
        let payload = draft.metadata.as_ref().and_then(|m| m.get("payload")?.as_object());
        let mut payload = payload.cloned().unwrap_or_default();
        payload.shift_remove("state");
        payload.shift_remove("decision");
        let call = |call: &StoredMessage| match Body::of(&call.message.draft) {
            Body::ToolCall(it) if call.message.draft.status != Status::Retracted => {
                Some(AskedCall::new(call.message.draft.id.clone(), call.message.seq, it.tool_name, it.input))
            }
            _ => None,
        };
        let words = markdown::said_besides(draft, &Body::of(draft)).map(str::to_owned);
        let mut calls: Vec<AskedCall> = calls.iter().filter_map(call).collect();
        // The agent does what it asked about. Its transcript tells of the call a moment later, and changes nothing.
        if let Some((asked, says_what)) = requested(draft) {
            let (message_id, seq) =
                calls.first().map_or((draft.id.clone(), 0), |call| (call.message_id.clone(), call.seq));
            if says_what {
                calls.clear();
            }
            let Asked { tool_name, input, changes, paths, texts } = asked;
            calls.insert(0, AskedCall { message_id, seq, tool_name, input, changes, paths, texts });
        }
        calls.retain(|call| !is_all_told(call, &payload));
        Self { payload, calls, words }
    }

    /// Returns whether it is about edits or commands of which nothing is known but the names: nobody could say what
    /// they allow.
    fn lacks_content(&self, draft: &Draft) -> bool {
        let says =
            |call: &AskedCall| !call.changes.is_empty() || agents::says_what(&call.tool_name, &call.input, &call.paths);
        match Asked::of(draft) {
            Some(asked) if self.calls.is_empty() => !agents::says_what(&asked.tool_name, &asked.input, &asked.paths),
            _ => !self.calls.is_empty() && !self.calls.iter().any(says),
        }
    }

    fn parts(&self) -> impl Serialize + '_ {
        let calls: Vec<_> = self.calls.iter().map(CallParts::of).collect();
        (&self.payload, calls, &self.words)
    }

    fn sha256(&self) -> Result<String, Problem> {
        sha256(&self.parts())
    }

    fn bytes(&self) -> Result<usize, Problem> {
        serde_json::to_vec(&self.parts()).map(|bytes| bytes.len()).map_err(|_| Problem::internal())
    }
}

/// The parts of a call that a decision covers.
#[derive(Serialize)]
#[serde(untagged)]
enum CallParts<'c> {
    Bare(&'c str, &'c Map<String, Value>),
    Shown(&'c str, &'c Map<String, Value>, &'c [AskedChange], &'c [String], &'c [String]),
}

impl<'c> CallParts<'c> {
    fn of(call: &'c AskedCall) -> Self {
        let AskedCall { tool_name, input, changes, paths, texts, .. } = call;
        // The hashes that channels were sent stay valid.
        if changes.is_empty() && paths.is_empty() && texts.is_empty() {
            return Self::Bare(tool_name, input);
        }
        Self::Shown(tool_name, input, changes, paths, texts)
    }
}

/// Returns what the request of a hook or of a running agent carries, and whether that says what the agent would do.
/// None where it carries nothing.
fn requested(draft: &Draft) -> Option<(Asked, bool)> {
    if let Some(HookAsk { tool_name, input, .. }) = HookAsk::of(draft) {
        return Some((Asked { tool_name, input, ..Asked::default() }, true));
    }
    let asked = Asked::of(draft).filter(|asked| !asked.is_empty())?;
    let says_what = asked.says_what();
    Some((asked, says_what))
}

/// Does the payload say all of a call? Then the card needn't show the questions twice.
fn is_all_told(call: &AskedCall, payload: &Map<String, Value>) -> bool {
    let is_bare = call.changes.is_empty() && call.paths.is_empty() && call.texts.is_empty();
    is_bare && agents::claude::tells_all(payload, &call.tool_name, &call.input)
}

/// Returns the hash, in hex, of what a person has to see before they decide: the payload without its state and
/// decision, tool and input of each call with its `call_id`, what the agent's request carries, and what the agent says
/// beside the card.
pub fn shown_sha256(draft: &Draft, calls: &[StoredMessage]) -> Result<String, Problem> {
    Covered::of(draft, calls).sha256()
}

/// Refuses all but a denial of an edit or a command of which nothing is known but its name.
pub async fn check_content(scoped: &Scoped, found: &StoredMessage) -> Result<(), Problem> {
    let draft = &found.message.draft;
    let stored = calls(scoped, &found.message.session_id, draft).await?;
    if !Covered::of(draft, &stored).lacks_content(draft) {
        return Ok(());
    }
    let title = "The request doesn't show the change or the command, so it can only be denied";
    Err(Problem::new(ProblemCode::NoContent, title).hint("Deny it, or answer in the agent's own terminal"))
}

/// The tool calls that an approval is about, as many as somebody may be shown.
async fn calls(scoped: &Scoped, session: &SessionId, draft: &Draft) -> Result<Vec<StoredMessage>, Problem> {
    let Some(call_id) = &draft.call_id else { return Ok(Vec::new()) };
    scoped.hub.workspace.calls(session, call_id).await.map_err(problem)
}
