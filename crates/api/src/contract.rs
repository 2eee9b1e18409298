//! The endpoint table: the only list of endpoints, and the routes beside it. Everything else is derived from them.

use crate::account::{Health, LaunchCode, LogInPath, LogIns, Me};
use crate::audit::{AuditCheck, AuditPage, AuditQuery};
use crate::channels::{
    BindSession, ChannelAdded, ChannelPath, ChannelSessionPath, Channels, Deliveries, DeliveriesQuery,
    DeliveriesSettled, EditChannel, MessageDeliveries, NewChannel, SettleDeliveries,
};
use crate::context::{ContextQuery, SessionContext};
use crate::cost::{Budgets, BudgetsQuery, Requests, RequestsQuery, Runs, SessionTools};
use crate::driving::{AgentStarted, Agents, DrivenAgent, EditAgent, ResumeAgent, StartAgent, TellAgent};
use crate::endpoint::{Access, Endpoint, EndpointInfo, EndpointVisitor, Method, Nothing, Route};
use crate::files::{FilesPage, FilesQuery};
use crate::hooks::{AllowRules, HookAnswer, HookEvent, HookPath, RulePath};
use crate::host::{HostMessage, HostMessagePosted};
use crate::imports::{ImportJob, ImportPath, ImportRequest, Imports};
use crate::inspector::{Records, RecordsQuery, SessionEvents, SessionEventsQuery, Waterfall, WaterfallQuery};
use crate::keys::{EditKey, KeyMade, KeyPath, Keys, NewKey};
use crate::lifecycle::{
    EditSession, EditSessions, EditedSessions, EndSession, NewSession, SessionDeleted, SessionMade, SessionReply,
};
use crate::memory::{ForgetMemory, MemoriesChanged, MemoryPage, MemoryQuery};
use crate::messages::{Asks, AsksQuery, Changes, ListMessages, MessageDetail, MessagePage, MessagePath, TodoState};
use crate::net::{NetChanges, NetQuery};
use crate::notices::{NoticePath, RunNotices, SetNotice};
use crate::outline::{FindQuery, Found, Outline, OutlineQuery};
use crate::posting::{
    Decide, Decided, PendingMessages, PostMessage, PostMessages, Posted, PostedMessages, TakePending, TickTodo,
    UpdateMessage, Updated,
};
use crate::preferences::{EditPreferences, Preferences};
use crate::projects::{ForgetProject, Forgotten, Projects, SetProject};
use crate::reading::{ReadUpTo, UnreadSessions};
use crate::redaction::{RedactionQuery, RedactionReport};
use crate::routing::{LeaveRoom, Rooms, Routing};
use crate::runs::{BeginRun, ContextLog, ContextLogCheck, ContextLogQuery, EndRun, RunBegun, RunEnded, RunPath};
use crate::schedules::{EditSchedule, NewSchedule, Schedule, ScheduleMade, SchedulePath, Schedules};
use crate::search::{SearchPage, SearchQuery};
use crate::sessions::{ListSessions, SessionDetail, SessionPage, SessionPath, Sessions};
use crate::stats::{Stats, StatsQuery};
use crate::type_settings::{EditTypeSettings, TypeSettings};
use crate::types::{DeclareType, TypeDeclared, TypeDetail, TypePath, Types};
use crate::{Client, Problem};
use model::routing::Settings as RoutingSettings;
use std::future::Future;

