//! Projects, models and tools: tables whose rows carry their share as a bar.

use crate::figures;
use crate::names::{model_name, project_name};
use crate::part::{Part, part};
use crate::shared::page_path;
use api::cost::Cost;
use api::sessions::Facet;
use api::stats::{ModelFigures, NamedFigures, ToolFigures};
use leptos::prelude::*;
use model::Usage;

/// Rows that are shown before the rest is folded away.
const FIRST: usize = 10;

/// `12k in, 3.0k out, 1.9M from cache`.
pub fn tokens_in_words(usage: Usage) -> String {
    let mut words = vec![
        format!("{} in", figures::tokens(usage.input + usage.cache_write)),
        format!("{} out", figures::tokens(usage.output)),
    ];
    if usage.cache_read > 0 {
        words.push(format!("{} from cache", figures::tokens(usage.cache_read)));
    }
    words.join(", ")
}

pub fn projects(projects: &[NamedFigures], all: &[Facet]) -> Option<Part> {
    let most = projects.iter().map(|p| p.figures.messages).max()?;
    let costs = Costs::of(projects.iter().map(|p| p.figures.cost_usd));
    let rows = projects
        .iter()
        .map(|project| {
            let query = serde_html_form::to_string([("project", &project.name)]).unwrap_or_default();
            let name = if project.name.is_empty() {
                part! { <span class="mut">"No project"</span> }
            } else {
                part! { <a href=format!("{}?{query}", page_path::SESSIONS) title=project.name.clone()>{project_name(&project.name, all)}</a> }
            };
            let figures = &project.figures;
            part! {
                <tr><th scope="row">{name}{share(figures.messages, most)}</th>
                    <td class="num end hide-narrow">{figures::count(figures.sessions)}</td>
                    <td class="num end">{figures::count(figures.messages)}</td>
                    <td class="num end wide">{figures::count(figures.tool_calls)}</td>
                    <td class="num end" title=tokens_in_words(figures.usage)>{figures::tokens(figures.usage.total())}</td>
                    {costs.cell(figures.cost_usd)}</tr>
            }
        })
        .collect();
    let head = part! {
        <tr><th scope="col">"Project"</th><th scope="col" class="end hide-narrow">"Sessions"</th><th scope="col" class="end">"Messages"</th>
            <th scope="col" class="end wide">"Tool calls"</th><th scope="col" class="end">"Tokens"</th>{costs.head()}</tr>
    };
    Some(table("Projects", head, rows))
}

pub fn models(models: &[ModelFigures]) -> Option<Part> {
    let most = models.iter().map(|m| m.usage.total()).max()?;
    let costs = Costs::of(models.iter().map(|m| m.cost.usd.or(Some(0.0).filter(|_| !m.cost.unpriced.is_empty()))));
    let rows = models
        .iter()
        .map(|model| {
            part! {
                <tr><th scope="row"><span title=model.model.clone()>{model_name(&model.model)}</span>{share(model.usage.total(), most)}</th>
                    <td class="num end hide-narrow">{figures::count(model.runs)}</td>
                    <td class="num end">{figures::tokens(model.usage.input + model.usage.cache_write)}</td>
                    <td class="num end">{figures::tokens(model.usage.output)}</td>
                    <td class="num end">{figures::tokens(model.usage.cache_read)}</td>
                    {costs.cell_of(&model.cost)}</tr>
            }
        })
        .collect();
    let head = part! {
        <tr><th scope="col">"Model"</th><th scope="col" class="end hide-narrow">"Runs"</th><th scope="col" class="end">"In"</th>
            <th scope="col" class="end">"Out"</th><th scope="col" class="end">"From cache"</th>{costs.head()}</tr>
    };
    Some(table("Models, in tokens", head, rows))
}

pub fn tools(tools: &[ToolFigures]) -> Option<Part> {
    let most = tools.iter().map(|t| t.calls).max()?;
    let rows = tools
        .iter()
        .map(|tool| {
            let failed = if tool.failed == 0 {
                part! { <span class="mut">"0"</span> }
            } else {
                let percent = tool.failed as f64 * 100.0 / tool.calls.max(1) as f64;
                part! { <span>{figures::count(tool.failed)}<span class="mut">{format!(" ({percent:.0} %)")}</span></span> }
            };
            part! {
                <tr><th scope="row"><span class="mono">{tool.tool.clone()}</span>{share(tool.calls, most)}</th>
                    <td class="num end">{figures::count(tool.calls)}</td><td class="num end">{failed}</td></tr>
            }
        })
        .collect();
    let head = part! {
        <tr><th scope="col">"Tool"</th><th scope="col" class="end">"Calls"</th><th scope="col" class="end">"Failed"</th></tr>
    };
    Some(table("Tools", head, rows))
}

fn table(title: &'static str, head: Part, mut rows: Vec<Part>) -> Part {
    let rest = rows.split_off(rows.len().min(FIRST));
    let more = (!rest.is_empty()).then(|| {
        let words = format!("{} more", rest.len());
        part! {
            <details class="numbers"><summary class="btn quiet tiny">{words}</summary>
                <div class="table-wrap" tabindex="0" role="region" aria-label=format!("{title}: the rest")><table class="table compact shares"><tbody>{rest}</tbody></table></div></details>
        }
    });
    part! {
        <section class="figures"><h2>{title}</h2>
            <div class="table-wrap" tabindex="0" role="region" aria-label=title><table class="table compact shares"><thead>{head}</thead><tbody>{rows}</tbody></table></div>{more}
        </section>
    }
}

fn share(part: i64, of: i64) -> Part {
    let percent = if of > 0 { part.saturating_mul(100) / of } else { 0 };
    part! { <span class="meter" aria-hidden="true"><span class="bar-fill" style=format!("--v:{percent}")></span></span> }
}

/// The column of costs. Where no row has one there is none.
#[derive(Clone, Copy)]
struct Costs {
    known: bool,
}

impl Costs {
    fn of(mut costs: impl Iterator<Item = Option<f64>>) -> Self {
        Self { known: costs.any(|cost| cost.is_some()) }
    }

    fn head(self) -> Option<Part> {
        self.known.then(|| part! { <th scope="col" class="end wide">"Cost"</th> })
    }

    /// Draws a cell. For tokens without a known price it has the reason.
    fn cell_of(self, cost: &Cost) -> Option<Part> {
        let reason = cost.unpriced.first().map(|of| of.reason.clone());
        match (cost.usd, reason) {
            (None, Some(reason)) => self.known.then(|| {
                part! { <td class="end wide mut"><span title=reason.clone()>"No price"</span><span class="sr">{format!(". {reason}")}</span></td> }
            }),
            (usd, _) => self.cell(usd),
        }
    }

    fn cell(self, cost: Option<f64>) -> Option<Part> {
        self.known.then(|| match cost {
            Some(cost) => part! { <td class="num end wide">{figures::dollars(cost)}</td> },
            None => part! { <td class="num end wide mut">{"\u{2013}"}</td> },
        })
    }
}
