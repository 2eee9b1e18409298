//! Routing: whether a message wakes the agent, is kept for later, is refused, or is a control word.
//!
//! - [`mention`]: `@Name` at the beginning of a text.
//! - [`control`]: words that the server executes instead of the agent.
//! - [`Settings`]: an owner's settings for a workspace or a session; [`Rules`] are the effective settings.
//! - [`route`]: the decision for one message. [`Mark`] is its stored form.
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
    /// Condition under which a message is for the agent.
    Trigger {
        /// It begins with `@Name` or an alias.
        Mention = "mention",
        /// Always.
        Always = "always",
    }
    /// Treatment of a message that isn't for the agent. It is stored and shown in either case.
    Ignored {
        /// The agent doesn't read it.
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

/// An incoming message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Incoming<'a> {
    /// The text as it was written.
    pub text: &'a str,
    /// Address of the sender, as the channel uses it: `matrix:@ada:example.org`, `user`.
    pub sender: &'a str,
    /// Where it was written.
    pub place: Place,
    /// True if an owner registered the session or room.
    pub registered: bool,
}

/// Result of routing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The room isn't registered. Only its existence is stored, so that an owner can register it.
    Unregistered,
    /// The sender isn't allowed. The message is neither stored nor given to the agent.
    Refused,
    /// It isn't addressed to the agent.
    Ignored(Ignored),
    /// A control word, which the server executes. The agent reads at most [`Control::model_text`].
    Control(Control),
    /// A command to run in the session's folder, without its `!`.
    DirectCommand(String),
    /// It wakes the agent, which reads `text`.
    Addressed {
        /// The text without the mention.
        text: String,
    },
}

/// Routes one message. Earlier messages have no influence.
pub fn route(rules: &Rules, incoming: &Incoming<'_>) -> Route {
    if !incoming.registered {
        return Route::Unregistered;
    }
    // A logged-in person is an owner, even if only others are allowed senders.
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
