//! The owner's decisions on folders, and the permissions that files need.

use crate::context::{Hub, Root};
use crate::imports::discover::{FoundFolder, places};
use crate::imports::name::name;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use store::{Following, Permission, StoreError};

/// Why a file that is a link, or lies behind one, isn't read.
pub const NOT_READ: &str = "leads into a folder that isn't read";
const EXCLUDED: &str = "leads into an excluded folder";
const ELSEWHERE: &str = "leads out of the folders that are read";
const NO_ROOT: &str = "lies in no folder that is followed";

/// What reading a file depends on, and whose it is.
#[derive(Debug, Clone, Default)]
pub struct Allowed {
    pub permissions: Vec<Permission>,
    /// Id of the machine that it is from. None of this one.
    pub machine: Option<String>,
}

/// The owner's words, as they are at one moment.
pub struct Agreed {
    roots: Vec<Root>,
    said: HashMap<String, (Following, Option<String>)>,
    /// Looked for when a link is met.
    followed: OnceLock<Vec<Link>>,
}

/// A folder that is a link, and is followed.
pub(super) struct Link {
    pub path: PathBuf,
    /// Where it leads.
    pub place: PathBuf,
    permission: Permission,
}

impl Agreed {
    pub async fn load(hub: &Hub) -> Result<Self, StoreError> {
        let said = hub.workspace.projects().await?.into_iter();
        let said = said.map(|project| (project.path, (project.following, project.leads_to))).collect();
        Ok(Self { roots: hub.settings.roots.clone(), said, followed: OnceLock::new() })
    }

    pub(super) fn roots(&self) -> &[Root] {
        &self.roots
    }

    /// Returns the state of a folder.
    pub fn on(&self, permission: &Permission) -> Following {
        let said = self.said.get(&permission.folder);
        permission.word(said.map(|(following, leads_to)| (*following, leads_to.as_deref())))
    }

    /// Returns the permissions that a file needs, by its path and by its resolved path; the first is that of the folder
    /// in which it is listed. Fails with the reason if it can't be read in any case.
    pub fn permissions(&self, path: &Path, real: &Path) -> Result<Vec<Permission>, &'static str> {
        let root = self.roots.iter().find(|root| path.starts_with(&root.path)).ok_or(NO_ROOT)?;
        let folder = FoundFolder::at(root.folder_of(path));
        let listed = root.permission(&folder.path, folder.leads_to.as_deref());
        if real == path {
            return Ok(vec![listed]);
        }
        if self.is_excluded(real) {
            return Err(EXCLUDED);
        }
        if let Some(root) = self.roots.iter().find(|root| real.starts_with(&root.path)) {
            return Ok(vec![listed, root.permission(&root.folder_of(real), None)]);
        }
        if folder.leads_to.is_some_and(|place| real.starts_with(place)) {
            return Ok(vec![listed]);
        }
        let lies = self.followed().iter().find(|link| real.starts_with(&link.place)).ok_or(ELSEWHERE)?;
        Ok(vec![listed, lies.permission.clone()])
    }

    /// Like [`Self::permissions`], if all of them are "follow".
    pub fn reading(&self, path: &Path, real: &Path) -> Option<Allowed> {
        match self.permissions(path, real) {
            Ok(permissions) => {
                let follows = permissions.iter().all(|one| self.on(one) == Following::Following);
                let machine = self.roots.iter().find_map(|root| root.machine(path));
                follows.then_some(Allowed { permissions, machine })
            }
            Err(reason) => {
                tracing::debug!(path = %path.display(), reason, "a file isn't read");
                None
            }
        }
    }

    /// Returns true if the path is in an excluded folder, or in the target of an excluded link.
    fn is_excluded(&self, real: &Path) -> bool {
        let real = PathBuf::from(name(real));
        let is_root = |path: &str| self.roots.iter().any(|root| name(&root.path) == path);
        let excluded = self.said.iter().filter(|(_, (following, _))| *following == Following::Excluded);
        // A root stands for the files right in it.
        let mut places = excluded.flat_map(|(path, (_, leads_to))| {
            Some(path.as_str()).filter(|path| !is_root(path)).into_iter().chain(leads_to.as_deref())
        });
        places.any(|place| real.starts_with(place))
    }

    /// The links that are followed, as they lead when this is asked first.
    pub(super) fn followed(&self) -> &[Link] {
        self.followed.get_or_init(|| {
            let mut links = Vec::new();
            for root in &self.roots {
                for FoundFolder { path, leads_to } in places(root) {
                    let Some(place) = leads_to else { continue };
                    let permission = root.permission(&path, Some(&place));
                    if self.on(&permission) == Following::Following {
                        links.push(Link { path, place, permission });
                    }
                }
            }
            links
        })
    }
}
