//! JSON-RPC messages, one a line: what the Agent Client Protocol and the Codex app-server are made of.
//!
//! Lines are read leniently: unknown fields are ignored, ids of requests are kept as they are, and what is no message is an
//! error with its reason, never a failure of the session.

use crate::{Effects, Event};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use std::cmp::Ordering;
use std::collections::HashMap;

/// The request isn't known or not offered.
pub(crate) const METHOD_NOT_FOUND: i64 = -32601;
/// A parameter is missing or has the wrong form.
pub(crate) const INVALID_PARAMS: i64 = -32602;
/// The request is well formed, and refused or failed.
pub(crate) const REFUSED: i64 = -32000;
/// Error code of the Agent Client Protocol: resource not found.
pub(crate) const NOT_FOUND: i64 = -32002;

/// Most characters of a bad line that a note quotes.
const QUOTED: usize = 120;

/// One line of the other side.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Message {
    /// Wants an answer with this id, which is a number or a string.
    Request { id: Value, method: String, params: Value },
    /// Wants none.
    Notification { method: String, params: Value },
    /// Answers the request that we sent with this id.
    Answer { id: u64, result: Result<Value, RpcError> },
}

/// Why a request failed, in the other side's words.
#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct RpcError {
    #[serde(default)]
    pub code: i64,
    #[serde(default)]
    pub message: String,
    #[serde(default)]
    pub data: Value,
}

impl RpcError {
    /// Returns an error to answer with.
    pub fn new(code: i64, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), data: Value::Null }
    }
}

impl std::fmt::Display for RpcError {
    /// Writes the message with the details that some agents keep beside it.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if self.message.is_empty() { "no reason given" } else { &self.message })?;
        let details = self.data.get("details").or_else(|| self.data.get("message")).unwrap_or(&self.data);
        match details.as_str().filter(|details| !details.is_empty() && *details != self.message) {
            Some(details) => write!(f, ": {details}"),
            None => Ok(()),
        }
    }
}

/// Reads a line. The error says what is wrong with it.
pub(crate) fn parse(line: &[u8]) -> Result<Message, String> {
    let quoted = || String::from_utf8_lossy(line).chars().take(QUOTED).collect::<String>();
    let value: Value = serde_json::from_slice(line).map_err(|_| format!("not JSON: `{}`", quoted()))?;
    let Value::Object(mut fields) = value else { return Err(format!("not a JSON object: `{}`", quoted())) };
    let id = fields.remove("id").filter(|id| !id.is_null());
    if let Some(method) = fields.remove("method") {
        let Value::String(method) = method else { return Err(format!("`method`: expected a string: `{}`", quoted())) };
        let params = fields.remove("params").unwrap_or_default();
        return match id {
            Some(id @ (Value::Number(_) | Value::String(_))) => Ok(Message::Request { id, method, params }),
            Some(_) => Err(format!("`id`: expected a number or a string: `{}`", quoted())),
            None => Ok(Message::Notification { method, params }),
        };
    }
    let number = |id: &Value| id.as_u64().or_else(|| id.as_str()?.parse().ok());
    let Some(id) = id.as_ref().and_then(number) else {
        return Err(format!("neither a request nor an answer: `{}`", quoted()));
    };
    let result = match (fields.remove("error").filter(|error| !error.is_null()), fields.remove("result")) {
        (Some(error), _) => Err(serde_json::from_value(error).unwrap_or_else(|_| RpcError::new(0, ""))),
        (None, Some(result)) => Ok(result),
        (None, None) => return Err(format!("an answer without `result` or `error`: `{}`", quoted())),
    };
    Ok(Message::Answer { id, result })
}

/// Returns a notification.
pub(crate) fn notification(method: &str, params: Value) -> Value {
    json!({ "jsonrpc": "2.0", "method": method, "params": params })
}

/// Returns an answer.
pub(crate) fn answer(id: &Value, result: Result<Value, RpcError>) -> Value {
    let mut message = Map::from_iter([("jsonrpc".to_owned(), json!("2.0")), ("id".to_owned(), id.clone())]);
    match result {
        Ok(result) => message.insert("result".to_owned(), result),
        Err(error) => message.insert("error".to_owned(), json!({ "code": error.code, "message": error.message })),
    };
    Value::Object(message)
}

/// Lines that can't be read: the first ones are reported.
#[derive(Debug, Default)]
pub(crate) struct BadLines(usize);

impl BadLines {
    /// Most lines that are reported.
    const MOST: usize = 20;

