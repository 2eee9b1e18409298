//! Lines that keep the program's books: titles, modes, queues, snapshots; and every type of line that we don't know.

use super::at::{At, extras, hash};
use super::obj::Obj;
use super::session::TitleRank;
use super::state::State;
use crate::parts::short::fields_in_short;
use serde_json::json;

/// Lines of which the last one wins: one message of a session each.
const LAST_WINS: [&str; 14] = [
    "agent-color",
    "agent-name",
    "agent-setting",
    "ai-title",
    "atis-latch",
    "bridge-session",
    "cost-state",
    "custom-title",
    "last-prompt",
    "mode",
    "permission-mode",
    "relocated",
    "tag",
    "worktree-state",
];

impl State {
    pub fn bookkeeping(&mut self, at: &At, kind: &str, line: &Obj) {
        let title = |name: &str| line.filled(name);
        let content = match kind {
            "custom-title" => {
                let title = title("customTitle").unwrap_or_default();
                self.book.sessions[at.session].title(TitleRank::Custom, &title);
                format!("Title: {title}")
            }
            "ai-title" => {
                let title = title("aiTitle").unwrap_or_default();
                self.book.sessions[at.session].title(TitleRank::Agent, &title);
                format!("Title: {title}")
            }
            "agent-name" => {
                let name = title("agentName").unwrap_or_default();
                self.book.sessions[at.session].title(TitleRank::Name, &name);
                format!("Agent name: {name}")
            }
            "summary" => {
                let text = title("summary").unwrap_or_default();
                // Most summaries are of other conversations: this one's names a message that this file holds.
                match title("leafUuid") {
                    Some(leaf) if self.has_seen(&leaf) => {
                        self.book.sessions[at.session].title(TitleRank::Summary, &text);
                    }
                    Some(leaf) => {
                        self.summaries.insert(hash(&leaf), text.clone());
                    }
                    None => {}
                }
                format!("Summary: {text}")
            }
            "last-prompt" => format!("Last prompt: {}", title("lastPrompt").unwrap_or_default()),
            "mode" => format!("Mode: {}", title("mode").unwrap_or_default()),
            "permission-mode" => format!("Permission mode: {}", title("permissionMode").unwrap_or_default()),
            "file-history-snapshot" => {
                let files = line.obj("snapshot").and_then(|snapshot| snapshot.obj("trackedFileBackups"));
                let count = files.map_or(0, |files| files.fields().count());
                format!("File history: {count} file{} tracked", if count == 1 { "" } else { "s" })
            }
            "pr-link" => {
                let url = title("prUrl").unwrap_or_default();
                format!("Pull request [#{}]({url})", line.int("prNumber").unwrap_or(0))
            }
            "" => fields_in_short("line without a type", line),
            _ => fields_in_short(kind, line),
        };
        let sender = if kind.is_empty() { "unknown" } else { kind };
        if LAST_WINS.contains(&kind) {
            let draft = at.aside(&format!("{}~{kind}", self.file_key), sender, content);
            return self.book.keep(at.session, draft, at.span);
        }
        let mut draft = at.aside(&at.id, sender, content);
        if kind == "pr-link" {
            draft.metadata = Some(extras("pr", json!({ "url": title("prUrl"), "repository": title("prRepository") })));
        }
        self.book.say(at.session, draft, at.span);
    }
}
