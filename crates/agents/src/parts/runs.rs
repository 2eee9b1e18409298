//! Runs: from a prompt to the agent's last word. An API message's usage counts once, though each of its lines repeats it.

use super::at::hash;
use super::obj::Obj;
use model::{MessageId, Micros, Run, RunOutcome, Spent, Usage};
use std::collections::{BTreeSet, HashMap};

/// The place of a run among those of its session: shorter than its id.
pub(crate) type RunIndex = u32;

#[derive(Default)]
pub(crate) struct Runs {
    all: Vec<Run>,
    /// Indexes of runs that changed since the last flush.
    dirty: Vec<usize>,
    /// The API messages that changed since then, by the hashes of their ids.
    dirty_requests: BTreeSet<u64>,
    /// True while the last run is still the current one.
    current: bool,
    /// When the agent last said or did something.
    latest: Option<Micros>,
    /// The counts of each API message, by a hash of its id. All are kept, so the table itself has only addresses.
    usage: HashMap<u64, Box<Counted>>,
    /// The first message of the model since the last request was counted, and the time of what stands before it.
    said: Option<(MessageId, Micros)>,
    /// The request that was counted ahead of its messages, by the hash of its id.
    awaits: Option<u64>,
}

struct Counted {
    run: usize,
    spent: Spent,
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

    /// The place of the last run, if this is its id.
    pub fn index_of(&self, id: &str) -> Option<RunIndex> {
        let last = self.all.len().checked_sub(1)?;
        (self.all[last].id == id).then(|| RunIndex::try_from(last).ok()).flatten()
    }

