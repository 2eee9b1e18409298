//! A folder that is one conversation: each of its events lies in a file of its own,
//! `<conversation>/events/event-00012-<id>.json` of `OpenHands`, and a call and its result in two of them.
//!
//! The stored and exported file is a document, `events.jsonl`, with a line for each event, in the order of their
//! numbers.

use crate::context::Hub;
use crate::context::retry::retry_transient;
use crate::imports::name::name;
use crate::imports::open::Opened;
use crate::imports::transcript::{Ending, Step, Transcript};
use crate::imports::{open, recognise};
use std::collections::BTreeMap;
use std::io::{BufWriter, Error, IntoInnerError, Read as _, Result, Write as _};
use std::path::{Path, PathBuf};
use tokio::runtime::Handle;

const AGENT: &str = "openhands";
const DOCUMENT: &str = "events.jsonl";

/// The events of a conversation that were named, by number.
pub struct Conversation {
    pub folder: PathBuf,
    pub files: Vec<PathBuf>,
}

/// Takes the events of conversations out of the files; the others stay.
pub fn take(files: &mut Vec<PathBuf>) -> Vec<Conversation> {
    let mut found: BTreeMap<PathBuf, BTreeMap<u64, PathBuf>> = BTreeMap::new();
    for (number, file) in files.iter().filter_map(|file| Some((number(file)?, file))) {
        if let Some(folder) = file.parent() {
            found.entry(folder.to_owned()).or_default().insert(number, file.clone());
        }
    }
    found.retain(|_, events| events.values().next().is_some_and(|first| is_event(first)));
    files
        .retain(|file| !found.values().any(|events| number(file).and_then(|number| events.get(&number)) == Some(file)));
    let conversation = |(folder, events): (PathBuf, BTreeMap<u64, PathBuf>)| Conversation {
        folder,
        files: events.into_values().collect(),
    };
    found.into_iter().map(conversation).collect()
}

/// The number of an event, by the name of its file: `event-00012-<id>.json`, or `12.json` of older versions.
fn number(file: &Path) -> Option<u64> {
    file.parent()?.file_name().filter(|folder| *folder == "events")?;
    let name = file.file_name()?.to_str()?.strip_suffix(".json")?;
    let digits = name.strip_prefix("event-").unwrap_or(name).split('-').next()?;
    Some(digits).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

fn is_event(file: &Path) -> bool {
    let found = open::exact(file.to_owned()).and_then(|opened| recognise(&opened.file, file, Ending::Final));
    found.is_ok_and(|found| found.is_ok_and(|agent| agent.name == AGENT))
}

impl Conversation {
    /// Reads what is new of it.
    ///
    /// # Errors
    ///
    /// Fails when a file can't be read, or when `each` fails.
    pub fn read(&self, hub: &Hub, runtime: &Handle, each: &mut dyn FnMut(Step) -> Result<()>) -> Result<()> {
        let agent = agents::agent(AGENT).ok_or_else(|| Error::other("nobody reads it"))?;
        let mut document = BufWriter::new(tempfile::tempfile()?);
        let mut changed = None;
        for file in &self.files {
            let mut file = open::exact(file.clone())?.file;
            changed = changed.max(Some(file.metadata()?.modified()?));
            let mut bytes = Vec::new();
            file.read_to_end(&mut bytes)?;
            let mut line = bytes.trim_ascii_end().to_vec();
            // In JSON a line end stands between two tokens, where it is as good as a space.
            line.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
            line.push(b'\n');
            document.write_all(&line)?;
        }
        let file = document.into_inner().map_err(IntoInnerError::into_error)?;
        if let Some(changed) = changed {
            file.set_modified(changed)?;
        }
        let path = self.folder.join(DOCUMENT);
        let path_name = name(&path);
        let known = runtime.block_on(retry_transient(hub, || hub.workspace.source_by_path(&path_name)));
        let known = known.map_err(super::failed)?;
        let opened = Opened { file, real: self.folder.clone() };
        let stop = hub.shutdown.clone();
        Transcript::open(&path, opened, agent, known.as_ref(), stop, each)?.read_on(Ending::Final, each)
    }
}
