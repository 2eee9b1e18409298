//! `verbatim key`: agents' keys, with and without a running server.

use super::text::one_line;
use super::{minute, print, print_json};
use crate::cli::{Key, KeyCreate, KeyList, KeyRevoke};
use crate::door::Door;
use anyhow::Result;
use api::Nothing;
use api::keys::{KeyInfo, KeyPath, NewKey, Scope};
use model::Micros;
use serde_json::json;

pub async fn run(args: Key) -> Result<()> {
    match args {
        Key::Create(args) => create(args).await,
        Key::List(args) => list(args).await,
        Key::Revoke(args) => revoke(args).await,
    }
}

async fn create(args: KeyCreate) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let scopes = Some(args.scope).filter(|scopes| !scopes.is_empty());
    let new = NewKey { name: args.name, scopes, expires_at: args.expires.map(Into::into) };
    let made = door.client.create_key(Nothing {}, new).await;
    door.close().await;
    let made = made?;
    if args.json {
        return print_json(&json!({ "id": made.id, "key": made.key }));
    }
    // The key alone goes into a variable.
    eprintln!("Key {}, shown this once: only a hash of it is kept", made.id);
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
        return print("No keys yet. `verbatim key create --name NAME` makes one\n");
    }
    print(&keys.iter().map(line).collect::<String>())
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
    format!("{}  {}  {}  {used}{end}  {}\n", key.id, minute(key.created_at), scopes.join(","), one_line(&key.name))
}
