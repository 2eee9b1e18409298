//! People who may log in, their roles, and who sees which projects.

use super::credentials::copied;
use super::question::question;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::send::{as_, attribute, problem, send};
use crate::shared::attr;
use crate::shared::form::As;
use crate::shell::icon;
use crate::visible;
use api::contract::{AddPerson, EditPersonEndpoint, InvitePerson, RemovePerson, SetProjectPeopleEndpoint};
use api::people::{People, PersonInfo, PersonRole, ProjectPeople, SetProjectPeople};
use api::sessions::Facet;
use leptos::prelude::*;

pub fn people(people: &People, projects: &[Facet], clock: &Clock) -> Part {
    let is_alone = people.people.len() == 1;
    let rows: Vec<_> =
        people.people.iter().filter(|_| !is_alone).enumerate().map(|(index, one)| person(index, one, clock)).collect();
    let alone = is_alone.then(|| {
        part! { <p class="cap none-yet">"Only you use this server. Others see what you let them see, and what they do has their name."</p> }
    });
    let visibility = (!is_alone).then(|| visibility(people, projects));
    part! {
        <section id="people" aria-labelledby="people-heading">
            <div class="pagehead"><h2 id="people-heading">"People"</h2>
                <p>"Viewers read. Members also write, decide and start agents. Owners also change settings, and see every project."</p></div>
            {alone}
            {rows}
            <details class="setting" id="new-person"><summary class="btn tiny">"Add a person"</summary>
                <form class="answer notice" {..send(AddPerson, []).done("").attributes()} {..attribute(attr::SHOWS, "added")} autocomplete="off">
                    <div class="answer-field"><label for="person-name">"Name"</label><input id="person-name" name="name" maxlength="60" required dir="auto"/></div>
                    <div class="answer-field"><label for="person-role">"Role"</label>{roles("person-role", PersonRole::Member)}</div>
                    <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                    <div class="actions"><button type="submit" class="btn primary">"Add, and show the invitation"</button></div>
                </form>
            </details>
            {visibility}
        </section>
    }
}

/// Filled with the invitation of a new person, and with a later one.
pub fn invited() -> Part {
    part! {
        {invitation("added", "invitation/qr", "invitation/url")}
        {invitation("invited", "qr", "url")}
    }
}

fn invitation(id: &'static str, qr: &'static str, url: &'static str) -> Part {
    part! {
        <div id=id class="callout" data-state="done" role="status" hidden>{icon(Glyph::LOCK)}
            <div><p><b>"Send this link to them alone."</b>" It logs in once, within seven days."</p>
                <img class="qr" alt="QR code of the link below" width="220" height="220" {..attribute(attr::SLOT, qr)}/>
                {copied(url)}</div>
        </div>
    }
}

pub fn remove_dialog() -> Part {
    let says = "Their browsers are logged out at once. What they wrote and decided stays, with their name.";
    question("remove-person", "Remove ", says, ["Cancel", "Remove"])
}

fn person(index: usize, person: &PersonInfo, clock: &Clock) -> Part {
    let (name_id, role_id) = (format!("person-name-{index}"), format!("person-role-{index}"));
    let name = person.name.as_deref().map(visible::line).unwrap_or_default();
    let called = if name.is_empty() { "the owner".to_owned() } else { name.clone() };
    let is_of_machine = person.id == "owner";
    let role = (!is_of_machine).then(|| {
        part! { <div class="answer-field"><label for=role_id.clone()>"Role"</label>{roles(&role_id, person.role)}</div> }
    });
    let invite = (!is_of_machine).then(|| {
        let sends = send(InvitePerson, [&person.id]).done("").attributes();
        part! { <button type="button" class="btn" {..sends} {..attribute(attr::SHOWS, "invited")}>"New invitation"<span class="sr">{format!(" for {called}")}</span></button> }
    });
    let remove = (!is_of_machine && !person.you).then(|| {
        let sends = send(RemovePerson, [&person.id]).confirm("remove-person").attributes();
        part! { <button type="button" class="btn quiet" {..sends} data-name=called.clone()>"Remove"<span class="sr">{format!(" {called}")}</span></button> }
    });
    let seen = match (person.last_used_at, person.invited_until) {
        (Some(at), _) => {
            let devices = figures::counted(i64::try_from(person.devices).unwrap_or(i64::MAX), "device");
            part! { <p class="cap">{format!("{devices}, last seen ")}{moment(clock, at, "num")}</p> }
        }
        (None, Some(_)) => part! { <p class="cap">"Invited, and not logged in yet."</p> },
        (None, None) => part! { <p class="cap">"Not logged in."</p> },
    };
    let you = person.you.then(|| part! { " "<span class="chip" data-state="done">"You"</span> });
    let placeholder = if is_of_machine { "The owner of this machine" } else { "" };
    part! {
        <form class="answer notice setting" {..send(EditPersonEndpoint, [&person.id]).attributes()} aria-label=format!("Person {called}") autocomplete="off">
            <div class="answer-field"><label for=name_id.clone()>"Name"{you}</label><input id=name_id name="name" maxlength="60" required dir="auto" placeholder=placeholder value=name/></div>
            {role}
            {seen}
            <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
            <div class="actions"><button type="submit" class="btn">"Save"</button>{invite}{remove}</div>
        </form>
    }
}