/// The endpoint table: gives all its rows, by topic, to the macro `$then`. Names of types are those of the place that asks.
#[macro_export]
macro_rules! endpoints {
    ($then:ident) => {
        $then! {
            account {
                /// Who is asking, and how the server is set up.
                Get "/v1/me" me / GetMe (Nothing, Nothing) -> Me [Owner, Local, Agent; 1 KiB];
                /// Version, store and counts.
                Get "/v1/health" health / GetHealth (Nothing, Nothing) -> Health [Owner, Local; 1 KiB];
                /// Make a one-time code with which a browser logs in.
                Post "/v1/launch-codes" create_launch_code / CreateLaunchCode (Nothing, Nothing) -> LaunchCode [Local; 1 KiB];
                /// Make a key for an agent.
                Post "/v1/keys" create_key / CreateKey (Nothing, NewKey) -> KeyMade [Owner, Local; 16 KiB];
                /// All agent keys, without their secrets.
                Get "/v1/keys" list_keys / ListKeys (Nothing, Nothing) -> Keys [Owner, Local; 1 KiB];
                /// Changes the most that a key may post.
                Patch "/v1/keys/{key}" edit_key / EditKeyEndpoint (KeyPath, EditKey) -> Keys [Owner, Local; 1 KiB];
                /// Revoke a key. Its streams end within a second.
                Delete "/v1/keys/{key}" revoke_key / RevokeKey (KeyPath, Nothing) -> Keys [Owner, Local; 1 KiB];
                /// The browsers that are logged in.
                Get "/v1/logins" list_logins / ListLogIns (Nothing, Nothing) -> LogIns [Owner, Local; 1 KiB];
                /// Log a browser out. Its streams end within a second.
                Delete "/v1/logins/{login}" end_login / EndLogIn (LogInPath, Nothing) -> LogIns [Owner, Local; 1 KiB];
                /// Log out every browser but the one that asks.
                Delete "/v1/logins" end_other_logins / EndOtherLogIns (Nothing, Nothing) -> LogIns [Owner, Local; 1 KiB];
                /// The audit log, newest entry first: who logged in, made or revoked keys, decided, deleted, and changed settings.
                Get "/v1/audit" list_audit / ListAudit (Nothing, AuditQuery) -> AuditPage [Owner, Local; 1 KiB];
                /// Check that each entry of the audit log is what was written, and that none is missing.
                Get "/v1/audit/check" check_audit / CheckAudit (Nothing, Nothing) -> AuditCheck [Owner, Local; 1 KiB];
            }
            sessions {
                /// List sessions: filtered, sorted, a page at a time.
                Get "/v1/sessions" list_sessions / ListSessionsEndpoint (Nothing, ListSessions) -> SessionPage [Owner, Local, Agent; 1 KiB];
                /// One session, named by our id, the agent's own id, or a unique prefix of either.
                Get "/v1/sessions/{session}" get_session / GetSession (SessionPath, Nothing) -> SessionDetail [Owner, Local, Agent; 1 KiB];
                /// The sub-agents' sessions of a session, oldest first.
                Get "/v1/sessions/{session}/children" list_children / ListChildren (SessionPath, Nothing) -> Sessions [Owner, Local; 1 KiB];
                /// The events of a session: prompts, interruptions, approvals, errors, compactions, hooks, notices.
                Get "/v1/sessions/{session}/events" list_session_events / ListSessionEvents (SessionPath, SessionEventsQuery) -> SessionEvents [Owner, Local, Agent; 1 KiB];
                /// The verbatim lines of the files that a session was read from.
                Get "/v1/sessions/{session}/records" list_records / ListRecords (SessionPath, RecordsQuery) -> Records [Owner, Local; 1 KiB];
                /// The landmarks of a session: prompts, edits, approvals, errors.
                Get "/v1/sessions/{session}/outline" get_outline / GetOutline (SessionPath, OutlineQuery) -> Outline [Owner, Local; 1 KiB];
                /// The messages of a session that hold a text.
                Get "/v1/sessions/{session}/find" find / Find (SessionPath, FindQuery) -> Found [Owner, Local; 1 KiB];
                /// Make a session.
                Post "/v1/sessions" create_session / CreateSession (Nothing, NewSession) -> SessionMade [Owner, Local, Agent; 64 KiB];
                /// Rename a session, put it away, or say more about it.
                Patch "/v1/sessions/{session}" edit_session / EditSessionEndpoint (SessionPath, EditSession) -> SessionReply [Owner, Local, Agent; 64 KiB];
                /// Put away, pin, delete or restore many sessions.
                Patch "/v1/sessions" edit_sessions / EditSessionsEndpoint (Nothing, EditSessions) -> EditedSessions [Owner, Local; 64 KiB];
                /// Delete a session. It can be restored.
                Delete "/v1/sessions/{session}" delete_session / DeleteSession (SessionPath, Nothing) -> SessionDeleted [Owner, Local; 1 KiB];
                /// Undo the deletion of a session, named by our id or by the agent's own one.
                Post "/v1/sessions/{session}/restore" restore_session / RestoreSession (SessionPath, Nothing) -> SessionReply [Owner, Local; 1 KiB];
                /// Say that a session is over.
                Post "/v1/sessions/{session}/end" end_session / EndSessionEndpoint (SessionPath, EndSession) -> SessionReply [Owner, Local, Agent; 1 KiB];
                /// Say that the agent is alive. Posts, updates and waiting say so too. A minute after the last of them it counts as idle. If a call of
                /// it runs or a text is being written, it counts as lost; an agent that never sent a heartbeat is one of which there is no news.
                /// While a tool runs long, send one every 30 seconds.
                Post "/v1/sessions/{session}/heartbeat" heartbeat / Heartbeat (SessionPath, Nothing) -> SessionReply [Local, Agent; 1 KiB];
            }
            messages {
                /// A page of a session's messages with what is hidden between them.
                Get "/v1/sessions/{session}/messages" list_messages / ListMessagesEndpoint (SessionPath, ListMessages) -> MessagePage [Owner, Local, Agent; 1 KiB];
                /// One message with the verbatim bytes that it came from.
                Get "/v1/sessions/{session}/messages/{message}" get_message / GetMessage (MessagePath, Nothing) -> MessageDetail [Owner, Local, Agent; 1 KiB];
                /// The session's todo list as it stands.
                Get "/v1/sessions/{session}/todos" get_todos / GetTodos (SessionPath, Nothing) -> TodoState [Owner, Local, Agent; 1 KiB];
                /// Post a message.
                Post "/v1/sessions/{session}/messages" post_message / PostMessageEndpoint (SessionPath, PostMessage) -> Posted [Owner, Local, Agent; 16384 KiB];
                /// Post up to 256 messages, all or none.
                Post "/v1/sessions/{session}/messages/batch" post_messages / PostMessagesEndpoint (SessionPath, PostMessages) -> PostedMessages [Owner, Local, Agent; 16384 KiB];
                /// Change a message: stream its text, add a tool's result, ask for input.
                Patch "/v1/sessions/{session}/messages/{message}" update_message / UpdateMessageEndpoint (MessagePath, UpdateMessage) -> Updated [Owner, Local, Agent; 16384 KiB];
                /// Take a message back. It keeps its place.
                Delete "/v1/sessions/{session}/messages/{message}" retract_message / RetractMessage (MessagePath, Nothing) -> Updated [Owner, Local, Agent; 1 KiB];
                /// Tick an item of the todo list, or take the tick back.
                Post "/v1/sessions/{session}/ticks" tick_todo / TickTodoEndpoint (SessionPath, TickTodo) -> Posted [Owner, Local; 64 KiB];
                /// Take what people wrote to the agent, waiting for it if asked to. Each message is given once.
                Post "/v1/sessions/{session}/pending" take_pending / TakePendingEndpoint (SessionPath, TakePending) -> PendingMessages [Local, Agent; 1 KiB];
                /// Sessions that went on since the person who asks read them.
                Get "/v1/unread" list_unread / ListUnread (Nothing, Nothing) -> UnreadSessions [Owner; 1 KiB];
                /// Say how far a session was read. The agent isn't told.
                Put "/v1/sessions/{session}/read" mark_read / MarkRead (SessionPath, ReadUpTo) -> UnreadSessions [Owner; 1 KiB];
            }
            requests {
                /// What the sessions that need a person ask: of each session one, or all of it.
                Get "/v1/asks" list_asks / ListAsks (Nothing, AsksQuery) -> Asks [Owner, Local, Agent; 1 KiB];
                /// Decide an APPROVAL, or press a button on a FILE or a review. The first decision holds, but a comment of a review can be
                /// reopened; the agent gets it as an ACTION.
                Post "/v1/sessions/{session}/messages/{message}/decision" decide / DecideEndpoint (MessagePath, Decide) -> Decided [Owner; 256 KiB];
                /// The rules by which an agent's calls are allowed without asking a person.
                Get "/v1/rules" list_rules / ListRules (Nothing, Nothing) -> AllowRules [Owner, Local; 1 KiB];
                /// Ask again about what a rule allowed.
                Delete "/v1/rules/{rule}" revoke_rule / RevokeRule (RulePath, Nothing) -> AllowRules [Owner, Local; 1 KiB];
            }
            runs {
                /// Begin a run: what people and the system said since the last one, once and in order, with the notices of this run. An open run
                /// is given again, byte for byte. While a run is open, posts give nothing that people write.
                Post "/v1/sessions/{session}/runs" begin_run / BeginRunEndpoint (SessionPath, BeginRun) -> RunBegun [Local, Agent; 1024 KiB];
                /// End a run.
                Post "/v1/sessions/{session}/runs/{run}/end" end_run / EndRunEndpoint (RunPath, EndRun) -> RunEnded [Local, Agent; 64 KiB];
                /// The exact texts that a session's agent was given, in order.
                Get "/v1/sessions/{session}/context-log" list_context_log / ListContextLog (SessionPath, ContextLogQuery) -> ContextLog [Owner, Local; 1 KiB];
                /// Check that each entry of a session's context log is what was written, and that none is missing.
                Get "/v1/sessions/{session}/context-log/check" check_context_log / CheckContextLog (SessionPath, Nothing) -> ContextLogCheck [Owner, Local; 1 KiB];
            }
            model_context {
                /// What the model's context held when it wrote a reply: the messages of its request in order, what isn't recorded, and how far
                /// that can be trusted.
                Get "/v1/sessions/{session}/context" get_context / GetContext (SessionPath, ContextQuery) -> SessionContext [Owner, Local, Agent; 1 KiB];
            }
            costs {
                /// The requests of a session to models: tokens, cost and times of each.
                Get "/v1/sessions/{session}/requests" list_requests / ListRequests (SessionPath, RequestsQuery) -> Requests [Owner, Local, Agent; 1 KiB];
                /// The tools that a session called: how often, how often in vain, and how long that took.
                Get "/v1/sessions/{session}/tools" list_tools / ListTools (SessionPath, Nothing) -> SessionTools [Owner, Local, Agent; 1 KiB];
                /// Where the time of a session's requests went: the model, tools, approvals, and waiting for a person.
                Get "/v1/sessions/{session}/waterfall" get_waterfall / GetWaterfall (SessionPath, WaterfallQuery) -> Waterfall [Owner, Local, Agent; 1 KiB];
                /// The runs of a session: tokens, cost and times of each.
                Get "/v1/sessions/{session}/runs" list_runs / ListRuns (SessionPath, Nothing) -> Runs [Owner, Local, Agent; 1 KiB];
                /// What was said, called and spent: by day, project, model and tool.
                Get "/v1/stats" stats / GetStats (Nothing, StatsQuery) -> Stats [Owner, Local, Agent; 1 KiB];
                /// What may be spent today and this month, and what was.
                Get "/v1/budgets" get_budgets / GetBudgets (Nothing, BudgetsQuery) -> Budgets [Owner, Local; 1 KiB];
            }
            files {
                /// The files that a session changed, each with its edits.
                Get "/v1/sessions/{session}/changes" get_changes / GetChanges (SessionPath, Nothing) -> Changes [Owner, Local; 1 KiB];
                /// What the edits of a session, or some of them, did to each file in the end.
                Get "/v1/sessions/{session}/changes/net" get_net_changes / GetNetChanges (SessionPath, NetQuery) -> NetChanges [Owner, Local; 1 KiB];
                /// What all sessions changed in files, newest first.
                Get "/v1/files" list_files / ListFiles (Nothing, FilesQuery) -> FilesPage [Owner, Local, Agent; 1 KiB];
            }
            redaction {
                /// What a redacted export of a session masks, without writing it.
                Get "/v1/sessions/{session}/redaction" preview_redaction / PreviewRedaction (SessionPath, RedactionQuery) -> RedactionReport [Owner, Local, Agent; 1 KiB];
            }
            host {
                /// Post a message of the host: people see it, no model ever does.
                Post "/v1/host-messages" post_host_message / PostHostMessage (Nothing, HostMessage) -> HostMessagePosted [Owner, Local; 64 KiB];
            }
            hooks {
                /// Report what an agent does, as its hooks tell it. A `PermissionRequest` is answered when a person decides; an empty answer leaves
                /// the question to the agent's terminal.
                Post "/v1/hooks/{agent}/{wait}" report_hook / ReportHook (HookPath, HookEvent) -> HookAnswer [Local, Agent; 16384 KiB];
            }
            driving {
                /// The agents that can be started on this machine, and folders to start them in.
                Get "/v1/agents" list_agents / ListAgents (Nothing, Nothing) -> Agents [Owner, Local; 1 KiB];
                /// Start an agent in a folder, as a new session. What people write to the session is given to the agent.
                Post "/v1/agents/sessions" start_agent / StartAgentEndpoint (Nothing, StartAgent) -> AgentStarted [Owner, Local; 16384 KiB];
                /// An agent that was started here, with what it writes at the moment.
                Get "/v1/sessions/{session}/agent" get_agent / GetAgent (SessionPath, Nothing) -> DrivenAgent [Owner, Local; 1 KiB];
                /// Switch the mode or the model of a running agent.
                Patch "/v1/sessions/{session}/agent" edit_agent / EditAgentEndpoint (SessionPath, EditAgent) -> DrivenAgent [Owner, Local; 64 KiB];
                /// Interrupt or end a running agent, or have it take at once what people wrote.
                Post "/v1/sessions/{session}/agent/tell" tell_agent / TellAgentEndpoint (SessionPath, TellAgent) -> DrivenAgent [Owner, Local; 1 KiB];
                /// Start the agent of a session again: it goes on with the session, or with a copy of it.
                Post "/v1/sessions/{session}/agent/resume" resume_agent / ResumeAgentEndpoint (SessionPath, ResumeAgent) -> AgentStarted [Owner, Local; 16384 KiB];
            }
            schedules {
                /// Prompts that are sent at a time: the next one first.
                Get "/v1/schedules" list_schedules / ListSchedules (Nothing, Nothing) -> Schedules [Owner, Local; 1 KiB];
                /// Send a prompt to a session at a moment, or by a cron expression in a time zone.
                Post "/v1/schedules" create_schedule / CreateSchedule (Nothing, NewSchedule) -> ScheduleMade [Owner, Local; 1024 KiB];
                /// Change or pause a schedule, or let it go on.
                Patch "/v1/schedules/{schedule}" edit_schedule / EditScheduleEndpoint (SchedulePath, EditSchedule) -> Schedule [Owner, Local; 1024 KiB];
                /// Remove a schedule. It can be restored.
                Delete "/v1/schedules/{schedule}" remove_schedule / RemoveSchedule (SchedulePath, Nothing) -> Schedules [Owner, Local; 1 KiB];
                /// Undo the removal of a schedule.
                Post "/v1/schedules/{schedule}/restore" restore_schedule / RestoreSchedule (SchedulePath, Nothing) -> Schedule [Owner, Local; 1 KiB];
                /// Send the prompt of a schedule now. Its times stay as they are.
                Post "/v1/schedules/{schedule}/run" run_schedule / RunSchedule (SchedulePath, Nothing) -> Schedule [Owner, Local; 1 KiB];
            }
            channels {
                /// The channels in which sessions are shown and answered besides the page, and the kinds that can be added.
                Get "/v1/channels" list_channels / ListChannels (Nothing, Nothing) -> Channels [Owner, Local; 1 KiB];
                /// Add a channel. It is told of what comes from then on.
                Post "/v1/channels" add_channel / AddChannel (Nothing, NewChannel) -> ChannelAdded [Owner, Local; 64 KiB];
                /// Change a channel, pause it, or take its removal back.
                Patch "/v1/channels/{channel}" edit_channel / EditChannelEndpoint (ChannelPath, EditChannel) -> Channels [Owner, Local; 64 KiB];
                /// Remove a channel. Its removal can be taken back.
                Delete "/v1/channels/{channel}" remove_channel / RemoveChannel (ChannelPath, Nothing) -> Channels [Owner, Local; 1 KiB];
                /// Send a test message. The answer comes when the channel took it.
                Post "/v1/channels/{channel}/test" test_channel / TestChannel (ChannelPath, Nothing) -> Nothing [Owner, Local; 1 KiB];
                /// Show a session in a channel, from its next message on.
                Post "/v1/channels/{channel}/sessions" bind_session / BindSessionEndpoint (ChannelPath, BindSession) -> Channels [Owner, Local; 1 KiB];
                /// Show a session in a channel no longer.
                Delete "/v1/channels/{channel}/sessions/{session}" unbind_session / UnbindSession (ChannelSessionPath, Nothing) -> Channels [Owner, Local; 1 KiB];
                /// What a channel was told and is to be told, the latest first.
                Get "/v1/channels/{channel}/deliveries" list_deliveries / ListDeliveries (ChannelPath, DeliveriesQuery) -> Deliveries [Owner, Local; 1 KiB];
                /// What channels are told of a message, and how far each got.
                Get "/v1/sessions/{session}/messages/{message}/deliveries" list_message_deliveries / ListMessageDeliveries (MessagePath, Nothing) -> MessageDeliveries [Owner, Local; 1 KiB];
                /// Send deliveries again, or give up what was refused.
                Post "/v1/channels/{channel}/deliveries" settle_deliveries / SettleDeliveriesEndpoint (ChannelPath, SettleDeliveries) -> DeliveriesSettled [Owner, Local; 1 KiB];
                /// Leave a room that nobody registered, or decline the invitation to it.
                Post "/v1/rooms/leave" leave_room / LeaveRoomEndpoint (Nothing, LeaveRoom) -> Rooms [Owner, Local; 1 KiB];
            }
            settings {
                /// What the person prefers.
                Get "/v1/preferences" get_preferences / GetPreferences (Nothing, Nothing) -> Preferences [Owner, Local; 1 KiB];
                /// Prefer something else.
                Patch "/v1/preferences" edit_preferences / EditPreferencesEndpoint (Nothing, EditPreferences) -> Preferences [Owner, Local; 64 KiB];
                /// How the workspace treats message types.
                Get "/v1/settings/types" get_type_settings / GetTypeSettings (Nothing, Nothing) -> TypeSettings [Owner, Local; 1 KiB];
                /// Draws types as text, or accepts their payload unchecked. It takes effect at once.
                Patch "/v1/settings/types" edit_type_settings / EditTypeSettingsEndpoint (Nothing, EditTypeSettings) -> TypeSettings [Owner, Local; 64 KiB];
            }
            types {
                /// The message types that were declared, with all their versions.
                Get "/v1/types" list_types / ListTypes (Nothing, Nothing) -> Types [Owner, Local, Agent; 1 KiB];
                /// The documents of a declared message type, the newest version first.
                Get "/v1/types/{type}" get_type / GetType (TypePath, Nothing) -> TypeDetail [Owner, Local, Agent; 1 KiB];
                /// Declare how the messages of a type are shown: a document without code. The same document again changes nothing.
                Put "/v1/types/{type}" declare_type / DeclareTypeEndpoint (TypePath, DeclareType) -> TypeDeclared [Owner, Local, Agent; 256 KiB];
                /// Remove a declared type, with all its versions. Its messages stay, and are shown as data.
                Delete "/v1/types/{type}" remove_type / RemoveType (TypePath, Nothing) -> Types [Owner, Local; 1 KiB];
            }
            routing {
                /// Which messages wake an agent: the name that calls it, and what becomes of other messages. Of the workspace.
                Get "/v1/settings/routing" get_routing / GetRouting (Nothing, Nothing) -> Routing [Owner, Local; 1 KiB];
                /// Sets the workspace's routing. What is absent is as in the server's environment.
                Put "/v1/settings/routing" set_routing / SetRouting (Nothing, RoutingSettings) -> Routing [Owner, Local; 256 KiB];
                /// The routing of a session.
                Get "/v1/sessions/{session}/routing" get_session_routing / GetSessionRouting (SessionPath, Nothing) -> Routing [Owner, Local; 1 KiB];
                /// Sets the routing of a session. What is absent is as in the workspace.
                Put "/v1/sessions/{session}/routing" set_session_routing / SetSessionRouting (SessionPath, RoutingSettings) -> Routing [Owner, Local; 256 KiB];
                /// Rooms of channels that somebody wrote in and nobody registered. What was written there isn't stored.
                Get "/v1/rooms" list_rooms / ListRooms (Nothing, Nothing) -> Rooms [Owner, Local; 1 KiB];
            }
            notices {
                /// The notices that agents are given with each run.
                Get "/v1/settings/notices" list_notices / ListNotices (Nothing, Nothing) -> RunNotices [Owner, Local; 1 KiB];
                /// Sets a notice, or adds it behind the others. The next run has it.
                Put "/v1/settings/notices/{notice}" set_notice / SetNoticeEndpoint (NoticePath, SetNotice) -> RunNotices [Owner, Local; 256 KiB];
                /// Removes a notice.
                Delete "/v1/settings/notices/{notice}" remove_notice / RemoveNotice (NoticePath, Nothing) -> RunNotices [Owner, Local; 1 KiB];
            }
            search {
                /// Search all history, newest first.
                Get "/v1/search" search / Search (Nothing, SearchQuery) -> SearchPage [Owner, Local, Agent; 1 KiB];
            }
            memory {
                /// Recall what people said, in any session: by words, and by meaning where an endpoint makes vectors.
                Get "/v1/memory" recall / Recall (Nothing, MemoryQuery) -> MemoryPage [Owner, Local, Agent; 1 KiB];
                /// Forget a memory, or all of them. The messages stay in their sessions.
                Post "/v1/memory/forget" forget_memory / ForgetMemoryEndpoint (Nothing, ForgetMemory) -> MemoriesChanged [Owner, Local; 1 KiB];
                /// Make all vectors anew, as for another model.
                Post "/v1/memory/embed" embed_memory / EmbedMemory (Nothing, Nothing) -> MemoriesChanged [Owner, Local; 1 KiB];
            }
            imports {
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
        }
    };
}

macro_rules! declare {
    ($($topic:ident {
        $( $(#[doc = $doc:literal])+ $method:ident $path:literal $name:ident / $Type:ident ($P:ty, $I:ty) -> $R:ty
            [$($access:ident),+; $limit:literal KiB]; )*
    })*) => {
        $($( $(#[doc = $doc])+
           pub struct $Type;
           impl Route for $Type {
               const PATH: &'static str = $path;
           }
           impl Endpoint for $Type {
               const INFO: EndpointInfo = EndpointInfo {
                   name: stringify!($name),
                   topic: stringify!($topic),
                   method: Method::$method,
                   path: Self::PATH,
                   access: &[$(Access::$access),+],
                   limit: $limit * 1024,
                   doc: concat!($($doc),+),
               };
               type Path = $P;
               type Input = $I;
               type Reply = $R;
           } )*)*

        /// Every endpoint of the table, in its order.
        pub const ENDPOINTS: &[EndpointInfo] = &[$($($Type::INFO),*),*];

        /// Every endpoint as one method, for one authenticated caller.
        pub trait Api: Send + Sync {
            /// Checks that this caller may use an endpoint with this access: 403 if not.
            fn authorize(&self, access: &[Access]) -> Result<(), Problem>;
            $($( $(#[doc = $doc])+
               fn $name(&self, path: $P, input: $I) -> impl Future<Output = Result<$R, Problem>> + Send; )*)*
        }

        impl Client {
            $($( $(#[doc = $doc])+
               pub async fn $name(&self, path: $P, input: $I) -> Result<$R, Problem> {
                   self.call::<$Type>(path, input).await
               } )*)*
        }

        /// Calls a visitor with each endpoint, in the order of the table.
        pub fn each_endpoint(visitor: &mut impl EndpointVisitor) {
            $($( visitor.visit::<$Type>(); )*)*
        }

        /// The routes of the table. An outer layer puts the caller, a `C`, into the request's extensions.
        #[cfg(feature = "axum")]
        pub fn router<C: Api + Clone + 'static>() -> axum::Router {
            let router = axum::Router::new();
            $($( let router = router.route($path, axum::routing::on(crate::serve::filter(Method::$method),
                async |axum::Extension(caller): axum::Extension<C>, request: axum::extract::Request| {
                    let answer = async {
                        caller.authorize($Type::INFO.access)?;
                        let (path, input) = crate::serve::read::<$Type>(request).await?;
                        caller.$name(path, input).await
                    };
                    crate::serve::answer(answer.await)
                })); )*)*
            router
        }
    };
}

endpoints!(declare);

macro_rules! routes {
    ($( $(#[doc = $doc:literal])+ $Type:ident = $path:literal; )+) => {
        $( $(#[doc = $doc])+
           pub struct $Type;
           impl Route for $Type {
               const PATH: &'static str = $path;
           } )+

        /// The name and the path of every route beside the endpoints.
        pub const ROUTES: &[(&str, &str)] = &[$((stringify!($Type), $path)),+];
    };
}

// What these carry isn't JSON both ways, or not for one caller: the server has each by hand.
routes! {
    /// The event stream.
    Events = "/v1/events";
    /// A session as a file.
    ExportSession = "/v1/sessions/{session}/export";
    /// The audit log as a file.
    ExportAudit = "/v1/audit/export";
    /// Takes the bytes of a file.
    UploadBlob = "/v1/blobs";
    /// The bytes of a file.
    GetBlob = "/v1/blobs/{sha256}";
    /// What people write in a channel, posted and signed by its other side.
    ChannelIncoming = "/v1/channels/{channel}/incoming";
    /// Says who is logged in, and logs in.
    LogInRoute = "/v1/login";
    /// Logs out.
    LogOut = "/v1/logout";
    /// The description of the API.
    OpenApi = "/v1/openapi.json";
}
