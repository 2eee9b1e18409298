//! Sessions: list, one, children.

use crate::basics::query::{any_of, given, limit};
use crate::basics::{clock, moment, problem};
use crate::context::{Scoped, feed};
use crate::costs::spending;
use crate::may::{seen, session};
use crate::project_groups::ProjectGroups;
use crate::redaction::Masking;
use crate::routing;
use crate::sessions::machine_names;
use api::Problem;
use api::cost::Cost;
use api::keys::Scope;
use api::limits::SEARCH_CHARS;
use api::sessions::{
    Facet, Facets, ListSessions, Order, SessionDetail, SessionPage, SessionPath, SessionRef, SessionShow, SessionSort,
    Sessions, SourceInfo,
};
use model::hidden::hides;
use model::policy::Display;
use model::{Part, Session, SessionId, summary};
use std::borrow::Cow;
use std::collections::BTreeMap;
use store::{Archived, SessionFilter, Sort, StoredMessage};

/// Deeper nesting of sub-agents than this isn't followed upwards.
const MAX_DEPTH: usize = 16;
/// Messages at the end of a session among which a list looks for the agent's last words.
const SAID_WITHIN: u32 = 200;
/// Values to filter by: more help nobody to choose.
const MOST_FACETS: usize = 200;
/// Bytes of last words that are in memory at a time.
const SAID_BYTES: u64 = 1 << 20;

pub async fn list_sessions(scoped: &Scoped, input: ListSessions) -> Result<SessionPage, Problem> {
    let mut page = page(scoped, input).await?;
    if let Some(redactor) = &scoped.redactor {
        Masking::new(redactor, None).sessions(&mut page);
    }
    Ok(page)
}

pub async fn get_session(scoped: &Scoped, path: &SessionPath) -> Result<SessionDetail, Problem> {
    let detail = detail(scoped, path).await?;
    Ok(match &scoped.redactor {
        Some(redactor) => Masking::new(redactor, None).detail(detail),
        None => detail,
    })
}

pub async fn list_children(scoped: &Scoped, path: &SessionPath) -> Result<Sessions, Problem> {
    let mut children = children(scoped, path).await?;
    if let Some(redactor) = &scoped.redactor {
        children.sessions.iter_mut().for_each(|session| Masking::new(redactor, None).session(session));
    }
    Ok(children)
}

async fn page(scoped: &Scoped, input: ListSessions) -> Result<SessionPage, Problem> {
    scoped.caller.require(Scope::Read)?;
    let hub = &scoped.hub;
    let cursor = feed::cursor(hub.workspace.feed_pos().await.map_err(problem)?);
    let wants_said = match input.said {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(Problem::field("said", "0 or 1")),
    };
    let facets = hub.workspace.facets(&scoped.caller.sight()).await.map_err(problem)?;
    let groups = ProjectGroups::of(&facets.projects);
    let wanted = any_of(input.machine.clone());
    let mut filter = SessionFilter { sight: scoped.caller.sight(), ..filter(input)? };
    filter.projects = groups.widened(filter.projects);
    let machines = machine_names::load(hub, &scoped.caller.sight()).await?;
    filter.machines = machines.ids(wanted);
    let mut page = hub.workspace.sessions(&filter).await.map_err(problem)?;
    spending::price(hub, &mut page.items).await?;
    let said = if wants_said { Some(said(scoped, &page.items).await?) } else { None };
    let count = |n: u64| i64::try_from(n).unwrap_or(i64::MAX);
    let facet = |f: store::Facet| Facet { value: f.value, sessions: count(f.count) };
    let all = facets.agents.iter().map(|f| count(f.count)).sum();
    Ok(SessionPage {
        sessions: page.items,
        total: count(page.total),
        all,
        next: page.next,
        facets: Facets {
            projects: groups.counted(facets.projects).into_iter().take(MOST_FACETS).map(facet).collect(),
            agents: facets.agents.into_iter().take(MOST_FACETS).map(facet).collect(),
            machines: machines.facets(all),
        },
        said,
        cursor,
    })
}

async fn said(scoped: &Scoped, sessions: &[Session]) -> Result<BTreeMap<String, String>, Problem> {
    let ids: Vec<SessionId> = sessions.iter().map(|session| session.id.clone()).collect();
    let workspace = &scoped.hub.workspace;
    let mut last = workspace.said_last(&ids, SAID_WITHIN).await.map_err(problem)?;
    let mut said = BTreeMap::new();
    // Each may be a text of megabytes, of which a line is shown.
    while !last.is_empty() {
        let read = workspace.read_next(&mut last, SAID_BYTES).await.map_err(problem)?;
        let line = |it: &StoredMessage| (it.message.session_id.to_string(), summary::summary(&it.message.draft));
        said.extend(read.iter().map(line));
    }
    Ok(said)
}

