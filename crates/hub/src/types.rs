//! Message types that others declare: what is stored and what lies in files, read once and kept in memory.

use crate::posting::sha256;
use crate::{Hub, clock, problem};
use api::Problem;
use api::messages::{Entry, ShownBy};
use api::types::{TypeDocument, TypeInfo};
use model::declared::Declared;
use model::message_type::Mismatch;
use model::{Body, Draft, Micros};
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use store::{DeclaredType, Store};

/// Other servers on the same database may declare types too: after so long it is asked again.
const FRESH: i64 = 5 * Micros::SECOND;
/// Longest content that is made from a payload, in bytes.
const CONTENT_BYTES: usize = 256 * 1024;

/// All declared types, by tag; of each the newest version first.
#[derive(Debug, Default)]
pub struct TypeTable(BTreeMap<String, Vec<Arc<KnownType>>>);

/// A document with what is known of it.
#[derive(Debug)]
pub struct KnownType {
    pub shown: TypeDocument,
    /// The key that declared it.
    pub key_id: Option<String>,
    pub shown_by: Arc<ShownBy>,
}

/// Declared types as they were read last.
#[derive(Default)]
pub struct DeclaredTypes {
    files: RwLock<Vec<Arc<KnownType>>>,
    read: RwLock<Option<(Arc<TypeTable>, Micros)>>,
    /// Counts changes.
    changes: AtomicU64,
}

impl KnownType {
    /// Reads a document.
    ///
    /// # Errors
    ///
    /// Its problems.
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
        Ok(Self { shown: TypeDocument { info, document }, key_id: None, shown_by })
    }

    fn stored(row: DeclaredType) -> Option<Self> {
        let named = format!("{} version {}", row.message_type, row.version);
        let document = serde_json::from_str(&row.document).map_err(|error| error.to_string());
        let read = document.and_then(|document| {
            Self::read(document, row.declared_by, row.declared_at).map_err(|problems| said(&problems))
        });
        match read {
            Ok(known) => Some(Self { key_id: row.key_id, ..known }),
            Err(problem) => {
                tracing::warn!("the declared type {named} can't be read: {problem}");
                None
            }
        }
    }
}

/// Problems in one line: `/view/0/text: expected a string; /icon: expected ...`.
fn said(problems: &[Mismatch]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

impl TypeTable {
    fn of(known: impl Iterator<Item = Arc<KnownType>>) -> Self {
        let mut table: BTreeMap<String, Vec<Arc<KnownType>>> = BTreeMap::new();
        for known in known {
            let versions = table.entry(known.shown.info.r#type.clone()).or_default();
            // What comes first holds: a file before what was sent.
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

    /// Returns the document of a message: the one of its version, else the newest.
    pub fn of_message(&self, draft: &Draft, body: &Body) -> Option<&Arc<KnownType>> {
        let Body::Unknown { message_type, .. } = body else { return None };
        let versions = self.versions(message_type);
        let version = draft.metadata.as_ref().and_then(|metadata| metadata.get("version")?.as_i64());
        versions.iter().find(|known| Some(known.shown.info.version) == version).or_else(|| versions.first())
    }

    /// Returns the content that a message without one has.
    pub fn content(&self, draft: &Draft, body: &Body) -> Option<String> {
        let known = self.of_message(draft, body)?;
        let Body::Unknown { payload, .. } = body else { return None };
        let mut content = known.shown_by.declared.markdown(&Value::Object(payload.clone()));
        content.truncate(content.floor_char_boundary(CONTENT_BYTES));
        Some(content)
    }

    /// Gives a message without content the words of its type.
    pub fn complete(&self, draft: &mut Draft, body: &Body) {
        if draft.content.is_empty()
            && let Some(content) = self.content(draft, body)
        {
            draft.content = content;
        }
    }

    /// Shows an entry by the document of its type.
    pub fn show(&self, entry: &mut Entry) {
        if let Some(known) = self.of_message(&entry.message.draft, entry.body()) {
            let shown_by = Arc::clone(&known.shown_by);
            entry.show_by(shown_by);
        }
    }
}

impl Hub {
    /// Returns the declared types.
    pub async fn types(&self) -> Result<Arc<TypeTable>, Problem> {
        let now = clock::now();
        let is_shared = matches!(self.store, Store::Postgres(_));
        if let Some((table, read_at)) = &*self.types.read.read().unwrap_or_else(PoisonError::into_inner)
            && (!is_shared || now.since(*read_at) < FRESH)
        {
            return Ok(Arc::clone(table));
        }
        let changes = self.types.changes.load(Ordering::Acquire);
        let rows = self.workspace.declared_types().await.map_err(problem)?;
        let files = self.types.files.read().unwrap_or_else(PoisonError::into_inner).clone();
        let stored = rows.into_iter().filter_map(KnownType::stored).map(Arc::new);
        let table = Arc::new(TypeTable::of(files.into_iter().chain(stored)));
        let mut read = self.types.read.write().unwrap_or_else(PoisonError::into_inner);
        // Where something was declared meanwhile, the next caller reads again.
        if self.types.changes.load(Ordering::Acquire) == changes {
            *read = Some((Arc::clone(&table), now));
        }
        drop(read);
        Ok(table)
    }

    /// Forgets what was read: something else is declared.
    pub(crate) fn types_changed(&self) {
        let mut read = self.types.read.write().unwrap_or_else(PoisonError::into_inner);
        self.types.changes.fetch_add(1, Ordering::AcqRel);
        *read = None;
    }

    /// Adds what the files of the data directory declare. They come before what is sent.
    ///
    /// # Errors
    ///
    /// The problems of the document. It isn't added.
    pub fn declare_from_file(&self, name: &str, document: Value) -> Result<(), String> {
        let known = KnownType::read(document, name.to_owned(), clock::now()).map_err(|problems| said(&problems))?;
        let info = TypeInfo { from_file: true, ..known.shown.info };
        let known = KnownType { shown: TypeDocument { info, ..known.shown }, ..known };
        self.types.files.write().unwrap_or_else(PoisonError::into_inner).push(Arc::new(known));
        self.types_changed();
        Ok(())
    }
}
