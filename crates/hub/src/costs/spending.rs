//! Requests to models: those of a session, and what may be spent.

use crate::basics::query::limit;
use crate::basics::{clock, moment, problem};
use crate::context::{Hub, Scoped};
use crate::costs::pricing::{Spent, Sum, cost_of_request, cost_of_run};
use crate::costs::waterfall;
use crate::may::session;
use api::Problem;
use api::cost::{
    Budget, BudgetState, Budgets, BudgetsQuery, ContextMeter, Cost, ModelRequest, Requests, RequestsQuery, RunCost,
    Runs, SessionTools, ToolTimes,
};
use api::inspector::Waterfall;
use api::keys::Scope;
use api::sessions::SessionPath;
use cost::meter::measure;
use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use model::{Micros, Run, Session, SessionId};
use std::collections::BTreeMap;
use store::spending::{Request, ToolCall};
use store::stats::StatsQuery;
use store::{Sight, Workspace};

/// Requests that a page has where nobody says how many, and at most.
const USUAL: u32 = 200;
const MOST: u32 = 1000;
/// Requests at the end of a session that a meter looks at.
const MEASURED: i64 = 50;

pub async fn list_requests(scoped: &Scoped, path: &SessionPath, input: RequestsQuery) -> Result<Requests, Problem> {
    let session = session(scoped, path).await?;
    if let (Some(from), Some(to)) = (input.from, input.to) {
        let many = match input.limit {
            Some(_) => i64::from(limit(input.limit, USUAL, MOST)?),
            None => i64::MAX,
        };
        let found = scoped.hub.workspace.requests_between(&session.id, from..=to, many).await.map_err(problem)?;
        return Ok(Requests {
            requests: found.into_iter().map(|request| shown(&scoped.hub, request)).collect(),
            next: None,
        });
    }
    let limit = i64::from(limit(input.limit, USUAL, MOST)?);
    let after = input.after.unwrap_or(0);
    let mut found = scoped.hub.workspace.requests(&session.id, after, limit + 1).await.map_err(problem)?;
    let more = found.len() as i64 > limit;
    found.truncate(usize::try_from(limit).unwrap_or(usize::MAX));
    let next = found.last().filter(|_| more).map(|request| request.number);
    Ok(Requests { requests: found.into_iter().map(|request| shown(&scoped.hub, request)).collect(), next })
}

pub async fn list_tools(scoped: &Scoped, path: &SessionPath) -> Result<SessionTools, Problem> {
    let session = session(scoped, path).await?;
    let mut tools: BTreeMap<String, Vec<ToolCall>> = BTreeMap::new();
    for call in scoped.hub.workspace.tool_calls(&session.id).await.map_err(problem)? {
        tools.entry(call.tool.clone()).or_default().push(call);
    }
    let mut tools: Vec<ToolTimes> = tools.into_iter().map(|(tool, calls)| times(tool, &calls)).collect();
    tools.sort_by_key(|tool| std::cmp::Reverse((tool.calls, tool.failed)));
    Ok(SessionTools { tools })
}

/// Returns the runs of a session with what each took.
pub async fn list_runs(scoped: &Scoped, path: &SessionPath) -> Result<Runs, Problem> {
    let session = session(scoped, path).await?;
    let workspace = &scoped.hub.workspace;
    let count = workspace.request_count(&session.id).await.map_err(problem)?;
    let requests = workspace.requests(&session.id, 0, count).await.map_err(problem)?;
    let runs = workspace.runs(&session.id).await.map_err(problem)?;
    Ok(Runs { runs: costs(&scoped.hub, runs, &requests) })
}

/// Returns the cost of each run, given the requests of all of them.
fn costs(hub: &Hub, runs: Vec<Run>, requests: &[Request]) -> Vec<RunCost> {
    let mut by_run: BTreeMap<&str, Vec<&Request>> = BTreeMap::new();
    for request in requests {
        by_run.entry(&request.run_id).or_default().push(request);
    }
    let cost = |run: Run| {
        let own = by_run.remove(run.id.as_str()).unwrap_or_default();
        RunCost {
            cost: cost_of_run(&hub.prices, run.cost_usd, &own),
            requests: own.len() as i64,
            seq: own.iter().find_map(|request| request.seq),
            is_copy: !own.is_empty() && own.iter().all(|request| request.is_copy),
            id: run.id,
            model: run.model,
            started_at: run.started_at,
            ended_at: run.ended_at,
            outcome: run.outcome,
            usage: run.usage,
        }
    };
    runs.into_iter().map(cost).collect()
}

