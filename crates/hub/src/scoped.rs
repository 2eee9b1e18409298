//! The hub as one authenticated caller may use it.

use crate::{Hub, answers};
use api::account::{Health, LaunchCode, Me};
use api::imports::{ImportJob, ImportPath, ImportRequest, Imports};
use api::messages::{Changes, ListMessages, MessageDetail, MessagePage, MessagePath, TodoState};
use api::projects::{ForgetProject, Forgotten, Projects, SetProject};
use api::search::{SearchPage, SearchQuery};
use api::sessions::{ListSessions, SessionDetail, SessionPage, SessionPath, Sessions};
use api::{Access, Api, Nothing, Problem};

/// Who is asking. Made by the outer layers from a credential, which nothing further in ever sees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Caller {
    /// A person who logged in with the browser.
    Owner,
    /// A command on this machine.
    Local,
}

#[derive(Clone)]
pub struct Scoped {
    pub hub: Hub,
    pub caller: Caller,
}

impl Api for Scoped {
    fn authorize(&self, access: &[Access]) -> Result<(), Problem> {
        let needed = match self.caller {
            Caller::Owner => Access::Owner,
            Caller::Local => Access::Local,
        };
        if access.contains(&needed) {
            return Ok(());
        }
        Err(Problem::new(403, "forbidden", "This credential may not do that"))
    }

    async fn me(&self, _: Nothing, _: Nothing) -> Result<Me, Problem> {
        Ok(answers::account::me(self.caller))
    }
    async fn health(&self, _: Nothing, _: Nothing) -> Result<Health, Problem> {
        answers::account::health(&self.hub).await
    }
    async fn create_launch_code(&self, _: Nothing, _: Nothing) -> Result<LaunchCode, Problem> {
        Ok(LaunchCode { url: self.hub.launch_url()? })
    }
    async fn list_sessions(&self, _: Nothing, input: ListSessions) -> Result<SessionPage, Problem> {
        answers::sessions::list(&self.hub, input).await
    }
    async fn get_session(&self, path: SessionPath, _: Nothing) -> Result<SessionDetail, Problem> {
        answers::sessions::detail(&self.hub, &path).await
    }
    async fn list_children(&self, path: SessionPath, _: Nothing) -> Result<Sessions, Problem> {
        answers::sessions::children(&self.hub, &path).await
    }
    async fn list_messages(&self, path: SessionPath, input: ListMessages) -> Result<MessagePage, Problem> {
        answers::messages::list(&self.hub, &path, input).await
    }
    async fn get_message(&self, path: MessagePath, _: Nothing) -> Result<MessageDetail, Problem> {
        answers::messages::detail(&self.hub, &path).await
    }
    async fn get_todos(&self, path: SessionPath, _: Nothing) -> Result<TodoState, Problem> {
        answers::todos::state(&self.hub, &path).await
    }
    async fn get_changes(&self, path: SessionPath, _: Nothing) -> Result<Changes, Problem> {
        answers::changes::list(&self.hub, &path).await
    }
    async fn search(&self, _: Nothing, input: SearchQuery) -> Result<SearchPage, Problem> {
        answers::search::search(&self.hub, input).await
    }
    async fn list_projects(&self, _: Nothing, _: Nothing) -> Result<Projects, Problem> {
        answers::projects::list(&self.hub).await
    }
    async fn set_projects(&self, _: Nothing, input: SetProject) -> Result<Projects, Problem> {
        answers::projects::set(&self.hub, input).await
    }
    async fn forget_project(&self, _: Nothing, input: ForgetProject) -> Result<Forgotten, Problem> {
        answers::projects::forget(&self.hub, input).await
    }
    async fn start_import(&self, _: Nothing, input: ImportRequest) -> Result<ImportJob, Problem> {
        answers::imports::start(&self.hub, input).await
    }
    async fn list_imports(&self, _: Nothing, _: Nothing) -> Result<Imports, Problem> {
        Ok(Imports { imports: self.hub.jobs.list() })
    }
    async fn get_import(&self, path: ImportPath, _: Nothing) -> Result<ImportJob, Problem> {
        self.hub.jobs.get(path.import).ok_or_else(|| Problem::not_found("import"))
    }
}
