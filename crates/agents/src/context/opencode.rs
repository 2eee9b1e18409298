//! `OpenCode`: a session is one document of messages with their parts. A step of the model is one reply.
//!
//! Which words its providers send isn't recorded, so the blocks are told in those of Anthropic's API. A compaction is a prompt of its own, and its
//! summary the reply: what is sent later begins with them, then the messages that it kept.

use super::request::Request;
use super::{Log, block, overlap, within};
use crate::opencode::messages::usage;
use crate::parts::obj::{Obj, value};
use model::model_context::{
    ContextBlock, ContextDialect, ContextPart as Part, ContextReply, ContextRole as Role, UnrecordedPart,
};
use model::{RecordRef, Usage};
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};

/// The texts that tell the model of a compaction, a sub-agent's task and images in results.
const COMPACTED: &str = "What did we do so far?";
const TASK: &str = "The following tool was executed by the user";
const MEDIA: &str = "Attached media from tool result:";
/// The result of a call that didn't end.
const INTERRUPTED: &str = "[Tool execution was interrupted]";
/// Providers whose results of tools hold pictures. For all others these follow as a message.
const WITH_MEDIA: [&str; 3] = ["anthropic", "openai", "google-vertex-anthropic"];

#[derive(Default)]
pub(super) struct OpenCode {
    turns: Vec<Turn>,
    version: Option<String>,
    calls: HashSet<String>,
    unreadable: Vec<RecordRef>,
}

/// A prompt of a person, or a step of the model.
#[derive(Default)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own that the record has")]
struct Turn {
    at: Option<RecordRef>,
    is_reply: bool,
    /// Its words stand for what was before.
    is_summary: bool,
    /// It ended without an error.
    is_whole: bool,
    id: Option<String>,
    /// The prompt that a reply answers.
    parent: Option<String>,
    /// A prompt that compacts.
    compacts: bool,
    /// The first message that it keeps, if any.
    keeps_from: Option<String>,
    provider: Option<String>,
    model: Option<String>,
    usage: Option<Usage>,
    /// When it began, in milliseconds.
    began: i64,
    blocks: Vec<ContextBlock>,
    results: Vec<Output>,
    /// Pictures of its results that aren't in them.
    media: Vec<ContextBlock>,
}

/// A call's result, and when it was cleared.
struct Output {
    block: ContextBlock,
    cleared_at: Option<i64>,
}

impl Log for OpenCode {
    fn lists(&self) -> Option<&'static [&'static str]> {
        Some(&["messages"])
    }

    fn record(&mut self, text: &str, message: &Obj, at: RecordRef) {
        self.message(text, message, &at);
    }

    fn field(&mut self, name: &str, value: &Obj) {
        if name == "info" {
            self.version = value.filled("version").or(self.version.take());
        }
    }

    fn unreadable(&mut self, at: RecordRef) {
        self.unreadable.push(at);
    }

    fn find(&self, call_id: Option<&str>, text: &str) -> Option<RecordRef> {
        let blocks = || self.turns.iter().rev().flat_map(|turn| &turn.blocks);
        let said = |block: &&ContextBlock| {
            let content = block.content.as_ref();
            let words = ["text", "thinking"].iter().find_map(|key| content?.get(key)?.as_str());
            words.is_some_and(|words| !words.trim().is_empty() && words.trim() == text.trim())
        };
        let found = match call_id {
            Some(id) => blocks().find(|block| block.call_id.as_deref() == Some(id)),
            None => blocks().find(said),
        };
        found?.records.first().cloned()
    }

    fn replies(&self) -> Vec<RecordRef> {
        self.turns.iter().filter(|turn| turn.is_reply).filter_map(|turn| turn.at.clone()).collect()
    }

    fn request(&self, at: Option<&RecordRef>) -> Option<(Request, Option<Request>)> {
        let is_reply = |index: &usize| self.turns.get(*index).is_some_and(|turn| turn.is_reply);
        let index = match at {
            None => (0..self.turns.len()).rev().find(is_reply)?,
            Some(at) => {
                // A part that has no turn of its own belongs to the message around it.
                let holds = |turn: &Turn| turn.at.as_ref().is_some_and(|own| overlap(own, at));
                let found = self.turns.iter().position(holds).unwrap_or(self.turns.len());
                (found..self.turns.len()).find(is_reply).unwrap_or(self.turns.len())
            }
        };
        let previous = (0..index).rev().find(is_reply);
        Some((self.answered(index), previous.map(|index| self.answered(index))))
    }
}

