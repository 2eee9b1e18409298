//! Questions and plans that an agent puts to a person by calling a tool. Most agents took the names and fields of one another.

use super::answers::{Answers, text_of};
use super::at::envelope;
use super::blocks::cut;
use super::result::Result;
use model::Micros;
use model::message_type::approval::{Approval, ApprovalKind, ApprovalState, Choice, Decision, Question};
use serde::Deserialize as _;
use serde_json::{Map, Value, json};

/// Most characters of a plan's title.
const MAX_PLAN_TITLE: usize = 120;

/// Fields of a call's input with its only question.
const QUESTION: [&str; 3] = ["question", "prompt", "message"];
/// Fields with what can be chosen, and with the words of a choice.
const OPTIONS: [&str; 3] = ["options", "choices", "follow_up"];
const LABEL: [&str; 4] = ["label", "title", "text", "value"];
/// Fields that say that several options can be chosen.
const SEVERAL: [&str; 4] = ["multiSelect", "multi_select", "multiple", "allow_multiple"];
/// Words before an answer.
const BEFORE_ANSWER: [&str; 4] = ["User selected: ", "User responded: ", "User response: ", "User answered: "];
/// Words in the first line of a result that has no answer.
const UNANSWERED: [&str; 5] =
    ["declined to answer", "dismissed", "without answering", "did not answer", "non-interactive"];

/// A request that waits for a person, of which only the title is known.
pub(crate) fn open(kind: ApprovalKind, title: &str) -> Approval {
    let (title, questions, fields, state) = (title.to_owned(), Vec::new(), Vec::new(), ApprovalState::Open);
    Approval { kind, title, body: None, questions, fields, risk: None, state, decision: None }
}

/// The envelope of a request. What few requests have stands last, as it is stored: in another order, a message that is read
/// again would count as changed.
pub(crate) fn request(approval: Approval) -> Map<String, Value> {
    let mut metadata = envelope(approval);
    if let Some(payload) = metadata.get_mut("payload") {
        let questions = payload.get_mut("questions").and_then(Value::as_array_mut);
        questions.into_iter().flatten().for_each(|question| move_last(question, &["header"]));
        move_last(payload, &["fields", "body"]);
    }
    metadata
}

/// The envelope of a permission of which the record says what was decided, and no more.
pub(crate) fn decided(title: &str, decision: &Decision) -> Map<String, Value> {
    let mut metadata = envelope(open(ApprovalKind::Permission, title));
    if let Some(payload) = metadata.get_mut("payload").and_then(Value::as_object_mut) {
        write_decision(payload, decision);
    }
    metadata
}

/// Writes what was decided into the payload of a request, its fields in the order in which they are stored.
pub(crate) fn write_decision(payload: &mut Map<String, Value>, decision: &Decision) {
    write(payload, decision, &["text", "answers"]);
}

/// Like [`write_decision`], of what the result of a call answers.
pub(crate) fn write_answer(payload: &mut Map<String, Value>, decision: &Decision) {
    write(payload, decision, &["text", "answers", "state"]);
}

fn write(payload: &mut Map<String, Value>, decision: &Decision, last: &[&str]) {
    let mut fields = serde_json::to_value(decision).unwrap_or_default();
    move_last(&mut fields, last);
    payload.insert("state".to_owned(), decision.state.as_str().into());
    payload.insert("decision".to_owned(), fields);
}

fn move_last(object: &mut Value, keys: &[&str]) {
    let Some(fields) = object.as_object_mut() else { return };
    for key in keys {
        let field = fields.shift_remove_entry(*key);
        fields.extend(field);
    }
}

/// The `APPROVAL` that a call stands for, still open: its content and its envelope. None for a tool that asks nothing.
pub(crate) fn from_call(tool: &str, input: &Map<String, Value>) -> Option<(String, Map<String, Value>)> {
    let name: String = tool.chars().filter(|c| c.is_alphanumeric()).collect();
    match name.to_lowercase().as_str() {
        "askuserquestion"
        | "askuser"
        | "askquestion"
        | "askquestions"
        | "question"
        | "requestuserinput"
        | "askfollowupquestion" => question_of(input),
        "exitplanmode" => Some(plan_of(input)),
        "exitspecmode" => input.get("plan").and_then(Value::as_str).map(|_| plan_of(input)),
        _ => None,
    }
}

