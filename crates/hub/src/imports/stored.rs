//! Stored information about files before an import.

use crate::basics::clock;
use crate::context::Hub;
use crate::imports::name::name;
use crate::imports::packed;
use crate::imports::transcript::{Step, modified_at};
use agents::SessionKey;
use model::source::Source;
use std::collections::HashMap;
use std::path::Path;
use store::{Batch, StoreError};

pub struct Stored {
    /// By path; of several the one that was imported last.
    sources: HashMap<String, Source>,
    /// By path: the agent's own ids of the sessions that came from the file.
    sessions: HashMap<String, Vec<SessionKey>>,
}

impl Stored {
    pub async fn load(hub: &Hub) -> Result<Self, StoreError> {
        let sources = hub.workspace.sources().await?.into_iter().map(|s| (s.path.clone(), s)).collect();
        let mut sessions: HashMap<String, Vec<SessionKey>> = HashMap::new();
        for session in hub.workspace.file_sessions().await? {
            sessions.entry(session.path).or_default().push(SessionKey(session.key));
        }
        Ok(Self { sources, sessions })
    }

    /// Returns the step of a file that hasn't changed since this reader read it completely. It writes nothing.
    pub fn unchanged(&self, path: &Path) -> Option<Step> {
        let name = name(&packed::stored_path(path));
        let source = self.sources.get(&name)?;
        let reading = agents::agent(&source.reader)?.reading?;
        let metadata = path.metadata().ok()?;
        let same = source.reader_version == reading.version
            && packed::is_read(path, source, metadata.len(), modified_at(&metadata));
        same.then(|| Step {
            batch: Batch { now: clock::now(), ..Batch::default() },
            bytes: metadata.len(),
            notes: 0,
            sessions: self.sessions.get(&name).cloned().unwrap_or_default(),
            restored: 0,
        })
    }
}
