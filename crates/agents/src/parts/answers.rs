//! A person's answers to the agent's questions: each under its question, with the choices, the typed text and the
//! notes.
//!
//! The program joins what was chosen and what was typed into one string, choices first. Where a line lacks the structured
//! answers, the words that the model read have them.

use super::obj::{Obj, list, string, value};
use model::message_type::approval::{Answer, Choice, Decision, Question};
use serde_json::Value;

/// The answers of a result, by question.
#[derive(Default)]
pub(crate) struct Answers {
    given: Vec<Given>,
}

/// One answer.
struct Given {
    /// As it was asked; as the answer names it where nothing like it was asked. None if the answer names no question.
    question: Option<String>,
    /// Ids of options.
    selected: Vec<String>,
    /// Their labels.
    labels: Vec<String>,
    texts: Vec<String>,
    notes: Vec<String>,
}

/// The texts in an answer's value.
#[derive(Default)]
struct Words {
    /// Each may be several choices and a text, joined.
    joined: Vec<String>,
    notes: Vec<String>,
}

/// Keys under which a note stands beside an answer.
const NOTES: [&str; 5] = ["notes", "note", "comment", "comments", "annotation"];

/// The text of a refusal in place of an answer.
const NO_ANSWER: &str = "(No answer provided)";

impl Answers {
    /// Reads the structured result of a line, else `text`, which the model read.
    pub fn read(questions: &[Question], result: Option<&Obj>, text: &str) -> Self {
        let mut answers = Self::default();
        if let Some(raw) = result.and_then(|result| result.raw("answers")) {
            answers.take(questions, raw);
        }
        if answers.given.is_empty() {
            for (question, answer) in quoted(questions, text) {
                answers.add(questions, Some(&question), Words::of_text(&answer));
            }
        }
        if let Some(notes) = result.and_then(|result| result.obj("annotations")) {
            for (key, raw) in notes.fields() {
                let notes = of_annotation(questions, key, raw);
                if !notes.is_empty() {
                    answers.add(questions, Some(key), Words { joined: Vec::new(), notes });
                }
            }
        }
        answers.sort(questions);
        answers
    }

    /// Reads answers in whatever shape: by question, in the order of the questions, or a lone one.
    pub fn of(questions: &[Question], told: &Value) -> Self {
        let mut answers = Self::default();
        answers.take(questions, &told.to_string());
        answers.sort(questions);
        answers
    }

    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    fn sort(&mut self, questions: &[Question]) {
        let place = |given: &Given| {
            let asked = |question: &Question| given.question.as_ref() == Some(&question.question);
            questions.iter().position(asked).unwrap_or(usize::MAX)
        };
        self.given.sort_by_key(place);
    }

    /// A result that names no question answers the only one, or all of them.
    pub fn or_bare(mut self, questions: &[Question], text: &str) -> Self {
        if self.given.is_empty() && !text.trim().is_empty() {
            self.add(questions, only(questions), Words::of_text(text.trim()));
        }
        self
    }

    fn take(&mut self, questions: &[Question], raw: &str) {
        if let Some(answers) = Obj::parse(raw) {
            for (key, raw) in answers.fields() {
                self.add(questions, Some(key), Words::of(raw));
            }
        } else if let Some(items) = list(raw) {
            for (index, raw) in items.into_iter().enumerate() {
                let named = Obj::parse(raw)
                    .and_then(|item| ["question", "header", "id"].iter().find_map(|key| item.filled(key)));
                let at = if questions.len() == 1 { 0 } else { index };
                let asked = || Some(questions.get(at)?.question.clone());
                self.add(questions, named.or_else(asked).as_deref(), Words::of(raw));
            }
        } else if let Some(text) = string(raw) {
            self.add(questions, only(questions), Words::of_text(&text));
        }
    }

    fn add(&mut self, questions: &[Question], named: Option<&str>, words: Words) {
        if words.joined.is_empty() && words.notes.is_empty() {
            return;
        }
        let asked = named.and_then(|named| find(questions, named));
        let question = asked.map(|asked| asked.question.as_str()).or(named).map(str::to_owned);
        let at = self.given.iter().position(|given| given.question == question).unwrap_or_else(|| {
            let (selected, labels, texts, notes) = Default::default();
            self.given.push(Given { question, selected, labels, texts, notes });
            self.given.len() - 1
        });
        let given = &mut self.given[at];
        for joined in words.joined {
            let rest = choose(asked, &joined, given);
            given.texts.extend(rest.map(str::to_owned));
        }
        given.notes.extend(words.notes);
    }

    /// Writes them into a decision.
    pub fn write(&self, decision: &mut Decision) {
        let all = |of: fn(&Given) -> &Vec<String>| self.given.iter().flat_map(of).cloned().collect::<Vec<_>>();
        decision.selected = all(|given| &given.selected);
        decision.text = joined(&all(|given| &given.texts)).or_else(|| decision.text.take());
        decision.answers = self.given.iter().map(Given::answer).collect();
    }

    /// Every question with its answer, in a line.
    pub fn lines(&self) -> Vec<String> {
        let line = |given: &Given| {
            let words: Vec<&str> = given.labels.iter().chain(&given.texts).map(String::as_str).collect();
            let mut parts: Vec<String> = given.question.iter().cloned().collect();
            parts.extend((!words.is_empty()).then(|| words.join(", ")));
            parts.extend((!given.notes.is_empty()).then(|| format!("({})", given.notes.join("; "))));
            parts.join(" ")
        };
        self.given.iter().map(line).collect()
    }
}

