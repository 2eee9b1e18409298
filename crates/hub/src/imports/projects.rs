//! Folders with transcripts, and the owner's word on them.

use crate::basics::{clock, problem};
use crate::context::{Consent, Hub, Scoped};
use crate::imports;
use crate::imports::discover;
use crate::imports::discover::NamedRoots;
use crate::imports::endpoints::started;
use crate::imports::follow::FollowSignals;
use crate::imports::name::name;
use api::Problem;
use api::projects::{ForgetProject, Forgotten, Project, ProjectState, Projects, SetProject};
use model::SourceId;
use model::audit::Event;
use model::source::PACKED;
use std::collections::{BTreeSet, HashMap};
use std::path::Path;
use std::sync::PoisonError;
use store::{Following, Workspace};

pub async fn list_projects(scoped: &Scoped) -> Result<Projects, Problem> {
    let hub = &scoped.hub;
    let folders = discover::folders(hub).await?;
    let roots = NamedRoots::of(&hub.settings.roots);
    let mut sessions: HashMap<String, i64> = HashMap::new();
    for source in hub.workspace.sources().await.map_err(problem)? {
        let is_session = source.reader != PACKED && !source.path.contains("/subagents/");
        if let Some(folder) = roots.folder_of(&source.path).filter(|_| is_session) {
            *sessions.entry(folder).or_default() += 1;
        }
    }
    let mut directories: HashMap<String, BTreeSet<String>> = HashMap::new();
    // Those of top-level sessions: sub-agents may have been sent elsewhere.
    for session in hub.workspace.file_sessions().await.map_err(problem)? {
        if let (None, Some(directory), Some(folder)) =
            (session.parent_key, session.project, roots.folder_of(&session.path))
        {
            directories.entry(folder).or_default().insert(directory);
        }
    }
    let polled = hub.state::<FollowSignals>().polled.read().unwrap_or_else(PoisonError::into_inner).clone();
    let is_polled = |folder: &str| polled.iter().any(|place| Path::new(folder).starts_with(place));
    let machines = hub.workspace.machine_names().await.map_err(problem)?;
    let machine = |folder: &str| {
        let id = hub.settings.roots.iter().find_map(|root| root.machine(Path::new(folder)))?;
        machines.iter().find(|(known, _)| *known == id).map(|(_, name)| name.clone())
    };
    let projects = folders
        .into_iter()
        .map(|folder| {
            let path = folder.permission.folder;
            Project {
                polled: folder.following == Following::Following && is_polled(&path),
                name: machine(&path)
                    .or_else(|| directories.get(&path).and_then(|all| directory(all, &path)))
                    .unwrap_or(folder.name),
                agent: folder.agent.to_owned(),
                files: folder.files,
                bytes: folder.bytes,
                state: state(folder.following),
                sessions: sessions.get(&path).copied().unwrap_or(0),
                leads_to: folder.permission.leads_to,
                skipped: folder.skipped,
                path,
            }
        })
        .collect();
    let own = hub.settings.roots.iter().filter(|root| root.consent != Consent::Machines);
    let roots = own.map(|root| name(&root.path)).collect();
    Ok(Projects { roots, projects, unread: discover::unread(hub).await? })
}

/// The directory that a folder's name stands for: the one that is written so, else the only one.
fn directory(all: &BTreeSet<String>, folder: &str) -> Option<String> {
    let name = Path::new(folder).file_name()?.to_string_lossy();
    let written = all.iter().find(|at| discover::coded(at).eq_ignore_ascii_case(&name));
    written.or(all.first().filter(|_| all.len() == 1)).cloned()
}

fn state(following: Following) -> ProjectState {
    match following {
        Following::Waiting => ProjectState::Waiting,
        Following::Following => ProjectState::Following,
        Following::Paused => ProjectState::Paused,
        Following::Excluded => ProjectState::Excluded,
    }
}

