//! The files of a package, and archives of them: the same bytes for the same files.
use std::{collections::BTreeMap, io::Write};

use anyhow::{Context, Result};
use flate2::{Compression, write::GzEncoder};
use tar::{Builder, EntryType, Header};

/// Files and folders by their paths, which are relative and separated by `/`.
#[derive(Clone, Default)]
pub struct Files(BTreeMap<String, Entry>);

#[derive(Clone)]
struct Entry {
    mode: u32,
    owner: u64,
    /// None of a folder.
    content: Option<Vec<u8>>,
}

impl Files {
    /// Adds a file that everybody can read.
    pub fn add(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.insert(path, 0o644, 0, Some(content.into()));
    }

    /// Adds a file that everybody can read and start.
    pub fn add_program(&mut self, path: &str, content: impl Into<Vec<u8>>) {
        self.insert(path, 0o755, 0, Some(content.into()));
    }

    /// Adds an empty folder of a user.
    pub fn add_folder(&mut self, path: &str, mode: u32, owner: u64) {
        self.insert(path, mode, owner, None);
    }

    fn insert(&mut self, path: &str, mode: u32, owner: u64, content: Option<Vec<u8>>) {
        self.0.insert(path.to_owned(), Entry { mode, owner, content });
    }

    /// Iterates over paths, modes and contents, without folders.
    pub fn iter(&self) -> impl Iterator<Item = (&str, u32, &[u8])> {
        self.0.iter().filter_map(|(path, entry)| Some((&**path, entry.mode, entry.content.as_deref()?)))
    }

    /// Returns a tar archive, with the folders that lead to each file. All times are `time`, in seconds since 1970.
    pub fn tar(&self, prefix: &str, time: u64) -> Result<Vec<u8>> {
        let mut all = self.0.clone();
        for path in self.0.keys() {
            for (at, _) in path.match_indices('/') {
                let folder = || Entry { mode: 0o755, owner: 0, content: None };
                all.entry(path[..at].to_owned()).or_insert_with(folder);
            }
        }
        let mut archive = Builder::new(Vec::new());
        for (path, entry) in &all {
            let mut header = Header::new_gnu();
            header.set_mtime(time);
            header.set_mode(entry.mode);
            header.set_uid(entry.owner);
            header.set_gid(entry.owner);
            let content = entry.content.as_deref().unwrap_or_default();
            header.set_size(content.len() as u64);
            if entry.content.is_some() {
                header.set_entry_type(EntryType::Regular);
                append(&mut archive, &mut header, &format!("{prefix}{path}"), content)?;
            } else {
                header.set_entry_type(EntryType::Directory);
                append(&mut archive, &mut header, &format!("{prefix}{path}/"), content)?;
            }
        }
        Ok(archive.into_inner()?)
    }
}

/// Appends with the path as it is: `Builder::append_data` takes a leading `./` away, which `dpkg` wants.
fn append(archive: &mut Builder<Vec<u8>>, header: &mut Header, path: &str, content: &[u8]) -> Result<()> {
    let name = header.as_gnu_mut().context("the header isn't one of GNU tar")?.name.get_mut(..path.len());
    name.with_context(|| format!("the path is longer than 100 bytes: {path}"))?.copy_from_slice(path.as_bytes());
    header.set_cksum();
    archive.append(header, content)?;
    Ok(())
}

/// Compresses, without a name or a time in the header.
pub fn gzip(content: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(content)?;
    Ok(encoder.finish()?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Read as _;

    #[test]
    fn an_archive_is_sorted_complete_and_the_same_each_time() {
        let mut files = Files::default();
        files.add("usr/share/doc/a", "A");
        files.add_program("usr/bin/b", "B");
        files.add_folder("data", 0o700, 7);
        let bytes = files.tar("./", 5).unwrap();
        assert_eq!(bytes, files.clone().tar("./", 5).unwrap());
        let mut archive = tar::Archive::new(&*bytes);
        let entries = archive.entries().unwrap().map(|entry| {
            let mut entry = entry.unwrap();
            let mut content = String::new();
            entry.read_to_string(&mut content).unwrap();
            let header = entry.header();
            let path = String::from_utf8(header.path_bytes().into_owned()).unwrap();
            let mode = header.mode().unwrap();
            format!("{path} {mode:o} {} {} {content}", header.uid().unwrap(), header.mtime().unwrap())
        });
        assert_eq!(
            entries.collect::<Vec<_>>(),
            [
                "./data/ 700 7 5 ",
                "./usr/ 755 0 5 ",
                "./usr/bin/ 755 0 5 ",
                "./usr/bin/b 755 0 5 B",
                "./usr/share/ 755 0 5 ",
                "./usr/share/doc/ 755 0 5 ",
                "./usr/share/doc/a 644 0 5 A",
            ]
        );
    }
}
