//! The endpoint table: the only list of endpoints. Everything else is derived from it.

use crate::account::{Health, LaunchCode, Me};
use crate::endpoint::{Access, Endpoint, EndpointInfo, Method, Nothing};
use crate::imports::{ImportJob, ImportPath, ImportRequest, Imports};
use crate::messages::{Changes, ListMessages, MessageDetail, MessagePage, MessagePath, TodoState};
use crate::projects::{ForgetProject, Forgotten, Projects, SetProject};
use crate::search::{SearchPage, SearchQuery};
use crate::sessions::{ListSessions, SessionDetail, SessionPage, SessionPath, Sessions};
use crate::{Client, Problem};
use std::future::Future;

macro_rules! endpoints {
    ($( $(#[doc = $doc:literal])+ $method:ident $path:literal $name:ident / $Type:ident ($P:ty, $I:ty) -> $R:ty
        [$($access:ident),+; $limit:literal KiB]; )*) => {
        $( $(#[doc = $doc])+
           pub struct $Type;
           impl Endpoint for $Type {
               const INFO: EndpointInfo = EndpointInfo {
                   name: stringify!($name),
                   method: Method::$method,
                   path: $path,
                   access: &[$(Access::$access),+],
                   limit: $limit * 1024,
                   doc: concat!($($doc),+),
               };
               type Path = $P;
               type Input = $I;
               type Reply = $R;
           } )*

        /// Every endpoint of the table, in its order.
        pub const ENDPOINTS: &[EndpointInfo] = &[$($Type::INFO),*];

        /// Every endpoint as one method, for one authenticated caller.
        pub trait Api: Send + Sync {
            /// May this caller use an endpoint at all?
            fn authorize(&self, access: &[Access]) -> Result<(), Problem>;
            $( $(#[doc = $doc])+
               fn $name(&self, path: $P, input: $I) -> impl Future<Output = Result<$R, Problem>> + Send; )*
        }

        impl Client {
            $( $(#[doc = $doc])+
               pub async fn $name(&self, path: $P, input: $I) -> Result<$R, Problem> {
                   self.call::<$Type>(path, input).await
               } )*
        }

        /// The routes of the table. An outer layer puts the caller, a `C`, into the request's extensions.
        #[cfg(feature = "axum")]
        pub fn router<C: Api + Clone + 'static>() -> axum::Router {
            let router = axum::Router::new();
            $( let router = router.route($path, axum::routing::on(crate::serve::filter(Method::$method),
                async |axum::Extension(caller): axum::Extension<C>, request: axum::extract::Request| {
                    let answer = async {
                        caller.authorize($Type::INFO.access)?;
                        let (path, input) = crate::serve::read::<$Type>(request).await?;
                        caller.$name(path, input).await
                    };
                    crate::serve::answer(answer.await)
                })); )*
            router
        }
    };
}

endpoints! {
    /// Who is asking, and how the server is set up.
    Get "/v1/me" me / GetMe (Nothing, Nothing) -> Me [Owner, Local; 1 KiB];
    /// Version, store and counts.
    Get "/v1/health" health / GetHealth (Nothing, Nothing) -> Health [Owner, Local; 1 KiB];
    /// Make a one-time code with which a browser logs in.
    Post "/v1/launch-codes" create_launch_code / CreateLaunchCode (Nothing, Nothing) -> LaunchCode [Local; 1 KiB];

    /// List sessions: filtered, sorted, a page at a time.
    Get "/v1/sessions" list_sessions / ListSessionsEndpoint (Nothing, ListSessions) -> SessionPage [Owner, Local; 1 KiB];
    /// One session, named by our id, the agent's own id, or a unique prefix of either.
    Get "/v1/sessions/{session}" get_session / GetSession (SessionPath, Nothing) -> SessionDetail [Owner, Local; 1 KiB];
    /// The sub-agents' sessions of a session, oldest first.
    Get "/v1/sessions/{session}/children" list_children / ListChildren (SessionPath, Nothing) -> Sessions [Owner, Local; 1 KiB];
    /// A page of a session's messages with what is hidden between them.
    Get "/v1/sessions/{session}/messages" list_messages / ListMessagesEndpoint (SessionPath, ListMessages) -> MessagePage [Owner, Local; 1 KiB];
    /// One message with the verbatim bytes that it came from.
    Get "/v1/sessions/{session}/messages/{message}" get_message / GetMessage (MessagePath, Nothing) -> MessageDetail [Owner, Local; 1 KiB];
    /// The session's todo list as it stands.
    Get "/v1/sessions/{session}/todos" get_todos / GetTodos (SessionPath, Nothing) -> TodoState [Owner, Local; 1 KiB];
    /// The files that a session changed, each with its edits.
    Get "/v1/sessions/{session}/changes" get_changes / GetChanges (SessionPath, Nothing) -> Changes [Owner, Local; 1 KiB];

    /// Search all history, newest first.
    Get "/v1/search" search / Search (Nothing, SearchQuery) -> SearchPage [Owner, Local; 1 KiB];

    /// Folders with transcripts: found, waiting for consent, followed, paused, excluded.
    Get "/v1/projects" list_projects / ListProjects (Nothing, Nothing) -> Projects [Owner, Local; 1 KiB];
    /// Follow, pause or exclude folders.
    Put "/v1/projects" set_projects / SetProjects (Nothing, SetProject) -> Projects [Owner, Local; 64 KiB];
    /// Delete everything that was imported from a folder, and exclude it.
    Post "/v1/projects/forget" forget_project / ForgetProjectEndpoint (Nothing, ForgetProject) -> Forgotten [Owner, Local; 64 KiB];

    /// Import files or folders of this machine.
    Post "/v1/imports" start_import / StartImport (Nothing, ImportRequest) -> ImportJob [Local; 64 KiB];
    /// Running and recent imports.
    Get "/v1/imports" list_imports / ListImports (Nothing, Nothing) -> Imports [Owner, Local; 1 KiB];
    /// How far an import has got.
    Get "/v1/imports/{import}" get_import / GetImport (ImportPath, Nothing) -> ImportJob [Owner, Local; 1 KiB];
}
