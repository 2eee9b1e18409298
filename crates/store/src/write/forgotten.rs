//! Names of sessions that are gone for good. They stay with the key that had them, so that no other key takes over the
//! addresses and links of a session that it never had. Only hashes of the names are kept.

use crate::step::Step;
use crate::store::on_step;
use crate::{NewSession, Refusal, StoreError};
use sha2::{Digest as _, Sha256};

/// Keeps the names of a session that was posted, and whose they are. Nothing of imported ones: their files may bring
/// them back.
pub(crate) async fn keep_names(step: &mut Step<'_>, rid: i64) -> Result<(), StoreError> {
    let row: Option<(String, String, String, Option<String>)> = on_step!(step, c => {
        sqlx::query_as(
            "SELECT id, agent, key, key_id FROM session WHERE workspace_id = $1 AND rid = $2 AND create_hash IS NOT NULL",
        )
        .bind(step.workspace).bind(rid).fetch_optional(c).await
    })?;
    let Some((id, agent, key, key_id)) = row else { return Ok(()) };
    for hash in [hash_of_id(&id), hash_of_key(&agent, &key)] {
        on_step!(step, c => {
            sqlx::query(
                "INSERT INTO forgotten_name (workspace_id, hash, key_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING",
            )
            .bind(step.workspace).bind(hash).bind(key_id.as_deref().unwrap_or_default()).execute(c).await.map(drop)
        })?;
    }
    Ok(())
}

/// Why a new session can't have its names: another key had them before.
pub(crate) async fn taken(step: &mut Step<'_>, new: &NewSession) -> Result<Option<Refusal>, StoreError> {
    let names = [("/id", hash_of_id(new.id.as_str())), ("/agent_session_id", hash_of_key(&new.agent, &new.key))];
    for (field, hash) in names {
        let owner: Option<String> = on_step!(step, c => {
            sqlx::query_scalar("SELECT key_id FROM forgotten_name WHERE workspace_id = $1 AND hash = $2")
                .bind(step.workspace).bind(hash).fetch_optional(c).await
        })?;
        if owner.is_some_and(|owner| owner != new.key_id.as_deref().unwrap_or_default()) {
            return Ok(Some(Refusal::Taken { field }));
        }
    }
    Ok(None)
}

fn hash_of_id(id: &str) -> Vec<u8> {
    Sha256::digest(format!("id\0{id}")).to_vec()
}

fn hash_of_key(agent: &str, key: &str) -> Vec<u8> {
    Sha256::digest(format!("key\0{agent}\0{key}")).to_vec()
}
