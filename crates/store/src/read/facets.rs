//! Values to filter sessions by.

use crate::store::on;
use crate::{Facet, Facets, StoreError, Workspace};
use sqlx::QueryBuilder;

impl Workspace {
    /// Returns filter values of all sessions with messages, or those of an agent key, most frequent first.
    pub async fn facets(&self, key_id: Option<&str>) -> Result<Facets, StoreError> {
        Ok(Facets { projects: self.facet("project", key_id).await?, agents: self.facet("agent", key_id).await? })
    }

    async fn facet(&self, column: &'static str, key_id: Option<&str>) -> Result<Vec<Facet>, StoreError> {
        let rows: Vec<(String, i64)> = on!(&self.store, pool => {
            let mut q = QueryBuilder::new(format!(
                "SELECT {column}, CAST(SUM(sessions) AS BIGINT) AS n FROM session_facet WHERE {column} <> '' AND sessions > 0 \
                 AND workspace_id = "
            ));
            q.push_bind(self.id());
            if let Some(key_id) = key_id {
                q.push(" AND key_id = ").push_bind(key_id);
            }
            q.push(format!(" GROUP BY {column} ORDER BY n DESC, {column}"));
            q.build_query_as().fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(|(value, count)| Facet { value, count: count as u64 }).collect())
    }
}
