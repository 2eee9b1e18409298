//! JSON Schemas in words: fields as tables, types as links.

use super::text;
use crate::part::{Part, part};
use leptos::prelude::*;
use serde_json::Value;

/// Resolves a reference inside of the document; other values are returned unchanged.
pub fn resolve<'a>(document: &'a Value, value: &'a Value) -> &'a Value {
    let pointer = value["$ref"].as_str().and_then(|target| target.strip_prefix('#'));
    pointer.and_then(|pointer| document.pointer(pointer)).unwrap_or(value)
}

/// Text with `code` in it.
pub fn prose(words: &str) -> Vec<Part> {
    let pieces = words.split('`').enumerate();
    pieces
        .filter(|(_, piece)| !piece.is_empty())
        .map(|(index, piece)| {
            let piece = piece.to_owned();
            if index % 2 == 0 {
                part! { <span>{piece}</span> }
            } else {
                part! { <code>{piece}</code> }
            }
        })
        .collect()
}

pub fn parameters(document: &Value, parameters: &[&Value]) -> Part {
    let rows: Vec<_> = parameters
        .iter()
        .map(|parameter| {
            let place = text(&parameter["in"]);
            let needed = parameter["required"] == true && place != "path";
            let schema = resolve(document, &parameter["schema"]);
            let kind = part! { <span class="cap">{place.to_owned()}</span>" "{type_words(&parameter["schema"])} };
            row(text(&parameter["name"]), needed, kind, &about(parameter, schema), bounds(&parameter["schema"]))
        })
        .collect();
    table("Parameters", rows)
}

/// The fields of an object.
pub fn fields(document: &Value, schema: &Value, title: &'static str) -> Part {
    table(title, rows(document, resolve(document, schema)))
}

fn rows(document: &Value, object: &Value) -> Vec<Part> {
    let required: Vec<&str> = object["required"].as_array().into_iter().flatten().map(text).collect();
    let properties = object["properties"].as_object().into_iter().flatten();
    properties
        .map(|(name, schema)| {
            let about = about(schema, resolve(document, schema));
            row(name, required.contains(&name.as_str()), type_words(schema), &about, bounds(schema))
        })
        .collect()
}

