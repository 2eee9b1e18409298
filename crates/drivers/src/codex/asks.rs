//! Codex's permission requests and questions, and their answers. Only an option that a person chose allows anything.

use super::{Codex, shown};
use crate::form;
use crate::rpc::{self, RpcError, filled, items};
use crate::{Answer, Ask, AskKind, Choice, Content, Effects, Event, Prompt, Refusal, When};
use serde_json::{Map, Value, json};

/// The request of a server of tools that wants values for a form, or an address to be opened.
const ELICITATION: &str = "mcpServer/elicitation/request";

/// A request that waits for an answer.
#[derive(Debug)]
pub(super) struct OpenAsk {
    /// As it came.
    id: Value,
    /// The item that it is about.
    item: Option<String>,
    kind: Kind,
    /// The options, each with the value for Codex.
    options: Vec<(Choice, Value)>,
}

#[derive(Debug)]
enum Kind {
    /// Wants a decision.
    Decision,
    /// Wants answers to questions: the id of each, by its text.
    Questions(Vec<(String, String)>),
    /// Wants values for a form.
    Form,
}

impl Codex {
    pub(super) fn asked(&mut self, id: Value, method: &str, params: &Value, effects: &mut Effects) {
        let text = |key: &str| filled(params, key);
        let item = text("itemId");
        let proposed = item.as_ref().and_then(|item| self.proposed.get(item));
        let Some(Wanted { tool_name, kind, input, content, options }) = wanted(method, params, proposed) else {
            // What we don't know, its terminal may: an error would be taken for an answer.
            if self.joined.is_none() {
                refuse(&id, method, params, effects);
            }
            return;
        };
        let request = rpc::key(&id);
        if self.asks.contains_key(&request) {
            let words = format!("Codex sent request {request} again, which is still open. The first one counts");
            return effects.emit(Event::Notice(words));
        }
        let sub_agent = text("threadId").filter(|thread| self.thread.as_ref() != Some(thread));
        effects.emit(Event::Asked(Ask {
            request: request.clone(),
            kind: match kind {
                Kind::Decision => AskKind::Permission,
                Kind::Questions(_) => AskKind::Question,
                Kind::Form => AskKind::Form,
            },
            call_id: item.clone(),
            tool_name: tool_name.to_owned(),
            input,
            content,
            paths: Vec::new(),
            title: text("message").filter(|_| matches!(kind, Kind::Form)),
            reason: text("reason")
                .or_else(|| text("serverName").map(|server| format!("Asked by the MCP server `{server}`"))),
            options: options.iter().map(|(choice, _)| choice.clone()).collect(),
            suggestions: Vec::new(),
            sub_agent,
        }));
        self.asks.insert(request, OpenAsk { id, item, kind, options });
        self.report_state(effects);
    }

    pub(super) fn answer(&mut self, request: &str, answer: Answer, effects: &mut Effects) -> Result<(), Refusal> {
        let open = self.asks.get(request).ok_or(Refusal::NoRequest)?;
        let unknown = || Refusal::NotNow("Codex gave no such option: choose one of its own");
        let mut words = None;
        let allows = matches!(answer, Answer::Allow { .. });
        if answer == Answer::Cancel && self.joined.is_some() {
            // It waits in its terminal.
            self.asks.remove(request);
            self.report_state(effects);
            return Ok(());
        }
        let result = match (&open.kind, answer) {
            (_, Answer::Allow { input: Some(_), .. }) => return Err(Refusal::Unsupported("take another input")),
            (Kind::Decision, Answer::Allow { option, rules, .. }) => {
                let wanted = if rules.is_empty() { "allow_once" } else { "allow_always" };
                open.choose(option, "allow", wanted).ok_or_else(unknown)?
            }
            (Kind::Decision, Answer::Deny { option, message }) => {
                words = message;
                open.choose(option, "reject", "reject_once").ok_or_else(unknown)?
            }
            (Kind::Decision, Answer::Cancel) => open.choose(None, "reject", "reject_once").ok_or_else(unknown)?,
            (Kind::Questions(ids), Answer::Answers(answers)) => json!({ "answers": by_id(ids, &answers) }),
            (Kind::Questions(_), Answer::Deny { .. } | Answer::Cancel) => json!({ "answers": {} }),
            (Kind::Form, answer) => {
                let result = form::answer(&answer).ok_or(Refusal::Unsupported("take this answer to a form"))?;
                words = if let Answer::Deny { message, .. } = answer { message } else { None };
                result
            }
            _ => return Err(Refusal::Unsupported("take this answer to this request")),
        };
        effects.send(&rpc::answer(&open.id, Ok(result)));
        if let (Kind::Decision, Some(item)) = (&open.kind, &open.item) {
            let item = item.clone();
            self.note_answer(item, allows);
        }
        self.asks.remove(request);
        // There is no place for words beside a denial: they are said in the turn.
        if let Some(text) = words.filter(|text| !text.is_empty()) {
            let id = format!("{request}~message");
            self.steer(Prompt { id, text, when: When::Steer, ..Prompt::default() }, effects);
        }
        self.report_state(effects);
        Ok(())
    }

