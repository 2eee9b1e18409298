//! `ask`: a question to a person.

use crate::call::{Call, Refusal, Reply, Unanswered, read};
use model::message_type::approval::Approval;
use schemars::JsonSchema;
use sdk::{ApprovalRequest, ApprovalState, Decided, Error, Message, PostMessage, Structured, approval};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A question.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Ask {
    /// Your question, in one line.
    #[schemars(length(min = 1))]
    question: String,
    /// Further details that a person needs to answer, in markdown.
    #[serde(default)]
    details: Option<String>,
    /// Answers to choose from. A person may type another one.
    #[serde(default)]
    options: Vec<String>,
    /// Several options may be chosen.
    #[serde(default)]
    multiple: bool,
}

pub async fn run(call: &Call, arguments: Map<String, Value>) -> Result<Reply, Refusal> {
    let Ask { question, details, options, multiple } = read(arguments)?;
    if question.trim().is_empty() {
        return Err(Refusal::new("`question` is empty"));
    }
    if options.is_empty() {
        let text = details.map_or_else(|| question.clone(), |details| format!("{question}\n\n{details}"));
        return in_words(call, text).await;
    }
    let labels: Vec<&str> = options.iter().map(String::as_str).collect();
    let mut asked = Approval { body: details, ..approval::choose(&question, &labels) };
    for question in &mut asked.questions {
        question.allow_text = Some(true);
        question.multi_select = multiple.then_some(true);
    }
    let request = call.session().await?.request_approval(asked, Structured::default()).await?;
    let decided = decided(call, &request).await?;
    match decided.state {
        ApprovalState::Answered => Ok(Reply::new(decided.text(), queued(&request, decided))),
        state => Err(Refusal(format!("Nobody answered: {}", state.label()))),
    }
}

/// A question without options is a text, which a text answers.
async fn in_words(call: &Call, text: String) -> Result<Reply, Refusal> {
    let question = call.session().await?.question(PostMessage::from(text)).await?;
    let answer = or_withdraw(call.wait(question.answer()).await, question.withdraw()).await?;
    let text = answer.text();
    Ok(Reply::new(text, [question.sent.queued_user_messages, answer.queued_user_messages].concat()))
}

/// Waits for the decision of a request, and withdraws it if none comes.
pub async fn decided(call: &Call, request: &ApprovalRequest) -> Result<Decided, Refusal> {
    or_withdraw(call.wait(request.decision()).await, request.withdraw()).await
}

/// Returns what a wait brought. What nobody answered is withdrawn.
async fn or_withdraw<T>(
    waited: Result<Result<T, Error>, Unanswered>,
    withdraw: impl Future<Output = Result<(), Error>>,
) -> Result<T, Refusal> {
    match waited {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(error)) => {
            // Nobody waits any more. Why that is says more than a withdrawal that fails for the same reason.
            drop(withdraw.await);
            Err(error.into())
        }
        Err(unanswered) => match withdraw.await {
            Ok(()) => Err(Refusal(unanswered.to_string())),
            Err(error) => Err(Refusal(format!("The request couldn't be withdrawn: {error}"))),
        },
    }
}

/// Returns other messages of people, from before the request and while it was open.
pub fn queued(request: &ApprovalRequest, decided: Decided) -> Vec<Message> {
    [request.sent.queued_user_messages.clone(), decided.queued_user_messages].concat()
}