impl OpenCode {
    /// Adds a message. `text` is its JSON, `at` the place of this JSON in the file.
    fn message(&mut self, text: &str, message: &Obj, at: &RecordRef) {
        let Some(info) = message.obj("info") else { return };
        let is_reply = info.str("role").as_deref() == Some("assistant");
        let error = info.obj("error");
        let failed = error.is_some();
        let was_aborted = error.is_some_and(|error| error.str("name").as_deref() == Some("MessageAbortedError"));
        let began = info.obj("time").and_then(|time| time.int("created")).unwrap_or_default();
        let new = |at: &RecordRef| Turn {
            at: Some(at.clone()),
            is_reply,
            is_summary: is_reply && info.is_true("summary"),
            is_whole: info.has("finish") && !failed,
            id: info.filled("id"),
            parent: info.filled("parentID"),
            provider: info.filled("providerID"),
            model: info.filled("modelID"),
            usage: info.obj("tokens").map(|tokens| usage(&tokens)),
            began,
            ..Turn::default()
        };
        let mut turn = new(at);
        let (mut steps, mut has_said) = (0, false);
        for raw in message.list("parts").unwrap_or_default() {
            let Some(part) = Obj::parse(raw) else { continue };
            let place = within(text, raw, at);
            has_said |= !matches!(part.str("type").as_deref(), Some("step-start" | "reasoning"));
            match part.str("type").as_deref() {
                Some("step-start") => {
                    if steps > 0 {
                        self.turns.push(std::mem::replace(&mut turn, new(&place)));
                    }
                    steps += 1;
                }
                Some("step-finish") => turn.usage = part.obj("tokens").map(|tokens| usage(&tokens)).or(turn.usage),
                _ => self.part(&mut turn, &part, &place),
            }
            // A step begins and ends with its own parts.
            if steps > 1
                && let Some(own) = &mut turn.at
            {
                own.len = (place.offset + place.len).saturating_sub(own.offset);
            }
        }
        if failed && !(was_aborted && has_said) {
            // It isn't sent again. That it was asked for stays.
            (turn.blocks, turn.results, turn.media) = Default::default();
        }
        self.turns.push(turn);
    }

    fn part(&mut self, turn: &mut Turn, part: &Obj, at: &RecordRef) {
        match part.str("type").as_deref() {
            Some("text") if !part.is_true("ignored") && part.filled("text").is_some() => {
                let counts_as = match (turn.is_summary, part.is_true("synthetic")) {
                    (true, _) => Part::Summary,
                    (_, true) => Part::Injected,
                    _ => Part::History,
                };
                turn.blocks.push(block::text(part.string("text").unwrap_or_default(), counts_as, Some(at)));
            }
            Some("reasoning") => {
                let content = json!({"type": "thinking", "thinking": part.string("text")});
                turn.blocks.push(block::anthropic(content, Part::Thinking, Some(at)));
            }
            Some("subtask") => turn.blocks.push(block::text(TASK, Part::Injected, Some(at))),
            Some("compaction") => {
                turn.compacts = true;
                turn.keeps_from = part.filled("tail_start_id");
                turn.blocks.push(block::text(COMPACTED, Part::Injected, Some(at)));
            }
            Some("file") => turn.blocks.extend(file(part, at)),
            Some("tool") => self.call(turn, part, at),
            _ => {}
        }
    }

