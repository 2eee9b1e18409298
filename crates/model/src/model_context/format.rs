//! Writes a context in the format of an API, or as text.
//!
//! If the agent uses that API itself, its blocks are unchanged. Otherwise they are converted; blocks that the API
//! doesn't have become text.

use super::{ContextBlock, ContextDialect as Dialect, ContextRole as Role, ModelContext};
use crate::words;
use serde_json::{Map, Value, json};

words! {
    /// Format of a written context.
    ContextFormat {
        /// The body of a request to Anthropic's Messages API.
        Anthropic = "anthropic",
        /// The body of a request to `OpenAI`: the Responses API if the agent uses it, otherwise Chat Completions.
        Openai = "openai",
        /// The body of a request to the Gemini API.
        Gemini = "gemini",
        /// Text for people.
        Text = "text",
    }
}

/// Content of a block, independent of the API.
enum Said {
    Text(String),
    Thinking(String),
    Call { id: String, name: String, input: Value },
    Result { id: String, name: String, output: String, is_error: bool },
    Image { media_type: String, data: String },
}

/// Returns the body of a request as JSON; None for [`ContextFormat::Text`]. Settings and marks for the cache are included in the
/// format of the agent's own API, where they are recorded.
pub fn body(context: &ModelContext, format: ContextFormat) -> Option<Value> {
    match format {
        ContextFormat::Anthropic => Some(anthropic(context)),
        ContextFormat::Openai if context.dialect == Dialect::Responses => Some(responses(context)),
        ContextFormat::Openai => Some(chat(context)),
        ContextFormat::Gemini => Some(gemini(context)),
        ContextFormat::Text => None,
    }
}

/// Returns the context as text: each message with its role, each block after a line that names its kind.
pub fn text(context: &ModelContext) -> String {
    let mut out = String::new();
    if !context.settings.is_empty() {
        out.push_str(&format!("--- settings\n{}\n\n", Value::from(context.settings.clone())));
    }
    let mut section = |title: &str, blocks: &[ContextBlock]| {
        for block in blocks {
            let name = block.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
            let seq = block.seq.map(|seq| format!(", message {seq}")).unwrap_or_default();
            let inexact = if block.inexact { ", wording not recorded" } else { "" };
            out.push_str(&format!(
                "--- {title}: {}{name}, about {} tokens{seq}{inexact}\n",
                block.kind.label(),
                block.tokens
            ));
            out.push_str(said(context.dialect, block).words().trim_end());
            out.push_str("\n\n");
        }
    };
    section("system prompt", &context.system);
    section("tool", &context.tools);
    for message in &context.messages {
        section(message.role.as_str(), &message.blocks);
    }
    out
}

fn fields(context: &ModelContext) -> Map<String, Value> {
    context.reply.model.iter().map(|model| ("model".to_owned(), json!(model))).collect()
}

fn contents(blocks: &[ContextBlock]) -> Vec<Value> {
    let content = |block: &ContextBlock| {
        let mut content = block.content.clone().unwrap_or_else(|| json!({"type": "text", "text": left_out(block)}));
        if let Some((mark, fields)) = block.cache_control.as_ref().zip(content.as_object_mut()) {
            fields.insert("cache_control".to_owned(), mark.clone());
        }
        content
    };
    blocks.iter().map(content).collect()
}

fn left_out(block: &ContextBlock) -> String {
    format!("({} of {} bytes, left out)", block.kind.label(), block.bytes)
}

/// Returns the system prompt as one text; None if there is none.
fn system_words(context: &ModelContext) -> Option<String> {
    let all: Vec<String> = context.system.iter().map(|block| said(context.dialect, block).words()).collect();
    (!all.is_empty()).then(|| all.join("\n\n"))
}

