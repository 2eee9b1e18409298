//! A form that is being filled in, field by field.

use crate::compose::{self, Typed};
use crossterm::event::KeyEvent;
use model::message_type::approval::{Field, FieldKind};
use serde_json::{Map, Number, Value};

/// The fields of a request, and what was put into them.
#[derive(Debug, Default)]
pub struct Form {
    fields: Vec<Field>,
    values: Map<String, Value>,
    /// The field that keys act on.
    at: usize,
    /// The text of its input.
    text: compose::Field,
}

impl Form {
    pub fn of(fields: &[Field]) -> Self {
        Self { fields: fields.to_vec(), ..Self::default() }
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// Takes over what was put into the same form before.
    pub fn refill(&mut self, before: Self) {
        if before.fields == self.fields {
            *self = before;
        }
    }

    /// Each field with its value as people read it, and whether keys act on it.
    pub fn rows(&self) -> impl Iterator<Item = (&Field, String, bool)> {
        self.fields.iter().enumerate().map(|(index, field)| (field, self.shown(field), index == self.at))
    }

    fn shown(&self, field: &Field) -> String {
        match (field.kind, self.values.get(&field.id)) {
            (FieldKind::Checkbox, value) => if value == Some(&Value::Bool(true)) { "[x]" } else { "[ ]" }.to_owned(),
            (_, Some(Value::String(text))) => text.clone(),
            (_, Some(value)) => value.to_string(),
            (_, None) => "–".to_owned(),
        }
    }

    /// Moves to another field.
    pub fn step(&mut self, by: i64) {
        self.at = self.at.saturating_add_signed(by as isize).min(self.fields.len().saturating_sub(1));
    }

    /// Changes the current field: ticks it, or takes its next option. True if its value is typed.
    pub fn fill(&mut self) -> bool {
        let Some(field) = self.fields.get(self.at) else { return false };
        let now = self.values.get(&field.id);
        let next = match field.kind {
            FieldKind::Checkbox => Some(Value::Bool(now != Some(&Value::Bool(true)))),
            FieldKind::Select => {
                let options = field.options.as_deref().unwrap_or_default();
                let at = options.iter().position(|option| now.and_then(Value::as_str) == Some(option));
                options.get(at.map_or(0, |at| at + 1)).cloned().map(Value::String)
            }
            FieldKind::Text | FieldKind::Number | FieldKind::Date => {
                self.text = compose::Field::default();
                if now.is_some() {
                    self.text.insert(&self.shown(field));
                }
                return true;
            }
        };
        let id = field.id.clone();
        self.put(id, next);
        false
    }

    /// Returns the label of the input, and its text.
    pub fn typing(&self) -> (&str, &compose::Field) {
        (self.fields.get(self.at).map_or("", |field| &field.label), &self.text)
    }

    pub fn insert(&mut self, text: &str) {
        self.text.insert(text);
    }

    /// Takes a key of what is typed. None while it goes on; what is wrong with the value where it ends.
    pub fn typed(&mut self, key: KeyEvent) -> Option<Result<(), &'static str>> {
        match self.text.key(key) {
            Typed::Text => return None,
            Typed::Leave => return Some(Ok(())),
            Typed::Send | Typed::Steer => {}
        }
        let field = self.fields.get(self.at)?;
        let text = self.text.text().trim().to_owned();
        let value = match field.kind {
            _ if text.is_empty() => None,
            FieldKind::Number => match number(&text) {
                Some(number) => Some(Value::Number(number)),
                None => return Some(Err("Expected a number, as 3 or 2.5")),
            },
            _ => Some(Value::String(text)),
        };
        let id = field.id.clone();
        self.put(id, value);
        self.step(1);
        Some(Ok(()))
    }

    fn put(&mut self, id: String, value: Option<Value>) {
        match value {
            Some(value) => self.values.insert(id, value),
            None => self.values.remove(&id),
        };
    }

    /// Returns the values. None if there are none.
    pub fn values(&self) -> Option<Map<String, Value>> {
        (!self.values.is_empty()).then(|| self.values.clone())
    }

    /// Whether each field has a value that must have one.
    pub fn is_filled(&self) -> bool {
        let has = |field: &Field| match self.values.get(&field.id) {
            Some(Value::Bool(ticked)) => *ticked,
            value => value.is_some(),
        };
        self.fields.iter().all(|field| field.required != Some(true) || has(field))
    }
}

fn number(text: &str) -> Option<Number> {
    let whole = text.parse::<i64>().ok().map(Number::from);
    whole.or_else(|| text.parse().ok().and_then(Number::from_f64))
}
