//! `verbatim ask`: a question from the shell. The answer is its output.

use super::send::{session, tell};
use super::text::text;
use super::{note, print, print_json};
use crate::cli::Ask;
use crate::door;
use crate::signals::Signals;
use anyhow::{Context as _, Result, bail};
use app::shared::session_href;
use sdk::{ApprovalRequest, EndOutcome, Message, PostMessage, Question, Session, Structured, approval};
use serde_json::{Value, json};
use std::process::ExitCode;
use std::time::Duration;

/// A permission that wasn't given.
const DENIED: u8 = 3;

pub async fn run(args: Ask) -> Result<ExitCode> {
    let text = text(args.text.as_deref())?.context("there is nothing to ask\nGive a text, or pipe one in")?;
    let verbatim = door::running(&args.data, &args.remote).await?;
    // Before anything is asked: what ends us takes it back.
    let mut signals = Signals::hear()?;
    let session = session(&verbatim, &args.target, &text).await?;
    let asked = Asked::ask(&session, &args, &text).await?;
    let id = asked.message().entry().message.session_id.to_string();
    note(&format!("Asked at {}{}", verbatim.url().unwrap_or_default(), session_href(&id)));
    let answered = tokio::select! {
        answered = asked.answered() => answered.map(Ok),
        why = over(args.timeout, &mut signals) => Ok(Err(why)),
    };
    if !matches!(answered, Ok(Ok(_))) {
        // Nobody waits for the answer any more.
        asked.withdraw().await?;
    }
    if args.target.session.is_none() {
        session.end(EndOutcome::Done).await?;
    }
    let answered = match answered? {
        Ok(answered) => answered,
        Err(why) => bail!("{why}: the question was retracted"),
    };
    if args.json {
        let queued: Vec<_> = answered.queued.into_iter().map(Message::into_entry).collect();
        print_json(&json!({
            "session_id": id,
            "answer": answered.text,
            "decision": answered.decision,
            "queued_user_messages": queued,
        }))?;
    } else {
        tell(&answered.queued);
        print(&format!("{}\n", answered.text))?;
    }
    Ok(if args.permission && !answered.allowed { ExitCode::from(DENIED) } else { ExitCode::SUCCESS })
}

/// A text is answered by a text; buttons by a decision.
enum Asked {
    Question(Question),
    Approval(ApprovalRequest),
}

struct Answered {
    text: String,
    allowed: bool,
    /// State, choice and who decided, of an approval.
    decision: Value,
    queued: Vec<Message>,
}

impl Asked {
    async fn ask(session: &Session, args: &Ask, text: &str) -> Result<Self> {
        let approval = if args.permission {
            approval::permission(text)
        } else if args.choice.is_empty() {
            return Ok(Self::Question(session.question(PostMessage::from(text)).await?));
        } else {
            approval::choose(text, &args.choice.iter().map(String::as_str).collect::<Vec<_>>())
        };
        Ok(Self::Approval(session.request_approval(approval, Structured::default()).await?))
    }

    fn message(&self) -> &Message {
        match self {
            Self::Question(question) => &question.sent.message,
            Self::Approval(request) => &request.sent.message,
        }
    }

    async fn answered(&self) -> Result<Answered> {
        Ok(match self {
            Self::Question(question) => {
                let answer = question.answer().await?;
                let queued = [question.sent.queued_user_messages.clone(), answer.queued_user_messages.clone()].concat();
                Answered { text: answer.text(), allowed: false, decision: Value::Null, queued }
            }
            Self::Approval(request) => {
                let decided = request.decision().await?;
                let queued = [request.sent.queued_user_messages.clone(), decided.queued_user_messages.clone()].concat();
                let text = if decided.text().is_empty() { decided.state.label() } else { decided.text() };
                let decision = match &decided.decision {
                    Some(decision) => serde_json::to_value(decision)?,
                    None => json!({ "state": decided.state }),
                };
                Answered { text, allowed: decided.allowed(), decision, queued }
            }
        })
    }

    async fn withdraw(&self) -> Result<()> {
        match self {
            Self::Question(question) => question.withdraw().await?,
            Self::Approval(request) => request.withdraw().await?,
        }
        Ok(())
    }
}

/// Says why: the time is over, or somebody ends the program.
async fn over(seconds: Option<u64>, signals: &mut Signals) -> &'static str {
    let time = async {
        match seconds {
            Some(seconds) => tokio::time::sleep(Duration::from_secs(seconds)).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = time => "nobody answered in time",
        () = signals.next() => "interrupted",
    }
}
