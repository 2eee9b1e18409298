//! An agent that asks: a question that is answered in words, a permission with buttons, and what people wrote besides.
//!
//! `VERBATIM_URL=http://127.0.0.1:7117 VERBATIM_KEY=vbt_... cargo run --package sdk --example ask`
//!
//! Stop the server while it waits, and start it again: it goes on waiting.

use sdk::{EndOutcome, Message, NewSession, Verbatim, approval};

#[tokio::main]
async fn main() -> Result<(), sdk::Error> {
    let new = NewSession { title: Some("Publish a release".to_owned()), ..NewSession::from("release-bot") };
    let session = Verbatim::from_env()?.create_session(new).await?;
    println(&format!("Answer in session {}", session.id()));

    let version = session.ask("Which version shall I publish?").await?;
    heard(&version.queued_user_messages);
    println(&format!("Version: {}", version.text()));

    let decided = session.ask_approval(approval::permission(&format!("Publish {}", version.text()))).await?;
    heard(&decided.queued_user_messages);
    if decided.allowed() {
        session.send_message(format!("Published **{}**.", version.text())).await?;
    } else {
        session.send_message(format!("Not published: {}", decided.state.label())).await?;
    }
    session.end(EndOutcome::Done).await
}

/// Prints messages of people that were no answer.
fn heard(messages: &[Message]) {
    for message in messages {
        println(&format!("Heard: {}", message.text()));
    }
}

#[expect(clippy::print_stdout, reason = "an example speaks to whoever runs it")]
fn println(text: &str) {
    println!("{text}");
}
