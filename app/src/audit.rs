//! Entries of the audit log in words, for the settings page and for commands.

use crate::figures::{bytes, count, counted};
use crate::visible;
use model::audit::{Actor, Amount, Change, Entry, Event};
use model::message_type::approval::ApprovalState;
use serde_json::Value;

/// Text of an entry. Its session is at the end, so that a page can link to it.
pub struct Words {
    pub text: String,
    pub session: Option<String>,
}

impl Words {
    /// In one line, with the session's id.
    pub fn words(self) -> String {
        match self.session {
            Some(session) => format!("{} {session}", self.text),
            None => self.text,
        }
    }
}

/// Returns the author: `You, in Firefox on Linux`.
pub fn who(actor: &Actor) -> String {
    match actor {
        Actor::Owner { browser, name, .. } => {
            let name = name.as_deref().map_or_else(|| "You".to_owned(), visible::line);
            if browser.is_empty() { name } else { format!("{name}, in {}", visible::line(browser)) }
        }
        Actor::Command => "A command on this machine".to_owned(),
        Actor::Key { name, .. } => format!("Key {}", visible::line(name)),
        Actor::Person { channel, name } => format!("{}, in {}", visible::line(name), visible::line(channel)),
        Actor::Verbatim => "Verbatim".to_owned(),
        Actor::Stranger => "A visitor without a log-in".to_owned(),
        Actor::Unknown => "Unknown".to_owned(),
    }
}

/// Returns the event in words.
pub fn what(entry: &Entry) -> Words {
    let about = |text: &str, session: &str| Words { text: text.to_owned(), session: Some(session.to_owned()) };
    match &entry.what {
        Event::Decided { session, choice, .. } => about(
            match choice {
                ApprovalState::AllowedOnce => "Allowed a request once in session",
                ApprovalState::AllowedAlways => "Allowed a request always in session",
                ApprovalState::Denied => "Denied a request in session",
                _ => "Answered a question in session",
            },
            session,
        ),
        Event::AgentStarted { session, agent, folder } => {
            let text = format!("Started {} in {} as session", visible::line(agent), visible::line(folder));
            about(&text, session)
        }
        Event::SessionDeleted { session } => about("Deleted session", session),
        Event::SessionRestored { session } => about("Restored session", session),
        Event::ScheduleMade { session, .. } => about("Schedule created for session", session),
        Event::ScheduleChanged { session, fields, .. } => {
            about(&format!("Schedule changed ({}) of session", visible::line(&fields.join(", "))), session)
        }
        Event::ShareMade { session, redacted: true, .. } => {
            about("Link created, with secrets masked, to session", session)
        }
        Event::ShareMade { session, .. } => about("Link created, without masking, to session", session),
        Event::ShareRevoked { session, .. } => about("Link revoked to session", session),
        Event::ScheduleRemoved { session, .. } => about("Schedule removed from session", session),
        event => Words { text: text(event, &entry.who), session: None },
    }
}

