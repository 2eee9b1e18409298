//! Forms that an agent asks a person to fill in, as MCP and the Agent Client Protocol have them: a JSON schema of an object whose
//! properties are plain values, choices, or lists of choices.

use model::message_type::approval::{Field, FieldKind};
use serde_json::{Map, Value};

/// Returns the inputs of a form, in the order of the schema. A list of choices is a checkbox for each of them.
pub fn fields(schema: &Value) -> Vec<Field> {
    let required: Vec<&str> = items(schema, "required").iter().filter_map(Value::as_str).collect();
    properties(schema).flat_map(|(id, property)| inputs(id, property, &required)).collect()
}

/// Returns what a person filled in, by the ids of [`fields`], as the schema wants it. What was left empty is left out, but for boxes.
pub fn content(schema: &Value, values: &Map<String, Value>) -> Map<String, Value> {
    let filled = |value: &&Value| !value.is_null() && value.as_str().is_none_or(|text| !text.trim().is_empty());
    let value = |(id, property): (&String, &Value)| {
        let given = values.get(id).filter(filled);
        let value = match (kind(property), choices(property)) {
            ("array", of) => {
                let ticked = |(word, _): &(String, String)| values.get(&part(id, word)) == Some(&Value::Bool(true));
                of.into_iter().filter(ticked).map(|(word, _)| word).collect()
            }
            ("boolean", _) => given.cloned().unwrap_or(Value::Bool(false)),
            (_, of) if !of.is_empty() => {
                let chosen = given?.as_str()?;
                of.into_iter().find(|(_, title)| title == chosen)?.0.into()
            }
            _ => given?.clone(),
        };
        Some((id.clone(), value))
    };
    properties(schema).filter_map(value).collect()
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema.get("properties").and_then(Value::as_object).into_iter().flatten()
}

fn inputs(id: &str, property: &Value, required: &[&str]) -> Vec<Field> {
    let text = |key: &str| property.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    let label = match (text("title"), text("description")) {
        (Some(title), Some(description)) => format!("{title}: {description}"),
        (Some(text), None) | (None, Some(text)) => text.to_owned(),
        (None, None) => id.to_owned(),
    };
    let of = choices(property);
    let field = |id: String, label: String, kind| Field { id, label, kind, required: None, options: None };
    let kind = match kind(property) {
        "array" => {
            let tick = |(word, title): (String, String)| {
                field(part(id, &word), format!("{label}: {title}"), FieldKind::Checkbox)
            };
            return of.into_iter().map(tick).collect();
        }
        // That it is required means that it is true or false.
        "boolean" => return vec![field(id.to_owned(), label, FieldKind::Checkbox)],
        _ if !of.is_empty() => FieldKind::Select,
        "number" | "integer" => FieldKind::Number,
        _ if text("format") == Some("date") => FieldKind::Date,
        _ => FieldKind::Text,
    };
    let options = (kind == FieldKind::Select).then(|| of.into_iter().map(|(_, title)| title).collect());
    vec![Field { required: required.contains(&id).then_some(true), options, ..field(id.to_owned(), label, kind) }]
}

/// The id of the box for one choice of a list.
fn part(id: &str, word: &str) -> String {
    format!("{id}/{word}")
}

fn kind(property: &Value) -> &str {
    property.get("type").and_then(Value::as_str).unwrap_or_default()
}

/// Returns the choices: each value with its title.
fn choices(property: &Value) -> Vec<(String, String)> {
    let of = property.get("items").unwrap_or(property);
    let titles = items(of, "enumNames");
    let named = items(of, "enum").iter().enumerate().filter_map(|(index, word)| {
        let title = titles.get(index).unwrap_or(word);
        Some((word.as_str()?.to_owned(), title.as_str()?.to_owned()))
    });
    let titled = ["oneOf", "anyOf"].into_iter().flat_map(|key| items(of, key)).filter_map(|choice| {
        let word = choice.get("const")?.as_str()?;
        Some((word.to_owned(), choice.get("title").and_then(Value::as_str).unwrap_or(word).to_owned()))
    });
    named.chain(titled).collect()
}

fn items<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}
