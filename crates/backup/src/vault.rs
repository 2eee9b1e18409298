//! Where the files of backups lie: in a folder, or in one tar file with the same names.

mod folder;
mod tarball;

use crate::BackupError;
use crate::manifest::Manifest;
use crate::packed::{hex, unpack};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub(crate) use folder::Lock;

/// The file that tells a folder of backups from others.
const MARKER: &str = "verbatim-backup";
const MARKED: &[u8] = b"Backups of Verbatim, format 1\n";
/// Behind the name of a file that isn't complete.
const BEGUN: &str = ".begun";
/// The folder of manifests.
const BACKUPS: &str = "backups";

/// Returns the name of a part's file.
fn part_name(part: &str) -> String {
    format!("parts/{}/{part}", part.get(..2).unwrap_or_default())
}

/// Reads backups.
pub(crate) enum Vault {
    Folder(PathBuf),
    Tar(tarball::Reader),
}

impl Vault {
    pub(crate) fn open(place: &Path) -> Result<Self, BackupError> {
        if place.is_dir() {
            let marker = place.join(MARKER);
            return match std::fs::read(&marker) {
                Ok(text) if text == MARKED => Ok(Self::Folder(place.to_owned())),
                Ok(_) => Err(BackupError::Damaged {
                    file: marker.display().to_string(),
                    reason: "it isn't what a folder of backups has there".to_owned(),
                }),
                Err(_) => Err(BackupError::NotOne(place.to_owned())),
            };
        }
        tarball::Reader::open(place).map(Self::Tar)
    }

    fn place(&self) -> &Path {
        match self {
            Self::Folder(folder) => folder,
            Self::Tar(tar) => tar.path(),
        }
    }

    /// How a file is named for people.
    fn shown(&self, name: &str) -> String {
        match self {
            Self::Folder(folder) => folder.join(name).display().to_string(),
            Self::Tar(tar) => format!("{} in {}", name, tar.path().display()),
        }
    }

    /// Names of backups, the oldest first.
    pub(crate) fn backups(&self) -> Result<Vec<String>, BackupError> {
        match self {
            Self::Folder(folder) => folder::names(&folder.join(BACKUPS)),
            Self::Tar(tar) => Ok(tar.backups()),
        }
    }

    /// Returns the newest backup, or the one with this name.
    pub(crate) fn manifest(&self, name: Option<&str>) -> Result<(String, Manifest), BackupError> {
        let names = self.backups()?;
        let place = || self.place().to_owned();
        let name = match name {
            None => names.last().cloned().ok_or_else(|| BackupError::Empty(place()))?,
            Some(name) if names.iter().any(|it| it == name) => name.to_owned(),
            Some(name) => return Err(BackupError::Unknown { place: place(), name: name.to_owned() }),
        };
        let file = format!("{BACKUPS}/{name}");
        let manifest = Manifest::read(&self.shown(&file), &self.read(&file)?)?;
        Ok((name, manifest))
    }

    /// Removes the parts of a folder that no backup has.
    pub(crate) fn remove_others(folder: &Path, used: &BTreeSet<&str>) -> Result<(), BackupError> {
        folder::remove_others(&folder.join("parts"), used)
    }

    /// Returns the content of a part, which is what its name says.
    pub(crate) fn part(&self, part: &str) -> Result<Vec<u8>, BackupError> {
        let name = part_name(part);
        let damaged = |reason| BackupError::Damaged { file: self.shown(&name), reason };
        let content = unpack(&self.read(&name)?).map_err(damaged)?;
        if hex(&Sha256::digest(&content).into()) == part {
            return Ok(content);
        }
        Err(damaged("it holds another part".to_owned()))
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, BackupError> {
        match self {
            Self::Folder(folder) => folder::read(&folder.join(name)),
            Self::Tar(tar) => tar.read(name)?.ok_or_else(|| BackupError::Missing { file: self.shown(name) }),
        }
    }
}

/// Returns true for the name of a file for one backup: it ends in `.tar`. Any other one is a folder's.
pub fn is_file(place: &Path) -> bool {
    place.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("tar"))
}

/// Writes a backup.
pub(crate) enum Writer {
    Folder(folder::Writer),
    Tar(tarball::Writer),
}

impl Writer {
    /// A file must not exist; a folder may.
    pub(crate) fn open(place: &Path) -> Result<Self, BackupError> {
        if is_file(place) {
            return tarball::Writer::open(place).map(Self::Tar);
        }
        folder::Writer::open(place).map(Self::Folder)
    }

    /// Returns true if the part is there already.
    pub(crate) fn has(&self, part: &str) -> bool {
        match self {
            Self::Folder(folder) => folder.has(&part_name(part)),
            Self::Tar(tar) => tar.has(&part_name(part)),
        }
    }

    /// Writes the file of a part.
    pub(crate) fn part(&mut self, part: &str, file: &[u8]) -> Result<(), BackupError> {
        match self {
            Self::Folder(folder) => folder.write(&part_name(part), file),
            Self::Tar(tar) => tar.write(&part_name(part), file),
        }
    }

    /// Writes the manifest, by which the backup exists. Returns its name.
    pub(crate) fn finish(self, manifest: &Manifest) -> Result<String, BackupError> {
        let name = manifest.name();
        match self {
            Self::Folder(folder) => folder.finish(&name, manifest),
            Self::Tar(tar) => tar.finish(&name, manifest),
        }
    }
}
