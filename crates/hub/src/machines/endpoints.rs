//! The endpoints of machines.

use crate::account::login;
use crate::basics::line::is_line;
use crate::basics::{clock, problem};
use crate::context::quotas::usage;
use crate::context::{Consent, Scoped};
use crate::machines::copies::{Copies, Piece, compare, failed, no_file};
use api::keys::{NewKey, Quota, Scope};
use api::machines::{
    AppendFiles, CompareFiles, EditMachine, FilesAppended, FilesStored, LOCAL, MOST_FILES, MOST_PIECES, MachineAdded,
    MachineInfo, MachinePath, MachineReport, MachineWelcome, Machines, NewMachine,
};
use api::{Problem, ProblemCode};
use model::Micros;
use model::audit::Event;
use store::{Machine, OFFLINE, Sight};

/// Characters of a name, and of what a machine says about itself.
const NAME_CHARS: usize = 60;
const MOST_MACHINES: usize = 200;
/// Limit of a machine's key. It is high, since files may be large, and a rewritten file is sent again.
const QUOTA: Quota = Quota { messages: Some(1_000_000_000), bytes: Some(1_000_000_000_000) };

pub async fn list_machines(scoped: &Scoped) -> Result<Machines, Problem> {
    let hub = &scoped.hub;
    let counts = hub.workspace.machine_facet(&Sight::All).await.map_err(problem)?;
    let info = |machine: Machine| {
        let sessions = counts.iter().find(|facet| facet.value == machine.id).map_or(0, |facet| facet.count);
        let last_seen_at = machine.seen_at.map(Micros);
        MachineInfo {
            id: machine.id,
            name: machine.name,
            key: machine.key_id,
            platform: machine.platform,
            version: machine.version,
            added_at: Micros(machine.added_at),
            online: last_seen_at.is_some_and(|at| at.is_within(OFFLINE, clock::now())),
            last_seen_at,
            sessions: i64::try_from(sessions).unwrap_or(i64::MAX),
        }
    };
    let machines = hub.workspace.machines().await.map_err(problem)?;
    Ok(Machines { machines: machines.into_iter().map(info).collect() })
}

pub async fn add_machine(scoped: &Scoped, input: NewMachine) -> Result<MachineAdded, Problem> {
    let (hub, by) = (&scoped.hub, scoped.signed().await);
    let name = one_line(&input.name)?;
    let known = hub.workspace.machines().await.map_err(problem)?;
    if known.len() >= MOST_MACHINES {
        let title = format!("There are {MOST_MACHINES} machines already");
        return Err(Problem::new(ProblemCode::TooManyMachines, title).hint("Remove one first"));
    }
    if known.iter().any(|machine| machine.name.to_lowercase() == name.to_lowercase()) {
        return Err(taken());
    }
    let scopes = Some(vec![Scope::Forward, Scope::Hooks]);
    let new = NewKey { name: name.clone(), scopes, quota: Some(QUOTA), ..NewKey::default() };
    let made = hub.create_key(&by, new).await?;
    let machine = Machine {
        id: login::short_id()?,
        name,
        key_id: made.id.clone(),
        person_id: scoped.caller.person_id().to_owned(),
        platform: None,
        version: None,
        added_at: clock::now().0,
        seen_at: None,
    };
    let event = Event::MachineAdded { machine: machine.id.clone(), name: machine.name.clone() };
    if !by.put_machine(&machine, event).await.map_err(problem)? {
        hub.revoke_key(&by, &made.id).await?;
        return Err(taken());
    }
    Ok(MachineAdded { machine: find(scoped, &machine.id).await?, key: made.key })
}

pub async fn edit_machine(scoped: &Scoped, path: &MachinePath, input: EditMachine) -> Result<Machines, Problem> {
    let name = one_line(&input.name)?;
    let stored = stored(scoped, &path.machine).await?;
    let event = Event::MachineRenamed { machine: stored.id.clone(), name: name.clone() };
    if !scoped.signed().await.put_machine(&Machine { name, ..stored }, event).await.map_err(problem)? {
        return Err(taken());
    }
    list_machines(scoped).await
}

pub async fn remove_machine(scoped: &Scoped, path: &MachinePath) -> Result<Machines, Problem> {
    let (hub, by) = (&scoped.hub, scoped.signed().await);
    let Machine { id, name, key_id, .. } = stored(scoped, &path.machine).await?;
    // It may have been revoked already.
    match hub.revoke_key(&by, &key_id).await {
        Err(problem) if !problem.is(ProblemCode::NotFound) => return Err(problem),
        _ => {}
    }
    by.remove_machine(&id, clock::now(), Event::MachineRemoved { machine: id.clone(), name }).await.map_err(problem)?;
    if let Ok(copies) = Copies::of(hub, &id) {
        let deleted = tokio::task::spawn_blocking(move || copies.delete());
        deleted.await.map_err(|_| Problem::internal())?.map_err(failed)?;
    }
    list_machines(scoped).await
}

