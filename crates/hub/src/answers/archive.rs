//! Sessions with everything that hangs on them, as lines that can be imported again.

use super::session;
use crate::{Scoped, clock, problem};
use api::Problem;
use api::sessions::SessionPath;
use model::SessionId;
use store::{Archive, Mask};

impl Scoped {
    /// Returns the archive of a session and of its sub-agents' sessions. An agent's key gets its own session alone.
    pub async fn archive(&self, path: &SessionPath, mask: Option<Mask>) -> Result<Archive, Problem> {
        let first = session(self, path).await?.id;
        let workspace = &self.hub.workspace;
        let mut all: Vec<SessionId> = vec![first];
        let mut next = 0;
        while let Some(id) = all.get(next).filter(|_| self.caller.key_id().is_none()) {
            let children = workspace.children(id, clock::now()).await.map_err(problem)?;
            let new = children.into_iter().map(|child| child.id).filter(|id| !all.contains(id)).collect::<Vec<_>>();
            all.extend(new);
            next += 1;
        }
        Ok(workspace.archive(all, mask))
    }
}
