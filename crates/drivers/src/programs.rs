//! The agents that can be started, a line each.

use crate::claude::{self, Claude};
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
}

/// All agents.
pub static PROGRAMS: [Program; 1] = [Program {
    name: "claude",
    title: "Claude Code",
    command: &["claude"],
    transcript: Transcript::Own("claude_code"),
    modes: claude::MODES,
    protocol: Protocol::Claude,
}];

/// Returns the agent of this name.
pub fn program(name: &str) -> Option<&'static Program> {
    PROGRAMS.iter().find(|program| program.name == name)
}

impl Program {
    /// Returns the agent's protocol for a new process.
    pub fn driver(&self, opening: Opening) -> Box<dyn Driver> {
        match self.protocol {
            Protocol::Claude => Box::new(Claude::new(opening)),
        }
    }

    /// Returns the program and its arguments.
    pub fn command(&self, opening: &Opening) -> Vec<OsString> {
        let mut command: Vec<OsString> = self.command.iter().map(OsString::from).collect();
        match self.protocol {
            Protocol::Claude => command.extend(claude::arguments(opening)),
        }
        command
    }
}
