//! The table of tools. Each file has the arguments of its tool and what it does.

mod approve;
mod ask;
mod cards;
mod log;
mod recall;
mod search;

use crate::call::{Call, Refusal, Reply};
use crate::schema;
use futures::FutureExt as _;
use futures::future::BoxFuture;
use model::message_type::code_edit::CodeEdit;
use model::message_type::todo::Todo;
use rmcp::model::ToolAnnotations;
use serde_json::{Map, Value};
use std::sync::Arc;

/// The function of a tool.
type Run = for<'a> fn(&'a Call, Map<String, Value>) -> BoxFuture<'a, Result<Reply, Refusal>>;

/// A tool that an agent may call.
pub struct Tool {
    pub name: &'static str,
    /// For the model: what it does, and when to use it.
    description: &'static str,
    /// It changes nothing.
    reads: bool,
    arguments: fn() -> Map<String, Value>,
    pub run: Run,
}

/// All tools, in the order in which agents list them.
pub const TOOLS: &[Tool] = &[
    Tool {
        name: "log",
        description: "Log what you did or found as a message that people read. Takes markdown, or any typed message.",
        reads: false,
        arguments: schema::of::<log::Log>,
        run: |call, arguments| log::run(call, arguments).boxed(),
    },
    Tool {
        name: "ask",
        description: "Ask a person and wait for the answer. With `options`, they choose; else they type.",
        reads: false,
        arguments: schema::of::<ask::Ask>,
        run: |call, arguments| ask::run(call, arguments).boxed(),
    },
    Tool {
        name: "diff",
        description: "Show changes of files as a diff. It changes no file.",
        reads: false,
        arguments: schema::of::<CodeEdit>,
        run: |call, arguments| cards::diff(call, arguments).boxed(),
    },
    Tool {
        name: "todos",
        description: "Set the to-do list. Send the whole list each time: it replaces the one before.",
        reads: false,
        arguments: schema::of::<Todo>,
        run: |call, arguments| cards::todos(call, arguments).boxed(),
    },
    Tool {
        name: "progress",
        description: "Report how far something has got. With the `id` of an earlier report, that one moves on in place.",
        reads: false,
        arguments: cards::progress_schema,
        run: |call, arguments| cards::progress(call, arguments).boxed(),
    },
    Tool {
        name: "approve",
        description: "Ask a person for permission to use a tool, and wait. Returns JSON: `behavior` is `allow` or `deny`.",
        reads: false,
        arguments: schema::of::<approve::Approve>,
        run: |call, arguments| approve::run(call, arguments).boxed(),
    },
    Tool {
        name: "search",
        description: "Search the messages of all sessions, newest first. All words must occur.",
        reads: true,
        arguments: search::schema,
        run: |call, arguments| search::run(call, arguments).boxed(),
    },
    Tool {
        name: "recall",
        description: "Recall what people said in earlier sessions, by words or meaning. Ask a question or give words.",
        reads: true,
        arguments: recall::schema,
        run: |call, arguments| recall::run(call, arguments).boxed(),
    },
];

impl Tool {
    /// Returns the tool as the protocol lists it.
    pub fn describe(&self) -> rmcp::model::Tool {
        let hints = ToolAnnotations::new().read_only(self.reads).destructive(false).open_world(false);
        rmcp::model::Tool::new(self.name, self.description, Arc::new((self.arguments)())).with_annotations(hints)
    }
}

#[cfg(test)]
mod tests {
    use super::TOOLS;

    /// Agents show these to their models with every request.
    #[test]
    fn schemas_are_plain_objects() {
        for tool in TOOLS {
            let schema = serde_json::Value::Object((tool.arguments)());
            assert_eq!(schema["type"], "object", "{}", tool.name);
            let text = schema.to_string();
            assert!(
                !["$ref", "$schema", "null", "anyOf"].iter().any(|word| text.contains(word)),
                "{}: {text}",
                tool.name
            );
            assert!(tool.description.len() <= 120 && text.len() <= 4096, "{}: {}", tool.name, text.len());
        }
    }
}
