//! Schemas of arguments, derived from their types and written so that any agent reads them.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// Returns the schema of an object, without references and without null: an absent field is left out.
pub fn of<T: JsonSchema>() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.inline_subschemas = true;
        settings.meta_schema = None;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    plain(&mut schema);
    match schema {
        Value::Object(schema) => schema,
        _ => Map::new(),
    }
}

/// Takes out what some agents' schemas don't know: null as a type or a default, titles, and formats of numbers.
fn plain(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            let is_null = |kind: &Value| kind == "null" || kind.get("type").is_some_and(|kind| kind == "null");
            if let Some(Value::Array(kinds)) = fields.get_mut("type") {
                kinds.retain(|kind| !is_null(kind));
                if let [kind] = kinds.as_slice() {
                    let kind = kind.clone();
                    fields.insert("type".to_owned(), kind);
                }
            }
            if let Some(Value::Array(kinds)) = fields.get_mut("anyOf") {
                kinds.retain(|kind| !is_null(kind));
                if let [Value::Object(only)] = kinds.as_mut_slice() {
                    let only = std::mem::take(only);
                    fields.shift_remove("anyOf");
                    for (key, value) in only {
                        fields.entry(key).or_insert(value);
                    }
                }
            }
            if fields.get("default").is_some_and(Value::is_null) {
                fields.shift_remove("default");
            }
            for key in ["title", "format"] {
                // A field of this name is a schema, and no string.
                if fields.get(key).is_some_and(Value::is_string) {
                    fields.shift_remove(key);
                }
            }
            fields.values_mut().for_each(plain);
        }
        Value::Array(items) => items.iter_mut().for_each(plain),
        _ => {}
    }
}