fn text(event: &Event, by: &Actor) -> String {
    let number = |n: &u64| i64::try_from(*n).unwrap_or(i64::MAX);
    match event {
        Event::LogInBegan => "Logged in".to_owned(),
        Event::LogInEnded { login, .. } if matches!(by, Actor::Owner { login: own, .. } if own == login) => {
            "Logged out".to_owned()
        }
        Event::LogInEnded { browser, .. } if *by == Actor::Verbatim => {
            format!("Ended the log-in of {}: it expired", visible::line(browser))
        }
        Event::LogInEnded { browser, .. } => format!("Logged out {}", visible::line(browser)),
        Event::LogInMethodAdded { method, label, .. } => format!("Added {} to log in", method_words(method, label)),
        Event::LogInMethodRemoved { method, label, .. } => format!("Removed {} to log in", method_words(method, label)),
        Event::PersonInvited { name, .. } => format!("Invited {}", visible::line(name)),
        Event::PersonAdded { name, role, .. } => format!("Added {} as {role}", visible::line(name)),
        Event::PersonChanged { name, role, .. } => format!("Changed {}: {role}", visible::line(name)),
        Event::PersonRemoved { name, .. } => format!("Removed {}", visible::line(name)),
        Event::ProjectPeopleChanged { project, people: None } => {
            format!("Let everybody see the project {}", visible::line(project))
        }
        Event::ProjectPeopleChanged { project, people: Some(people) } if people.is_empty() => {
            format!("Let only owners see the project {}", visible::line(project))
        }
        Event::ProjectPeopleChanged { project, people: Some(people) } => {
            format!("Let owners and {} see the project {}", visible::line(&people.join(", ")), visible::line(project))
        }
        Event::LogInRefused { count: 1 } => "Tried to log in with an invalid link".to_owned(),
        Event::LogInRefused { count: times } => {
            format!("Tried {} times to log in with an invalid link", count(number(times)))
        }
        Event::KeyMade { name, scopes, .. } => {
            format!("Key {} created, which may {}", visible::line(name), scopes.join(", "))
        }
        Event::KeyRevoked { name, .. } => format!("Key {} revoked", visible::line(name)),
        Event::QuotaChanged { name, old, new, .. } => {
            format!("Quota of key {} changed from {} to {}", visible::line(name), amount(*old), amount(*new))
        }
        Event::SessionsPurged { sessions } => {
            format!("{} deleted permanently", counted(i64::try_from(sessions.len()).unwrap_or(i64::MAX), "session"))
        }
        Event::TextErased { sessions, messages, files } => {
            let counted = |number: u64, noun| counted(i64::try_from(number).unwrap_or(i64::MAX), noun);
            let mut said = format!("A text erased from {}", counted(*messages, "message"));
            if *files > 0 {
                said.push_str(&format!(" and {}", counted(*files, "file")));
            }
            format!("{said} of {}", counted(sessions.len() as u64, "session"))
        }
        Event::FolderChanged { folder, leads_to, state } => {
            let mut folder = visible::line(folder);
            if let Some(place) = leads_to {
                folder.push_str(&format!(", which links to {}", visible::line(place)));
            }
            match state.as_str() {
                "following" => format!("Agreed to follow {folder}"),
                "paused" => format!("Paused {folder}"),
                "excluded" => format!("Excluded {folder}"),
                _ => format!("Withdrew consent for {folder}"),
            }
        }
        Event::FolderForgotten { folder, sessions } => {
            format!("Forgot {}, with {}", visible::line(folder), counted(number(sessions), "session"))
        }
        Event::ImportStarted { paths, files } => {
            let named = paths.first().map_or_else(String::new, |path| format!(" from {}", visible::line(path)));
            let more = match paths.len() {
                0 | 1 => String::new(),
                others => format!(" and {}", counted(i64::try_from(others - 1).unwrap_or(i64::MAX), "other place")),
            };
            format!("Import of {} started{named}{more}", counted(number(files), "file"))
        }
        Event::PreferencesChanged { changes } => changes.iter().map(change).collect::<Vec<_>>().join("; "),
        Event::DatabaseRepaired { messages_lost, .. } => {
            format!("Database repaired: {} lost", counted(number(messages_lost), "message"))
        }
        Event::TypeDeclared { message_type, version, .. } => {
            format!("Message type {} declared, version {version}", visible::line(message_type))
        }
        Event::RuleMade { rule, folder } => {
            format!("{} is always allowed in {}", visible::line(rule), visible::line(folder))
        }
        Event::RuleRevoked { rule, folder } => {
            format!("{} is no longer always allowed in {}", visible::line(rule), visible::line(folder))
        }
        Event::TypeRemoved { message_type } => format!("Message type {} removed", visible::line(message_type)),
        Event::ChannelAdded { name, channel_kind, .. } => {
            format!("Channel {} ({}) added", visible::line(name), visible::line(channel_kind))
        }
        Event::ChannelChanged { name, fields, .. } => {
            format!("Channel {} changed: {}", visible::line(name), visible::line(&fields.join(", ")))
        }
        Event::ChannelRemoved { name, .. } => format!("Channel {} removed", visible::line(name)),
        Event::MachineAdded { name, .. } => format!("Machine {} added", visible::line(name)),
        Event::MachineRenamed { name, .. } => format!("Machine renamed to {}", visible::line(name)),
        Event::MachineRemoved { name, .. } => format!("Machine {} removed", visible::line(name)),
        Event::AuditExported => "Audit log exported".to_owned(),
        _ => "An entry that can't be read; run `verbatim doctor` for the reason".to_owned(),
    }
}

fn method_words(method: &str, label: &str) -> String {
    match method {
        "password" => "a password".to_owned(),
        "passkey" => format!("the passkey {}", visible::line(label)),
        _ => format!("the account at {}", visible::line(label)),
    }
}

fn amount(Amount { messages, bytes: size }: Amount) -> String {
    format!("{} and {}", counted(messages, "message"), bytes(size.unsigned_abs()))
}

fn change(Change { field, old, new }: &Change) -> String {
    let name = match field.as_str() {
        "assistant_name" => "Name of the assistant",
        "editor" => "Address of the editor",
        "single_keys" => "Single-key shortcuts",
        "keys" => "Shortcuts",
        "views" => "Saved views",
        "plain" => "Types that are drawn as text",
        "unvalidated" => "Types whose data isn't checked",
        other => other,
    };
    format!("{name} changed from {} to {}", value(old), value(new))
}

fn value(value: &Value) -> String {
    let list = |all: Vec<String>| if all.is_empty() { "none".to_owned() } else { all.join(", ") };
    match value {
        Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
        Value::String(text) if text.is_empty() => "none".to_owned(),
        Value::String(text) => format!("\u{201c}{}\u{201d}", visible::line(text)),
        Value::Array(items) => list(items.iter().map(self::value).collect()),
        Value::Object(fields) => {
            list(fields.iter().map(|(name, value)| format!("{} {}", visible::line(name), self::value(value))).collect())
        }
        other => other.to_string(),
    }
}
