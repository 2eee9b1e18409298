//! The registry of message types: the component that draws each one, its name, its icon, and its kind.
//!
//! Built-in types are an exhaustive match, so that a type without an entry doesn't compile. A message of a type that
//! somebody declared comes with the document by which [`Declared`] draws it. What nothing knows is drawn by
//! [`Unknown`], and what fails while it is drawn is shown as text and JSON: a message is never blank, and never takes
//! the page down with it.

#[cfg(feature = "ssr")]
mod article;
#[cfg(feature = "ssr")]
mod cache;
#[cfg(feature = "ssr")]
mod request;

#[cfg(feature = "ssr")]
pub use article::render_article;

use crate::icon::Glyph;
#[cfg(feature = "ssr")]
use crate::message::{
    Card, action::Action, approval::Approval, chart::Chart, code_edit::CodeEdit, code_review::CodeReview,
    declared::Declared, error::Error, file::File, progress::Progress, text::Text, todo::Todo, tool_call::ToolCall,
    unknown::Unknown, view_options::Step,
};
#[cfg(feature = "ssr")]
use leptos::prelude::*;
use model::{MessageType, Role};
#[cfg(feature = "ssr")]
use {api::messages::Entry, model::Body, serde_json::Value};

/// The entry of a message type in the registry.
#[derive(Debug, Clone, Copy)]
pub struct MessageRenderer {
    /// Display name.
    pub name: &'static str,
    /// Its icon in lists. None: the icon of who said it.
    pub glyph: Option<Glyph>,
    pub kind: Kind,
}

/// The part of a message in its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Text of a person or the agent.
    Words,
    /// A use of a tool, which is part of the work and reads as code.
    Tool,
    /// Another card that is part of the work.
    Card,
    /// A result or a failure: it stays in sight where the work is folded to a line.
    Result,
}

macro_rules! registry {
    ($card:ident: $( $Type:ident($payload:pat) => { $component:expr, $name:literal, $glyph:expr, $kind:expr } )*) => {
        /// The built-in types, the most frequent ones first.
        pub const TYPES: &[MessageType] = &[$( MessageType::$Type ),*];

        impl MessageRenderer {
            /// Returns the entry of a built-in type.
            pub const fn of(message_type: MessageType) -> Self {
                match message_type {
                    $( MessageType::$Type => Self { name: $name, glyph: $glyph, kind: $kind }, )*
                }
            }

            /// Draws a message.
            #[cfg(feature = "ssr")]
            pub fn view($card: Card) -> AnyView {
                match $card.entry.body().clone() {
                    $( Body::$Type($payload) => $component.into_any(), )*
                    Body::Unknown { message_type, payload } => {
                        let payload = Value::Object(payload);
                        match $card.entry.shown_by.clone() {
                            Some(shown_by) => view! { <Declared card=$card shown_by message_type payload /> }.into_any(),
                            None => view! { <Unknown card=$card message_type payload problem=None /> }.into_any(),
                        }
                    }
                    Body::Invalid { message_type, payload, problem } => {
                        let problem = Some(problem.to_string());
                        view! { <Unknown card=$card message_type payload problem /> }.into_any()
                    }
                }
            }
        }
    };
}

registry! { card:
    // Type => { component, name, icon, kind }
    Text(_) => { view! { <Text card /> }, "Text", None, Kind::Words }
    CodeEdit(edit) => { view! { <CodeEdit card edit /> }, "Code edit", Some(Glyph::EDIT), Kind::Tool }
    ToolCall(call) => { view! { <ToolCall card call /> }, "Tool call", Some(Glyph::TERM), Kind::Tool }
    Todo(todo) => { view! { <Todo card todo /> }, "Todo", Some(Glyph::LIST), Kind::Card }
    Approval(approval) => { view! { <Approval card approval /> }, "Approval", Some(Glyph::NEEDS), Kind::Card }
    Action(action) => { view! { <Action card action /> }, "Answer to a question", None, Kind::Words }
    File(file) => { view! { <File card file /> }, "File", Some(Glyph::FILE), Kind::Result }
    CodeReview(review) => { view! { <CodeReview card review /> }, "Code review", Some(Glyph::COMMENT), Kind::Result }
    Error(error) => { view! { <Error card error /> }, "Error", Some(Glyph::FAIL), Kind::Result }
    Progress(progress) => { view! { <Progress card progress /> }, "Progress", Some(Glyph::WORK), Kind::Result }
    Chart(chart) => { view! { <Chart card chart /> }, "Chart", Some(Glyph::CHART), Kind::Result }
}

impl MessageRenderer {
    /// Returns the entry of a tag. None for a type that isn't built in.
    pub fn by_tag(tag: &str) -> Option<Self> {
        MessageType::parse(tag).map(Self::of)
    }
}

/// Returns the name of a type. Of one that isn't built in it is the tag.
pub fn type_name(tag: &str) -> &str {
    MessageRenderer::by_tag(tag).map_or(tag, |entry| entry.name)
}

/// Returns the icon of a message in a list.
pub fn glyph(tag: &str, role: Role) -> Glyph {
    MessageRenderer::by_tag(tag).and_then(|entry| entry.glyph).unwrap_or(match role {
        Role::User => Glyph::USER,
        Role::Assistant => Glyph::COMMENT,
        Role::Model => Glyph::THINK,
        Role::Tool => Glyph::TERM,
        Role::System => Glyph::GEAR,
        Role::Host => Glyph::HOME,
    })
}

/// Returns a message of a sub-agent as a line of its call's card.
#[cfg(feature = "ssr")]
pub fn step(entry: Entry) -> Step {
    Step { glyph: glyph(&entry.message_type, entry.message.draft.role), entry }
}

/// Returns the kind of a type. Of one that isn't built in, its content is what counts.
pub fn kind(tag: &str) -> Kind {
    MessageRenderer::by_tag(tag).map_or(Kind::Words, |entry| entry.kind)
}
