//! The content that a decision covers. Only this module decides whether a person sees all of it, and returns the hash
//! for the decision. The card and the session list draw it with this.

use super::{fits_head, proposed};
use crate::exact::{self, Kind};
use crate::figures::{count, counted};
use crate::html::Html;
use crate::markdown::{Breaks, to_html_within};
use crate::part::{Part, part};
use crate::shared::message_href;
use api::messages::{AskedCall, Entry};
use leptos::prelude::*;
use model::markdown::said_besides;
use model::message_type::approval::{Approval, Choice, Question};
use serde_json::Value;

/// Characters that a row of the list has room for.
const ROW_CHARS: usize = 240;
/// Characters and lines of a value that stands beside its name.
const SHORT_CHARS: usize = 80;
/// Characters and lines that are in view without scrolling, on a phone too.
const IN_VIEW_CHARS: usize = 480;
const IN_VIEW_LINES: usize = 12;
/// The name of a path that a request shows.
const PATH: &str = "path";
/// Elements of a text in markdown; a longer one is shown as it is written.
const MAX_ELEMENTS: usize = 5_000;

/// The complete content of an open approval.
pub struct Covered<'e> {
    entry: &'e Entry,
    approval: &'e Approval,
    sha256: &'e str,
}

impl<'e> Covered<'e> {
    /// None where the entry doesn't hold all that a decision would cover.
    pub fn of(entry: &'e Entry, approval: &'e Approval) -> Option<Self> {
        Some(Self { sha256: entry.shown_sha256.as_deref()?, entry, approval })
    }

    /// For the form that stands beside [`Self::blocks`] or [`Self::line`], and for no other.
    pub fn sha256(&self) -> &str {
        self.sha256
    }

    /// Returns the agent's text, and the input of each tool. Title, questions and fields are in the head and the form.
    /// `session` is set if the card is on another session's page.
    pub fn blocks(&self, session: Option<&str>) -> Html {
        let mut html = Html::new();
        let scope = self.entry.message.seq.to_string();
        if !fits_head(&self.approval.title) {
            block(&mut html, "Title", &self.approval.title, Kind::Words);
        }
        if let Some(words) = said_besides(&self.entry.message.draft, self.entry.body()) {
            prose(&mut html, "<div class=\"prose besides\">", words, &scope);
        }
        if let Some(body) = self.approval.body.as_deref().filter(|body| !body.is_empty()) {
            prose(&mut html, "<div class=\"prose\">", body, &scope);
        }
        for call in &self.entry.calls {
            let is_drawn = call.input.get(QUESTIONS).is_some_and(|asked| self.draws_questions(asked));
            let given: Vec<(&str, String)> = given(call).filter(|(key, _)| !is_drawn || *key != QUESTIONS).collect();
            self::call(&mut html, call, &given, session);
        }
        html
    }

    /// Does the form draw every word of the questions that a tool is given? With any other field they are shown as they
    /// are written.
    fn draws_questions(&self, given: &Value) -> bool {
        let asked = &self.approval.questions;
        given.as_array().is_some_and(|given| {
            given.len() == asked.len() && given.iter().zip(asked).all(|(given, asked)| draws(given, asked))
        })
    }

    /// All of it in one row. None where that has no room, or where a part of it can be read on the session's page
    /// alone.
    pub fn line(&self) -> Option<Part> {
        let Approval { title, body, questions, fields, .. } = self.approval;
        let elsewhere = body.as_deref().is_some_and(|body| !body.is_empty())
            || !fields.is_empty()
            || self.entry.calls.iter().any(|call| !(call.changes.is_empty() && call.texts.is_empty()))
            || said_besides(&self.entry.message.draft, self.entry.body()).is_some();
        if elsewhere || questions.len() > 1 || self.entry.calls.len() > 1 {
            return None;
        }
        let mut words = vec![title.as_str()];
        if let Some(question) = questions.first() {
            words.extend(question.header.as_deref().filter(|header| !header.is_empty()));
            words
                .extend(Some(question.question.as_str()).filter(|asked| !asked.is_empty() && *asked != title.as_str()));
        }
        let call = self.entry.calls.first();
        let given: Vec<(&str, String)> = call.into_iter().flat_map(given).collect();
        let texts = || {
            let given = given.iter().flat_map(|(key, value)| [*key, value.as_str()]);
            let words = words.iter().copied().chain(self.approval.risk.as_deref());
            words.chain(call.map(|call| call.tool_name.as_str())).chain(given)
        };
        let chars: usize = texts().map(|text| text.chars().count()).sum();
        if chars > ROW_CHARS || texts().any(|text| text.contains('\n')) {
            return None;
        }
        let mut html = Html::new();
        for (index, phrase) in words.iter().enumerate() {
            // Text that ends like a sentence needs no colon.
            let ends = index > 0 && words[index - 1].ends_with(['?', '.', '!', ':']);
            html.tag(match (index, ends) {
                (0, _) => "",
                (_, true) => " ",
                (_, false) => ": ",
            });
            html.html(&exact::phrase(phrase));
        }
        let call = call.map(|call| {
            let mut html = Html::new();
            html.tag("<span class=\"given\"><span class=\"cap\">");
            exact::push(&mut html, &call.tool_name, Kind::Code);
            html.tag("</span>");
            for (key, value) in &given {
                html.tag(" ");
                if !is_command(key) {
                    html.tag("<span class=\"cap\">");
                    exact::push(&mut html, key, Kind::Code);
                    html.tag("</span> ");
                }
                html.tag("<code dir=\"ltr\">");
                exact::push(&mut html, value, Kind::Code);
                html.tag("</code>");
            }
            html.tag("</span>");
            html.into_view()
        });
        Some(part! { <span class="asked">{html.into_view()}</span>{call} })
    }
}

