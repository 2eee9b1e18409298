//! Runs: from a prompt to the agent's last word. An API message's usage counts once, though each of its lines repeats it.

use super::obj::Obj;
use model::{Micros, Run, RunOutcome, Usage};
use std::collections::HashMap;

#[derive(Default)]
pub(crate) struct Runs {
    all: Vec<Run>,
    /// Indexes of runs that changed since the last flush.
    dirty: Vec<usize>,
    /// Is the last run still the current one?
    current: bool,
    /// When the agent last said or did something.
    latest: Option<Micros>,
    /// What is counted of each API message, by its id.
    usage: HashMap<String, Counted>,
}

#[derive(Clone, Copy)]
struct Counted {
    run: usize,
    usage: Usage,
    /// Characters that the model wrote.
    written: usize,
}

/// No text has so many characters a token: what claims more is the figure of a message's beginning.
const MAX_CHARS_A_TOKEN: usize = 8;

impl Runs {
    /// A prompt begins a run. The one before ends with it.
    pub fn begin(&mut self, id: &str, at: Micros) {
        if self.all.last().is_some_and(|run| run.id == id) {
            self.current = true;
            return self.reopen();
        }
        self.end(RunOutcome::Done, None);
        self.current = true;
        self.latest = None;
        self.all.push(Run {
            id: id.to_owned(),
            model: None,
            started_at: at,
            ended_at: None,
            outcome: RunOutcome::Open,
            usage: Usage::default(),
            cost_usd: None,
        });
        self.mark();
    }

    /// The current run's id.
    pub fn id(&self) -> Option<&str> {
        if self.current { self.all.last().map(|run| run.id.as_str()) } else { None }
    }

    /// The last run's id, even if it has ended.
    pub fn last_id(&self) -> Option<&str> {
        self.all.last().map(|run| run.id.as_str())
    }

    pub fn last(&self) -> Option<&Run> {
        self.all.last()
    }

    /// The agent goes on: a run that seemed over is open.
    pub fn reopen(&mut self) {
        if self.current
            && let Some(run) = self.all.last_mut()
            && run.outcome != RunOutcome::Open
        {
            (run.outcome, run.ended_at) = (RunOutcome::Open, None);
            self.mark();
        }
    }

    /// The run seems over; later lines may still reopen it.
    pub fn pause(&mut self, outcome: RunOutcome, at: Micros) {
        if self.current
            && let Some(run) = self.all.last_mut()
            // Hooks run after a failure as well.
            && (run.outcome, outcome) != (RunOutcome::Failed, RunOutcome::Done)
        {
            (run.outcome, run.ended_at) = (outcome, Some(at));
            self.mark();
        }
    }

    /// The agent said or did something.
    pub fn alive(&mut self, at: Micros) {
        self.latest = Some(at);
    }

    /// The run is over. What is known already stays; but a person's interruption says more than a pause.
    pub fn end(&mut self, outcome: RunOutcome, at: Option<Micros>) {
        if self.current
            && let Some(run) = self.all.last_mut()
        {
            let interrupted = outcome == RunOutcome::Interrupted && run.outcome == RunOutcome::Done;
            if run.outcome == RunOutcome::Open || interrupted {
                run.outcome = outcome;
            }
            run.ended_at = run.ended_at.or(at).or(self.latest);
            self.current = false;
            self.mark();
        }
    }

    /// Is the output of the last run unknown? Versions that write a message's lines while it streams often know only the
    /// tokens of its beginning, and no later line corrects them.
    pub fn output_unknown(&self) -> bool {
        let Some(last) = self.all.len().checked_sub(1) else { return false };
        let (mut all, mut uncounted) = (0, 0);
        for counted in self.usage.values().filter(|counted| counted.run == last) {
            all += counted.written;
            if counted.written as u64 / MAX_CHARS_A_TOKEN as u64 > counted.usage.output.max(0) as u64 {
                uncounted += counted.written;
            }
        }
        uncounted > 0 && uncounted >= all / 4
    }

    /// Characters that the model wrote in one line of an API message that is counted.
    pub fn wrote(&mut self, message_id: &str, chars: usize) {
        if let Some(counted) = self.usage.get_mut(message_id) {
            counted.written += chars;
        }
    }

    /// Counts an API message: of its lines the one with most output is the whole truth.
    pub fn count(&mut self, message_id: &str, model: Option<&str>, usage: Option<Usage>, cost: Option<f64>) {
        let Some(at) = self.all.len().checked_sub(1) else { return };
        if let Some(model) = model
            && self.all[at].model.as_deref() != Some(model)
        {
            self.all[at].model = Some(model.to_owned());
            self.mark();
        }
        if let Some(cost) = cost {
            *self.all[at].cost_usd.get_or_insert(0.0) += cost;
            self.mark();
        }
        let Some(usage) = usage else { return };
        let known = self.usage.get(message_id).copied();
        if known.is_some_and(|known| usage.output < known.usage.output || usage == known.usage) {
            return;
        }
        let Counted { run, usage: old, written } =
            known.unwrap_or(Counted { run: at, usage: Usage::default(), written: 0 });
        let total = &mut self.all[run].usage;
        total.input += usage.input.saturating_sub(old.input);
        total.output += usage.output.saturating_sub(old.output);
        total.cache_read += usage.cache_read.saturating_sub(old.cache_read);
        total.cache_write += usage.cache_write.saturating_sub(old.cache_write);
        self.usage.insert(message_id.to_owned(), Counted { run, usage, written });
        self.dirty.push(run);
    }

    /// The runs that changed since the last call, each once.
    pub fn changed(&mut self) -> impl Iterator<Item = Run> {
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        dirty.into_iter().filter_map(|at| self.all.get(at).cloned())
    }

    fn mark(&mut self) {
        let at = self.all.len() - 1;
        if self.dirty.last() != Some(&at) {
            self.dirty.push(at);
        }
    }
}

/// The usage of an API message. Values that no provider reports are cut to what sums can hold.
pub(crate) fn usage(message: &Obj) -> Option<Usage> {
    let usage = message.obj("usage")?;
    let count = |name: &str| usage.int(name).unwrap_or(0).clamp(0, 1 << 40);
    Some(Usage {
        input: count("input_tokens"),
        output: count("output_tokens"),
        cache_read: count("cache_read_input_tokens"),
        cache_write: count("cache_creation_input_tokens"),
    })
}
