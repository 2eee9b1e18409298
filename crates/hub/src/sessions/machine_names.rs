//! Names of machines, by which lists are filtered.

use crate::basics::problem;
use crate::context::Hub;
use api::Problem;
use api::machines::LOCAL;
use api::sessions::Facet;
use std::collections::BTreeMap;
use store::Sight;

/// All machines, with the number of their sessions in the list.
pub struct MachineNames {
    /// Id and name, also of those that were removed.
    names: Vec<(String, String)>,
    /// By id.
    counts: BTreeMap<String, i64>,
}

pub async fn load(hub: &Hub, sight: &Sight) -> Result<MachineNames, Problem> {
    let names = hub.workspace.machine_names().await.map_err(problem)?;
    let counts =
        if names.is_empty() { Vec::new() } else { hub.workspace.machine_facet(sight).await.map_err(problem)? };
    let count = |facet: store::Facet| (facet.value, i64::try_from(facet.count).unwrap_or(i64::MAX));
    Ok(MachineNames { names, counts: counts.into_iter().map(count).collect() })
}

impl MachineNames {
    /// Returns the ids of machines of these names; an empty id is the server's own. A name of none stays as it is.
    pub fn ids(&self, wanted: Vec<String>) -> Vec<String> {
        let mut ids = Vec::new();
        for name in wanted {
            let known = self.names.iter().filter(|(_, known)| *known == name).map(|(id, _)| id.clone());
            let known: Vec<String> = known.collect();
            match known.as_slice() {
                [] if name == LOCAL => ids.push(String::new()),
                [] => ids.push(name),
                _ => ids.extend(known),
            }
        }
        ids
    }

    /// Returns the values to filter by, with their sessions among all of the list.
    pub fn facets(&self, all: i64) -> Vec<Facet> {
        if self.names.is_empty() {
            return Vec::new();
        }
        let own = all - self.counts.values().sum::<i64>();
        let mut facets = vec![Facet { value: LOCAL.to_owned(), sessions: own }];
        for (id, name) in &self.names {
            let sessions = self.counts.get(id).copied().unwrap_or(0);
            match facets.iter_mut().find(|facet| facet.value == *name) {
                Some(facet) => facet.sessions += sessions,
                None => facets.push(Facet { value: name.clone(), sessions }),
            }
        }
        facets.retain(|facet| facet.sessions > 0);
        facets
    }
}
