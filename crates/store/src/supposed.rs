//! Writes that suppose: on `PostgreSQL` the workspace is most often where the last write of this process left it. Then nobody
//! changed anything since, what is looked up without its lock holds, and most often ids are new. So one statement writes all
//! of a batch of posts; where somebody was there in between, or an id comes again, it writes nothing, and a transaction does it
//! as always. One round trip instead of five: while 64 agents wait for their answers, each takes as long as writing ten messages.

use crate::StoreError;
use sqlx::pool::PoolConnection;
use sqlx::{PgConnection, Pool, Postgres, Transaction};
use std::ops::{Deref, DerefMut};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Where `PostgreSQL` is written to.
pub(crate) enum Writing {
    Transaction(Transaction<'static, Postgres>),
    /// Each statement for itself.
    Supposed(Pair, Arc<Pairs>),
}

/// Connections of a write that supposes.
#[derive(Debug)]
pub(crate) struct Pair {
    /// The server lets nothing be written on it: what isn't part of the one statement fails instead of being half of a write.
    looks: PoolConnection<Postgres>,
    pub writes: PoolConnection<Postgres>,
}

/// The connections between two such writes. A pool would try them each time they come back.
#[derive(Debug)]
pub(crate) struct Pairs {
    looking: Pool<Postgres>,
    idle: Mutex<Option<Pair>>,
}

impl Pairs {
    /// `looking` gives connections that only read.
    pub(crate) fn new(looking: Pool<Postgres>) -> Self {
        Self { looking, idle: Mutex::default() }
    }

    pub(crate) async fn take(&self, writers: &Pool<Postgres>) -> Result<Pair, StoreError> {
        let idle = self.lock().take();
        Ok(match idle {
            Some(pair) => pair,
            None => Pair { looks: self.looking.acquire().await?, writes: writers.acquire().await? },
        })
    }

    /// After a write that went well: who fails gives its connections back to their pools, which try them.
    pub(crate) fn put(&self, pair: Pair) {
        let mut idle = self.lock();
        // Who closes the pools waits until they have all back.
        if !self.looking.is_closed() {
            *idle = Some(pair);
        }
    }

    pub(crate) async fn close(&self) {
        let closing = self.looking.close();
        drop(self.lock().take());
        closing.await;
    }

    fn lock(&self) -> MutexGuard<'_, Option<Pair>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Deref for Writing {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        match self {
            Self::Transaction(transaction) => transaction,
            Self::Supposed(pair, _) => &pair.looks,
        }
    }
}

impl DerefMut for Writing {
    fn deref_mut(&mut self) -> &mut PgConnection {
        match self {
            Self::Transaction(transaction) => transaction,
            Self::Supposed(pair, _) => &mut pair.looks,
        }
    }
}