fn anthropic(context: &ModelContext) -> Value {
    let is_native = matches!(context.dialect, Dialect::Anthropic | Dialect::Neutral);
    let write = |blocks: &[ContextBlock]| {
        if is_native {
            return contents(blocks);
        }
        let all = blocks.iter().map(|block| said(context.dialect, block));
        all.map(|said| match said {
            Said::Text(text) => json!({"type": "text", "text": text}),
            Said::Thinking(text) => json!({"type": "thinking", "thinking": text}),
            Said::Call { id, name, input } => json!({"type": "tool_use", "id": id, "name": name, "input": input}),
            Said::Result { id, output, is_error, .. } => {
                json!({"type": "tool_result", "tool_use_id": id, "content": output, "is_error": is_error})
            }
            Said::Image { media_type, data } => {
                json!({"type": "image", "source": {"type": "base64", "media_type": media_type, "data": data}})
            }
        })
        .collect()
    };
    let mut body = fields(context);
    if is_native {
        body.extend(context.settings.clone());
    }
    if !context.system.is_empty() {
        body.insert("system".to_owned(), json!(write(&context.system)));
    }
    if !context.tools.is_empty() {
        body.insert("tools".to_owned(), json!(contents(&context.tools)));
    }
    let message = |message: &super::ContextMessage| {
        let mut fields = message.fields.clone();
        fields
            .extend([("role".to_owned(), json!(message.role)), ("content".to_owned(), json!(write(&message.blocks)))]);
        Value::Object(fields)
    };
    body.insert("messages".to_owned(), context.messages.iter().map(message).collect());
    Value::Object(body)
}

fn responses(context: &ModelContext) -> Value {
    let mut body = fields(context);
    if let Some(words) = system_words(context) {
        body.insert("instructions".to_owned(), json!(words));
    }
    if !context.tools.is_empty() {
        body.insert("tools".to_owned(), json!(contents(&context.tools)));
    }
    let items = context.messages.iter().flat_map(|message| contents(&message.blocks));
    body.insert("input".to_owned(), items.collect());
    Value::Object(body)
}

fn chat(context: &ModelContext) -> Value {
    let mut messages: Vec<Value> = Vec::new();
    if let Some(words) = system_words(context) {
        messages.push(json!({"role": "system", "content": words}));
    }
    for message in &context.messages {
        let (mut parts, mut calls) = (Vec::new(), Vec::new());
        for said in message.blocks.iter().map(|block| said(context.dialect, block)) {
            match said {
                Said::Call { id, name, input } => {
                    let function = json!({"name": name, "arguments": input.to_string()});
                    calls.push(json!({"id": id, "type": "function", "function": function}));
                }
                Said::Result { id, output, .. } => {
                    messages.push(json!({"role": "tool", "tool_call_id": id, "content": output}));
                }
                Said::Image { media_type, data } => {
                    parts.push(
                        json!({"type": "image_url", "image_url": {"url": format!("data:{media_type};base64,{data}")}}),
                    );
                }
                // Reasoning isn't sent to that API.
                Said::Thinking(_) => {}
                Said::Text(text) => parts.push(json!({"type": "text", "text": text})),
            }
        }
        if parts.is_empty() && calls.is_empty() {
            continue;
        }
        let mut said =
            json!({"role": message.role, "content": if parts.is_empty() { Value::Null } else { json!(parts) }});
        if let (Some(said), false) = (said.as_object_mut(), calls.is_empty()) {
            said.insert("tool_calls".to_owned(), json!(calls));
        }
        messages.push(said);
    }
    let mut body = fields(context);
    body.insert("messages".to_owned(), json!(messages));
    Value::Object(body)
}

fn gemini(context: &ModelContext) -> Value {
    let write = |blocks: &[ContextBlock]| -> Vec<Value> {
        if context.dialect == Dialect::Gemini {
            return contents(blocks);
        }
        let all = blocks.iter().map(|block| said(context.dialect, block));
        all.map(|said| match said {
            Said::Text(text) => json!({"text": text}),
            Said::Thinking(text) => json!({"text": text, "thought": true}),
            Said::Call { id, name, input } => json!({"functionCall": {"id": id, "name": name, "args": input}}),
            Said::Result { id, name, output, .. } => {
                json!({"functionResponse": {"id": id, "name": name, "response": {"output": output}}})
            }
            Said::Image { media_type, data } => json!({"inlineData": {"mimeType": media_type, "data": data}}),
        })
        .collect()
    };
    let mut body = Map::new();
    if !context.system.is_empty() {
        body.insert("systemInstruction".to_owned(), json!({"parts": write(&context.system)}));
    }
    let content = |message: &super::ContextMessage| {
        // The API has no other roles.
        let role = if message.role == Role::Assistant { "model" } else { "user" };
        json!({"role": role, "parts": write(&message.blocks)})
    };
    body.insert("contents".to_owned(), context.messages.iter().map(content).collect());
    Value::Object(body)
}

