//! History in numbers.

use super::{any_of, given};
use crate::{Scoped, clock, moment, problem};
use api::Problem;
use api::keys::Scope;
use api::stats::{DayFigures, Figures, ModelFigures, NamedFigures, Stats, StatsQuery, ToolFigures};
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan as _};
use model::{Micros, Usage};
use std::collections::BTreeMap;
use store::stats::Spending;

/// Days that are looked at where nobody says how many, today included.
const USUAL_DAYS: i64 = 30;

pub async fn stats(scoped: &Scoped, input: StatsQuery) -> Result<Stats, Problem> {
    scoped.caller.require(Scope::ReadAll)?;
    let now = Timestamp::from_microsecond(clock::now().0).map_err(|_| Problem::internal())?;
    let zone = moment::zone(given(input.zone))?;
    let now = now.to_zoned(zone.clone());
    let to = day("to", given(input.to))?.unwrap_or_else(|| now.date());
    let usual = || to.checked_sub((USUAL_DAYS - 1).days()).unwrap_or(to);
    let from = day("from", given(input.from))?.unwrap_or_else(usual);
    if from > to {
        return Err(Problem::field("from", "a day that isn't after `to`"));
    }
    let first = midnight("from", from, &zone)?;
    let end = midnight("to", to.checked_add(1.day()).map_err(|_| Problem::field("to", DAY))?, &zone)?;
    let micros = |offset: Offset| i64::from(offset.seconds()) * Micros::SECOND;
    let changes = zone.following(first).take_while(|change| change.timestamp() < end);
    let query = store::stats::StatsQuery {
        from: Micros(first.as_microsecond()),
        to: Micros(end.as_microsecond()),
        offset: micros(zone.to_offset(first)),
        changes: changes.map(|at| (Micros(at.timestamp().as_microsecond()), micros(at.offset()))).collect(),
        projects: any_of(input.project),
        agents: any_of(input.agent),
    };
    let found = scoped.hub.workspace.stats(&query).await.map_err(problem)?;
    Ok(summed(found, from, to))
}

const DAY: &str = "a day like `2026-11-01`";

fn day(field: &str, text: Option<String>) -> Result<Option<Date>, Problem> {
    text.map(|text| text.parse().map_err(|_| Problem::field(field, DAY))).transpose()
}

fn midnight(field: &str, day: Date, zone: &TimeZone) -> Result<Timestamp, Problem> {
    Ok(day.to_zoned(zone.clone()).map_err(|_| Problem::field(field, DAY))?.timestamp())
}

/// `2026-11-22` of a number of days since 1970.
fn named(day: i64) -> String {
    let epoch = Date::constant(1970, 1, 1);
    epoch.checked_add(day.days()).map(|day| day.to_string()).unwrap_or_default()
}

fn summed(found: store::stats::Stats, from: Date, to: Date) -> Stats {
    let mut total = Figures { sessions: found.total.sessions, messages: found.total.messages, ..Figures::default() };
    let mut days: BTreeMap<i64, Figures> = BTreeMap::new();
    let mut projects: BTreeMap<String, Figures> = BTreeMap::new();
    let mut models: BTreeMap<String, ModelFigures> = BTreeMap::new();
    let mut tools: BTreeMap<String, ToolFigures> = BTreeMap::new();
    for day in found.days {
        let figures = days.entry(day.key).or_default();
        (figures.sessions, figures.messages) = (day.sessions, day.messages);
    }
    for project in found.projects {
        let figures = projects.entry(project.key.unwrap_or_default()).or_default();
        (figures.sessions, figures.messages) = (project.sessions, project.messages);
    }
    for spent in found.spending {
        let project = projects.entry(spent.project.clone().unwrap_or_default()).or_default();
        for figures in [&mut total, days.entry(spent.day).or_default(), project] {
            spend(&mut figures.usage, &mut figures.cost_usd, &spent);
        }
        if let Some(model) = spent.model.clone().filter(|model| !model.is_empty()) {
            let none = ModelFigures { model: model.clone(), runs: 0, usage: Usage::default(), cost_usd: None };
            let figures = models.entry(model).or_insert(none);
            figures.runs += spent.runs;
            spend(&mut figures.usage, &mut figures.cost_usd, &spent);
        }
    }
    for used in found.tools {
        total.tool_calls += used.calls;
        days.entry(used.day).or_default().tool_calls += used.calls;
        projects.entry(used.project.unwrap_or_default()).or_default().tool_calls += used.calls;
        let tool = ToolFigures { tool: used.tool.clone(), calls: 0, failed: 0 };
        let figures = tools.entry(used.tool).or_insert(tool);
        figures.calls += used.calls;
        figures.failed += used.failed;
    }
    let days = days.into_iter().map(|(day, figures)| DayFigures { day: named(day), figures }).collect();
    let projects = projects.into_iter().map(|(name, figures)| NamedFigures { name, figures });
    Stats {
        from: from.to_string(),
        to: to.to_string(),
        total,
        days,
        projects: most_first(projects, |p| (p.figures.messages, p.figures.usage.total())),
        models: most_first(models.into_values(), |m| (m.usage.total(), m.runs)),
        tools: most_first(tools.into_values(), |t| (t.calls, t.failed)),
    }
}

fn spend(usage: &mut Usage, cost: &mut Option<f64>, spent: &Spending) {
    *usage += spent.usage;
    if let Some(more) = spent.cost_usd {
        *cost = Some(cost.unwrap_or(0.0) + more);
    }
}

/// By size, then as they came: by name.
fn most_first<T>(rows: impl Iterator<Item = T>, size: impl Fn(&T) -> (i64, i64)) -> Vec<T> {
    let mut rows: Vec<T> = rows.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(size(row)));
    rows
}
