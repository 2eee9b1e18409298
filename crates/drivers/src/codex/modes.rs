//! Modes: what Codex may do without asking. Its own words are a pair of policies; these are the pairs that its terminal offers.

use super::Codex;
use crate::{Choice, Effects, Event, Refusal};
use serde_json::{Value, json};

/// A pair of policies.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Mode {
    id: &'static str,
    label: &'static str,
    description: &'static str,
    /// When it asks.
    pub approval: &'static str,
    /// Sandbox of commands, for a new thread.
    pub sandbox: &'static str,
    /// Sandbox of commands, for a turn.
    policy: &'static str,
}

/// The names of all modes.
pub const NAMES: &[&str] = &["read-only", "auto", "full-access"];

static MODES: [Mode; 3] = [
    Mode {
        id: NAMES[0],
        label: "Read only",
        description: "Asks before it changes files or uses the network",
        approval: "on-request",
        sandbox: "read-only",
        policy: "readOnly",
    },
    Mode {
        id: NAMES[1],
        label: "Default",
        description: "Changes files of its folder, and asks for what is outside and for the network",
        approval: "on-request",
        sandbox: "workspace-write",
        policy: "workspaceWrite",
    },
    Mode {
        id: NAMES[2],
        label: "Full access",
        description: "Asks nothing, and may change everything",
        approval: "never",
        sandbox: "danger-full-access",
        policy: "dangerFullAccess",
    },
];

impl Mode {
    pub fn named(id: &str) -> Option<&'static Self> {
        MODES.iter().find(|mode| mode.id == id)
    }

    /// The mode of a thread, as the answer that opened it says.
    pub fn of(thread: &Value) -> Option<&'static Self> {
        let approval = thread.get("approvalPolicy")?.as_str()?;
        let policy = thread.get("sandbox")?.get("type")?.as_str()?;
        MODES.iter().find(|mode| mode.approval == approval && mode.policy == policy)
    }

    /// Returns the sandbox of commands for a turn and later ones.
    pub fn policy(&self) -> Value {
        match self.policy {
            "workspaceWrite" => json!({
                "type": self.policy, "writableRoots": [], "networkAccess": false,
                "excludeTmpdirEnvVar": false, "excludeSlashTmp": false,
            }),
            "readOnly" => json!({ "type": self.policy, "networkAccess": false }),
            _ => json!({ "type": self.policy }),
        }
    }
}

impl Codex {
    /// Takes effect with the next turn.
    pub(super) fn set_mode(&mut self, mode: &str, effects: &mut Effects) -> Result<(), Refusal> {
        let mode = Mode::named(mode).ok_or(Refusal::NotNow("Codex has no such mode"))?;
        self.change.mode = Some(mode);
        self.mode = Some(mode);
        self.report_session(effects);
        Ok(())
    }

    pub(super) fn report_session(&self, effects: &mut Effects) {
        let Some(id) = self.thread.clone() else { return };
        let mode = self.mode.map(|mode| mode.id.to_owned());
        effects.emit(Event::Session { id, version: self.version.clone(), model: self.model.clone(), mode });
    }
}

/// All modes, for people.
pub(super) fn choices() -> Vec<Choice> {
    let choice = |mode: &Mode| Choice {
        id: mode.id.to_owned(),
        label: mode.label.to_owned(),
        description: Some(mode.description.to_owned()),
        kind: None,
    };
    MODES.iter().map(choice).collect()
}
