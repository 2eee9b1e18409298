//! Claude Code's settings file: read whole, and replaced only as it was read.

use anyhow::{Context as _, Result, anyhow, bail};
use serde_json::{Map, Value};
use std::io::{ErrorKind, Write as _};
use std::path::{Path, PathBuf};

/// Between the file's name and the number of its backup.
const BACKUP: &str = ".before-verbatim";

/// A file and its bytes; None if there is none yet.
pub struct SettingsFile {
    /// Where it is, whatever links lead there.
    path: PathBuf,
    bytes: Option<Vec<u8>>,
}

impl SettingsFile {
    pub fn read(path: &Path) -> Result<Self> {
        let real = match path.canonicalize() {
            Ok(real) => real,
            Err(error) if error.kind() == ErrorKind::NotFound => path.to_owned(),
            Err(error) => return Err(anyhow!("{} can't be read: {error}", path.display())),
        };
        Ok(Self { bytes: bytes(&real)?, path: real })
    }

    /// For people.
    pub fn name(&self) -> String {
        self.path.display().to_string()
    }

    /// Returns what it holds, in its order.
    pub fn settings(&self) -> Result<Map<String, Value>> {
        let Some(bytes) = self.bytes.as_deref().filter(|bytes| !bytes.trim_ascii().is_empty()) else {
            return Ok(Map::new());
        };
        match serde_json::from_slice(bytes) {
            Ok(Value::Object(settings)) => Ok(settings),
            Ok(_) => bail!("{} should hold a JSON object\nNothing was changed", self.name()),
            Err(error) => bail!(
                "{} is no plain JSON: {error}\nComments and commas at the end of a list aren't JSON: take them out, and run this again. \
                 Nothing was changed",
                self.name()
            ),
        }
    }

    /// Writes other settings in its place, and returns where what it was is kept.
    pub fn replace(&self, settings: &Map<String, Value>) -> Result<Option<PathBuf>> {
        let backup = match &self.bytes {
            Some(bytes) => Some(self.back_up(bytes)?),
            None => None,
        };
        self.write(&self.text(settings)?)?;
        Ok(backup)
    }

    /// Writes what is left of it. Returns true if that is what a backup holds, whose bytes are then taken.
    pub fn restore(&self, settings: &Map<String, Value>) -> Result<bool> {
        let backups = (1..).map(|number| self.backup(number)).take_while(|path| path.exists());
        let backups: Vec<PathBuf> = backups.collect();
        for backup in backups.iter().rev() {
            let Some(bytes) = bytes(backup)? else { continue };
            if serde_json::from_slice::<Map<String, Value>>(&bytes).is_ok_and(|before| same(&before, settings)) {
                self.write(&bytes)?;
                return Ok(true);
            }
        }
        if settings.is_empty() && backups.is_empty() {
            self.check_unchanged()?;
            std::fs::remove_file(&self.path).with_context(|| format!("{} can't be removed", self.name()))?;
            return Ok(true);
        }
        self.write(&self.text(settings)?)?;
        Ok(false)
    }

    /// As Claude Code writes it, or with the indent that it has.
    fn text(&self, settings: &Map<String, Value>) -> Result<Vec<u8>> {
        let old = self.bytes.as_deref().map(String::from_utf8_lossy).unwrap_or_default();
        let indent: String = old
            .lines()
            .map(|line| line.chars().take_while(|c| matches!(c, ' ' | '\t')).collect::<String>())
            .find(|indent| !indent.is_empty())
            .unwrap_or_else(|| "  ".to_owned());
        let mut text = Vec::new();
        let formatter = serde_json::ser::PrettyFormatter::with_indent(indent.as_bytes());
        let mut writer = serde_json::Serializer::with_formatter(&mut text, formatter);
        serde::Serialize::serialize(settings, &mut writer)?;
        if old.is_empty() || old.ends_with('\n') {
            text.push(b'\n');
        }
        Ok(text)
    }

    fn backup(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!("{BACKUP}.{number}"));
        name.into()
    }

    /// Keeps the bytes in a file of their own, once.
    fn back_up(&self, bytes: &[u8]) -> Result<PathBuf> {
        for number in 1.. {
            let path = self.backup(number);
            match self::bytes(&path)? {
                Some(kept) if kept == bytes => return Ok(path),
                Some(_) => {}
                None => {
                    private(&path, bytes)?;
                    return Ok(path);
                }
            }
        }
        bail!("there are too many backups of {}", self.name())
    }

    fn check_unchanged(&self) -> Result<()> {
        if bytes(&self.path)? != self.bytes {
            bail!("{} was changed meanwhile\nRun this again: nothing was changed by it", self.name());
        }
        Ok(())
    }

    /// All of it or nothing: a new file takes the place of the old one.
    fn write(&self, new: &[u8]) -> Result<()> {
        let metadata = std::fs::metadata(&self.path).ok();
        if metadata.as_ref().is_some_and(|metadata| metadata.permissions().readonly()) {
            bail!("{} is read-only\nMake it writable, and run this again: nothing was changed", self.name());
        }
        let dir = self.path.parent().context("the settings file is in no folder")?;
        std::fs::create_dir_all(dir).with_context(|| format!("{} can't be made", dir.display()))?;
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{}.new", std::process::id()));
        let temporary = PathBuf::from(name);
        let replace = || -> Result<()> {
            private(&temporary, new)?;
            if let Some(metadata) = &metadata {
                let _ = std::fs::set_permissions(&temporary, metadata.permissions());
            }
            self.check_unchanged()?;
            std::fs::rename(&temporary, &self.path).with_context(|| format!("{} can't be written", self.name()))
        };
        replace().inspect_err(|_| {
            let _ = std::fs::remove_file(&temporary);
        })
    }
}

/// Equal, with the same keys in the same order.
fn same(one: &Map<String, Value>, other: &Map<String, Value>) -> bool {
    serde_json::to_vec(one).ok() == serde_json::to_vec(other).ok()
}

fn bytes(path: &Path) -> Result<Option<Vec<u8>>> {
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(anyhow!("{} can't be read: {error}", path.display())),
    }
}

/// Makes a file that only its owner reads.
fn private(path: &Path, bytes: &[u8]) -> Result<()> {
    let write = || -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(path)?;
        file.write_all(bytes)?;
        file.sync_all()
    };
    write().with_context(|| format!("{} can't be written\nNothing was changed", path.display()))
}

#[cfg(test)]
mod tests {
    use super::SettingsFile;
    use serde_json::json;

    #[test]
    fn what_was_edited_meanwhile_stays() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.json");
        std::fs::write(&path, "{\"a\": 1}").unwrap();
        let file = SettingsFile::read(&path).unwrap();
        std::fs::write(&path, "{\"a\": 2}").unwrap();
        let error = file.replace(json!({"b": 1}).as_object().unwrap()).unwrap_err();
        assert!(error.to_string().contains("was changed meanwhile"), "{error}");
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"a\": 2}");
    }
}
