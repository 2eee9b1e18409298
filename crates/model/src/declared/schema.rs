//! JSON Schema of a payload: checks it, and shows a payload for which no view was declared.
//!
//! A subset that costs little whatever it is given: no patterns, no addresses elsewhere. Other keywords are ignored.

use super::evaluate::{Budget, field_names};
use super::format::moment;
use super::node::{Cell, CellLook, Node, Table, Tone, is_safe_link};
use super::read::Reader;
use super::{MAX_DEPTH, MAX_REPEATED};
use crate::strict::{self, Mismatch};
use crate::{Micros, text};
use serde_json::{Map, Value};

/// Maximum number of references to follow until a schema is reached.
const MAX_HOPS: usize = 16;
/// Maximum number of problems of a payload that are reported.
const MAX_PROBLEMS: usize = 10;
/// Maximum size of a key in the pointer of a problem, in bytes.
const MAX_KEY_BYTES: usize = 200;
/// Maximum number of values that are validated; the others are ignored.
const MAX_CHECKS: usize = 100_000;
/// Maximum nesting of schemas during validation.
const MAX_CHECK_DEPTH: usize = 64;
/// Maximum number of fields that the problem of an unknown one names.
const MAX_NAMES: usize = 20;
/// Maximum size of the text of a value, in bytes.
const TEXT_BYTES: usize = 8 * 1024;

const TYPES: [&str; 7] = ["string", "number", "integer", "boolean", "array", "object", "null"];

/// Validates the `schema` of a document.
pub(super) fn read(reader: &mut Reader, schema: &Value, at: &str) {
    read_at(reader, schema, schema, at);
}

fn read_at(reader: &mut Reader, root: &Value, schema: &Value, at: &str) {
    let Value::Object(fields) = schema else {
        if !schema.is_boolean() {
            reader.wrong(at, "a schema: an object, `true` or `false`");
        }
        return;
    };
    for (name, value) in fields {
        let at = format!("{at}{}", strict::token(name));
        match name.as_str() {
            "$ref" => read_reference(reader, root, value, &at),
            "type" => {
                let known = |word: &Value| word.as_str().is_some_and(|word| TYPES.contains(&word));
                if !(known(value) || value.as_array().is_some_and(|words| words.iter().all(known))) {
                    reader.wrong(&at, format!("one of `{}`, or an array of them", TYPES.join("`, `")));
                }
            }
            "properties" | "$defs" | "definitions" => match value.as_object() {
                Some(schemas) => {
                    for (name, schema) in schemas {
                        read_at(reader, root, schema, &format!("{at}{}", strict::token(name)));
                    }
                }
                None => reader.wrong(&at, "an object of schemas"),
            },
            "items" | "additionalProperties" | "not" => read_at(reader, root, value, &at),
            "allOf" | "anyOf" | "oneOf" => match value.as_array().filter(|all| !all.is_empty()) {
                Some(schemas) => {
                    for (index, schema) in schemas.iter().enumerate() {
                        read_at(reader, root, schema, &format!("{at}/{index}"));
                    }
                }
                None => reader.wrong(&at, "a non-empty array of schemas"),
            },
            "required" if !value.as_array().is_some_and(|names| names.iter().all(Value::is_string)) => {
                reader.wrong(&at, "an array of strings");
            }
            "enum" if !value.is_array() => reader.wrong(&at, "an array"),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" if !value.is_number() => {
                reader.wrong(&at, "a number");
            }
            "minLength" | "maxLength" | "minItems" | "maxItems" if !value.is_u64() => {
                reader.wrong(&at, "an integer of at least 0");
            }
            _ => {}
        }
    }
}

fn read_reference(reader: &mut Reader, root: &Value, reference: &Value, at: &str) {
    let Some(text) = reference.as_str().filter(|text| text.starts_with('#')) else {
        reader.wrong(at, "a reference within this schema: `#/$defs/name`");
        return;
    };
    if resolve(root, text).is_none() {
        reader.wrong(at, "a reference to a schema that is here, and that doesn't only refer to itself");
    }
}

/// Follows a reference, and those that it leads to, to a schema.
fn resolve<'s>(root: &'s Value, reference: &str) -> Option<&'s Value> {
    let mut found = root.pointer(reference.strip_prefix('#')?)?;
    for _ in 0..MAX_HOPS {
        match found.get("$ref") {
            None => return Some(found),
            Some(next) => found = root.pointer(next.as_str()?.strip_prefix('#')?)?,
        }
    }
    None
}

/// Returns where a payload doesn't match its schema. Pointers are relative to the payload.
pub(super) fn check(schema: &Value, payload: &Value) -> Vec<Mismatch> {
    let mut checker = Checker { root: schema, left: MAX_CHECKS, problems: Vec::new() };
    checker.check(schema, payload, "", 0);
    checker.problems
}