    /// Reports one more line.
    pub fn report(&mut self, whose: &str, words: &str, effects: &mut Effects) {
        self.0 += 1;
        let end = match self.0.cmp(&Self::MOST) {
            Ordering::Less => "",
            Ordering::Equal => ". Further ones are left out",
            Ordering::Greater => return,
        };
        effects.emit(Event::Notice(format!("A line of {whose} can't be read: {words}{end}")));
    }
}

/// Our own requests that wait for an answer, each with what it was for.
#[derive(Debug)]
pub(crate) struct Pending<T> {
    last: u64,
    open: HashMap<u64, T>,
}

impl<T> Default for Pending<T> {
    fn default() -> Self {
        Self { last: 0, open: HashMap::new() }
    }
}

impl<T> Pending<T> {
    /// Returns a request, and waits for its answer.
    pub fn request(&mut self, method: &str, params: Value, purpose: T) -> Value {
        self.last += 1;
        self.open.insert(self.last, purpose);
        json!({ "jsonrpc": "2.0", "id": self.last, "method": method, "params": params })
    }

    /// Returns what the request was for. None if it was answered before, or never sent.
    pub fn take(&mut self, id: u64) -> Option<T> {
        self.open.remove(&id)
    }

    /// Gives up waiting. Returns what was asked, in its order.
    pub fn give_up(&mut self) -> Vec<T> {
        let mut open: Vec<(u64, T)> = self.open.drain().collect();
        open.sort_by_key(|(id, _)| *id);
        open.into_iter().map(|(_, purpose)| purpose).collect()
    }

    /// Returns the purposes that wait.
    pub fn waiting(&self) -> impl Iterator<Item = &T> {
        self.open.values()
    }
}

/// The key of a request's id, by which its answer is found: `1` and `"1"` differ.
pub(crate) fn key(id: &Value) -> String {
    id.to_string()
}

/// A string of an object, unless it is empty.
pub(crate) fn filled(of: &Value, key: &str) -> Option<String> {
    of.get(key)?.as_str().filter(|text| !text.is_empty()).map(str::to_owned)
}

/// The items of an array of an object.
pub(crate) fn items<'a>(of: &'a Value, key: &str) -> &'a [Value] {
    of.get(key).and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

/// Says why the agent can't be used, and ends it.
pub(crate) fn give_up(words: String, effects: &mut Effects) {
    effects.emit(Event::Notice(words));
    effects.close();
}

#[cfg(test)]
mod tests {
    use super::{Message, RpcError, answer, parse};
    use serde_json::{Value, json};

    #[test]
    fn lines_are_told_apart() {
        let request = Message::Request { id: json!("a"), method: "x".to_owned(), params: json!({ "n": 1 }) };
        assert_eq!(parse(br#"{"id":"a","method":"x","params":{"n":1},"more":0}"#), Ok(request));
        let note = Message::Notification { method: "x".to_owned(), params: Value::Null };
        assert_eq!(parse(br#"{"jsonrpc":"2.0","id":null,"method":"x"}"#), Ok(note));
        assert_eq!(parse(br#"{"id":7,"result":null}"#), Ok(Message::Answer { id: 7, result: Ok(Value::Null) }));
        let refused = RpcError { code: -1, message: "No".to_owned(), data: json!({ "details": "why" }) };
        assert_eq!(refused.to_string(), "No: why");
        assert_eq!(
            parse(br#"{"id":"7","error":{"code":-1,"message":"No","data":{"details":"why"}}}"#),
            Ok(Message::Answer { id: 7, result: Err(refused) })
        );
    }

    #[test]
    fn bad_lines_say_what_is_wrong() {
        let errors = [
            ("{\"id\":1,", "not JSON: `{\"id\":1,`"),
            ("[1]", "not a JSON object: `[1]`"),
            ("{\"id\":1}", "an answer without `result` or `error`: `{\"id\":1}`"),
            ("{\"result\":{}}", "neither a request nor an answer: `{\"result\":{}}`"),
            ("{\"id\":[],\"method\":\"x\"}", "`id`: expected a number or a string: `{\"id\":[],\"method\":\"x\"}`"),
            ("{\"method\":1}", "`method`: expected a string: `{\"method\":1}`"),
        ];
        for (line, error) in errors {
            assert_eq!(parse(line.as_bytes()), Err(error.to_owned()), "{line}");
        }
    }

    #[test]
    fn answers_keep_the_id_as_it_is() {
        let result = json!({ "jsonrpc": "2.0", "id": "1", "result": {} });
        assert_eq!(answer(&json!("1"), Ok(json!({}))), result);
        let error = json!({ "jsonrpc": "2.0", "id": 1, "error": { "code": -32601, "message": "no" } });
        assert_eq!(answer(&json!(1), Err(RpcError::new(-32601, "no"))), error);
    }
}
