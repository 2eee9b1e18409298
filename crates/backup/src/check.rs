//! Reads backups through, without a server.

use crate::manifest::{Manifest, TableParts};
use crate::packed::hex;
use crate::vault::Vault;
use crate::{BackupError, Count, Report};
use std::collections::BTreeMap;
use std::path::Path;
use store::transfer::{Chain, count};

/// A backup that was read through.
#[derive(Debug)]
pub struct Checked {
    pub name: String,
    /// Its contents, or the error.
    pub manifest: Result<Manifest, BackupError>,
}

/// Returns the names of the backups of a folder or file, the oldest first, with what each consists of. Their parts aren't
/// read.
pub fn list(place: &Path) -> Result<Vec<Checked>, BackupError> {
    let vault = Vault::open(place)?;
    let names = vault.backups()?;
    Ok(names
        .into_iter()
        .map(|name| Checked { manifest: vault.manifest(Some(&name)).map(|(_, manifest)| manifest), name })
        .collect())
}

/// Reads every byte of all backups, or of the one named `name`: are they those that were written?
pub fn check(place: &Path, name: Option<&str>, report: Report<'_>) -> Result<Vec<Checked>, BackupError> {
    let vault = Vault::open(place)?;
    let names = match name {
        Some(_) => vec![vault.manifest(name)?.0],
        None => vault.backups()?,
    };
    if names.is_empty() {
        return Err(BackupError::Empty(place.to_owned()));
    }
    let mut reading = Reading { vault: &vault, whole: BTreeMap::new(), count: Count::new(report, None) };
    Ok(names.into_iter().map(|name| Checked { manifest: reading.backup(&name), name }).collect())
}

struct Reading<'a> {
    vault: &'a Vault,
    /// Rows of the parts that were read, by name and columns: most backups of a folder share them.
    whole: BTreeMap<(String, usize), u64>,
    count: Count<'a>,
}

impl Reading<'_> {
    fn backup(&mut self, name: &str) -> Result<Manifest, BackupError> {
        let (_, manifest) = self.vault.manifest(Some(name))?;
        for table in &manifest.tables {
            self.table(name, table)?;
        }
        for file in &manifest.files {
            self.vault.part(&file.part)?;
        }
        Ok(manifest)
    }

    fn table(&mut self, name: &str, table: &TableParts) -> Result<(), BackupError> {
        let damaged = |reason: String| BackupError::Damaged { file: format!("backups/{name}"), reason };
        let (mut rows, mut chain) = (0, Chain::default());
        for part in &table.parts {
            let number = self.rows_of(part, table)?;
            rows += number;
            chain.add(&unhex(part).ok_or_else(|| damaged(format!("{part} is no name of a part")))?);
        }
        if rows != table.rows || hex(&chain.0) != table.chain {
            return Err(damaged(format!("table {} doesn't have the rows that it says", table.name)));
        }
        Ok(())
    }

    fn rows_of(&mut self, part: &str, table: &TableParts) -> Result<u64, BackupError> {
        let columns = table.columns.len();
        let key = (part.to_owned(), columns);
        if let Some(rows) = self.whole.get(&key) {
            return Ok(*rows);
        }
        let content = self.vault.part(part)?;
        let rows = count(&content, columns)?;
        self.count.add(&table.name, rows, content.len());
        self.whole.insert(key, rows);
        Ok(rows)
    }
}

fn unhex(text: &str) -> Option<[u8; 32]> {
    let mut bytes = [0; 32];
    for (at, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(2 * at..2 * at + 2)?, 16).ok()?;
    }
    (text.len() == 64).then_some(bytes)
}