/// Sums up the calls of a tool, which come the shortest first.
fn times(tool: String, calls: &[ToolCall]) -> ToolTimes {
    let known: Vec<i64> = calls.iter().filter_map(|call| call.duration_ms).collect();
    ToolTimes {
        tool,
        calls: calls.len() as i64,
        failed: calls.iter().map(|call| call.failed).sum(),
        median_ms: known.get(known.len().saturating_sub(1) / 2).copied(),
        total_ms: known.iter().fold(0, |sum: i64, milliseconds| sum.saturating_add(*milliseconds)),
    }
}

impl Scoped {
    /// Returns the last requests of a session to models, `many` at most, by number.
    ///
    /// # Errors
    ///
    /// 404 if there is no such session.
    pub async fn last_requests(&self, path: &SessionPath, many: i64) -> Result<Vec<ModelRequest>, Problem> {
        let session = session(self, path).await?;
        let last = self.hub.workspace.last_requests(&session.id, many).await.map_err(problem)?;
        Ok(last.into_iter().map(|request| shown(&self.hub, request)).collect())
    }

    /// Returns the last `many` runs of a session with what each took, by their beginning, and how many runs it has.
    ///
    /// # Errors
    ///
    /// 404 if there is no such session.
    pub async fn last_runs(&self, path: &SessionPath, many: i64) -> Result<(Vec<RunCost>, i64), Problem> {
        let session = session(self, path).await?;
        let workspace = &self.hub.workspace;
        let count = workspace.run_count(&session.id).await.map_err(problem)?;
        let runs = workspace.last_runs(&session.id, many).await.map_err(problem)?;
        if runs.is_empty() {
            return Ok((Vec::new(), count));
        }
        let ids: Vec<&str> = runs.iter().map(|run| run.id.as_str()).collect();
        let requests = workspace.requests_of_runs(&session.id, &ids).await.map_err(problem)?;
        Ok((costs(&self.hub, runs, &requests), count))
    }

    /// Returns the last `many` requests of a session, the earliest first, and where the time of each went.
    ///
    /// # Errors
    ///
    /// 404 if there is no such session.
    pub async fn last_timed_requests(
        &self,
        path: &SessionPath,
        many: i64,
    ) -> Result<(Vec<ModelRequest>, Waterfall), Problem> {
        let session = session(self, path).await?;
        let (last, waterfall) = waterfall::page(self, &session, None, many).await?;
        Ok((last.into_iter().map(|request| shown(&self.hub, request)).collect(), waterfall))
    }
}

fn shown(hub: &Hub, request: Request) -> ModelRequest {
    let cost = cost_of_request(&hub.prices, &request);
    let context = request.context.or_else(|| hub.prices.context(request.model.as_deref()?));
    ModelRequest {
        number: request.number,
        id: request.id,
        run_id: request.run_id,
        message_id: request.message_id,
        seq: request.seq,
        model: request.model,
        began_at: request.began_at,
        ended_at: request.ended_at,
        first_token_ms: request.first_token_ms,
        stop_reason: request.stop_reason,
        usage: request.usage,
        cache_write_1h: request.cache_write_1h,
        cost,
        context,
        is_copy: request.is_copy,
    }
}

/// Returns the cost of a session's requests. Requests that it shares with another session count there.
pub async fn of_session(hub: &Hub, session: &SessionId) -> Result<Sum, Problem> {
    let of = StatsQuery { session: Some(session.clone()), ..period(hub, Micros(0), Micros(i64::MAX)) };
    Ok(Sum::of(&hub.prices, &hub.workspace.spending(&of).await.map_err(problem)?))
}

/// Says of sessions what they cost.
pub async fn price(hub: &Hub, sessions: &mut [Session]) -> Result<(), Problem> {
    let steps = hub.prices.steps();
    if Workspace::sums_up_by(&steps) {
        let ids: Vec<SessionId> = sessions.iter().map(|session| session.id.clone()).collect();
        let spent = hub.workspace.spending_of_each(&ids, &steps).await.map_err(problem)?;
        for session in sessions {
            say(session, &spent.get(&session.id).map(|spent| Sum::of(&hub.prices, spent)).unwrap_or_default());
        }
    } else {
        for session in sessions {
            let spent = of_session(hub, &session.id).await?;
            say(session, &spent);
        }
    }
    Ok(())
}

