//! `verbatim types`: lists, declares and removes message types, with or without a running server.

use super::text::one_line;
use super::{minute, print, print_json};
use crate::cli::{Types, TypesList, TypesPut, TypesRemove};
use crate::door::Door;
use anyhow::{Context as _, Result};
use api::Nothing;
use api::types::{DeclareType, TypeInfo, TypePath};

pub async fn run(args: Types) -> Result<()> {
    match args {
        Types::List(args) => list(args).await,
        Types::Put(args) => put(args).await,
        Types::Remove(args) => remove(args).await,
    }
}

async fn list(args: TypesList) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let types = door.client.list_types(Nothing {}, Nothing {}).await;
    door.close().await;
    let types = types?.types;
    if args.json {
        return print_json(&types);
    }
    if types.is_empty() {
        return print("No message type is declared. `verbatim types put FILE` declares one\n");
    }
    print(&types.iter().map(line).collect::<String>())
}

async fn put(args: TypesPut) -> Result<()> {
    let name = args.file.display();
    let text = std::fs::read_to_string(&args.file).with_context(|| format!("{name} can't be read"))?;
    let document: DeclareType = serde_json::from_str(&text).with_context(|| format!("{name} isn't a JSON object"))?;
    let message_type = document.message_type.as_ref().and_then(serde_json::Value::as_str);
    let message_type = message_type.with_context(|| format!("{name} has no `type`"))?.to_owned();
    let door = Door::find_or_make(&args.data).await?;
    let declared = door.client.declare_type(TypePath { r#type: message_type }, document).await;
    door.close().await;
    let declared = declared?;
    if args.json { print_json(&declared) } else { print(&line(&declared.info)) }
}

async fn remove(args: TypesRemove) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let left = door.client.remove_type(TypePath { r#type: args.message_type.clone() }, Nothing {}).await;
    door.close().await;
    let left = left?.types;
    if args.json { print_json(&left) } else { print(&format!("{} is removed\n", one_line(&args.message_type))) }
}

fn line(info: &TypeInfo) -> String {
    let (name, title, by) = (one_line(&info.r#type), one_line(&info.title), one_line(&info.declared_by));
    format!("{name}  version {}  {title}  declared by {by} on {}\n", info.version, minute(info.declared_at))
}