struct Checker<'s> {
    root: &'s Value,
    left: usize,
    problems: Vec<Mismatch>,
}

impl Checker<'_> {
    fn wrong(&mut self, at: &str, expected: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Mismatch::new(at, expected));
        }
    }

    /// Spends the cost of a check. Returns false if too little is left.
    fn spend(&mut self, cost: usize) -> bool {
        let is_enough = self.left > cost;
        self.left = self.left.saturating_sub(cost);
        is_enough
    }

    fn fits(&mut self, schema: &Value, value: &Value, depth: usize) -> bool {
        let mut inner = Checker { root: self.root, left: self.left, problems: Vec::new() };
        inner.check(schema, value, "", depth);
        self.left = inner.left;
        inner.problems.is_empty()
    }

    fn check(&mut self, schema: &Value, value: &Value, at: &str, depth: usize) {
        if depth > MAX_CHECK_DEPTH || self.problems.len() == MAX_PROBLEMS || !self.spend(1) {
            return;
        }
        let Value::Object(schema) = schema else {
            if *schema == Value::Bool(false) {
                self.wrong(at, "absent: its schema is `false`");
            }
            return;
        };
        if let Some(schema) = schema.get("$ref").and_then(Value::as_str).and_then(|text| resolve(self.root, text)) {
            self.check(schema, value, at, depth + 1);
        }
        if let Some(types) = schema.get("type") {
            let types: Vec<&str> = match types {
                Value::Array(types) => types.iter().filter_map(Value::as_str).collect(),
                one => one.as_str().into_iter().collect(),
            };
            if !types.iter().any(|word| is_of(value, word)) {
                let words: Vec<&str> = types.iter().map(|word| in_words(word)).collect();
                self.wrong(at, words.join(" or "));
                return;
            }
        }
        let allowed = schema.get("enum").and_then(Value::as_array);
        if let Some(allowed) = allowed.filter(|all| self.spend(all.len()) && !all.contains(value)) {
            let words: Vec<String> = allowed.iter().take(20).map(said).collect();
            self.wrong(at, format!("one of {}", words.join(", ")));
        }
        if let Some(only) = schema.get("const").filter(|only| *only != value) {
            self.wrong(at, said(only));
        }
        self.limits(schema, value, at);
        for (name, least, most) in [("allOf", usize::MAX, usize::MAX), ("anyOf", 1, usize::MAX), ("oneOf", 1, 1)] {
            let Some(schemas) = schema.get(name).and_then(Value::as_array) else { continue };
            if name == "allOf" {
                for schema in schemas {
                    self.check(schema, value, at, depth + 1);
                }
                continue;
            }
            let fitting = schemas.iter().filter(|schema| self.fits(schema, value, depth + 1)).count();
            if self.left > 0 && (fitting < least || fitting > most) {
                let how = if most == 1 { "exactly one" } else { "at least one" };
                self.wrong(at, format!("a value that matches {how} of the {} schemas in `{name}`", schemas.len()));
            }
        }
        if schema.get("not").is_some_and(|not| self.fits(not, value, depth + 1)) && self.left > 0 {
            self.wrong(at, "a value that doesn't match the schema in `not`");
        }
        match value {
            Value::Object(fields) => self.object(schema, fields, at, depth),
            Value::Array(items) => {
                if let Some(of) = schema.get("items") {
                    for (index, item) in items.iter().enumerate().take(self.left) {
                        self.check(of, item, &format!("{at}/{index}"), depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    fn object(&mut self, schema: &Map<String, Value>, fields: &Map<String, Value>, at: &str, depth: usize) {
        for name in schema.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            if self.problems.len() == MAX_PROBLEMS || !self.spend(1) {
                return;
            }
            if !fields.contains_key(name) {
                self.wrong(&format!("{at}{}", strict::token(name)), strict::MISSING);
            }
        }
        let known = schema.get("properties").and_then(Value::as_object);
        let others = schema.get("additionalProperties");
        if known.is_none() && others.is_none() {
            return;
        }
        for (name, value) in fields {
            if !self.spend(1) {
                return;
            }
            // A key may be megabytes long, and would be in the pointer of each value below it.
            let at = format!("{at}{}", strict::token(&name[..name.floor_char_boundary(MAX_KEY_BYTES)]));
            match (known.and_then(|known| known.get(name)), others) {
                (None, Some(Value::Bool(false))) => {
                    let known = known.into_iter().flatten().map(|(name, _)| name.as_str()).take(MAX_NAMES);
                    self.wrong(&at, strict::unknown_field(known));
                }
                (Some(schema), _) | (None, Some(schema)) => self.check(schema, value, &at, depth + 1),
                (None, None) => {}
            }
        }
    }

    fn limits(&mut self, schema: &Map<String, Value>, value: &Value, at: &str) {
        let number = |name: &str| schema.get(name).and_then(Value::as_f64);
        if let Some(n) = value.as_f64() {
            let wrong = [
                number("minimum").filter(|limit| n < *limit).map(|limit| format!("at least {limit}")),
                number("maximum").filter(|limit| n > *limit).map(|limit| format!("at most {limit}")),
                number("exclusiveMinimum").filter(|limit| n <= *limit).map(|limit| format!("more than {limit}")),
                number("exclusiveMaximum").filter(|limit| n >= *limit).map(|limit| format!("less than {limit}")),
            ];
            wrong.into_iter().flatten().for_each(|expected| self.wrong(at, expected));
        }
        let count = |name: &str| schema.get(name).and_then(Value::as_u64);
        let (size, least, most, what) = match value {
            Value::String(text) if schema.contains_key("minLength") || schema.contains_key("maxLength") => {
                if !self.spend(text.len() / 64) {
                    return;
                }
                (text.chars().count(), "minLength", "maxLength", "characters")
            }
            Value::Array(items) => (items.len(), "minItems", "maxItems", "items"),
            _ => return,
        };
        if let Some(limit) = count(least).filter(|limit| (size as u64) < *limit) {
            self.wrong(at, format!("at least {limit} {what}"));
        }
        if let Some(limit) = count(most).filter(|limit| size as u64 > *limit) {
            self.wrong(at, format!("at most {limit} {what}"));
        }
    }
}

fn is_of(value: &Value, word: &str) -> bool {
    match word {
        "string" => value.is_string(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64() || value.as_f64().is_some_and(|n| n.fract() == 0.0),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        _ => true,
    }
}

fn in_words(word: &str) -> &str {
    match word {
        "boolean" => "`true` or `false`",
        "array" => "an array",
        "object" => "an object",
        "integer" => "an integer",
        "null" => "null",
        "string" => "a string",
        _ => "a number",
    }
}

fn said(value: &Value) -> String {
    format!("`{}`", text::clip(&value.as_str().map_or_else(|| value.to_string(), str::to_owned), 60))
}

/// Makes components from a schema: a grid of the payload's values, and tables of its lists. The schema `{}` shows any
/// payload.
pub(super) fn nodes(budget: &mut Budget, root: &Value, payload: &Value) -> Vec<Node> {
    object(budget, root, root, payload, 0)
}

fn object(budget: &mut Budget, root: &Value, schema: &Value, value: &Value, depth: usize) -> Vec<Node> {
    let Value::Object(fields) = value else { return vec![Node::Json(budget.tree(value))] };
    let schema = direct(root, schema);
    let known = schema.get("properties").and_then(Value::as_object);
    // Fields of the schema first, in its order, then the others.
    let described = known.into_iter().flatten().filter_map(|(name, schema)| Some((name, schema, fields.get(name)?)));
    let others = fields.iter().filter(|(name, _)| !known.is_some_and(|known| known.contains_key(*name)));
    let all = described.chain(others.map(|(name, value)| (name, &Value::Null, value)));
    let mut grid = Vec::new();
    let mut larger = Vec::new();
    let mut shown = 0;
    for (name, schema, value) in all {
        if shown == MAX_REPEATED || !budget.step(1) || !budget.node() {
            break;
        }
        shown += 1;
        let schema = direct(root, schema);
        let title = schema.get("title").and_then(Value::as_str).map_or_else(|| label(name), str::to_owned);
        let title = budget.text(&title, 200);
        match value {
            Value::Null => {}
            Value::Array(items) if items.iter().any(Value::is_object) => {
                let children = rows(budget, root, schema, items);
                larger.push(Node::Section { title, open: true, children });
            }
            Value::Array(items) if items.iter().any(Value::is_array) => {
                larger.push(Node::Section { title, open: true, children: vec![Node::Json(budget.tree(value))] });
            }
            Value::Array(items) => {
                let of = schema.get("items").unwrap_or(&Value::Null);
                let mut cells = Vec::new();
                for item in items.iter().take(MAX_REPEATED) {
                    if !budget.step(1) || !budget.node() {
                        break;
                    }
                    cells.push(scalar(budget, direct(root, of), item));
                }
                let left = items.len() - cells.len();
                if !cells.is_empty() {
                    let mut children = vec![Node::List { ordered: false, items: cells }];
                    children.extend((left > 0).then_some(Node::More(left)));
                    larger.push(Node::Section { title, open: true, children });
                }
            }
            Value::Object(inner) if inner.is_empty() => {}
            Value::Object(_) if depth + 1 < MAX_DEPTH => {
                let children = object(budget, root, schema, value, depth + 1);
                larger.push(Node::Section { title, open: depth == 0, children });
            }
            Value::Object(_) => larger.push(Node::Json(budget.tree(value))),
            Value::String(text) if text.contains('\n') => {
                let text = budget.text(text, 64 * 1024);
                let code = Node::Code { language: String::new(), text };
                larger.push(Node::Section { title, open: true, children: vec![code] });
            }
            value => grid.push((title, scalar(budget, schema, value))),
        }
    }
    let mut nodes = Vec::new();
    if !grid.is_empty() {
        nodes.push(Node::KeyValue(grid));
    }
    nodes.append(&mut larger);
    if shown < fields.len() {
        nodes.push(Node::More(fields.len() - shown));
    }
    nodes
}

/// Returns the schema itself if it is a reference.
fn direct<'s>(root: &'s Value, schema: &'s Value) -> &'s Value {
    schema.get("$ref").and_then(Value::as_str).and_then(|text| resolve(root, text)).unwrap_or(schema)
}

fn rows(budget: &mut Budget, root: &Value, schema: &Value, items: &[Value]) -> Vec<Node> {
    let of = direct(root, schema.get("items").unwrap_or(&Value::Null));
    let properties = of.get("properties").and_then(Value::as_object);
    let mut names: Vec<&str> = properties.into_iter().flatten().map(|(name, _)| name.as_str()).take(20).collect();
    if names.is_empty() {
        names = field_names(items).into_iter().map(|(name, _)| name).collect();
    }
    let schema_of = |name: &str| properties.and_then(|all| all.get(name)).map_or(&Value::Null, |it| direct(root, it));
    let column = |name: &&str| {
        let schema = schema_of(name);
        let title = schema.get("title").and_then(Value::as_str).map_or_else(|| label(name), str::to_owned);
        let figures = items.iter().take(20).filter_map(|item| item.get(*name)).all(Value::is_number);
        (text::clip(&title, 200), figures)
    };
    let mut table = Table { columns: names.iter().map(column).collect(), rows: Vec::new() };
    for item in items.iter().take(MAX_REPEATED) {
        if !budget.node() || !budget.step(names.len()) {
            break;
        }
        let cells = names.iter().map(|name| match item.get(*name) {
            Some(value) => scalar(budget, schema_of(name), value),
            None => Cell::plain(""),
        });
        table.rows.push(cells.collect());
    }
    let left = items.len() - table.rows.len();
    let mut nodes = vec![Node::Table(table)];
    nodes.extend((left > 0).then_some(Node::More(left)));
    nodes
}

/// Shows a value by the `format` of its schema, or as a chip if it is a boolean or the schema has an `enum`.
fn scalar(budget: &mut Budget, schema: &Value, value: &Value) -> Cell {
    use super::format::{Format, plain};
    let format = schema.get("format").and_then(Value::as_str).unwrap_or_default();
    let written = match format {
        "bytes" => Format::Bytes.write(value, TEXT_BYTES),
        "duration" if value.is_number() => Format::Duration { millis: false }.write(value, TEXT_BYTES),
        "percent" => Format::Percent.write(value, TEXT_BYTES),
        "date-time" => Format::Time.write(value, TEXT_BYTES),
        _ if value.is_f64() => Format::Number(None).write(value, TEXT_BYTES),
        _ => plain(value, TEXT_BYTES),
    };
    let text = budget.text(&written, TEXT_BYTES);
    let look = match format {
        "date-time" => moment(value).map(|at| CellLook::Time(Micros(at.as_microsecond()))),
        "uri" | "url" => Some(text.clone()).filter(|href| is_safe_link(href)).map(CellLook::Link),
        "email" => Some(format!("mailto:{text}")).filter(|href| is_safe_link(href)).map(CellLook::Link),
        _ if schema.get("enum").is_some() || value.is_boolean() => Some(CellLook::Chip(tone_of(&text))),
        _ => None,
    };
    Cell { text, look: look.unwrap_or(CellLook::Plain) }
}

/// Returns the colour of a common word for a state, such as `failed`.
fn tone_of(word: &str) -> Tone {
    match word.to_ascii_lowercase().as_str() {
        "ok" | "done" | "passed" | "pass" | "success" | "succeeded" | "completed" | "healthy" => Tone::Ok,
        "warn" | "warning" | "degraded" | "blocked" | "skipped" => Tone::Warn,
        "bad" | "error" | "failed" | "fail" | "failure" | "critical" | "down" => Tone::Bad,
        "info" | "running" | "in_progress" | "active" | "pending" | "queued" => Tone::Info,
        _ => Tone::Neutral,
    }
}

/// Makes a label from a field's name: `file_count` becomes `File count`.
pub(super) fn label(name: &str) -> String {
    let spaced = name.replace(['_', '-'], " ");
    let mut chars = spaced.trim().chars();
    match chars.next() {
        Some(first) => first.to_uppercase().chain(chars).collect(),
        None => name.to_owned(),
    }
}
