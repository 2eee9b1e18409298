//! The messages of the model: those of mini-SWE-agent, and of SWE-agent's history.

use super::{Action, Trajectory};
use crate::Span;
use crate::parts::at::{At, derived_id, extras, message_id};
use crate::parts::blocks::joined_text;
use crate::parts::files::files_in;
use crate::parts::obj::{Obj, string};
use crate::parts::result::Result;
use model::{Context, Micros, Role, Spent, Usage};

impl Trajectory {
    /// An entry of a list of messages.
    pub(super) fn message(&mut self, list: &str, index: usize, entry: &Obj, span: Span) {
        let extra = entry.obj("extra");
        let seconds = extra.as_ref().and_then(|extra| extra.float("timestamp")).or_else(|| entry.float("timestamp"));
        let time = seconds.filter(|seconds| *seconds > 0.0).map(|seconds| Micros((seconds * 1e6) as i64));
        let at = self.at(self.id(list, index), time, span);
        self.chat(&at, entry);
    }

    pub(super) fn chat(&mut self, at: &At, entry: &Obj) {
        let text = text_of(entry);
        let role = entry.filled("role").or_else(|| entry.filled("type")).unwrap_or_default();
        let is_prompt = self.book.sessions[at.session].runs.id().is_none();
        let interrupts = entry.obj("extra").and_then(|extra| extra.filled("interrupt_type")).unwrap_or_default();
        match role.as_str() {
            "user" if interrupts.starts_with("User") => self.interruption(at, &text),
            // The program tells the model what is wrong with its answer.
            "user" if interrupts == "FormatError" => {
                self.wrong_answer(at, entry);
                self.notice(at, "format_error", &text, Context::Turn);
            }
            _ if entry.is_true("is_demo") => self.notice(at, "demonstration", &text, Context::Ephemeral),
            "system" => self.notice(at, "instructions", &text, Context::Ephemeral),
            "assistant" => self.answer(at, entry, &text),
            // Requests of OpenAI's newer API are stored as they came.
            "" if entry.has("output") => self.answer(at, entry, &text),
            "tool" | "function_call_output" => self.result(at, entry, &text),
            "user" if !self.waiting.is_empty() => self.result(at, entry, &text),
            "user" if is_prompt => self.prompt(at, &text),
            "user" if !text.is_empty() => self.notice(at, "observation", &text, Context::Turn),
            _ if !text.is_empty() => self.say(at, at.aside(&at.id, &role, text)),
            _ => {
                let kind = if role.is_empty() { "message" } else { &role };
                let content = crate::parts::short::fields_in_short(kind, entry);
                self.say(at, at.aside(&at.id, kind, content));
            }
        }
        if let Some(raw) = entry.raw("content").filter(|raw| raw.starts_with('[')) {
            self.pictures(at, raw);
        }
    }

    fn notice(&mut self, at: &At, sender: &str, text: &str, context: Context) {
        let mut draft = at.text(&at.id, Role::System, sender, text);
        draft.context = context;
        self.say(at, draft);
    }

    fn prompt(&mut self, at: &At, text: &str) {
        let mut at = at.clone();
        self.ensure_run(&mut at);
        self.book.sessions[at.session].first_prompt(asked(text));
        let draft = at.text(&at.id, Role::User, "user", text);
        self.say(&at, draft);
    }

    /// A person says no to a command, or something else than the agent waits for.
    fn interruption(&mut self, at: &At, text: &str) {
        if !self.waiting.is_empty() {
            self.waiting.clear();
            self.calls.end_all(&mut self.book, self.session, "cancelled");
        }
        let mut at = at.clone();
        let runs = &mut self.book.sessions[at.session].runs;
        runs.begin(message_id(&at.id).as_str(), at.time);
        runs.uses(self.origin.model.as_deref());
        at.run = runs.id().map(str::to_owned);
        self.say(&at, at.text(&at.id, Role::User, "user", text));
    }

