//! The agents that can be started, a line each.

use crate::acp::{Acp, Habits};
use crate::claude::{self, Claude};
use crate::codex::{self, Codex};
use crate::{Driver, Opening};
use std::ffi::OsString;

/// One agent that can be started.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// Its name on the command line: `claude`.
    pub name: &'static str,
    /// Its name for people: `Claude Code`.
    pub title: &'static str,
    /// The program and its first arguments.
    pub command: &'static [&'static str],
    /// Where its messages come from.
    pub transcript: Transcript,
    /// The modes that it can begin in, in its own words.
    pub modes: &'static [&'static str],
    protocol: Protocol,
}

/// Where the messages of a session come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Transcript {
    /// From files that the agent writes itself, by its name in the crate `agents`: `claude_code`.
    Own(&'static str),
    /// From what both sides say, see [`crate::log`].
    Log,
}

#[derive(Debug, Clone, Copy)]
enum Protocol {
    Claude,
    Codex,
    Acp(Habits),
}

/// An agent of the Agent Client Protocol of which no more is known.
const ANY: Habits =
    Habits { has_transcript: false, offers_files: true, offers_terminals: true, asking_mode: None, login: None };
/// One that works on files and runs commands by itself. Where it writes through its client all the same, it is served.
const ALONE: Habits = Habits { offers_files: false, offers_terminals: false, ..ANY };

/// All agents.
pub static PROGRAMS: [Program; 7] = [
    Program {
        name: "claude",
        title: "Claude Code",
        command: &["claude"],
        transcript: Transcript::Own("claude_code"),
        modes: claude::MODES,
        protocol: Protocol::Claude,
    },
    Program {
        name: "codex",
        title: "Codex",
        command: &["codex", "app-server"],
        transcript: Transcript::Own("codex"),
        modes: codex::MODE_NAMES,
        protocol: Protocol::Codex,
    },
    Program {
        name: "gemini",
        title: "Gemini CLI",
        command: &["gemini", "--acp"],
        transcript: Transcript::Own("gemini"),
        modes: &["default", "autoEdit", "yolo", "plan"],
        protocol: Protocol::Acp(Habits { login: Some("gemini"), ..ALONE }),
    },
    Program {
        name: "opencode",
        title: "OpenCode",
        command: &["opencode", "acp"],
        transcript: Transcript::Log,
        modes: &["build", "plan"],
        protocol: Protocol::Acp(Habits { login: Some("opencode auth login"), ..ALONE }),
    },
    Program {
        name: "qwen",
        title: "Qwen Code",
        command: &["qwen", "--acp"],
        transcript: Transcript::Own("qwen"),
        modes: &["default", "plan", "auto-edit", "yolo"],
        protocol: Protocol::Acp(Habits { asking_mode: Some("default"), login: Some("qwen"), ..ALONE }),
    },
    Program {
        name: "claude-acp",
        title: "Claude Code (ACP)",
        command: &["claude-agent-acp"],
        transcript: Transcript::Own("claude_code"),
        modes: claude::MODES,
        protocol: Protocol::Acp(Habits { asking_mode: Some("default"), login: Some("claude"), ..ALONE }),
    },
    Program {
        name: "codex-acp",
        title: "Codex (ACP)",
        command: &["codex-acp"],
        transcript: Transcript::Own("codex"),
        modes: &["read-only", "workspace-write", "agent", "agent-full-access"],
        protocol: Protocol::Acp(Habits { asking_mode: Some("read-only"), login: Some("codex login"), ..ALONE }),
    },
];

/// Returns the agent of this name.
pub fn program(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.name == name)
}

/// Returns the protocol of an agent that isn't in the table: the Agent Client Protocol. Its transcript is [`Transcript::Log`].
pub fn any_acp(opening: Opening) -> Box<dyn Driver> {
    Box::new(Acp::new(opening, ANY))
}

impl Program {
    /// Returns the agent's protocol for a new process.
    pub fn driver(&self, opening: Opening) -> Box<dyn Driver> {
        match self.protocol {
            Protocol::Claude => Box::new(Claude::new(opening)),
            Protocol::Codex => Box::new(Codex::new(opening)),
            Protocol::Acp(habits) => {
                let has_transcript = self.transcript != Transcript::Log;
                Box::new(Acp::new(opening, Habits { has_transcript, ..habits }))
            }
        }
    }

    /// Returns whether a run can have a system prompt of its own: then its notices go into [`crate::Prompt::system_notices`], and
    /// else among the texts before the prompt.
    pub fn has_system_prompt_for_runs(&self) -> bool {
        matches!(self.protocol, Protocol::Claude | Protocol::Codex)
    }

    /// Returns the program and its arguments.
    pub fn command(&self, opening: &Opening) -> Vec<OsString> {
        let mut command: Vec<OsString> = self.command.iter().map(OsString::from).collect();
        match self.protocol {
            Protocol::Claude => command.extend(claude::arguments(opening)),
            Protocol::Codex | Protocol::Acp(_) => {}
        }
        command
    }
}
