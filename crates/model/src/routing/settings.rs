//! What an owner sets for routing, and which of it applies.

use super::{DirectCommands, Ignored, MentionEnd, Names, Place, Trigger};
use crate::hidden::hides;
use serde::{Deserialize, Serialize};

/// The name of an assistant that nobody gave one.
const NAME: &str = "Assistant";
/// The alias where none are set.
const ALIAS: &str = "ghost";
/// Longest name or address, in characters.
const NAME_CHARS: usize = 64;
const SENDER_CHARS: usize = 255;
/// Most aliases and senders.
const MOST_ALIASES: usize = 20;
const MOST_SENDERS: usize = 1_000;

/// What is set for routing in one place. Absent fields leave it to the next: session, workspace, environment of the
/// server, built-in.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// The assistant's name: `@Name` calls it. Absent everywhere: `Assistant`.
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

fn check_name(pointer: String, name: &str) -> Result<(), (String, String)> {
    let bare = name.trim().trim_start_matches('@');
    let fits = !bare.is_empty() && bare.chars().count() <= NAME_CHARS && !bare.contains(|c| hides(c) || c == '\n');
    if fits {
        return Ok(());
    }
    Err((pointer, format!("a name of 1 to {NAME_CHARS} characters that can be seen")))
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
    /// Whether `!command` runs a command.
    pub direct_commands: DirectCommands,
    senders: Option<Vec<String>>,
}

impl Rules {
    /// Combines settings, the most specific first: of each field the first one that is set applies.
    pub fn of(settings: &[Settings], place: Place) -> Self {
        fn first<T: Clone>(settings: &[Settings], field: impl Fn(&Settings) -> &Option<T>) -> Option<T> {
            settings.iter().find_map(|settings| field(settings).clone())
        }
        let name = first(settings, |of| &of.name).unwrap_or_else(|| NAME.to_owned());
        let name = name.trim().trim_start_matches('@').to_owned();
        let aliases = first(settings, |of| &of.aliases).unwrap_or_else(|| vec![ALIAS.to_owned()]);
        let default_trigger = match place {
            Place::Own => Trigger::Always,
            Place::Room => Trigger::Mention,
        };
        Self {
            names: Names::new(std::iter::once(name.as_str()).chain(aliases.iter().map(String::as_str))),
            name,
            trigger: first(settings, |of| &of.trigger).unwrap_or(default_trigger),
            mention_end: first(settings, |of| &of.mention_end).unwrap_or(MentionEnd::Word),
            ignored: first(settings, |of| &of.ignored).unwrap_or(Ignored::Drop),
            direct_commands: first(settings, |of| &of.direct_commands).unwrap_or(DirectCommands::Off),
            senders: first(settings, |of| &of.senders),
        }
    }

    /// Returns whether a sender is heard. Addresses are compared as they stand, but for the case of their letters.
    pub fn allows(&self, sender: &str) -> bool {
        let is_meant = |allowed: &String| allowed == "*" || allowed.trim().eq_ignore_ascii_case(sender.trim());
        self.senders.as_ref().is_none_or(|senders| senders.iter().any(is_meant))
    }
}
