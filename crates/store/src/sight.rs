//! The sessions that a reader may see, and how statements say so: the only place that narrows by reader.

use crate::dialect::one_of;
use sqlx::{Database, Encode, QueryBuilder, Type};
use std::sync::Arc;

/// The sessions that a reader may see.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Sight {
    /// All of them.
    #[default]
    All,
    /// Those that this agent key created.
    OfKey(Arc<str>),
    /// All but those of these projects, and those of their sub-agents.
    Without(Arc<[String]>),
}

impl Sight {
    /// Narrows a statement to the sessions `s` that may be seen.
    pub(crate) fn narrow<DB: Database>(&self, q: &mut QueryBuilder<DB>)
    where
        String: for<'a> Encode<'a, DB> + Type<DB>,
    {
        match self {
            Self::All => {}
            Self::OfKey(key) => drop(q.push(" AND s.key_id = ").push_bind(key.to_string())),
            Self::Without(projects) => {
                none_of(q, "s.project", projects);
                q.push(
                    " AND (s.has_parent = 0 OR NOT EXISTS (SELECT 1 FROM session above \
                     WHERE above.workspace_id = s.workspace_id AND above.agent = s.agent AND above.key = s.parent_key",
                );
                one_of(q, "above.project", projects);
                q.push("))");
            }
        }
    }

    /// Narrows a statement to sums of projects that may be seen. A key's sessions aren't summed up apart.
    pub(crate) fn narrow_sums<DB: Database>(&self, q: &mut QueryBuilder<DB>, column: &str)
    where
        String: for<'a> Encode<'a, DB> + Type<DB>,
    {
        if let Self::Without(projects) = self {
            none_of(q, column, projects);
        }
    }

    /// Narrows a statement to numbers of listed sessions, which are kept by key and project.
    pub(crate) fn narrow_listed<DB: Database>(&self, q: &mut QueryBuilder<DB>, alias: &str)
    where
        String: for<'a> Encode<'a, DB> + Type<DB>,
    {
        if let Self::OfKey(key) = self {
            q.push(format!(" AND {alias}.key_id = ")).push_bind(key.to_string());
        }
        self.narrow_sums(q, &format!("{alias}.project"));
    }

    /// Returns whether a session may be seen, by its own project and that of its parent.
    pub fn sees(&self, projects: [Option<&str>; 2]) -> bool {
        match self {
            Self::All | Self::OfKey(_) => true,
            Self::Without(hidden) => {
                !projects.into_iter().flatten().any(|project| hidden.iter().any(|other| other == project))
            }
        }
    }

    /// The key whose sessions alone may be seen.
    pub fn key(&self) -> Option<&str> {
        if let Self::OfKey(key) = self { Some(key) } else { None }
    }
}

fn none_of<DB: Database>(q: &mut QueryBuilder<DB>, column: &str, values: &[String])
where
    String: for<'a> Encode<'a, DB> + Type<DB>,
{
    q.push(format!(" AND ({column} IS NULL OR NOT (1 = 1"));
    one_of(q, column, values);
    q.push("))");
}
