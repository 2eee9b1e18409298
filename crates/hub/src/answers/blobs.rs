//! Files by their content: kept, attached to the sessions that show them, given to those who may read them.

use crate::quotas::usage;
use crate::{Scoped, clock, hex, problem};
use api::Problem;
use api::blobs::{BlobMade, MOST_BYTES};
use api::keys::Scope;
use model::message_type::file::FileItem;
use model::{Body, Message, MessageType};
use sha2::{Digest as _, Sha256};
use store::{Blob, StoreError, Usage};

/// What a content address begins with.
const PREFIX: &str = "sha256:";
const MIME_CHARS: usize = 200;

impl Scoped {
    /// Keeps bytes. True beside the answer: they weren't there yet.
    pub async fn put_blob(&self, mime: &str, bytes: Vec<u8>) -> Result<(BlobMade, bool), Problem> {
        self.caller.require(Scope::Post)?;
        if bytes.is_empty() {
            return Err(Problem::new(400, "empty_blob", "There is nothing in the body"));
        }
        if bytes.len() > MOST_BYTES {
            return Err(Problem::too_large(MOST_BYTES));
        }
        if mime.len() > MIME_CHARS || !is_mime(mime) {
            let expected = format!("a media type as `image/png`, at most {MIME_CHARS} characters");
            return Err(Problem::field("Content-Type", &expected));
        }
        self.hub.require_room()?;
        let sha256 = hex(&Sha256::digest(&bytes));
        let size = bytes.len() as u64;
        let workspace = &self.hub.workspace;
        let wanted = usage(0, size);
        let put = workspace.put_blob(&sha256, mime, bytes, self.caller.key_id(), clock::now());
        let used = |added: &Result<bool, StoreError>| if matches!(added, Ok(true)) { wanted } else { Usage::default() };
        let added = self.hub.quotas.pay(&self.caller, wanted, put, used).await?.map_err(problem)?;
        let mime = match workspace.blob_head(&sha256).await.map_err(problem)? {
            Some((mime, _)) => mime,
            None => mime.to_owned(),
        };
        Ok((BlobMade { blob: format!("{PREFIX}{sha256}"), mime, size }, added))
    }

    /// A blob by its address, with or without the prefix. For those who may not read it, it isn't there.
    pub async fn blob(&self, address: &str) -> Result<Blob, Problem> {
        let sha256 = address.strip_prefix(PREFIX).unwrap_or(address);
        let none = || Problem::not_found("blob");
        if !is_digest(sha256) {
            return Err(none());
        }
        let workspace = &self.hub.workspace;
        self.caller.require(Scope::Read)?;
        if let Some(key_id) = self.caller.reads_only()
            && !workspace.key_reads_blob(sha256, key_id).await.map_err(problem)?
        {
            return Err(none());
        }
        workspace.blob(sha256).await.map_err(problem)?.ok_or_else(none)
    }
}

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
    if message.draft.message_type() != MessageType::File {
        return Ok(());
    }
    let Body::File(file) = Body::of(&message.draft) else { return Ok(()) };
    let named = |item: &FileItem| item.blob.as_deref()?.strip_prefix(PREFIX).map(str::to_owned);
    for sha256 in file.files.iter().filter_map(named).filter(|sha256| is_digest(sha256)) {
        let key_id = scoped.caller.reads_only();
        let workspace = &scoped.hub.workspace;
        workspace.attach_blob(&message.session_id, &sha256, key_id).await.map_err(problem)?;
    }
    Ok(())
}
