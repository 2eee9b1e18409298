//! The endpoint table: the only list of endpoints, and of the routes that aren't JSON. Everything else is derived from
//! it.

use crate::account::{
    Health, LaunchCode, LogInMethodPath, LogInMethods, LogInPath, LogIns, Me, NewPairing, NewPasskey, Pairing,
    PasskeyOptions, SetPassword, SingleSignOnBegun,
};
use crate::audit::{AuditCheck, AuditPage, AuditQuery};
use crate::channels::{
    BindSession, ChannelAdded, ChannelPath, ChannelSessionPath, Channels, Deliveries, DeliveriesQuery,
    DeliveriesSettled, EditChannel, MessageDeliveries, NewChannel, SettleDeliveries,
};
use crate::context::{ContextQuery, SessionContext};
use crate::cost::{Budgets, BudgetsQuery, Requests, RequestsQuery, Runs, SessionTools};
use crate::driving::{AgentStarted, Agents, DrivenAgent, EditAgent, ResumeAgent, RunningAgents, StartAgent, TellAgent};
use crate::endpoint::{Access, Endpoint, EndpointInfo, EndpointVisitor, Method, Nothing, Route};
use crate::files::{FilesPage, FilesQuery};
use crate::hooks::{AllowRules, HookAnswer, HookEvent, HookPath, HookWaits, HookWords, RulePath};
use crate::host::{HostMessage, HostMessagePosted};
use crate::imports::{ImportJob, ImportPath, ImportRequest, Imports};
use crate::inspector::{Records, RecordsQuery, SessionEvents, SessionEventsQuery, Waterfall, WaterfallQuery};
use crate::keys::{EditKey, KeyMade, KeyPath, Keys, NewKey};
use crate::lifecycle::{
    EditSession, EditSessions, EditedSessions, EndSession, NewSession, SessionDeleted, SessionMade, SessionReply,
};
use crate::machines::{
    AppendFiles, CompareFiles, EditMachine, FilesAppended, FilesStored, MachineAdded, MachinePath, MachineReport,
    MachineWelcome, Machines, NewMachine,
};
use crate::memory::{ForgetMemory, MemoriesChanged, MemoryPage, MemoryQuery};
use crate::messages::{Asks, AsksQuery, Changes, ListMessages, MessageDetail, MessagePage, MessagePath, TodoState};
use crate::net::{NetChanges, NetQuery};
use crate::notices::{NoticePath, RunNotices, SetNotice};
use crate::outline::{FindQuery, Found, Outline, OutlineQuery};
use crate::people::{EditPerson, NewPerson, People, PersonAdded, PersonPath, SetProjectPeople};
use crate::posting::{
    Decide, Decided, PendingMessages, PostMessage, PostMessages, Posted, PostedMessages, TakePending, TickTodo,
    UpdateMessage, Updated,
};
use crate::preferences::{EditPreferences, Preferences};
use crate::projects::{ForgetProject, Forgotten, Projects, SetProject};
use crate::push::{EditPush, Push};
use crate::reading::{ReadUpTo, UnreadSessions};
use crate::redaction::{EraseText, ErasedBytes, Erasure, RedactionQuery, RedactionReport};
use crate::retention::{RetentionPath, RetentionRules, SetRetentionRule};
use crate::routing::{LeaveRoom, Rooms, Routing};
use crate::runs::{BeginRun, ContextLog, ContextLogCheck, ContextLogQuery, EndRun, RunBegun, RunEnded, RunPath};
use crate::schedules::{EditSchedule, NewSchedule, Schedule, ScheduleMade, SchedulePath, Schedules};
use crate::search::{SearchPage, SearchQuery};
use crate::sessions::{ListSessions, SessionDetail, SessionPage, SessionPath, Sessions};
use crate::shares::{NewShare, ShareMade, SharePath, Shares};
use crate::stats::{Stats, StatsQuery};
use crate::type_settings::{EditTypeSettings, TypeSettings};
use crate::types::{DeclareType, TypeDeclared, TypeDetail, TypePath, Types};
use crate::{Client, Problem};
use model::routing::Settings as RoutingSettings;
use std::future::Future;

