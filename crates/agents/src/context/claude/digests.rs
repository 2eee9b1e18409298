//! Requests that the file holds itself: their messages by digests, and a digest of the whole.
//!
//! `api-request-shape` has the system prompt and the tools, `api-request-blob` a message that no other line holds, `api-request` the
//! settings of a request, how many messages it keeps of an earlier one, and the digests of those behind them.

use super::Claude;
use super::content::blocks;
use super::line::{Kind, Line};
use crate::context::block;
use crate::context::request::Request;
use crate::parts::at::sha256;
use crate::parts::obj::{Obj, list, string, value};
use model::RecordRef;
use model::model_context::{
    ContextBlock, ContextDialect, ContextMessage, ContextPart as Part, ContextRole as Role, UnrecordedPart,
};
use serde_json::{Map, Value, json};
use std::collections::HashMap;
use std::sync::OnceLock;

#[derive(Default)]
pub(super) struct Digests {
    shapes: HashMap<String, (Value, RecordRef)>,
    blobs: HashMap<String, (Value, RecordRef)>,
    requests: HashMap<String, ApiRequest>,
    /// Created when the first request is rebuilt, after the last line.
    made: OnceLock<Made>,
}

struct ApiRequest {
    shape: String,
    params: Value,
    base: Option<String>,
    keep: usize,
    tail: Vec<String>,
    marks: Vec<Value>,
    digest: Option<String>,
}

/// A message with what it was made of.
#[derive(Clone)]
struct Sent {
    message: Value,
    blocks: Vec<ContextBlock>,
}

/// Requests that keep the messages of another one, at most.
const DEPTH: usize = 10_000;

impl Digests {
    /// Takes a line that describes a request. False for other lines.
    pub fn take(&mut self, record: &Obj, at: &RecordRef) -> bool {
        match record.str("type").as_deref() {
            Some("api-request-shape") => {
                if let (Some(hash), Some(shape)) = (record.filled("shapeHash"), record.value("shape")) {
                    self.shapes.insert(hash, (shape, at.clone()));
                }
            }
            Some("api-request-blob") => {
                if let (Some(hash), Some(message)) = (record.filled("hash"), record.value("message")) {
                    self.blobs.insert(hash, (message, at.clone()));
                }
            }
            Some("api-request") => {
                let Some(id) = record.filled("id") else { return true };
                let strings = |name: &str| -> Vec<String> {
                    let all = record.list(name).unwrap_or_default();
                    all.into_iter().filter_map(string).map(Into::into).collect()
                };
                let request = ApiRequest {
                    shape: record.filled("shapeHash").unwrap_or_default(),
                    params: record.value("params").unwrap_or_else(|| Map::new().into()),
                    base: record.filled("base"),
                    keep: record.int("keep").and_then(|keep| usize::try_from(keep).ok()).unwrap_or_default(),
                    tail: strings("tail"),
                    marks: record
                        .raw("cacheControl")
                        .and_then(list)
                        .unwrap_or_default()
                        .into_iter()
                        .map(value)
                        .collect(),
                    digest: record.filled("requestDigest"),
                };
                self.requests.insert(id, request);
            }
            _ => return false,
        }
        true
    }

    /// The request that a reply answers, if the file holds it.
    pub fn request(&self, log: &Claude, reply: &Line) -> Option<Request> {
        let api = self.requests.get(reply.request.as_ref()?)?;
        let index = log.by_id.get(reply.id.as_ref()?).copied();
        let made = self.made.get_or_init(|| Made::of(log));
        let mut request = Request::new(ContextDialect::Anthropic, log.reply(index));
        let Some(sent) = self.messages(api, made) else {
            let mut request = log.branch(index.and_then(|index| log.parent(index)), index);
            request.doubt("The file holds the request, but not all of its messages");
            return Some(request);
        };
        let shape = self.shapes.get(&api.shape);
        if let Some((shape, at)) = shape {
            let system = parts(shape, "system").into_iter();
            request.system.extend(system.map(|part| block::anthropic(part, Part::System, Some(at))));
            request.tools.extend(parts(shape, "tools").into_iter().map(|part| block::tool(part, Some(at))));
        } else {
            request.unrecorded.extend([UnrecordedPart::SystemPrompt, UnrecordedPart::ToolDefinitions]);
        }
        match api.params.as_object() {
            Some(settings) if !settings.is_empty() => request.settings.clone_from(settings),
            _ => request.unrecorded.push(UnrecordedPart::Settings),
        }
        let agrees = api.digest.as_ref().is_some_and(|digest| {
            body(api, shape.map(|(shape, _)| shape), &sent)
                .is_some_and(|body| sha256(canonical(&body).as_bytes()) == *digest)
        });
        for Sent { message, blocks } in sent {
            let role = match message.get("role").and_then(Value::as_str) {
                Some("assistant") => Role::Assistant,
                Some("system") => Role::System,
                _ => Role::User,
            };
            let mut fields = message.as_object().cloned().unwrap_or_default();
            fields.retain(|name, _| name != "role" && name != "content");
            request.messages.push(ContextMessage { role, blocks, fields });
        }
        api.marks.iter().for_each(|mark| _ = set_mark(&mut request, mark));
        request.is_verified = true;
        if !agrees {
            request.doubt("The file holds the request, but its digest doesn't agree with what was rebuilt");
        }
        Some(request)
    }

