//! `verbatim show`: the messages of a session, as markdown or JSON lines.

use super::{minute, print};
use crate::cli::Show;
use crate::door::Door;
use anyhow::Result;
use api::messages::{Entry, ListMessages};
use api::sessions::SessionPath;
use api::{Client, Nothing};

const PAGE: u32 = 500;

pub async fn run(args: Show) -> Result<()> {
    let door = Door::open(&args.data).await?;
    let shown =
        if args.json { json(&door.client, &args.session).await } else { text(&door.client, &args.session).await };
    door.close().await;
    shown
}

/// Everything, one message a line.
async fn json(client: &Client, session: &str) -> Result<()> {
    each(client, session, Some(1), |entry| print(&format!("{}\n", serde_json::to_string(entry)?))).await
}

/// What the dashboard shows without its dev toggle.
async fn text(client: &Client, session: &str) -> Result<()> {
    let detail = client.get_session(SessionPath { session: session.to_owned() }, Nothing {}).await?;
    print(&format!("# {}\n", detail.session.title))?;
    each(client, session, None, |entry| {
        let draft = &entry.message.draft;
        let head = format!("{} {} · {}", draft.role, entry.message_type, minute(draft.created_at));
        print(&format!("\n--- {head}\n{}\n", model::markdown::to_markdown(draft).trim_end()))
    })
    .await
}

async fn each(client: &Client, session: &str, dev: Option<u8>, show: impl Fn(&Entry) -> Result<()>) -> Result<()> {
    let mut after = 0;
    loop {
        let query = ListMessages { after: Some(after), dev, limit: Some(PAGE), ..ListMessages::default() };
        let page = client.list_messages(SessionPath { session: session.to_owned() }, query).await?;
        page.messages.iter().try_for_each(&show)?;
        if page.to >= page.last_seq || page.to <= after {
            return Ok(());
        }
        after = page.to;
    }
}
