//! A person's press of a button on a file: of each file the first one holds.

use crate::context::Scoped;
use crate::requests::buttons::{Press, press, pressed};
use api::Problem;
use api::posting::{Decide, Decided};
use model::message_type::action::Action;
use model::message_type::file::{CHOSEN, Chosen, File, FileAction};
use model::{Body, Draft, MessageId, Micros};
use serde_json::{Map, Value};
use store::StoredMessage;

/// How its buttons are named.
const BUTTONS: &str = "the number of a file from 0, a colon, and the id of an action of it";

/// A button of a message with files.
#[derive(Clone)]
struct Button {
    /// Number of the file, from 0.
    file: usize,
    action: FileAction,
    /// The file's name, where the message has several.
    name: Option<String>,
}

pub async fn choose(scoped: &Scoped, input: Decide, found: StoredMessage, file: &File) -> Result<Decided, Problem> {
    let button = pressed(&input, "a file", BUTTONS, |number, id| Button::named(file, number, id))?;
    press(scoped, &input, found, button).await
}

impl Button {
    /// Reads a button: `0:keep` is the one with the id `keep` of the first file.
    fn named(file: &File, number: usize, id: &str) -> Option<Self> {
        let item = file.files.get(number)?;
        let action = item.actions.iter().find(|action| action.id == id)?.clone();
        let name = (file.files.len() > 1).then(|| item.name.clone());
        Some(Self { file: number, action, name })
    }

    fn before(&self, draft: &Draft) -> Option<FileAction> {
        match Body::of(draft) {
            Body::File(file) => file.chosen(draft.metadata.as_ref(), self.file).cloned(),
            _ => None,
        }
    }
}

impl Press for Button {
    fn is_taken(&self, draft: &Draft) -> bool {
        self.before(draft).is_some()
    }

    fn is_kept(&self, draft: &Draft) -> bool {
        self.before(draft).as_ref() == Some(&self.action)
    }

    fn keep(&self, draft: &mut Draft, at: Micros) {
        let chosen = Chosen { file: self.file, action: self.action.id.clone(), at };
        let chosen = serde_json::to_value(chosen).unwrap_or_default();
        let extras = draft.metadata.get_or_insert_default();
        match extras.get_mut(CHOSEN).and_then(Value::as_array_mut) {
            Some(all) => all.push(chosen),
            None => {
                extras.insert(CHOSEN.to_owned(), Value::Array(vec![chosen]));
            }
        }
    }

    fn action(&self, message: &MessageId) -> Action {
        let name = self.name.as_deref().map(|name| Map::from_iter([("file".to_owned(), Value::from(name))]));
        Action {
            reply_to: Some(message.to_string()),
            selected: vec![self.action.name().to_owned()],
            values: name,
            ..Action::default()
        }
    }
}