impl Given {
    fn answer(&self) -> Answer {
        let (question, selected) = (self.question.clone(), self.selected.clone());
        Answer { question, selected, text: joined(&self.texts), note: joined(&self.notes) }
    }
}

fn joined(lines: &[String]) -> Option<String> {
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// The only question.
fn only(questions: &[Question]) -> Option<&str> {
    if let [only] = questions { Some(&only.question) } else { None }
}

impl Words {
    fn of_text(text: &str) -> Self {
        let joined = Some(text.to_owned()).filter(|text| !text.is_empty() && text != NO_ANSWER);
        Self { joined: joined.into_iter().collect(), notes: Vec::new() }
    }

    /// Every word of a value, whatever its shape.
    fn of(raw: &str) -> Self {
        let mut words = Self::default();
        words.collect(&value(raw));
        words
    }

    fn collect(&mut self, value: &Value) {
        match value {
            Value::Null => {}
            Value::String(text) => self.joined.extend(Self::of_text(text).joined),
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(fields) => {
                for (key, value) in fields {
                    if matches!(key.as_str(), "question" | "header" | "id" | "type" | "preview") {
                        continue;
                    }
                    let mut inner = Self::default();
                    inner.collect(value);
                    if NOTES.contains(&key.as_str()) {
                        self.notes.append(&mut inner.joined);
                    }
                    self.joined.append(&mut inner.joined);
                    self.notes.append(&mut inner.notes);
                }
            }
            other => self.joined.push(other.to_string()),
        }
    }
}

/// Returns the texts of an annotation, except the preview of the chosen option, which the option has itself.
fn of_annotation(questions: &[Question], key: &str, raw: &str) -> Vec<String> {
    let mut annotation = value(raw);
    if let Some(fields) = annotation.as_object_mut()
        && find(questions, key).is_some()
    {
        fields.shift_remove("preview");
    }
    let mut words = Words::default();
    words.collect(&annotation);
    words.notes.into_iter().chain(words.joined).collect()
}

/// The question of this name, else the one that differs from it least: in case, spaces and signs, or its header.
fn find<'q>(questions: &'q [Question], named: &str) -> Option<&'q Question> {
    let like =
        |text: &str| text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect::<String>();
    let exact = questions.iter().find(|question| question.question == named);
    let wanted = like(named);
    let alike = |of: fn(&Question) -> Option<&String>| {
        let mut found = questions.iter().filter(|question| of(question).is_some_and(|text| like(text) == wanted));
        // Two questions with the same text or header are ambiguous: take neither.
        found.next().filter(|_| found.next().is_none() && !wanted.is_empty())
    };
    exact.or_else(|| alike(|question| Some(&question.question))).or_else(|| alike(|question| question.header.as_ref()))
}

/// Takes the choices from the front of an answer; gives back what was typed behind them.
fn choose<'t>(asked: Option<&Question>, joined: &'t str, given: &mut Given) -> Option<&'t str> {
    let options = asked.map_or(&[][..], |asked| &asked.options);
    let many = asked.is_some_and(|asked| asked.multi_select == Some(true));
    let mut chosen = Vec::new();
    let mut rest = joined.trim();
    while !rest.is_empty() {
        let fits = |option: &&Choice| {
            let behind = rest.strip_prefix(option.label.trim()).filter(|_| !option.label.is_empty());
            behind.is_some_and(|behind| behind.is_empty() || behind.starts_with(", "))
        };
        let Some(option) = options.iter().filter(fits).max_by_key(|option| option.label.len()) else { break };
        chosen.push(option);
        rest = rest[option.label.trim().len()..].trim_start_matches(", ");
    }
    // With a single choice, an answer longer than the label was typed; it only begins like the option.
    if !many && !rest.is_empty() {
        return Some(joined.trim());
    }
    for option in chosen {
        if !given.selected.contains(&option.id) {
            given.selected.push(option.id.clone());
            given.labels.push(option.label.clone());
        }
    }
    (!rest.is_empty()).then_some(rest)
}

/// The answers in the words for the model: `"Which?"="This", "And?"="That".` An answer may hold quotes, so it ends where the
/// next question begins.
fn quoted(questions: &[Question], text: &str) -> Vec<(String, String)> {
    let mut found: Vec<(usize, usize, &str)> = Vec::new();
    for question in questions.iter().map(|question| question.question.as_str()) {
        let head = format!("\"{question}\"=\"");
        found.extend(text.find(&head).map(|at| (at, at + head.len(), question)));
    }
    found.sort_unstable();
    let ends = found.iter().skip(1).map(|(at, ..)| Some(*at)).chain([None]);
    let answer = |(from, end): (usize, Option<usize>)| {
        let inside = text.get(from..end.unwrap_or(text.len()))?;
        // Behind the last answer the program speaks to the model.
        let inside = if end.is_some() { inside.trim_end().trim_end_matches(',') } else { inside };
        let close = inside.rfind("\". ").or_else(|| inside.rfind('"'))?;
        inside.get(..close)
    };
    let answers = found
        .iter()
        .zip(ends)
        .filter_map(|(&(_, from, question), end)| Some((question.to_owned(), answer((from, end))?.to_owned())));
    answers.collect()
}

/// A text that isn't empty, of an object's field.
pub(crate) fn text_of<'a>(from: &'a Value, key: &str) -> Option<&'a str> {
    from.get(key)?.as_str().filter(|text| !text.is_empty())
}