    /// Reads the model's thoughts, text and calls.
    fn answer(&mut self, at: &At, entry: &Obj, text: &str) {
        self.give_up_calls();
        let mut at = at.clone();
        self.request(&mut at, entry);
        self.thoughts(&at, entry);
        let extra = entry.obj("extra");
        let calls = entry.list("tool_calls").unwrap_or_default();
        let calls = calls.into_iter().filter_map(Obj::parse);
        let mut calls: Vec<_> = calls.filter_map(|call| Some((call.filled("id"), Action::of_call(&call)?))).collect();
        let mut words = text.to_owned();
        if let Some(action) = entry.filled("action").filter(|action| !action.trim().is_empty()) {
            if calls.is_empty() {
                words = entry.string("thought").unwrap_or(words);
                calls.push((None, Action::command(&action)));
            }
        } else if calls.is_empty() {
            let listed = extra.as_ref().and_then(|extra| extra.list("actions")).unwrap_or_default();
            let listed = listed.into_iter().filter_map(Obj::parse);
            calls.extend(listed.filter_map(|action| {
                Some((action.filled("tool_call_id"), Action::command(&action.filled("command")?)))
            }));
            if let Some((command, rest)) = fenced_command(text) {
                words = rest;
                if calls.is_empty() {
                    calls.push((None, Action::command(command)));
                }
            }
        }
        self.words(&at, &words);
        if calls.is_empty() && words.trim().is_empty() {
            self.say(&at, at.aside(&at.id, "assistant", "An empty answer"));
        }
        for (n, (own, action)) in calls.into_iter().enumerate() {
            self.begin_call(&at, own, n, action);
        }
    }

    pub(super) fn words(&mut self, at: &At, words: &str) {
        let words = words.trim();
        if !words.is_empty() {
            self.say(at, at.text(&at.id, Role::Assistant, "bot", words));
        }
    }

    /// An answer of the model that the program didn't take: it stands in the stored response alone.
    fn wrong_answer(&mut self, at: &At, entry: &Obj) {
        let Some(response) = response_of(entry) else { return };
        let mut at = At { id: format!("{}~answer", at.id), ..at.clone() };
        self.request(&mut at, entry);
        self.thoughts(&at, entry);
        self.words(&at, &text_of(message_in(&response).as_ref().unwrap_or(&response)));
    }

    /// Adds the model's thoughts, where the message or the stored response has them apart.
    pub(super) fn thoughts(&mut self, at: &At, entry: &Obj) {
        let response = response_of(entry);
        let said = response.as_ref().and_then(message_in);
        let sources = [Some(entry), said.as_ref(), response.as_ref()];
        let Some(thought) = sources.into_iter().flatten().find_map(reasoning) else { return };
        let is_redacted = thought.trim().is_empty();
        let mut draft = at.text(&format!("{}~thinking", at.id), Role::Model, "thinking", thought);
        if is_redacted {
            draft.metadata = Some(extras("redacted", true));
        }
        self.say(at, draft);
    }

    /// The model that answered, and what it took.
    fn request(&mut self, at: &mut At, entry: &Obj) {
        let extra = entry.obj("extra");
        let response = extra.as_ref().and_then(|extra| extra.obj("response"));
        let source = response.as_ref().unwrap_or(entry);
        self.model(source.filled("model"));
        at.origin.model.clone_from(&self.origin.model);
        self.ensure_run(at);
        let usage = source.obj("usage").map(|usage| usage_of(&usage)).unwrap_or_default();
        let cost_usd = extra.as_ref().and_then(|extra| extra.float("cost")).filter(|cost| *cost > 0.0);
        if usage != Usage::default() || cost_usd.is_some() {
            self.is_counted = true;
            let id = source.filled("id").unwrap_or_else(|| at.id.clone());
            self.book.spent_ahead(at.session, Spent { id, usage, cost_usd, ..Spent::default() });
        }
    }

