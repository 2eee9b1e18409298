//! Declared message types: a JSON document describes how to show the payloads of a type, without code.
//!
//! [`Declared::read`] validates a document, [`Declared::view`] fills a payload into it. Both are bounded: documents in
//! bytes, nesting and components; views in lookups, components and bytes, whatever the payload contains. Documents
//! can't refer to other documents or to themselves.
//!
//! ```
//! use model::declared::Declared;
//! use serde_json::json;
//!
//! let document = json!({
//!     "type": "acme/deploy", "version": 1, "title": "Deployment", "summary": "Deploy {/service}: {/state}",
//!     "view": [{"component": "badge", "text": "{/state}", "role": {"value": "/state", "map": {"done": "ok"}}}],
//! });
//! let declared = Declared::read(&document).map_err(|problems| problems[0].clone())?;
//! assert_eq!(declared.summary(&json!({"service": "api", "state": "done"})), "Deploy api: done");
//! # Ok::<(), model::message_type::Mismatch>(())
//! ```

mod element;
mod evaluate;
mod format;
pub mod node;
mod read;
mod schema;
mod starter;
mod template;

pub use element::COMPONENTS;
pub use node::{Controls, Node, controls};
pub use starter::starter;

use crate::message_type::{MessageType, Mismatch};
use crate::{text, words};
use element::{Element, elements};
use evaluate::Budget;
use read::Reader;
use serde_json::Value;
use template::{Scope, Template};

/// Maximum size of a document, in bytes of JSON.
pub const MAX_DOCUMENT_BYTES: usize = 64 * 1024;
/// Maximum number of components of a document.
pub const MAX_ELEMENTS: usize = 300;
/// Maximum nesting of components.
pub const MAX_DEPTH: usize = 8;
/// Maximum number of items of a repetition, table or list. The view says how many are left out.
pub const MAX_REPEATED: usize = 200;
/// Maximum number of components of a view. A row or an item counts as one.
pub const MAX_NODES: usize = 2_000;
/// Maximum number of values that a view looks up.
const MAX_STEPS: usize = 40_000;
/// Maximum size of the text of a view, in bytes.
pub const MAX_BYTES: usize = 512 * 1024;
/// Maximum nesting of the JSON of a document.
const MAX_JSON_DEPTH: usize = 40;
/// Maximum length of a type and of a title, in characters.
const TYPE_CHARS: usize = 200;
const TITLE_CHARS: usize = 120;

words! {
    /// The icon of a declared type.
    TypeIcon {
        /// A box of files.
        Archive = "archive",
        /// A bell.
        Bell = "bell",
        /// A branch of a repository.
        Branch = "branch",
        /// A chart.
        Chart = "chart",
        /// A check mark.
        Check = "check",
        /// A clock.
        Clock = "clock",
        /// Angle brackets.
        Code = "code",
        /// A database.
        Database = "database",
        /// A pen.
        Edit = "edit",
        /// An eye.
        Eye = "eye",
        /// A file.
        File = "file",
        /// A folder.
        Folder = "folder",
        /// Sliders.
        Gear = "gear",
        /// A globe.
        Globe = "globe",
        /// A key.
        Key = "key",
        /// Layers.
        Layers = "layers",
        /// A chain.
        Link = "link",
        /// A list.
        List = "list",
        /// A lock.
        Lock = "lock",
        /// A plug.
        Plug = "plug",
        /// A magnifying glass.
        Search = "search",
        /// A table.
        Table = "table",
        /// A terminal.
        Terminal = "terminal",
        /// A wrench.
        Tool = "tool",
        /// A person.
        User = "user",
        /// A triangle.
        Warning = "warning",
    }
}

/// A validated document.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// The tag of the messages: `acme.deploy/plan`.
    pub message_type: String,
    /// The version of the payload that it shows.
    pub version: i64,
    /// The name of the type for people.
    pub title: String,
    /// Its icon.
    pub icon: Option<TypeIcon>,
    summary: Option<Template>,
    markdown: Option<Template>,
    view: Vec<Element>,
    schema: Option<Value>,
}

/// A payload filled into the view of its type.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The components to render. Empty if the payload has nothing to show.
    pub nodes: Vec<Node>,
    /// Where the payload doesn't match the `schema` of the document. It is shown nevertheless.
    pub problems: Vec<Mismatch>,
    /// Whether something was left out because of a limit.
    pub is_cut: bool,
}

