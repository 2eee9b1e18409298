//! Declared message types: documents from the database and from files, cached in memory.

pub mod endpoints;

pub(crate) use endpoints::*;

use crate::basics::hash::sha256;
use crate::basics::{clock, problem};
use crate::context::{Hub, TopicState};
use api::Problem;
use api::messages::{Entry, ShownBy};
use api::types::{TypeDocument, TypeInfo};
use model::declared::Declared;
use model::message_type::Mismatch;
use model::{Body, Draft, Micros};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use store::{DeclaredType, Store};

/// How long the cache holds on PostgreSQL, where other servers may declare types too.
const FRESH: i64 = 5 * Micros::SECOND;
/// Maximum size of content that is generated from a payload, in bytes.
const CONTENT_BYTES: usize = 256 * 1024;

/// All declared types by tag, each with its versions, newest first.
#[derive(Debug, Default)]
pub struct TypeTable(BTreeMap<String, Vec<Arc<KnownType>>>);

/// A declared type: its document and who declared it.
#[derive(Debug)]
pub struct KnownType {
    pub shown: TypeDocument,
    /// Id of the key that declared it. `None` for people and files.
    pub key_id: Option<String>,
    /// It is by the owner of the name, or by people: it may show messages of versions that nobody declared.
    pub is_owners: bool,
    pub shown_by: Arc<ShownBy>,
}

/// The cache of declared types.
#[derive(Default)]
pub struct DeclaredTypes {
    files: RwLock<Vec<Arc<KnownType>>>,
    read: RwLock<Option<(Arc<TypeTable>, Micros)>>,
    /// Grows with each declaration and removal, so that a read that began before one isn't cached.
    changes: AtomicU64,
}

impl TopicState for DeclaredTypes {}

impl KnownType {
    /// Reads a document strictly.
    ///
    /// # Errors
    ///
    /// Returns what is wrong with it, each with a JSON pointer.
    pub fn read(document: Value, declared_by: String, declared_at: Micros) -> Result<Self, Vec<Mismatch>> {
        let declared = Declared::read(&document)?;
        let failed = |_| vec![Mismatch::new("", "JSON that can be written canonically")];
        let sha256 = sha256(&document).map_err(failed)?;
        let info = TypeInfo {
            r#type: declared.message_type.clone(),
            version: declared.version,
            title: declared.title.clone(),
            bytes: document.to_string().len() as i64,
            sha256: sha256.clone(),
            declared_by,
            declared_at,
            from_file: false,
        };
        let shown_by = Arc::new(ShownBy { declared, sha256 });
        Ok(Self { shown: TypeDocument { info, document }, key_id: None, is_owners: true, shown_by })
    }

    fn stored(row: DeclaredType, owners: &HashMap<String, Option<String>>) -> Option<Self> {
        let named = format!("{} version {}", row.message_type, row.version);
        let document = serde_json::from_str(&row.document).map_err(|error| error.to_string());
        let read = document.and_then(|document| {
            Self::read(document, row.declared_by, row.declared_at).map_err(|problems| said(&problems))
        });
        match read {
            Ok(known) => {
                let is_owners =
                    row.key_id.is_none() || owners.get(&row.message_type).is_none_or(|it| *it == row.key_id);
                Some(Self { key_id: row.key_id, is_owners, ..known })
            }
            Err(problem) => {
                tracing::warn!("the declared type {named} can't be read: {problem}");
                None
            }
        }
    }
}

