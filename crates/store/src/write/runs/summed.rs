//! Removes a batch's runs from the sums before it is written, and adds them again afterwards.

use super::NewRun;
use crate::StoreError;
use crate::columns::text;
use crate::step::Step;
use crate::write::rollup::{RequestKey, Rollup, RunKey};
use std::collections::{BTreeMap, BTreeSet};

pub(super) struct Summed {
    /// Runs with all that they spent.
    whole: BTreeSet<RunKey>,
    /// Requests of the other runs: whatever else these spent stays summed up as it is.
    parts: BTreeMap<RunKey, BTreeSet<String>>,
}

impl Summed {
    /// Takes what is stored of these runs out of the sums.
    pub(super) async fn leave(step: &mut Step<'_>, rollup: &mut Rollup, runs: &[NewRun]) -> Result<Self, StoreError> {
        let mut summed = Self { whole: BTreeSet::new(), parts: BTreeMap::new() };
        let mut stored = Vec::new();
        for run in runs {
            if run.changes_requests_alone() {
                let ids = run.upsert.spent.iter().map(|spent| text(&spent.id).into_owned());
                summed.parts.insert(run.key.clone(), ids.collect());
            } else {
                summed.whole.insert(run.key.clone());
                stored.extend(run.stored.is_some().then(|| run.key.clone()));
            }
        }
        rollup.runs(step, &stored, -1).await?;
        summed.add_parts(step, rollup, -1).await?;
        Ok(summed)
    }

    /// Takes a request out of the sums that counts in another session from now on.
    pub(super) async fn hand_over(
        &mut self,
        step: &mut Step<'_>,
        rollup: &mut Rollup,
        (run, id): (&RunKey, &str),
    ) -> Result<(), StoreError> {
        if let Some(ids) = self.parts.get_mut(run) {
            if ids.insert(id.to_owned()) {
                rollup.requests(step, &[(run.0, run.1.clone(), id.to_owned())], -1).await?;
            }
        } else if self.whole.insert(run.clone()) {
            rollup.runs(step, std::slice::from_ref(run), -1).await?;
        }
        Ok(())
    }

    /// Adds all of it to the sums, as it is stored now.
    pub(super) async fn join(self, step: &mut Step<'_>, rollup: &mut Rollup) -> Result<(), StoreError> {
        self.add_parts(step, rollup, 1).await?;
        let whole: Vec<RunKey> = self.whole.into_iter().collect();
        rollup.runs(step, &whole, 1).await
    }

    async fn add_parts(&self, step: &mut Step<'_>, rollup: &mut Rollup, sign: i64) -> Result<(), StoreError> {
        let requests: Vec<RequestKey> = self
            .parts
            .iter()
            .flat_map(|((rid, run), ids)| ids.iter().map(|id| (*rid, run.clone(), id.clone())))
            .collect();
        rollup.requests(step, &requests, sign).await?;
        let runs: Vec<RunKey> = self.parts.keys().cloned().collect();
        rollup.count_runs(step, &runs, sign).await
    }
}
