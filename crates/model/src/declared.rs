//! Message types that others declare: a JSON document says how a payload is shown, without code.
//!
//! [`Declared::read`] reads a document strictly, [`Declared::view`] fills a payload into it. Both are bounded: a document in
//! bytes, nesting and components, a view in steps, components and bytes, whatever the payload holds. Documents can't refer to
//! each other, nor to themselves.
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

/// Largest document, in bytes of JSON.
pub const MAX_DOCUMENT_BYTES: usize = 64 * 1024;
/// Components of a document at most.
pub const MAX_ELEMENTS: usize = 300;
/// Components within each other at most.
pub const MAX_DEPTH: usize = 8;
/// Items of one repetition, table or list that are shown at most; the others are counted.
pub const MAX_REPEATED: usize = 200;
/// Components of a view at most; rows and items count as one each.
pub const MAX_NODES: usize = 2_000;
/// Values that are looked up for a view at most.
const MAX_STEPS: usize = 40_000;
/// Text of a view at most, in bytes.
pub const MAX_BYTES: usize = 512 * 1024;
/// How deep the JSON of a document nests at most.
const MAX_JSON_DEPTH: usize = 40;
/// Characters of a type and of a title at most.
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

/// A document that was read.
#[derive(Debug, Clone, PartialEq)]
pub struct Declared {
    /// The tag of the messages: `acme.deploy/plan`.
    pub message_type: String,
    /// The version of the payload that it shows.
    pub version: i64,
    /// What people call the type.
    pub title: String,
    /// Its icon.
    pub icon: Option<TypeIcon>,
    summary: Option<Template>,
    markdown: Option<Template>,
    view: Vec<Element>,
    schema: Option<Value>,
}

/// A payload as its type shows it.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// What is drawn. Empty if the payload says nothing.
    pub nodes: Vec<Node>,
    /// Where the payload doesn't fit the `schema` of the document: it is shown all the same.
    pub problems: Vec<Mismatch>,
    /// Was something left out, so that the view stays small?
    pub is_cut: bool,
}

impl Declared {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// Up to 20 problems, each with a JSON pointer into the document.
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

    /// Fills a payload into the view. Without a `view`, or where it shows nothing of the payload, the schema describes it.
    pub fn view(&self, payload: &Value) -> View {
        let mut budget = Budget::new();
        let mut nodes = evaluate::nodes(&mut budget, &self.view, Scope { root: payload, item: payload });
        if nodes.is_empty() {
            nodes = schema::nodes(&mut budget, self.schema.as_ref().unwrap_or(&Value::Null), payload);
        }
        let problems = self.schema.as_ref().map(|schema| schema::check(schema, payload)).unwrap_or_default();
        View { nodes, problems, is_cut: budget.is_spent() }
    }

    /// Returns whether the document has buttons, by which a person answers.
    pub fn asks(&self) -> bool {
        self.view.iter().any(Element::asks)
    }

    /// Returns one line: the `summary` of the document, else its title with the first words of the payload.
    pub fn summary(&self, payload: &Value) -> String {
        let scope = Scope { root: payload, item: payload };
        let line = self.summary.as_ref().map(|it| text::one_line(&it.expand(scope, 2_000), crate::summary::MAX_CHARS));
        line.filter(|line| !text::is_blank(line)).unwrap_or_else(|| match first_words(payload) {
            Some(words) => text::one_line(&format!("{}: {words}", self.title), crate::summary::MAX_CHARS),
            None => self.title.clone(),
        })
    }

    /// Returns the payload as markdown: the `markdown` of the document, else the words of its view below its title.
    pub fn markdown(&self, payload: &Value) -> String {
        let scope = Scope { root: payload, item: payload };
        let said = self.markdown.as_ref().map(|it| it.expand(scope, MAX_BYTES));
        said.filter(|said| !text::is_blank(said)).unwrap_or_else(|| {
            let title = text::one_line(&self.title, TITLE_CHARS);
            format!("**{title}**\n\n{}", node::markdown(&self.view(payload).nodes)).trim_end().to_owned()
        })
    }
}

/// The first string of a payload that says something.
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
