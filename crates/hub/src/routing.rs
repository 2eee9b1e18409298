//! Where messages go: the settings that apply, and what becomes of a message by them. The decision itself is
//! [`model::routing::route`].
//!
//! A channel asks for the rules of a session ([`RoutingTable::rules`]), routes each message that comes in, and stores
//! it with [`mark`]. What comes from a room that nobody registered goes to [`UnregisteredRooms::heard`] alone.

pub mod endpoints;
mod rooms;

pub(crate) use endpoints::*;

pub use rooms::{Doing, Heard, UnregisteredRooms};

use crate::basics::{clock, problem};
use crate::caller::Caller;
use crate::context::{Hub, TopicState};
use api::Problem;
use model::routing::{ControlWord, Ignored, Incoming, MARK, Mark, Place, Route, Rules, Settings, bare, mention, route};
use model::{AssistantName, Context, Draft, MessageType, Provenance, Role, Session, SessionId, Status};
use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;
use store::{StoreError, Workspace};

/// The name of the workspace's value; a session's has its id behind a slash.
const KEY: &str = "routing";
/// Another server on the same database may change it.
const LOOK: Duration = Duration::from_secs(1);

/// The settings of the workspace and of its sessions. Held, since each message asks for them.
#[derive(Clone)]
pub struct RoutingTable(Arc<RwLock<Arc<All>>>);

struct All {
    environment: Settings,
    /// With the name of the assistant, which stands in the preferences.
    workspace: Settings,
    sessions: HashMap<String, Settings>,
    /// Rules of sessions without their own settings, cached because each post needs them.
    own: Arc<Rules>,
    room: Arc<Rules>,
}

impl All {
    fn new(environment: Settings, workspace: Settings, sessions: HashMap<String, Settings>) -> Self {
        let layers = [workspace, environment];
        let rules = |place| Arc::new(Rules::of(&layers, place));
        let (own, room) = (rules(Place::Own), rules(Place::Room));
        let [workspace, environment] = layers;
        Self { environment, workspace, sessions, own, room }
    }
}

impl Default for RoutingTable {
    fn default() -> Self {
        Self::within(Settings::default())
    }
}

impl TopicState for RoutingTable {
    fn new(hub: &Hub) -> Self {
        Self::within(hub.settings.routing.clone())
    }
}

impl RoutingTable {
    /// Takes the settings of the server's environment, which everything else overrides.
    fn within(environment: Settings) -> Self {
        Self(Arc::new(RwLock::new(Arc::new(All::new(environment, Settings::default(), HashMap::new())))))
    }

    /// Reads what is stored.
    pub async fn load(&self, workspace: &Workspace) -> Result<(), StoreError> {
        let stored = workspace.metas(KEY).await?;
        let named = crate::context::preferences::stored(workspace).await?.assistant_name;
        let (mut of_workspace, mut sessions) = (Settings::default(), HashMap::new());
        for (key, value) in stored {
            // An unreadable value of another version counts as no settings.
            let settings: Settings = serde_json::from_str(&value).unwrap_or_default();
            match key.strip_prefix(KEY).and_then(|of| of.strip_prefix('/')) {
                Some(session) => drop(sessions.insert(session.to_owned(), settings)),
                None => of_workspace = settings,
            }
        }
        of_workspace.name = Some(named).filter(|name| !name.is_empty());
        let all = All::new(self.all().environment.clone(), of_workspace, sessions);
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(all);
        Ok(())
    }

    /// Follows what other servers on the same database change. A look that fails is made up for by the next one.
    pub async fn follow(self, workspace: Workspace) {
        loop {
            tokio::time::sleep(LOOK).await;
            let _ = self.load(&workspace).await;
        }
    }

    /// Returns the rules of a session for messages that are written in `place`.
    pub fn rules(&self, session: &SessionId, place: Place) -> Arc<Rules> {
        let all = self.all();
        match (all.sessions.contains_key(session.as_str()), place) {
            (true, _) => Arc::new(Rules::of(&self.layers(Some(session)), place)),
            (false, Place::Own) => Arc::clone(&all.own),
            (false, Place::Room) => Arc::clone(&all.room),
        }
    }

    /// Returns what is set: of a session, of the workspace, of the environment; the most specific first.
    pub fn layers(&self, session: Option<&SessionId>) -> Vec<Settings> {
        let all = self.all();
        let of_session = session.and_then(|session| all.sessions.get(session.as_str()));
        of_session.into_iter().chain([&all.workspace, &all.environment]).cloned().collect()
    }

