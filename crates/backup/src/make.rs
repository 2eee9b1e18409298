//! Makes a backup of a database, beside the server that writes it.

use crate::manifest::{FORMAT, FilePart, Manifest, TableParts};
use crate::packed::{hex, pack};
use crate::vault::Writer;
use crate::{BackupError, Count, Keep, Report, keep};
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use std::path::{Path, PathBuf};
use store::Database;
use store::transfer::{Chain, Part, Source, Table};
use tokio::sync::mpsc;

/// Parts that wait for the thread that packs and writes them.
const WAITING: usize = 2;

/// A backup that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Made {
    pub name: String,
    pub manifest: Manifest,
    /// Parts that the folder didn't have before, and their bytes on the disk.
    pub new_parts: u64,
    pub new_bytes: u64,
    /// Backups that were removed, by name.
    pub removed: Vec<String>,
}

/// The input of a backup.
#[derive(Debug, Clone, Copy)]
pub struct Order<'a> {
    pub database: &'a Database,
    /// The folder of the server's other files; `files` of them belong to the backup where they exist.
    pub data_dir: &'a Path,
    pub files: &'a [&'a str],
    /// A folder, or a file that ends in `.tar`.
    pub place: &'a Path,
    pub keep: Option<&'a Keep>,
    /// Version of this program.
    pub version: &'a str,
    pub now: Timestamp,
}

/// Makes a backup. Calls `report` for each part.
pub async fn make(order: Order<'_>, report: Report<'_>) -> Result<Made, BackupError> {
    outside(order.place, order.data_dir)?;
    let mut source = Source::open(order.database).await?;
    let place = order.place.to_owned();
    let writer = blocking(move || Writer::open(&place)).await?;
    let (sender, receiver) = mpsc::channel(WAITING);
    let packing = blocking(move || Packing::run(writer, receiver));
    let (read, packing) = tokio::join!(read(&mut source, sender, report), packing);
    // Its error says more: without it, reading ends early.
    let mut packing = packing?;
    read?;
    let schema = source.schema;
    source.close().await?;
    let files: Vec<PathBuf> = order.files.iter().map(|name| order.data_dir.join(name)).collect();
    let (made_at, version) = (order.now.to_string(), order.version.to_owned());
    let (place, keep) = (order.place.to_owned(), order.keep.cloned());
    let finish = move || {
        let files = packing.files(&files)?;
        let tables = std::mem::take(&mut packing.tables);
        let manifest = Manifest { format: FORMAT, made_at, version, schema, tables, files };
        let name = packing.writer.finish(&manifest)?;
        let removed = keep.map_or(Ok(Vec::new()), |keep| keep::prune(&place, &keep))?;
        Ok(Made { name, manifest, new_parts: packing.new_parts, new_bytes: packing.new_bytes, removed })
    };
    blocking(finish).await
}

/// Does what reads and writes files on a thread for that.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, BackupError> + Send + 'static,
) -> Result<T, BackupError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| BackupError::Ended)?
}

/// Refuses a place in the data directory: who loses the one would lose the other.
pub fn outside(place: &Path, data_dir: &Path) -> Result<(), BackupError> {
    let real = |path: &Path| {
        let absolute = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        // The place may not exist yet, and a folder above it may be a link.
        let there = absolute.ancestors().find_map(|it| Some((it.canonicalize().ok()?, it.to_owned())));
        there.map_or(absolute.clone(), |(real, above)| match absolute.strip_prefix(&above) {
            Ok(rest) => real.join(rest),
            Err(_) => real,
        })
    };
    if real(place).starts_with(real(data_dir)) {
        return Err(BackupError::Inside(place.to_owned()));
    }
    Ok(())
}

enum Step {
    Table(Table),
    Part(Part),
}

async fn read(source: &mut Source, sender: mpsc::Sender<Step>, report: Report<'_>) -> Result<(), BackupError> {
    let mut count = Count::new(report, Some(source.size));
    // Where nobody takes steps, the thread that did says why.
    let send = async |step| sender.send(step).await.map_err(|_| BackupError::Ended);
    for table in source.tables.clone() {
        send(Step::Table(table.clone())).await?;
        let take = async |part: Part| {
            count.add(&table.name, part.rows, part.bytes.len());
            send(Step::Part(part)).await
        };
        source.read(&table, take).await?;
    }
    Ok(())
}

/// The thread that packs parts and writes them.
struct Packing {
    writer: Writer,
    tables: Vec<TableParts>,
    chain: Chain,
    new_parts: u64,
    new_bytes: u64,
}

impl Packing {
    fn run(writer: Writer, mut steps: mpsc::Receiver<Step>) -> Result<Self, BackupError> {
        let mut packing = Self { writer, tables: Vec::new(), chain: Chain::default(), new_parts: 0, new_bytes: 0 };
        while let Some(step) = steps.blocking_recv() {
            match step {
                Step::Table(table) => packing.begin(table),
                Step::Part(part) => packing.part(&part)?,
            }
        }
        Ok(packing)
    }

    fn begin(&mut self, table: Table) {
        self.chain = Chain::default();
        let (name, columns) = (table.name, table.columns);
        let chain = hex(&self.chain.0);
        self.tables.push(TableParts { name, columns, rows: 0, bytes: 0, chain, parts: Vec::new() });
    }

    fn part(&mut self, part: &Part) -> Result<(), BackupError> {
        let hash = part.sha256();
        let name = self.store(&hash, &part.bytes)?;
        self.chain.add(&hash);
        if let Some(table) = self.tables.last_mut() {
            table.rows += part.rows;
            table.bytes += part.bytes.len() as u64;
            table.chain = hex(&self.chain.0);
            table.parts.push(name);
        }
        Ok(())
    }

    /// Writes a part that isn't there yet. Returns its name.
    fn store(&mut self, hash: &[u8; 32], content: &[u8]) -> Result<String, BackupError> {
        let name = hex(hash);
        if !self.writer.has(&name) {
            let file = pack(content).map_err(BackupError::at(Path::new(&name)))?;
            self.writer.part(&name, &file)?;
            self.new_parts += 1;
            self.new_bytes += file.len() as u64;
        }
        Ok(name)
    }

    fn files(&mut self, paths: &[PathBuf]) -> Result<Vec<FilePart>, BackupError> {
        let mut files = Vec::new();
        for path in paths.iter().filter(|path| path.is_file()) {
            let content = std::fs::read(path).map_err(BackupError::at(path))?;
            let part = self.store(&Sha256::digest(&content).into(), &content)?;
            files.push(FilePart { name: path.file_name().unwrap_or_default().to_string_lossy().into_owned(), part });
        }
        Ok(files)
    }
}
