//! PROGRESS: a progress bar with percentage, rate and remaining time.

use super::{
    Card,
    parts::{Mark, State},
};
use crate::clock::{Clock, exact_moment, moment_ago};
use crate::figures::bytes;
use crate::icon::Glyph;
use crate::time_text::{duration, span};
use crate::visible;
use leptos::prelude::*;
use model::message_type::progress::{self, ProgressState, is_bytes, updated_at};
use model::{Draft, text};

/// Maximum length of the unit of a rate, in characters.
const UNIT: usize = 24;

#[component]
pub fn Progress(card: Card, progress: progress::Progress) -> impl IntoView {
    let draft = card.draft();
    let clock = Clock::utc(card.options.now);
    let state = state(&progress, draft, &clock);
    let label = visible::line(&progress.label);
    let amount = progress.amount();
    let percent = progress.percent();
    let said = match (&amount, percent) {
        (Some(amount), Some(percent)) => format!("{amount}, {percent} %"),
        (Some(amount), None) => amount.clone(),
        (None, _) => mark(state).word,
    };
    // A finished bar is full even if nothing was counted. A running one without a total is indeterminate.
    let full = (progress.state == ProgressState::Done).then_some(100);
    let known = percent.or(full);
    let class = if known.is_none() && progress.state == ProgressState::Running { "meter to-and-fro" } else { "meter" };
    let facts = facts(&progress, draft);
    let runs = progress.stalls_at(draft);
    // The browser switches to `Stalled` in time, so both words are in the page and CSS shows one.
    let marks = match runs {
        Some(_) => vec![mark("running"), mark("stalled")],
        None => vec![mark(state)],
    };
    let marks: Vec<_> = marks.into_iter().map(|mark| view! { <State mark /> }).collect();
    view! {
        <section class="card progress" data-state=state data-stalls=runs.map(|at| at.0.to_string())>
            <div class="head">
                {marks}
                <b title=label.clone()>{visible::phrase(&progress.label).into_view()}</b>
                <span class="sp"></span>
                {amount.map(|amount| view! { <span class="num below">{visible::html(&amount).into_view()}</span> })}
                {percent.map(|percent| view! { <span class="num percent">{format!("{percent} %")}</span> })}
                {exact_moment(&clock, updated_at(draft), "cap")}
            </div>
            <div
                class=class
                role="progressbar"
                aria-label=label
                aria-valuemin="0"
                aria-valuemax="100"
                aria-valuenow=known.map(|known| known.to_string())
                aria-valuetext=visible::line(&said)
            >
                <span class="bar-fill" style=format!("--v:{}", known.unwrap_or(0))></span>
            </div>
            {(runs.is_some() || !facts.is_empty())
                .then(|| {
                    view! {
                        <p class="facts">
                            {facts.into_iter().map(|(class, fact)| view! { <span class=class>{fact}</span> }).collect::<Vec<_>>()}
                            {runs.map(|_| view! { <span class="silence">"Last update " {moment_ago(&clock, updated_at(draft))}</span> })}
                        </p>
                    }
                })}
        </section>
    }
}

/// Returns whether the card shows `Stalled`. This changes with time, without a new revision of the message.
pub(crate) fn is_stalled(progress: &progress::Progress, draft: &Draft, now: model::Micros) -> bool {
    progress.stalls_at(draft).is_some_and(|at| now >= at)
}

fn state(progress: &progress::Progress, draft: &Draft, clock: &Clock) -> &'static str {
    match progress.state {
        ProgressState::Running if is_stalled(progress, draft, clock.now) => "stalled",
        ProgressState::Running => "running",
        ProgressState::Done => "done",
        ProgressState::Failed => "failed",
    }
}

fn mark(state: &'static str) -> Mark {
    match state {
        "running" => Mark::new(state, Glyph::WORK, "Running"),
        "stalled" => Mark::new(state, Glyph::NEEDS, "Stalled"),
        "done" => Mark::new(state, Glyph::DONE, "Done"),
        _ => Mark::new(state, Glyph::FAIL, "Failed"),
    }
}

/// Returns the rate and the remaining or elapsed time, each with its CSS class. CSS hides the remaining time (`left`)
/// of a stalled card, since it is no longer true.
fn facts(progress: &progress::Progress, draft: &Draft) -> Vec<(&'static str, String)> {
    let took = updated_at(draft).since(draft.created_at);
    let time = match progress.state {
        ProgressState::Running => progress.left(draft).map(|left| ("left", format!("about {} left", span(left)))),
        _ if took <= 0 => None,
        ProgressState::Done => Some(("", format!("took {}", duration(took)))),
        ProgressState::Failed => Some(("", format!("after {}", duration(took)))),
    };
    let rate = progress.rate(draft).map(|rate| ("num", per_time(rate, progress.unit.as_deref())));
    rate.into_iter().chain(time).collect()
}

/// Formats a rate: `12 files/s`. Slow rates are per minute or per hour.
fn per_time(rate: f64, unit: Option<&str>) -> String {
    let (rate, time) = match rate {
        1.0.. => (rate, "s"),
        _ if rate * 60.0 >= 1.0 => (rate * 60.0, "min"),
        _ => (rate * 3_600.0, "h"),
    };
    if is_bytes(unit.map(str::trim)) {
        return format!("{}/{time}", bytes(rate as u64));
    }
    let rate = text::amount(if rate >= 10.0 { rate.round() } else { (rate * 10.0).round() / 10.0 });
    match unit.map(str::trim).filter(|unit| !unit.is_empty()) {
        Some(unit) => format!("{rate} {}/{time}", visible::plain(&text::clip(unit, UNIT))),
        None => format!("{rate}/{time}"),
    }
}

#[cfg(test)]
mod tests {
    use super::per_time;

    #[test]
    fn rates_are_read_easily() {
        let files = [12.34, 1.0, 0.5, 0.01, 0.0001, 12_345.6].map(|rate| per_time(rate, Some("files")));
        let said = ["12 files/s", "1 files/s", "30 files/min", "36 files/h", "0.4 files/h", "12,346 files/s"];
        assert_eq!(files, said);
        assert_eq!([per_time(3.0, None), per_time(1_400_000.0, Some("bytes"))], ["3/s", "1.4 MB/s"]);
    }
}
