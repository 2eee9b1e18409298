//! Files by their content: kept, attached to the sessions that show them, given to those who may read them.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::context::quotas::usage;
use api::blobs::{BlobMade, MOST_BYTES};
use api::keys::Scope;
use api::{Problem, ProblemCode};
use futures::stream::{self, Stream, StreamExt as _};
use model::{Message, MessageType, SessionId};
use serde_json::Value;
use std::collections::BTreeSet;
use std::ops::Range;
use store::{Blob, Sight, StoreError, Upload, Usage};

/// Prefix of a content hash.
const PREFIX: &str = "sha256:";
const MIME_CHARS: usize = 200;

/// A file that comes in parts. Nobody sees it before it is whole; dropped before that, it leaves nothing.
pub struct BlobUpload {
    scoped: Scoped,
    mime: String,
    upload: Upload,
}

impl BlobUpload {
    /// Takes the next bytes.
    ///
    /// # Errors
    ///
    /// 413 if the file becomes too large, 403 if the key's quota doesn't have so much, 507 if the disk is full.
    pub async fn add(&mut self, bytes: &[u8]) -> Result<(), Problem> {
        let size = self.upload.size() + bytes.len() as u64;
        if size > MOST_BYTES as u64 {
            return Err(Problem::too_large(MOST_BYTES));
        }
        let Scoped { hub, caller, .. } = &self.scoped;
        hub.quotas.require(caller, usage(0, size))?;
        hub.require_room()?;
        self.upload.add(bytes).await.map_err(problem)
    }

    /// Keeps the file. True beside the answer: it wasn't there yet.
    pub async fn finish(self) -> Result<(BlobMade, bool), Problem> {
        let size = self.upload.size();
        if size == 0 {
            return Err(Problem::new(ProblemCode::EmptyBlob, "The body is empty"));
        }
        let wanted = usage(0, size);
        let put = self.upload.finish(&self.mime, clock::now());
        let used = |put: &Result<(Blob, bool), StoreError>| {
            if matches!(put, Ok((_, true))) { wanted } else { Usage::default() }
        };
        let Scoped { hub, caller, .. } = &self.scoped;
        let (blob, added) = hub.quotas.pay(caller, wanted, put, used).await?.map_err(problem)?;
        Ok((BlobMade { blob: format!("{PREFIX}{}", blob.sha256), mime: blob.mime, size }, added))
    }
}

impl Scoped {
    /// Takes a file of a type, whose bytes come in parts.
    pub fn begin_blob(&self, mime: String) -> Result<BlobUpload, Problem> {
        self.caller.require(Scope::Post)?;
        if mime.len() > MIME_CHARS || !is_mime(&mime) {
            let expected = format!("a media type like `image/png`, at most {MIME_CHARS} characters");
            return Err(Problem::field("Content-Type", &expected));
        }
        self.hub.require_room()?;
        let id = uuid::Uuid::now_v7().to_string();
        let upload = self.hub.workspace.begin_upload(id, self.caller.key_id(), clock::now());
        Ok(BlobUpload { scoped: self.clone(), mime, upload })
    }

    /// A blob by its address, with or without the prefix. For those who may not read it, it isn't there.
    pub async fn blob(&self, address: &str) -> Result<Blob, Problem> {
        let sha256 = address.strip_prefix(PREFIX).unwrap_or(address);
        let none = || Problem::not_found("blob");
        if !is_digest(sha256) || self.redactor.is_some() {
            return Err(none());
        }
        let workspace = &self.hub.workspace;
        self.caller.require(Scope::Read)?;
        let sight = self.caller.sight();
        if sight != Sight::All && !workspace.sees_blob(sha256, &sight).await.map_err(problem)? {
            return Err(none());
        }
        workspace.blob(sha256).await.map_err(problem)?.ok_or_else(none)
    }

    /// Like [`Self::blob`], but only of a file that a message of the session refers to.
    ///
    /// # Errors
    ///
    /// 404 for every other file.
    pub async fn blob_of_session(&self, session: &SessionId, address: &str) -> Result<Blob, Problem> {
        let blob = self.blob(address).await?;
        if self.hub.workspace.session_has_blob(session, &blob.sha256).await.map_err(problem)? {
            return Ok(blob);
        }
        Err(Problem::not_found("blob"))
    }

    /// The bytes of a blob in a range, in parts of at most 1 MiB. The first one is read before this returns: a small
    /// file that is damaged is an error here, a large one may be an error later.
    pub async fn read_blob(
        &self,
        blob: &Blob,
        range: Range<u64>,
    ) -> Result<impl Stream<Item = Result<Vec<u8>, StoreError>> + Send + use<>, Problem> {
        let mut reader = self.hub.workspace.read_blob(blob, range);
        let first = reader.next_part().await.map_err(problem)?;
        let rest =
            stream::try_unfold(reader, async |mut reader| Ok(reader.next_part().await?.map(|bytes| (bytes, reader))));
        Ok(stream::iter(first.map(Ok)).chain(rest))
    }
}

/// Files that one message can keep.
const MAX_FILES: usize = 1_000;

/// Type and subtype of the characters that RFC 6838 gives them, without parameters.
fn is_mime(text: &str) -> bool {
    let name = |part: &str| {
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$&-^_.+".contains(&byte);
        part.starts_with(|c: char| c.is_ascii_alphanumeric()) && part.bytes().all(plain)
    };
    text.split_once('/').is_some_and(|(kind, subtype)| name(kind) && name(subtype))
}

fn is_digest(text: &str) -> bool {
    text.len() == 64 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

/// The session refers to the files of its message from now on. What the caller may not read stays out of its reach.
pub async fn attach(scoped: &Scoped, message: &Message) -> Result<(), Problem> {
    // Of the built-in types only FILE refers to files; a declared one can show them as images.
    if MessageType::parse(message.draft.message_type()).is_some_and(|of| of != MessageType::File) {
        return Ok(());
    }
    let mut digests = BTreeSet::new();
    message.draft.metadata.iter().filter_map(|of| of.get("payload")).for_each(|of| collect(of, &mut digests));
    for sha256 in digests {
        let (workspace, sight) = (&scoped.hub.workspace, scoped.caller.sight());
        if matches!(sight, Sight::Without(_)) && !workspace.sees_blob(&sha256, &sight).await.map_err(problem)? {
            continue;
        }
        workspace.attach_blob(&message.session_id, &sha256, sight.key()).await.map_err(problem)?;
    }
    Ok(())
}

/// Collects the digests that a payload names.
fn collect(value: &Value, digests: &mut BTreeSet<String>) {
    match value {
        _ if digests.len() == MAX_FILES => {}
        Value::String(text) => {
            let digest = text.strip_prefix(PREFIX).unwrap_or(text);
            if digest.len() == 64 {
                let digest = digest.to_ascii_lowercase();
                digests.extend(is_digest(&digest).then_some(digest));
            }
        }
        Value::Array(items) => items.iter().for_each(|item| collect(item, digests)),
        Value::Object(fields) => fields.values().for_each(|field| collect(field, digests)),
        _ => {}
    }
}