    fn call(&mut self, turn: &mut Turn, part: &Obj, at: &RecordRef) {
        let mut id = part.filled("callID").unwrap_or_default();
        if !self.calls.insert(id.clone()) {
            // Exports may have all ids replaced by the same word.
            id = format!("{id}-{}", part.filled("id").unwrap_or_else(|| at.offset.to_string()));
        }
        let state = part.obj("state");
        let field = |name: &str| state.as_ref().and_then(|state| state.raw(name)).map(value);
        let used = json!({"type": "tool_use", "id": id, "name": part.string("tool"), "input": field("input")});
        turn.blocks.push(block::anthropic(used, Part::Results, Some(at)));
        let metadata = state.as_ref().and_then(|state| state.obj("metadata"));
        // The output of a command before it was interrupted.
        let printed =
            metadata.filter(|it| it.is_true("interrupted")).and_then(|it| it.string("output").map(Value::from));
        let error = field("error").filter(|_| printed.is_none());
        let unfinished = || match state.as_ref()?.str("status").as_deref()? {
            "pending" | "running" => Some(Value::from(INTERRUPTED)),
            _ => None,
        };
        let failed = error.is_some();
        let output = field("output").filter(|output| !output.is_null());
        let Some(content) = output.or(printed).or(error).or_else(unfinished) else { return };
        let cleared_at = state.as_ref().and_then(|state| state.obj("time")).and_then(|time| time.int("compacted"));
        let attachments = state.as_ref().and_then(|state| state.list("attachments")).unwrap_or_default();
        let media: Vec<ContextBlock> =
            attachments.into_iter().filter_map(Obj::parse).filter_map(|attachment| file(&attachment, at)).collect();
        let is_within = turn.provider.as_deref().is_some_and(|provider| WITH_MEDIA.contains(&provider));
        let content = if is_within && !media.is_empty() && cleared_at.is_none() {
            let text = json!({"type": "text", "text": content});
            std::iter::once(text).chain(media.into_iter().filter_map(|block| block.content)).collect()
        } else {
            if !media.is_empty() && cleared_at.is_none() {
                if turn.media.is_empty() {
                    turn.media.push(block::text(MEDIA, Part::Injected, Some(at)));
                }
                turn.media.extend(media);
            }
            content
        };
        let result = json!({"type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed});
        turn.results.push(Output { block: block::anthropic(result, Part::Results, Some(at)), cleared_at });
    }

    /// The turns before one that are sent with it: without what a compaction left out, and what it kept behind its summary.
    fn sent(&self, index: usize) -> Vec<&Turn> {
        let before = self.turns.get(..index).unwrap_or_default();
        let done: HashMap<&str, usize> = before
            .iter()
            .enumerate()
            .filter(|(_, turn)| turn.is_summary && turn.is_whole)
            .filter_map(|(at, turn)| Some((turn.parent.as_deref()?, at)))
            .collect();
        let compactions = before.iter().enumerate().rev().filter(|(_, turn)| turn.compacts);
        let mut compactions = compactions
            .filter_map(|(at, turn)| Some((at, done.get(turn.id.as_deref()?)? + 1, turn.keeps_from.as_deref())));
        let Some((prompt, after, kept)) = compactions.next() else {
            // Older ones mark the summary alone.
            let start = before.iter().rposition(|turn| turn.is_summary).unwrap_or_default();
            return before.iter().skip(start).collect();
        };
        let start = kept.and_then(|id| before.iter().take(prompt).position(|turn| turn.id.as_deref() == Some(id)));
        let of = |range: std::ops::Range<usize>| before.get(range).unwrap_or_default().iter();
        let kept = of(start.unwrap_or(prompt)..prompt);
        of(prompt..after).chain(kept).chain(of(after..before.len())).collect()
    }

    fn answered(&self, index: usize) -> Request {
        let reply = self.turns.get(index);
        let of_reply = reply.map(|reply| ContextReply {
            id: reply.id.clone(),
            seq: None,
            at: None,
            model: reply.model.clone(),
            agent_version: self.version.clone(),
            usage: reply.usage,
            records: reply.at.iter().cloned().collect(),
        });
        let mut request = Request::new(ContextDialect::Neutral, of_reply.unwrap_or_default());
        request.unrecorded = UnrecordedPart::ALL.to_vec();
        let mut sent = self.sent(index);
        let summary = reply.filter(|reply| reply.is_summary);
        if let Some(summary) = summary {
            request.doubt("The words that ask for the summary of a compaction aren't recorded");
            let prompt = sent.iter().rev().find(|turn| turn.compacts && turn.id == summary.parent);
            let kept = prompt.and_then(|prompt| prompt.keeps_from.as_ref());
            let kept = kept.and_then(|kept| sent.iter().position(|turn| turn.id.as_ref() == Some(kept)));
            sent.truncate(kept.unwrap_or(sent.len()));
            sent.retain(|turn| !turn.compacts);
        }
        if sent.iter().any(|turn| turn.is_summary && turn.parent.is_none()) {
            request.doubt("What stands around the summary of a compaction isn't recorded");
        }
        let began = reply.map_or(i64::MAX, |reply| reply.began);
        for turn in sent {
            let role = if turn.is_reply { Role::Assistant } else { Role::User };
            // The request of a summary tells its messages as one text.
            let told =
                |block: &ContextBlock| ContextBlock { inexact: block.inexact || summary.is_some(), ..block.clone() };
            request.say(role, turn.blocks.iter().map(told));
            let output = |output: &Output| {
                let mut block = told(&output.block);
                if output.cleared_at.is_some_and(|at| at <= began) {
                    super::claude::clear(&mut block);
                }
                block
            };
            request.say(Role::User, turn.results.iter().map(output));
            request.say(Role::User, turn.media.iter().map(told));
        }
        if reply.is_none() {
            request.unanswered();
        }
        let is_before = |at: &RecordRef| {
            reply
                .and_then(|reply| reply.at.as_ref())
                .is_none_or(|own| at.source != own.source || at.offset < own.offset)
        };
        if self.unreadable.iter().any(is_before) {
            request.doubt("The document isn't whole, or a part of it can't be read");
        }
        request
    }
}

/// A file as it is sent; none whose text stands beside it.
fn file(part: &Obj, at: &RecordRef) -> Option<ContextBlock> {
    let (mime, url) = (part.string("mime")?, part.string("url")?);
    if matches!(mime.as_str(), "text/plain" | "application/x-directory") {
        return None;
    }
    let kind = if mime.starts_with("image/") { "image" } else { "document" };
    let data = url.strip_prefix("data:").and_then(|rest| rest.split_once(";base64,"));
    let source = match data {
        Some((_, data)) => json!({"type": "base64", "media_type": mime, "data": data}),
        None => json!({"type": "url", "url": url}),
    };
    let mut block = block::anthropic(json!({"type": kind, "source": source}), Part::Files, Some(at));
    // The content at the address isn't recorded.
    block.inexact = data.is_none();
    Some(block)
}
