//! A line of a session file, as far as it matters for requests.

use super::attachment;
use super::content::blocks;
use crate::context::overlap;
use crate::parts::at::micros;
use crate::parts::obj::{Obj, string};
use crate::parts::runs::usage;
use model::model_context::{ContextBlock, ContextPart as Part, ContextRole as Role};
use model::{Micros, RecordRef, Usage};
use serde_json::Value;

/// Stands between a prompt that nobody answered and the next one. Seen by running it.
const FILLER: &str = "No response requested.";

/// The type of lines about what was typed while the agent worked.
pub(super) const QUEUE: &str = "queue-operation";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A block of what the model wrote.
    Assistant,
    /// A message of a person, a tool or the program.
    User,
    /// Context that the program added.
    Attachment,
    /// A summary replaces the lines before.
    Boundary,
    /// Results that were cleared.
    Cleared,
    /// A prompt that a person typed meanwhile, given by a line of the queue.
    Queued,
    /// A line of the tree that is never sent.
    Aside,
}

/// Which conversation of a file a line belongs to: the session's own, or a sub-agent's.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Lane {
    Main,
    Side(String),
}

#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "marks that a line has or hasn't, each by itself")]
pub(super) struct Line {
    pub at: RecordRef,
    pub kind: Kind,
    pub lane: Lane,
    pub id: Option<String>,
    pub parent: Option<String>,
    /// Behind a compaction: the line before.
    pub logical: Option<String>,
    /// Without a parent: the line of the conversation that was read before it.
    pub follows: Option<usize>,
    /// True if it marks the start of the conversation.
    pub is_root: bool,
    pub role: Role,
    pub blocks: Vec<ContextBlock>,
    pub message_id: Option<String>,
    /// Written by the program: an error of the API, which is never sent.
    pub is_synthetic: bool,
    pub is_summary: bool,
    pub model: Option<String>,
    pub version: Option<String>,
    pub usage: Option<Usage>,
    pub time: Option<Micros>,
    /// The request that it answers, where the file holds the requests.
    pub request: Option<String>,
    /// The lines that a compaction kept, or the first and the last of them; and what they stand behind now.
    pub kept: Vec<String>,
    pub kept_is_list: bool,
    pub anchor: Option<String>,
    /// Calls whose results were cleared.
    pub cleared: Vec<String>,
}

impl Line {
    /// None for a line that is no part of the tree; two for one that holds a line of a sub-agent.
    pub fn read(record: &Obj, at: &RecordRef) -> Vec<Self> {
        let Some(kind) = record.filled("type") else { return Vec::new() };
        let embedded = if kind == "progress" { Self::embedded(record, at.clone()) } else { None };
        Self::of(record, &kind, at.clone()).into_iter().chain(embedded).collect()
    }

    /// A line of a sub-agent that stands inside a line of its parent's file.
    fn embedded(record: &Obj, at: RecordRef) -> Option<Self> {
        let data = record.obj("data")?;
        let agent = data.filled("agentId")?;
        let inner = data.obj("message")?;
        let mut line = Self::of(&inner, &inner.filled("type")?, at)?;
        line.lane = Lane::Side(agent);
        // They come in order, without links.
        (line.parent, line.is_root) = (None, false);
        Some(line)
    }

    pub(super) fn of(record: &Obj, kind: &str, at: RecordRef) -> Option<Self> {
        let message = record.obj("message");
        // Lines of the program's output name the call that began the sub-agent.
        let call = record.filled("parent_tool_use_id");
        let is_side = record.is_true("isSidechain") || call.is_some();
        let agent = record.filled("agentId").or(call).unwrap_or_default();
        let mut line = Self {
            kind: Kind::Aside,
            lane: if is_side { Lane::Side(agent) } else { Lane::Main },
            id: record.filled("uuid"),
            parent: record.filled("parentUuid"),
            logical: record.filled("logicalParentUuid"),
            follows: None,
            is_root: record.is_null("parentUuid"),
            role: Role::User,
            blocks: Vec::new(),
            message_id: None,
            is_synthetic: false,
            is_summary: false,
            model: None,
            version: record.filled("version"),
            usage: None,
            time: record.str("timestamp").and_then(|text| micros(&text)),
            request: None,
            kept: Vec::new(),
            kept_is_list: false,
            anchor: None,
            cleared: Vec::new(),
            at,
        };
        match kind {
            "assistant" => line.assistant(record, &message?),
            "user" => line.user(record, &message?),
            "attachment" => {
                line.kind = Kind::Attachment;
                let attachment = record.obj("attachment")?;
                (line.role, line.blocks) = attachment::read(&attachment, line.version.as_deref(), &line.at);
            }
            "system" => line.system(record),
            QUEUE => line.kind = Kind::Queued,
            // Titles, snapshots and the like have no place in the tree.
            _ if line.id.is_none() => return None,
            _ => {}
        }
        Some(line)
    }