impl Declared {
    /// Validates a document.
    ///
    /// # Errors
    ///
    /// Returns up to 20 problems, each with a JSON pointer into the document.
    pub fn read(document: &Value) -> Result<Self, Vec<Mismatch>> {
        let mut reader = Reader::default();
        if depth_of(document) > MAX_JSON_DEPTH {
            return Err(vec![Mismatch::new("", format!("JSON nested at most {MAX_JSON_DEPTH} deep"))]);
        }
        if document.to_string().len() > MAX_DOCUMENT_BYTES {
            return Err(vec![Mismatch::new("", format!("at most {} KiB of JSON", MAX_DOCUMENT_BYTES / 1024))]);
        }
        let declared = Self::read_fields(&mut reader, document);
        match declared {
            Some(declared) if reader.problems.is_empty() => Ok(declared),
            _ => Err(reader.problems),
        }
    }

    fn read_fields(reader: &mut Reader, document: &Value) -> Option<Self> {
        let mut fields = reader.fields(document, "")?;
        let message_type = fields.string(reader, "type", TYPE_CHARS);
        if MessageType::parse(&message_type).is_some() {
            reader.wrong("/type", "a name that isn't the one of a built-in type");
        } else if message_type.chars().any(char::is_control) {
            reader.wrong("/type", "a name without control characters");
        }
        let version = match fields.get("version") {
            None => 1,
            Some(version) => version.as_i64().filter(|n| *n >= 1).unwrap_or_else(|| {
                reader.wrong("/version", "an integer of at least 1");
                1
            }),
        };
        let title = fields.string(reader, "title", TITLE_CHARS);
        let icon = fields.get("icon").and_then(|word| reader.word(word, "/icon", TypeIcon::WORDS, TypeIcon::parse));
        let summary = fields.template_if(reader, "summary");
        let markdown = fields.template_if(reader, "markdown");
        let view = fields.get("view");
        let schema = fields.get("schema");
        if view.is_none() && schema.is_none() {
            reader.wrong("/view", "components in `view`, or a JSON Schema in `schema`");
        }
        let view = view.map(|view| elements(reader, view, "/view", 1)).unwrap_or_default();
        if let Some(schema) = schema {
            schema::read(reader, schema, "/schema");
        }
        fields.done(reader);
        Some(Self { message_type, version, title, icon, summary, markdown, view, schema: schema.cloned() })
    }

    /// Fills a payload into the view. If the document has no `view`, or if that shows nothing, the payload is shown by
    /// the schema.
    pub fn view(&self, payload: &Value) -> View {
        let mut budget = Budget::new();
        let mut nodes = evaluate::nodes(&mut budget, &self.view, Scope { root: payload, item: payload });
        if nodes.is_empty() {
            nodes = schema::nodes(&mut budget, self.schema.as_ref().unwrap_or(&Value::Null), payload);
        }
        let problems = self.schema.as_ref().map(|schema| schema::check(schema, payload)).unwrap_or_default();
        View { nodes, problems, is_cut: budget.is_spent() }
    }

    /// Returns whether the view has buttons, with which a person answers.
    pub fn asks(&self) -> bool {
        self.view.iter().any(Element::asks)
    }

    /// Returns a one-line summary: the `summary` of the document, otherwise its title and the first string of the
    /// payload.
    pub fn summary(&self, payload: &Value) -> String {
        let scope = Scope { root: payload, item: payload };
        let line = self.summary.as_ref().map(|it| text::one_line(&it.expand(scope, 2_000), crate::summary::MAX_CHARS));
        line.filter(|line| !text::is_blank(line)).unwrap_or_else(|| match first_words(payload) {
            Some(words) => text::one_line(&format!("{}: {words}", self.title), crate::summary::MAX_CHARS),
            None => self.title.clone(),
        })
    }

    /// Returns the payload as markdown: the `markdown` of the document, otherwise its title and the text of its view.
    pub fn markdown(&self, payload: &Value) -> String {
        let scope = Scope { root: payload, item: payload };
        let said = self.markdown.as_ref().map(|it| it.expand(scope, MAX_BYTES));
        said.filter(|said| !text::is_blank(said)).unwrap_or_else(|| {
            let title = text::one_line(&self.title, TITLE_CHARS);
            format!("**{title}**\n\n{}", node::markdown(&self.view(payload).nodes)).trim_end().to_owned()
        })
    }
}

/// Returns the first string of a payload that isn't blank.
fn first_words(payload: &Value) -> Option<&str> {
    const LOOKED_AT: usize = 50;
    let fields = payload.as_object()?;
    fields.values().take(LOOKED_AT).filter_map(Value::as_str).find(|words| !text::is_blank(words))
}

fn depth_of(value: &Value) -> usize {
    let mut deepest = 0;
    let mut open = vec![(value, 1)];
    while let Some((value, depth)) = open.pop() {
        deepest = deepest.max(depth);
        match value {
            Value::Array(items) => open.extend(items.iter().map(|item| (item, depth + 1))),
            Value::Object(fields) => open.extend(fields.values().map(|field| (field, depth + 1))),
            _ => {}
        }
    }
    deepest
}