/// Passes all rows of the endpoint table, by topic, to the macro `$then`. Type names are resolved at the call site.
#[macro_export]
macro_rules! endpoints {
    ($then:ident) => {
        $then! {
            push {
                /// Returns the notifications of the caller's browser, and the key to subscribe with.
                Get "/v1/push" get_push / GetPush (Nothing, Nothing) -> Push [Viewer; 1 KiB];
                /// Subscribes the caller's browser to notifications, or changes what it is told.
                Put "/v1/push" put_push / PutPush (Nothing, EditPush) -> Push [Viewer; 8 KiB];
                /// Ends the notifications of the caller's browser.
                Delete "/v1/push" delete_push / DeletePush (Nothing, Nothing) -> Push [Viewer; 1 KiB];
                /// Sends a notification to the caller's browser, to try it.
                Post "/v1/push/test" test_push / TestPush (Nothing, Nothing) -> Push [Viewer; 1 KiB];
            }
            account {
                /// Returns the caller, and how the server is set up.
                Get "/v1/me" me / GetMe (Nothing, Nothing) -> Me [Viewer, Local, Agent; 1 KiB];
                /// Returns the server's version, store and counts.
                Get "/v1/health" health / GetHealth (Nothing, Nothing) -> Health [Owner, Local; 1 KiB];
                /// Creates a one-time code that logs in a browser.
                Post "/v1/launch-codes" create_launch_code / CreateLaunchCode (Nothing, Nothing) -> LaunchCode [Local; 1 KiB];
                /// Creates a one-time link that logs in another device. The server needs a public URL.
                Post "/v1/pairings" create_pairing / CreatePairing (Nothing, NewPairing) -> Pairing [Viewer, Local; 1 KiB];
                /// Creates a key for an agent.
                Post "/v1/keys" create_key / CreateKey (Nothing, NewKey) -> KeyMade [Owner, Local; 16 KiB];
                /// Lists all agent keys, without their secrets.
                Get "/v1/keys" list_keys / ListKeys (Nothing, Nothing) -> Keys [Owner, Local; 1 KiB];
                /// Changes the quota of a key.
                Patch "/v1/keys/{key}" edit_key / EditKeyEndpoint (KeyPath, EditKey) -> Keys [Owner, Local; 1 KiB];
                /// Revokes a key. Its streams end within a second.
                Delete "/v1/keys/{key}" revoke_key / RevokeKey (KeyPath, Nothing) -> Keys [Owner, Local; 1 KiB];
                /// Lists the ways in which the caller logs in besides links.
                Get "/v1/login-methods" list_login_methods / ListLogInMethods (Nothing, Nothing) -> LogInMethods [Viewer; 1 KiB];
                /// Sets the caller's password. The caller must have logged in within the last 15 minutes.
                Put "/v1/login-methods/password" set_password / SetPasswordEndpoint (Nothing, SetPassword) -> LogInMethods [Viewer; 4 KiB];
                /// Returns the options with which the caller's browser creates a passkey. The caller must have logged in
                /// within the last 15 minutes.
                Post "/v1/login-methods/passkey-options" create_passkey_options / CreatePasskeyOptions (Nothing, Nothing) -> PasskeyOptions [Viewer; 1 KiB];
                /// Adds the passkey that the caller's browser created.
                Post "/v1/login-methods/passkeys" add_passkey / AddPasskey (Nothing, NewPasskey) -> LogInMethods [Viewer; 16 KiB];
                /// Removes a way in which the caller logs in. Existing log-ins stay.
                Delete "/v1/login-methods/{kind}/{method}" remove_login_method / RemoveLogInMethod (LogInMethodPath, Nothing) -> LogInMethods [Viewer; 1 KiB];
                /// Begins to add an account at the provider of single sign-on to the caller. They must have logged in
                /// within the last 15 minutes.
                Post "/v1/login-methods/single-sign-on" begin_single_sign_on / BeginSingleSignOn (Nothing, Nothing) -> SingleSignOnBegun [Viewer; 1 KiB];
                /// Lists the browsers that are logged in.
                Get "/v1/logins" list_logins / ListLogIns (Nothing, Nothing) -> LogIns [Viewer, Local; 1 KiB];
                /// Logs out a browser. Its streams end within a second.
                Delete "/v1/logins/{login}" end_login / EndLogIn (LogInPath, Nothing) -> LogIns [Viewer, Local; 1 KiB];
                /// Logs out every browser except the caller's.
                Delete "/v1/logins" end_other_logins / EndOtherLogIns (Nothing, Nothing) -> LogIns [Viewer, Local; 1 KiB];
                /// Lists the audit log, newest entry first: log-ins, created and revoked keys, decisions, deletions and
                /// changed settings.
                Get "/v1/audit" list_audit / ListAudit (Nothing, AuditQuery) -> AuditPage [Owner, Local; 1 KiB];
                /// Checks that each entry of the audit log is unchanged, and that none is missing.
                Get "/v1/audit/check" check_audit / CheckAudit (Nothing, Nothing) -> AuditCheck [Owner, Local; 1 KiB];
            }
            people {
                /// Lists the people who may log in, and the projects that not all of them see.
                Get "/v1/users" list_people / ListPeople (Nothing, Nothing) -> People [Owner, Local; 1 KiB];
                /// Adds a person, and creates the link by which they log in for the first time.
                Post "/v1/users" add_person / AddPerson (Nothing, NewPerson) -> PersonAdded [Owner, Local; 16 KiB];
                /// Changes the name or the role of a person.
                Patch "/v1/users/{person}" edit_person / EditPersonEndpoint (PersonPath, EditPerson) -> People [Owner, Local; 16 KiB];
                /// Removes a person. Their browsers are logged out, and their streams end, within a second.
                Delete "/v1/users/{person}" remove_person / RemovePerson (PersonPath, Nothing) -> People [Owner, Local; 1 KiB];
                /// Creates a new link by which a person logs in. The one before doesn't work any more.
                Post "/v1/users/{person}/invitation" invite_person / InvitePerson (PersonPath, Nothing) -> Pairing [Owner, Local; 1 KiB];
                /// Sets who sees the sessions of a project.
                Put "/v1/projects/people" set_project_people / SetProjectPeopleEndpoint (Nothing, SetProjectPeople) -> People [Owner, Local; 64 KiB];
            }
            machines {
                /// Lists the machines whose agents' files are sent here, in the order in which they were added.
                Get "/v1/machines" list_machines / ListMachines (Nothing, Nothing) -> Machines [Owner, Local; 1 KiB];
                /// Adds a machine, and creates its key.
                Post "/v1/machines" add_machine / AddMachine (Nothing, NewMachine) -> MachineAdded [Owner, Local; 16 KiB];
                /// Renames a machine.
                Patch "/v1/machines/{machine}" edit_machine / EditMachineEndpoint (MachinePath, EditMachine) -> Machines [Owner, Local; 16 KiB];
                /// Removes a machine: revokes its key, and deletes the copies of its files. Its sessions stay.
                Delete "/v1/machines/{machine}" remove_machine / RemoveMachine (MachinePath, Nothing) -> Machines [Owner, Local; 1 KiB];
                /// Reports that the machine of the key is there, and what it runs. A machine that wasn't heard of for 90
                /// seconds is offline: send this every 30 seconds.
                Put "/v1/machine" report_machine / ReportMachine (Nothing, MachineReport) -> MachineWelcome [Agent; 16 KiB];
                /// Returns what the server has of files of the machine. Files that take long to hash may be left out at the
                /// end: ask for them again.
                Post "/v1/machine/files" compare_files / CompareFilesEndpoint (Nothing, CompareFiles) -> FilesStored [Agent; 512 KiB];
                /// Appends bytes to files of the machine, or replaces them. A piece that doesn't begin where the server's
                /// copy ends is left out; `size` of the reply says where that is.
                Patch "/v1/machine/files" append_files / AppendFilesEndpoint (Nothing, AppendFiles) -> FilesAppended [Agent; 2048 KiB];
            }
            sessions {
                /// Lists sessions, filtered, sorted and in pages.
                Get "/v1/sessions" list_sessions / ListSessionsEndpoint (Nothing, ListSessions) -> SessionPage [Viewer, Local, Agent; 1 KiB];
                /// Returns one session, named by our id, the agent's own id, or a unique prefix of either.
                Get "/v1/sessions/{session}" get_session / GetSession (SessionPath, Nothing) -> SessionDetail [Viewer, Local, Agent; 1 KiB];
                /// Lists the sub-agents' sessions of a session, oldest first.
                Get "/v1/sessions/{session}/children" list_children / ListChildren (SessionPath, Nothing) -> Sessions [Viewer, Local; 1 KiB];
                /// Lists the events of a session: prompts, interruptions, approvals, errors, compactions, hooks and
                /// notices.
                Get "/v1/sessions/{session}/events" list_session_events / ListSessionEvents (SessionPath, SessionEventsQuery) -> SessionEvents [Viewer, Local, Agent; 1 KiB];
                /// Returns the verbatim lines of the files that a session was read from.
                Get "/v1/sessions/{session}/records" list_records / ListRecords (SessionPath, RecordsQuery) -> Records [Viewer, Local; 1 KiB];
                /// Returns the outline of a session: its prompts, edits, approvals and errors.
                Get "/v1/sessions/{session}/outline" get_outline / GetOutline (SessionPath, OutlineQuery) -> Outline [Viewer, Local; 1 KiB];
                /// Finds the messages of a session that contain a text.
                Get "/v1/sessions/{session}/find" find / Find (SessionPath, FindQuery) -> Found [Viewer, Local; 1 KiB];
                /// Creates a session.
                Post "/v1/sessions" create_session / CreateSession (Nothing, NewSession) -> SessionMade [Member, Local, Agent; 64 KiB];
                /// Changes a session: its title, project, branch or model, and whether it is archived or pinned.
                Patch "/v1/sessions/{session}" edit_session / EditSessionEndpoint (SessionPath, EditSession) -> SessionReply [Member, Local, Agent; 64 KiB];
                /// Archives, pins, deletes or restores many sessions.
                Patch "/v1/sessions" edit_sessions / EditSessionsEndpoint (Nothing, EditSessions) -> EditedSessions [Member, Local; 64 KiB];
                /// Deletes a session. It can be restored.
                Delete "/v1/sessions/{session}" delete_session / DeleteSession (SessionPath, Nothing) -> SessionDeleted [Member, Local; 1 KiB];
                /// Restores a deleted session, named by our id or the agent's own id.
                Post "/v1/sessions/{session}/restore" restore_session / RestoreSession (SessionPath, Nothing) -> SessionReply [Member, Local; 1 KiB];
                /// Ends a session.
                Post "/v1/sessions/{session}/end" end_session / EndSessionEndpoint (SessionPath, EndSession) -> SessionReply [Member, Local, Agent; 1 KiB];
                /// Reports that the agent is alive. Posts, updates and waiting requests count as heartbeats too. A
                /// minute after the last heartbeat the agent counts as idle, or as lost if a tool call is running or a
                /// text is streaming. The state of an agent that never sent a heartbeat is unknown. Send one every 30
                /// seconds while a tool runs long.
                Post "/v1/sessions/{session}/heartbeat" heartbeat / Heartbeat (SessionPath, Nothing) -> SessionReply [Local, Agent; 1 KiB];
            }
            messages {
                /// Returns a page of a session's messages, with the hidden ones between them.
                Get "/v1/sessions/{session}/messages" list_messages / ListMessagesEndpoint (SessionPath, ListMessages) -> MessagePage [Viewer, Local, Agent; 1 KiB];
                /// Returns one message with the verbatim bytes that it was read from.
                Get "/v1/sessions/{session}/messages/{message}" get_message / GetMessage (MessagePath, Nothing) -> MessageDetail [Viewer, Local, Agent; 1 KiB];
                /// Returns the current todo list of a session.
                Get "/v1/sessions/{session}/todos" get_todos / GetTodos (SessionPath, Nothing) -> TodoState [Viewer, Local, Agent; 1 KiB];
                /// Posts a message.
                Post "/v1/sessions/{session}/messages" post_message / PostMessageEndpoint (SessionPath, PostMessage) -> Posted [Member, Local, Agent; 16384 KiB];
                /// Posts up to 256 messages, all or none.
                Post "/v1/sessions/{session}/messages/batch" post_messages / PostMessagesEndpoint (SessionPath, PostMessages) -> PostedMessages [Member, Local, Agent; 16384 KiB];
                /// Updates a message: streams its text, adds a tool's result, asks for input.
                Patch "/v1/sessions/{session}/messages/{message}" update_message / UpdateMessageEndpoint (MessagePath, UpdateMessage) -> Updated [Member, Local, Agent; 16384 KiB];
                /// Retracts a message. It keeps its `seq`.
                Delete "/v1/sessions/{session}/messages/{message}" retract_message / RetractMessage (MessagePath, Nothing) -> Updated [Member, Local, Agent; 1 KiB];
                /// Ticks or unticks an item of the todo list.
                Post "/v1/sessions/{session}/ticks" tick_todo / TickTodoEndpoint (SessionPath, TickTodo) -> Posted [Member, Local; 64 KiB];
                /// Takes what people wrote to the agent, waiting for it if requested. Each message is returned once.
                Post "/v1/sessions/{session}/pending" take_pending / TakePendingEndpoint (SessionPath, TakePending) -> PendingMessages [Local, Agent; 1 KiB];
                /// Lists the sessions with messages that the caller hasn't read.
                Get "/v1/unread" list_unread / ListUnread (Nothing, Nothing) -> UnreadSessions [Viewer; 1 KiB];
                /// Sets how far the caller has read a session. The agent isn't told.
                Put "/v1/sessions/{session}/read" mark_read / MarkRead (SessionPath, ReadUpTo) -> UnreadSessions [Viewer; 1 KiB];
            }
            requests {
                /// Lists what sessions ask a person: one request for each session, or all of them.
                Get "/v1/asks" list_asks / ListAsks (Nothing, AsksQuery) -> Asks [Viewer, Local, Agent; 1 KiB];
                /// Decides an APPROVAL, or presses a button of a FILE or a review. The first decision counts, but a
                /// comment of a review can be reopened. The agent gets the decision as an ACTION.
                Post "/v1/sessions/{session}/messages/{message}/decision" decide / DecideEndpoint (MessagePath, Decide) -> Decided [Member; 256 KiB];
                /// Lists the rules that allow an agent's calls without asking a person.
                Get "/v1/rules" list_rules / ListRules (Nothing, Nothing) -> AllowRules [Owner, Local; 1 KiB];
                /// Revokes a rule. Calls that it allowed are asked about again.
                Delete "/v1/rules/{rule}" revoke_rule / RevokeRule (RulePath, Nothing) -> AllowRules [Owner, Local; 1 KiB];
            }
            runs {
                /// Begins a run: returns what people and the system said since the last run, once and in order, with
                /// the notices of this run. An open run is returned again, byte for byte. While a run is open, replies
                /// to posts have no messages of people.
                Post "/v1/sessions/{session}/runs" begin_run / BeginRunEndpoint (SessionPath, BeginRun) -> RunBegun [Local, Agent; 1024 KiB];
                /// Ends a run.
                Post "/v1/sessions/{session}/runs/{run}/end" end_run / EndRunEndpoint (RunPath, EndRun) -> RunEnded [Local, Agent; 64 KiB];
                /// Lists the exact texts that a session's agent was given, in order.
                Get "/v1/sessions/{session}/context-log" list_context_log / ListContextLog (SessionPath, ContextLogQuery) -> ContextLog [Viewer, Local; 1 KiB];
                /// Checks that each entry of a session's context log is unchanged, and that none is missing.
                Get "/v1/sessions/{session}/context-log/check" check_context_log / CheckContextLog (SessionPath, Nothing) -> ContextLogCheck [Viewer, Local; 1 KiB];
            }
            model_context {
                /// Returns the contents of the model's context when it wrote a reply: the messages of its request in
                /// order, what isn't recorded, and how reliable that is.
                Get "/v1/sessions/{session}/context" get_context / GetContext (SessionPath, ContextQuery) -> SessionContext [Viewer, Local, Agent; 1 KiB];
            }
            costs {
                /// Lists the requests of a session to models, with tokens, cost and times.
                Get "/v1/sessions/{session}/requests" list_requests / ListRequests (SessionPath, RequestsQuery) -> Requests [Viewer, Local, Agent; 1 KiB];
                /// Lists the tools that a session called, with the number of calls and failures, and their durations.
                Get "/v1/sessions/{session}/tools" list_tools / ListTools (SessionPath, Nothing) -> SessionTools [Viewer, Local, Agent; 1 KiB];
                /// Returns how the time of a session's requests is divided between the model, tools, approvals and
                /// waiting for a person.
                Get "/v1/sessions/{session}/waterfall" get_waterfall / GetWaterfall (SessionPath, WaterfallQuery) -> Waterfall [Viewer, Local, Agent; 1 KiB];
                /// Lists the runs of a session, with tokens, cost and times.
                Get "/v1/sessions/{session}/runs" list_runs / ListRuns (SessionPath, Nothing) -> Runs [Viewer, Local, Agent; 1 KiB];
                /// Returns statistics by day, project, model and tool.
                Get "/v1/stats" stats / GetStats (Nothing, StatsQuery) -> Stats [Viewer, Local, Agent; 1 KiB];
                /// Returns the budgets of today and this month, and what was spent.
                Get "/v1/budgets" get_budgets / GetBudgets (Nothing, BudgetsQuery) -> Budgets [Viewer, Local; 1 KiB];
            }
            files {
                /// Lists the files that a session changed, each with its edits.
                Get "/v1/sessions/{session}/changes" get_changes / GetChanges (SessionPath, Nothing) -> Changes [Viewer, Local; 1 KiB];
                /// Returns the net change of each file by the edits of a session, or by some of them.
                Get "/v1/sessions/{session}/changes/net" get_net_changes / GetNetChanges (SessionPath, NetQuery) -> NetChanges [Viewer, Local; 1 KiB];
                /// Lists the file changes of all sessions, newest first.
                Get "/v1/files" list_files / ListFiles (Nothing, FilesQuery) -> FilesPage [Viewer, Local, Agent; 1 KiB];
            }
            redaction {
                /// Previews what a redacted export of a session masks.
                Get "/v1/sessions/{session}/redaction" preview_redaction / PreviewRedaction (SessionPath, RedactionQuery) -> RedactionReport [Viewer, Local, Agent; 1 KiB];
                /// Erases a text, such as a password, from the messages of a session, its stored transcripts, the search
                /// index and its files, and from sessions with copies of its messages. Transcripts that are imported later
                /// are stored without it. A preview only reports where the text is found.
                Post "/v1/sessions/{session}/erasure" erase_text / EraseTextEndpoint (SessionPath, EraseText) -> Erasure [Owner, Local; 64 KiB];
                /// Lists which stored bytes of a session's transcripts aren't those of the files, because a text was erased.
                Get "/v1/sessions/{session}/erasure" get_erased_bytes / GetErasedBytes (SessionPath, Nothing) -> ErasedBytes [Viewer, Local; 1 KiB];
            }
            host {
                /// Posts a message of the host. People see it; models never read it.
                Post "/v1/host-messages" post_host_message / PostHostMessage (Nothing, HostMessage) -> HostMessagePosted [Owner, Local; 64 KiB];
            }
            hooks {
                /// Reports an event of an agent's hook. A `PermissionRequest` is answered when a person decides; an
                /// empty answer leaves the question to the agent's terminal.
                Post "/v1/hooks/{agent}/{wait}" report_hook / ReportHook (HookPath, HookEvent) -> HookAnswer [Local, Agent; 16384 KiB];
                /// Waits until a person wrote something for an agent in its own terminal, and the agent rests. Each
                /// message is returned once.
                Post "/v1/hooks/{agent}/words/{wait}" wait_for_words / WaitForWords (HookPath, HookWaits) -> HookWords [Local, Agent; 64 KiB];
            }
            driving {
                /// Lists the agents that can be started on this machine, and folders to start them in.
                Get "/v1/agents" list_agents / ListAgents (Nothing, Nothing) -> Agents [Member, Local; 1 KiB];
                /// Lists the agents that run in their own terminals on this machine, and that can be joined there.
                Get "/v1/agents/running" list_running_agents / ListRunningAgents (Nothing, Nothing) -> RunningAgents [Member, Local; 1 KiB];
                /// Starts an agent in a folder, as a new session. It gets what people write to the session.
                Post "/v1/agents/sessions" start_agent / StartAgentEndpoint (Nothing, StartAgent) -> AgentStarted [Member, Local; 16384 KiB];
                /// Returns the agent of a session, with the text that it is writing, and what can be done with it.
                Get "/v1/sessions/{session}/agent" get_agent / GetAgent (SessionPath, Nothing) -> DrivenAgent [Viewer, Local; 1 KiB];
                /// Changes the mode or the model of a running agent.
                Patch "/v1/sessions/{session}/agent" edit_agent / EditAgentEndpoint (SessionPath, EditAgent) -> DrivenAgent [Member, Local; 64 KiB];
                /// Interrupts or ends a running agent, passes on what people wrote at once, or joins one in its terminal.
                Post "/v1/sessions/{session}/agent/tell" tell_agent / TellAgentEndpoint (SessionPath, TellAgent) -> DrivenAgent [Member, Local; 1 KiB];
                /// Restarts the agent of a session, in the session or in a copy of it.
                Post "/v1/sessions/{session}/agent/resume" resume_agent / ResumeAgentEndpoint (SessionPath, ResumeAgent) -> AgentStarted [Member, Local; 16384 KiB];
            }
            schedules {
                /// Lists the schedules, next run first.
                Get "/v1/schedules" list_schedules / ListSchedules (Nothing, Nothing) -> Schedules [Owner, Local; 1 KiB];
                /// Schedules a prompt for a session: once, or by a cron expression in a time zone.
                Post "/v1/schedules" create_schedule / CreateSchedule (Nothing, NewSchedule) -> ScheduleMade [Owner, Local; 1024 KiB];
                /// Changes, pauses or resumes a schedule.
                Patch "/v1/schedules/{schedule}" edit_schedule / EditScheduleEndpoint (SchedulePath, EditSchedule) -> Schedule [Owner, Local; 1024 KiB];
                /// Removes a schedule. It can be restored.
                Delete "/v1/schedules/{schedule}" remove_schedule / RemoveSchedule (SchedulePath, Nothing) -> Schedules [Owner, Local; 1 KiB];
                /// Restores a removed schedule.
                Post "/v1/schedules/{schedule}/restore" restore_schedule / RestoreSchedule (SchedulePath, Nothing) -> Schedule [Owner, Local; 1 KiB];
                /// Sends the prompt of a schedule now. Its planned times stay.
                Post "/v1/schedules/{schedule}/run" run_schedule / RunSchedule (SchedulePath, Nothing) -> Schedule [Owner, Local; 1 KiB];
            }
            channels {
                /// Lists the channels, and the kinds that can be added.
                Get "/v1/channels" list_channels / ListChannels (Nothing, Nothing) -> Channels [Owner, Local; 1 KiB];
                /// Adds a channel. It gets messages from then on.
                Post "/v1/channels" add_channel / AddChannel (Nothing, NewChannel) -> ChannelAdded [Owner, Local; 64 KiB];
                /// Changes, pauses, resumes or restores a channel.
                Patch "/v1/channels/{channel}" edit_channel / EditChannelEndpoint (ChannelPath, EditChannel) -> Channels [Owner, Local; 64 KiB];
                /// Removes a channel. It can be restored.
                Delete "/v1/channels/{channel}" remove_channel / RemoveChannel (ChannelPath, Nothing) -> Channels [Owner, Local; 1 KiB];
                /// Sends a test message. The response comes when the channel has accepted it.
                Post "/v1/channels/{channel}/test" test_channel / TestChannel (ChannelPath, Nothing) -> Nothing [Owner, Local; 1 KiB];
                /// Shows a session in a channel, from its next message on.
                Post "/v1/channels/{channel}/sessions" bind_session / BindSessionEndpoint (ChannelPath, BindSession) -> Channels [Owner, Local; 1 KiB];
                /// Stops showing a session in a channel.
                Delete "/v1/channels/{channel}/sessions/{session}" unbind_session / UnbindSession (ChannelSessionPath, Nothing) -> Channels [Owner, Local; 1 KiB];
                /// Lists the deliveries of a channel, newest first.
                Get "/v1/channels/{channel}/deliveries" list_deliveries / ListDeliveries (ChannelPath, DeliveriesQuery) -> Deliveries [Owner, Local; 1 KiB];
                /// Lists the deliveries of a message to all channels, with their states.
                Get "/v1/sessions/{session}/messages/{message}/deliveries" list_message_deliveries / ListMessageDeliveries (MessagePath, Nothing) -> MessageDeliveries [Member, Local; 1 KiB];
                /// Sends deliveries again, or discards rejected ones.
                Post "/v1/channels/{channel}/deliveries" settle_deliveries / SettleDeliveriesEndpoint (ChannelPath, SettleDeliveries) -> DeliveriesSettled [Owner, Local; 1 KiB];
                /// Leaves an unregistered room, or declines the invitation to it.
                Post "/v1/rooms/leave" leave_room / LeaveRoomEndpoint (Nothing, LeaveRoom) -> Rooms [Owner, Local; 1 KiB];
            }
            settings {
                /// Returns the caller's preferences.
                Get "/v1/preferences" get_preferences / GetPreferences (Nothing, Nothing) -> Preferences [Viewer, Local; 1 KiB];
                /// Changes the caller's preferences.
                Patch "/v1/preferences" edit_preferences / EditPreferencesEndpoint (Nothing, EditPreferences) -> Preferences [Viewer, Local; 64 KiB];
                /// Returns how the workspace treats message types.
                Get "/v1/settings/types" get_type_settings / GetTypeSettings (Nothing, Nothing) -> TypeSettings [Viewer, Local; 1 KiB];
                /// Sets which types are drawn as text, and whose payloads aren't validated. It takes effect at once.
                Patch "/v1/settings/types" edit_type_settings / EditTypeSettingsEndpoint (Nothing, EditTypeSettings) -> TypeSettings [Owner, Local; 64 KiB];
            }
            types {
                /// Lists the declared message types, with all their versions.
                Get "/v1/types" list_types / ListTypes (Nothing, Nothing) -> Types [Viewer, Local, Agent; 1 KiB];
                /// Returns the documents of a declared message type, newest version first.
                Get "/v1/types/{type}" get_type / GetType (TypePath, Nothing) -> TypeDetail [Viewer, Local, Agent; 1 KiB];
                /// Declares how the messages of a type are shown. The document has no code. Sending it again changes
                /// nothing.
                Put "/v1/types/{type}" declare_type / DeclareTypeEndpoint (TypePath, DeclareType) -> TypeDeclared [Owner, Local, Agent; 256 KiB];
                /// Removes a declared type, with all its versions. Its messages stay, and are shown as data.
                Delete "/v1/types/{type}" remove_type / RemoveType (TypePath, Nothing) -> Types [Owner, Local; 1 KiB];
            }
            routing {
                /// Returns the workspace's routing: which messages wake an agent, and what happens to the others.
                Get "/v1/settings/routing" get_routing / GetRouting (Nothing, Nothing) -> Routing [Member, Local; 1 KiB];
                /// Sets the workspace's routing. Absent fields follow the server's environment.
                Put "/v1/settings/routing" set_routing / SetRouting (Nothing, RoutingSettings) -> Routing [Owner, Local; 256 KiB];
                /// Returns the routing of a session.
                Get "/v1/sessions/{session}/routing" get_session_routing / GetSessionRouting (SessionPath, Nothing) -> Routing [Viewer, Local; 1 KiB];
                /// Sets the routing of a session. Absent fields follow the workspace.
                Put "/v1/sessions/{session}/routing" set_session_routing / SetSessionRouting (SessionPath, RoutingSettings) -> Routing [Member, Local; 256 KiB];
                /// Lists unregistered rooms in which somebody wrote. Their messages aren't stored.
                Get "/v1/rooms" list_rooms / ListRooms (Nothing, Nothing) -> Rooms [Owner, Local; 1 KiB];
            }
            notices {
                /// Lists the notices that agents get with each run.
                Get "/v1/settings/notices" list_notices / ListNotices (Nothing, Nothing) -> RunNotices [Owner, Local; 1 KiB];
                /// Sets a notice, or appends a new one. It applies from the next run on.
                Put "/v1/settings/notices/{notice}" set_notice / SetNoticeEndpoint (NoticePath, SetNotice) -> RunNotices [Owner, Local; 256 KiB];
                /// Removes a notice.
                Delete "/v1/settings/notices/{notice}" remove_notice / RemoveNotice (NoticePath, Nothing) -> RunNotices [Owner, Local; 1 KiB];
            }
            retention {
                /// Lists the rules by which old sessions are deleted, each that is off with what it would delete now.
                Get "/v1/settings/retention" list_retention / ListRetention (Nothing, Nothing) -> RetentionRules [Owner, Local; 1 KiB];
                /// Sets a rule, or appends a new one. One that is on is applied once an hour. Deleted sessions can be
                /// restored for 30 days.
                Put "/v1/settings/retention/{rule}" set_retention / SetRetention (RetentionPath, SetRetentionRule) -> RetentionRules [Owner, Local; 64 KiB];
                /// Removes a rule.
                Delete "/v1/settings/retention/{rule}" remove_retention / RemoveRetention (RetentionPath, Nothing) -> RetentionRules [Owner, Local; 1 KiB];
            }
            shares {
                /// Lists links by which somebody without a log-in reads a part of a session, newest first.
                Get "/v1/shares" list_shares / ListShares (Nothing, Nothing) -> Shares [Owner, Local; 1 KiB];
                /// Creates a link to the messages that a session has now. Secrets are masked by default.
                Post "/v1/shares" create_share / CreateShare (Nothing, NewShare) -> ShareMade [Owner, Local; 8 KiB];
                /// Revokes a link. It doesn't open from then on.
                Delete "/v1/shares/{share}" revoke_share / RevokeShare (SharePath, Nothing) -> Shares [Owner, Local; 1 KiB];
            }
            search {
                /// Searches all history, newest first.
                Get "/v1/search" search / Search (Nothing, SearchQuery) -> SearchPage [Viewer, Local, Agent; 1 KiB];
            }
            memory {
                /// Recalls what people said, in any session: by words, and by meaning if an embedding endpoint is set
                /// up.
                Get "/v1/memory" recall / Recall (Nothing, MemoryQuery) -> MemoryPage [Viewer, Local, Agent; 1 KiB];
                /// Forgets one memory, or all of them. The messages stay in their sessions.
                Post "/v1/memory/forget" forget_memory / ForgetMemoryEndpoint (Nothing, ForgetMemory) -> MemoriesChanged [Owner, Local; 1 KiB];
                /// Computes all embeddings again, for example after a change of the model.
                Post "/v1/memory/embed" embed_memory / EmbedMemory (Nothing, Nothing) -> MemoriesChanged [Owner, Local; 1 KiB];
            }
            imports {
                /// Lists folders with transcripts: waiting for consent, followed, paused or excluded.
                Get "/v1/projects" list_projects / ListProjects (Nothing, Nothing) -> Projects [Owner, Local; 1 KiB];
                /// Follows, pauses or excludes folders.
                Put "/v1/projects" set_projects / SetProjects (Nothing, SetProject) -> Projects [Owner, Local; 64 KiB];
                /// Deletes everything that was imported from a folder, and excludes it.
                Post "/v1/projects/forget" forget_project / ForgetProjectEndpoint (Nothing, ForgetProject) -> Forgotten [Owner, Local; 64 KiB];
                /// Imports files or folders of this machine.
                Post "/v1/imports" start_import / StartImport (Nothing, ImportRequest) -> ImportJob [Local; 64 KiB];
                /// Lists running and recent imports.
                Get "/v1/imports" list_imports / ListImports (Nothing, Nothing) -> Imports [Owner, Local; 1 KiB];
                /// Returns the progress of an import.
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

        /// All endpoints as methods, for one authenticated caller.
        pub trait Api: Send + Sync {
            /// Returns 403 unless this caller may use an endpoint with this access.
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

        /// Returns the routes of the table. An outer layer must insert the caller, a `C`, into the request's
        /// extensions.
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

        /// Name and path of each route that isn't in the endpoint table.
        pub const ROUTES: &[(&str, &str)] = &[$((stringify!($Type), $path)),+];
    };
}

// The requests or responses of these routes aren't JSON, or don't have one caller. The server implements them itself.
routes! {
    /// The event stream.
    Events = "/v1/events";
    /// Exports a session as a file.
    ExportSession = "/v1/sessions/{session}/export";
    /// Exports the audit log as a file.
    ExportAudit = "/v1/audit/export";
    /// Uploads a file.
    UploadBlob = "/v1/blobs";
    /// Downloads a file.
    GetBlob = "/v1/blobs/{sha256}";
    /// Receives signed messages from a channel.
    ChannelIncoming = "/v1/channels/{channel}/incoming";
    /// Returns the log-in of the request, and logs in.
    LogInRoute = "/v1/login";
    /// Returns the options with which a browser logs in by a passkey.
    LogInByPasskey = "/v1/login/passkey";
    /// Logs out.
    LogOut = "/v1/logout";
    /// The OpenAPI document.
    OpenApi = "/v1/openapi.json";
}