pub async fn set_projects(scoped: &Scoped, input: SetProject) -> Result<Projects, Problem> {
    let (hub, by) = (&scoped.hub, scoped.signed().await);
    let listed = list_projects(scoped).await?;
    let chosen: Vec<&Project> = if input.paths.is_empty() {
        listed.projects.iter().filter(|p| p.state == ProjectState::Waiting && p.leads_to.is_none()).collect()
    } else {
        let find = |(index, path): (usize, &String)| {
            let unknown = || Problem::field(&format!("/paths/{index}"), "a folder as listed by `GET /v1/projects`");
            listed.projects.iter().find(|p| p.path == *path).ok_or_else(unknown)
        };
        input.paths.iter().enumerate().map(find).collect::<Result<_, _>>()?
    };
    let following = match input.state {
        ProjectState::Waiting => Following::Waiting,
        ProjectState::Following => Following::Following,
        ProjectState::Paused => Following::Paused,
        ProjectState::Excluded => Following::Excluded,
    };
    if following == Following::Following {
        // Agreement is to the place that the person saw: a link may lead elsewhere by now.
        for (path, leads_to) in chosen.iter().filter_map(|p| Some((&p.path, p.leads_to.as_ref()?))) {
            if input.links.get(path) != Some(leads_to) {
                let rule = format!("`{path}` with its target, as listed by `GET /v1/projects`: `{leads_to}`");
                return Err(Problem::field("/links", &rule));
            }
        }
    }
    for project in &chosen {
        put(&by, &project.path, project.leads_to.clone(), following).await?;
    }
    if following == Following::Following {
        let folders: Vec<String> = chosen.iter().map(|project| project.path.clone()).collect();
        let named = folders.clone();
        let files = discover::allowed(hub, Some(folders)).await.map_err(problem)?;
        scoped.record(started(named, &files)).await;
        imports::start(hub, files, imports::Why::Followed);
        hub.state::<FollowSignals>().look_again.notify_one();
    }
    list_projects(scoped).await
}

async fn put(by: &Workspace, path: &str, leads_to: Option<String>, following: Following) -> Result<(), Problem> {
    let project = store::Project { path: path.to_owned(), following, leads_to, updated_at: clock::now() };
    by.put_project(&project).await.map_err(problem)
}

/// Is it a folder with transcripts, or one that was spoken of, or read, before it went from the disk? Returns it with
/// where it leads, or led when it was spoken of.
async fn known(hub: &Hub, path: &str) -> Result<Option<Option<String>>, Problem> {
    if let Some(folder) = discover::folders(hub).await?.into_iter().find(|folder| folder.permission.folder == path) {
        return Ok(Some(folder.permission.leads_to));
    }
    if let Some(spoken) = hub.workspace.projects().await.map_err(problem)?.into_iter().find(|p| p.path == path) {
        return Ok(Some(spoken.leads_to));
    }
    let roots = NamedRoots::of(&hub.settings.roots);
    let sources = hub.workspace.sources().await.map_err(problem)?;
    Ok(sources.iter().any(|source| roots.folder_of(&source.path).as_deref() == Some(path)).then_some(None))
}

/// Excluded first, so that nothing of the folder comes back while it is being deleted.
pub async fn forget_project(scoped: &Scoped, input: ForgetProject) -> Result<Forgotten, Problem> {
    let (hub, by) = (&scoped.hub, scoped.signed().await);
    let Some(leads_to) = known(hub, &input.path).await? else {
        return Err(Problem::field("/path", "a folder as listed by `GET /v1/projects`"));
    };
    put(&by, &input.path, leads_to, Following::Excluded).await?;
    // A root that is a folder itself doesn't take those below it along.
    let roots = NamedRoots::of(&hub.settings.roots);
    let inside = |file: &str| match roots.folder_of(file) {
        Some(folder) => folder == input.path,
        None => Path::new(file).starts_with(&input.path),
    };
    let sources = hub.workspace.sources().await.map_err(problem)?.into_iter();
    let sources: Vec<SourceId> = sources.filter(|source| inside(&source.path)).map(|source| source.id).collect();
    let sessions = by.forget_sources(&sources).await.map_err(problem)?;
    scoped.record(Event::FolderForgotten { folder: input.path, sessions: sessions.len() as u64 }).await;
    hub.feed.ring(hub.workspace.feed_pos().await.map_err(problem)?);
    Ok(Forgotten { sessions: i64::try_from(sessions.len()).unwrap_or(i64::MAX) })
}