    fn assistant(&mut self, record: &Obj, message: &Obj) {
        self.kind = Kind::Assistant;
        self.role = Role::Assistant;
        self.message_id = message.filled("id");
        self.model = message.filled("model").filter(|model| model != "<synthetic>");
        self.is_synthetic =
            record.is_true("isApiErrorMessage") || message.str("model").as_deref() == Some("<synthetic>");
        self.usage = usage(message);
        self.request = record.filled("requestRef");
        self.blocks = blocks(message.raw("content"), Part::History, &self.at);
    }

    fn user(&mut self, record: &Obj, message: &Obj) {
        self.kind = Kind::User;
        self.is_summary = record.is_true("isCompactSummary");
        if record.is_true("isVisibleInTranscriptOnly") && !self.is_summary {
            self.kind = Kind::Aside;
            return;
        }
        let part = if self.is_summary {
            Part::Summary
        } else if record.is_true("isMeta") {
            Part::Injected
        } else {
            Part::History
        };
        self.blocks = blocks(message.raw("content"), part, &self.at);
    }

    fn system(&mut self, record: &Obj) {
        match record.str("subtype").as_deref() {
            Some("compact_boundary") => {
                self.kind = Kind::Boundary;
                let Some(data) = record.obj("compactMetadata") else { return };
                if let Some(kept) = data.obj("preservedMessages") {
                    let ids = kept.list("uuids").unwrap_or_default();
                    self.kept = ids.into_iter().filter_map(string).map(Into::into).collect();
                    self.kept_is_list = true;
                    self.anchor = kept.filled("anchorUuid");
                } else if let Some(kept) = data.obj("preservedSegment") {
                    self.kept = [kept.filled("headUuid"), kept.filled("tailUuid")].into_iter().flatten().collect();
                    self.anchor = kept.filled("anchorUuid");
                }
            }
            Some("microcompact_boundary") => {
                self.kind = Kind::Cleared;
                let ids = record.obj("microcompactMetadata").and_then(|data| data.list("compactedToolIds"));
                self.cleared = ids.unwrap_or_default().into_iter().filter_map(string).map(Into::into).collect();
            }
            Some("local_command") => {
                // The output of a command of the program goes to the model as a message of the person.
                self.kind = Kind::User;
                self.blocks = blocks(record.raw("content"), Part::Injected, &self.at);
            }
            _ => {}
        }
    }

    /// Returns true for the program's answer in the model's place when a session is resumed: that is sent.
    pub fn is_filler(&self) -> bool {
        let is_filler = |block: &ContextBlock| {
            block.content.as_ref().and_then(|content| content.get("text")).and_then(Value::as_str) == Some(FILLER)
        };
        self.kind == Kind::Assistant && self.is_synthetic && self.blocks.len() == 1 && self.blocks.iter().all(is_filler)
    }

    /// Returns true if the line, or a block of it, came from these bytes.
    pub fn is_from(&self, at: &RecordRef) -> bool {
        overlap(&self.at, at)
            || (self.kind == Kind::Queued
                && self.blocks.iter().flat_map(|block| &block.records).any(|from| overlap(from, at)))
    }

    /// Returns true if the line has no link to one before it, as in old files and embedded ones.
    pub fn is_loose(&self) -> bool {
        self.parent.is_none() && !self.is_root && self.kind != Kind::Boundary
    }
}
