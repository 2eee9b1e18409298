//! What an owner sets for routing, and which of it applies.

use super::{DirectCommands, Ignored, MentionEnd, Names, Place, Trigger};
use crate::hidden::hides;
use crate::voice::voice;
use crate::{Draft, Role};
use serde::{Deserialize, Serialize};

/// The name that calls an assistant to which nobody gave one.
pub const NAME: &str = "Assistant";
/// The alias where none are set.
const ALIAS: &str = "ghost";
/// Longest name or address, in characters.
const NAME_CHARS: usize = 64;
const SENDER_CHARS: usize = 255;
/// Most aliases and senders.
const MOST_ALIASES: usize = 20;
const MOST_SENDERS: usize = 1_000;
const MOST_TOOLS: usize = 200;

/// What is set for routing in one place. Absent fields leave it to the next: session, workspace, environment of the
/// server, built-in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// What this session's assistant is called, for people, and by `@Name`. A workspace has it in its preferences.
    /// Absent everywhere: each agent's own name, and `@Assistant` calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Other names that call it. Absent everywhere: `ghost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<String>>,
    /// What makes a message one to the agent. Absent everywhere: `always` in a person's own session, `mention` in a room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// What may stand behind the name. Absent everywhere: `word`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mention_end: Option<MentionEnd>,
    /// What becomes of messages that aren't addressed. Absent everywhere: `drop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<Ignored>,
    /// Addresses of those who are heard; `*` is everybody. Absent everywhere: everybody. Empty: nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub senders: Option<Vec<String>>,
    /// Whether `!command` runs a command. Absent everywhere: `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct_commands: Option<DirectCommands>,
    /// Tools whose output is remembered, as what people say is: `command_output`. Absent everywhere: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered_tools: Option<Vec<String>>,
}

impl Settings {
    /// Checks what was given. The error has the pointer of the field, and what was expected there.
    pub fn check(&self) -> Result<(), (String, String)> {
        if let Some(name) = &self.name {
            check_name("/name".to_owned(), name)?;
        }
        let aliases = self.aliases.as_deref().unwrap_or_default();
        if aliases.len() > MOST_ALIASES {
            return Err(("/aliases".to_owned(), format!("at most {MOST_ALIASES} names; got {}", aliases.len())));
        }
        for (index, alias) in aliases.iter().enumerate() {
            check_name(format!("/aliases/{index}"), alias)?;
        }
        let tools = self.remembered_tools.as_deref().unwrap_or_default();
        if tools.len() > MOST_TOOLS {
            return Err(("/remembered_tools".to_owned(), format!("at most {MOST_TOOLS} tools; got {}", tools.len())));
        }
        let is_name = |tool: &String| !tool.is_empty() && tool.chars().count() <= SENDER_CHARS;
        if let Some(index) = tools.iter().position(|tool| !is_name(tool)) {
            let expected = format!("the name of a tool, 1 to {SENDER_CHARS} characters");
            return Err((format!("/remembered_tools/{index}"), expected));
        }
        let senders = self.senders.as_deref().unwrap_or_default();
        if senders.len() > MOST_SENDERS {
            return Err(("/senders".to_owned(), format!("at most {MOST_SENDERS} addresses; got {}", senders.len())));
        }
        for (index, sender) in senders.iter().enumerate() {
            if sender.trim().is_empty() || sender.chars().count() > SENDER_CHARS {
                let expected = format!("an address of 1 to {SENDER_CHARS} characters, or `*`");
                return Err((format!("/senders/{index}"), expected));
            }
        }
        Ok(())
    }
}

impl Settings {
    /// Returns these settings, with those of `below` where a field is absent.
    #[must_use]
    pub fn or(self, below: &Self) -> Self {
        Self {
            name: self.name.or_else(|| below.name.clone()),
            aliases: self.aliases.or_else(|| below.aliases.clone()),
            trigger: self.trigger.or(below.trigger),
            mention_end: self.mention_end.or(below.mention_end),
            ignored: self.ignored.or(below.ignored),
            senders: self.senders.or_else(|| below.senders.clone()),
            direct_commands: self.direct_commands.or(below.direct_commands),
            remembered_tools: self.remembered_tools.or_else(|| below.remembered_tools.clone()),
        }
    }
}

/// Returns a name without blanks around it and the `@` before it, as people read it.
pub fn bare(name: &str) -> &str {
    name.trim().trim_start_matches('@')
}

fn check_name(pointer: String, name: &str) -> Result<(), (String, String)> {
    let bare = bare(name);
    let fits = !bare.is_empty() && bare.chars().count() <= NAME_CHARS && !bare.contains(|c| hides(c) || c == '\n');
    if fits {
        return Ok(());
    }
    Err((pointer, format!("a name of 1 to {NAME_CHARS} characters that can be seen")))
}

/// Those who are heard.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Senders(Option<Vec<String>>);

impl Senders {
    /// Returns whether somebody with this address is heard. Addresses are compared as they stand, but for the case of their
    /// letters.
    pub fn allows(&self, sender: &str) -> bool {
        let is_meant = |allowed: &String| allowed == "*" || allowed.trim().eq_ignore_ascii_case(sender.trim());
        self.0.as_ref().is_none_or(|senders| senders.iter().any(is_meant))
    }

    /// Returns whether an agent may read a stored message: its sender is heard, or it isn't of a room. What was stored before the
    /// senders were changed is measured by them as well.
    pub fn may_be_read(&self, draft: &Draft) -> bool {
        draft.role != Role::User || voice(&draft.sender).is_some() || self.allows(&draft.sender)
    }
}

/// The settings that apply to a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// The assistant's name, for people.
    pub name: String,
    /// Its name and aliases.
    pub names: Names,
    /// What makes a message one to the agent.
    pub trigger: Trigger,
    /// What may stand behind the name.
    pub mention_end: MentionEnd,
    /// What becomes of messages that aren't addressed.
    pub ignored: Ignored,
    /// Who is heard in a room.
    pub senders: Senders,
    /// Whether `!command` runs a command.
    pub direct_commands: DirectCommands,
    /// Tools whose output is remembered.
    pub remembered_tools: Vec<String>,
}

impl Rules {
    /// Combines settings, the most specific first: of each field the first one that is set applies.
    pub fn of(settings: &[Settings], place: Place) -> Self {
        let all = settings.iter().fold(Settings::default(), Settings::or);
        let default_trigger = match place {
            Place::Own => Trigger::Always,
            Place::Room => Trigger::Mention,
        };
        let name = all.name.as_deref().map_or(NAME, bare);
        let aliases = all.aliases.unwrap_or_else(|| vec![ALIAS.to_owned()]);
        Self {
            names: Names::new(std::iter::once(name).chain(aliases.iter().map(String::as_str))),
            name: name.to_owned(),
            trigger: all.trigger.unwrap_or(default_trigger),
            mention_end: all.mention_end.unwrap_or(MentionEnd::Word),
            ignored: all.ignored.unwrap_or(Ignored::Drop),
            senders: Senders(all.senders),
            direct_commands: all.direct_commands.unwrap_or(DirectCommands::Off),
            remembered_tools: all.remembered_tools.unwrap_or_default(),
        }
    }
}
