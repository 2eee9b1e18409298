//! `verbatim show`: the messages of a session, as markdown or JSON lines.

use super::hidden::{Row, Run, rows};
use super::text::one_line;
use super::{minute, print, print_json};
use crate::cli::Show;
use crate::door::Door;
use crate::speaker::speaker;
use anyhow::Result;
use api::messages::{ListMessages, MessagePage};
use api::sessions::SessionPath;
use api::{Client, Nothing};

const PAGE: u32 = 500;

pub async fn run(args: Show) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let shown = if args.json { json(&door.client, &args).await } else { text(&door.client, &args).await };
    door.close().await;
    shown
}

/// Prints everything, one message a line.
async fn json(client: &Client, args: &Show) -> Result<()> {
    each(client, args, true, |page| page.messages.iter().try_for_each(print_json)).await
}

/// Prints what the dashboard shows, and counts what it hides.
async fn text(client: &Client, args: &Show) -> Result<()> {
    let detail = client.get_session(SessionPath { session: args.session.clone() }, Nothing {}).await?;
    let mut hidden = Run::default();
    let count = |hidden: &mut Run| hidden.take().map_or(Ok(()), |line| print(&format!("\n--- {}\n", one_line(&line))));
    print(&format!("# {}\n", one_line(&detail.session.title)))?;
    let filter = args.only.filter();
    if !filter.is_empty() {
        print(&format!("Only {}\n", filter.words()))?;
    }
    each(client, args, args.dev, |page| {
        rows(page).into_iter().try_for_each(|row| match row {
            Row::Hidden(row) => {
                hidden.push(row);
                Ok(())
            }
            Row::Message(entry) => {
                count(&mut hidden)?;
                let draft = &entry.message.draft;
                let who = speaker(entry, &detail.assistant);
                let head = one_line(&format!("{who} · {} · {}", entry.message_type, minute(draft.created_at)));
                // Terminal codes of an output aren't for this terminal.
                let text = model::terminal::plain(&model::markdown::to_markdown(draft));
                print(&format!("\n--- {head}\n{}\n", text.trim_end()))
            }
        })
    })
    .await?;
    count(&mut hidden)
}

/// Calls `show` with each page of the session.
async fn each(client: &Client, args: &Show, dev: bool, mut show: impl FnMut(&MessagePage) -> Result<()>) -> Result<()> {
    let mut after = 0;
    loop {
        let dev = dev.then_some(1);
        let (types, roles) = (args.only.types.clone(), args.only.roles.clone());
        let query =
            ListMessages { after: Some(after), types, roles, dev, limit: Some(PAGE), ..ListMessages::default() };
        let page = client.list_messages(SessionPath { session: args.session.clone() }, query).await?;
        show(&page)?;
        if page.to >= page.last_seq || page.to <= after {
            return Ok(());
        }
        after = page.to;
    }
}
