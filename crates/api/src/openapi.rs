//! The API as an `OpenAPI` 3.1 document, derived from the endpoint table and its types.
//!
//! Data that `OpenAPI` has no field for is in extensions: `x-access` (callers), `x-scope` (required scope of a key),
//! `x-body-limit` (bytes), `x-events` (name to data), `x-default` (the value that the clients' types set for a required
//! field) and, for the document, `x-message-types` (tag to payload). The
//! schema of each payload has an example. `docs/api/openapi.json` is a copy of this document; a test checks that it is
//! current.

mod beside;
mod fixed;
mod operation;

use crate::{Problem, contract};
use schemars::generate::{Contract, SchemaSettings};
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde_json::{Map, Value, json};
use std::sync::LazyLock;

/// Returns the document. It is made once.
pub fn document() -> &'static Value {
    static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
        let mut book = Book::new();
        contract::each_endpoint(&mut book);
        beside::describe_all(&mut book);
        book.close()
    });
    &DOCUMENT
}

/// The document while it is being written.
struct Book {
    paths: Map<String, Value>,
    /// Generator of response schemas.
    replies: SchemaGenerator,
    /// Generator of request schemas.
    inputs: SchemaGenerator,
}

impl Book {
    fn new() -> Self {
        let generator = |contract| {
            let settings = SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
                settings.contract = contract;
            });
            settings.into_generator()
        };
        Self { paths: Map::new(), replies: generator(Contract::Serialize), inputs: generator(Contract::Deserialize) }
    }

    fn reply<T: JsonSchema>(&mut self) -> Schema {
        self.replies.subschema_for::<T>()
    }

    /// Adds an operation to its path.
    fn put(&mut self, path: &str, method: &str, operation: Value) {
        let entry = self.paths.entry(path).or_insert_with(|| json!({}));
        if let Some(methods) = entry.as_object_mut() {
            methods.insert(method.to_lowercase(), operation);
        }
    }

    fn close(mut self) -> Value {
        let problem = self.reply::<Problem>();
        let payloads: Map<String, Value> = model::MessageType::WORDS
            .iter()
            .filter_map(|tag| Some(((*tag).to_owned(), model::Body::schema(tag, &mut self.inputs)?.to_value())))
            .collect();
        let mut schemas: Map<String, Value> = self.replies.take_definitions(true);
        for (name, schema) in self.inputs.take_definitions(true) {
            // A type that is both read and written gets the schema of its written form, which is the narrower one.
            schemas.entry(name).or_insert(schema);
        }
        for (_, _, example) in model::Body::examples() {
            let name = payloads.get(example.message_type()).and_then(|schema| schema["$ref"].as_str());
            let name = name.and_then(|reference| reference.rsplit('/').next());
            if let Some(schema) = name.and_then(|name| schemas.get_mut(name)?.as_object_mut()) {
                schema.insert("examples".to_owned(), json!([example.payload()]));
            }
        }
        schemas.sort_keys();
        let mut document = fixed::frame(problem.to_value());
        document["paths"] = Value::Object(self.paths);
        document["components"]["schemas"] = Value::Object(schemas);
        document["x-message-types"] = Value::Object(payloads);
        document
    }
}
