//! Declares, lists and removes message types, and takes people's answers to the buttons of their messages.

use crate::basics::{clock, problem};
use crate::caller::Caller;
use crate::context::Scoped;
use crate::types::{KnownType, TypeTable};
use api::keys::Scope;
use api::types::{DeclareType, TypeDeclared, TypeDetail, TypeInfo, TypePath, Types};
use api::{Problem, ProblemCode};
use model::declared::MAX_DOCUMENT_BYTES;
use model::message_type::Mismatch;
use model::strict::MISSING;
use serde_json::{Map, Value};
use store::DeclaredType;

/// Maximum number of documents in a workspace. Each version counts.
const MOST: usize = 500;
/// Maximum number of documents that one key may declare.
const MOST_OF_KEY: usize = 100;

pub async fn list_types(scoped: &Scoped) -> Result<Types, Problem> {
    scoped.caller.require(Scope::Read)?;
    let table = scoped.hub.types().await?;
    Ok(Types { types: table.all().map(|known| known.shown.info.clone()).collect() })
}

pub async fn get_type(scoped: &Scoped, path: &TypePath) -> Result<TypeDetail, Problem> {
    scoped.caller.require(Scope::Read)?;
    let table = scoped.hub.types().await?;
    let versions: Vec<_> = table.versions(&path.r#type).iter().map(|known| known.shown.clone()).collect();
    if versions.is_empty() { Err(Problem::not_found("declared type")) } else { Ok(TypeDetail { versions }) }
}

pub async fn declare_type(scoped: &Scoped, path: &TypePath, input: DeclareType) -> Result<TypeDeclared, Problem> {
    scoped.caller.require(Scope::Post)?;
    let document = document(path, input)?;
    let (key_id, declared_by) = match &scoped.caller {
        Caller::User(user) => (None, user.name.clone().unwrap_or_else(|| "You".to_owned())),
        Caller::Local => (None, "A command on this machine".to_owned()),
        Caller::Agent(agent) => (Some(agent.id.clone()), agent.name.clone()),
    };
    let known = KnownType::read(Value::Object(document), declared_by, clock::now()).map_err(refused)?;
    let info = known.shown.info;
    let table = scoped.hub.types().await?;
    let before = table.versions(&info.r#type).iter().find(|other| other.shown.info.version == info.version);
    if let Some(before) = before {
        if before.shown.info.sha256 == info.sha256 {
            return Ok(TypeDeclared { info: before.shown.info.clone(), replayed: true });
        }
        if before.shown.info.from_file {
            let title = format!("A file declares version {} of this type", info.version);
            return Err(Problem::new(ProblemCode::DeclaredByFile, title).hint(format!(
                "Change {} in the data directory, and restart the server",
                before.shown.info.declared_by
            )));
        }
        if matches!(scoped.caller, Caller::Agent(_)) && before.key_id != key_id {
            return Err(not_yours(&before.shown.info));
        }
    } else {
        check_room(&table, key_id.as_deref())?;
    }
    claim(scoped, &table, &info.r#type, key_id.as_deref()).await?;
    let row = DeclaredType {
        message_type: info.r#type.clone(),
        version: info.version,
        sha256: info.sha256.clone(),
        document: known.shown.document.to_string(),
        key_id,
        declared_by: info.declared_by.clone(),
        declared_at: info.declared_at,
    };
    let written = scoped.signed().await.put_declared_type(&row).await.map_err(problem)?;
    scoped.hub.types_changed();
    if !written {
        return Err(not_yours(&info));
    }
    Ok(TypeDeclared { info, replayed: false })
}

/// The document as it is stored: with the type that the address names, and a version.
fn document(path: &TypePath, input: DeclareType) -> Result<Map<String, Value>, Problem> {
    let mut document = input.into_document();
    match document.get("type") {
        None => {
            document.insert("type".to_owned(), Value::from(path.r#type.as_str()));
        }
        Some(named) if *named != path.r#type => {
            return Err(Problem::field("/type", &format!("`{}`, as in the path, or absent", path.r#type)));
        }
        Some(_) => {}
    }
    document.entry("version").or_insert(Value::from(1));
    if document.values().map(|value| value.to_string().len()).sum::<usize>() > MAX_DOCUMENT_BYTES {
        return Err(Problem::too_large(MAX_DOCUMENT_BYTES));
    }
    Ok(document)
}

/// Refuses a new document where the workspace, or the key that declares it, has as many as it may.
fn check_room(table: &TypeTable, key_id: Option<&str>) -> Result<(), Problem> {
    let of_key = key_id.map_or(0, |key| table.all().filter(|known| known.key_id.as_deref() == Some(key)).count());
    let bounds = [(table.all().count(), MOST, ""), (of_key, MOST_OF_KEY, " by this key")];
    match bounds.into_iter().find(|(count, most, _)| count >= most) {
        Some((_, most, by)) => Err(Problem::new(
            ProblemCode::TooManyTypes,
            format!("The maximum of {most} documents declared{by} is reached"),
        )
        .hint("Remove types that are no longer used, in the settings")),
        None => Ok(()),
    }
}

/// Claims the name of a type: who declared it first holds it, in all versions. People may declare any.
async fn claim(scoped: &Scoped, table: &TypeTable, name: &str, key_id: Option<&str>) -> Result<(), Problem> {
    let versions = table.versions(name);
    let Some(key_id) = key_id else {
        scoped.hub.workspace.claim_declared_name(name, None).await.map_err(problem)?;
        return Ok(());
    };
    // A file is the owner's, and no row of the database says so.
    if let Some(file) = versions.iter().find(|known| known.shown.info.from_file) {
        return Err(not_yours(&file.shown.info));
    }
    let owner = scoped.hub.workspace.claim_declared_name(name, Some(key_id)).await.map_err(problem)?;
    if owner.as_deref() == Some(key_id) {
        return Ok(());
    }
    let theirs = versions.iter().rev().find(|known| known.key_id == owner).or(versions.first());
    Err(theirs.map_or_else(|| taken(name, "another key"), |known| not_yours(&known.shown.info)))
}

fn not_yours(theirs: &TypeInfo) -> Problem {
    taken(&theirs.r#type, &theirs.declared_by)
}

fn taken(name: &str, by: &str) -> Problem {
    Problem::new(
        ProblemCode::NotYours,
        format!("The type `{name}` belongs to {by}: nobody else can declare a version of it"),
    )
    .hint("Use another name, or ask a person to remove this type")
}

/// Makes a problem of the first mismatch. The others are in its hint.
fn refused(problems: Vec<Mismatch>) -> Problem {
    let mut problems = problems.into_iter();
    let Some(first) = problems.next() else { return Problem::internal() };
    let problem = match first.pointer.as_str() {
        "" => Problem::new(ProblemCode::InvalidField, format!("The document should be {}", first.expected)),
        pointer if first.expected == MISSING => Problem::missing(pointer),
        pointer => Problem::field(pointer, &first.expected),
    };
    let others: Vec<String> = problems.map(|problem| problem.to_string()).collect();
    if others.is_empty() { problem } else { problem.hint(format!("Also {}", others.join("; "))) }
}

pub async fn remove_type(scoped: &Scoped, path: &TypePath) -> Result<Types, Problem> {
    if path.r#type.contains('\0') {
        return Err(Problem::not_found("declared type"));
    }
    let table = scoped.hub.types().await?;
    let versions = table.versions(&path.r#type);
    if let Some(known) = versions.iter().find(|known| known.shown.info.from_file) {
        return Err(Problem::new(ProblemCode::DeclaredByFile, "A file declares this type")
            .hint(format!("Delete {} in the data directory, and restart the server", known.shown.info.declared_by)));
    }
    if !scoped.signed().await.delete_declared_type(&path.r#type).await.map_err(problem)? {
        return Err(Problem::not_found("declared type"));
    }
    scoped.hub.types_changed();
    list_types(scoped).await
}