/// Returns true if a part of a tool's input is the text of the question, and nothing else.
fn draws(given: &Value, asked: &Question) -> bool {
    let said = |word: &Option<String>| word.as_deref().unwrap_or_default().to_owned();
    let option = |given: &Value, choice: &Choice| {
        has_only(given, &["label", "description"])
            && given["label"] == choice.label.as_str()
            && given["description"].as_str().unwrap_or_default() == said(&choice.description)
    };
    has_only(given, &["question", "header", "multiSelect", "options"])
        && given["question"] == asked.question.as_str()
        && given["header"].as_str().unwrap_or_default() == said(&asked.header)
        && given["multiSelect"].as_bool().unwrap_or_default() == (asked.multi_select == Some(true))
        && given["options"].as_array().is_some_and(|given| {
            given.len() == asked.options.len()
                && given.iter().zip(&asked.options).all(|(given, choice)| option(given, choice))
        })
}

/// Returns true for an object with only these keys, and values of their kinds.
fn has_only(value: &Value, keys: &[&str]) -> bool {
    value.as_object().is_some_and(|object| {
        object.iter().all(|(key, value)| {
            keys.contains(&key.as_str())
                && match key.as_str() {
                    "multiSelect" => value.is_boolean(),
                    "options" => value.is_array(),
                    _ => value.is_string(),
                }
        })
    })
}

/// The key of the questions that a tool asks a person.
const QUESTIONS: &str = "questions";

/// The key that needs no name beside its value.
fn is_command(key: &str) -> bool {
    key == "command"
}

/// Writes the input of a tool: all values that the card doesn't draw elsewhere.
fn call(html: &mut Html, call: &AskedCall, given: &[(&str, String)], session: Option<&str>) {
    let seq = call.seq.to_string();
    let link = session.map_or_else(|| format!("#m{seq}"), |session| message_href(session, call.seq));
    html.tag("<div class=\"covered\"><p class=\"cap\"><b>");
    exact::push(html, &call.tool_name, Kind::Code);
    html.tag("</b> <a").attr("href", &link).tag(">message ").text(&seq).tag("</a></p>");
    proposed::write(html, call);
    for text in &call.texts {
        block(html, "text", text, Kind::Words);
    }
    if call.input.is_empty() && call.paths.is_empty() && call.changes.is_empty() && call.texts.is_empty() {
        html.tag("<p class=\"mut\">Without any input</p>");
    }
    let mut in_list = false;
    for (key, text) in given {
        let key = *key;
        let is_short = !is_command(key) && text.chars().nth(SHORT_CHARS).is_none() && !text.contains('\n');
        if is_short != in_list {
            html.tag(if is_short { "<dl class=\"kv\">" } else { "</dl>" });
            in_list = is_short;
        }
        if is_short {
            html.tag("<dt dir=\"ltr\">");
            exact::push(html, key, Kind::Code);
            html.tag("</dt><dd dir=\"ltr\"><code>");
            exact::push(html, text, Kind::Code);
            html.tag("</code></dd>");
        } else {
            block(html, if is_command(key) { "" } else { key }, text, Kind::Code);
        }
    }
    html.tag(if in_list { "</dl></div>" } else { "</div>" });
}

/// The values of a call's input and the paths that its request names, each with its name.
fn given(call: &AskedCall) -> impl Iterator<Item = (&str, String)> {
    let input = call.input.iter().map(|(key, value)| (key.as_str(), text(value)));
    input.chain(call.paths.iter().map(|path| (PATH, path.clone())))
}

/// A string as it is, anything else as JSON.
fn text(value: &Value) -> String {
    match value {
        Value::String(text) if text.is_empty() => "\"\"".to_owned(),
        Value::String(text) => text.clone(),
        other => serde_json::to_string_pretty(other).unwrap_or_default(),
    }
}