/// Says of a session what it cost.
pub fn say(session: &mut Session, spent: &Sum) {
    (session.cost_usd, session.computed_usd) = (spent.usd(), spent.computed_usd());
}

/// Returns the cost of a session including sub-agents of every depth, given its own cost.
pub async fn with_sub_agents(hub: &Hub, session: &SessionId, own: &Sum) -> Result<Cost, Problem> {
    let of = StatsQuery { below: Some(session.clone()), ..period(hub, Micros(0), Micros(i64::MAX)) };
    let mut sum = own.clone();
    hub.workspace.spending(&of).await.map_err(problem)?.iter().for_each(|spent| sum.add(&hub.prices, spent));
    Ok(sum.cost())
}

/// How full the context of a session is. None where its requests or the limit aren't known.
pub async fn meter(hub: &Hub, session: &Session) -> Result<Option<ContextMeter>, Problem> {
    let last = hub.workspace.last_sizes(&session.id, MEASURED).await.map_err(problem)?;
    let Some(newest) = last.last() else { return Ok(None) };
    let model = newest.model.as_deref().or(session.model.as_deref());
    let limit = newest.context.or_else(|| hub.prices.context(model?));
    let sizes: Vec<i64> = last.iter().map(|request| request.total).collect();
    let meter = measure(&sizes, limit);
    Ok(meter.map(|meter| ContextMeter { used: meter.used, limit: meter.limit, requests_left: meter.requests_left }))
}

pub async fn get_budgets(scoped: &Scoped, input: BudgetsQuery) -> Result<Budgets, Problem> {
    scoped.caller.require(Scope::ReadAll)?;
    let zone = moment::zone(input.zone.filter(|zone| !zone.is_empty()))?;
    of_today(&scoped.hub, &scoped.caller.sight(), &zone, clock::now()).await
}

/// The budgets of the day and the month of a moment, in a time zone.
pub async fn of_today(hub: &Hub, sight: &Sight, zone: &TimeZone, now: Micros) -> Result<Budgets, Problem> {
    let preferences = crate::context::preferences::stored(&hub.workspace).await.map_err(problem)?;
    let today = Timestamp::from_microsecond(now.0).map_err(|_| Problem::internal())?.to_zoned(zone.clone()).date();
    Ok(Budgets {
        day: budget((hub, sight), zone, (today, now), &preferences.daily_budget).await?,
        month: budget((hub, sight), zone, (today.first_of_month(), now), &preferences.monthly_budget).await?,
    })
}

/// Returns a budget with the amount spent since a day. None without a budget.
async fn budget(
    (hub, sight): (&Hub, &Sight),
    zone: &TimeZone,
    (from, now): (Date, Micros),
    dollars: &str,
) -> Result<Option<Budget>, Problem> {
    let Ok(limit_usd) = dollars.parse::<f64>() else { return Ok(None) };
    let first = from.to_zoned(zone.clone()).map_err(|_| Problem::internal())?.timestamp();
    let first = Micros(first.as_microsecond());
    let remembered = if *sight == Sight::All { hub.state::<Spent>().since(first, now) } else { None };
    let spent = if let Some(spent) = remembered {
        spent
    } else {
        let since = StatsQuery { sight: sight.clone(), ..period(hub, first, Micros(i64::MAX)) };
        let spent = Sum::of(&hub.prices, &hub.workspace.spending(&since).await.map_err(problem)?).cost();
        if *sight == Sight::All {
            hub.state::<Spent>().remember(first, now, spent.clone());
        }
        spent
    };
    let usd = spent.usd.unwrap_or(0.0);
    let state = if usd >= limit_usd {
        BudgetState::Over
    } else if usd >= limit_usd * NEAR {
        BudgetState::Near
    } else {
        BudgetState::Ok
    };
    Ok(Some(Budget { from: from.to_string(), limit_usd, spent, state }))
}

/// The part of a budget from which on it warns.
const NEAR: f64 = 0.8;

/// All requests between two moments, with days in UTC.
fn period(hub: &Hub, from: Micros, to: Micros) -> StatsQuery {
    StatsQuery { from, to, steps: hub.prices.steps(), ..StatsQuery::default() }
}
