//! `verbatim share`: links by which somebody without a log-in reads a session.

use super::text::one_line;
use super::{minute, note, print, print_json};
use crate::cli::{Share as Args, ShareCreate, ShareList, ShareRevoke};
use crate::door::{self, Door};
use anyhow::Result;
use api::Nothing;
use api::shares::{NewShare, Share, SharePath};

pub async fn run(args: Args) -> Result<()> {
    match args {
        Args::Create(args) => create(args).await,
        Args::List(args) => list(args).await,
        Args::Revoke(args) => revoke(args).await,
    }
}

/// A link leads to the running server.
async fn create(args: ShareCreate) -> Result<()> {
    let verbatim = door::answering(&args.data).await?;
    let ShareCreate { session, from, to, days, label, unmasked, .. } = args;
    let new = NewShare { session, from, to, redacted: Some(!unmasked), days, label };
    let made = verbatim.client().create_share(Nothing {}, new).await?;
    if args.json {
        return print_json(&made);
    }
    let masked = if made.share.redacted { "with secrets masked" } else { "without masking" };
    let (id, expires) = (&made.share.id, minute(made.share.expires_at));
    // The link alone goes into a variable.
    note(&format!("Link {id}, {masked}, expires {expires}. It is only shown once, because only a hash is stored"));
    print(&format!("{}\n", made.url))
}

async fn list(args: ShareList) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let shares = door.client.list_shares(Nothing {}, Nothing {}).await;
    door.close().await;
    let shares = shares?.shares;
    if args.json {
        return print_json(&shares);
    }
    if shares.is_empty() {
        return print("No links yet. `verbatim share create SESSION` creates one\n");
    }
    print(&shares.iter().map(line).collect::<String>())
}

async fn revoke(args: ShareRevoke) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let shares = door.client.revoke_share(SharePath { share: args.id.clone() }, Nothing {}).await;
    door.close().await;
    let shares = shares?.shares;
    if args.json { print_json(&shares) } else { print(&format!("Link {} is revoked\n", args.id)) }
}

/// `0198f2c4-...  2026-11-27 09:00  expires 2026-12-04 09:00  opened 2 times  Mill (For the review)`.
fn line(share: &Share) -> String {
    let end = match share.revoked_at {
        Some(at) => format!("revoked {}", minute(at)),
        None => format!("expires {}", minute(share.expires_at)),
    };
    let times = if share.opened == 1 { "time" } else { "times" };
    let masked = if share.redacted { "" } else { "  not masked" };
    let title = one_line(share.session_title.as_deref().unwrap_or("deleted session"));
    let label = if share.label.is_empty() { String::new() } else { format!(" ({})", one_line(&share.label)) };
    format!(
        "{}  {}  {end}  opened {} {times}{masked}  {title}{label}\n",
        share.id,
        minute(share.created_at),
        share.opened
    )
}
