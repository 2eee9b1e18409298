//! Rows to be written, whatever their table.
//!
//! `SQLite` takes them in statements of few lengths, each prepared once. `PostgreSQL` takes each column as an array, so
//! that one statement serves any number of rows; and since there each statement is a round trip, rows wait until
//! something else is asked, or the transaction ends, and go together.

use crate::StoreError;
use crate::step::Step;
use crate::step::chunks::chunks;
use crate::step::lexemes::Lexemes;
use crate::store::Tx;
use sqlx::sqlite::SqliteArguments;
use sqlx::{Arguments as _, Postgres, QueryBuilder, Sqlite, Transaction};
use std::borrow::Cow;
use std::sync::Arc;

/// Rows per statement of `SQLite`.
const ROWS: usize = 64;

/// Where rows go.
pub(crate) struct NamedTable<'t> {
    pub name: &'t str,
    /// Without the workspace's, if it has one.
    pub columns: Cow<'t, [(&'t str, Kind)]>,
    /// The column of the workspace comes first.
    pub has_workspace: bool,
    pub verb: Verb,
}

/// One of those that the program's text names.
pub(crate) type Table = NamedTable<'static>;

/// How rows are written.
pub(crate) enum Verb {
    /// And what becomes of one that is there already: `ON CONFLICT ...`, or nothing.
    Insert(Cow<'static, str>),
    /// All of them are there: found by the first column, which is unique.
    Update,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Int,
    Real,
    Text,
    Blob,
    /// Bytes that [`crate::pack`] packed; an archive has them as they were.
    Packed,
    /// Separated by spaces; `PostgreSQL` keeps them as a vector.
    Words,
}

/// A value of a row, by the kind of its column.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Value<'a> {
    Int(Option<i64>),
    Real(Option<f64>),
    Text(Option<&'a str>),
    Blob(Option<&'a [u8]>),
}

impl<'a> Value<'a> {
    fn text(self) -> Option<&'a str> {
        if let Self::Text(text) = self { text } else { None }
    }
}

pub(crate) type Row<'a> = Vec<Value<'a>>;

/// A type that a column holds.
pub(crate) trait Cell {
    const KIND: Kind;
    fn value(&self) -> Value<'_>;
}

macro_rules! cells {
    ($($Type:ty: $Kind:ident, $this:ident => $value:expr;)+) => {
        $(impl Cell for $Type {
            const KIND: Kind = Kind::$Kind;
            fn value(&self) -> Value<'_> {
                let $this = self;
                Value::$Kind($value)
            }
        })+
    };
}

cells! {
    i64: Int, it => Some(*it);
    Option<i64>: Int, it => *it;
    Option<f64>: Real, it => *it;
    String: Text, it => Some(it);
    Option<String>: Text, it => it.as_deref();
    Vec<u8>: Blob, it => Some(it);
    Option<Vec<u8>>: Blob, it => it.as_deref();
}

macro_rules! values {
    ($($Type:ty: $Kind:ident, $this:ident => $value:expr;)+) => {
        $(impl<'a> From<$Type> for Value<'a> {
            fn from($this: $Type) -> Self {
                Value::$Kind($value)
            }
        })+
    };
}

values! {
    i64: Int, it => Some(it);
    Option<i64>: Int, it => it;
    &'a str: Text, it => Some(it);
    Option<&'a str>: Text, it => it;
    &'a [u8]: Blob, it => Some(it);
    Option<&'a [u8]>: Blob, it => it;
}

/// A column of rows that wait.
enum Waiting {
    Int(Vec<Option<i64>>),
    Real(Vec<Option<f64>>),
    Text(Vec<Option<String>>),
    Words(Vec<Option<Lexemes>>),
    Blob(Vec<Option<Vec<u8>>>),
}

impl Waiting {
    fn of<'a>(kind: Kind, values: impl Iterator<Item = Value<'a>>) -> Self {
        macro_rules! column {
            ($Kind:ident, $it:ident => $owned:expr) => {
                Self::$Kind(values.map(|value| if let Value::$Kind($it) = value { $owned } else { None }).collect())
            };
        }
        match kind {
            Kind::Int => column!(Int, it => it),
            Kind::Real => column!(Real, it => it),
            Kind::Text => column!(Text, it => it.map(str::to_owned)),
            Kind::Words => Self::Words(values.map(|value| value.text().map(Lexemes::new)).collect()),
            Kind::Blob | Kind::Packed => column!(Blob, it => it.map(<[u8]>::to_vec)),
        }
    }
}

/// Rows that wait.
#[derive(Default)]
pub(super) struct Waiters(Vec<(&'static Table, Vec<Waiting>)>);

impl Step<'_> {
    /// Writes rows. Whatever is asked by `on_step!` afterwards sees them.
    pub(crate) async fn write(&mut self, table: &'static Table, rows: &[Row<'_>]) -> Result<(), StoreError> {
        if rows.is_empty() {
            return Ok(());
        }
        // One statement changes a row once.
        if self.waiting.0.iter().any(|(other, _)| other.name == table.name) {
            self.flush().await?;
        }
        match &mut *self.tx {
            Tx::Sqlite(transaction, _, monitor) => {
                monitor.observe(write_sqlite(transaction, self.workspace, table, rows).await)
            }
            Tx::Postgres(..) => {
                self.waiting.0.push((table, table.waiting(rows)));
                Ok(())
            }
        }
    }

    /// Sends what waits.
    pub(crate) async fn flush(&mut self) -> Result<(), StoreError> {
        let waiting = std::mem::take(&mut self.waiting.0);
        if let Tx::Postgres(transaction, _) = &mut *self.tx
            && !waiting.is_empty()
        {
            together(self.workspace, waiting).build().execute(&mut **transaction).await?;
        }
        Ok(())
    }
}

