//! The messages of a session that a query selects, a page at a time.

use crate::{Scoped, problem};
use api::Problem;
use model::SessionId;
use store::{MessageQuery, Range, StoredMessage};

/// Messages of a page.
const PAGE: u32 = 500;

pub(super) struct Pages<'h> {
    scoped: &'h Scoped,
    session: &'h SessionId,
    /// None at the end.
    query: Option<MessageQuery>,
}

impl<'h> Pages<'h> {
    /// From the first one above a `seq` on. Which ones, the query says; its range and its limit don't count.
    pub fn after(scoped: &'h Scoped, session: &'h SessionId, seq: i64, query: MessageQuery) -> Self {
        let query = MessageQuery { range: Range::After(seq, PAGE), limit: PAGE, ..query };
        Self { scoped, session, query: Some(query) }
    }

    /// Messages that change files.
    pub fn edits_after(scoped: &'h Scoped, session: &'h SessionId, seq: i64) -> Self {
        let types = vec!["CODE_EDIT".to_owned()];
        Self::after(scoped, session, seq, MessageQuery { types, ..MessageQuery::new(Range::Last(PAGE)) })
    }

    pub async fn next(&mut self) -> Result<Option<Vec<StoredMessage>>, Problem> {
        let Some(query) = &mut self.query else { return Ok(None) };
        let stored = self.scoped.hub.workspace.messages(self.session, query).await.map_err(problem)?;
        match stored.last() {
            Some(last) if stored.len() == PAGE as usize => query.range = Range::After(last.message.seq, PAGE),
            _ => self.query = None,
        }
        Ok((!stored.is_empty()).then_some(stored))
    }
}