    /// Returns the name that is set for the assistant of a session.
    pub fn name(&self, session: &SessionId) -> Option<String> {
        let all = self.all();
        let of_session = all.sessions.get(session.as_str()).and_then(|settings| settings.name.as_deref());
        let set = of_session.or(all.workspace.name.as_deref()).or(all.environment.name.as_deref());
        set.map(|name| bare(name).to_owned())
    }

    /// Returns what is set for one session, or for the workspace, whose name stands in the preferences.
    pub fn own(&self, session: Option<&SessionId>) -> Settings {
        let all = self.all();
        match session {
            Some(session) => all.sessions.get(session.as_str()).cloned().unwrap_or_default(),
            None => Settings { name: None, ..all.workspace.clone() },
        }
    }

    fn all(&self) -> Arc<All> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Tells whoever follows the event stream that a session has another name of its assistant, or all of them.
pub async fn tell_renamed(hub: &Hub, session: Option<&SessionId>) -> Result<(), Problem> {
    let pos = hub.workspace.tell_shown(session, clock::now()).await.map_err(problem)?;
    hub.feed.ring(pos);
    Ok(())
}

/// Returns what the assistant of a session is called, for people.
pub async fn assistant(hub: &Hub, session: &Session) -> Result<AssistantName, Problem> {
    let mut replaces = vec![session.agent.clone()];
    let Some(name) = hub.state::<RoutingTable>().name(&session.id) else {
        let known = agents::agent(&session.agent);
        return Ok(AssistantName { name: known.map_or(session.agent.as_str(), |it| it.title).to_owned(), replaces });
    };
    // A key's post without a name has the name of the key.
    if let Some(key) = &session.key_id {
        replaces.extend(hub.workspace.agent_key(key).await.map_err(problem)?.map(|key| key.name));
    }
    Ok(AssistantName { name, replaces })
}

/// Returns the name of the value that has the settings of a session, or of the workspace.
pub fn key(session: Option<&SessionId>) -> String {
    session.map_or_else(|| KEY.to_owned(), |session| format!("{KEY}/{session}"))
}

/// Routes what a person writes in their own session; None where routing has no part in it. A reply to a message is
/// addressed to whoever wrote that. What a bridge's key brings commands nothing.
pub fn of_own(caller: &Caller, draft: &Draft, rules: &Rules) -> Option<Route> {
    let is_said =
        draft.role == Role::User && draft.message_type() == MessageType::Text && draft.status == Status::Final;
    if !is_said || draft.provenance != Provenance::Person {
        return None;
    }
    let by_bridge = matches!(caller, Caller::Agent(_));
    let incoming = Incoming { text: &draft.content, sender: &draft.sender, place: Place::Own, registered: true };
    let route = match route(rules, &incoming) {
        // Here people speak to the agent alone: `todo app in React` is a prompt.
        Route::Control(_) | Route::DirectCommand(_) if by_bridge => Route::Addressed { text: draft.content.clone() },
        Route::Control(control) if is_free(control.word) && !is_mentioned(&draft.content, rules) => {
            Route::Addressed { text: draft.content.clone() }
        }
        route => route,
    };
    (draft.reply_to.is_none() || !matches!(route, Route::Ignored(_))).then_some(route)
}

/// Whether any text may follow a word, so that it also begins a sentence.
fn is_free(word: ControlWord) -> bool {
    matches!(word, ControlWord::Btw | ControlWord::Todo)
}

fn is_mentioned(text: &str, rules: &Rules) -> bool {
    mention::rest(text, &rules.names, rules.mention_end).is_some()
}

/// Notes on a message what routing made of it. Returns whether it waits for the agent.
pub fn mark(draft: &mut Draft, route: &Route) -> bool {
    let Some(mark) = Mark::of_route(route, &draft.content) else { return true };
    draft.metadata.get_or_insert_default().insert(MARK.to_owned(), mark.to_value());
    let is_unread = mark.ignored == Some(Ignored::Drop) || mark.is_consumed();
    if is_unread {
        draft.context = Context::None;
    }
    !is_unread
}

/// Keeps the note on a message that its writer changes: what it was, it stays, and the agent reads the new words.
pub fn keep_mark(old: &Draft, draft: &mut Draft, rules: &Rules) {
    let mut mark = Mark::of(old);
    if mark == Mark::default() {
        if let Some(extras) = draft.metadata.as_mut().filter(|_| old.role == Role::User) {
            extras.shift_remove(MARK);
        }
        return;
    }
    if mark.text.is_some() && draft.content != old.content {
        let text = mention::without(&draft.content, &rules.names, rules.mention_end);
        mark.text = (mark.control.is_some() || text != draft.content).then_some(text);
    }
    draft.metadata.get_or_insert_default().insert(MARK.to_owned(), mark.to_value());
}
