//! Requests and replies.

use crate::Person;
use api::driving::{AgentAction, TellAgent};
use api::messages::{ListMessages, MessagePage, MessagePath, TodoState};
use api::posting::{Decide, Decided, PostMessage};
use api::search::{SearchPage, SearchQuery};
use api::sessions::{ListSessions, SessionDetail, SessionPage, SessionPath, SessionShow};
use api::{Client, Nothing, Problem, ProblemCode};
use sdk::Verbatim;
use std::path::PathBuf;

/// A request.
#[derive(Debug, Clone, PartialEq)]
pub enum Ask {
    /// The list of sessions.
    Sessions(ListSessions),
    /// A session with the messages that a query names.
    Open {
        /// Its id, or a beginning of it.
        session: String,
        /// Which messages to begin with.
        query: ListMessages,
    },
    /// Further messages of the session that is open.
    Messages {
        /// Our id of the session.
        session: String,
        /// Which.
        query: ListMessages,
    },
    /// Title, state and to-do list of the session that is open.
    Header(String),
    /// Post what a person wrote.
    Say {
        /// Our id of the session.
        session: String,
        /// The text.
        text: String,
        /// Id of the message: asked again, it is stored once.
        id: String,
        /// A running agent is to take it at once.
        steer: bool,
    },
    /// Decide an approval.
    Decide {
        /// Our id of the session.
        session: String,
        /// Id of the approval.
        message: String,
        /// The decision.
        decide: Decide,
    },
    /// Search.
    Search(SearchQuery),
    /// Save files of a message, each by its name and blob.
    Save(Vec<(String, String)>),
}

/// Result of a request.
#[derive(Debug)]
pub enum Told {
    /// To [`Ask::Sessions`], with its query.
    Sessions(ListSessions, SessionPage),
    /// To [`Ask::Open`], with the `seq` that was asked for.
    Opened(Box<SessionDetail>, TodoState, MessagePage, Option<i64>),
    /// To [`Ask::Messages`].
    Messages(String, MessagePage),
    /// To [`Ask::Header`].
    Header(Box<SessionDetail>, TodoState),
    /// To [`Ask::Say`]: it is posted, and why the agent doesn't take it at once.
    Said(Option<Problem>),
    /// To [`Ask::Decide`].
    Decided(String, Box<Decided>),
    /// To [`Ask::Search`].
    Found(SearchQuery, SearchPage),
    /// To [`Ask::Save`]: the names that the files got.
    Saved(Vec<String>),
    /// It was refused, or didn't get through.
    Refused(Box<Ask>, Problem),
}

/// Where requests go.
#[derive(Clone)]
pub struct Server {
    /// Reads.
    pub verbatim: Verbatim,
    /// Says and decides; None with an agent's key, which may do neither.
    pub person: Option<Person>,
    /// Where files of messages are saved.
    pub folder: PathBuf,
}

impl Server {
    /// Performs a request.
    pub async fn perform(&self, ask: Ask) -> Told {
        let again = ask.clone();
        self.tried(ask).await.unwrap_or_else(|problem| Told::Refused(Box::new(again), problem))
    }

    async fn tried(&self, ask: Ask) -> Result<Told, Problem> {
        let client = self.verbatim.client();
        Ok(match ask {
            Ask::Sessions(query) => {
                let mut page = client.list_sessions(Nothing {}, query.clone()).await?;
                // As on the page, what waits for a person is first.
                if query.show.is_none() && query.q.is_none() {
                    let waiting = ListSessions { show: Some(SessionShow::NeedsYou), ..query.clone() };
                    let waiting = client.list_sessions(Nothing {}, waiting).await?.sessions;
                    page.sessions.retain(|session| waiting.iter().all(|first| first.id != session.id));
                    page.sessions.splice(0..0, waiting);
                }
                Told::Sessions(query, page)
            }
            Ask::Open { session, query } => {
                let (detail, todos) = header(client, &session).await?;
                let at = query.around;
                let page = client.list_messages(path(detail.session.id.as_str()), query).await?;
                Told::Opened(Box::new(detail), todos, page, at)
            }
            Ask::Messages { session, query } => {
                let page = client.list_messages(path(&session), query).await?;
                Told::Messages(session, page)
            }
            Ask::Header(session) => {
                let (detail, todos) = header(client, &session).await?;
                Told::Header(Box::new(detail), todos)
            }
            Ask::Say { session, text, id, steer } => {
                let person = self.person()?;
                let message = PostMessage { id: Some(id), ..PostMessage::from(text) };
                person.post_message(path(&session), message).await?;
                let steer = async {
                    let tell = TellAgent::from(AgentAction::Steer);
                    if steer { person.tell_agent(path(&session), tell).await.map(drop) } else { Ok(()) }
                };
                // It is posted, whatever becomes of that.
                Told::Said(steer.await.err())
            }
            Ask::Decide { session, message, decide } => {
                let at = MessagePath { session, message: message.clone() };
                Told::Decided(message, Box::new(self.person()?.decide(at, decide).await?))
            }
            Ask::Save(files) => Told::Saved(crate::save::save(&self.verbatim, &self.folder, &files).await?),
            Ask::Search(query) => {
                let page = client.search(Nothing {}, query.clone()).await?;
                Told::Found(query, page)
            }
        })
    }

    fn person(&self) -> Result<Client, Problem> {
        let nobody = || {
            let problem = Problem::new(
                ProblemCode::Forbidden,
                "An agent's key can read, and neither write as a person nor decide",
            );
            problem.hint("Start `verbatim tui` on the server's machine, without `--key`")
        };
        self.person.as_ref().map(Person::client).ok_or_else(nobody)
    }
}

fn path(session: &str) -> SessionPath {
    SessionPath { session: session.to_owned() }
}

async fn header(client: &Client, session: &str) -> Result<(SessionDetail, TodoState), Problem> {
    let detail = client.get_session(path(session), Nothing {}).await?;
    let todos = client.get_todos(path(detail.session.id.as_str()), Nothing {}).await?;
    Ok((detail, todos))
}
