//! In which slots a session was active, and how long before each it was the last time.

use super::Place;
use crate::StoreError;
use crate::columns::columns;
use crate::rollup::{ACTIVITY_KEY, adding};
use crate::step::Step;
use crate::step::table::{Kind, Row, Table, Verb};
use crate::store::on_step;
use crate::write::sessions::Loaded;
use sqlx::QueryBuilder;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Sessions per look-up.
const SESSIONS: usize = 100;

columns! {
    struct ActivityRow {
        session_rid: i64,
        slot: i64,
        messages: i64,
        gap: i64,
    }
}

/// Messages and gap of each slot.
type Slots = BTreeMap<i64, (i64, i64)>;

static SESSION_ACTIVITY: Table = Table {
    name: "session_activity",
    columns: Cow::Borrowed(&[
        ("session_rid", Kind::Int),
        ("slot", Kind::Int),
        ("messages", Kind::Int),
        ("gap", Kind::Int),
    ]),
    has_workspace: true,
    verb: Verb::Insert(Cow::Borrowed(
        " ON CONFLICT (workspace_id, session_rid, slot) DO UPDATE SET messages = excluded.messages, gap = excluded.gap",
    )),
};

static ROLLUP_ACTIVITY: LazyLock<Table> = LazyLock::new(|| Table {
    name: "rollup_activity",
    columns: Cow::Borrowed(&[
        ("slot", Kind::Int),
        ("project", Kind::Text),
        ("agent", Kind::Text),
        ("gap", Kind::Int),
        ("sessions", Kind::Int),
        ("messages", Kind::Int),
    ]),
    has_workspace: true,
    verb: Verb::Insert(adding("rollup_activity", ACTIVITY_KEY, "sessions, messages").into()),
});

/// Stores how many messages more, or less, were said in slots of sessions. `places` says where each session counts.
pub(super) async fn store(
    step: &mut Step<'_>,
    changes: &BTreeMap<i64, BTreeMap<i64, i64>>,
    sessions: &[Loaded],
    places: &BTreeMap<i64, Option<Place>>,
) -> Result<(), StoreError> {
    let stored = sessions.iter().filter(|loaded| loaded.before.is_some()).map(|loaded| loaded.row.rid);
    let mut before = near(step, stored.filter_map(|rid| changes.get_key_value(&rid))).await?;
    let mut rows: Vec<Row<'_>> = Vec::new();
    let mut rollup: BTreeMap<(i64, &Place, i64), (i64, i64)> = BTreeMap::new();
    for (session_rid, by) in changes {
        let before = before.remove(session_rid).unwrap_or_default();
        let after = changed(&before, by);
        for slot in before.keys().filter(|slot| !after.contains_key(slot)) {
            delete(step, *session_rid, *slot).await?;
        }
        let written = after.iter().filter(|(slot, of)| before.get(slot) != Some(of));
        rows.extend(written.map(|(slot, (messages, gap))| {
            vec![(*session_rid).into(), (*slot).into(), (*messages).into(), (*gap).into()]
        }));
        let Some(Some(place)) = places.get(session_rid) else { continue };
        for (slots, sign) in [(&before, -1), (&after, 1)] {
            for (slot, (messages, gap)) in slots {
                let counts = rollup.entry((*slot, place, *gap)).or_default();
                *counts = (counts.0 + sign, counts.1 + sign * messages);
            }
        }
    }
    step.write(&SESSION_ACTIVITY, &rows).await?;
    let changed = rollup.iter().filter(|(_, counts)| **counts != (0, 0));
    let rows = changed.map(|((slot, (project, agent), gap), (sessions, messages))| {
        vec![
            (*slot).into(),
            project.as_str().into(),
            agent.as_str().into(),
            (*gap).into(),
            (*sessions).into(),
            (*messages).into(),
        ]
    });
    step.write(&ROLLUP_ACTIVITY, &rows.collect::<Vec<Row<'_>>>()).await
}

/// The slots from the one before those that change to the one after them.
async fn near<'a>(
    step: &mut Step<'_>,
    changes: impl Iterator<Item = (&'a i64, &'a BTreeMap<i64, i64>)>,
) -> Result<BTreeMap<i64, Slots>, StoreError> {
    let spans = changes.filter_map(|(rid, by)| Some((*rid, *by.first_key_value()?.0, *by.last_key_value()?.0)));
    let spans: Vec<(i64, i64, i64)> = spans.collect();
    let mut near: BTreeMap<i64, Slots> = BTreeMap::new();
    for chunk in spans.chunks(SESSIONS) {
        let rows: Vec<ActivityRow> = on_step!(step, c => {
            let mut q = QueryBuilder::new("WITH w (workspace_id, session_rid, first, last) AS (");
            q.push_values(chunk, |mut b, (rid, first, last)| {
                b.push_bind(step.workspace).push_bind(*rid).push_bind(*first).push_bind(*last);
            });
            q.push(
                ") SELECT a.session_rid, a.slot, a.messages, a.gap FROM w CROSS JOIN session_activity a \
                 WHERE a.workspace_id = w.workspace_id AND a.session_rid = w.session_rid \
                 AND a.slot >= COALESCE((SELECT MAX(p.slot) FROM session_activity p WHERE p.workspace_id = w.workspace_id \
                 AND p.session_rid = w.session_rid AND p.slot < w.first), w.first) \
                 AND a.slot <= COALESCE((SELECT MIN(n.slot) FROM session_activity n WHERE n.workspace_id = w.workspace_id \
                 AND n.session_rid = w.session_rid AND n.slot > w.last), w.last)",
            );
            q.build_query_as().persistent(chunk.len() == 1).fetch_all(c).await
        })?;
        for row in rows {
            near.entry(row.session_rid).or_default().insert(row.slot, (row.messages, row.gap));
        }
    }
    Ok(near)
}

/// The slots as they are with so many messages more. The first one keeps its gap if it is before all changes.
fn changed(before: &Slots, by: &BTreeMap<i64, i64>) -> Slots {
    let mut messages: BTreeMap<i64, i64> = before.iter().map(|(slot, (messages, _))| (*slot, *messages)).collect();
    for (slot, by) in by {
        *messages.entry(*slot).or_default() += by;
    }
    let untouched =
        before.first_key_value().filter(|(slot, _)| by.first_key_value().is_some_and(|(first, _)| slot < &first));
    let mut last: Option<i64> = None;
    let mut after = Slots::new();
    for (slot, messages) in messages.into_iter().filter(|(_, messages)| *messages > 0) {
        let gap = match (last, untouched) {
            (Some(last), _) => slot - last,
            (None, Some((_, (_, gap)))) => *gap,
            (None, None) => 0,
        };
        after.insert(slot, (messages, gap));
        last = Some(slot);
    }
    after
}

async fn delete(step: &mut Step<'_>, session_rid: i64, slot: i64) -> Result<(), StoreError> {
    on_step!(step, c => {
        sqlx::query("DELETE FROM session_activity WHERE workspace_id = $1 AND session_rid = $2 AND slot = $3")
            .bind(step.workspace).bind(session_rid).bind(slot).execute(c).await.map(drop)
    })
    .map_err(StoreError::from)
}