fn filter(input: ListSessions) -> Result<SessionFilter, Problem> {
    let sort = input.sort.unwrap_or_default();
    let order = input.order.unwrap_or(match sort {
        SessionSort::Title | SessionSort::Project => Order::Asc,
        _ => Order::Desc,
    });
    let text = given(input.q);
    if text.as_ref().is_some_and(|text| text.chars().count() > SEARCH_CHARS) {
        return Err(Problem::field(
            "q",
            &format!("words in the title, project or branch, at most {SEARCH_CHARS} characters"),
        ));
    }
    let zone = moment::zone(given(input.zone))?;
    // A search by title also finds sessions without messages.
    let spoken = input.show.is_none() && text.is_none();
    Ok(SessionFilter {
        text,
        projects: any_of(input.project),
        agents: any_of(input.agent),
        archived: match input.show {
            Some(SessionShow::Archived) => Archived::Only,
            _ => Archived::Without,
        },
        needs_you: input.show == Some(SessionShow::NeedsYou),
        pinned: input.show == Some(SessionShow::Pinned),
        spoken,
        since: given(input.since).map(|t| moment::start("since", &t, &zone)).transpose()?,
        until: given(input.until).map(|t| moment::end("until", &t, &zone)).transpose()?,
        sort: match sort {
            SessionSort::Activity => Sort::Activity,
            SessionSort::Created => Sort::Created,
            SessionSort::Title => Sort::Title,
            SessionSort::Project => Sort::Project,
            SessionSort::Messages => Sort::Messages,
            SessionSort::Tokens => Sort::Tokens,
        },
        order: match order {
            Order::Asc => store::Order::Ascending,
            Order::Desc => store::Order::Descending,
        },
        after: input.after,
        ..SessionFilter::new(clock::now(), limit(input.limit, 100, 500)?)
    })
}

async fn detail(scoped: &Scoped, path: &SessionPath) -> Result<SessionDetail, Problem> {
    let mut detail = scoped.session_without_cost(path).await?;
    let hub = &scoped.hub;
    let own = spending::of_session(hub, &detail.session.id).await?;
    spending::say(&mut detail.session, &own);
    let session = &detail.session;
    let cost_with_sub_agents = match session.child_count {
        0 => None,
        _ => Some(spending::with_sub_agents(hub, &session.id, &own).await?),
    };
    let meter = spending::meter(hub, session).await?;
    Ok(SessionDetail { cost: own.cost(), cost_with_sub_agents, meter, ..detail })
}

impl Scoped {
    /// Returns a session without its cost and meter, which are sums over its requests.
    ///
    /// # Errors
    ///
    /// 404 if there is no such session.
    pub async fn session_without_cost(&self, path: &SessionPath) -> Result<SessionDetail, Problem> {
        let hub = &self.hub;
        let cursor = feed::cursor(hub.workspace.feed_pos().await.map_err(problem)?);
        let session = session(self, path).await?;
        let mut ancestors: Vec<SessionRef> = Vec::new();
        let mut above = session.parent.clone();
        while let Some(id) = above.take_if(|_| ancestors.len() < MAX_DEPTH) {
            let Some(parent) = seen(&self.hub, &self.caller.sight(), &id).await? else { break };
            ancestors.insert(0, reference(&parent));
            above = parent.parent;
        }
        let forked_from = match &session.forked_from {
            Some(id) => seen(&self.hub, &self.caller.sight(), id).await?.as_ref().map(reference),
            None => None,
        };
        let sources = hub.workspace.session_sources(&session.id).await.map_err(problem)?;
        let counts = hub.workspace.counts(&session.id).await.map_err(problem)?;
        let hidden: u64 = counts
            .iter()
            .filter(|c| c.display == Some(Display::Dev) && c.part != Part::Replaced)
            .map(|c| c.count)
            .sum();
        Ok(SessionDetail {
            assistant: routing::assistant(hub, &session).await?,
            ancestors,
            forked_from,
            sources: sources
                .into_iter()
                .map(|s| SourceInfo { id: s.id.to_string(), path: s.path, size: s.size, sha256: s.sha256 })
                .collect(),
            resume_command: resume_command(&session),
            cost: Cost::default(),
            cost_with_sub_agents: None,
            meter: None,
            hidden_count: i64::try_from(hidden).unwrap_or(i64::MAX),
            session,
            cursor,
        })
    }
}

async fn children(scoped: &Scoped, path: &SessionPath) -> Result<Sessions, Problem> {
    let hub = &scoped.hub;
    let session = session(scoped, path).await?;
    let mut sessions =
        hub.workspace.children(&session.id, &scoped.caller.sight(), clock::now()).await.map_err(problem)?;
    spending::price(hub, &mut sessions).await?;
    Ok(Sessions { sessions })
}

fn reference(session: &Session) -> SessionRef {
    SessionRef { id: session.id.to_string(), title: session.title.clone() }
}

/// Returns the shell command that resumes a session. None for sub-agents, which can't be resumed by themselves, and
/// where an agent gave an id or a folder that is none: a person pastes the command into a terminal.
fn resume_command(session: &Session) -> Option<String> {
    let own_id = session.agent_session_id.as_deref().filter(|id| is_uuid(id))?;
    if session.parent.is_some() || session.parent_missing {
        return None;
    }
    let resume = format!("{} {own_id}", agents::agent(&session.agent)?.resume?);
    match session.cwd.as_deref() {
        Some(cwd) => Some(format!("cd -- {} && {resume}", folder(cwd)?)),
        None => Some(resume),
    }
}

/// Returns true if it is in the form in which agents name their sessions.
fn is_uuid(id: &str) -> bool {
    const HYPHENATED: usize = 36;
    id.len() == HYPHENATED && uuid::Uuid::try_parse(id).is_ok()
}

/// An absolute folder as one word for a POSIX shell, unless a character of it does something in a terminal or isn't
/// seen.
fn folder(path: &str) -> Option<Cow<'_, str>> {
    let mut chars = path.chars();
    let has_drive = matches!(
        (chars.next(), chars.next(), chars.next()),
        (Some('A'..='Z' | 'a'..='z'), Some(':'), Some('\\' | '/'))
    );
    let is_unfit = |c: char| c.is_control() || hides(c);
    if !(path.starts_with('/') || has_drive) || path.contains(is_unfit) {
        return None;
    }
    shlex::try_quote(path).ok()
}
