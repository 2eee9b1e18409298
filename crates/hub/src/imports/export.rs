//! Sessions with everything that hangs on them, as lines that can be imported again.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::may::session;
use api::Problem;
use api::sessions::SessionPath;
use model::Session;
use store::{Archive, Mask};

impl Scoped {
    /// Returns the archive of a session and of its sub-agents' sessions. An agent's key gets its own session alone.
    pub async fn archive(&self, path: &SessionPath, mask: Option<Mask>) -> Result<Archive, Problem> {
        let first = session(self, path).await?;
        let all = with_children(self, first).await?.into_iter().map(|it| it.id).collect();
        let archive = self.hub.workspace.archive(all, mask);
        Ok(if self.is_for_model() { archive.for_model() } else { archive })
    }
}

/// A session and those of its sub-agents, at any depth. An agent's key gets its own session alone.
pub async fn with_children(scoped: &Scoped, first: Session) -> Result<Vec<Session>, Problem> {
    let mut all = vec![first];
    let mut next = 0;
    while let Some(above) = all.get(next).filter(|_| scoped.caller.key_id().is_none()) {
        let children =
            scoped.hub.workspace.children(&above.id, &scoped.caller.sight(), clock::now()).await.map_err(problem)?;
        let new: Vec<Session> = children.into_iter().filter(|child| all.iter().all(|it| it.id != child.id)).collect();
        all.extend(new);
        next += 1;
    }
    Ok(all)
}
