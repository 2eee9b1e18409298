//! History in numbers.

use crate::basics::moment::named_day;
use crate::basics::query::{any_of, given};
use crate::basics::{clock, moment, problem};
use crate::context::Scoped;
use crate::costs::pricing::Sum;
use crate::project_groups::ProjectGroups;
use api::Problem;
use api::keys::Scope;
use api::stats::{DayFigures, Figures, ModelFigures, NamedFigures, Stats, StatsQuery, ToolFigures};
use cost::Prices;
use jiff::civil::Date;
use jiff::tz::{Offset, TimeZone};
use jiff::{Timestamp, ToSpan as _};
use model::Micros;
use std::collections::BTreeMap;
use store::spending::Spending;

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
        return Err(Problem::field("from", "a day before or equal to `to`"));
    }
    let first = midnight("from", from, &zone)?;
    let end = midnight("to", to.checked_add(1.day()).map_err(|_| Problem::field("to", DAY))?, &zone)?;
    let micros = |offset: Offset| i64::from(offset.seconds()) * Micros::SECOND;
    let changes = zone.following(first).take_while(|change| change.timestamp() < end);
    let groups = ProjectGroups::load(&scoped.hub).await?;
    let query = store::stats::StatsQuery {
        from: Micros(first.as_microsecond()),
        to: Micros(end.as_microsecond()),
        offset: micros(zone.to_offset(first)),
        changes: changes.map(|at| (Micros(at.timestamp().as_microsecond()), micros(at.offset()))).collect(),
        projects: groups.widened(any_of(input.project)),
        agents: any_of(input.agent),
        sight: scoped.caller.sight(),
        steps: scoped.hub.prices.steps(),
        ..store::stats::StatsQuery::default()
    };
    let found = scoped.hub.workspace.stats(&query).await.map_err(problem)?;
    Ok(summed(&scoped.hub.prices, &groups, found, from, to))
}

const DAY: &str = "a day like `2026-11-01`";

fn day(field: &str, text: Option<String>) -> Result<Option<Date>, Problem> {
    text.map(|text| text.parse().map_err(|_| Problem::field(field, DAY))).transpose()
}

fn midnight(field: &str, day: Date, zone: &TimeZone) -> Result<Timestamp, Problem> {
    Ok(day.to_zoned(zone.clone()).map_err(|_| Problem::field(field, DAY))?.timestamp())
}

/// Figures whose cost is summed up by itself.
#[derive(Default)]
struct Counted {
    figures: Figures,
    sum: Sum,
}

impl Counted {
    fn spend(&mut self, prices: &Prices, spent: &Spending) {
        self.figures.usage += spent.usage;
        self.sum.add(prices, spent);
    }

    fn figures(self) -> Figures {
        Figures {
            cost_usd: self.sum.usd(),
            computed_usd: self.sum.computed_usd(),
            unpriced_tokens: self.sum.unpriced_tokens(),
            ..self.figures
        }
    }
}

fn summed(prices: &Prices, groups: &ProjectGroups, found: store::stats::Stats, from: Date, to: Date) -> Stats {
    let project_of = |project: Option<String>| groups.project(&project.unwrap_or_default()).to_owned();
    let mut total = Counted::default();
    (total.figures.sessions, total.figures.messages) = (found.total.sessions, found.total.messages);
    let mut days: BTreeMap<i64, Counted> = BTreeMap::new();
    let mut projects: BTreeMap<String, Counted> = BTreeMap::new();
    let mut models: BTreeMap<String, (i64, Counted)> = BTreeMap::new();
    let mut tools: BTreeMap<String, ToolFigures> = BTreeMap::new();
    for day in found.days {
        let figures = &mut days.entry(day.key).or_default().figures;
        (figures.sessions, figures.messages) = (day.sessions, day.messages);
    }
    for project in found.projects {
        let figures = &mut projects.entry(project_of(project.key)).or_default().figures;
        figures.sessions += project.sessions;
        figures.messages += project.messages;
    }
    let is_named = |model: &String| !model.is_empty();
    for spent in found.spending {
        let project = projects.entry(project_of(spent.project.clone())).or_default();
        for counted in [&mut total, days.entry(spent.day).or_default(), project] {
            counted.spend(prices, &spent);
        }
        if let Some(model) = spent.model.clone().filter(is_named) {
            models.entry(model).or_default().1.spend(prices, &spent);
        }
    }
    for of in found.runs {
        if let Some(model) = of.model.filter(is_named) {
            models.entry(model).or_default().0 += of.runs;
        }
    }
    for used in found.tools {
        total.figures.tool_calls += used.calls;
        days.entry(used.day).or_default().figures.tool_calls += used.calls;
        projects.entry(project_of(used.project)).or_default().figures.tool_calls += used.calls;
        let tool = ToolFigures { tool: used.tool.clone(), calls: 0, failed: 0 };
        let figures = tools.entry(used.tool).or_insert(tool);
        figures.calls += used.calls;
        figures.failed += used.failed;
    }
    let days = days.into_iter().map(|(day, of)| DayFigures { day: named_day(day), figures: of.figures() }).collect();
    let projects = projects.into_iter().map(|(name, of)| NamedFigures { name, figures: of.figures() });
    let models = models.into_iter().map(|(model, (runs, of))| {
        let (usage, cost) = (of.figures.usage, of.sum.cost());
        ModelFigures { model, runs, usage, cost }
    });
    Stats {
        from: from.to_string(),
        to: to.to_string(),
        total: total.figures(),
        days,
        projects: most_first(projects, |p| (p.figures.messages, p.figures.usage.total())),
        models: most_first(models, |m| (m.usage.total(), m.runs)),
        tools: most_first(tools.into_values(), |t| (t.calls, t.failed)),
    }
}

/// By size, then as they came: by name.
fn most_first<T>(rows: impl Iterator<Item = T>, size: impl Fn(&T) -> (i64, i64)) -> Vec<T> {
    let mut rows: Vec<T> = rows.collect();
    rows.sort_by_key(|row| std::cmp::Reverse(size(row)));
    rows
}
