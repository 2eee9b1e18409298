//! Notes of the program: commands, titles, rewinds, compressions and figures.

use super::Log;
use crate::Stretch;
use crate::parts::at::{At, extras, message_id};
use crate::parts::obj::Obj;
use crate::parts::session::TitleRank;
use crate::parts::short::fields_in_short;
use serde_json::Map;

impl Log {
    pub(super) fn system(&mut self, at: &At, subtype: &str, record: &Obj) {
        let Some(payload) = record.obj("systemPayload") else { return self.aside(at, subtype, record) };
        let words = match subtype {
            "rewind" => return self.rewind(at, record),
            "custom_title" => {
                let title = payload.filled("customTitle").unwrap_or_default();
                let is_auto = payload.str("titleSource").as_deref() == Some("auto");
                let rank = if is_auto { TitleRank::Agent } else { TitleRank::Custom };
                self.book.sessions[at.session].title(rank, &title);
                format!("Title: {title}")
            }
            "parent_session" => {
                let parent = payload.filled("parentSessionId");
                let words = format!("Started by session {}", parent.as_deref().unwrap_or("unknown"));
                self.book.sessions[at.session].set(|facts| &mut facts.parent, parent);
                words
            }
            "chat_compression" => {
                let info = payload.obj("info");
                let count = |key: &str| info.as_ref().and_then(|info| info.int(key));
                let words = match (count("originalTokenCount"), count("newTokenCount")) {
                    (Some(before), Some(after)) => format!("Conversation compacted: {before} tokens became {after}"),
                    _ => "Conversation compacted".to_owned(),
                };
                let mut draft = at.aside(&at.id, "compact_boundary", words);
                draft.metadata = Some(extras("compact", Map::new()));
                return self.say(at, draft);
            }
            "slash_command" => {
                let items = payload.list("outputHistoryItems").unwrap_or_default();
                let texts = items.into_iter().filter_map(Obj::parse).filter_map(|item| item.filled("text"));
                let output = texts.collect::<Vec<_>>().join("\n");
                let command = payload.filled("rawCommand").unwrap_or_else(|| "A command".to_owned());
                if output.is_empty() { command } else { format!("{command}\n\n{output}") }
            }
            "ui_telemetry" => {
                let event = payload.obj("uiEvent");
                let name = event.as_ref().and_then(|event| event.filled("event.name"));
                event.map_or_else(String::new, |event| fields_in_short(name.as_deref().unwrap_or(subtype), &event))
            }
            _ => payload.filled("displayText").unwrap_or_else(|| fields_in_short(subtype, &payload)),
        };
        let draft = at.aside(&at.id, if subtype.is_empty() { "system" } else { subtype }, words);
        self.say(at, draft);
    }

    /// A person went back: what came after the line that this one stands behind no longer holds.
    fn rewind(&mut self, at: &At, record: &Obj) {
        self.calls.end_all(&mut self.book, at.session, "orphaned");
        let draft = at.aside(&at.id, "rewind", "The conversation was rewound");
        self.say(at, draft);
        let from = match record.filled("parentUuid") {
            Some(parent) => match self.order.iter().rposition(|step| step.uuid == parent) {
                Some(place) => place + 1,
                None => return,
            },
            None => 0,
        };
        let left = self.order.split_off(from);
        let Some(first) = left.first() else { return };
        let stretch = Stretch { from: message_id(&first.first), before: message_id(&at.id) };
        self.book.leave(at.session, stretch, first.offset..at.span.offset, true);
        if let Some(before) = left.into_iter().find_map(|step| step.before) {
            let restarted = self.order.iter().all(|step| step.before.is_none());
            self.book.sessions[at.session].go_back(before, restarted);
        }
    }
}
