//! The request of a form or a button: endpoint and JSON. The server writes it as attributes, and the browser reads
//! them.
//!
//! To add a kind of field: add a line to [`As`], and its effect on the body to `Field::put`.

use crate::shared::names::names;
use api::{Method, Problem};
use serde_json::{Map, Value};

const MEGABYTE: f64 = 1e6;

names! {
    /// How the text of a field becomes JSON. Without a word of its own it is a string.
    As {
        /// A string, without spaces around it; absent if it is empty.
        Given = "given",
        /// An integer.
        Number = "number",
        /// Megabytes, as bytes.
        Megabytes = "megabytes",
        /// Days from now, as the moment at which they are over; absent if it is empty.
        Days = "days",
        /// A list of lines; absent if it is empty, unless it may be.
        Lines = "lines",
        /// Lines of `address = name`.
        Pairs = "pairs",
        /// The values of those boxes of a name that are ticked.
        Ticked = "ticked",
        /// The values of those that aren't.
        Unticked = "unticked",
        /// Whether it is on.
        Switch = "switch",
        /// The sessions of a channel: every one if none is chosen.
        Sessions = "sessions",
        /// A JSON object: the whole body.
        Document = "document",
        /// No part of the body, but of the address.
        Address = "address",
    }
}

names! {
    /// The follow-up on the page after success.
    Then {
        /// Its part is drawn anew.
        Draw = "draw",
        /// It is loaded again.
        Reload = "reload",
        /// The row goes in which it was.
        TakeRow = "row",
        /// Nothing.
        Stay = "stay",
    }
}

/// A field as it stands in the form.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Field {
    /// Where it goes in the body: `quota/bytes`.
    pub name: String,
    pub kind: Option<As>,
    pub text: String,
    /// Ticked, where it is a box.
    pub is_on: bool,
    pub may_be_empty: bool,
}

/// A field that can't be sent as it stands.
#[derive(Debug, PartialEq, Eq)]
pub struct Wrong {
    /// Empty if it is none that the form has.
    pub field: String,
    pub words: String,
}

/// The request.
#[derive(Debug, PartialEq)]
pub struct Request {
    pub method: Method,
    pub path: String,
    pub body: Value,
}

/// Makes the request of a form: `address` and `body` as they are written there. `after_days` gives a moment so many
/// days from now.
pub fn request(
    address: &str,
    body: Option<Value>,
    fields: &[Field],
    after_days: impl Fn(u32) -> String,
) -> Result<Request, Wrong> {
    let mut body = body.unwrap_or_else(|| Value::Object(Map::new()));
    for field in fields {
        field.put(&mut body, &after_days)?;
    }
    let (method, path) = address.split_once(' ').unwrap_or(("", address));
    let mut filled = String::new();
    for part in path.split('/').skip(1) {
        filled.push('/');
        let Some(name) = part.strip_prefix('{').and_then(|part| part.strip_suffix('}')) else {
            filled.push_str(part);
            continue;
        };
        let field = fields.iter().find(|field| field.kind == Some(As::Address) && field.name == name);
        let value = field.map(|field| field.text.trim()).or_else(|| body[name].as_str()).unwrap_or_default();
        if value.is_empty() {
            return Err(Wrong { field: name.to_owned(), words: format!("`/{name}` is missing") });
        }
        filled.push_str(&api::endpoint::segment(value));
    }
    let methods = [Method::Get, Method::Post, Method::Put, Method::Patch, Method::Delete];
    let method = methods.into_iter().find(|known| known.as_str() == method).unwrap_or(Method::Post);
    Ok(Request { method, path: filled, body })
}

impl Field {
    fn put(&self, body: &mut Value, after_days: impl Fn(u32) -> String) -> Result<(), Wrong> {
        let trimmed = self.text.trim();
        let wrong = |words: String| Wrong { field: self.name.clone(), words };
        let lines = || self.text.lines().map(str::trim).filter(|line| !line.is_empty());
        let value = match self.kind {
            None => Value::from(self.text.as_str()),
            Some(As::Given | As::Days) if trimmed.is_empty() => return Ok(()),
            Some(As::Given) => trimmed.into(),
            Some(As::Days) => match trimmed.parse() {
                Ok(days) => after_days(days).into(),
                Err(_) => return Err(wrong("This should be a number of days".to_owned())),
            },
            // Whole numbers; the server says which are too large.
            Some(As::Number) => (trimmed.parse::<f64>().unwrap_or_default() as i64).into(),
            Some(As::Megabytes) => ((trimmed.parse::<f64>().unwrap_or_default() * MEGABYTE) as i64).into(),
            Some(As::Lines) if lines().next().is_none() && !self.may_be_empty => return Ok(()),
            Some(As::Lines) => lines().collect(),
            Some(As::Pairs) => {
                let pair = |line: &str| match line.split_once('=') {
                    Some((address, name)) => Ok((address.trim().to_owned(), Value::from(name.trim()))),
                    None => Err(wrong(format!("\u{201c}{line}\u{201d} should be an address, = and a name"))),
                };
                Value::Object(lines().map(pair).collect::<Result<_, _>>()?)
            }
            Some(kind @ (As::Ticked | As::Unticked)) => {
                // The first one of a name makes the list, also where it is empty then.
                let list = entry(body, &self.name);
                if !list.is_array() {
                    *list = Value::Array(Vec::new());
                }
                if let Some(list) = list.as_array_mut().filter(|_| self.is_on == (kind == As::Ticked)) {
                    list.push(self.text.as_str().into());
                }
                return Ok(());
            }
            Some(As::Switch) => self.is_on.into(),
            Some(As::Sessions) => {
                body["every_session"] = trimmed.is_empty().into();
                Value::Array(if trimmed.is_empty() { Vec::new() } else { vec![trimmed.into()] })
            }
            Some(As::Document) => {
                let document = api::json::read::<Value>(self.text.as_bytes()).ok().filter(Value::is_object);
                *body = document.ok_or_else(|| wrong("This isn't a JSON object".to_owned()))?;
                return Ok(());
            }
            Some(As::Address) => return Ok(()),
        };
        *entry(body, &self.name) = value;
        Ok(())
    }
}

/// The place of a field in the body, made where it isn't there.
fn entry<'b>(body: &'b mut Value, name: &str) -> &'b mut Value {
    let mut place = body;
    for part in name.split('/') {
        if !place.is_object() {
            *place = Value::Object(Map::new());
        }
        place = &mut place[part];
    }
    place
}

/// Returns the error for a form, with its field, one of `names`. `has_place` returns true if the field has space for
/// the error; otherwise the text names the field.
pub fn refusal(problem: &Problem, names: &[String], has_place: impl Fn(&str) -> bool) -> Wrong {
    let pointer = problem.field.as_deref().unwrap_or_default().trim_start_matches('/');
    let (list, index) = pointer.rsplit_once('/').unwrap_or((pointer, ""));
    let index = index.parse::<usize>().ok().filter(|_| !names.iter().any(|name| name == pointer));
    let named = if index.is_some() { list } else { pointer };
    let field = names.iter().find(|name| *name == named).cloned().unwrap_or_default();
    let words = match (has_place(&field) && !field.is_empty(), &problem.expected, index) {
        (true, Some(expected), Some(index)) => format!("Line {} should be {expected}", index + 1),
        (true, Some(expected), None) => format!("This should be {expected}"),
        _ => problem.to_string(),
    };
    Wrong { field, words }
}

#[cfg(test)]
mod tests;
