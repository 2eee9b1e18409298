//! Values to filter sessions by.

use crate::store::on;
use crate::{Facet, Facets, Sight, StoreError, Workspace};
use sqlx::QueryBuilder;

impl Workspace {
    /// Returns filter values of the sessions with messages that may be seen, most frequent first.
    pub async fn facets(&self, sight: &Sight) -> Result<Facets, StoreError> {
        Ok(Facets { projects: self.facet("project", sight).await?, agents: self.facet("agent", sight).await? })
    }

    /// Returns how many sessions of each machine are listed that may be seen, by the machine's id.
    pub async fn machine_facet(&self, sight: &Sight) -> Result<Vec<Facet>, StoreError> {
        self.facet("machine_id", sight).await
    }

    /// Returns every project that sessions have or had.
    pub async fn known_projects(&self) -> Result<Vec<String>, StoreError> {
        Ok(on!(&self.store, pool => {
            sqlx::query_scalar("SELECT DISTINCT project FROM session_facet WHERE workspace_id = $1 AND project <> ''")
                .bind(self.id()).fetch_all(pool).await
        })?)
    }

    async fn facet(&self, column: &'static str, sight: &Sight) -> Result<Vec<Facet>, StoreError> {
        let rows: Vec<(String, i64)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {column}, CAST(SUM(sessions) AS BIGINT) AS n FROM session_facet s WHERE {column} <> '' AND sessions > 0 \
                 AND workspace_id = "
            ));
            q.push_bind(self.id());
            sight.narrow_listed(&mut q, "s");
            q.push(format!(" GROUP BY {column} ORDER BY n DESC, {column}"));
            q.build_query_as().fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(|(value, count)| Facet { value, count: count as u64 }).collect())
    }
}
