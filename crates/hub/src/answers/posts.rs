//! Posting messages.

use super::messages::entry;
use super::{blobs, refusal, session_id};
use crate::{Scoped, clock, posting};
use api::Problem;
use api::posting::{PostMessage, PostMessages, Posted, PostedMessages};
use api::sessions::SessionPath;
use store::{LiveDone, LivePost, LiveWrite, PostDone};

const MOST: usize = 256;

pub async fn one(scoped: &Scoped, path: &SessionPath, input: PostMessage) -> Result<Posted, Problem> {
    let session = session_id(scoped, path).await?;
    write(scoped, posting::post(&scoped.caller, &session, input, "", clock::now())?).await
}

/// Writes a post that is ready.
pub async fn write(scoped: &Scoped, post: LivePost) -> Result<Posted, Problem> {
    match scoped.hub.writer.write(LiveWrite::Post(Box::new(post))).await.map_err(refusal)? {
        (LiveDone::Posted(done), pos) => {
            blobs::attach(scoped, &done.message.message).await?;
            Ok(posted(*done, pos))
        }
        _ => Err(Problem::internal()),
    }
}

pub async fn all(scoped: &Scoped, path: &SessionPath, input: PostMessages) -> Result<PostedMessages, Problem> {
    let session = session_id(scoped, path).await?;
    if !(1..=MOST).contains(&input.messages.len()) {
        return Err(Problem::field("/messages", &format!("1 to {MOST} messages")));
    }
    let mut posts: Vec<LivePost> = Vec::with_capacity(input.messages.len());
    for (index, message) in input.messages.into_iter().enumerate() {
        let pointer = format!("/messages/{index}");
        let post = posting::post(&scoped.caller, &session, message, &pointer, clock::now())?;
        if posts.iter().any(|earlier| earlier.draft.id == post.draft.id) {
            return Err(Problem::field(&format!("{pointer}/id"), "an id that no other message of the request has"));
        }
        posts.push(post);
    }
    match scoped.hub.writer.write(LiveWrite::PostAll(posts)).await.map_err(refusal)? {
        (LiveDone::PostedAll(done), pos) => {
            for done in &done {
                blobs::attach(scoped, &done.message.message).await?;
            }
            Ok(PostedMessages { messages: done.into_iter().map(|done| posted(done, pos)).collect() })
        }
        _ => Err(Problem::internal()),
    }
}

fn posted(done: PostDone, pos: i64) -> Posted {
    Posted {
        message: entry(done.message),
        pos,
        replayed: done.replayed,
        queued_user_messages: done.queued.into_iter().map(entry).collect(),
    }
}