impl<'t> NamedTable<'t> {
    fn columns(&self) -> impl Iterator<Item = &'t str> {
        self.columns.iter().map(|(name, _)| *name)
    }

    /// All that is inserted, separated by commas.
    fn names(&self) -> String {
        self.has_workspace.then_some("workspace_id").into_iter().chain(self.columns()).collect::<Vec<_>>().join(", ")
    }

    fn waiting(&self, rows: &[Row<'_>]) -> Vec<Waiting> {
        let column = |(index, (_, kind)): (usize, &(&str, Kind))| {
            Waiting::of(*kind, rows.iter().filter_map(|row| row.get(index).copied()))
        };
        self.columns.iter().enumerate().map(column).collect()
    }

    /// `UPDATE ... FROM {source} WHERE ...`.
    fn update(&self, source: &str) -> String {
        let (name, key) = (self.name, self.columns().next().unwrap_or_default());
        let set: Vec<String> = self.columns().skip(1).map(|column| format!("{column} = u.{column}")).collect();
        format!("UPDATE {name} SET {} FROM {source} WHERE {name}.{key} = u.{key}", set.join(", "))
    }
}

/// Writes rows of a table that has no column of the workspace, or has it among the others.
pub(crate) async fn write_whole(tx: &mut Tx, table: &NamedTable<'_>, rows: &[Row<'_>]) -> Result<(), StoreError> {
    match tx {
        Tx::Sqlite(transaction, _, monitor) => monitor.observe(write_sqlite(transaction, "", table, rows).await),
        Tx::Postgres(transaction, _) => {
            together("", vec![(table, table.waiting(rows))]).build().execute(&mut **transaction).await?;
            Ok(())
        }
    }
}

async fn write_sqlite(
    transaction: &mut Transaction<'static, Sqlite>,
    workspace: &str,
    table: &NamedTable<'_>,
    rows: &[Row<'_>],
) -> Result<(), StoreError> {
    // Shared by all rows, not copied into each.
    let workspace: Arc<str> = workspace.into();
    for chunk in chunks(rows, ROWS) {
        let mut values = SqliteArguments::default();
        values.reserve(chunk.len() * (table.columns.len() + 1), 0);
        for row in chunk {
            if table.has_workspace {
                values.add(&workspace).map_err(sqlx::Error::Encode)?;
            }
            for value in row {
                match *value {
                    Value::Int(it) => values.add(it),
                    Value::Real(it) => values.add(it),
                    Value::Text(it) => values.add(it),
                    Value::Blob(it) => values.add(it),
                }
                .map_err(sqlx::Error::Encode)?;
            }
        }
        let sql = sqlx::AssertSqlSafe(statement(table, chunk.len()));
        sqlx::query_with(sql, values).execute(&mut **transaction).await?;
    }
    Ok(())
}

/// The statement that writes so many rows.
fn statement(table: &NamedTable<'_>, rows: usize) -> String {
    let columns = table.columns.len() + usize::from(table.has_workspace);
    let row = format!("({})", vec!["?"; columns].join(", "));
    let (name, names, rows) = (table.name, table.names(), vec![row; rows].join(", "));
    match &table.verb {
        Verb::Insert(conflict) => format!("INSERT INTO {name} ({names}) VALUES {rows}{conflict}"),
        Verb::Update => format!("WITH u ({names}) AS (VALUES {rows}) {}", table.update("u")),
    }
}

/// All of them as one statement.
fn together(workspace: &str, rows: Vec<(&NamedTable<'_>, Vec<Waiting>)>) -> QueryBuilder<Postgres> {
    let mut q = QueryBuilder::new("WITH ");
    for (number, (table, columns)) in rows.into_iter().enumerate() {
        let comma = if number == 0 { "" } else { ", " };
        q.push(format_args!("{comma}u{number} AS (SELECT * FROM UNNEST("));
        for (index, column) in columns.into_iter().enumerate() {
            q.push(if index == 0 { "CAST(" } else { ", CAST(" });
            match column {
                Waiting::Int(values) => q.push_bind(values).push(" AS BIGINT[])"),
                Waiting::Real(values) => q.push_bind(values).push(" AS DOUBLE PRECISION[])"),
                Waiting::Text(values) => q.push_bind(values).push(" AS TEXT[])"),
                Waiting::Words(values) => q.push_bind(values).push(" AS TSVECTOR[])"),
                Waiting::Blob(values) => q.push_bind(values).push(" AS BYTEA[])"),
            };
        }
        let aliases = table.columns().collect::<Vec<_>>().join(", ");
        q.push(format_args!(") AS u({aliases})), w{number} AS ("));
        match &table.verb {
            Verb::Insert(conflict) => {
                q.push(format_args!("INSERT INTO {} ({}) SELECT ", table.name, table.names()));
                if table.has_workspace {
                    q.push("CAST(").push_bind(workspace.to_owned()).push(" AS TEXT), ");
                }
                q.push(table.columns().map(|name| format!("u.{name}")).collect::<Vec<_>>().join(", "));
                q.push(format_args!(" FROM u{number} u{conflict}"));
            }
            Verb::Update => drop(q.push(table.update(&format!("u{number} u")))),
        }
        q.push(")");
    }
    q.push(" SELECT 1");
    q
}