    /// Reads the result of a call.
    fn result(&mut self, at: &At, entry: &Obj, text: &str) {
        let ids = entry.list("tool_call_ids").unwrap_or_default();
        let id = ids.first().and_then(|raw| string(raw)).map(std::borrow::Cow::into_owned);
        let id = id.or_else(|| entry.filled("tool_call_id")).or_else(|| entry.filled("call_id"));
        let place = match &id {
            Some(id) => self.waiting.iter().position(|(own, _)| own == id),
            None => Some(0),
        };
        let Some((_, call_id)) = place.and_then(|place| self.waiting.remove(place)) else {
            let mut draft = at.text(&at.id, Role::Tool, "tool_result", text);
            draft.call_id = id;
            return self.say(at, draft);
        };
        let result = observed(text, entry.obj("extra").as_ref());
        self.calls.finish(&mut self.book, at, &call_id, result);
    }

    /// The pictures of a message.
    fn pictures(&mut self, at: &At, raw: &str) {
        for (n, block) in files_in(raw, None).iter().enumerate() {
            let file = self.book.file(block, None);
            self.say(at, at.file(&derived_id(&at.id, "file", n), Role::User, file));
        }
    }
}

/// The response of the API, as it came.
fn response_of<'a>(entry: &Obj<'a>) -> Option<Obj<'a>> {
    entry.obj("extra")?.obj("response")
}

/// The message in a response.
fn message_in<'a>(response: &Obj<'a>) -> Option<Obj<'a>> {
    Obj::parse(response.list("choices")?.first()?)?.obj("message")
}

/// The reasoning in a message or a response; empty where it is hidden.
fn reasoning(of: &Obj) -> Option<String> {
    if let Some(text) = ["reasoning_content", "reasoning"].iter().find_map(|key| of.filled(key)) {
        return Some(text);
    }
    let blocks = of.list("thinking_blocks").unwrap_or_default().into_iter().filter_map(Obj::parse);
    let blocks = blocks.map(|block| block.filled("thinking").unwrap_or_default());
    let items = of.list("output").unwrap_or_default().into_iter().filter_map(Obj::parse);
    let items = items.filter(|item| item.str("type").as_deref() == Some("reasoning"));
    let of_item = |item: Obj| ["summary", "content"].iter().find_map(|key| texts_in(&item, key)).unwrap_or_default();
    let parts: Vec<String> = blocks.chain(items.map(of_item)).collect();
    let texts: Vec<&str> = parts.iter().map(String::as_str).filter(|text| !text.trim().is_empty()).collect();
    (!parts.is_empty()).then(|| texts.join("\n\n"))
}

/// The texts of a list of blocks.
fn texts_in(item: &Obj, key: &str) -> Option<String> {
    let texts = item.list(key)?.into_iter().filter_map(|block| Obj::parse(block)?.filled("text"));
    Some(texts.collect::<Vec<_>>().join("\n")).filter(|text| !text.is_empty())
}

/// The words of a message, whatever API it is of.
pub(super) fn text_of(entry: &Obj) -> String {
    if let Some(raw) = entry.raw("content") {
        return joined_text(raw);
    }
    let items = entry.list("output").unwrap_or_default();
    if items.is_empty() {
        return entry.raw("output").map(joined_text).unwrap_or_default();
    }
    let items = items.into_iter().filter_map(Obj::parse);
    let said = items.filter(|item| item.str("type").as_deref() != Some("reasoning"));
    said.filter_map(|item| texts_in(&item, "content")).collect::<Vec<_>>().join("\n")
}

fn usage_of(usage: &Obj) -> Usage {
    let count = |of: &Obj, names: [&str; 2]| names.iter().find_map(|name| of.int(name)).unwrap_or(0).clamp(0, 1 << 40);
    let details = usage.obj("prompt_tokens_details").or_else(|| usage.obj("input_tokens_details"));
    let cached = details.map_or(0, |details| count(&details, ["cached_tokens", "cached_tokens"]));
    Usage {
        input: (count(usage, ["prompt_tokens", "input_tokens"]) - cached).max(0),
        output: count(usage, ["completion_tokens", "output_tokens"]),
        cache_read: cached,
        cache_write: 0,
    }
}

