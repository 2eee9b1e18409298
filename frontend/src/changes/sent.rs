//! Comments that were sent, and those of agents' reviews. The message that told the agent holds a person's beside its
//! text, so that every browser knows them. What became of one is said there too, by an update of that message: it is
//! the person's own, and nothing else has to be stored, asked for or kept in step. A comment of a review is answered as
//! in the transcript.

use super::comments::{Comment, Remark, State};
use super::store;
use api::contract::{DecideEndpoint, GetMessage, UpdateMessageEndpoint};
use api::messages::MessagePath;
use api::posting::Decide;
use api::{Problem, json};
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::{OfReview, Sent};
use model::MessageType;
use model::envelope::{LineComment, ReviewState, Side};
use serde_json::json;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use web_sys::{HtmlTemplateElement, Node};

thread_local! {
    static SENT: RefCell<Vec<Sent>> = const { RefCell::new(Vec::new()) };
}

/// Reads those that the page came with.
pub fn start() {
    let text = store::root().and_then(|root| root.get_attribute(attr::SENT));
    SENT.set(text.and_then(|text| json::read(text.as_bytes()).ok()).unwrap_or_default());
}

/// In the order in which they were sent. Numbered from the end, where no draft is.
pub fn all() -> Vec<Comment> {
    SENT.with_borrow(|sent| (0..).zip(sent).map(|(place, sent)| comment(u32::MAX - place, sent)).collect())
}

/// A copy of a comment of a review as the server drew it.
pub fn drawn(id: u32) -> Option<Node> {
    let template = dom::by_id("remarks")?.dyn_into::<HtmlTemplateElement>().ok()?;
    let drawn = template.content().query_selector(&format!("[data-remark=\"{}\"]", u32::MAX - id)).ok()??;
    drawn.clone_node_with_deep(true).ok()
}

/// Returns true if it was sent, even if the response was lost.
pub fn has(draft: &Comment) -> bool {
    let draft = said(draft);
    SENT.with_borrow(|sent| sent.iter().any(|sent| sent.comment.is(&draft)))
}

/// Drafts went out with this message. Gives the number that the first one has now.
pub fn add(message: &str, drafts: &[Comment]) -> u32 {
    SENT.with_borrow_mut(|sent| {
        let first = u32::try_from(sent.len()).unwrap_or(0);
        sent.extend(drafts.iter().map(|draft| Sent {
            message: message.to_owned(),
            comment: said(draft),
            review: None,
        }));
        u32::MAX - first
    })
}

/// Returns the metadata of a message with drafts for the agent.
pub fn metadata(drafts: &[Comment]) -> serde_json::Value {
    let (key, comments) = LineComment::extra(&drafts.iter().map(said).collect::<Vec<_>>());
    json!({ "message_type": MessageType::Text.as_str(), key: comments })
}

/// Does to the comment with this number what a button says: `resolve`, `reopen`, or of a review `accept`. None if there
/// is no such comment.
pub async fn turn(id: u32, verb: &str) -> Option<Result<(), Problem>> {
    let place = usize::try_from(u32::MAX - id).ok()?;
    let mut turned = SENT.with_borrow(|sent| sent.get(place).cloned())?;
    let state = match verb {
        "accept" => Some(ReviewState::Accepted),
        "resolve" => Some(ReviewState::Resolved),
        _ => None,
    };
    turned.comment.resolved = state.is_some();
    let told = match &mut turned.review {
        Some(review) => {
            review.state = state;
            answer(&turned.message, review, verb).await
        }
        None => tell(&turned.message, &turned.comment).await,
    };
    if told.is_ok() {
        SENT.with_borrow_mut(|sent| {
            if let Some(sent) = sent.get_mut(place) {
                *sent = turned;
            }
        });
    }
    Some(told)
}

/// Answers a comment of an agent's review. The agent gets it, as from the transcript.
async fn answer(message: &str, review: &OfReview, verb: &str) -> Result<(), Problem> {
    let path = MessagePath { session: store::session(), message: message.to_owned() };
    let selected = vec![format!("{}:{verb}", review.index)];
    let input = Decide { selected, shown_sha256: review.shown_sha256.clone(), ..Decide::default() };
    fragment::client().tell::<DecideEndpoint>(path, input).await
}

/// Says in its message what became of a comment. Whoever says something else of the message at the same time is not
/// written over: then it is refused.
async fn tell(message: &str, comment: &LineComment) -> Result<(), Problem> {
    let session = store::session();
    let detail = fragment::ask(GetMessage, [&session, message], serde_json::Value::Null).await?;
    let mut metadata = detail["entry"]["metadata"].clone();
    if !comment.put_in(&mut metadata) {
        return Err(Problem::not_found("comment"));
    }
    let update = json!({ "message_metadata": metadata, "if_match": detail["entry"]["revision"] });
    fragment::ask(UpdateMessageEndpoint, [&session, message], update).await.map(drop)
}

fn said(comment: &Comment) -> LineComment {
    LineComment {
        file_path: comment.path.clone(),
        side: if comment.side == 'L' { Side::Old } else { Side::New },
        start_line: comment.from,
        end_line: comment.to,
        edit: comment.edit.clone(),
        quote: comment.quote.clone(),
        body: comment.text.clone(),
        severity: None,
        suggestion: None,
        resolved: false,
    }
}

fn comment(id: u32, sent: &Sent) -> Comment {
    let said = &sent.comment;
    let remark = sent.review.clone().map(|review| Remark {
        severity: said.severity,
        suggestion: said.suggestion.clone(),
        review,
    });
    Comment {
        id,
        path: said.file_path.clone(),
        side: if said.side == Side::Old { 'L' } else { 'R' },
        from: said.start_line,
        to: said.end_line,
        edit: said.edit.clone(),
        quote: said.quote.clone(),
        text: said.body.clone(),
        state: if said.resolved { State::Resolved } else { State::Sent },
        remark,
    }
}
