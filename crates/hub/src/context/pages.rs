//! The messages of a session that a query selects, a page at a time.

use crate::basics::problem;
use crate::context::Scoped;
use api::Problem;
use model::{MessageType, SessionId};
use std::ops::RangeInclusive;
use store::{MessageQuery, Range, StoredMessage};

/// Messages of a page.
const PAGE: u32 = 500;

pub(crate) struct Pages<'h> {
    scoped: &'h Scoped,
    session: &'h SessionId,
    /// None at the end.
    query: Option<MessageQuery>,
    /// The last `seq` that is read, if they end before the session does.
    to: Option<i64>,
}

impl<'h> Pages<'h> {
    /// From the first one above a `seq` on. Which ones, the query says; its range and its limit don't count.
    pub fn after(scoped: &'h Scoped, session: &'h SessionId, seq: i64, query: MessageQuery) -> Self {
        let query = MessageQuery { range: Range::After(seq, PAGE), limit: PAGE, ..query };
        Self { scoped, session, query: Some(query), to: None }
    }

    /// Like [`Pages::after`], those of a part of the session alone.
    pub fn within(scoped: &'h Scoped, session: &'h SessionId, part: &RangeInclusive<i64>, query: MessageQuery) -> Self {
        let query = MessageQuery { range: Range::Span(*part.start(), *part.end()), limit: PAGE, ..query };
        Self { scoped, session, query: Some(query), to: Some(*part.end()) }
    }

    /// Messages of a type, from the first one above a `seq` on.
    pub fn of_type(scoped: &'h Scoped, session: &'h SessionId, seq: i64, of: MessageType) -> Self {
        let types = vec![of.to_string()];
        Self::after(scoped, session, seq, MessageQuery { types, ..MessageQuery::new(Range::Last(PAGE)) })
    }

    /// Messages of a type in a part of the session.
    pub fn of_type_within(
        scoped: &'h Scoped,
        session: &'h SessionId,
        part: &RangeInclusive<i64>,
        of: MessageType,
    ) -> Self {
        let types = vec![of.to_string()];
        Self::within(scoped, session, part, MessageQuery { types, ..MessageQuery::new(Range::Last(PAGE)) })
    }

    /// The first one that `wanted` takes, of the next `many`.
    pub async fn find(
        mut self,
        many: usize,
        wanted: impl Fn(&StoredMessage) -> bool,
    ) -> Result<Option<StoredMessage>, Problem> {
        let mut left = many;
        while let Some(stored) = self.next().await?.filter(|_| left > 0) {
            let looked_at = stored.len().min(left);
            if let Some(found) = stored.into_iter().take(looked_at).find(&wanted) {
                return Ok(Some(found));
            }
            left -= looked_at;
        }
        Ok(None)
    }

    /// Some more of them, as many as may be in memory at a time; None at the end.
    pub async fn next(&mut self) -> Result<Option<Vec<StoredMessage>>, Problem> {
        let Some(query) = &mut self.query else { return Ok(None) };
        let stretch = self.scoped.hub.workspace.stretch(self.session, query).await.map_err(problem)?;
        match stretch.messages.last() {
            Some(last) if stretch.more_after => {
                let seq = last.message.seq;
                query.range = self.to.map_or(Range::After(seq, PAGE), |to| Range::Span(seq + 1, to));
            }
            _ => self.query = None,
        }
        Ok((!stretch.messages.is_empty()).then_some(stretch.messages))
    }
}