fn roles(id: &str, chosen: PersonRole) -> Part {
    let words = |role| match role {
        PersonRole::Viewer => "Viewer: reads",
        PersonRole::Member => "Member: reads and drives",
        PersonRole::Owner => "Owner: may do everything",
    };
    let options: Vec<_> = PersonRole::ALL
        .iter()
        .map(|role| part! { <option value=role.as_str() selected=*role == chosen>{words(*role)}</option> })
        .collect();
    part! { <span class="pick wide"><select id=id.to_owned() name="role">{options}</select></span> }
}

fn visibility(people: &People, projects: &[Facet]) -> Part {
    let restricted: Vec<_> = people.restricted.iter().map(|one| restricted(one, people)).collect();
    let others: Vec<_> = projects
        .iter()
        .filter(|project| people.restricted.iter().all(|one| one.project != project.value))
        .map(|project| part! { <option value=project.value.clone()>{visible::line(&project.value)}</option> })
        .collect();
    let none =
        restricted.is_empty().then(|| part! { <p class="cap">"Everybody sees the sessions of all projects."</p> });
    let add = (!others.is_empty()).then(|| {
        part! {
            <details class="setting" id="new-restriction"><summary class="btn tiny">"Restrict a project"</summary>
                <form class="answer notice" {..send(SetProjectPeopleEndpoint, []).attributes()}>
                    <div class="answer-field"><label for="restricted-project">"Project"</label><span class="pick wide"><select id="restricted-project" name="project">{others}</select></span></div>
                    {seers(&[], people)}
                    <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                    <div class="actions"><button type="submit" class="btn primary">"Restrict"</button></div>
                </form>
            </details>
        }
    });
    part! {
        <div class="pagehead"><h3>"Who sees which projects"</h3></div>
        {none}
        {restricted}
        {add}
    }
}

fn restricted(one: &ProjectPeople, people: &People) -> Part {
    let project = visible::line(&one.project);
    let label = format!("Project {project}");
    let named = SetProjectPeople { project: one.project.clone(), people: None };
    let all = send(SetProjectPeopleEndpoint, []).with(&named).attributes();
    part! {
        <form class="answer notice setting" {..send(SetProjectPeopleEndpoint, []).with(&named).attributes()} aria-label=label>
            <p><b dir="auto">{project}</b></p>
            {seers(&one.people, people)}
            <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
            <div class="actions"><button type="submit" class="btn">"Save"</button><button type="button" class="btn quiet" {..all}>"Show it to everybody"</button></div>
        </form>
    }
}

/// The people who may be let see a project.
fn seers(chosen: &[String], people: &People) -> Part {
    let boxes: Vec<_> = people
        .people
        .iter()
        .filter(|person| person.role != PersonRole::Owner)
        .map(|person| {
            let name = person.name.as_deref().map(visible::line).unwrap_or_default();
            part! {
                <label class="check"><input type="checkbox" class="tick" name="people" value=person.id.clone() {..as_(As::Ticked)} checked=chosen.contains(&person.id)/><span dir="auto">{name}</span></label>
            }
        })
        .collect();
    part! { <fieldset class="choice"><legend>"Seen by owners and"</legend>{boxes}</fieldset> }
}
