//! Where a message goes: whether it wakes the agent, is kept for later, is refused, or is a control word.
//!
//! - [`mention`]: `@Name` at the beginning of a text.
//! - [`control`]: words that the server carries out instead of the agent.
//! - [`Settings`]: what an owner sets for a workspace or a session; [`Rules`] are the settings that apply.
//! - [`route`]: the decision for one message. [`Mark`] is what is stored of it.
//!
//! ```
//! use model::routing::{Incoming, Place, Route, Rules, Settings, route};
//!
//! let rules = Rules::of(&[Settings { name: Some("Pynchy".into()), ..Settings::default() }], Place::Room);
//! let of = |text| route(&rules, &Incoming { text, sender: "ada", place: Place::Room, registered: true });
//! assert_eq!(of("@pynchy help me"), Route::Addressed { text: "help me".to_owned() });
//! assert!(matches!(of("Hey @Pynchy"), Route::Ignored(_)));
//! ```

pub mod control;
mod mark;
pub mod mention;
mod settings;

pub use control::{Control, ControlWord};
pub use mark::{MARK, Mark};
pub use mention::{MentionEnd, Names};
pub use settings::{NAME, Rules, Senders, Settings, bare};

use crate::words;

words! {
    /// What makes a message one to the agent.
    Trigger {
        /// It begins with `@Name` or an alias.
        Mention = "mention",
        /// Each message is.
        Always = "always",
    }
    /// What becomes of a message that isn't addressed to the agent. It is stored and shown in either case.
    Ignored {
        /// No agent reads it.
        Drop = "drop",
        /// The agent reads it with the next message that wakes it.
        Accumulate = "accumulate",
    }
    /// Whether `!command` runs a command instead of reaching the agent.
    DirectCommands {
        /// It is an ordinary message.
        Off = "off",
        /// It runs in the folder of the session.
        On = "on",
    }
    /// Where a message was written.
    Place {
        /// In a person's own session: the page, the terminal, the API with a log-in.
        Own = "own",
        /// In a room of a channel, where people also speak with each other.
        Room = "room",
    }
}

/// A message on its way in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incoming<'a> {
    /// As it was written.
    pub text: &'a str,
    /// The address of its sender, as the channel knows it: `matrix:@ada:example.org`, `user`.
    pub sender: &'a str,
    /// Where it was written.
    pub place: Place,
    /// Whether an owner registered the session or room.
    pub registered: bool,
}

/// Where a message goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// Nobody registered the place: nothing is stored of it but that it was heard, for an owner to register it.
    Unregistered,
    /// The sender isn't allowed here. Nothing is stored, and nothing is given to the agent later.
    Refused,
    /// It isn't addressed to the agent.
    Ignored(Ignored),
    /// A control word, which the server carries out. The agent reads at most [`Control::model_text`].
    Control(Control),
    /// A command to run in the session's folder, without its `!`.
    DirectCommand(String),
    /// It wakes the agent, which reads `text`.
    Addressed {
        /// The text without the mention.
        text: String,
    },
}

/// Decides where a message goes. Each message is looked at by itself: what was said before it doesn't matter.
pub fn route(rules: &Rules, incoming: &Incoming<'_>) -> Route {
    if !incoming.registered {
        return Route::Unregistered;
    }
    // Who is logged in is an owner, whoever else is heard.
    if incoming.place == Place::Room && !rules.senders.allows(incoming.sender) {
        return Route::Refused;
    }
    let mentioned = mention::rest(incoming.text, &rules.names, rules.mention_end);
    let is_addressed = rules.trigger == Trigger::Always || mentioned.is_some();
    let said = mentioned.unwrap_or(incoming.text);
    let words = mention::visible_trim(said);
    if let Some(control) = control::control(words, mentioned.is_some())
        && (is_addressed || control.is_unmistakable())
    {
        return Route::Control(control);
    }
    if !is_addressed {
        return Route::Ignored(rules.ignored);
    }
    if rules.direct_commands == DirectCommands::On
        && incoming.place == Place::Own
        && let Some(command) = words.strip_prefix('!').map(str::trim).filter(|command| !command.is_empty())
    {
        return Route::DirectCommand(command.to_owned());
    }
    // Where no mention is needed, `@name/file` is a path and not a call.
    let text = match rules.trigger {
        Trigger::Always => incoming.text.to_owned(),
        Trigger::Mention => mention::without(incoming.text, &rules.names, rules.mention_end),
    };
    Route::Addressed { text }
}
