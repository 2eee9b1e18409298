//! Disks as a loss of power leaves them, made of a record.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use store::{Database, Durability, Store, StoreError, Tuning};
use tempfile::TempDir;
use tokio::task::JoinSet;

/// A disk writes these whole or not at all.
const SECTOR: usize = 512;
/// Disks that are looked at at a time.
const AT_ONCE: usize = 4;
/// The number of last answers before the cut whose messages are looked for by name. For the rest, the check is that
/// nothing is missing in between.
const BY_NAME: usize = 8;

pub enum Entry {
    Write { file: String, offset: usize, bytes: Vec<u8> },
    Truncate { file: String, length: usize },
    Durable { file: String },
    Removed { file: String },
    Said(Said),
}

/// An answer of success.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Said {
    /// Session and id.
    pub name: (String, String),
    pub seq: i64,
}

/// The database's part of a record, and the answers in it.
pub fn entries(record: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut rest = record;
    while let Some((head, more)) = rest.split_at_checked(2) {
        let (name, more) = more.split_at(head[1].into());
        let (offset, more) = more.split_at(8);
        let (length, more) = more.split_at(4);
        let (bytes, more) = match head[0] {
            b'W' | b'A' => more.split_at(u32::from_ne_bytes(length.try_into().unwrap()) as usize),
            _ => (&[][..], more),
        };
        rest = more;
        let file = String::from_utf8(name.to_vec()).unwrap();
        let offset = u64::from_ne_bytes(offset.try_into().unwrap()) as usize;
        match head[0] {
            b'A' => entries.extend(answer(bytes).map(Entry::Said)),
            _ if !file.starts_with("verbatim.db") => {}
            b'W' => entries.push(Entry::Write { file, offset, bytes: bytes.to_vec() }),
            b'T' => entries.push(Entry::Truncate { file, length: offset }),
            b'S' => entries.push(Entry::Durable { file }),
            b'U' => entries.push(Entry::Removed { file }),
            kind => panic!("a record of kind {kind}"),
        }
    }
    entries
}

fn answer(bytes: &[u8]) -> Option<Said> {
    let text = std::str::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    if !head.starts_with("HTTP/1.1 20") {
        return None;
    }
    let body: Value = serde_json::from_str(body).ok()?;
    let word = |name: &str| body[name].as_str().map(str::to_owned);
    Some(Said { name: (word("session_id")?, word("id")?), seq: body["seq"].as_i64()? })
}

pub fn said(entries: &[Entry]) -> BTreeSet<Said> {
    let said = entries.iter().filter_map(|entry| match entry {
        Entry::Said(said) => Some(said.clone()),
        _ => None,
    });
    said.collect()
}

/// The outcome of many cuts.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub whole: usize,
    /// Cuts that took something back that was answered.
    pub lost: usize,
    /// Databases that are damaged, or have holes.
    pub faulty: usize,
    /// Databases that can't be opened or read.
    pub broken: usize,
    /// The first ones of what shouldn't be.
    pub examples: Vec<Verdict>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Whole,
    Lost(Said),
    Faulty(String),
    Broken(String),
}

impl Outcome {
    fn add(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Whole => &mut self.whole,
            Verdict::Lost(_) => &mut self.lost,
            Verdict::Faulty(_) => &mut self.faulty,
            Verdict::Broken(_) => &mut self.broken,
        } += 1;
        if verdict != Verdict::Whole && self.examples.len() < 5 {
            self.examples.push(verdict);
        }
    }
}

/// Files with their bytes.
type Disk = BTreeMap<String, Vec<u8>>;

