//! Strict reading of a document: every problem with its JSON pointer, not only the first.

use super::template::{PATH, Path, Template};
use crate::strict::{self, Mismatch};
use serde_json::{Map, Value};

/// Maximum number of problems that are reported at once.
const MAX_PROBLEMS: usize = 20;

/// Collects the problems of a document.
#[derive(Debug, Default)]
pub(super) struct Reader {
    pub problems: Vec<Mismatch>,
    /// Number of components read so far.
    pub elements: usize,
}

impl Reader {
    pub(super) fn wrong(&mut self, at: &str, expected: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Mismatch::new(at, expected));
        }
    }

    /// Returns the fields of an object. Reports any other value.
    pub(super) fn fields<'a>(&mut self, value: &'a Value, at: &str) -> Option<Fields<'a>> {
        let Some(map) = value.as_object() else {
            self.wrong(at, "an object");
            return None;
        };
        Some(Fields { map, at: at.to_owned(), asked: Vec::new() })
    }

    pub(super) fn list<'a>(&mut self, value: &'a Value, at: &str, most: usize) -> &'a [Value] {
        match value.as_array() {
            Some(items) if items.len() <= most => items,
            Some(_) => {
                self.wrong(at, format!("at most {most} items"));
                &[]
            }
            None => {
                self.wrong(at, "an array");
                &[]
            }
        }
    }

    pub(super) fn template(&mut self, value: &Value, at: &str) -> Template {
        let Some(text) = value.as_str() else {
            self.wrong(at, "a string");
            return Template::default();
        };
        Template::parse(text).unwrap_or_else(|expected| {
            self.wrong(at, expected);
            Template::default()
        })
    }

    pub(super) fn path(&mut self, value: &Value, at: &str) -> Option<Path> {
        let path = value.as_str().and_then(Path::parse);
        if path.is_none() {
            self.wrong(at, PATH);
        }
        path
    }

    pub(super) fn word<T: Copy>(
        &mut self,
        value: &Value,
        at: &str,
        words: &[&str],
        parse: fn(&str) -> Option<T>,
    ) -> Option<T> {
        let word = value.as_str().and_then(parse);
        if word.is_none() {
            self.wrong(at, format!("one of `{}`", words.join("`, `")));
        }
        word
    }
}

/// The fields of one object of the document.
#[derive(Debug)]
pub(super) struct Fields<'a> {
    map: &'a Map<String, Value>,
    at: String,
    asked: Vec<&'static str>,
}

impl<'a> Fields<'a> {
    /// Returns the pointer to a field.
    pub(super) fn at(&self, name: &str) -> String {
        format!("{}{}", self.at, strict::token(name))
    }

    /// Returns an optional field. Null counts as absent.
    pub(super) fn get(&mut self, name: &'static str) -> Option<&'a Value> {
        self.asked.push(name);
        self.map.get(name).filter(|value| !value.is_null())
    }

    /// Returns a required field, and reports it if it is absent.
    pub(super) fn must(&mut self, reader: &mut Reader, name: &'static str) -> Option<&'a Value> {
        let value = self.get(name);
        if value.is_none() {
            reader.wrong(&self.at(name), strict::MISSING);
        }
        value
    }

    pub(super) fn template(&mut self, reader: &mut Reader, name: &'static str) -> Template {
        let at = self.at(name);
        self.must(reader, name).map(|value| reader.template(value, &at)).unwrap_or_default()
    }

    pub(super) fn template_if(&mut self, reader: &mut Reader, name: &'static str) -> Option<Template> {
        let at = self.at(name);
        self.get(name).map(|value| reader.template(value, &at))
    }

    pub(super) fn path(&mut self, reader: &mut Reader, name: &'static str) -> Option<Path> {
        let at = self.at(name);
        self.must(reader, name).and_then(|value| reader.path(value, &at))
    }

    pub(super) fn path_if(&mut self, reader: &mut Reader, name: &'static str) -> Option<Path> {
        let at = self.at(name);
        self.get(name).and_then(|value| reader.path(value, &at))
    }

    /// Returns a literal string of 1 to `most` characters. Empty if it is invalid, which is reported.
    pub(super) fn string(&mut self, reader: &mut Reader, name: &'static str, most: usize) -> String {
        let Some(value) = self.must(reader, name) else { return String::new() };
        if let Some(text) = value.as_str().filter(|text| !text.trim().is_empty() && text.chars().count() <= most) {
            text.to_owned()
        } else {
            reader.wrong(&self.at(name), format!("a string of 1 to {most} characters"));
            String::new()
        }
    }

    pub(super) fn flag(&mut self, reader: &mut Reader, name: &'static str, otherwise: bool) -> bool {
        match self.get(name) {
            None => otherwise,
            Some(Value::Bool(yes)) => *yes,
            Some(_) => {
                reader.wrong(&self.at(name), "`true` or `false`");
                otherwise
            }
        }
    }

    /// Reports the unknown fields.
    pub(super) fn done(self, reader: &mut Reader) {
        for name in self.map.keys().filter(|name| !self.asked.contains(&name.as_str())) {
            reader.wrong(&self.at(name), strict::unknown_field(self.asked.iter().copied()));
        }
    }
}