/// Joins problems into one line: `/view/0/text: expected a string; /icon: expected ...`.
fn said(problems: &[Mismatch]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl TypeTable {
    fn of(known: impl Iterator<Item = Arc<KnownType>>) -> Self {
        let mut table: BTreeMap<String, Vec<Arc<KnownType>>> = BTreeMap::new();
        for known in known {
            let versions = table.entry(known.shown.info.r#type.clone()).or_default();
            // The first document of a version wins: files precede what was sent.
            if versions.iter().all(|other| other.shown.info.version != known.shown.info.version) {
                versions.push(known);
            }
        }
        for versions in table.values_mut() {
            versions.sort_by_key(|known| std::cmp::Reverse(known.shown.info.version));
        }
        Self(table)
    }

    /// Returns every version of every type.
    pub fn all(&self) -> impl Iterator<Item = &Arc<KnownType>> {
        self.0.values().flatten()
    }

    /// Returns the versions of a type, the newest first.
    pub fn versions(&self, message_type: &str) -> &[Arc<KnownType>] {
        self.0.get(message_type).map_or(&[], Vec::as_slice)
    }

    /// Returns the document for a message: that of its version, otherwise the newest by the owner of the name.
    pub fn of_message(&self, draft: &Draft, body: &Body) -> Option<&Arc<KnownType>> {
        let Body::Unknown { message_type, .. } = body else { return None };
        let versions = self.versions(message_type);
        let version = draft.metadata.as_ref().and_then(|metadata| metadata.get("version")?.as_i64());
        versions
            .iter()
            .find(|known| Some(known.shown.info.version) == version)
            .or_else(|| versions.iter().find(|known| known.is_owners))
    }

    /// Returns the content to store with a message that has none, generated by the document of its type.
    pub fn content(&self, draft: &Draft, body: &Body) -> Option<String> {
        let known = self.of_message(draft, body)?;
        let Body::Unknown { payload, .. } = body else { return None };
        let mut content = known.shown_by.declared.markdown(&Value::Object(payload.clone()));
        content.truncate(content.floor_char_boundary(CONTENT_BYTES));
        Some(content)
    }

    /// Fills in the content of a message that has none.
    pub fn complete(&self, draft: &mut Draft, body: &Body) {
        if draft.content.is_empty()
            && let Some(content) = self.content(draft, body)
        {
            draft.content = content;
        }
    }

    /// Attaches the document that shows an entry.
    pub fn show(&self, entry: &mut Entry) {
        if let Some(known) = self.of_message(&entry.message.draft, entry.body()) {
            let shown_by = Arc::clone(&known.shown_by);
            entry.show_by(shown_by);
        }
    }
}

impl Hub {
    /// Returns the declared types, from the cache if possible.
    pub async fn types(&self) -> Result<Arc<TypeTable>, Problem> {
        let (cache, now) = (self.state::<DeclaredTypes>(), clock::now());
        let is_shared = matches!(self.store, Store::Postgres(_));
        if let Some((table, read_at)) = &*cache.read.read().unwrap_or_else(PoisonError::into_inner)
            && (!is_shared || read_at.is_within(FRESH, now))
        {
            return Ok(Arc::clone(table));
        }
        let changes = cache.changes.load(Ordering::Acquire);
        let rows = self.workspace.declared_types().await.map_err(problem)?;
        let files = cache.files.read().unwrap_or_else(PoisonError::into_inner).clone();
        let owners = self.workspace.declared_names().await.map_err(problem)?.into_iter().collect();
        let stored = rows.into_iter().filter_map(|row| KnownType::stored(row, &owners)).map(Arc::new);
        let table = Arc::new(TypeTable::of(files.into_iter().chain(stored)));
        let mut read = cache.read.write().unwrap_or_else(PoisonError::into_inner);
        // If a type was declared or removed in the meantime, the next caller reads again.
        if cache.changes.load(Ordering::Acquire) == changes {
            *read = Some((Arc::clone(&table), now));
        }
        drop(read);
        Ok(table)
    }

    /// Clears the cache after a declaration or removal.
    pub(crate) fn types_changed(&self) {
        let cache = self.state::<DeclaredTypes>();
        let mut read = cache.read.write().unwrap_or_else(PoisonError::into_inner);
        cache.changes.fetch_add(1, Ordering::AcqRel);
        *read = None;
    }

    /// Declares a type from a file of the data directory. It takes precedence over one that was sent.
    ///
    /// # Errors
    ///
    /// Returns the problems of the document in one line. The type isn't declared then.
    pub fn declare_from_file(&self, name: &str, document: Value) -> Result<(), String> {
        let known = KnownType::read(document, name.to_owned(), clock::now()).map_err(|problems| said(&problems))?;
        let info = TypeInfo { from_file: true, ..known.shown.info };
        let known = KnownType { shown: TypeDocument { info, ..known.shown }, ..known };
        self.state::<DeclaredTypes>().files.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(known));
        self.types_changed();
        Ok(())
    }
}
