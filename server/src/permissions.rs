//! Permissions of the data directory: only its owner can read it.

use crate::data_dir;
use std::io;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A file or folder of ours that others may read or change.
pub struct Wide {
    pub path: PathBuf,
    /// The rights that it has, as `chmod` takes them.
    pub mode: u32,
    /// The rights that it should have. None of a folder that holds files of others as well, and is left as it is.
    pub wanted: Option<u32>,
}

impl Wide {
    /// Returns the message for a person.
    pub fn describe(&self) -> String {
        format!("{} is open to others (mode {:04o})", self.path.display(), self.mode)
    }

    /// Returns the advice for a person.
    pub fn advice(&self) -> String {
        match self.wanted {
            Some(wanted) => format!("`chmod {wanted:o}` it, or start `verbatim serve`, which does"),
            None => {
                "it contains files of other programs, so its permissions aren't changed; choose another folder with `--data-dir`"
                    .to_owned()
            }
        }
    }

    #[cfg(unix)]
    fn tighten(&self) -> Option<io::Result<()>> {
        use std::os::unix::fs::PermissionsExt as _;
        let permissions = std::fs::Permissions::from_mode(self.wanted?);
        Some(std::fs::set_permissions(&self.path, permissions))
    }

    #[cfg(not(unix))]
    fn tighten(&self) -> Option<io::Result<()>> {
        None
    }
}

/// Returns what in a data directory is open to others, the directory itself first.
#[cfg(unix)]
pub fn wide(dir: &Path) -> Vec<Wide> {
    use std::os::unix::fs::PermissionsExt as _;
    const OTHERS: u32 = 0o077;
    let mode = |path: &Path| path.metadata().ok().map(|metadata| metadata.permissions().mode() & 0o7777);
    let open = |path: &Path| mode(path).filter(|mode| mode & OTHERS != 0);
    if !dir.is_dir() {
        return Vec::new();
    }
    let (mut files, mut shared) = (Vec::new(), false);
    for entry in std::fs::read_dir(dir).into_iter().flatten().filter_map(Result::ok) {
        let path = entry.path();
        let is_folder = [data_dir::TRANSCRIPTS, data_dir::MACHINES].iter().any(|name| entry.file_name() == *name);
        if path.is_dir() && is_folder {
            files.extend(open(&path).map(|mode| Wide { path, mode, wanted: Some(0o700) }));
        } else if path.is_dir() || !data_dir::is_ours(&entry.file_name()) {
            shared = true;
        } else if let Some(mode) = open(&path) {
            files.push(Wide { path, mode, wanted: Some(0o600) });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let wanted = (!shared).then_some(0o700);
    let dir = open(dir).map(|mode| Wide { path: dir.to_owned(), mode, wanted });
    dir.into_iter().chain(files).collect()
}

#[cfg(not(unix))]
pub fn wide(_dir: &Path) -> Vec<Wide> {
    Vec::new()
}

/// Makes a folder for a while that its owner alone can read.
pub fn temporary_dir() -> io::Result<TempDir> {
    let mut builder = tempfile::Builder::new();
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    builder.tempdir()
}

/// Takes from others what they may do in a data directory, and says so.
pub fn tighten(dir: &Path) {
    for wide in wide(dir) {
        match wide.tighten() {
            Some(Ok(())) => tracing::warn!("{}: only you can read it from now on", wide.describe()),
            Some(Err(error)) => tracing::warn!("{}, and that can't be changed: {error}", wide.describe()),
            None => tracing::warn!("{}; {}", wide.describe(), wide.advice()),
        }
    }
}
