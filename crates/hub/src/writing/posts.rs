//! Posting messages.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::context::quotas::usage;
use crate::context::writer::{Failure, Written};
use crate::may::session_id;
use crate::routing::RoutingTable;
use crate::settings::type_settings::CurrentTypeSettings;
use crate::types::TypeTable;
use crate::writing::entries::{entry, for_agent};
use crate::writing::posting::Treatment;
use crate::writing::refusal::refusal;
use crate::writing::{blobs, older_words, posting};
use api::messages::Entry;
use api::posting::{PostMessage, PostMessages, Posted, PostedMessages};
use api::sessions::SessionPath;
use api::{Problem, ProblemCode};
use model::message_type::approval::Approval;
use model::routing::Place;
use model::{Body, MessageId, Role, SessionId};
use store::{LiveDone, LivePost, LiveWrite, Objection, PostDone, Refusal, Usage};

const MOST: usize = 256;
/// Small messages of one request that are read where requests are served.
const FEW: usize = 16;

pub async fn one(scoped: &Scoped, path: &SessionPath, input: PostMessage) -> Result<Posted, Problem> {
    let session = session_id(scoped, path).await?;
    let input = older_words::translate(input, &path.session, &session)?;
    let read = read(scoped, &session, vec![(input, String::new())], false);
    let post = read.await?.pop().ok_or_else(Problem::internal)??;
    finish(scoped, post).await
}

/// Posts what an agent is told as it starts. It goes to the agent as it is: no word of it is for the server.
pub async fn first(scoped: &Scoped, path: &SessionPath, input: PostMessage) -> Result<Posted, Problem> {
    let session = session_id(scoped, path).await?;
    let read = read(scoped, &session, vec![(input, String::new())], true);
    let post = read.await?.pop().ok_or_else(Problem::internal)??;
    finish(scoped, post).await
}

async fn finish(scoped: &Scoped, mut post: LivePost) -> Result<Posted, Problem> {
    about(scoped, &mut post, "").await?;
    write(scoped, post).await
}

/// The posts that messages of a request ask for, up to the first that can't be one. With each message goes the pointer
/// that leads to it.
async fn read(
    scoped: &Scoped,
    session: &SessionId,
    input: Vec<(PostMessage, String)>,
    is_first: bool,
) -> Result<Vec<Result<LivePost, Problem>>, Problem> {
    let is_small = input.len() <= FEW && input.iter().all(|(it, _)| posting::is_small(it.message_metadata.as_ref()));
    let (caller, surface, tells_results) = (scoped.caller.clone(), scoped.surface, scoped.tells_results);
    let session = session.clone();
    let (settings, types) = (scoped.hub.state::<CurrentTypeSettings>().get(), scoped.hub.types().await?);
    let rules = scoped.hub.state::<RoutingTable>().rules(&session, Place::Own);
    let now = clock::now();
    let post = move |message: PostMessage, pointer: &str| {
        let treatment = Treatment { settings: &settings, types: &types, rules: &rules, surface, is_first };
        let mut post = posting::post(&caller, &treatment, &session, message, pointer, now)?;
        post.tells_results = tells_results;
        Ok(post)
    };
    if is_small {
        return Ok(input.into_iter().map(|(message, pointer)| post(message, &pointer)).collect());
    }
    let read = scoped.compute(move |job| {
        let mut posts = Vec::with_capacity(input.len());
        for (message, pointer) in input {
            job.goes_on()?;
            let post = post(message, &pointer);
            let is_last = post.is_err();
            posts.push(post);
            if is_last {
                break;
            }
        }
        Ok(posts)
    });
    read.await?
}

/// Determines the message that a person's message answers. Approvals have their own endpoint, and a question is
/// answered once.
async fn about(scoped: &Scoped, post: &mut LivePost, pointer: &str) -> Result<(), Problem> {
    if post.draft.role != Role::User {
        return Ok(());
    }
    let action = match Body::of(&post.draft) {
        Body::Action(action) => Some(action),
        _ => None,
    };
    let pressed = action.is_some();
    let (approval_id, reply_to) = action.map(|action| (action.approval_id, action.reply_to)).unwrap_or_default();
    let own = post.draft.reply_to.as_ref().map(MessageId::to_string);
    let decides = approval_id.is_some();
    let Some((field, id)) = approval_id
        .map(|id| ("/message_metadata/payload/approval_id", id))
        .or(reply_to.map(|id| ("/message_metadata/payload/reply_to", id)))
        .or(own.map(|id| ("/reply_to", id)))
    else {
        return Ok(());
    };
    let at = |problem: Problem| Problem { field: Some(format!("{pointer}{field}")), ..problem };
    let id = MessageId::parse(id).map_err(|error| at(Problem::field(field, &error.to_string())))?;
    let found = scoped.hub.workspace.message(&post.session, &id).await.map_err(problem)?;
    let found = found.map(|found| (Body::of(&found.message.draft), found));
    match found {
        Some((Body::Approval(_), found)) if pressed => {
            if Approval::open_in(&found.message.draft).is_none() {
                let decided = Refusal::Rule(Objection::Decided, Some(Box::new(found)));
                return Err(at(refusal(Failure::Refused(decided))));
            }
            let path = format!("POST /v1/sessions/{}/messages/{id}/decision", post.session);
            Err(at(Problem::new(ProblemCode::NotADecision, "A message can't decide an approval; this one stays open")
                .hint(format!("Send the decision to `{path}`"))))
        }
        _ if decides => Err(at(Problem::not_found("approval"))),
        Some((Body::Approval(_), _)) | None => Ok(()),
        Some((_, found)) => {
            post.answers = found.message.draft.requires_user_input.then_some(id);
            Ok(())
        }
    }
}

