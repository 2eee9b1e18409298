//! The endpoints of people.

use crate::account::login;
use crate::basics::line::is_line;
use crate::basics::{clock, hex, problem};
use crate::context::{Hub, Scoped};
use api::account::Pairing;
use api::people::{
    EditPerson, NewPerson, People, PersonAdded, PersonInfo, PersonPath, PersonRole, ProjectPeople, SetProjectPeople,
};
use api::{Problem, ProblemCode};
use model::Micros;
use model::audit::Event;
use store::people::OWNER;
use store::{Person, Workspace};

/// Characters of a name.
const NAME_CHARS: usize = 60;
/// How the owner of the machine is called until they have another name.
const OWNERS_NAME: &str = "Owner";
const MOST_PEOPLE: usize = 200;
const PROJECT_BYTES: usize = 4096;
const INVITATION_LIFE: i64 = 7 * 24 * 3600 * Micros::SECOND;

pub async fn list_people(scoped: &Scoped) -> Result<People, Problem> {
    let hub = &scoped.hub;
    let mut stored = hub.workspace.people().await.map_err(problem)?;
    stored.sort_by_key(|person| person.id != OWNER);
    let owner = stored.first().is_none_or(|person| person.id != OWNER);
    let logins = hub.holding_logins().await?;
    let info = |id: &str, name: Option<String>, role: PersonRole, invited_until: Option<i64>| {
        let own = || logins.iter().filter(|login| login.person == id);
        PersonInfo {
            id: id.to_owned(),
            name,
            role,
            you: scoped.caller.user().is_some_and(|user| user.id == id),
            devices: own().count(),
            last_used_at: own().map(|login| login.last_used_at).max(),
            invited_until: invited_until.map(Micros).filter(|until| *until > clock::now()),
        }
    };
    let of_machine = owner.then(|| info(OWNER, None, PersonRole::Owner, None));
    let others = stored.into_iter().map(|person| {
        let role = PersonRole::parse(&person.role).unwrap_or(PersonRole::Viewer);
        info(&person.id, Some(person.name), role, person.invited_until)
    });
    let people = of_machine.into_iter().chain(others).collect();
    let restricted = hub.workspace.restricted_projects().await.map_err(problem)?;
    let restricted = restricted.into_iter().map(|(project, people)| ProjectPeople { project, people }).collect();
    Ok(People { people, restricted })
}

pub async fn add_person(scoped: &Scoped, input: NewPerson) -> Result<PersonAdded, Problem> {
    let name = one_line(&input.name)?;
    room_for_one(&scoped.hub).await?;
    if name_owner(&scoped.hub, &scoped.signed().await).await? {
        changed(scoped);
    }
    let id = login::short_id()?;
    let role = input.role.as_str().to_owned();
    let event = Event::PersonAdded { person: id.clone(), name: name.clone(), role: role.clone() };
    let person = Person { id: id.clone(), name: name.clone(), role, added_at: clock::now().0, invited_until: None };
    put(scoped, person, event).await?;
    let invitation = invite(scoped, &id, name).await?;
    let people = list_people(scoped).await?.people;
    let person = people.into_iter().find(|person| person.id == id).ok_or_else(Problem::internal)?;
    Ok(PersonAdded { person, invitation })
}

/// Checks that one more person can be added.
pub(super) async fn room_for_one(hub: &Hub) -> Result<(), Problem> {
    if hub.workspace.people().await.map_err(problem)?.len() < MOST_PEOPLE {
        return Ok(());
    }
    let title = format!("There are {MOST_PEOPLE} people already");
    Err(Problem::new(ProblemCode::TooManyPeople, title).hint("Remove somebody first"))
}

/// Gives the owner of the machine a name, by which others see what they do. Returns false if they have one.
pub(super) async fn name_owner(hub: &Hub, by: &Workspace) -> Result<bool, Problem> {
    if hub.workspace.person(OWNER).await.map_err(problem)?.is_some() {
        return Ok(false);
    }
    let (name, role) = (OWNERS_NAME.to_owned(), PersonRole::Owner.as_str().to_owned());
    let event = Event::PersonChanged { person: OWNER.to_owned(), name: name.clone(), role: role.clone() };
    let owner = Person { id: OWNER.to_owned(), name, role, added_at: clock::now().0, invited_until: None };
    by.put_person(&owner, event).await.map_err(problem)
}

