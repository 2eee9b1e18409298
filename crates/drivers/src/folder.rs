//! The files that an agent may ask us for: those of its session's folder.

use serde_json::{Value, json};
use std::ffi::OsString;
use std::io::{Error, ErrorKind, Read as _, Result, Write as _};
use std::path::{Component, Path, PathBuf};

/// Largest file that is read or written, in bytes.
const LARGEST: u64 = 16 << 20;

/// The folder of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folder {
    /// Without links and dots.
    path: PathBuf,
}

/// A path leads out of the session's folder.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{path}` is outside of the session's folder `{folder}`")]
pub struct OutsideFolder {
    /// As it was asked for.
    pub path: String,
    /// The session's folder.
    pub folder: String,
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    ///
    /// It isn't there, is no folder, or can't be entered.
    pub fn open(path: &Path) -> Result<Self> {
        let path = path.canonicalize()?;
        if !path.is_dir() {
            return Err(Error::new(ErrorKind::NotADirectory, format!("`{}` is not a folder", path.display())));
        }
        std::fs::read_dir(&path)?;
        Ok(Self { path })
    }

    /// The folder's path, without links.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns where a path leads, with links resolved. What doesn't exist yet is allowed where its folder exists within.
    ///
    /// # Errors
    ///
    /// [`OutsideFolder`], as the source of an [`ErrorKind::PermissionDenied`]; or what the file system says.
    pub fn resolve(&self, path: &str) -> Result<PathBuf> {
        let outside = || {
            let (path, folder) = (path.to_owned(), self.path.display().to_string());
            Error::new(ErrorKind::PermissionDenied, OutsideFolder { path, folder })
        };
        let asked = self.path.join(path);
        let mut existing = asked.as_path();
        let mut rest: Vec<OsString> = Vec::new();
        let real = loop {
            // A link that leads nowhere exists: it is never written through.
            match existing.symlink_metadata() {
                Ok(_) => break existing.canonicalize()?,
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
            match (existing.components().next_back(), existing.parent()) {
                (Some(Component::Normal(name)), Some(parent)) => {
                    rest.push(name.to_owned());
                    existing = parent;
                }
                _ => return Err(outside()),
            }
        };
        let real = rest.into_iter().rev().fold(real, |path, name| path.join(name));
        if real.starts_with(&self.path) { Ok(real) } else { Err(outside()) }
    }

    /// Reads a text file, from a line on (1 is the first), so many lines at most: `{"content": "..."}`.
    pub fn read_text(&self, path: &str, line: Option<usize>, limit: Option<usize>) -> Result<Value> {
        let file = open_regular(&self.resolve(path)?, std::fs::OpenOptions::new().read(true))?;
        let mut text = String::new();
        file.take(LARGEST + 1).read_to_string(&mut text)?;
        check_size(text.len())?;
        if line.is_none() && limit.is_none() {
            return Ok(json!({ "content": text }));
        }
        let first = line.unwrap_or(1).saturating_sub(1);
        let content: String = text.split_inclusive('\n').skip(first).take(limit.unwrap_or(usize::MAX)).collect();
        Ok(json!({ "content": content }))
    }

    /// Writes a text file; folders on the way are made.
    pub fn write_text(&self, path: &str, content: &str) -> Result<Value> {
        check_size(content.len())?;
        let path = self.resolve(path)?;
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let mut file = open_regular(&path, std::fs::OpenOptions::new().write(true).create(true))?;
        file.set_len(0)?;
        file.write_all(content.as_bytes())?;
        Ok(json!({}))
    }
}

fn check_size(bytes: usize) -> Result<()> {
    if bytes as u64 <= LARGEST {
        return Ok(());
    }
    Err(Error::new(ErrorKind::FileTooLarge, format!("files of at most {LARGEST} bytes are read and written")))
}

/// Opens a file that was resolved. A link that took its place meanwhile isn't followed, and a pipe isn't waited for.
fn open_regular(path: &Path, options: &mut std::fs::OpenOptions) -> Result<std::fs::File> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
        options.custom_flags(flags.bits() as i32);
    }
    let file = options.open(path)?;
    if !file.metadata()?.is_file() {
        return Err(Error::new(ErrorKind::InvalidInput, format!("`{}` is not a file", path.display())));
    }
    Ok(file)
}
