//! Routing settings, and their effective values.

use super::{DirectCommands, Ignored, MentionEnd, Names, Place, Trigger};
use crate::hidden::hides;
use crate::voice::voice;
use crate::{Draft, Role};
use serde::{Deserialize, Serialize};

/// Default name that calls an assistant.
pub const NAME: &str = "Assistant";
/// Default alias.
const ALIAS: &str = "ghost";
/// Maximum length of a name or address in characters.
const NAME_CHARS: usize = 64;
const SENDER_CHARS: usize = 255;
/// Maximum number of aliases and of senders.
const MOST_ALIASES: usize = 20;
const MOST_SENDERS: usize = 1_000;
const MOST_TOOLS: usize = 200;

/// Routing settings of one level. Absent fields are taken from the next: session, workspace, environment of the server,
/// built-in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Name of this session's assistant, also for `@Name`. The workspace has it in its preferences. Default: each
    /// agent's own name, and `@Assistant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Other names for mentions. Default: `ghost`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub aliases: Option<Vec<String>>,
    /// Condition under which a message is for the agent. Default: `always` in a person's own session, `mention` in a
    /// room.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trigger: Option<Trigger>,
    /// The characters that can follow the name. Default: `word`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mention_end: Option<MentionEnd>,
    /// Treatment of messages that aren't for the agent. Default: `drop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ignored: Option<Ignored>,
    /// Addresses of allowed senders; `*` means everybody. Default: everybody. Empty: nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub senders: Option<Vec<String>>,
    /// Whether `!command` runs a command. Default: `off`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub direct_commands: Option<DirectCommands>,
    /// Tools whose output is remembered like people's messages: `command_output`. Default: none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remembered_tools: Option<Vec<String>>,
}

impl Settings {
    /// Validates the settings. The error has the field's pointer and what is expected.
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
    /// Returns these settings, with absent fields taken from `below`.
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

/// Returns a name without blanks around it and without the leading `@`.
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

/// The allowed senders.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Senders(Option<Vec<String>>);

impl Senders {
    /// Returns true if a sender is allowed. Addresses are compared exactly, except for case.
    pub fn allows(&self, sender: &str) -> bool {
        let is_meant = |allowed: &String| allowed == "*" || allowed.trim().eq_ignore_ascii_case(sender.trim());
        self.0.as_ref().is_none_or(|senders| senders.iter().any(is_meant))
    }

    /// Returns true if an agent can read a stored message: its sender is allowed, or it isn't from a room. The current
    /// setting also applies to messages that were stored earlier.
    pub fn may_be_read(&self, draft: &Draft) -> bool {
        draft.role != Role::User || voice(&draft.sender).is_some() || self.allows(&draft.sender)
    }
}

/// The effective settings for a message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rules {
    /// Display name of the assistant.
    pub name: String,
    /// Its name and aliases.
    pub names: Names,
    /// Condition under which a message is for the agent.
    pub trigger: Trigger,
    /// The characters that can follow the name.
    pub mention_end: MentionEnd,
    /// Treatment of messages that aren't for the agent.
    pub ignored: Ignored,
    /// Allowed senders in a room.
    pub senders: Senders,
    /// Whether `!command` runs a command.
    pub direct_commands: DirectCommands,
    /// Tools whose output is remembered.
    pub remembered_tools: Vec<String>,
}

impl Rules {
    /// Combines settings, most specific first. Of each field the first that is set applies.
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