pub async fn edit_person(scoped: &Scoped, path: &PersonPath, input: EditPerson) -> Result<People, Problem> {
    let before = find(scoped, &path.person).await?;
    let name = match (&input.name, before.name) {
        (Some(given), _) => one_line(given)?,
        (None, Some(name)) => name,
        (None, None) => return Err(Problem::field("/name", "1 to 60 characters: the owner has no name yet")),
    };
    let role = input.role.unwrap_or(before.role);
    if path.person == OWNER && role != PersonRole::Owner {
        return Err(Problem::field("/role", "`owner`: the owner of the machine stays one"));
    }
    let role = role.as_str().to_owned();
    let event = Event::PersonChanged { person: path.person.clone(), name: name.clone(), role: role.clone() };
    let person = Person { id: path.person.clone(), name, role, added_at: clock::now().0, invited_until: None };
    put(scoped, person, event).await?;
    list_people(scoped).await
}

pub async fn remove_person(scoped: &Scoped, path: &PersonPath) -> Result<People, Problem> {
    let person = find(scoped, &path.person).await?;
    if person.id == OWNER || person.you {
        let title = if person.you { "You can't remove yourself" } else { "The owner of the machine can't be removed" };
        return Err(Problem::new(ProblemCode::Forbidden, title).hint("Another owner can remove you"));
    }
    let event = Event::PersonRemoved { person: person.id.clone(), name: person.name.unwrap_or_default() };
    let by = scoped.signed().await;
    scoped.hub.end_logins(&by, |login: &store::Login| login.person == person.id).await?;
    by.remove_person(&person.id, clock::now(), event).await.map_err(problem)?;
    changed(scoped);
    list_people(scoped).await
}

pub async fn invite_person(scoped: &Scoped, path: &PersonPath) -> Result<Pairing, Problem> {
    let person = find(scoped, &path.person).await?;
    invite(scoped, &person.id, person.name.unwrap_or_default()).await
}

pub async fn set_project_people(scoped: &Scoped, input: SetProjectPeople) -> Result<People, Problem> {
    let is_project = !input.project.is_empty() && input.project.len() <= PROJECT_BYTES;
    if !is_project || input.project.chars().any(char::is_control) {
        return Err(Problem::field("/project", &format!("one line of 1 to {PROJECT_BYTES} bytes")));
    }
    let known = list_people(scoped).await?.people;
    let mut names = Vec::new();
    for (index, id) in input.people.iter().flatten().enumerate() {
        let person = known.iter().find(|person| person.id == *id);
        let person = person.ok_or_else(|| Problem::field(&format!("/people/{index}"), "the id of a person"))?;
        names.extend(person.name.clone());
    }
    let people = input.people.as_deref();
    let event = Event::ProjectPeopleChanged { project: input.project.clone(), people: people.map(|_| names) };
    scoped.signed().await.set_project_people(&input.project, people, event).await.map_err(problem)?;
    changed(scoped);
    list_people(scoped).await
}

/// Streams look whether what they show still is for their person.
fn changed(scoped: &Scoped) {
    scoped.hub.revoked.send_modify(|count| *count += 1);
}

async fn find(scoped: &Scoped, id: &str) -> Result<PersonInfo, Problem> {
    let people = list_people(scoped).await?.people;
    people.into_iter().find(|person| person.id == id).ok_or_else(|| Problem::not_found("person"))
}

async fn put(scoped: &Scoped, person: Person, event: Event) -> Result<(), Problem> {
    if !scoped.signed().await.put_person(&person, event).await.map_err(problem)? {
        return Err(Problem::field("/name", "a name that nobody else has"));
    }
    changed(scoped);
    Ok(())
}

async fn invite(scoped: &Scoped, id: &str, name: String) -> Result<Pairing, Problem> {
    let (code, until) = (login::secret()?, Micros(clock::now().0 + INVITATION_LIFE));
    let event = Event::PersonInvited { person: id.to_owned(), name };
    let stored = scoped.signed().await.put_invitation(id, &hex(&login::hash(&code)), until, event).await;
    stored.map_err(problem)?;
    scoped.hub.link("/", &code, until)
}

fn one_line(given: &str) -> Result<String, Problem> {
    let name = given.trim().to_owned();
    if !is_line(&name, NAME_CHARS) || name.eq_ignore_ascii_case(OWNER) {
        return Err(Problem::field("/name", &format!("one line of 1 to {NAME_CHARS} characters, and not `{OWNER}`")));
    }
    Ok(name)
}
