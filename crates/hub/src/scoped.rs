//! The hub as one authenticated caller may use it.

use crate::import::Jobs;
use crate::redaction::Masking;
use crate::{Hub, allow_rules, answers, hooks};
use api::account::{Health, LaunchCode, LogInPath, LogIns, Me, TERMINAL};
use api::audit::{AuditCheck, AuditPage, AuditQuery};
use api::channels::{
    BindSession, ChannelAdded, ChannelPath, ChannelSessionPath, Channels, Deliveries, DeliveriesQuery,
    DeliveriesSettled, EditChannel, MessageDeliveries, NewChannel, SettleDeliveries,
};
use api::context::{ContextQuery, SessionContext};
use api::cost::{Budgets, BudgetsQuery, Requests, RequestsQuery, Runs, SessionTools};
use api::driving::{AgentStarted, Agents, DrivenAgent, EditAgent, ResumeAgent, StartAgent, TellAgent};
use api::files::{FilesPage, FilesQuery};
use api::hooks::{AllowRules, HookAnswer, HookEvent, HookPath, RulePath};
use api::host::{HostMessage, HostMessagePosted};
use api::imports::{ImportJob, ImportPath, ImportRequest, Imports};
use api::inspector::{Records, RecordsQuery, SessionEvents, SessionEventsQuery, Waterfall, WaterfallQuery};
use api::keys::{EditKey, KeyMade, KeyPath, Keys, NewKey, Scope};
use api::lifecycle::{
    EditSession, EditSessions, EditedSessions, EndSession, NewSession, SessionDeleted, SessionMade, SessionReply,
};
use api::memory::{ForgetMemory, MemoriesChanged, MemoryPage, MemoryQuery};
use api::messages::{Asks, AsksQuery, Changes, ListMessages, MessageDetail, MessagePage, MessagePath, TodoState};
use api::net::{NetChanges, NetQuery};
use api::notices::{NoticePath, RunNotices, SetNotice};
use api::outline::{FindQuery, Found, Outline, OutlineQuery};
use api::posting::{
    Decide, Decided, PendingMessages, PostMessage, PostMessages, Posted, PostedMessages, TakePending, TickTodo,
    UpdateMessage, Updated,
};
use api::preferences::{EditPreferences, Preferences};
use api::projects::{ForgetProject, Forgotten, Projects, SetProject};
use api::reading::{ReadUpTo, UnreadSessions};
use api::redaction::{RedactionQuery, RedactionReport};
use api::routing::{LeaveRoom, Rooms, Routing};
use api::runs::{BeginRun, ContextLog, ContextLogCheck, ContextLogQuery, EndRun, RunBegun, RunEnded, RunPath};
use api::schedules::{EditSchedule, NewSchedule, Schedule, ScheduleMade, SchedulePath, Schedules};
use api::search::{SearchPage, SearchQuery};
use api::sessions::{ListSessions, SessionDetail, SessionPage, SessionPath, Sessions};
use api::stats::{Stats, StatsQuery};
use api::type_settings::{EditTypeSettings, TypeSettings};
use api::types::{DeclareType, TypeDeclared, TypeDetail, TypePath, Types};
use api::{Access, Api, Nothing, Problem};
use model::Status;
use model::routing::Settings as RoutingSettings;
use redact::Redactor;
use serde_json::{Value, json};
use std::sync::Arc;
use store::{ChannelEvent, Usage};

/// Who is asking. Made by the outer layers from a credential, which nothing further in ever sees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Caller {
    /// A person who logged in with the browser.
    Owner,
    /// A command on this machine.
    Local,
    /// An agent, on its own sessions.
    Agent(Arc<Agent>),
}

/// The key that an agent shows.
#[derive(Debug, PartialEq, Eq)]
pub struct Agent {
    /// Of the key.
    pub id: String,
    /// What the owner called the key.
    pub name: String,
    pub scopes: Vec<Scope>,
    /// The most that it may post.
    pub quota: Usage,
}

impl Caller {
    /// The key's id, of an agent.
    pub fn key_id(&self) -> Option<&str> {
        match self {
            Self::Agent(agent) => Some(&agent.id),
            Self::Owner | Self::Local => None,
        }
    }
}

/// A person in a channel, as the owner's list of people names them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Person {
    /// Id of the channel.
    pub id: String,
    pub name: String,
    /// What the channel is: `matrix`.
    pub via: String,
    /// Name of the channel.
    pub channel: String,
    /// SHA-256 of the channel's id of what they do, in hex: it has its effect once.
    pub event: String,
}

