//! An agent in three lines: a session, a message, the end.
//!
//! `VERBATIM_URL=http://127.0.0.1:7117 VERBATIM_KEY=vbt_... cargo run --package sdk --example minimal`

use sdk::{EndOutcome, Verbatim};

#[tokio::main]
async fn main() -> Result<(), sdk::Error> {
    let session = Verbatim::from_env()?.create_session("minimal").await?;
    session.send_message("All **412** tests pass.").await?;
    session.end(EndOutcome::Done).await
}
