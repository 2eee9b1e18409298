//! Who is mentioned in what people write: `@Ines`.

use crate::basics::problem::report;
use crate::context::{Hub, Scoped, TopicState};
use model::Message;
use std::sync::{Mutex, PoisonError};
use store::StoreError;
use tokio::sync::watch;

/// Mentions that wait to be told. More than that within a look aren't.
const MOST: usize = 1_000;

/// A message that mentions somebody.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mention {
    /// Id of the person who is mentioned.
    pub person: String,
    pub session: String,
    pub seq: i64,
}

/// Mentions that wait to be told.
#[derive(Default)]
pub struct Mentions {
    waiting: Mutex<Vec<Mention>>,
    /// Counts them.
    pub news: watch::Sender<u64>,
}

impl TopicState for Mentions {}

impl Mentions {
    /// Takes those that wait.
    pub fn take(&self) -> Vec<Mention> {
        std::mem::take(&mut self.waiting.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn add(&self, mention: Mention) {
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        if waiting.len() < MOST {
            waiting.push(mention);
            self.news.send_modify(|count| *count += 1);
        }
    }
}

/// Notes whom a message of the caller mentions. Nothing is read for a message without `@`.
pub(crate) async fn note(scoped: &Scoped, message: &Message) {
    let Some(author) = scoped.caller.user().filter(|_| message.draft.content.contains('@')) else { return };
    report(told(&scoped.hub, &author.id, message).await);
}

async fn told(hub: &Hub, author: &str, message: &Message) -> Result<(), StoreError> {
    let text = message.draft.content.to_lowercase();
    for person in hub.workspace.people().await? {
        if person.id != author && is_mentioned(&text, &person.name.to_lowercase()) {
            let (session, seq) = (message.session_id.to_string(), message.seq);
            hub.state::<Mentions>().add(Mention { person: person.id, session, seq });
        }
    }
    Ok(())
}

/// Returns true if a text in lower case has the name behind an `@`: whole, and not in an address.
fn is_mentioned(text: &str, name: &str) -> bool {
    let mention = format!("@{name}");
    text.match_indices(&mention).any(|(at, found)| {
        let before = text[..at].chars().next_back();
        let after = text[at + found.len()..].chars().next();
        !before.is_some_and(char::is_alphanumeric) && !after.is_some_and(char::is_alphanumeric)
    })
}

#[cfg(test)]
mod tests {
    use super::is_mentioned;

    #[test]
    fn a_name_is_mentioned_as_a_whole() {
        for (text, expected) in [
            ("@ines, look", true),
            ("what do you say, @ines?", true),
            ("(@ines)", true),
            ("@ines @ines", true),
            ("ines", false),
            ("@inesita", false),
            ("mail ada@ines.example", false),
            ("ada@ines", false),
            ("@", false),
        ] {
            assert_eq!(is_mentioned(text, "ines"), expected, "{text}");
        }
        assert!(is_mentioned("@ada lovelace: see", "ada lovelace"));
    }
}