impl Person {
    /// Returns what they do, as it is kept with its effect.
    pub fn doing(&self, decides: bool) -> ChannelEvent {
        ChannelEvent { channel: self.id.clone(), event: self.event.clone(), decides }
    }
}

/// Which of our own programs a person uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surface {
    /// The page.
    Web,
    /// `verbatim tui`, or a command.
    Terminal,
}

impl Surface {
    /// The surface of a log-in with this label, which is the `User-Agent` that logged in.
    pub fn of_label(label: &str) -> Self {
        if label == TERMINAL { Self::Terminal } else { Self::Web }
    }

    /// The word by which decisions name it.
    pub fn via(self) -> &'static str {
        match self {
            Self::Web => "web",
            Self::Terminal => "terminal",
        }
    }

    /// The sender of what a person writes there, unless they name another.
    pub fn sender(self) -> &'static str {
        match self {
            Self::Web => "user",
            Self::Terminal => "tui-user",
        }
    }

    /// The extra that says where a message came from; None for the page, where it is shown anyway.
    pub fn extra(self) -> Option<Value> {
        match self {
            Self::Web => None,
            Self::Terminal => Some(json!({ "name": "Terminal", "kind": self.via() })),
        }
    }
}

#[derive(Clone)]
pub struct Scoped {
    pub hub: Hub,
    pub caller: Caller,
    /// The id of the log-in, of a browser.
    pub login: Option<Arc<str>>,
    /// Where the owner speaks.
    pub surface: Surface,
    /// The person who speaks, where they aren't the owner at a page of ours.
    pub person: Option<Arc<Person>>,
    /// Masks what is read of sessions and messages, where a redacted copy is wanted. Files can't be read then.
    pub redactor: Option<Arc<Redactor>>,
    /// Calls that are posted here run until their result is told. Otherwise nobody tells it, and they are over at once.
    pub tells_results: bool,
    /// What is read goes to a model, whoever asks. What an agent's key reads may always.
    pub is_for_model: bool,
}

impl Scoped {
    pub fn new(hub: Hub, caller: Caller) -> Self {
        let surface = if caller == Caller::Local { Surface::Terminal } else { Surface::Web };
        Self {
            hub,
            caller,
            login: None,
            surface,
            person: None,
            redactor: None,
            tells_results: true,
            is_for_model: false,
        }
    }
}

impl Api for Scoped {
    fn authorize(&self, access: &[Access]) -> Result<(), Problem> {
        let needed = match &self.caller {
            Caller::Owner => Access::Owner,
            Caller::Local => Access::Local,
            Caller::Agent(_) => Access::Agent,
        };
        // What isn't for agents isn't for a model that reads by another's credential.
        let is_for_people = self.is_for_model() && !access.contains(&Access::Agent);
        if access.contains(&needed) && !is_for_people {
            return Ok(());
        }
        let may: Vec<&str> = access
            .iter()
            .map(|access| match access {
                Access::Owner => "a person who logged in",
                Access::Local => "this machine's own commands",
                Access::Agent => "an agent's key",
            })
            .collect();
        let hint = format!("It is for {}", may.join(" and "));
        Err(Problem::new(403, "forbidden", "This credential may not do that").hint(hint))
    }