impl Said {
    fn words(&self) -> String {
        match self {
            Self::Text(text) | Self::Thinking(text) => text.clone(),
            Self::Call { input, .. } => input.as_str().map_or_else(|| input.to_string(), str::to_owned),
            Self::Result { output, .. } => output.clone(),
            Self::Image { media_type, .. } => format!("({media_type})"),
        }
    }
}

/// Returns the content of a block.
fn said(dialect: Dialect, block: &ContextBlock) -> Said {
    let Some(content) = &block.content else { return Said::Text(left_out(block)) };
    let text = |name: &str| content.get(name).map(words).unwrap_or_default();
    let id = block.call_id.clone().unwrap_or_default();
    let name = block.name.clone().unwrap_or_default();
    let result = |output: String, is_error| Said::Result { id: id.clone(), name: name.clone(), output, is_error };
    let call = |input: Value| Said::Call { id: id.clone(), name: name.clone(), input };
    let kind = content.get("type").and_then(Value::as_str).unwrap_or_default();
    match (dialect, kind) {
        (Dialect::Gemini, _) => match content.as_object().and_then(|fields| fields.iter().next()) {
            Some((key, value)) if key == "functionCall" => call(value.get("args").cloned().unwrap_or_default()),
            Some((key, value)) if key == "functionResponse" => {
                let response = value.get("response").cloned().unwrap_or_default();
                let words = response.get("output").or_else(|| response.get("error")).map(words);
                result(words.unwrap_or_else(|| response.to_string()), response.get("error").is_some())
            }
            Some((key, value)) if key == "inlineData" => Said::Image {
                media_type: value.get("mimeType").map(words).unwrap_or_default(),
                data: value.get("data").map(words).unwrap_or_default(),
            },
            _ => Said::Text(text("text")),
        },
        (Dialect::Responses, "message") => Said::Text(text("content")),
        (Dialect::Responses, "reasoning") => Said::Thinking(text("summary")),
        (Dialect::Responses, kind) if kind.ends_with("_output") => result(text("output"), false),
        (Dialect::Responses, kind) if kind.ends_with("_call") && block.call_id.is_some() => {
            let arguments = content.get("arguments").or_else(|| content.get("input")).cloned().unwrap_or_default();
            let parsed = arguments.as_str().and_then(|text| serde_json::from_str(text).ok());
            call(parsed.unwrap_or(arguments))
        }
        (_, "text") => Said::Text(text("text")),
        (_, "thinking") => Said::Thinking(text("thinking")),
        (_, "tool_use") => call(content.get("input").cloned().unwrap_or_default()),
        (_, "tool_result") => {
            let is_error = content.get("is_error").and_then(Value::as_bool).unwrap_or_default();
            result(text("content"), is_error)
        }
        (_, "image") if content.pointer("/source/data").is_some() => Said::Image {
            media_type: content.pointer("/source/media_type").map(words).unwrap_or_default(),
            data: content.pointer("/source/data").map(words).unwrap_or_default(),
        },
        _ => Said::Text(content.to_string()),
    }
}

/// Returns the text of a value: a string, or the texts in an array of blocks.
fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(items) => items.iter().map(words).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n"),
        Value::Object(fields) => match (fields.get("text"), fields.get("type")) {
            (Some(text), _) => words(text),
            (None, Some(kind)) => format!("({})", words(kind)),
            (None, None) => value.to_string(),
        },
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
