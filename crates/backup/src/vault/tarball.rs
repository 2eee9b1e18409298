//! One backup in a tar file, with the names of a folder.

use super::{BACKUPS, BEGUN, MARKED, MARKER};
use crate::BackupError;
use crate::manifest::Manifest;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use store::{private_file, with_suffix};
use tar::{Archive, Builder, EntryType, Header};

/// Length of tar's records: what is shorter is filled up with zeros.
const RECORD: u64 = 512;

/// Reads a file, whose entries it knows.
#[derive(Debug)]
pub(crate) struct Reader {
    path: PathBuf,
    file: Mutex<File>,
    /// Where each entry's bytes begin, and how many there are.
    entries: BTreeMap<String, (u64, u64)>,
}

impl Reader {
    /// # Errors
    ///
    /// [`BackupError::Damaged`] if anything of the file but the content of its entries, which are looked at as they are
    /// read, isn't what was written.
    pub(super) fn open(path: &Path) -> Result<Self, BackupError> {
        let damaged =
            |reason: &str| BackupError::Damaged { file: path.display().to_string(), reason: reason.to_owned() };
        let at = BackupError::at(path);
        let file = File::open(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => BackupError::NotOne(path.to_owned()),
            _ => at(error),
        })?;
        let len = file.metadata().map_err(&at)?.len();
        let mut archive = Archive::new(&file);
        let mut entries = BTreeMap::new();
        let mut end = 0;
        // Whatever the crate says of a header that was changed.
        let torn = |_| damaged("an entry of it can't be read");
        for entry in archive.entries_with_seek().map_err(torn)? {
            let entry = entry.map_err(torn)?;
            let name = entry.path().map_err(torn)?.to_string_lossy().into_owned();
            if entries.is_empty() && name != MARKER {
                return Err(BackupError::NotOne(path.to_owned()));
            }
            end = entry.raw_file_position() + entry.size();
            entries.insert(name, (entry.raw_file_position(), entry.size()));
        }
        if entries.is_empty() {
            return Err(BackupError::NotOne(path.to_owned()));
        }
        let reader = Self { path: path.to_owned(), file: Mutex::new(file), entries };
        let gaps = reader.entries.values().map(|(start, size)| (start + size, (start + size).next_multiple_of(RECORD)));
        let last = (end.next_multiple_of(RECORD), len);
        for (from, to) in gaps.chain([last]).collect::<Vec<_>>() {
            if to > len || reader.bytes(from, to.saturating_sub(from))?.iter().any(|byte| *byte != 0) {
                return Err(damaged("it isn't what was written"));
            }
        }
        if len < end.next_multiple_of(RECORD) + 2 * RECORD {
            return Err(damaged("its end is missing"));
        }
        if reader.read(MARKER)?.as_deref() != Some(MARKED) {
            return Err(damaged("it isn't what a backup begins with"));
        }
        Ok(reader)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    pub(super) fn backups(&self) -> Vec<String> {
        let names = self.entries.keys().filter_map(|name| name.strip_prefix(BACKUPS)?.strip_prefix('/'));
        names.map(str::to_owned).collect()
    }

    pub(super) fn read(&self, name: &str) -> Result<Option<Vec<u8>>, BackupError> {
        self.entries.get(name).map(|(start, size)| self.bytes(*start, *size)).transpose()
    }

    fn bytes(&self, start: u64, len: u64) -> Result<Vec<u8>, BackupError> {
        let mut file = self.file.lock().map_err(|_| BackupError::Ended)?;
        let mut bytes = Vec::new();
        file.seek(SeekFrom::Start(start))
            .and_then(|_| (&mut *file).take(len).read_to_end(&mut bytes))
            .map_err(BackupError::at(&self.path))?;
        Ok(bytes)
    }
}

/// Writes a file.
pub(crate) struct Writer {
    path: PathBuf,
    /// The file until it is complete.
    begun: PathBuf,
    builder: Builder<File>,
    names: BTreeSet<String>,
}

impl Writer {
    pub(super) fn open(path: &Path) -> Result<Self, BackupError> {
        if path.exists() {
            return Err(BackupError::Exists(path.to_owned()));
        }
        let begun = with_suffix(path, BEGUN);
        let at = BackupError::at(path);
        let file = private_file(&begun).map_err(&at)?;
        file.set_len(0).map_err(&at)?;
        let mut writer = Self { path: path.to_owned(), begun, builder: Builder::new(file), names: BTreeSet::new() };
        writer.write(MARKER, MARKED)?;
        Ok(writer)
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    pub(super) fn write(&mut self, name: &str, bytes: &[u8]) -> Result<(), BackupError> {
        let mut header = Header::new_ustar();
        header.set_entry_type(EntryType::Regular);
        header.set_mode(0o600);
        header.set_size(bytes.len() as u64);
        self.names.insert(name.to_owned());
        self.builder.append_data(&mut header, name, bytes).map_err(BackupError::at(&self.path))
    }

    pub(super) fn finish(mut self, name: &str, manifest: &Manifest) -> Result<String, BackupError> {
        let path = self.path.clone();
        let at = BackupError::at(&path);
        let file = manifest.write().map_err(&at)?;
        self.write(&format!("{BACKUPS}/{name}"), &file)?;
        self.builder.finish().and_then(|()| self.builder.get_ref().sync_all()).map_err(&at)?;
        // Another one may have come meanwhile: a link, unlike a new name, replaces nothing.
        std::fs::hard_link(&self.begun, &path).map_err(|error| match error.kind() {
            std::io::ErrorKind::AlreadyExists => BackupError::Exists(path.clone()),
            _ => at(error),
        })?;
        Ok(name.to_owned())
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.begun);
    }
}