    async fn me(&self, _: Nothing, _: Nothing) -> Result<Me, Problem> {
        Ok(answers::account::me(&self.caller))
    }
    async fn health(&self, _: Nothing, _: Nothing) -> Result<Health, Problem> {
        answers::account::health(&self.hub).await
    }
    async fn create_launch_code(&self, _: Nothing, _: Nothing) -> Result<LaunchCode, Problem> {
        Ok(LaunchCode { url: self.hub.launch_url()? })
    }
    async fn list_sessions(&self, _: Nothing, input: ListSessions) -> Result<SessionPage, Problem> {
        let mut page = answers::sessions::list(self, input).await?;
        if let Some(redactor) = &self.redactor {
            Masking::new(redactor, None).sessions(&mut page);
        }
        Ok(page)
    }
    async fn list_asks(&self, _: Nothing, input: AsksQuery) -> Result<Asks, Problem> {
        answers::asks::list(self, input).await
    }
    async fn get_session(&self, path: SessionPath, _: Nothing) -> Result<SessionDetail, Problem> {
        let detail = answers::sessions::detail(self, &path).await?;
        Ok(match &self.redactor {
            Some(redactor) => Masking::new(redactor, None).detail(detail),
            None => detail,
        })
    }
    async fn list_children(&self, path: SessionPath, _: Nothing) -> Result<Sessions, Problem> {
        let mut children = answers::sessions::children(self, &path).await?;
        if let Some(redactor) = &self.redactor {
            children.sessions.iter_mut().for_each(|session| Masking::new(redactor, None).session(session));
        }
        Ok(children)
    }
    async fn list_messages(&self, path: SessionPath, input: ListMessages) -> Result<MessagePage, Problem> {
        let page = answers::messages::list(self, &path, input).await?;
        let Some(redactor) = self.redactor.clone() else { return Ok(page) };
        // As long a computation as drawing a page.
        self.compute(move |_| Masking::new(&redactor, None).page(page)).await
    }
    async fn preview_redaction(&self, path: SessionPath, input: RedactionQuery) -> Result<RedactionReport, Problem> {
        answers::redaction::preview(self, &path, input).await
    }
    async fn get_message(&self, path: MessagePath, _: Nothing) -> Result<MessageDetail, Problem> {
        answers::messages::detail(self, &path).await
    }
    async fn get_todos(&self, path: SessionPath, _: Nothing) -> Result<TodoState, Problem> {
        let state = answers::todos::state(self, &path).await?;
        Ok(match &self.redactor {
            Some(redactor) => Masking::new(redactor, None).todos(state),
            None => state,
        })
    }
    async fn list_requests(&self, path: SessionPath, input: RequestsQuery) -> Result<Requests, Problem> {
        answers::spending::requests(self, &path, input).await
    }
    async fn list_runs(&self, path: SessionPath, _: Nothing) -> Result<Runs, Problem> {
        answers::spending::runs(self, &path).await
    }
    async fn list_tools(&self, path: SessionPath, _: Nothing) -> Result<SessionTools, Problem> {
        answers::spending::tools(self, &path).await
    }
    async fn get_waterfall(&self, path: SessionPath, input: WaterfallQuery) -> Result<Waterfall, Problem> {
        answers::waterfall::get(self, &path, input).await
    }
    async fn list_session_events(
        &self,
        path: SessionPath,
        input: SessionEventsQuery,
    ) -> Result<SessionEvents, Problem> {
        answers::events::list(self, &path, input).await
    }
    async fn list_records(&self, path: SessionPath, input: RecordsQuery) -> Result<Records, Problem> {
        answers::records::list(self, &path, input).await
    }
    async fn get_changes(&self, path: SessionPath, _: Nothing) -> Result<Changes, Problem> {
        answers::changes::list(self, &path).await
    }
    async fn list_unread(&self, _: Nothing, _: Nothing) -> Result<UnreadSessions, Problem> {
        answers::reading::list(self).await
    }
    async fn mark_read(&self, path: SessionPath, input: ReadUpTo) -> Result<UnreadSessions, Problem> {
        answers::reading::mark(self, &path, input).await
    }
    async fn get_net_changes(&self, path: SessionPath, input: NetQuery) -> Result<NetChanges, Problem> {
        answers::net::list(self, &path, input).await
    }
    async fn get_outline(&self, path: SessionPath, input: OutlineQuery) -> Result<Outline, Problem> {
        answers::outline::outline(self, &path, &input).await
    }
    async fn find(&self, path: SessionPath, input: FindQuery) -> Result<Found, Problem> {
        answers::outline::find(self, &path, &input).await
    }
    async fn create_session(&self, _: Nothing, input: NewSession) -> Result<SessionMade, Problem> {
        answers::lifecycle::create(self, input).await
    }
    async fn edit_session(&self, path: SessionPath, input: EditSession) -> Result<SessionReply, Problem> {
        answers::lifecycle::edit(self, &path, input).await
    }
    async fn edit_sessions(&self, _: Nothing, input: EditSessions) -> Result<EditedSessions, Problem> {
        answers::lifecycle::edit_all(self, input).await
    }
    async fn delete_session(&self, path: SessionPath, _: Nothing) -> Result<SessionDeleted, Problem> {
        answers::lifecycle::delete(self, &path).await
    }
    async fn restore_session(&self, path: SessionPath, _: Nothing) -> Result<SessionReply, Problem> {
        answers::lifecycle::restore(self, &path).await
    }
    async fn end_session(&self, path: SessionPath, input: EndSession) -> Result<SessionReply, Problem> {
        answers::lifecycle::end(self, &path, input).await
    }
    async fn heartbeat(&self, path: SessionPath, _: Nothing) -> Result<SessionReply, Problem> {
        answers::lifecycle::heartbeat(self, &path).await
    }
    async fn post_message(&self, path: SessionPath, input: PostMessage) -> Result<Posted, Problem> {
        answers::control::post_message(self, &path, input).await
    }
    async fn post_messages(&self, path: SessionPath, input: PostMessages) -> Result<PostedMessages, Problem> {
        answers::control::post_messages(self, &path, input).await
    }
    async fn update_message(&self, path: MessagePath, input: UpdateMessage) -> Result<Updated, Problem> {
        answers::updates::update(self, &path, input).await
    }
    async fn retract_message(&self, path: MessagePath, _: Nothing) -> Result<Updated, Problem> {
        let retracted = UpdateMessage { status: Some(Status::Retracted), ..UpdateMessage::default() };
        answers::updates::update(self, &path, retracted).await
    }
    async fn decide(&self, path: MessagePath, input: Decide) -> Result<Decided, Problem> {
        answers::decisions::decide(self, &path, input).await
    }
    async fn tick_todo(&self, path: SessionPath, input: TickTodo) -> Result<Posted, Problem> {
        answers::todos::tick(self, &path, input).await
    }
    async fn take_pending(&self, path: SessionPath, input: TakePending) -> Result<PendingMessages, Problem> {
        answers::pending::take(self, &path, input).await
    }
    async fn begin_run(&self, path: SessionPath, input: BeginRun) -> Result<RunBegun, Problem> {
        answers::runs::begin(self, &path, input).await
    }
    async fn end_run(&self, path: RunPath, input: EndRun) -> Result<RunEnded, Problem> {
        answers::runs::end(self, &path, input).await
    }
    async fn list_context_log(&self, path: SessionPath, input: ContextLogQuery) -> Result<ContextLog, Problem> {
        answers::runs::log(self, &path, input).await
    }
    async fn check_context_log(&self, path: SessionPath, _: Nothing) -> Result<ContextLogCheck, Problem> {
        answers::runs::check(self, &path).await
    }
    async fn get_context(&self, path: SessionPath, input: ContextQuery) -> Result<SessionContext, Problem> {
        answers::context::get(self, &path, input).await
    }
    async fn post_host_message(&self, _: Nothing, input: HostMessage) -> Result<HostMessagePosted, Problem> {
        answers::host::post(self, input).await
    }
    async fn report_hook(&self, path: HookPath, input: HookEvent) -> Result<HookAnswer, Problem> {
        hooks::report(self, &path, input).await
    }
    async fn list_rules(&self, _: Nothing, _: Nothing) -> Result<AllowRules, Problem> {
        allow_rules::list(self).await
    }
    async fn revoke_rule(&self, path: RulePath, _: Nothing) -> Result<AllowRules, Problem> {
        allow_rules::revoke(self, &path).await
    }
    async fn list_agents(&self, _: Nothing, _: Nothing) -> Result<Agents, Problem> {
        answers::driving::list(self).await
    }
    async fn start_agent(&self, _: Nothing, input: StartAgent) -> Result<AgentStarted, Problem> {
        answers::driving::start(self, input).await
    }
    async fn get_agent(&self, path: SessionPath, _: Nothing) -> Result<DrivenAgent, Problem> {
        answers::driving::get(self, &path).await
    }
    async fn edit_agent(&self, path: SessionPath, input: EditAgent) -> Result<DrivenAgent, Problem> {
        answers::driving::edit(self, &path, input).await
    }
    async fn tell_agent(&self, path: SessionPath, input: TellAgent) -> Result<DrivenAgent, Problem> {
        answers::driving::tell(self, &path, input).await
    }
    async fn resume_agent(&self, path: SessionPath, input: ResumeAgent) -> Result<AgentStarted, Problem> {
        answers::driving::resume(self, &path, input).await
    }
    async fn list_channels(&self, _: Nothing, _: Nothing) -> Result<Channels, Problem> {
        answers::channels::list(self).await
    }
    async fn add_channel(&self, _: Nothing, input: NewChannel) -> Result<ChannelAdded, Problem> {
        answers::channels::add(self, input).await
    }
    async fn edit_channel(&self, path: ChannelPath, input: EditChannel) -> Result<Channels, Problem> {
        answers::channels::edit(self, &path, input).await
    }
    async fn remove_channel(&self, path: ChannelPath, _: Nothing) -> Result<Channels, Problem> {
        answers::channels::remove(self, &path).await
    }
    async fn test_channel(&self, path: ChannelPath, _: Nothing) -> Result<Nothing, Problem> {
        answers::channels::test(self, &path).await
    }
    async fn bind_session(&self, path: ChannelPath, input: BindSession) -> Result<Channels, Problem> {
        answers::channels::bind(self, &path, input).await
    }
    async fn unbind_session(&self, path: ChannelSessionPath, _: Nothing) -> Result<Channels, Problem> {
        answers::channels::unbind(self, &path).await
    }
    async fn list_message_deliveries(&self, path: MessagePath, _: Nothing) -> Result<MessageDeliveries, Problem> {
        answers::channels::of_message(self, &path).await
    }
    async fn list_deliveries(&self, path: ChannelPath, input: DeliveriesQuery) -> Result<Deliveries, Problem> {
        answers::channels::deliveries(self, &path, input).await
    }
    async fn settle_deliveries(
        &self,
        path: ChannelPath,
        input: SettleDeliveries,
    ) -> Result<DeliveriesSettled, Problem> {
        answers::channels::settle(self, &path, input).await
    }
    async fn create_key(&self, _: Nothing, input: NewKey) -> Result<KeyMade, Problem> {
        self.hub.create_key(&self.signed().await, input).await
    }
    async fn list_keys(&self, _: Nothing, _: Nothing) -> Result<Keys, Problem> {
        self.hub.list_keys().await
    }
    async fn edit_key(&self, path: KeyPath, input: EditKey) -> Result<Keys, Problem> {
        self.hub.edit_key(&self.signed().await, &path.key, input).await
    }
    async fn revoke_key(&self, path: KeyPath, _: Nothing) -> Result<Keys, Problem> {
        self.hub.revoke_key(&self.signed().await, &path.key).await
    }
    async fn list_logins(&self, _: Nothing, _: Nothing) -> Result<LogIns, Problem> {
        answers::account::logins(self).await
    }
    async fn end_login(&self, path: LogInPath, _: Nothing) -> Result<LogIns, Problem> {
        answers::account::end_login(self, &path.login).await
    }
    async fn end_other_logins(&self, _: Nothing, _: Nothing) -> Result<LogIns, Problem> {
        answers::account::end_other_logins(self).await
    }
    async fn list_audit(&self, _: Nothing, input: AuditQuery) -> Result<AuditPage, Problem> {
        answers::audit::list(self, input).await
    }
    async fn check_audit(&self, _: Nothing, _: Nothing) -> Result<AuditCheck, Problem> {
        answers::audit::check(self).await
    }
    async fn get_preferences(&self, _: Nothing, _: Nothing) -> Result<Preferences, Problem> {
        answers::preferences::get(&self.hub).await
    }
    async fn edit_preferences(&self, _: Nothing, input: EditPreferences) -> Result<Preferences, Problem> {
        answers::preferences::edit(self, input).await
    }
    async fn list_types(&self, _: Nothing, _: Nothing) -> Result<Types, Problem> {
        answers::types::list(self).await
    }
    async fn get_type(&self, path: TypePath, _: Nothing) -> Result<TypeDetail, Problem> {
        answers::types::detail(self, &path).await
    }
    async fn declare_type(&self, path: TypePath, input: DeclareType) -> Result<TypeDeclared, Problem> {
        answers::types::declare(self, &path, input).await
    }
    async fn remove_type(&self, path: TypePath, _: Nothing) -> Result<Types, Problem> {
        answers::types::remove(self, &path).await
    }
    async fn recall(&self, _: Nothing, input: MemoryQuery) -> Result<MemoryPage, Problem> {
        answers::memory::recall(self, input).await
    }
    async fn forget_memory(&self, _: Nothing, input: ForgetMemory) -> Result<MemoriesChanged, Problem> {
        answers::memory::forget(self, input).await
    }
    async fn embed_memory(&self, _: Nothing, _: Nothing) -> Result<MemoriesChanged, Problem> {
        answers::memory::embed(self).await
    }
    async fn get_routing(&self, _: Nothing, _: Nothing) -> Result<Routing, Problem> {
        answers::routing::get(self, None).await
    }
    async fn set_routing(&self, _: Nothing, input: RoutingSettings) -> Result<Routing, Problem> {
        answers::routing::set(self, None, input).await
    }
    async fn get_session_routing(&self, path: SessionPath, _: Nothing) -> Result<Routing, Problem> {
        answers::routing::get(self, Some(&path)).await
    }
    async fn set_session_routing(&self, path: SessionPath, input: RoutingSettings) -> Result<Routing, Problem> {
        answers::routing::set(self, Some(&path), input).await
    }
    async fn list_rooms(&self, _: Nothing, _: Nothing) -> Result<Rooms, Problem> {
        answers::routing::rooms(self).await
    }
    async fn leave_room(&self, _: Nothing, input: LeaveRoom) -> Result<Rooms, Problem> {
        answers::channels::leave(self, input).await
    }
    async fn list_notices(&self, _: Nothing, _: Nothing) -> Result<RunNotices, Problem> {
        answers::notices::list(&self.hub).await
    }
    async fn set_notice(&self, path: NoticePath, input: SetNotice) -> Result<RunNotices, Problem> {
        answers::notices::set(self, path, input).await
    }
    async fn remove_notice(&self, path: NoticePath, _: Nothing) -> Result<RunNotices, Problem> {
        answers::notices::remove(self, path).await
    }
    async fn get_type_settings(&self, _: Nothing, _: Nothing) -> Result<TypeSettings, Problem> {
        Ok(answers::type_settings::get(&self.hub))
    }
    async fn edit_type_settings(&self, _: Nothing, input: EditTypeSettings) -> Result<TypeSettings, Problem> {
        answers::type_settings::edit(self, input).await
    }
    async fn list_schedules(&self, _: Nothing, _: Nothing) -> Result<Schedules, Problem> {
        answers::schedules::list(self).await
    }
    async fn create_schedule(&self, _: Nothing, input: NewSchedule) -> Result<ScheduleMade, Problem> {
        answers::schedules::create(self, input).await
    }
    async fn edit_schedule(&self, path: SchedulePath, input: EditSchedule) -> Result<Schedule, Problem> {
        answers::schedules::edit(self, &path, input).await
    }
    async fn remove_schedule(&self, path: SchedulePath, _: Nothing) -> Result<Schedules, Problem> {
        answers::schedules::remove(self, &path).await
    }
    async fn restore_schedule(&self, path: SchedulePath, _: Nothing) -> Result<Schedule, Problem> {
        answers::schedules::restore(self, &path).await
    }
    async fn run_schedule(&self, path: SchedulePath, _: Nothing) -> Result<Schedule, Problem> {
        answers::schedules::run(self, &path).await
    }
    async fn search(&self, _: Nothing, input: SearchQuery) -> Result<SearchPage, Problem> {
        answers::search::search(self, input).await
    }

