//! `verbatim user`: people who may log in.

use super::text::one_line;
use super::{minute, note, print, print_json};
use crate::cli::{User, UserAdd, UserList, UserNamed, UserProject, UserRename, UserRole};
use crate::door::{self, Door};
use anyhow::{Result, bail};
use api::account::Pairing;
use api::people::{EditPerson, NewPerson, People, PersonInfo, PersonPath, SetProjectPeople};
use api::{Client, Nothing};

pub async fn run(args: User) -> Result<()> {
    match args {
        User::Add(args) => add(args).await,
        User::List(args) => list(args).await,
        User::Invite(args) => invite(args).await,
        User::Role(args) => change_role(args).await,
        User::Rename(args) => rename(args).await,
        User::Remove(args) => remove(args).await,
        User::Project(args) => project(args).await,
    }
}

async fn add(args: UserAdd) -> Result<()> {
    let verbatim = door::answering(&args.data).await?;
    let new = NewPerson { name: args.name, role: args.role };
    let added = verbatim.client().add_person(Nothing {}, new).await?;
    invited(&added.person, &added.invitation)
}

async fn invite(args: UserNamed) -> Result<()> {
    let verbatim = door::answering(&args.data).await?;
    let client = verbatim.client();
    let person = find(client, &args.name).await?;
    let invitation = client.invite_person(PersonPath { person: person.id.clone() }, Nothing {}).await?;
    invited(&person, &invitation)
}

/// The link alone goes into a variable.
fn invited(person: &PersonInfo, invitation: &Pairing) -> Result<()> {
    note(&format!(
        "Send this link to {} alone. It logs in once, until {}",
        called(person),
        minute(invitation.expires_at)
    ));
    if !invitation.url.starts_with("https://") {
        note("Only this machine reaches the server: `docs/user/network.md` says how others do");
    }
    print(&format!("{}\n", invitation.url))
}

async fn list(args: UserList) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let people = door.client.list_people(Nothing {}, Nothing {}).await;
    door.close().await;
    let people = people?;
    if args.json {
        return print_json(&people);
    }
    print(&written(&people))
}

fn written(people: &People) -> String {
    let mut lines: String = people.people.iter().map(line).collect();
    for one in &people.restricted {
        let names: Vec<String> =
            people.people.iter().filter(|person| one.people.contains(&person.id)).map(called).collect();
        let names = if names.is_empty() { "only owners".to_owned() } else { format!("owners, {}", names.join(", ")) };
        lines.push_str(&format!("{}  seen by {names}\n", one_line(&one.project)));
    }
    lines
}

fn line(person: &PersonInfo) -> String {
    let seen = match (person.last_used_at, person.invited_until) {
        (Some(at), _) => format!("last seen {}", minute(at)),
        (None, Some(until)) => format!("invited until {}", minute(until)),
        (None, None) => "not logged in".to_owned(),
    };
    format!("{}  {}  devices {}  {seen}  {}\n", person.id, person.role, person.devices, called(person))
}

async fn change_role(args: UserRole) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let edited = edit(&door.client, &args.name, EditPerson { role: Some(args.role), ..EditPerson::default() }).await;
    door.close().await;
    print(&format!("{} has the role {}\n", called(&edited?), args.role))
}

async fn rename(args: UserRename) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let name = Some(args.new);
    let edited = edit(&door.client, &args.name, EditPerson { name, ..EditPerson::default() }).await;
    door.close().await;
    print(&format!("Renamed to {}\n", called(&edited?)))
}

async fn edit(client: &Client, name: &str, edit: EditPerson) -> Result<PersonInfo> {
    let person = find(client, name).await?;
    let people = client.edit_person(PersonPath { person: person.id.clone() }, edit).await?.people;
    Ok(people.into_iter().find(|other| other.id == person.id).unwrap_or(person))
}

async fn remove(args: UserNamed) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let removed = async {
        let person = find(&door.client, &args.name).await?;
        door.client.remove_person(PersonPath { person: person.id.clone() }, Nothing {}).await?;
        Ok::<_, anyhow::Error>(person)
    };
    let removed = removed.await;
    door.close().await;
    print(&format!("{} is removed\n", called(&removed?)))
}

async fn project(args: UserProject) -> Result<()> {
    if args.only.is_none() && !args.all {
        bail!("Say who sees the project: `--only NAME,NAME`, `--only` for owners alone, or `--all`");
    }
    let door = Door::find(&args.data).await?;
    let set = async {
        let mut people = args.only.as_ref().map(|_| Vec::new());
        for name in args.only.iter().flatten() {
            let person = find(&door.client, name).await?;
            people.get_or_insert_default().push(person.id);
        }
        let set = SetProjectPeople { project: args.project.clone(), people };
        Ok::<_, anyhow::Error>(door.client.set_project_people(Nothing {}, set).await?)
    };
    let set = set.await;
    door.close().await;
    print(&written(&set?))
}

/// A person by id, or by name however it is written.
async fn find(client: &Client, name: &str) -> Result<PersonInfo> {
    let people = client.list_people(Nothing {}, Nothing {}).await?.people;
    let key = name.to_lowercase();
    let is_named = |person: &PersonInfo| person.name.as_ref().is_some_and(|name| name.to_lowercase() == key);
    let found = people.iter().find(|person| person.id == name).or_else(|| people.iter().find(|one| is_named(one)));
    match found {
        Some(person) => Ok(person.clone()),
        None => bail!("Nobody is called `{}`. `verbatim user list` lists everybody", one_line(name)),
    }
}

fn called(person: &PersonInfo) -> String {
    person.name.as_deref().map_or_else(|| "The owner".to_owned(), one_line)
}