/// The one command in a message, and the words around it.
fn fenced_command(text: &str) -> Option<(&str, String)> {
    const MARKS: [&str; 2] = ["```mswea_bash_command\n", "```bash\n"];
    const END: &str = "\n```";
    let mark = MARKS.iter().find(|mark| text.contains(**mark))?;
    let (before, rest) = text.split_once(mark)?;
    let (command, after) = rest.split_once(END)?;
    let words = [before.trim(), after.trim()];
    let words: Vec<&str> = words.into_iter().filter(|words| !words.is_empty()).collect();
    (!after.contains(mark)).then(|| (command.trim(), words.join("\n\n")))
}

/// Reads the result of a command: `<returncode>`, then `<output>`.
fn observed(text: &str, extra: Option<&Obj>) -> Result {
    let mut result = Result { state: "done", text: text.to_owned(), ..Result::default() };
    let head = text.strip_prefix("<returncode>").and_then(|rest| rest.split_once("</returncode>"));
    let mut code = head.and_then(|(code, _)| code.trim().parse::<i64>().ok());
    if let Some((_, rest)) = head.filter(|_| code.is_some()) {
        let rest = rest.trim_start();
        let inner = rest.strip_prefix("<output>").and_then(|rest| rest.trim_end().strip_suffix("</output>"));
        inner.map_or(rest, |inner| inner.strip_prefix('\n').unwrap_or(inner)).clone_into(&mut result.text);
    }
    if let Some(extra) = extra {
        code = extra.int("returncode").or(code);
        if let Some(error) = extra.filled("exception_info") {
            (result.state, result.text) = ("failed", if text.is_empty() { error } else { text.to_owned() });
        } else if let Some(output) = extra.string("raw_output") {
            result.text = output;
        }
    }
    if let Some(code) = code {
        result.details.push(("exit_code", code.into()));
        if code != 0 {
            result.state = "failed";
        }
    }
    result
}

/// Returns the person's task, without the template around it.
fn asked(text: &str) -> &str {
    let inner = text.split_once("<pr_description>").and_then(|(_, rest)| rest.split_once("</pr_description>"));
    let text = inner.map_or(text, |(inner, _)| inner).trim();
    let heads = ["ISSUE:\n", "Please solve this issue: ", "Consider the following PR description:\n", "Your task: "];
    heads.iter().find_map(|head| text.split_once(head)).map_or(text, |(_, asked)| asked.trim())
}

#[cfg(test)]
mod tests {
    use super::{asked, fenced_command, observed};
    use serde_json::json;

    #[test]
    fn a_command_stands_in_a_message_once() {
        let text = "Look.\n\n```mswea_bash_command\nls -l\n```\nThen mow.";
        assert_eq!(fenced_command(text), Some(("ls -l", "Look.\n\nThen mow.".to_owned())));
        assert_eq!(fenced_command("```bash\na\n```\n```bash\nb\n```"), None);
        assert_eq!(fenced_command("```bash\ncut off"), None);
    }

    #[test]
    fn an_observation_has_an_exit_code() {
        let result = observed("<returncode>2</returncode>\n<output>\nno\n</output>", None);
        assert_eq!((result.state, result.text.as_str()), ("failed", "no\n"));
        assert_eq!(result.details, [("exit_code", json!(2))]);
        assert_eq!(observed("<returncode>", None).text, "<returncode>");
    }

    #[test]
    fn a_template_is_not_what_was_asked() {
        assert_eq!(asked("We solve this:\nISSUE:\nMow the lawn\n"), "Mow the lawn");
        assert_eq!(asked("<pr_description>\nMow\n</pr_description> Go."), "Mow");
        assert_eq!(asked("Mow"), "Mow");
    }
}
