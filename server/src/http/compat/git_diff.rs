//! The diff that a message may bring: the whole state of the agent's folder. A session has one; the next replaces it.
//!
//! It is kept as one message, a `CODE_EDIT` with a patch per file, which no prompt holds.

use api::messages::{MessageDetail, MessagePath};
use api::posting::{PostMessage, UpdateMessage};
use api::{Api as _, Nothing, Problem};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use hub::Scoped;
use model::envelope::edit_info;
use model::{Context, MessageType};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

/// Longest diff in characters, and what stands for the rest.
const LONGEST: usize = 1 << 20;
const CUT: &str = "\n\n... [TRUNCATED - DIFF TOO LARGE] ...";
/// The text of a cleared diff.
const CLEARED: &str = "No changes";

#[derive(Debug, PartialEq, Eq)]
pub enum Diff {
    /// Nothing differs any more.
    Cleared,
    /// At least one.
    Files(Vec<File>),
}

/// The change of one file.
#[derive(Debug, PartialEq, Eq)]
pub struct File {
    path: String,
    patch: String,
}

/// A diff as it was sent: plain, or in base64. `None` for what is no diff of git's: it is ignored.
pub fn read(sent: &str) -> Option<Diff> {
    let decoded = STANDARD.decode(sent).ok().and_then(|bytes| String::from_utf8(bytes).ok());
    let text = decoded.as_deref().unwrap_or(sent).trim();
    if text.is_empty() {
        return Some(Diff::Cleared);
    }
    let files = match text.char_indices().nth(LONGEST) {
        Some(_) => {
            let kept = text.char_indices().nth(LONGEST - CUT.len()).map_or(text.len(), |(at, _)| at);
            files(&format!("{}{CUT}", &text[..kept]))
        }
        None => files(text),
    };
    if files.is_empty() { None } else { Some(Diff::Files(files)) }
}

fn files(text: &str) -> Vec<File> {
    let mut files: Vec<File> = Vec::new();
    for line in text.split_inclusive('\n') {
        if line.starts_with("diff --git ") && files.len() < hub::MOST_EDITS {
            files.push(File { path: String::new(), patch: String::new() });
        }
        if let Some(file) = files.last_mut() {
            file.patch.push_str(line);
        }
    }
    for file in &mut files {
        file.path = path(&file.patch);
    }
    files
}

/// The file's name after the change; before it, if it was deleted.
fn path(patch: &str) -> String {
    let head: Vec<&str> = patch.lines().take_while(|line| !line.starts_with("@@")).collect();
    let after =
        |sign: &str| head.iter().find_map(|line| line.strip_prefix(sign)).map(|name| name.trim_matches(['"', '\t']));
    let named =
        [after("+++ "), after("--- "), after("rename to ")].into_iter().flatten().find(|name| *name != "/dev/null");
    let header =
        || head.first().and_then(|line| line.rsplit_once(" b/")).map_or("unknown", |(_, name)| name.trim_matches('"'));
    let name = named.unwrap_or_else(header);
    name.strip_prefix("b/").or_else(|| name.strip_prefix("a/")).unwrap_or(name).to_owned()
}

impl Diff {
    fn content(&self) -> String {
        let Self::Files(files) = self else { return CLEARED.to_owned() };
        let count = |sign: char, head: &str| -> usize {
            let lines = files.iter().flat_map(|file| file.patch.lines());
            lines.filter(|line| line.starts_with(sign) && !line.starts_with(head)).count()
        };
        let noun = if files.len() == 1 { "file" } else { "files" };
        format!("Changes in {} {noun}: +{} \u{2212}{}", files.len(), count('+', "+++ "), count('-', "--- "))
    }

    fn metadata(&self) -> Value {
        let Self::Files(files) = self else { return Value::Null };
        let edits: Vec<Value> = files.iter().map(|file| json!({"file_path": file.path})).collect();
        let info: Vec<Value> =
            files.iter().map(|file| json!({"state": "applied", "scope": "fragment", "patch": file.patch})).collect();
        json!({"message_type": MessageType::CodeEdit, "version": 1, "payload": {"edits": edits}, "edit_info": info})
    }
}