fn question_of(input: &Map<String, Value>) -> Option<(String, Map<String, Value>)> {
    let asked = given(input);
    let questions: Vec<Question> = asked.iter().enumerate().filter_map(|(n, asked)| question(n, asked)).collect();
    let texts: Vec<&str> = questions.iter().map(|question| question.question.as_str()).collect();
    let (content, open) = (texts.join("\n"), open(ApprovalKind::Question, texts.first()?));
    Some((content, request(Approval { questions, ..open })))
}

fn plan_of(input: &Map<String, Value>) -> (String, Map<String, Value>) {
    // Where the plan lies in a file, the call may have a summary of it.
    let text = |key: &str| input.get(key)?.as_str().filter(|text| !text.is_empty());
    let plan = text("plan").or_else(|| text("summary"));
    let body = plan.map(str::to_owned);
    let approval = Approval { body, ..open(ApprovalKind::Plan, &plan_title(plan)) };
    (plan.unwrap_or("A plan").to_owned(), request(approval))
}

/// The questions of a call, as it has them.
fn given(input: &Map<String, Value>) -> Vec<Value> {
    if let Some(text) = input.get("questionnaire").and_then(Value::as_str) {
        return questionnaire(text);
    }
    match input.get("questions") {
        Some(Value::Array(questions)) => questions.clone(),
        // Now and then the model writes the list as a string.
        Some(Value::String(text)) => serde_json::from_str(text).unwrap_or_default(),
        _ => vec![Value::Object(input.clone())],
    }
}

/// Questions in lines: `1. [question] Which?`, `[topic] Word`, `[option] This`.
fn questionnaire(text: &str) -> Vec<Value> {
    let mut questions: Vec<Value> = Vec::new();
    for line in text.lines() {
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c.is_whitespace() || ".)-*".contains(c));
        let Some((mark, words)) = line.strip_prefix('[').and_then(|line| line.split_once(']')) else { continue };
        let words = words.trim();
        match (mark, questions.last_mut()) {
            ("question", _) => questions.push(json!({ "question": words, "options": [] })),
            ("topic", Some(last)) => last["header"] = words.into(),
            ("option", Some(last)) => {
                if let Some(options) = last["options"].as_array_mut() {
                    options.push(words.into());
                }
            }
            _ => {}
        }
    }
    questions
}

/// Options have no ids in the transcript: `<question>-<option>`, both from 1.
fn question(n: usize, asked: &Value) -> Option<Question> {
    let text = QUESTION.iter().find_map(|key| text_of(asked, key)).or_else(|| text_of(asked, "header"))?;
    let listed = OPTIONS.iter().find_map(|key| asked.get(key)?.as_array());
    let yes_or_no = ["Yes", "No"].map(Value::from);
    let listed = match listed {
        None if text_of(asked, "type") == Some("yesno") => yes_or_no.as_slice(),
        listed => listed.map_or(&[][..], Vec::as_slice),
    };
    let options = listed.iter().enumerate().filter_map(|(o, option)| {
        let label = option.as_str().or_else(|| LABEL.iter().find_map(|key| text_of(option, key)))?;
        let description = text_of(option, "description").map(str::to_owned);
        Some(Choice { id: format!("{}-{}", n + 1, o + 1), label: label.to_owned(), description, kind: None })
    });
    let is_true = |key: &&str| asked.get(key).and_then(Value::as_bool) == Some(true);
    Some(Question {
        question: text.to_owned(),
        header: text_of(asked, "header").map(str::to_owned),
        options: options.collect(),
        multi_select: Some(SEVERAL.iter().any(is_true)),
        allow_text: Some(true),
    })
}

/// The questions of a request.
pub(crate) fn questions(payload: &Map<String, Value>) -> Vec<Question> {
    payload.get("questions").and_then(|questions| Vec::deserialize(questions).ok()).unwrap_or_default()
}

