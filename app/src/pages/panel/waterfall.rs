//! Where the time of requests went: bars below each request, and the same as a table.

use crate::figures;
use crate::part::{Part, part};
use crate::time_text::duration;
use crate::visible;
use api::inspector::{RequestTimes, TimeSpan, TimeSpanKind, Waterfall};
use leptos::prelude::*;
use model::Micros;

/// Rows of bars that parallel calls may take; later ones share the last row.
const LANES: usize = 4;
/// A row of bars is at most this many times the median request. A longer request ends at the edge: otherwise a single
/// long call would make all others too thin to be seen.
const FULL: i64 = 4;

/// Shorter times than these microseconds aren't told beside the bars.
const TOLD: i64 = Micros::SECOND / 10;

const KINDS: [(TimeSpanKind, &str); 6] = [
    (TimeSpanKind::FirstToken, "First token"),
    (TimeSpanKind::Streaming, "Streaming"),
    (TimeSpanKind::Model, "Model"),
    (TimeSpanKind::Tool, "Tools"),
    (TimeSpanKind::Approval, "Approval"),
    (TimeSpanKind::Idle, "Idle"),
];

/// The bars of some requests, all on one scale.
pub struct Bars<'a> {
    all: &'a Waterfall,
    /// Microseconds from edge to edge.
    scale: i64,
}

impl<'a> Bars<'a> {
    pub fn of(all: &'a Waterfall) -> Self {
        // A request without times says nothing of the scale.
        let mut took: Vec<i64> = all.requests.iter().map(busy).filter(|took| *took > 0).collect();
        took.sort_unstable();
        let half = took.get(took.len() / 2).copied().unwrap_or(1);
        let longest = took.last().copied().unwrap_or(1);
        Self { all, scale: longest.min(half.saturating_mul(FULL)).max(1) }
    }

    /// Draws the legend: the colours, and the time of a full bar.
    pub fn legend(&self) -> Part {
        let used =
            |kind: TimeSpanKind| self.all.requests.iter().flat_map(|times| &times.spans).any(|of| of.kind == kind);
        let kinds = KINDS.iter().filter(|(kind, _)| used(*kind));
        let kinds: Vec<Part> = kinds
            .map(|(kind, name)| part! { <li data-span=kind.as_str()><i aria-hidden="true"></i>{*name}</li> })
            .collect();
        let scale = format!("A full bar is {}", duration(self.scale));
        part! { <ul class="wf-legend cap" role="list">{kinds}<li class="num">{scale}</li></ul> }
    }

    /// The bars of a request with their figures in words. None where nothing is known of its times.
    pub fn row(&self, number: i64) -> Option<Part> {
        let times = self.all.requests.iter().find(|times| times.number == number)?;
        if times.spans.is_empty() {
            return None;
        }
        let lanes = lanes(times);
        let rows = lanes.iter().map(|(_, lane)| lane + 1).max().unwrap_or(1);
        let bars: Vec<Part> = lanes.iter().map(|(span, lane)| self.bar(times, span, *lane)).collect();
        let words: Vec<String> = KINDS
            .iter()
            .filter(|(kind, _)| matches!(kind, TimeSpanKind::Tool | TimeSpanKind::Approval | TimeSpanKind::Idle))
            .filter_map(|(kind, name)| Some((name, spent(times, *kind)?)))
            .filter(|(_, took)| *took >= TOLD)
            .map(|(name, took)| format!("{} {}", name.to_lowercase(), duration(took)))
            .collect();
        let words = (!words.is_empty()).then(|| part! { <span class="cap num">{words.join(" \u{b7} ")}</span> });
        Some(part! { <span class="wf" aria-hidden="true" style=format!("--rows:{rows}")>{bars}</span>{words} })
    }