    /// A request was answered, by us or by somebody else.
    pub(super) fn resolved(&mut self, params: &Value, effects: &mut Effects) {
        let request = params.get("requestId").map(rpc::key).unwrap_or_default();
        if self.asks.remove(&request).is_some() {
            effects.emit(Event::Withdrawn { request });
            self.report_state(effects);
        }
    }

    /// The turn is over: Codex waits for no answer any more.
    pub(super) fn withdraw_asks(&mut self, effects: &mut Effects) {
        for (request, _) in std::mem::take(&mut self.asks) {
            effects.emit(Event::Withdrawn { request });
        }
    }
}

/// The content of a request.
struct Wanted {
    tool_name: &'static str,
    kind: Kind,
    input: Map<String, Value>,
    content: Vec<Content>,
    options: Vec<(Choice, Value)>,
}

/// Returns what a request asks for. None for one that can't be answered by a person here. `item` is what Codex began.
fn wanted(method: &str, params: &Value, item: Option<&Value>) -> Option<Wanted> {
    let mut content = Vec::new();
    let (tool_name, kind, input, options) = match method {
        "item/commandExecution/requestApproval" => {
            ("exec_command", Kind::Decision, shown::command(params, item), of_command(params))
        }
        "item/fileChange/requestApproval" => {
            content = shown::changes(params, item);
            ("apply_patch", Kind::Decision, Map::new(), usual().iter().filter_map(decision).collect())
        }
        "item/permissions/requestApproval" => {
            ("request_permissions", Kind::Decision, shown::fields(params), of_permissions(params))
        }
        "item/tool/requestUserInput" => {
            let (questions, ids) = questions(params);
            let input = Map::from_iter([("questions".to_owned(), questions)]);
            ("request_user_input", Kind::Questions(ids), input, Vec::new())
        }
        ELICITATION if filled(params, "mode").as_deref() == Some("form") => {
            ("form", Kind::Form, form::input(params.get("requestedSchema")), Vec::new())
        }
        _ => return None,
    };
    Some(Wanted { tool_name, kind, input, content, options })
}

/// Answers a request that can't be put to a person.
fn refuse(id: &Value, method: &str, params: &Value, effects: &mut Effects) {
    if method == ELICITATION {
        let server = filled(params, "serverName").unwrap_or_else(|| "a server".to_owned());
        effects
            .emit(Event::Notice(format!("{server} asked to open an address, which isn't supported; it was told so")));
        return effects.send(&rpc::answer(id, Ok(form::cancelled())));
    }
    let words = format!("`{method}` is not offered by this client");
    effects.send(&rpc::answer(id, Err(RpcError::new(rpc::METHOD_NOT_FOUND, words))));
}

impl OpenAsk {
    /// Returns the value for Codex of the option with this id, unless its kind contradicts; without an id, of the first
    /// option of the wanted kind.
    fn choose(&self, option: Option<String>, verb: &str, wanted: &str) -> Option<Value> {
        let fits = |(choice, _): &&(Choice, Value)| match (&option, choice.kind.as_deref()) {
            (Some(option), kind) => choice.id == *option && kind.is_some_and(|kind| kind.starts_with(verb)),
            (None, kind) => kind == Some(wanted),
        };
        self.options.iter().find(fits).map(|(_, result)| result.clone())
    }
}

/// The decisions where Codex names none.
fn usual() -> [Value; 4] {
    ["accept", "acceptForSession", "decline", "cancel"].map(Value::from)
}

