//! Values to filter sessions by.

use crate::dialect::limited;
use crate::store::on;
use crate::{Facet, Facets, StoreError, Workspace};
use sqlx::QueryBuilder;

/// More values than this help nobody to choose.
const MOST: i64 = 200;

impl Workspace {
    /// Of all sessions in which something was said, or of those of an agent key.
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
            q.push(limited(MOST)).build_query_as().fetch_all(pool).await
        })?;
        Ok(rows.into_iter().map(|(value, count)| Facet { value, count: count as u64 }).collect())
    }
}