    /// The id of the run at this place.
    pub fn id_of(&self, index: RunIndex) -> Option<&str> {
        self.all.get(index as usize).map(|run| run.id.as_str())
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

    /// The agent says or does something in the current run. Where there is none, the line with this id begins one.
    pub fn continue_or_begin(&mut self, id: &str, at: Micros, model: Option<&str>) {
        match self.id() {
            None => self.begin(id, at),
            Some(_) => self.reopen(),
        }
        self.alive(at);
        self.uses(model);
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

    /// Returns true if the output of the last run is unknown. Versions that write a message's lines while it streams
    /// often know only the tokens of its beginning, and no later line corrects them.
    pub fn output_unknown(&self) -> bool {
        let Some(last) = self.all.len().checked_sub(1) else { return false };
        let (mut all, mut uncounted) = (0, 0);
        for counted in self.usage.values().filter(|counted| counted.run == last) {
            all += counted.written;
            if counted.written as u64 / MAX_CHARS_A_TOKEN as u64 > counted.spent.usage.output.max(0) as u64 {
                uncounted += counted.written;
            }
        }
        uncounted > 0 && uncounted >= all / 4
    }

    /// Characters that the model wrote in one line of an API message that is counted.
    pub fn wrote(&mut self, message_id: &str, chars: usize) {
        if let Some(counted) = self.usage.get_mut(&hash(message_id)) {
            counted.written += chars;
        }
    }

    /// The model that answers.
    pub fn uses(&mut self, model: Option<&str>) {
        if let (Some(model), Some(run)) = (model, self.all.last_mut())
            && run.model.as_deref() != Some(model)
        {
            run.model = Some(model.to_owned());
            self.mark();
        }
    }

    /// The model said something. `before` is the time of what stands before it.
    pub fn said(&mut self, id: &MessageId, before: Micros) {
        let awaits = self.awaits.take();
        let counted = awaits.and_then(|of| Some((of, self.usage.get_mut(&of)?)));
        if let Some((of, counted)) = counted.filter(|(_, counted)| counted.spent.message_id.is_none()) {
            counted.spent.message_id = Some(id.clone());
            self.dirty.push(counted.run);
            self.dirty_requests.insert(of);
        } else if self.said.is_none() {
            self.said = Some((id.clone(), before));
        }
    }

    /// Returns true if the request is counted here.
    pub fn has_counted(&self, id: &str) -> bool {
        self.usage.contains_key(&hash(id))
    }

    /// Counts a request whose messages come next, or have begun to come.
    pub fn count_ahead(&mut self, spent: Spent) {
        let id = hash(&spent.id);
        self.said = None;
        self.count(spent);
        self.awaits = self.usage.get(&id).filter(|counted| counted.spent.message_id.is_none()).map(|_| id);
    }

    /// Counts a request whose messages were said: of its lines the one with most output is the whole truth, and the last cost
    /// is its cost.
    pub fn count(&mut self, spent: Spent) {
        let Some(run) = self.all.len().checked_sub(1) else { return };
        let said = self.said.take();
        let of = hash(&spent.id);
        let known = self.usage.entry(of).or_insert_with(|| {
            self.dirty_requests.insert(of);
            let (first, before) = said.unzip();
            let began_at = spent.began_at.or(before.filter(|before| *before > Micros(0)));
            let (id, is_copy, model) = (spent.id.clone(), spent.is_copy, self.all[run].model.clone());
            let new = Spent { id, is_copy, model, began_at, message_id: first, ..Spent::default() };
            Box::new(Counted { run, spent: new, written: 0 })
        });
        let run = known.run;
        if known.learn(&spent) {
            self.dirty.push(run);
            self.dirty_requests.insert(of);
        }
        if let Some(cost) = spent.cost_usd {
            *self.all[run].cost_usd.get_or_insert(0.0) += cost - known.spent.cost_usd.unwrap_or(0.0);
            known.spent.cost_usd = spent.cost_usd;
            self.dirty.push(run);
            self.dirty_requests.insert(of);
        }
        let usage = spent.usage;
        if usage.output < known.spent.usage.output || usage == known.spent.usage {
            return;
        }
        let old = std::mem::replace(&mut known.spent.usage, usage);
        known.spent.cache_write_1h = spent.cache_write_1h;
        let total = &mut self.all[run].usage;
        total.input += usage.input.saturating_sub(old.input);
        total.output += usage.output.saturating_sub(old.output);
        total.cache_read += usage.cache_read.saturating_sub(old.cache_read);
        total.cache_write += usage.cache_write.saturating_sub(old.cache_write);
        self.dirty.push(run);
        self.dirty_requests.insert(of);
    }

    /// The first request of the last run had its first token after so many milliseconds.
    pub fn first_token(&mut self, milliseconds: i64) {
        let Some(last) = self.all.len().checked_sub(1) else { return };
        let of_run = self.usage.iter_mut().filter(|(_, counted)| counted.run == last);
        if let Some((of, first)) = of_run.min_by_key(|(_, counted)| (counted.spent.ended_at, counted.spent.id.clone()))
        {
            first.spent.first_token_ms = Some(milliseconds);
            self.dirty.push(last);
            self.dirty_requests.insert(*of);
        }
    }

    /// The runs that changed since the last call, each once, with what each API message of theirs cost that changed since then.
    pub fn changed(&mut self) -> Vec<(Run, Vec<Spent>)> {
        let dirty: BTreeSet<usize> = std::mem::take(&mut self.dirty).into_iter().collect();
        let mut spent: HashMap<usize, Vec<Spent>> = HashMap::new();
        let usage = &self.usage;
        self.dirty_requests.retain(|of| {
            let Some(counted) = usage.get(of).filter(|counted| dirty.contains(&counted.run)) else { return true };
            spent.entry(counted.run).or_default().push(counted.spent.clone());
            false
        });
        let with_spent = |at: usize| {
            let mut spent = spent.remove(&at).unwrap_or_default();
            spent.sort_by(|a, b| a.id.cmp(&b.id));
            Some((self.all.get(at)?.clone(), spent))
        };
        dirty.into_iter().filter_map(with_spent).collect()
    }

    fn mark(&mut self) {
        let at = self.all.len() - 1;
        if self.dirty.last() != Some(&at) {
            self.dirty.push(at);
        }
    }
}

impl Counted {
    /// Takes over what a later line knows of the same request. False if that is nothing new.
    fn learn(&mut self, new: &Spent) -> bool {
        let known = &mut self.spent;
        let ended_at = known.ended_at.max(new.ended_at);
        // No `||`: each of them is taken over.
        renew(&mut known.ended_at, ended_at.as_ref())
            | renew(&mut known.stop_reason, new.stop_reason.as_ref())
            | renew(&mut known.model, new.model.as_ref())
            | renew(&mut known.context, new.context.as_ref())
            | renew(&mut known.first_token_ms, new.first_token_ms.as_ref())
    }
}

/// Takes over a value that is known. False if it is nothing new.
fn renew<T: Clone + PartialEq>(known: &mut Option<T>, new: Option<&T>) -> bool {
    let is_new = new.is_some() && known.as_ref() != new;
    if is_new {
        *known = new.cloned();
    }
    is_new
}

/// Returns the tokens that an API message wrote into the cache for an hour.
pub(crate) fn written_for_an_hour(message: &Obj) -> i64 {
    let creation = message.obj("usage").and_then(|usage| usage.obj("cache_creation"));
    creation.and_then(|creation| creation.int("ephemeral_1h_input_tokens")).unwrap_or(0).clamp(0, 1 << 40)
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