/// The field's own words, else those of its type.
fn about(own: &Value, kind: &Value) -> String {
    let words = own["description"].as_str().unwrap_or_else(|| text(&kind["description"]));
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn row(name: &str, needed: bool, kind: Part, about: &str, bounds: Option<String>) -> Part {
    let needed = needed.then(|| part! { <span class="cap needed">"required"</span> });
    let bounds = bounds.map(|bounds| part! { <span class="cap">{bounds}</span> });
    part! { <tr><th scope="row"><code>{name.to_owned()}</code>{needed}</th><td>{kind}{bounds}</td><td>{prose(about)}</td></tr> }
}

fn table(title: &'static str, rows: Vec<Part>) -> Part {
    part! {
        <h4>{title}</h4>
        <div class="table-wrap"><table class="table fields">
            <thead><tr><th scope="col">"Name"</th><th scope="col">"Type"</th><th scope="col">"What"</th></tr></thead>
            <tbody>{rows}</tbody>
        </table></div>
    }
}

/// ` 1 to 500`, ` up to 128 characters`.
fn bounds(schema: &Value) -> Option<String> {
    let range = |least: &Value, most: &Value, unit: &str| match (least.as_i64(), most.as_i64()) {
        (Some(least), Some(most)) => Some(format!(" {least} to {most}{unit}")),
        (Some(least), None) if least > 0 => Some(format!(" at least {least}{unit}")),
        (None, Some(most)) => Some(format!(" up to {most}{unit}")),
        _ => None,
    };
    range(&schema["minimum"], &schema["maximum"], "")
        .or_else(|| range(&schema["minLength"], &schema["maxLength"], " characters"))
        .or_else(|| range(&schema["minItems"], &schema["maxItems"], " items"))
}

/// A type in words; a named one as a link to its table.
pub fn type_words(schema: &Value) -> Part {
    if let Some(target) = schema["$ref"].as_str() {
        let name = target.rsplit('/').next().unwrap_or(target).to_owned();
        return part! { <a class="link" href=format!("#type-{name}")>{name.clone()}</a> };
    }
    let choices = ["anyOf", "oneOf"].into_iter().find_map(|key| schema[key].as_array());
    if let Some(choices) = choices {
        let words: Vec<Part> = choices.iter().filter(|choice| choice["type"] != "null").map(type_words).collect();
        return joined(words);
    }
    if let Some(word) = schema["const"].as_str() {
        return part! { <code>{word.to_owned()}</code> };
    }
    if let Some(words) = schema["enum"].as_array() {
        return joined(words.iter().map(|word| part! { <code>{text(word).to_owned()}</code> }).collect());
    }
    if schema["type"] == "array" || schema["type"][0] == "array" {
        return part! { <span>"list of "{type_words(&schema["items"])}</span> };
    }
    let kinds: Vec<&str> = match &schema["type"] {
        Value::String(kind) => vec![kind.as_str()],
        Value::Array(kinds) => kinds.iter().map(text).filter(|kind| *kind != "null").collect(),
        _ => vec!["anything"],
    };
    let kinds = kinds.join(" or ").replace("boolean", "true or false");
    part! { <span>{kinds}</span> }
}

fn joined(words: Vec<Part>) -> Part {
    let words: Vec<_> = words
        .into_iter()
        .enumerate()
        .map(|(index, word)| part! { {if index == 0 { "" } else { ", " }}{word} })
        .collect();
    part! { <span>{words}</span> }
}

/// The payloads of messages, by their tag.
pub fn message_types(document: &Value) -> Part {
    let types: Vec<_> = document["x-message-types"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(tag, schema)| {
            part! { <tr><th scope="row"><code>{tag.clone()}</code></th><td>{type_words(schema)}</td>
            <td>{prose(&about(schema, resolve(document, schema)))}</td></tr> }
        })
        .collect();
    part! {
        <section class="topic" id="message-types"><h2>"Message types"</h2>
            <p>"A message's metadata is an "<a class="link" href="#type-Envelope">"envelope"</a>": "<code>"{\"message_type\": \"TODO\", \"version\": 1, \"payload\": {...}}"</code>
                ". These payloads are checked; any other type takes any object, and is given back unchanged."</p>
            <div class="table-wrap"><table class="table fields"><tbody>{types}</tbody></table></div>
        </section>
    }
}

/// Every named type.
pub fn types(document: &Value) -> Part {
    let types: Vec<_> = document["components"]["schemas"]
        .as_object()
        .into_iter()
        .flatten()
        .map(|(name, schema)| {
            let rows = rows(document, schema);
            let body = if rows.is_empty() { choices(schema) } else { bare(rows) };
            let about = about(schema, schema);
            part! {
                <article class="type" id=format!("type-{name}")><h3><code>{name.clone()}</code></h3>
                    <p class="mut">{prose(&about)}</p>{body}</article>
            }
        })
        .collect();
    part! { <section class="topic" id="types"><h2>"Types"</h2>{types}</section> }
}

fn bare(rows: Vec<Part>) -> Part {
    part! { <div class="table-wrap"><table class="table fields"><tbody>{rows}</tbody></table></div> }
}

/// A closed set of words, each with what it says; or a plain type.
fn choices(schema: &Value) -> Part {
    let Some(choices) = schema["oneOf"].as_array() else {
        return part! { <p>{type_words(schema)}</p> };
    };
    let rows = choices
        .iter()
        .map(|choice| part! { <tr><th scope="row">{choice_words(choice)}</th><td>{prose(&about(choice, choice))}</td></tr> })
        .collect();
    bare(rows)
}

/// One of several objects is told from the others by its fields.
fn choice_words(choice: &Value) -> Part {
    let Some(fields) = choice["properties"].as_object() else { return type_words(choice) };
    let fields = fields.iter().map(|(name, schema)| part! { <code>{name.clone()}</code>": "{type_words(schema)} });
    joined(fields.collect())
}