/// Writes into the payload of an open approval what became of it, and returns its new content.
pub(crate) fn decide(
    payload: &mut Map<String, Value>,
    input: &Map<String, Value>,
    result: &Result,
    at: Micros,
) -> Option<String> {
    if !is_open(payload) {
        return None;
    }
    let mut decision = Decision { at: Some(at), ..Decision::new(ApprovalState::Cancelled) };
    let mut content = None;
    match payload.get("kind").and_then(Value::as_str).and_then(ApprovalKind::parse) {
        Some(ApprovalKind::Form) => {
            if result.state == "done" {
                (decision.state, decision.text) = (ApprovalState::Answered, Some(result.text.clone()));
            }
        }
        Some(ApprovalKind::Question) => {
            let answers = answers(&questions(payload), &given(input), result);
            answers.write(&mut decision);
            let lines = answers.lines();
            if !lines.is_empty() {
                (decision.state, content) = (ApprovalState::Answered, Some(lines.join("\n")));
            }
        }
        _ => {
            let says_no =
                ["rejected", "declined", "not approved"].iter().any(|words| first_line(&result.text).contains(words));
            decision.state = match result.state {
                "done" if says_no => ApprovalState::Denied,
                "done" => ApprovalState::AllowedOnce,
                "denied" => ApprovalState::Denied,
                _ => ApprovalState::Cancelled,
            };
            if decision.state == ApprovalState::Denied && !result.text.is_empty() {
                decision.text = Some(result.text.clone());
            }
        }
    }
    write_answer(payload, &decision);
    content
}

/// Does nobody know yet what was decided?
pub(crate) fn is_open(payload: &Map<String, Value>) -> bool {
    payload.get("state").and_then(Value::as_str) == Some(ApprovalState::Open.as_str())
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_lowercase()
}

/// Reads the answers from a result. `given` are the questions as the call has them.
fn answers(questions: &[Question], given: &[Value], result: &Result) -> Answers {
    let told = result.answers.clone().or_else(|| {
        let told: Value = serde_json::from_str(&result.text).ok()?;
        told.get("answers").cloned()
    });
    if let Some(told) = told {
        return Answers::of(questions, &by_question(told, questions, given));
    }
    let says_nothing = UNANSWERED.iter().any(|words| first_line(&result.text).contains(words));
    if result.state != "done" || says_nothing {
        return Answers::default();
    }
    let text = result.text.trim();
    let answers = Answers::read(questions, None, text);
    if !answers.is_empty() {
        return answers;
    }
    let marked = marked(questions, text);
    if !marked.is_empty() {
        return Answers::of(questions, &Value::Object(marked));
    }
    let bare = BEFORE_ANSWER.iter().find_map(|before| text.strip_prefix(before)).unwrap_or(text);
    answers.or_bare(questions, bare)
}

/// Answers may be named by a question's own id, or by its place.
fn by_question(told: Value, questions: &[Question], given: &[Value]) -> Value {
    let Value::Object(told) = told else { return told };
    let asked = |key: &str| {
        let by_id = given.iter().position(|given| text_of(given, "id") == Some(key));
        let place = by_id.or_else(|| key.parse().ok())?;
        Some(questions.get(place)?.question.clone())
    };
    Value::Object(told.into_iter().map(|(key, answer)| (asked(&key).unwrap_or(key), answer)).collect())
}

/// Answers in lines: `**Header**: this`, or `[answer] this` below each question.
fn marked(questions: &[Question], text: &str) -> Map<String, Value> {
    let mut found = Map::new();
    let mut answered = 0;
    for line in text.lines() {
        let by_header = line.strip_prefix("**").and_then(|line| line.split_once("**: "));
        let (name, answer) = match (by_header, line.trim_start().strip_prefix("[answer]")) {
            (Some((header, answer)), _) => (Some(header), answer),
            (None, Some(answer)) => {
                answered += 1;
                (questions.get(answered - 1).map(|question| question.question.as_str()), answer)
            }
            (None, None) => continue,
        };
        if let Some(name) = name {
            found.insert(name.to_owned(), answer.trim().into());
        }
    }
    found
}

/// Nobody answers any more what is still open. `state` is what became of the call.
pub(crate) fn close(payload: &mut Map<String, Value>, state: &str) {
    if is_open(payload) {
        // The conversation went on without a record of the answer.
        let state = if state == "done" { ApprovalState::DecidedElsewhere } else { ApprovalState::Expired };
        payload.insert("state".to_owned(), state.as_str().into());
    }
}

/// A plan's first heading or line.
pub(crate) fn plan_title(plan: Option<&str>) -> String {
    let line =
        plan.and_then(|plan| plan.lines().map(|line| line.trim_start_matches('#').trim()).find(|l| !l.is_empty()));
    line.map_or_else(|| "Plan".to_owned(), |line| cut(line, MAX_PLAN_TITLE))
}

#[cfg(test)]
mod tests {
    use super::{decide, from_call};
    use crate::parts::calls::payload;
    use crate::parts::result::Result;
    use model::{Draft, MessageId, Micros, Role};
    use serde_json::{Value, json};

