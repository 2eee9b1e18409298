//! The requests of a session to models: how full the context is, and tokens, cost and time of each request.

use super::nothing;
use super::waterfall::Bars;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::icon::Glyph;
use crate::names::model_name;
use crate::part::{Part, part};
use crate::request_figures;
use crate::shared::{context_href, message_href, session_href};
use crate::shell::small_icon;
use api::cost::{ContextMeter, Cost, ModelRequest, RunCost};
use api::inspector::Waterfall;
use api::sessions::SessionDetail;
use leptos::prelude::*;

/// Requests that the tab lists, the last ones.
pub const LISTED: i64 = 60;
/// Runs in the table of what they cost, the last ones.
pub const RUNS: i64 = 20;

/// `Context: 122,000 of 200,000 tokens, about 18 requests left`.
pub fn words(meter: ContextMeter) -> String {
    let left = match meter.requests_left {
        Some(0) => ", full with the next request".to_owned(),
        Some(left) => format!(", about {} left", figures::counted(left, "request")),
        None => String::new(),
    };
    format!("Context: {} of {} tokens{left}", figures::count(meter.used), figures::count(meter.limit))
}

/// How full a context is, 0 to 100.
pub fn percent(meter: ContextMeter) -> i64 {
    (meter.used.saturating_mul(100) / meter.limit.max(1)).clamp(0, 100)
}

/// How a context stands that is so full.
pub fn state(percent: i64) -> &'static str {
    match percent {
        ..60 => "idle",
        60..80 => "warm",
        80..95 => "hot",
        _ => "failed",
    }
}

/// Where a cost is from, and what it lacks.
pub fn cost_words(cost: &Cost) -> String {
    let from = match (cost.usd, cost.computed_usd) {
        (Some(all), Some(computed)) if computed < all => "Cost of this session, in part at list prices",
        (_, Some(_)) => "Cost of this session at list prices",
        _ => "Cost of this session, as the agent reports it",
    };
    let reasons = cost.unpriced.iter().map(|of| format!(". {} ({} tokens)", of.reason, figures::count(of.tokens)));
    format!("{from}{}", reasons.collect::<String>())
}

pub fn context(
    detail: &SessionDetail,
    requests: &[ModelRequest],
    runs: &(Vec<RunCost>, i64),
    times: Option<&Waterfall>,
    clock: &Clock,
) -> Part {
    if requests.is_empty() {
        return nothing("No requests to a model are recorded. They are listed here with their tokens, cost and time.");
    }
    let largest = requests.iter().map(|request| request.usage.input_total()).max().unwrap_or(0).max(1);
    let session = detail.session.id.as_str();
    let bars = times.map(Bars::of);
    let row = |request| row(session, request, (largest, bars.as_ref()), clock);
    let rows: Vec<Part> = requests.iter().rev().map(row).collect();
    let earlier = requests.first().map_or(0, |request| request.number - 1);
    let earlier = (earlier > 0)
        .then(|| part! { <p class="cap none">{format!("{} before these", figures::counted(earlier, "request"))}</p> });
    part! {
        {detail.meter.map(meter)}
        <p class="panel-pad"><a class="btn tiny" href=format!("{}/context", session_href(session))>{small_icon(Glyph::LAYERS)}"What the model last saw"</a></p>
        <section><h3>"Requests, newest first"</h3>{bars.as_ref().map(Bars::legend)}<ol class="requests" role="list">{rows}</ol>{earlier}{bars.as_ref().map(Bars::table)}{by_run(session, runs, clock)}</section>
    }
}

/// Draws the tokens and cost of the last runs, newest first, given their total number. None for a single run, whose
/// cost is that of the session.
fn by_run(session: &str, (runs, all): &(Vec<RunCost>, i64), clock: &Clock) -> Option<Part> {
    let row = |run: &RunCost| {
        let began = moment(clock, run.started_at, "num");
        let name = match run.seq {
            Some(seq) => part! { <a class="link" href=message_href(session, seq) data-seq=seq.to_string()>{began}</a> },
            None => began,
        };
        let cost = match (run.is_copy, run.cost.usd, run.cost.unpriced.first()) {
            (true, ..) => "counted in another session".to_owned(),
            (_, Some(usd), _) => figures::dollars(usd),
            (_, None, Some(of)) => of.reason.clone(),
            (_, None, None) => "\u{2013}".to_owned(),
        };
        part! {
            <tr><th scope="row">{name}</th><td class="num end">{figures::count(run.requests)}</td><td class="num end">{figures::tokens(run.usage.input_total())}</td>
                <td class="num end">{figures::tokens(run.usage.output)}</td><td class="num end">{cost}</td></tr>
        }
    };
    (runs.len() > 1).then(|| {
        let rows: Vec<Part> = runs.iter().rev().map(row).collect();
        let (last, all) = (runs.len() as i64, *all);
        let counted = figures::counted(all, "run");
        let of = if all > last { format!("Cost of the last {last} of {counted}") } else { format!("Cost of {counted}") };
        part! {
            <details id="runs-table" class="wf-table"><summary>{of}</summary>
                <div class="table-wrap" tabindex="0" role="region" aria-label="Cost of runs"><table class="table compact">
                    <thead><tr><th scope="col">"Run"</th><th scope="col" class="end">"Requests"</th><th scope="col" class="end">"In"</th>
                        <th scope="col" class="end">"Out"</th><th scope="col" class="end">"Cost"</th></tr></thead>
                    <tbody>{rows}</tbody></table></div></details>
        }
    })
}

fn meter(meter: ContextMeter) -> Part {
    let percent = percent(meter);
    let left = match meter.requests_left {
        Some(0) => "Full with the next request".to_owned(),
        Some(left) => format!("About {} left at the present growth", figures::counted(left, "request")),
        None => "It doesn't grow".to_owned(),
    };
    part! {
        <section class="panel-pad context-now" data-state=state(percent)>
            <p><b class="num">{figures::tokens(meter.used)}</b><span class="mut num">{format!(" of {} tokens, {percent} %", figures::tokens(meter.limit))}</span></p>
            <span class="meter" aria-hidden="true"><span class="bar-fill" style=format!("--v:{percent}")></span></span>
            <p class="cap">{left}</p>
        </section>
    }
}

fn row(session: &str, request: &ModelRequest, (largest, bars): (i64, Option<&Bars<'_>>), clock: &Clock) -> Part {
    let percent = request.usage.input_total().saturating_mul(100) / largest;
    let number = format!("Request {}", request.number);
    let name = match request.seq {
        Some(seq) => {
            let to = message_href(session, seq);
            part! { <a class="link" href=to data-seq=seq.to_string()>{number}</a> }
        }
        None => part! { <span>{number}</span> },
    };
    let context = request.seq.map(|seq| {
        let to = context_href(session, seq);
        part! { <a class="link" href=to>"Context"</a> }
    });
    part! {
        <li><p><b>{name}</b>{request.model.as_deref().map(|model| part! { <span class="cut" title=model.to_owned()>{model_name(model)}</span> })}
                <span class="sp"></span>{moment(clock, request.ended_at, "cap num")}</p>
            <span class="meter" aria-hidden="true"><span class="bar-fill" style=format!("--v:{percent}")></span></span>
            <p class="cap num">{request_figures::of(request).join(" \u{b7} ")}" "{context}</p>{bars.and_then(|bars| bars.row(request.number))}</li>
    }
}
