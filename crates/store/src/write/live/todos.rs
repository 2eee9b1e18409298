//! The sums of a session's to-do list, counted anew where a message of it changed: the last one may have been taken
//! back.

use crate::dialect::limited;
use crate::read::messages::{COLUMNS, MessageRow};
use crate::step::Step;
use crate::store::on_step;
use crate::{StoreError, Sums};
use model::todo_state::todo_state;
use model::{Draft, MessageType};

/// Messages per read.
const PIECE: i64 = 50;

/// Returns true if the message concerns the todo list.
pub(super) fn tells(draft: &Draft) -> bool {
    draft.message_type() == MessageType::Todo
}

/// The list as the session's messages have it: the last snapshot that stands, with the ticks after it.
pub(super) async fn counted(step: &mut Step<'_>, session_rid: i64) -> Result<Sums, StoreError> {
    let mut before = i64::MAX;
    // Newest first.
    let mut told: Vec<Draft> = Vec::new();
    loop {
        let sql = format!(
            "SELECT {COLUMNS} FROM message m JOIN session s ON s.rid = m.session_rid WHERE m.workspace_id = $1 \
             AND m.session_rid = $2 AND m.seq < $3 AND m.message_type = 'TODO' ORDER BY m.seq DESC{}",
            limited(PIECE)
        );
        let rows: Vec<MessageRow> = on_step!(step, c => {
            sqlx::query_as(sqlx::AssertSqlSafe(sql.clone()))
                .bind(step.workspace).bind(session_rid).bind(before).fetch_all(c).await
        })?;
        let full = rows.len() as i64 == PIECE;
        for row in rows {
            let message = row.into_stored(Vec::new())?.message;
            before = message.seq;
            let stands = message.draft.is_todo_list();
            told.push(message.draft);
            if stands {
                return Ok(sums(&told));
            }
        }
        if !full {
            return Ok(sums(&told));
        }
    }
}

fn sums(told: &[Draft]) -> Sums {
    Sums { todos: Some(todo_state(told.iter().rev()).progress()), ..Sums::default() }
}