    /// The content, the state, and what is chosen and typed, once a call has its result.
    #[track_caller]
    fn answered(tool: &str, input: &Value, result: Result) -> Value {
        let input = input.as_object().expect("an object");
        let (content, metadata) = from_call(tool, input).expect("a question");
        let id = MessageId::parse("a").expect("an id");
        let mut draft = Draft::text(id, Role::Assistant, "bot", content, Micros(0));
        draft.metadata = Some(metadata);
        let payload = payload(&mut draft).expect("a payload");
        let content = decide(payload, input, &result, Micros(5));
        json!([content, payload["state"], payload["decision"]["selected"], payload["decision"]["text"]])
    }

    fn done(text: &str) -> Result {
        Result { state: "done", text: text.to_owned(), ..Result::default() }
    }

    #[test]
    fn answers_in_the_words_of_each_agent() {
        let two = json!({ "questions": [
            { "id": "tree", "question": "Which tree?", "header": "Tree", "options": [{ "label": "Apple" }, { "label": "Pear" }] },
            { "id": "when", "question": "When?", "header": "Time", "options": [{ "label": "Now" }], "multiple": true },
        ] });
        let expected = json!(["Which tree? Pear\nWhen? Now, at dusk", "answered", ["1-2", "2-1"], "at dusk"]);
        let listed = Result { answers: Some(json!([["Pear"], ["Now", "at dusk"]])), ..done("whatever") };
        assert_eq!(answered("question", &two, listed), expected);
        let by_place = done(r#"{"answers":{"0":"Pear","1":"Now, at dusk"}}"#);
        assert_eq!(answered("ask_user", &two, by_place), expected);
        let by_id = done(r#"{"answers":{"tree":{"answers":["Pear"]},"when":{"answers":["Now","at dusk"]}}}"#);
        assert_eq!(answered("request_user_input", &two, by_id), expected);
        let by_header = done("User has provided the following answers:\n\n**Tree**: Pear\n**Time**: Now, at dusk");
        assert_eq!(answered("ask_user_question", &two, by_header), expected);
        let quoted = done(
            "User has answered your questions: \"Which tree?\"=\"Pear\", \"When?\"=\"Now, at dusk\". You can now continue.",
        );
        assert_eq!(answered("AskUserQuestion", &two, quoted), expected);

        let none = json!([null, "cancelled", [], null]);
        assert_eq!(answered("ask_user_question", &two, done("User declined to answer the questions.")), none);
        let failed =
            Result { state: "failed", text: "The user dismissed this question".to_owned(), ..Result::default() };
        assert_eq!(answered("question", &two, failed), none);
    }

    #[test]
    fn a_lone_question_and_questions_in_lines() {
        let lone = json!({ "question": "Mow it?", "choices": ["Yes", "Later"], "allow_freeform": true });
        assert_eq!(
            answered("ask_user", &lone, done("User selected: Later")),
            json!(["Mow it? Later", "answered", ["1-2"], null])
        );
        assert_eq!(
            answered("ask_user", &lone, done("User responded: only the meadow")),
            json!(["Mow it? only the meadow", "answered", [], "only the meadow"])
        );
        let lines = json!({ "questionnaire": "1. [question] Which tree?\n[topic] Tree\n[option] Apple\n[option] Pear\n\n2. [question] When?\n[topic] Time\n[option] Now" });
        assert_eq!(
            answered(
                "AskUser",
                &lines,
                done("1. [question] Which tree?\n[answer] Pear\n\n2. [question] When?\n[answer] Now")
            ),
            json!(["Which tree? Pear\nWhen? Now", "answered", ["1-2", "2-1"], null])
        );
    }

    #[test]
    fn plans_that_were_taken_and_refused() {
        let plan = json!({ "plan": "# Mow\n\n- the meadow" });
        assert_eq!(answered("ExitSpecMode", &plan, done("Spec approved")), json!([null, "allowed_once", [], null]));
        let refused = "Plan rejected. User feedback: not today";
        assert_eq!(answered("exit_plan_mode", &plan, done(refused)), json!([null, "denied", [], refused]));
    }

    #[test]
    fn other_tools_ask_nothing() {
        assert_eq!(from_call("bash", json!({ "command": "ls" }).as_object().expect("an object")), None);
        assert_eq!(from_call("question", json!({ "id": 5 }).as_object().expect("an object")), None);
        assert_eq!(
            from_call("mcp__garden__ask_user", json!({ "question": "?" }).as_object().expect("an object")),
            None
        );
    }
}
