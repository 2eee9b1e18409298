//! To start an agent in a folder is to agree that its transcript is read.

use crate::basics::{clock, problem};
use crate::context::{Consent, Scoped};
use crate::imports::discover::agreed::Agreed;
use crate::imports::discover::coded;
use crate::imports::follow::FollowSignals;
use api::{Problem, ProblemCode};
use std::path::Path;
use store::{Following, Project};

/// Has the transcripts of an agent in a folder read from now on.
///
/// # Errors
///
/// The owner paused or excluded them; or no folder of this agent is known.
pub async fn agree(scoped: &Scoped, agent: &str, folder: &str) -> Result<(), Problem> {
    let hub = &scoped.hub;
    let Some(root) = hub.settings.roots.iter().find(|root| root.agent == agent && root.consent != Consent::Machines)
    else {
        return Err(refused("The folder with this agent's transcripts isn't known")
            .hint("Start the agent once in a terminal, then restart the server without `--no-discover`; for Claude Code, `--claude-dir DIR` sets the folder"));
    };
    let file = root.path.join(coded(folder)).join("any");
    let permission = root.permission_of(if root.folder.by_project { &file } else { &root.path });
    let agreed = Agreed::load(hub).await.map_err(problem)?;
    match agreed.on(&permission) {
        Following::Following => Ok(()),
        Following::Waiting => {
            let path = permission.folder;
            let project = Project { path, following: Following::Following, leads_to: None, updated_at: clock::now() };
            scoped.signed().await.put_project(&project).await.map_err(problem)?;
            hub.state::<FollowSignals>().look_again.notify_one();
            Ok(())
        }
        Following::Paused | Following::Excluded => {
            Err(refused("The transcripts of this folder are paused or excluded, so a session in it couldn't be shown")
                .hint("Follow the folder on the `Folders` page, or choose another one"))
        }
    }
}

fn refused(title: &str) -> Problem {
    Problem { field: Some("/folder".to_owned()), ..Problem::new(ProblemCode::NotFollowed, title) }
}

/// Returns the folder's path without links.
///
/// # Errors
///
/// It isn't absolute, isn't there, is no folder, or can't be entered.
pub fn real(folder: &str) -> Result<String, Problem> {
    let expected = |what: &str| Problem::field("/folder", what);
    if !Path::new(folder).is_absolute() || folder.contains('\0') {
        return Err(expected("the absolute path of a folder"));
    }
    let found = drivers::Folder::open(Path::new(folder)).map_err(|error| {
        expected(&match error.kind() {
            std::io::ErrorKind::NotFound => "a folder that exists".to_owned(),
            std::io::ErrorKind::PermissionDenied => "a folder that the server may read".to_owned(),
            _ => format!("a folder: {error}"),
        })
    })?;
    found.path().to_str().map(str::to_owned).ok_or_else(|| expected("a path in Unicode"))
}
