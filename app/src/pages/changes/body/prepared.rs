//! Files whose change was compared: a look at another part of one, or in another way, costs nothing.

use crate::html::Html;
use crate::message::code_edit::{pictures_html, to_fold};
use crate::shared::file_id;
use api::net::{NetFile, NetPart};
use diff::{DiffInput, Outline, Spaces, Which};
use model::view::FileChange;
use quick_cache::{Weighter, sync::Cache};
use std::sync::{Arc, LazyLock, Mutex, OnceLock};

/// A file with its net change, as it is drawn. What it is made of is known by its hash.
pub struct Prepared {
    /// Id of its card.
    pub id: String,
    pub path: String,
    pub language: Option<String>,
    pub broken: bool,
    pub too_large: bool,
    /// Why it isn't drawn until asked for.
    pub folded: Option<String>,
    pub patches: Vec<String>,
    /// For each part, the edit whose position is unknown: `812.0`.
    pub edits: Vec<Option<String>>,
    /// The images of an image file.
    pub pictures: Option<Html>,
    /// Until they are compared.
    texts: Mutex<Vec<NetPart>>,
    outlines: OnceLock<Vec<Outline>>,
    without_spaces: OnceLock<Vec<Outline>>,
    bytes: usize,
}

impl Prepared {
    fn of(file: NetFile) -> Self {
        let (parts, patches) = file.texts.map(|texts| (texts.parts, texts.patches)).unwrap_or_default();
        let sides: Vec<&str> =
            parts.iter().flat_map(|part| part.old.iter().chain(&part.new)).map(String::as_str).collect();
        let changed = || u32::try_from(file.added + file.removed).unwrap_or(u32::MAX);
        let folded = to_fold(&file.path, &sides, changed);
        let pictures = match parts.as_slice() {
            [part] => pictures_html(&file.path, part.old.as_deref(), part.new.as_deref()),
            _ => None,
        };
        let bytes = sides.iter().map(|text| text.len()).sum();
        let edits = parts.iter().map(|part| part.edit.map(|edit| format!("{}.{}", edit.seq, edit.index))).collect();
        Self {
            id: file_id(&file.path),
            edits,
            path: file.path,
            language: file.language,
            broken: file.broken,
            too_large: file.too_large,
            folded,
            patches,
            pictures,
            texts: Mutex::new(parts),
            outlines: OnceLock::new(),
            without_spaces: OnceLock::new(),
            bytes,
        }
    }

    /// Its parts, compared.
    pub fn outlines(&self, spaces: Spaces) -> &[Outline] {
        let outlines = self.outlines.get_or_init(|| {
            let parts = self.texts.lock().map(|mut parts| std::mem::take(&mut *parts)).unwrap_or_default();
            parts.iter().map(|part| self.outline(part, parts.len())).collect()
        });
        match spaces {
            Spaces::Matter => outlines,
            Spaces::Ignored => self
                .without_spaces
                .get_or_init(|| outlines.iter().map(|outline| outline.with_spaces(Spaces::Ignored)).collect()),
        }
    }

    /// Returns the outline of one of several parts.
    fn outline(&self, part: &NetPart, among: usize) -> Outline {
        Outline::of(&DiffInput {
            old: part.old.as_deref(),
            new: part.new.as_deref(),
            language: self.language.as_deref(),
            path: &self.path,
            first_line: part.first_line,
            is_whole: part.whole,
            among,
            ..DiffInput::default()
        })
    }
}

/// Returns true if there is nothing to compare with.
pub fn is_one_sided(outline: &Outline) -> bool {
    outline.change() != FileChange::Modified
}

/// The line behind a part, in the new file.
pub fn end(outline: &Outline) -> Option<u32> {
    outline.first_line().map(|(_, first)| first + outline.len(Which::New) as u32)
}

/// A change that was drawn before.
pub fn known(path: &str, hash: &str) -> Option<Arc<Prepared>> {
    let key = key(path, hash);
    let large = || LARGE.lock().ok()?.as_ref().filter(|(of, _)| *of == key).map(|(_, file)| Arc::clone(file));
    FILES.get(&key).or_else(large)
}

/// Keeps a change, to be drawn.
pub fn prepare(file: NetFile) -> Arc<Prepared> {
    let key = key(&file.path, &file.hash);
    let prepared = Arc::new(Prepared::of(file));
    if prepared.bytes <= LARGE_BYTES {
        FILES.insert(key, Arc::clone(&prepared));
    } else if let Ok(mut large) = LARGE.lock() {
        *large = Some((key, Arc::clone(&prepared)));
    }
    prepared
}

fn key(path: &str, hash: &str) -> String {
    format!("{hash}{path}")
}

/// A larger one would throw all others out: of those the latest one is kept.
const LARGE_BYTES: usize = 4 * 1024 * 1024;

static LARGE: Mutex<Option<(String, Arc<Prepared>)>> = Mutex::new(None);

static FILES: LazyLock<Cache<String, Arc<Prepared>, Size>> =
    LazyLock::new(|| Cache::with_weighter(MANY, MAX_CACHED, Size));

/// Files that are expected: so few that the cache isn't divided. A piece of it would have no room for what is nearly
/// large.
const MANY: usize = 32;

/// Bytes, roughly.
const MAX_CACHED: u64 = 48 * 1024 * 1024;

#[derive(Clone)]
struct Size;

impl Weighter<String, Arc<Prepared>> for Size {
    fn weight(&self, _: &String, file: &Arc<Prepared>) -> u64 {
        // Tokens and marks cost about as much as the text.
        file.bytes as u64 * 2 + 1_000
    }
}
