//! `verbatim notify`: a message of the host, for people. No model reads it.

use super::text::text;
use super::{print, print_json};
use crate::cli::Notify;
use crate::door::Door;
use anyhow::{Result, bail};
use api::Nothing;
use api::host::HostMessage;

pub async fn run(args: Notify) -> Result<()> {
    let Some(content) = text(args.text.as_deref())? else {
        bail!("there is nothing to post\nGive a text, or pipe one in");
    };
    let door = Door::find_or_make(&args.data).await?;
    let deploy = args.deploy.then_some(true);
    let message = HostMessage { content, session: args.session, deploy, id: args.id };
    let posted = door.client.post_host_message(Nothing {}, message).await;
    door.close().await;
    let posted = posted?;
    if args.json {
        return print_json(&posted);
    }
    print(&posted.sessions.iter().map(|session| format!("{session}\n")).collect::<String>())
}