    /// The messages of a request; None if one of them isn't there.
    fn messages(&self, request: &ApiRequest, made: &Made) -> Option<Vec<Sent>> {
        let mut chain = vec![request];
        while let Some(base) = chain.last().and_then(|last| last.base.as_ref()) {
            chain.push(self.requests.get(base)?);
            if chain.len() > DEPTH {
                return None;
            }
        }
        let mut messages: Vec<Sent> = Vec::new();
        for request in chain.into_iter().rev() {
            if request.keep > messages.len() {
                return None;
            }
            messages.truncate(request.keep);
            for hash in &request.tail {
                messages.push(self.message(hash, made)?);
            }
        }
        Some(messages)
    }

    fn message(&self, hash: &str, made: &Made) -> Option<Sent> {
        let Some((message, at)) = self.blobs.get(hash) else { return made.by_digest.get(hash).cloned() };
        let raw = message.get("content").map(Value::to_string);
        let is_system = message.get("role").and_then(Value::as_str) == Some("system");
        let part = if is_system { Part::Injected } else { Part::History };
        let mut found = blocks(raw.as_deref(), part, at);
        // A block that a line of the conversation has too gets that line's records and part.
        for block in &mut found {
            if let Some((records, part)) = block.content.as_ref().and_then(|content| made.blocks.get(&digest(content)))
            {
                block.records.splice(0..0, records.iter().cloned());
                block.part = *part;
            }
        }
        let mut message = message.clone();
        spell(&mut message);
        Some(Sent { message, blocks: found })
    }
}

/// The messages and blocks of the conversation's lines, by digest.
struct Made {
    /// Messages: all blocks of an API message, lines of a person that follow each other, and each of these alone.
    by_digest: HashMap<String, Sent>,
    /// Where each block comes from, by its own digest.
    blocks: HashMap<String, (Vec<RecordRef>, Part)>,
}

impl Made {
    fn of(log: &Claude) -> Self {
        let mut made = Self { by_digest: HashMap::new(), blocks: HashMap::new() };
        let mut replies: HashMap<&str, Vec<ContextBlock>> = HashMap::new();
        let mut run: Vec<ContextBlock> = Vec::new();
        for line in &log.lines {
            for block in &line.blocks {
                let digest = block.content.as_ref().map(digest).unwrap_or_default();
                made.blocks.entry(digest).or_insert_with(|| (block.records.clone(), block.part));
            }
            match line.kind {
                Kind::Assistant => {
                    run.clear();
                    let said = replies.entry(line.message_id.as_deref().unwrap_or_default()).or_default();
                    said.extend(line.blocks.iter().cloned());
                    made.learn("assistant", said);
                }
                Kind::User => {
                    run.extend(line.blocks.iter().cloned());
                    made.learn("user", &line.blocks);
                    // Alone, it is the same message.
                    if run.len() > line.blocks.len() {
                        made.learn("user", &run);
                    }
                }
                _ => {}
            }
        }
        made
    }

    fn learn(&mut self, role: &str, blocks: &[ContextBlock]) {
        let content: Vec<Value> = blocks.iter().filter_map(|block| block.content.clone()).collect();
        let message = json!({"role": role, "content": content});
        self.by_digest.entry(digest(&message)).or_insert_with(|| Sent { message, blocks: blocks.to_vec() });
    }
}

/// The parts of a field of a shape: a list, or a lone text.
fn parts(shape: &Value, name: &str) -> Vec<Value> {
    match shape.get(name) {
        Some(Value::Array(parts)) => parts.clone(),
        Some(Value::String(text)) => vec![json!({"type": "text", "text": text})],
        _ => Vec::new(),
    }
}

/// The whole body of a request, as its digest covers it.
fn body(request: &ApiRequest, shape: Option<&Value>, sent: &[Sent]) -> Option<Value> {
    let mut body: Map<String, Value> = request.params.as_object()?.clone();
    body.extend(shape?.as_object()?.clone());
    body.insert("messages".to_owned(), sent.iter().map(|sent| sent.message.clone()).collect());
    let mut body = Value::Object(body);
    for mark in &request.marks {
        let mut place = &mut body;
        for step in mark.get("path")?.as_array()? {
            place = match step {
                Value::String(key) => place.get_mut(key.as_str())?,
                step => place.get_mut(usize::try_from(step.as_u64()?).ok()?)?,
            };
        }
        place.as_object_mut()?.insert("cache_control".to_owned(), mark.get("value")?.clone());
    }
    Some(body)
}

/// Marks the block to whose end the request is to be cached.
fn set_mark(request: &mut Request, mark: &Value) -> Option<()> {
    let path = mark.get("path")?.as_array()?;
    let index = |at: usize| usize::try_from(path.get(at)?.as_u64()?).ok();
    let block = match path.first()?.as_str()? {
        "system" => request.system.get_mut(index(1)?)?,
        "tools" => request.tools.get_mut(index(1)?)?,
        "messages" => request.messages.get_mut(index(1)?)?.blocks.get_mut(index(3)?)?,
        _ => return None,
    };
    block.cache_control = mark.get("value").cloned();
    Some(())
}

/// A lone string as one block of text.
fn spell(message: &mut Value) {
    if let Some(content) = message.get_mut("content")
        && let Value::String(text) = content
    {
        *content = json!([{"type": "text", "text": text.clone()}]);
    }
}

fn digest(message: &Value) -> String {
    sha256(canonical(message).as_bytes())
}

/// Compact JSON with sorted keys.
fn canonical(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Value, out: &mut String) {
    match value {
        Value::Object(fields) => {
            let mut fields: Vec<(&String, &Value)> = fields.iter().collect();
            fields.sort_unstable_by_key(|(key, _)| *key);
            out.push('{');
            for (index, (key, value)) in fields.into_iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                out.push_str(&Value::from(key.as_str()).to_string());
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        Value::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write(item, out);
            }
            out.push(']');
        }
        other => out.push_str(&other.to_string()),
    }
}
