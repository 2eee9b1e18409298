//! The history that a sub-agent's file begins with: lines of its parent's file, copied when it was spawned. They are no words of the
//! sub-agent, and their tokens are its parent's. One message stands for all of them.
//!
//! A copied line has a time of its own and the turn of its original. The ids of turns and sessions begin with their time, so a turn
//! that is older than the session was copied.

use super::Rollout;
use crate::Span;
use crate::parts::obj::Obj;
use model::Micros;

/// Between the copies and the sub-agent's first turn, where ids don't tell.
const PAUSE: i64 = Micros::SECOND;

/// The copied lines so far.
pub(super) struct History {
    /// The session that they were copied from.
    from: String,
    /// The message that stands for them, and the time of the first one.
    shown: Option<(String, Option<Micros>)>,
    lines: usize,
}

impl History {
    pub fn of(from: String) -> Self {
        Self { from, shown: None, lines: 0 }
    }
}

impl Rollout {
    /// Was the line copied? The first turn of the session's own ends the history.
    pub(super) fn is_copied(
        &mut self,
        session: usize,
        inner: &str,
        kind: &str,
        line: &Obj,
        time: Option<Micros>,
    ) -> bool {
        let Some(history) = &self.history else { return false };
        let begins = kind == "turn_context" || matches!(inner, "task_started" | "turn_started");
        let turn = line.filled("turn_id");
        let by_ids = turn.as_deref().and_then(time_of).zip(time_of(&self.book.sessions[session].key));
        let is_own = match (by_ids, &history.shown) {
            (Some((turn, session)), _) => turn >= session,
            (None, None) => true,
            (None, Some((_, first))) => first.zip(time).is_some_and(|(first, time)| time.since(first) >= PAUSE),
        };
        if begins
            && is_own
            && let Some((id, _)) = self.history.take().and_then(|history| history.shown)
        {
            self.book.release(session, &id);
        }
        self.history.is_some()
    }

    /// A copied line. Of its tokens the sum is known from then on, so that they aren't counted again.
    pub(super) fn copied(&mut self, session: usize, inner: &str, line: &Obj, time: Option<Micros>, span: Span) {
        if inner == "token_count" {
            self.skip_tokens(line);
        }
        let at = self.at(session, time, self.id_by_place(span.offset), span);
        let Some(history) = &mut self.history else { return };
        history.lines += 1;
        let plural = if history.lines == 1 { "" } else { "s" };
        let words = format!("{} line{plural} of history, copied from session {}", history.lines, history.from);
        if let Some((id, _)) = &history.shown {
            if let Some(draft) = self.book.change(session, id, span) {
                draft.content = words;
            }
            return;
        }
        let draft = at.aside(&at.id, "copied_history", words);
        history.shown = Some((draft.id.as_str().to_owned(), time));
        self.book.keep(session, draft, span);
    }
}

/// The beginning of an id that has its time in it (UUID version 7): it sorts by time.
fn time_of(id: &str) -> Option<&str> {
    const UUID: usize = 36;
    (id.len() == UUID && id.as_bytes().get(14) == Some(&b'7')).then(|| id.get(..13)).flatten()
}