/// Cuts at moments by chance, the same in each run on the same record.
pub async fn cut_everywhere(entries: Vec<Entry>, moments: usize) -> Outcome {
    let mut chance = Chance(0x9e37_79b9_7f4a_7c15);
    let mut points: Vec<usize> = (0..moments).map(|_| chance.below(entries.len())).collect();
    points.sort_unstable();
    let mut points = points.into_iter().peekable();
    let mut outcome = Outcome::default();
    let mut running = JoinSet::new();
    let mut durable = Disk::new();
    let mut pending: BTreeMap<String, Vec<&Entry>> = BTreeMap::new();
    let mut said: Vec<Said> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        while points.next_if_eq(&index).is_some() {
            let disk = after_a_cut(&durable, &pending, &mut chance);
            let said: Arc<[Said]> = said.clone().into();
            if running.len() >= AT_ONCE {
                outcome.add(running.join_next().await.unwrap().unwrap());
            }
            running.spawn(look(disk, said));
        }
        match entry {
            Entry::Write { file, .. } | Entry::Truncate { file, .. } => {
                pending.entry(file.clone()).or_default().push(entry);
            }
            Entry::Durable { file } => {
                let image = durable.entry(file.clone()).or_default();
                for entry in pending.remove(file).unwrap_or_default() {
                    apply(image, entry, &mut || true);
                }
            }
            Entry::Removed { file } => {
                durable.remove(file);
                pending.remove(file);
            }
            Entry::Said(new) => said.push(new.clone()),
        }
    }
    while let Some(verdict) = running.join_next().await {
        outcome.add(verdict.unwrap());
    }
    outcome
}

/// Returns the durable data, and of the rest none, some, most or all.
fn after_a_cut(durable: &Disk, pending: &BTreeMap<String, Vec<&Entry>>, chance: &mut Chance) -> Disk {
    let of_ten = [0, 3, 7, 10][chance.below(4)];
    let mut disk = durable.clone();
    for (file, entries) in pending {
        let mut image = disk.remove(file).unwrap_or_default();
        for entry in entries {
            apply(&mut image, entry, &mut || chance.below(10) < of_ten);
        }
        if durable.contains_key(file) || !image.is_empty() {
            disk.insert(file.clone(), image);
        }
    }
    disk
}

fn apply(image: &mut Vec<u8>, entry: &Entry, arrives: &mut impl FnMut() -> bool) {
    match entry {
        Entry::Write { offset, bytes, .. } => {
            for (index, sector) in bytes.chunks(SECTOR).enumerate() {
                if arrives() {
                    let from = offset + index * SECTOR;
                    let to = from + sector.len();
                    image.resize(image.len().max(to), 0);
                    image[from..to].copy_from_slice(sector);
                }
            }
        }
        Entry::Truncate { length, .. } if arrives() => image.resize(*length, 0),
        _ => {}
    }
}

/// Opens the disk as the next start of the server would.
async fn look(disk: Disk, said: Arc<[Said]>) -> Verdict {
    let folder = folder();
    for (file, bytes) in &disk {
        std::fs::write(folder.path().join(file), bytes).unwrap();
    }
    match open(folder.path(), &said).await {
        Ok(verdict) => verdict,
        Err(error) => Verdict::Broken(error.to_string()),
    }
}

async fn open(folder: &Path, said: &[Said]) -> Result<Verdict, StoreError> {
    // The copy is only read: it needn't reach a disk.
    let tuning = Tuning { durability: Durability::Off, ..Tuning::default() };
    let store = Store::open_with(&Database::Sqlite(folder.join("verbatim.db")), tuning).await?;
    let verdict = compare(&store, said).await;
    store.close().await;
    verdict
}

async fn compare(store: &Store, said: &[Said]) -> Result<Verdict, StoreError> {
    if let Some(fault) = store.faults().await?.pop() {
        return Ok(Verdict::Faulty(fault));
    }
    let workspace = store.workspace("default");
    let mut last: BTreeMap<&str, &Said> = BTreeMap::new();
    for said in said {
        let highest = last.entry(&said.name.0).or_insert(said);
        *highest = if said.seq > highest.seq { said } else { *highest };
    }
    for said in last.into_values().chain(said.iter().rev().take(BY_NAME)) {
        let session = model::SessionId::parse(said.name.0.clone()).unwrap();
        let id = model::MessageId::parse(said.name.1.clone()).unwrap();
        let found = workspace.message(&session, &id).await?;
        if found.is_none_or(|found| found.message.seq != said.seq) {
            return Ok(Verdict::Lost(said.clone()));
        }
    }
    Ok(Verdict::Whole)
}

/// In memory, where there is such a place.
fn folder() -> TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

struct Chance(u64);

impl Chance {
    fn below(&mut self, end: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 16) as usize % end
    }
}