pub async fn report_machine(scoped: &Scoped, input: MachineReport) -> Result<MachineWelcome, Problem> {
    let machine = machine(scoped)?;
    for (field, text) in [("/platform", &input.platform), ("/version", &input.version)] {
        if !is_line(text, NAME_CHARS) {
            return Err(Problem::field(field, &format!("one line of 1 to {NAME_CHARS} characters")));
        }
    }
    let hub = &scoped.hub;
    let copies = name_of(&Copies::of(hub, machine)?).await?;
    let MachineReport { platform, version } = input;
    hub.workspace.see_machine(machine, &platform, &version, clock::now()).await.map_err(problem)?;
    let name = stored(scoped, machine).await?.name;
    let roots = hub.settings.roots.iter().filter(|root| root.consent == Consent::Machines);
    let folders = roots.map(|root| root.folder.name()).collect();
    Ok(MachineWelcome { name, copies, folders, version: hub.settings.version.clone() })
}

pub async fn compare_files(scoped: &Scoped, input: CompareFiles) -> Result<FilesStored, Problem> {
    let copies = own_copies(scoped, &input.copies).await?;
    few("/files", input.files.len())?;
    let place = |(index, file)| copies.place(file).ok_or_else(|| no_file(&format!("/files/{index}/path")));
    let targets = input.files.iter().enumerate().map(place).collect::<Result<Vec<_>, _>>()?;
    let compared = tokio::task::spawn_blocking(move || compare(&targets));
    Ok(FilesStored { files: compared.await.map_err(|_| Problem::internal())?.map_err(failed)? })
}

pub async fn append_files(scoped: &Scoped, input: AppendFiles) -> Result<FilesAppended, Problem> {
    let copies = own_copies(scoped, &input.copies).await?;
    few("/pieces", input.pieces.len())?;
    let pieces = input.pieces.into_iter().enumerate().map(|(index, piece)| copies.check(index, piece));
    let pieces = pieces.collect::<Result<Vec<_>, _>>()?;
    let bytes: usize = pieces.iter().map(Piece::len).sum();
    if bytes > MOST_PIECES {
        return Err(Problem::field("/pieces", &format!("at most {MOST_PIECES} bytes")));
    }
    scoped.hub.require_room()?;
    let wanted = usage(pieces.len(), bytes as u64);
    let used = |written: &Result<Vec<u64>, Problem>| if written.is_ok() { wanted } else { store::Usage::default() };
    let sizes = scoped.hub.quotas.pay(&scoped.caller, wanted, copies.write(pieces), used).await??;
    Ok(FilesAppended { sizes })
}

/// The machine whose key the caller shows.
fn machine(scoped: &Scoped) -> Result<&str, Problem> {
    scoped.caller.require(Scope::Forward)?;
    scoped.caller.machine().ok_or_else(|| {
        Problem::new(ProblemCode::NoMachine, "This key belongs to no machine")
            .hint("`verbatim machine add NAME` on the server creates one with its key")
    })
}

/// The copies that a request is about, if they are those of this server.
async fn own_copies(scoped: &Scoped, named: &str) -> Result<Copies, Problem> {
    let copies = Copies::of(&scoped.hub, machine(scoped)?)?;
    if name_of(&copies).await? == named {
        return Ok(copies);
    }
    Err(Problem::new(
        ProblemCode::OtherCopies,
        "These are other copies of your files, of which nothing was compared yet",
    )
    .hint("Take `copies` of `PUT /v1/machine`, and compare the files again"))
}

async fn name_of(copies: &Copies) -> Result<String, Problem> {
    let copies = copies.clone();
    let name = tokio::task::spawn_blocking(move || copies.name());
    name.await.map_err(|_| Problem::internal())?.map_err(failed)
}

async fn stored(scoped: &Scoped, id: &str) -> Result<Machine, Problem> {
    let machines = scoped.hub.workspace.machines().await.map_err(problem)?;
    machines.into_iter().find(|machine| machine.id == id).ok_or_else(|| Problem::not_found("machine"))
}

async fn find(scoped: &Scoped, id: &str) -> Result<MachineInfo, Problem> {
    let machines = list_machines(scoped).await?.machines;
    machines.into_iter().find(|machine| machine.id == id).ok_or_else(|| Problem::not_found("machine"))
}

fn few(field: &str, many: usize) -> Result<(), Problem> {
    if many > MOST_FILES { Err(Problem::field(field, &format!("at most {MOST_FILES} files"))) } else { Ok(()) }
}

fn taken() -> Problem {
    Problem::field("/name", "a name that no other machine has")
}

fn one_line(given: &str) -> Result<String, Problem> {
    let name = given.trim().to_owned();
    if !is_line(&name, NAME_CHARS) || name.eq_ignore_ascii_case(LOCAL) {
        return Err(Problem::field("/name", &format!("one line of 1 to {NAME_CHARS} characters, and not `{LOCAL}`")));
    }
    Ok(name)
}
