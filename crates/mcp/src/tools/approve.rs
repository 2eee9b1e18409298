//! `approve`: a person's permission for the use of a tool, as Claude Code's `--permission-prompt-tool` calls it and reads the
//! answer.

use super::ask::{decided, queued};
use crate::call::{Call, Refusal, Reply, read};
use model::Body;
use model::message_type::approval::{Approval, ApprovalKind, Choice, Decision, OptionKind, Question};
use model::message_type::code_edit::{CodeEdit, Edit};
use model::message_type::tool_call::ToolCall;
use model::text::fence;
use schemars::JsonSchema;
use sdk::{ApprovalState, Decided, PostMessage, Structured, approval};
use serde::Deserialize;
use serde_json::{Map, Value, json};

/// The use of a tool. Fields that newer versions of Claude Code send beside these are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct Approve {
    /// Name of the tool, such as `Bash`.
    #[schemars(length(min = 1))]
    tool_name: String,
    /// Input of the tool.
    input: Map<String, Value>,
    /// Your own id of the use.
    #[serde(default)]
    tool_use_id: Option<String>,
}

/// Never fails: whatever goes wrong is a denial that says why.
pub async fn run(call: &Call, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
    let (answer, queued) = match ask(call, arguments).await {
        Ok((answer, queued)) => (answer, queued),
        Err(refusal) => (deny(&refusal.0), Vec::new()),
    };
    Ok(Reply { text: answer.to_string(), queued, alone: true })
}

async fn ask(call: &Call, arguments: Map<String, Value>) -> Result<(Value, Vec<sdk::Message>), Refusal> {
    let Approve { tool_name, input, tool_use_id } = read(arguments)?;
    let asked = request(&tool_name, &input);
    let message = PostMessage { call_id: tool_use_id, ..PostMessage::default() };
    let options = Structured { message, ..Structured::default() };
    let request = call.session().await?.request_approval(asked.clone(), options).await?;
    let decided = decided(call, &request).await?;
    let answer = answer(&asked, input, &decided);
    Ok((answer, queued(&request, decided)))
}

/// Returns the request to a person.
fn request(tool_name: &str, input: &Map<String, Value>) -> Approval {
    let special = match tool_name {
        "AskUserQuestion" => questions(input),
        "ExitPlanMode" => {
            input.get("plan").and_then(Value::as_str).map(|plan| approval::plan("Carry out this plan?", plan))
        }
        _ => None,
    };
    special.unwrap_or_else(|| permission(tool_name, input))
}

fn permission(tool_name: &str, input: &Map<String, Value>) -> Approval {
    // It is asked about, not under way.
    let call = ToolCall::new(tool_name, input.clone()).with("state", "done");
    let mut asked = approval::permission(&Body::from(call.clone()).summary());
    for question in &mut asked.questions {
        // "Always" would be a promise that nobody keeps: the next use is asked about again.
        question.options.retain(|option| option.kind != Some(OptionKind::AllowAlways));
    }
    let body = match edit(input) {
        Some((edit, rest)) => {
            let diff = Body::from(CodeEdit { edits: vec![edit] }).to_markdown();
            let rest =
                (!rest.is_empty()).then(|| fence("json", &serde_json::to_string_pretty(&rest).unwrap_or_default()));
            [Some(diff), rest].into_iter().flatten().collect::<Vec<_>>().join("\n\n")
        }
        None => call.markdown_with_input(),
    };
    Approval { body: Some(body), ..asked }
}

/// The edit that the input of an editing tool asks for, and what else it holds.
fn edit(input: &Map<String, Value>) -> Option<(Edit, Map<String, Value>)> {
    let mut rest = input.clone();
    let mut text = |key: &str| match rest.shift_remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let file_path = text("file_path").filter(|path| !path.is_empty())?;
    let (old_content, new_content) = match (text("old_string"), text("new_string"), text("content")) {
        (Some(old), Some(new), None) => (Some(old), new),
        (None, None, Some(new)) => (None, new),
        _ => return None,
    };
    Some((Edit { file_path, old_content, new_content: Some(new_content), language: None }, rest))
}

/// The questions of Claude Code's own tool for asking. None if the input has another shape.
fn questions(input: &Map<String, Value>) -> Option<Approval> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Asked {
        question: String,
        header: Option<String>,
        options: Vec<Offered>,
        #[serde(default)]
        multi_select: bool,
    }
    #[derive(Deserialize)]
    struct Offered {
        label: String,
        description: Option<String>,
    }
    let asked: Vec<Asked> = serde_json::from_value(input.get("questions")?.clone()).ok()?;
    let first = asked.first()?.question.clone();
    let question = |(number, asked): (usize, Asked)| Question {
        options: asked
            .options
            .into_iter()
            .enumerate()
            .map(|(option, Offered { label, description })| Choice {
                id: format!("{number}.{option}"),
                label,
                description,
                kind: None,
            })
            .collect(),
        question: asked.question,
        header: asked.header,
        multi_select: asked.multi_select.then_some(true),
        allow_text: Some(true),
    };
    let questions = asked.into_iter().enumerate().map(question).collect();
    Some(Approval { questions, ..approval::choose(&first, &[]) })
}

/// Returns the answer for Claude Code. Only a person's permission allows the call.
fn answer(asked: &Approval, input: Map<String, Value>, decided: &Decided) -> Value {
    let decision = decided.decision.as_ref().filter(|decision| decision.reported_by.is_none());
    match (decision, decided.state) {
        (Some(decision), ApprovalState::AllowedOnce | ApprovalState::AllowedAlways) => {
            let edited = decision.edited_input.as_ref().and_then(Value::as_object).cloned();
            allow(edited.unwrap_or(input))
        }
        (Some(decision), ApprovalState::Answered) => match answers(asked, decision) {
            Some(answers) => {
                let mut input = input;
                input.insert("answers".to_owned(), answers.into());
                allow(input)
            }
            None => deny("The questions were left unanswered"),
        },
        (Some(decision), ApprovalState::Denied) => {
            let said = decision.text.as_deref().filter(|text| !text.trim().is_empty());
            deny(said.unwrap_or("A person denied it in Verbatim"))
        }
        (_, state) => deny(&format!("Nobody allowed it: {}", state.label())),
    }
}

/// The answer to each question by its own words. None if one has no answer, or it wasn't a question.
fn answers(asked: &Approval, decision: &Decision) -> Option<Map<String, Value>> {
    if asked.kind != ApprovalKind::Question {
        return None;
    }
    let mut typed = decision.text.as_deref().filter(|text| !text.trim().is_empty());
    let mut answer = |question: &Question| {
        let chosen = question.options.iter().filter(|option| decision.selected.contains(&option.id));
        let mut words: Vec<&str> = chosen.map(|option| option.label.as_str()).collect();
        // A text without an owner answers what no option answers.
        if words.is_empty() {
            words.extend(typed.take());
        }
        (!words.is_empty()).then(|| (question.question.clone(), Value::from(words.join(", "))))
    };
    asked.questions.iter().map(&mut answer).collect()
}

fn allow(input: Map<String, Value>) -> Value {
    json!({ "behavior": "allow", "updatedInput": input })
}

fn deny(message: &str) -> Value {
    json!({ "behavior": "deny", "message": message })
}
