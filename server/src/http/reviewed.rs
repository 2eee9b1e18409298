//! The edits of a session that affect the lines on which its reviews comment.

use api::messages::Entry;
use api::net::{NetFile, NetQuery};
use api::sessions::SessionPath;
use api::{Api as _, Problem};
use app::message::code_review::reviewed::Reviewed;
use hub::Scoped;
use model::Body;
use model::message_type::code_review::CodeReview;
use std::collections::HashMap;

/// Reviews that are looked at, the last ones: each may fold the session's edits anew.
const MOST: usize = 12;

/// Returns what is known about the lines of the last reviews among some messages, by the `seq` of the review.
pub async fn reviewed(
    scoped: &Scoped,
    path: &SessionPath,
    entries: &[Entry],
) -> Result<HashMap<i64, Reviewed>, Problem> {
    let reviews = entries.iter().rev().filter_map(|entry| match entry.body() {
        Body::CodeReview(review) => Some((entry.message.seq, review)),
        _ => None,
    });
    let reviews: Vec<_> = reviews.take(MOST).collect();
    let mut known = HashMap::new();
    if reviews.is_empty() {
        return Ok(known);
    }
    let files = scoped.get_net_changes(path.clone(), NetQuery::default()).await?.files;
    for (seq, review) in reviews {
        known.insert(seq, one(scoped, path, &files, seq, review).await?);
    }
    Ok(known)
}

async fn one(
    scoped: &Scoped,
    path: &SessionPath,
    files: &[NetFile],
    seq: i64,
    review: &CodeReview,
) -> Result<Reviewed, Problem> {
    let Some(name) = name(files, &review.file_path) else {
        return Ok(Reviewed::of(review, None, None));
    };
    let now = file(scoped, path, name, None).await?;
    let is_later = now.as_ref().is_some_and(|file| file.edits.iter().any(|edit| edit.seq > seq));
    if !is_later {
        return Ok(Reviewed::of(review, now.as_ref(), None));
    }
    let then = file(scoped, path, name, Some(seq)).await?;
    Ok(Reviewed::of(review, then.as_ref(), now.as_ref()))
}

/// The path by which the edits name the file: a review may leave out the folder that the agent works in.
fn name<'a>(files: &'a [NetFile], wanted: &'a str) -> Option<&'a str> {
    if files.iter().any(|file| file.path == wanted) {
        return Some(wanted);
    }
    let end = format!("/{}", wanted.trim_start_matches("./"));
    let mut found = files.iter().filter(|file| file.path.ends_with(&end));
    // If two files have the same ending, it is unclear which one is meant.
    found.next().filter(|_| found.next().is_none()).map(|file| file.path.as_str())
}

/// The file with its texts, as the edits up to a message left it; None where none of them is of it.
async fn file(scoped: &Scoped, path: &SessionPath, name: &str, to: Option<i64>) -> Result<Option<NetFile>, Problem> {
    let query = NetQuery { to, path: Some(name.to_owned()), ..NetQuery::default() };
    match scoped.get_net_changes(path.clone(), query).await {
        Ok(changes) => Ok(changes.files.into_iter().find(|file| file.path == name)),
        Err(problem) if problem.status == 404 => Ok(None),
        Err(problem) => Err(problem),
    }
}
