//! People who may log in: their roles, invitations, and the projects that they see.

pub mod accounts;
pub mod endpoints;
pub mod mentions;

pub(crate) use endpoints::{add_person, edit_person, invite_person, list_people, remove_person, set_project_people};

use crate::basics::problem;
use crate::caller::User;
use crate::context::{Hub, Scoped};
use crate::project_groups::ProjectGroups;
use api::Problem;
use api::people::PersonRole;
use store::Sight;
use store::people::OWNER;

impl Hub {
    /// Returns a person with what they may see. None if they were removed.
    pub(crate) async fn user(&self, id: &str) -> Result<Option<User>, Problem> {
        let found = self.workspace.person(id).await.map_err(problem)?;
        let Some((name, role)) = found else { return Ok((id == OWNER).then(|| User::owner(None))) };
        if id == OWNER {
            return Ok(Some(User::owner(Some(name))));
        }
        // A role of a newer version is none that may do anything else.
        let role = PersonRole::parse(&role).unwrap_or(PersonRole::Viewer);
        let sight = if role == PersonRole::Owner { Sight::All } else { self.sight_of(id).await? };
        Ok(Some(User { id: id.to_owned(), name: Some(name), role, sight }))
    }

    /// Returns the id of the person with a name, however it is written, unless they were removed. The owner of the machine
    /// is also called `owner`.
    pub(crate) async fn id_of_name(&self, name: &str) -> Result<Option<String>, Problem> {
        if name.eq_ignore_ascii_case(OWNER) {
            return Ok(Some(OWNER.to_owned()));
        }
        let named = self.workspace.person_named(name).await.map_err(problem)?;
        Ok(named.and_then(|(id, is_removed)| (!is_removed).then_some(id)))
    }

    /// Returns a code for the browser of the person with a name, whom somebody trusted has let in. None if there is no
    /// such person.
    pub async fn code_for_named(&self, name: &str) -> Result<Option<String>, Problem> {
        match self.id_of_name(name).await? {
            Some(person) => self.create_code(&person, None).map(Some),
            None => Ok(None),
        }
    }

    /// Returns as whom somebody in a channel acts, by their name in the channel's settings: as the person with that
    /// name, otherwise for the owner who put them there. None if the person was removed.
    pub(crate) async fn user_in_channel(&self, name: &str) -> Result<Option<User>, Problem> {
        match self.workspace.person_named(name).await.map_err(problem)? {
            Some((_, true)) => Ok(None),
            Some((id, false)) => self.user(&id).await,
            None => Ok(Some(User::owner(None))),
        }
    }

    /// Returns what a person may see. Worktrees of a hidden project and folders below it are hidden with it.
    async fn sight_of(&self, person: &str) -> Result<Sight, Problem> {
        let hidden = self.workspace.hidden_projects(person).await.map_err(problem)?;
        if hidden.is_empty() {
            return Ok(Sight::All);
        }
        let known = self.workspace.known_projects().await.map_err(problem)?;
        let hidden = ProjectGroups::of_names(known.iter().map(String::as_str)).widened(hidden);
        let is_below = |project: &String| hidden.iter().any(|folder| is_in(project, folder));
        let mut all: Vec<String> = known.iter().filter(|project| is_below(project)).cloned().collect();
        all.extend(hidden.iter().filter(|folder| !known.contains(folder)).cloned());
        Ok(Sight::Without(all.into()))
    }
}

impl Scoped {
    /// Returns those of these folders in which the caller may start agents, given by their paths without links. A member
    /// may where there is a project that they see.
    pub(crate) async fn workplaces(&self, mut folders: Vec<String>) -> Result<Vec<String>, Problem> {
        let Some(user) = self.caller.user().filter(|user| user.role != PersonRole::Owner) else { return Ok(folders) };
        let known = self.hub.workspace.known_projects().await.map_err(problem)?;
        let hidden: &[String] = if let Sight::Without(hidden) = &user.sight { hidden } else { &[] };
        let is_hidden = |path: &str| hidden.iter().any(|project| is_in(path, project));
        let is_seen = |folder: &String| known.iter().any(|project| !is_hidden(project) && is_in(folder, project));
        folders.retain(|folder| !is_hidden(folder) && is_seen(folder));
        Ok(folders)
    }
}

/// Returns true for a folder, and for what is below it.
fn is_in(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '\\']))
}
