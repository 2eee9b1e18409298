//! Which projects are one for people: worktrees that lie outside of their repositories count under these.

use crate::basics::problem;
use crate::context::Hub;
use api::Problem;
use model::worktree::counted_under;
use std::collections::HashMap;
use store::{Facet, Sight};

/// Projects that count under another one.
#[derive(Debug, Default)]
pub struct ProjectGroups(HashMap<String, String>);

impl ProjectGroups {
    /// Reads which projects there are.
    pub async fn load(hub: &Hub) -> Result<Self, Problem> {
        Ok(Self::of(&hub.workspace.facets(&Sight::All).await.map_err(problem)?.projects))
    }

    /// Returns these projects with all that count under the same ones; none of none.
    pub async fn chosen(hub: &Hub, projects: Vec<String>) -> Result<Vec<String>, Problem> {
        if projects.is_empty() { Ok(projects) } else { Ok(Self::load(hub).await?.widened(projects)) }
    }

    /// Groups these projects.
    pub fn of(projects: &[Facet]) -> Self {
        Self::of_names(projects.iter().map(|project| project.value.as_str()))
    }

    /// Groups projects by their names.
    pub fn of_names<'a>(projects: impl IntoIterator<Item = &'a str>) -> Self {
        let under = counted_under(projects);
        Self(under.into_iter().map(|(folder, project)| (folder.to_owned(), project.to_owned())).collect())
    }

    /// Returns the project that a project counts under; itself if it is no worktree.
    pub fn project<'a>(&'a self, project: &'a str) -> &'a str {
        self.0.get(project).map_or(project, String::as_str)
    }

    /// Returns these projects with all that count under the same ones.
    pub fn widened(&self, projects: Vec<String>) -> Vec<String> {
        let mut all: Vec<String> = Vec::with_capacity(projects.len());
        for project in projects {
            let head = self.project(&project).to_owned();
            let folders = self.0.iter().filter(|(_, project)| **project == head).map(|(folder, _)| folder.clone());
            let new: Vec<String> = folders.chain([head.clone(), project]).collect();
            for one in new {
                if !all.contains(&one) {
                    all.push(one);
                }
            }
        }
        all
    }

    /// Adds up the sessions of projects that are one, most first.
    pub fn counted(&self, projects: Vec<Facet>) -> Vec<Facet> {
        let mut counts: HashMap<String, u64> = HashMap::new();
        for Facet { value, count } in projects {
            *counts.entry(self.project(&value).to_owned()).or_default() += count;
        }
        let mut counted: Vec<Facet> = counts.into_iter().map(|(value, count)| Facet { value, count }).collect();
        counted.sort_by(|a, b| b.count.cmp(&a.count).then_with(|| a.value.cmp(&b.value)));
        counted
    }
}
