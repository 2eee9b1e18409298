//! Checks that an agent will read a schedule's prompt. Otherwise it would wait for ever.

use crate::basics::{clock, problem};
use crate::context::Hub;
use crate::driving::Driving;
use api::{Problem, ProblemCode};
use model::{Session, SessionId};

/// Why nobody takes prompts in a session, and what to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nobody {
    pub reason: &'static str,
    pub hint: &'static str,
}

impl Nobody {
    /// The refusal of a request that names the session.
    pub fn problem(self) -> Problem {
        let problem = Problem::new(ProblemCode::NobodyTakesIt, self.reason).hint(self.hint);
        Problem { field: Some("/session".to_owned()), ..problem }
    }
}

/// Returns why nobody takes prompts in a session; None where an agent does. A session that is gone says so itself.
pub async fn nobody(hub: &Hub, id: &SessionId) -> Result<Option<Nobody>, Problem> {
    let Some(session) = hub.workspace.session(id, clock::now()).await.map_err(problem)? else { return Ok(None) };
    if hub.workspace.agent_run(id).await.map_err(problem)?.is_some() || hub.state::<Driving>().of(id).is_some() {
        return Ok(None);
    }
    let is_driven = hub.workspace.driven(id).await.map_err(problem)?.is_some();
    Ok(match &session {
        _ if is_driven => Some(Nobody {
            reason: "The agent of this session has ended",
            hint: "Resume the agent, then create the schedule",
        }),
        Session { registered: false, .. } => Some(Nobody {
            reason: "No agent reads prompts in this session: it was read from a transcript",
            hint: "Resume it here, or choose a session whose agent is running",
        }),
        Session { ended_at: Some(_), .. } => {
            Some(Nobody { reason: "This session has ended", hint: "Choose a session whose agent is running" })
        }
        Session { key_id: Some(key), .. } => {
            let key = hub.workspace.agent_key(key).await.map_err(problem)?;
            key.is_none_or(|key| key.revoked_at.is_some()).then_some(Nobody {
                reason: "The key of this session's agent was revoked",
                hint: "Choose a session whose agent has a valid key",
            })
        }
        Session { .. } => None,
    })
}