/// The decisions that Codex offers for a command. Declining is always possible.
fn of_command(params: &Value) -> Vec<(Choice, Value)> {
    let (offered, usual) = (items(params, "availableDecisions"), usual());
    let offered = if offered.is_empty() { usual.as_slice() } else { offered };
    let mut options: Vec<_> = offered.iter().filter_map(decision).collect();
    // To cancel ends the turn as well: it comes after, and is taken only by its id.
    let cancel = options.iter().position(|(choice, _)| choice.id == "cancel").unwrap_or(options.len());
    if options.iter().all(|(choice, _)| choice.id != "decline") {
        options.splice(cancel..cancel, decision(&json!("decline")));
    }
    options
}

/// A decision for people. One that isn't known can't be chosen.
fn decision(word: &Value) -> Option<(Choice, Value)> {
    let words = |of: &Value| {
        let words = of.as_array().map(Vec::as_slice).unwrap_or_default();
        words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" ")
    };
    let (id, label, kind) = match word {
        Value::String(word) => match word.as_str() {
            "accept" => (word.clone(), "Allow".to_owned(), "allow_once"),
            "acceptForSession" => (word.clone(), "Allow for this session".to_owned(), "allow_always"),
            "decline" => (word.clone(), "Deny".to_owned(), "reject_once"),
            "cancel" => (word.clone(), "Deny and stop".to_owned(), "reject_once"),
            _ => return None,
        },
        Value::Object(fields) => match fields.iter().next()? {
            (id, of) if id == "acceptWithExecpolicyAmendment" => {
                let command = words(of.get("execpolicy_amendment")?);
                (id.clone(), format!("Always allow commands that begin with `{command}`"), "allow_always")
            }
            (id, of) if id == "applyNetworkPolicyAmendment" => {
                let amendment = of.get("network_policy_amendment")?;
                let host = amendment.get("host")?.as_str()?;
                let allows = amendment.get("action")?.as_str()? == "allow";
                let (verb, kind) = if allows { ("allow", "allow_always") } else { ("deny", "reject_always") };
                (format!("{id}:{verb}:{host}"), format!("Always {verb} the network of `{host}`"), kind)
            }
            _ => return None,
        },
        _ => return None,
    };
    let choice = Choice { id, label, description: None, kind: Some(kind.to_owned()) };
    Some((choice, json!({ "decision": word })))
}

/// Permissions are granted as they were asked for, for the turn or for the session, or not at all.
fn of_permissions(params: &Value) -> Vec<(Choice, Value)> {
    let wanted = params.get("permissions").and_then(Value::as_object).cloned().unwrap_or_default();
    let wanted: Map<String, Value> = wanted.into_iter().filter(|(_, value)| !value.is_null()).collect();
    let option = |id: &str, label: &str, kind: &str, permissions: Value, scope: &str| {
        let choice =
            Choice { id: id.to_owned(), label: label.to_owned(), description: None, kind: Some(kind.to_owned()) };
        (choice, json!({ "permissions": permissions, "scope": scope }))
    };
    vec![
        option("turn", "Allow for this turn", "allow_once", json!(wanted), "turn"),
        option("session", "Allow for this session", "allow_always", json!(wanted), "session"),
        option("none", "Deny", "reject_once", json!({}), "turn"),
    ]
}

/// The questions as Claude Code writes them, and the id of each by its text.
fn questions(params: &Value) -> (Value, Vec<(String, String)>) {
    let (mut questions, mut ids) = (Vec::new(), Vec::new());
    for question in items(params, "questions") {
        let text = |key: &str| question.get(key).and_then(Value::as_str).unwrap_or_default();
        let options =
            question.get("options").filter(|options| options.is_array()).cloned().unwrap_or_else(|| json!([]));
        questions.push(json!({
            "question": text("question"), "header": text("header"), "options": options, "multiSelect": false,
        }));
        ids.push((text("question").to_owned(), text("id").to_owned()));
    }
    (Value::Array(questions), ids)
}

/// Answers by the ids of their questions.
fn by_id(ids: &[(String, String)], answers: &Map<String, Value>) -> Map<String, Value> {
    let texts = |answer: &Value| match answer {
        Value::Array(several) => several.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Value::String(one) => vec![one.clone()],
        other => vec![other.to_string()],
    };
    let answer = |(text, id): &(String, String)| Some((id.clone(), json!({ "answers": texts(answers.get(text)?) })));
    ids.iter().filter_map(answer).collect()
}
