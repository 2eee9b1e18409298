//! PROGRESS: the progress of a task. Its message is updated in place.

use super::{Payload, strict};
use crate::{Body, Draft, Micros, Role, search_text::SearchText, text, words};
use serde::{Deserialize, Serialize};
use serde_json::Number;

words! {
    /// The state of the task.
    ProgressState {
        /// In progress. Without an update for 30 seconds it is shown as stalled.
        Running = "running",
        /// Finished.
        Done = "done",
        /// Ended without success.
        Failed = "failed",
    }
}

/// The progress of a task.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct Progress {
    /// The name of the task: `Tests`.
    #[serde(deserialize_with = "strict::non_empty")]
    #[cfg_attr(feature = "schema", schemars(length(min = 1)))]
    pub label: String,
    /// The amount that is done. It may exceed `total`, which is an estimate.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict::maybe_amount")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub current: Option<Number>,
    /// The amount at which the task is complete. Unknown if absent or 0.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict::maybe_amount")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub total: Option<Number>,
    /// The unit of both amounts, in the plural: `files`. `bytes` are shown as KB, MB and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// The state of the task.
    #[cfg_attr(feature = "schema", schemars(extend("x-default" = "running")))]
    pub state: ProgressState,
    /// The remaining time in seconds. If absent, it is computed from the progress since the message was created.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "strict::maybe_amount")]
    #[cfg_attr(feature = "schema", schemars(range(min = 0)))]
    pub eta_seconds: Option<Number>,
}

/// Key of the envelope for the time of the last update, in microseconds since 1970. The server sets it.
pub const UPDATED_AT: &str = "updated_at";

/// Time without an update after which a running task counts as stalled, in microseconds.
pub const STALLED_AFTER: i64 = 30 * Micros::SECOND;

/// Returns the time of the last update, or of the message's creation.
pub fn updated_at(draft: &Draft) -> Micros {
    let said = draft.metadata.as_ref().and_then(|metadata| metadata.get(UPDATED_AT)?.as_i64());
    said.map_or(draft.created_at, Micros)
}

/// Returns whether a message is a PROGRESS that was updated and still runs.
pub fn is_under_way(draft: &Draft) -> bool {
    let is_updated = draft.metadata.as_ref().is_some_and(|metadata| metadata.contains_key(UPDATED_AT));
    is_updated && matches!(Body::of(draft), Body::Progress(progress) if progress.state == ProgressState::Running)
}

impl Progress {
    /// Returns the fraction that is done, from 0 to 1. `None` if it isn't known.
    pub fn share(&self) -> Option<f64> {
        let total = figure(self.total.as_ref()).filter(|total| *total > 0.0)?;
        Some((figure(self.current.as_ref()).unwrap_or(0.0) / total).min(1.0))
    }

    /// Returns the percentage that is done, rounded down, so that 100 means all of it. `None` if it isn't known.
    pub fn percent(&self) -> Option<u8> {
        // A share is at most 1.
        self.share().map(|share| (share * 100.0) as u8)
    }

    /// Returns the amount that is done as text: `69 of 192 boats`, `1.4 MB`. `None` without amounts.
    pub fn amount(&self) -> Option<String> {
        let (current, total) = (figure(self.current.as_ref()), figure(self.total.as_ref()));
        let unit = self.unit.as_deref().map(str::trim).filter(|unit| !unit.is_empty());
        let is_bytes = is_bytes(unit);
        let number = |number: f64| if is_bytes { super::file::size_text(number as u64) } else { text::amount(number) };
        let words = match (current, total) {
            (None, None) => return None,
            (Some(current), None) => number(current),
            (current, Some(total)) => format!("{} of {}", number(current.unwrap_or(0.0)), number(total)),
        };
        Some(match unit {
            Some(unit) if !is_bytes => format!("{words} {unit}"),
            _ => words,
        })
    }

    /// Returns the rate per second, from the message's creation to its last update. `None` while it isn't known.
    pub fn rate(&self, draft: &Draft) -> Option<f64> {
        let micros = updated_at(draft).since(draft.created_at);
        let current = figure(self.current.as_ref()).filter(|current| *current > 0.0)?;
        (micros > 0).then(|| current * Micros::SECOND as f64 / micros as f64)
    }

    /// Returns the remaining time after the last update, in microseconds: `eta_seconds`, otherwise computed from the
    /// rate. `None` if the task doesn't run, or if it isn't known.
    pub fn left(&self, draft: &Draft) -> Option<i64> {
        if self.state != ProgressState::Running {
            return None;
        }
        let worked_out = || {
            let left = figure(self.total.as_ref())? - figure(self.current.as_ref())?;
            Some(left / self.rate(draft)?).filter(|seconds| *seconds > 0.0)
        };
        let seconds = figure(self.eta_seconds.as_ref()).or_else(worked_out)?;
        Some((seconds * Micros::SECOND as f64) as i64)
    }

    /// Returns the time at which the task counts as stalled without a further update. `None` if it doesn't run.
    pub fn stalls_at(&self, draft: &Draft) -> Option<Micros> {
        let stalls = Micros(updated_at(draft).0.saturating_add(STALLED_AFTER));
        (self.state == ProgressState::Running).then_some(stalls)
    }
}

/// Returns whether the unit is bytes.
pub fn is_bytes(unit: Option<&str>) -> bool {
    matches!(unit, Some("bytes" | "B"))
}

fn figure(number: Option<&Number>) -> Option<f64> {
    number?.as_f64()
}

impl Payload for Progress {
    const USUAL_ROLE: Role = Role::Assistant;

