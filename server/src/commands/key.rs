//! `verbatim key`: agents' keys, with and without a running server.

use super::text::one_line;
use super::{minute, note, print, print_json};
use crate::cli::{Key, KeyCreate, KeyList, KeyQuota, KeyRevoke};
use crate::door::Door;
use anyhow::Result;
use api::Nothing;
use api::keys::{EditKey, KeyInfo, KeyPath, NewKey, Quota, Scope};
use model::Micros;
use serde_json::json;

pub async fn run(args: Key) -> Result<()> {
    match args {
        Key::Create(args) => create(args).await,
        Key::List(args) => list(args).await,
        Key::Quota(args) => quota(args).await,
        Key::Revoke(args) => revoke(args).await,
    }
}

async fn create(args: KeyCreate) -> Result<()> {
    let door = Door::find_or_make(&args.data).await?;
    let scopes = Some(args.scope).filter(|scopes| !scopes.is_empty());
    let quota = Quota { messages: args.most_messages, bytes: args.most_bytes };
    let quota = Some(quota).filter(|quota| *quota != Quota::default());
    let new = NewKey { name: args.name, scopes, expires_at: args.expires.map(Into::into), quota };
    let made = door.client.create_key(Nothing {}, new).await;
    door.close().await;
    let made = made?;
    if args.json {
        return print_json(&json!({ "id": made.id, "key": made.key }));
    }
    // The key alone goes into a variable.
    note(&format!("Key {}, only shown once, because only a hash is stored", made.id));
    print(&format!("{}\n", made.key))
}

async fn list(args: KeyList) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let keys = door.client.list_keys(Nothing {}, Nothing {}).await;
    door.close().await;
    let keys = keys?.keys;
    if args.json {
        return print_json(&keys);
    }
    if keys.is_empty() {
        return print("No keys yet. `verbatim key create --name NAME` creates one\n");
    }
    print(&keys.iter().map(line).collect::<String>())
}

async fn quota(args: KeyQuota) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let quota = Quota { messages: args.most_messages, bytes: args.most_bytes };
    let keys = door.client.edit_key(KeyPath { key: args.id.clone() }, EditKey { quota }).await;
    door.close().await;
    let keys = keys?.keys;
    if args.json {
        return print_json(&keys);
    }
    let changed = keys.iter().filter(|key| key.id == args.id);
    let said = |key: &KeyInfo| {
        let (id, posted, quota) = (&key.id, key.posted, key.quota);
        let (messages, bytes) = (quota.messages, quota.bytes);
        format!("Key {id} posted {} of {messages} messages, {} of {bytes} bytes\n", posted.messages, posted.bytes)
    };
    print(&changed.map(said).collect::<String>())
}

async fn revoke(args: KeyRevoke) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let keys = door.client.revoke_key(KeyPath { key: args.id.clone() }, Nothing {}).await;
    door.close().await;
    let keys = keys?.keys;
    if args.json { print_json(&keys) } else { print(&format!("Key {} is revoked\n", args.id)) }
}

/// When a key no longer works: of a whole day, that it works on this one.
fn ends(at: Micros) -> String {
    let end = minute(at);
    if end.ends_with("00:00") {
        let last = minute(Micros(at.0 - 1));
        return format!("after {}", last.split(' ').next().unwrap_or(&last));
    }
    end
}

fn line(key: &KeyInfo) -> String {
    let scopes: Vec<&str> = key.scopes.iter().copied().map(Scope::as_str).collect();
    let used = key.last_used_at.map_or_else(|| "never used".to_owned(), |at| format!("used {}", minute(at)));
    let end = match (key.revoked_at, key.expires_at) {
        (Some(at), _) => format!("  revoked {}", minute(at)),
        (None, Some(at)) => format!("  expires {}", ends(at)),
        (None, None) => String::new(),
    };
    let (made, name) = (minute(key.created_at), one_line(&key.name));
    format!("{}  {made}  {}  {used}{end}  posted {}  {name}\n", key.id, scopes.join(","), key.posted.messages)
}