    async fn list_files(&self, _: Nothing, input: FilesQuery) -> Result<FilesPage, Problem> {
        answers::files::list(self, input).await
    }
    async fn stats(&self, _: Nothing, input: StatsQuery) -> Result<Stats, Problem> {
        answers::stats::stats(self, input).await
    }
    async fn get_budgets(&self, _: Nothing, input: BudgetsQuery) -> Result<Budgets, Problem> {
        answers::spending::budgets(self, input).await
    }
    async fn list_projects(&self, _: Nothing, _: Nothing) -> Result<Projects, Problem> {
        answers::projects::list(&self.hub).await
    }
    async fn set_projects(&self, _: Nothing, input: SetProject) -> Result<Projects, Problem> {
        answers::projects::set(self, input).await
    }
    async fn forget_project(&self, _: Nothing, input: ForgetProject) -> Result<Forgotten, Problem> {
        answers::projects::forget(self, input).await
    }
    async fn start_import(&self, _: Nothing, input: ImportRequest) -> Result<ImportJob, Problem> {
        answers::imports::start(self, input).await
    }
    async fn list_imports(&self, _: Nothing, _: Nothing) -> Result<Imports, Problem> {
        Ok(Imports { imports: self.hub.state::<Jobs>().list() })
    }
    async fn get_import(&self, path: ImportPath, _: Nothing) -> Result<ImportJob, Problem> {
        self.hub.state::<Jobs>().get(path.import).ok_or_else(|| Problem::not_found("import"))
    }
}