/// Writes a post that is ready: its files stay.
pub async fn write(scoped: &Scoped, post: LivePost) -> Result<Posted, Problem> {
    let wanted = usage(1, post.bytes());
    let written = scoped.hub.writer.write(LiveWrite::Post(Box::new(post)));
    let used = |written: &Written| match written {
        Ok((LiveDone::Posted(done), _)) if !done.replayed => wanted,
        _ => Usage::default(),
    };
    match scoped.hub.quotas.pay(&scoped.caller, wanted, written, used).await?.map_err(refusal)? {
        (LiveDone::Posted(done), pos) => {
            blobs::attach(scoped, &done.message.message).await?;
            Ok(posted(scoped, &*scoped.hub.types().await?, *done, pos))
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
    // The post of each message of the request, and whether it is repeated.
    let mut places = Vec::with_capacity(input.messages.len());
    let pointer = |index: usize| format!("/messages/{index}");
    let messages = input.messages.into_iter().enumerate().map(|(index, message)| {
        let translated = older_words::translate(message, &path.session, &session);
        translated.map(|it| (it, pointer(index))).map_err(|problem| posting::below(&pointer(index), problem))
    });
    let messages: Result<Vec<_>, Problem> = messages.collect();
    for (index, post) in read(scoped, &session, messages?, false).await?.into_iter().enumerate() {
        let (mut post, pointer) = (post?, pointer(index));
        match posts.iter().position(|earlier| earlier.draft.id == post.draft.id) {
            Some(place) if posts[place].create_hash == post.create_hash => places.push((place, true)),
            Some(_) => {
                let expected = "an id that no other message of the request has";
                return Err(Problem::field(&format!("{pointer}/id"), expected));
            }
            None => {
                about(scoped, &mut post, &pointer).await?;
                if posts.iter().any(|earlier| answers_first(earlier, &post)) {
                    let title = "It was already answered by an earlier message of this request";
                    let problem = Problem::new(ProblemCode::Answered, title);
                    return Err(Problem { field: Some(format!("{pointer}/reply_to")), ..problem });
                }
                places.push((posts.len(), false));
                posts.push(post);
            }
        }
    }
    let sizes: Vec<u64> = posts.iter().map(LivePost::bytes).collect();
    let wanted = usage(sizes.len(), sizes.iter().sum());
    let written = scoped.hub.writer.write(LiveWrite::PostAll(posts));
    let used = |written: &Written| {
        let Ok((LiveDone::PostedAll(done), _)) = written else { return Usage::default() };
        let new: Vec<u64> = done.iter().zip(&sizes).filter(|(done, _)| !done.replayed).map(|(_, size)| *size).collect();
        usage(new.len(), new.iter().sum())
    };
    match scoped.hub.quotas.pay(&scoped.caller, wanted, written, used).await?.map_err(refusal)? {
        (LiveDone::PostedAll(done), pos) => {
            for done in &done {
                blobs::attach(scoped, &done.message.message).await?;
            }
            let types = scoped.hub.types().await?;
            let again = |(place, again): (usize, bool)| {
                let done: PostDone = done.get(place)?.clone();
                Some(posted(scoped, &types, PostDone { replayed: done.replayed || again, ..done }, pos))
            };
            Ok(PostedMessages { messages: places.into_iter().filter_map(again).collect() })
        }
        _ => Err(Problem::internal()),
    }
}

/// Does an earlier message of a request answer what this one answers? Plain words answer what is asked, too.
fn answers_first(earlier: &LivePost, post: &LivePost) -> bool {
    let plain = earlier.draft.answers_in_words() && earlier.draft.is_about().is_none();
    post.answers.is_some() && (plain || earlier.answers == post.answers)
}

fn posted(scoped: &Scoped, types: &TypeTable, done: PostDone, pos: i64) -> Posted {
    let shown = |mut entry: Entry| {
        types.show(&mut entry);
        entry
    };
    let senders =
        scoped.hub.state::<RoutingTable>().rules(&done.message.message.session_id, Place::Room).senders.clone();
    let queued = done.queued.into_iter().filter(|queued| senders.may_be_read(&queued.message.draft));
    Posted {
        queued_user_messages: queued.map(|queued| shown(for_agent(queued))).collect(),
        message: shown(entry(done.message)),
        pos,
        replayed: done.replayed,
    }
}