    fn bar(&self, times: &RequestTimes, span: &TimeSpan, lane: usize) -> Part {
        let share = |micros: i64| (micros.max(0) as f64 * 100.0 / self.scale as f64).min(100.0);
        let from = share(span.began_at.since(times.began_at));
        // A span without an end is drawn up to the edge.
        let to = span.ended_at.map_or(100.0, |end| share(end.since(times.began_at)));
        let style = format!("--x:{from:.2};--w:{:.2};--lane:{lane}", to - from);
        let name = KINDS.iter().find(|(kind, _)| *kind == span.kind).map_or("", |(_, name)| name);
        let took = span.ended_at.map_or_else(|| "open".to_owned(), |_| duration(span.took()));
        let what = span.name.as_deref().map_or_else(String::new, |what| format!(" {}", visible::line(what)));
        let failed = if span.failed { ", failed" } else { "" };
        part! { <span data-span=span.kind.as_str() data-failed=span.failed.then_some("") style=style title=format!("{name}{what}: {took}{failed}")></span> }
    }

    /// The figures of the bars as a table: exact, and for screen readers.
    pub fn table(&self) -> Part {
        let rows: Vec<Part> = self.all.requests.iter().rev().map(line).collect();
        part! {
            <details id="waterfall-table" class="wf-table"><summary>"Times as a table"</summary>
                <div class="table-wrap" tabindex="0" role="region" aria-label="Times of requests"><table class="table compact">
                    <thead><tr><th scope="col">"Request"</th><th scope="col" class="end">"First token"</th><th scope="col" class="end">"Model"</th>
                        <th scope="col" class="end" title="Time during which at least one call ran">"Tools"</th>
                        <th scope="col" class="end">"Approval"</th><th scope="col" class="end">"Idle"</th></tr></thead>
                    <tbody>{rows}</tbody></table></div>
                <p class="cap">"Tools that run at the same time count once. A dash means that the time isn't recorded."</p></details>
        }
    }
}

fn line(times: &RequestTimes) -> Part {
    let model = [TimeSpanKind::FirstToken, TimeSpanKind::Streaming, TimeSpanKind::Model];
    let model: Vec<i64> = model.iter().filter_map(|kind| spent(times, *kind)).collect();
    let model = (!model.is_empty()).then(|| model.iter().sum());
    let kinds = [TimeSpanKind::Tool, TimeSpanKind::Approval, TimeSpanKind::Idle].map(|kind| spent(times, kind));
    let cells = [spent(times, TimeSpanKind::FirstToken), model].into_iter().chain(kinds);
    let cells: Vec<Part> = cells
        .map(|took| part! { <td class="num end">{took.map_or_else(|| "\u{2013}".to_owned(), duration)}</td> })
        .collect();
    part! { <tr><th scope="row" class="num">{figures::count(times.number)}</th>{cells}</tr> }
}

/// Microseconds during which at least one span of a kind went on. None where there is none, or all of them are open.
fn spent(times: &RequestTimes, kind: TimeSpanKind) -> Option<i64> {
    let of_kind = times.spans.iter().filter(|span| span.kind == kind);
    let mut parts: Vec<(Micros, Micros)> = of_kind.filter_map(|span| Some((span.began_at, span.ended_at?))).collect();
    parts.sort_unstable();
    let (mut sum, mut until) = (0, parts.first()?.0);
    for (from, to) in parts {
        sum += to.since(from.max(until)).max(0);
        until = until.max(to);
    }
    Some(sum)
}

/// Microseconds from the beginning of a request to the end of what it led to.
fn busy(times: &RequestTimes) -> i64 {
    let done = times.spans.iter().filter(|span| span.kind != TimeSpanKind::Idle);
    done.filter_map(|span| Some(span.ended_at?.since(times.began_at))).max().unwrap_or(0)
}

/// The spans with their rows: each in the first one that is free then.
fn lanes(times: &RequestTimes) -> Vec<(&TimeSpan, usize)> {
    let mut ends: Vec<Micros> = Vec::new();
    let mut placed = Vec::with_capacity(times.spans.len());
    for span in &times.spans {
        let free = ends.iter().position(|end| *end <= span.began_at);
        let lane = free.unwrap_or(ends.len()).min(LANES - 1);
        let end = span.ended_at.unwrap_or(Micros(i64::MAX));
        match ends.get_mut(lane) {
            Some(last) => *last = end.max(*last),
            None => ends.push(end),
        }
        placed.push((span, lane));
    }
    placed
}