    fn summary(&self) -> String {
        let label = &self.label;
        match (self.state, self.amount(), self.percent()) {
            (ProgressState::Running, Some(amount), Some(percent)) => format!("{label}: {amount} ({percent} %)"),
            (ProgressState::Running, Some(amount), None) => format!("{label}: {amount}"),
            (ProgressState::Done, Some(amount), _) => format!("{label}: done, {amount}"),
            (ProgressState::Failed, Some(amount), _) => format!("{label}: failed at {amount}"),
            (state, None, _) => format!("{label}: {state}"),
        }
    }

    fn to_markdown(&self) -> String {
        self.summary()
    }

    fn search_text(&self, draft: &Draft, text: &mut SearchText) {
        text.push(&draft.content);
        draft.payload().into_iter().for_each(|payload| text.push_shown_strings(payload));
    }

    fn example() -> Self {
        Self {
            label: "Tests".to_owned(),
            current: Some(Number::from(269)),
            total: Some(Number::from(413)),
            unit: Some("tests".to_owned()),
            state: ProgressState::Running,
            eta_seconds: Some(Number::from(40)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Progress, UPDATED_AT, is_under_way};
    use crate::strict;
    use crate::{Body, Draft, MessageId, Micros, Payload as _, Role};
    use serde_json::{Map, Value, json};

    fn progress(payload: Value) -> Result<Progress, String> {
        let payload: Map<String, Value> = serde_json::from_value(payload).expect("an object");
        strict::read(&payload).map_err(|problem| problem.to_string())
    }

    #[test]
    fn each_field_that_does_not_fit_is_named() {
        let cases = [
            (json!({"state": "running"}), "`/label`: expected a value"),
            (json!({"label": "", "state": "running"}), "`/label`: expected a non-empty string"),
            (json!({"label": 3, "state": "running"}), "`/label`: expected a string"),
            (json!({"label": "T"}), "`/state`: expected a value"),
            (json!({"label": "T", "state": "stalled"}), "`/state`: expected one of `running`, `done`, `failed`"),
            (json!({"label": "T", "state": "done", "current": -1}), "`/current`: expected a number of at least 0"),
            (json!({"label": "T", "state": "done", "current": "NaN"}), "`/current`: expected a number"),
            (json!({"label": "T", "state": "done", "total": [12]}), "`/total`: expected a number"),
            (
                json!({"label": "T", "state": "done", "eta_seconds": -0.5}),
                "`/eta_seconds`: expected a number of at least 0",
            ),
            (json!({"label": "T", "state": "done", "unit": 3}), "`/unit`: expected a string"),
        ];
        for (payload, problem) in cases {
            assert_eq!(progress(payload.clone()), Err(problem.to_owned()), "{payload}");
        }
        let other = progress(json!({"label": "T", "state": "done", "percent": 3}));
        assert!(other.is_err_and(|problem| {
            problem.starts_with("`/percent` should be absent: unknown field; known fields: `label`")
        }));
    }

    #[test]
    fn words_say_how_it_stands() {
        let said = |payload| progress(payload).map(|progress| progress.summary()).expect("it fits");
        let cases = [
            (json!({"label": "T", "state": "running"}), "T: running"),
            (
                json!({"label": "T", "state": "running", "current": 69, "total": 192, "unit": "boats"}),
                "T: 69 of 192 boats (35 %)",
            ),
            (json!({"label": "T", "state": "running", "current": 14, "total": 12}), "T: 14 of 12 (100 %)"),
            (json!({"label": "T", "state": "running", "current": 0, "total": 0}), "T: 0 of 0"),
            (json!({"label": "T", "state": "running", "current": 1400.5}), "T: 1,400.5"),
            (json!({"label": "T", "state": "running", "total": 3}), "T: 0 of 3 (0 %)"),
            (
                json!({"label": "T", "state": "done", "current": 2000, "total": 2000, "unit": " "}),
                "T: done, 2,000 of 2,000",
            ),
            (json!({"label": "T", "state": "failed", "current": 1_400_000, "unit": "bytes"}), "T: failed at 1.4 MB"),
            (json!({"label": "T", "state": "failed"}), "T: failed"),
        ];
        for (payload, words) in cases {
            assert_eq!(said(payload.clone()), words, "{payload}");
        }
    }

    #[test]
    fn rate_and_rest_follow_from_the_last_update() {
        let id = MessageId::parse("p1").expect("an id");
        let mut draft = Draft::text(id, Role::Assistant, "bot", "", Micros(5_000_000));
        let counted = progress(json!({"label": "T", "state": "running", "current": 30, "total": 90})).expect("it fits");
        assert_eq!((counted.rate(&draft), counted.left(&draft)), (None, None));
        let extras = Map::from_iter([(UPDATED_AT.to_owned(), json!(15_000_000))]);
        draft.metadata = Some(Body::Progress(counted.clone()).envelope(extras).expect("an envelope"));
        assert_eq!(counted.rate(&draft).map(|rate| (rate * 10.0).round()), Some(30.0));
        assert_eq!((counted.left(&draft), counted.stalls_at(&draft)), (Some(20_000_000), Some(Micros(45_000_000))));
        let said = progress(json!({"label": "T", "state": "running", "eta_seconds": 1.5})).expect("it fits");
        assert_eq!((said.rate(&draft), said.left(&draft)), (None, Some(1_500_000)));
        assert!(is_under_way(&draft));
        let done = progress(json!({"label": "T", "state": "done", "current": 30, "total": 90})).expect("it fits");
        assert_eq!((done.left(&draft), done.stalls_at(&draft)), (None, None));
    }
}