/// Id of the message that holds a session's diff: a UUID, as all ids are to the SDK.
pub fn message_id(session: &str) -> String {
    let hash: [u8; 32] = Sha256::digest(format!("the diff of {session}")).into();
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hash[..16]);
    uuid::Builder::from_random_bytes(bytes).into_uuid().to_string()
}

/// The message to post for the first diff of a session; None if there is one, or nothing to show.
pub async fn first(scoped: &Scoped, session: &str, diff: &Diff) -> Result<Option<PostMessage>, Problem> {
    if *diff == Diff::Cleared || known(scoped, session).await?.is_some() {
        return Ok(None);
    }
    Ok(Some(PostMessage {
        id: Some(message_id(session)),
        sender: Some("git_diff".to_owned()),
        content: Some(diff.content()),
        message_metadata: Some(diff.metadata()),
        context: Some(Context::None),
        ..PostMessage::default()
    }))
}

/// Replaces the diff of a session that has one.
pub async fn replace(scoped: &Scoped, session: &str, diff: &Diff) -> Result<(), Problem> {
    let Some(known) = known(scoped, session).await? else { return Ok(()) };
    let metadata = diff.metadata();
    let draft = known.entry.message.draft;
    if draft.metadata.map_or(Value::Null, Value::Object) == metadata {
        return Ok(());
    }
    let change =
        UpdateMessage { content: Some(diff.content()), message_metadata: Some(metadata), ..UpdateMessage::default() };
    scoped.update_message(place(session), change).await.map(drop)
}

/// The diff of a session as it was sent.
pub async fn stored(scoped: &Scoped, session: &str) -> Result<Option<String>, Problem> {
    let Some(known) = known(scoped, session).await? else { return Ok(None) };
    let metadata = known.entry.message.draft.metadata;
    let patches = (0..).map_while(|index| edit_info(metadata.as_ref(), index).patch);
    Ok(metadata.is_some().then(|| patches.collect()))
}

async fn known(scoped: &Scoped, session: &str) -> Result<Option<MessageDetail>, Problem> {
    match scoped.get_message(place(session), Nothing {}).await {
        Ok(known) => Ok(Some(known)),
        Err(problem) if problem.status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}

fn place(session: &str) -> MessagePath {
    MessagePath { session: session.to_owned(), message: message_id(session) }
}

#[cfg(test)]
mod tests {
    use super::{CUT, Diff, LONGEST, STANDARD, read};
    use base64::Engine as _;

    const ONE: &str =
        "diff --git a/mill.py b/mill.py\nindex 0a1..0b2 100644\n--- a/mill.py\n+++ b/mill.py\n@@ -1 +1 @@\n-a\n+b\n";

    fn paths(diff: Option<Diff>) -> Vec<String> {
        match diff {
            Some(Diff::Files(files)) => files.into_iter().map(|file| file.path).collect(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn plain_and_in_base64() {
        assert_eq!(read(ONE), read(&STANDARD.encode(ONE)));
        assert_eq!(paths(read(&format!("\n{ONE}\n"))), ["mill.py"]);
    }

    #[test]
    fn what_is_no_diff_is_none() {
        for text in ["abcd", "not a diff", "aGVsbG8=", "--- a\n+++ b\n"] {
            assert_eq!(read(text), None, "{text}");
        }
        for text in ["", " \n", "Cg=="] {
            assert_eq!(read(text), Some(Diff::Cleared), "{text:?}");
        }
    }

    #[test]
    fn each_file_by_its_name() {
        let text = "diff --git a/old b/new\nsimilarity index 100%\nrename from old\nrename to new\n\
                    diff --git a/gone b/gone\ndeleted file mode 100644\n--- a/gone\n+++ /dev/null\n@@ -1 +0,0 @@\n-+++ b/other\n\
                    diff --git a/p.png b/p.png\nBinary files a/p.png and b/p.png differ\n";
        assert_eq!(paths(read(text)), ["new", "gone", "p.png"]);
        assert_eq!(read(text).unwrap().content(), "Changes in 3 files: +0 \u{2212}1");
    }

    #[test]
    fn a_long_one_is_cut() {
        let Some(Diff::Files(files)) = read(&format!("{ONE}{}", "+ä\n".repeat(LONGEST))) else { panic!() };
        assert_eq!(files[0].patch.chars().count(), LONGEST);
        assert!(files[0].patch.ends_with(CUT));
    }
}