/// A text in an area of its own, which scrolls. Of a long one its length is stated, its end is marked and stands below,
/// too.
pub(super) fn block(html: &mut Html, label: &str, text: &str, kind: Kind) {
    let chars = text.chars().count();
    let lines = text.lines().count();
    let is_long = chars > IN_VIEW_CHARS || lines > IN_VIEW_LINES;
    let length = format!("{} in {}", counted(chars as i64, "character"), counted(lines as i64, "line"));
    if !label.is_empty() || is_long {
        html.tag("<p class=\"cap\"><span dir=\"ltr\">");
        exact::push(html, label, Kind::Code);
        html.tag("</span>");
        if is_long {
            html.tag(" <span class=\"length\">").text(&length).tag(": scroll to the end</span>");
        }
        html.tag("</p>");
    }
    html.tag(match (is_long, kind) {
        (true, Kind::Code) => "<pre class=\"cmd long\" dir=\"ltr\" tabindex=\"0\" role=\"region\"",
        (true, Kind::Words) => "<pre class=\"cmd long words\" tabindex=\"0\" role=\"region\"",
        (false, Kind::Code) => "<pre class=\"cmd\" dir=\"ltr\"",
        (false, Kind::Words) => "<pre class=\"cmd words\"",
    });
    if is_long {
        let name = if label.is_empty() { "Command" } else { label };
        html.attr("aria-label", &format!("{}, {length}", crate::visible::plain(name)));
    }
    html.tag(">").html(&exact::html(text, kind).in_pre());
    if is_long {
        html.tag("<span class=\"end\">End of ").text(&count(chars as i64)).tag(" characters</span>");
    }
    html.tag("</pre>");
    if is_long {
        let last = text.lines().next_back().unwrap_or_default();
        let cut = last.char_indices().rev().nth(SHORT_CHARS - 1).map_or(0, |(at, _)| at);
        html.tag("<p class=\"cap ends\">Ends with <code dir=\"ltr\">").text(if cut > 0 { "\u{2026}" } else { "" });
        exact::push(html, &last[cut..], kind);
        html.tag("</code></p>");
    }
}

/// A text of the agent in markdown; as it is written, where markdown drops something of it, or draws it out of sight.
fn prose(html: &mut Html, tag: &'static str, markdown: &str, scope: &str) {
    let (drawn, is_cut) = to_html_within(markdown, Breaks::Soft, scope, MAX_ELEMENTS);
    if is_cut {
        return block(html, "As it is written", markdown, Kind::Words);
    }
    html.tag(tag).html(&drawn).tag("</div>");
    if !says_all(markdown, drawn.as_str()) {
        block(html, "As it is written", markdown, Kind::Words);
    }
}

/// Returns true if the HTML has every letter, digit and sign of a text in the same order, except markdown's marks.
fn says_all(markdown: &str, html: &str) -> bool {
    const MARKS: &str = "*_`~#>|:-+=\\[]()<!.";
    let drawn = text_of(html);
    let mut drawn = drawn.chars();
    let mut says = |c: char| c.is_whitespace() || MARKS.contains(c) || drawn.any(|next| next == c);
    exact::is_plain(markdown.trim_end(), Kind::Words)
        && markdown.lines().all(|line| without_marker(line).chars().all(&mut says))
}

/// A line without the number of a list's item, the box of a task and the language of a fence.
fn without_marker(line: &str) -> &str {
    let line = line.trim_start_matches([' ', '\t', '>']);
    let is_language = |words: &str| words.len() <= 20 && words.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if line.strip_prefix("```").is_some_and(|rest| is_language(rest.trim())) {
        return "";
    }
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let item = match number.strip_prefix(['.', ')']) {
        Some(rest) if rest.starts_with(' ') && (1..=9).contains(&(line.len() - number.len())) => rest,
        _ => line.strip_prefix(['-', '*', '+']).unwrap_or(line),
    };
    let task = item.trim_start();
    ["[x] ", "[X] "].into_iter().find_map(|done| task.strip_prefix(done)).unwrap_or(item)
}

/// Returns the visible text of HTML that [`Html`] wrote.
fn text_of(html: &str) -> String {
    let mut text = String::with_capacity(html.len());
    for part in html.split('<') {
        text.push_str(part.split_once('>').map_or(part, |(_, words)| words));
    }
    text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::{Breaks, says_all, to_html_within};

    #[test]
    fn what_markdown_drops_is_noticed() {
        let whole = |markdown: &str| says_all(markdown, to_html_within(markdown, Breaks::Soft, "1", 5_000).0.as_str());
        for text in [
            "Run `ls` & *see*",
            "# Plan\n\n1. A test that fails\n2. The fix\n\n- [x] done\n- [ ] not yet\n\n> so **be** it",
            "```sh\nrm -rf target/stress && ./stress.sh staging\n```\n\nA clean build",
            "| a | b |\n|---|---|\n| 1 | 2 |",
        ] {
            assert!(whole(text), "{text}");
        }
        for text in [
            "[docs](https://elsewhere.example/x)",
            "Fine\n\n[1]: https://elsewhere.example 'rm -rf /'",
            "| a |\n|---|\n| 1 | rm -rf / |",
            "```sh and then rm\nls\n```",
            "a&#8203;b",
            "a\u{200b}b",
            &format!("```\nls{}; rm\n```", " ".repeat(300)),
            &format!("ls{}rm", "\n".repeat(300)),
        ] {
            assert!(!whole(text), "{text}");
        }
    }
}
