//! Where the time of a session's requests went.

use crate::basics::problem;
use crate::basics::query::limit;
use crate::context::Scoped;
use crate::may::session;
use api::Problem;
use api::inspector::{RequestTimes, TimeSpan, TimeSpanKind, Waterfall, WaterfallQuery};
use api::sessions::SessionPath;
use model::message_type::approval::Approval;
use model::{Body, MessageType, Micros, Session, SessionId, Status, text::one_line};
use store::spending::{PlacedCall, Request};
use store::{MessageQuery, Range, StoredMessage};

/// Requests that a page has where nobody says how many, and at most.
const USUAL: u32 = 60;
const MOST: u32 = 200;
/// Calls, and approvals, of the requests of a page that are looked at.
const CALLS: u32 = 5_000;
const APPROVALS: u32 = 500;
/// Characters of what was asked.
const TITLE: usize = 120;

/// An approval of a session: which call it is about, since when and until when it was open.
struct Asked {
    call_id: Option<String>,
    title: String,
    seq: i64,
    from: Micros,
    /// None while it is open, and where nobody knows when it was closed.
    to: Option<Micros>,
    is_open: bool,
}

pub async fn get_waterfall(scoped: &Scoped, path: &SessionPath, input: WaterfallQuery) -> Result<Waterfall, Problem> {
    let session = session(scoped, path).await?;
    let many = i64::from(limit(input.limit, USUAL, MOST)?);
    Ok(page(scoped, &session, input.before, many).await?.1)
}

/// Returns `many` requests before the one with the number `before`, or the last ones, and where their time went.
pub(super) async fn page(
    scoped: &Scoped,
    session: &Session,
    before: Option<i64>,
    many: i64,
) -> Result<(Vec<Request>, Waterfall), Problem> {
    let workspace = &scoped.hub.workspace;
    let count = workspace.request_count(&session.id).await.map_err(problem)?;
    let end = before.map_or(count, |before| before.saturating_sub(1)).clamp(0, count);
    let after = (end - many).max(0);
    // One more: the time of the last one ends where the next one begins.
    let mut requests = workspace.requests(&session.id, after, end - after + 1).await.map_err(problem)?;
    let shown = usize::try_from(end - after).unwrap_or_default();
    let seqs = requests.iter().take(shown).filter_map(|request| request.seq);
    let (mut calls, mut asked) = (Vec::new(), Vec::new());
    if let Some(first) = seqs.min() {
        let last = requests.get(shown).and_then(|next| next.seq).unwrap_or(session.last_seq.saturating_add(1)) - 1;
        calls = workspace.placed_calls(&session.id, first..=last, i64::from(CALLS)).await.map_err(problem)?;
        asked = approvals(scoped, &session.id, first, last).await?;
    }
    let times = requests.iter().enumerate().take(shown).map(|(index, request)| {
        let later = requests.get(index + 1..).unwrap_or_default();
        // A request whose reply isn't stored has no `seq`, and doesn't end the calls of the one before it.
        let end = later.iter().filter_map(|next| next.seq).find(|seq| Some(*seq) >= request.seq);
        times_of(request, (later.first(), end.unwrap_or(i64::MAX)), &calls, &asked)
    });
    let waterfall = Waterfall { requests: times.collect(), before: (after > 0).then_some(after + 1) };
    requests.truncate(shown);
    Ok((requests, waterfall))
}

/// The approvals among the messages `first..=last`.
async fn approvals(scoped: &Scoped, session: &SessionId, first: i64, last: i64) -> Result<Vec<Asked>, Problem> {
    let types = vec![MessageType::Approval.to_string()];
    let range = Range::Span(first, last);
    let query = MessageQuery { types, limit: APPROVALS, ..MessageQuery::new(range) };
    let stored = scoped.hub.workspace.messages(session, &query).await.map_err(problem)?;
    Ok(stored.iter().filter(|stored| scoped.may_read(&stored.message.draft)).filter_map(asked).collect())
}

fn asked(stored: &StoredMessage) -> Option<Asked> {
    let draft = &stored.message.draft;
    let Body::Approval(Approval { title, state, decision, .. }) = Body::of(draft) else { return None };
    Some(Asked {
        call_id: draft.call_id.clone(),
        title: one_line(&title, TITLE),
        seq: stored.message.seq,
        from: draft.created_at,
        to: decision.and_then(|decision| decision.at),
        is_open: state.is_open() && draft.status != Status::Retracted,
    })
}

/// The spans of a request: the model, then its calls and approvals until the next request, and what is left between.
fn times_of(
    request: &Request,
    (next, end): (Option<&Request>, i64),
    calls: &[PlacedCall],
    asked: &[Asked],
) -> RequestTimes {
    let mut spans = model_spans(request);
    let is_own = |seq: i64| request.seq.is_some_and(|first| (first..end).contains(&seq));
    for ask in asked.iter().filter(|ask| is_own(ask.seq) && (ask.to.is_some() || ask.is_open)) {
        spans.push(TimeSpan {
            kind: TimeSpanKind::Approval,
            name: Some(ask.title.clone()),
            seq: Some(ask.seq),
            began_at: ask.from,
            ended_at: ask.to,
            failed: false,
        });
    }
    spans.extend(calls.iter().filter(|call| is_own(call.seq)).filter_map(|call| call_span(call, asked)));
    spans.retain(|span| span.ended_at.is_none_or(|end| end >= span.began_at));
    spans.sort_by_key(|span| (span.began_at, span.kind));
    let began_at = spans.first().map_or(request.ended_at, |first| first.began_at);
    // The calls of what was copied are those of another session: nobody knows here that nothing went on.
    let next = next.filter(|_| !request.is_copy);
    let idle = next.and_then(|next| next.began_at).and_then(|until| idle_until(&spans, until));
    spans.extend(idle);
    RequestTimes { number: request.number, seq: request.seq, began_at: request.began_at.unwrap_or(began_at), spans }
}

fn model_spans(request: &Request) -> Vec<TimeSpan> {
    let Some(began) = request.began_at.filter(|began| *began < request.ended_at) else { return Vec::new() };
    let span = |kind, from, to| TimeSpan {
        kind,
        name: request.model.clone(),
        seq: request.seq,
        began_at: from,
        ended_at: Some(to),
        failed: false,
    };
    let first = request.first_token_ms.map(|ms| Micros(began.0.saturating_add(ms.saturating_mul(1000))));
    match first.filter(|first| *first > began && *first < request.ended_at) {
        Some(first) => {
            vec![span(TimeSpanKind::FirstToken, began, first), span(TimeSpanKind::Streaming, first, request.ended_at)]
        }
        None => vec![span(TimeSpanKind::Model, began, request.ended_at)],
    }
}

/// The time of a call, after its approval where it waited for one. None where it isn't known, or where it was the
/// asking alone.
fn call_span(call: &PlacedCall, asked: &[Asked]) -> Option<TimeSpan> {
    let from = Micros(call.created_at);
    let to = Micros(call.created_at.saturating_add(call.duration_ms?.saturating_mul(1000)));
    let is_about =
        |ask: &&Asked| ask.call_id.as_deref().is_some_and(|id| id == call.id || call.call_id.as_deref() == Some(id));
    let decided = asked.iter().filter(is_about).filter_map(|ask| ask.to).max();
    let began_at = decided.map_or(from, |decided| decided.max(from));
    if decided.is_some() && began_at >= to {
        return None;
    }
    Some(TimeSpan {
        kind: TimeSpanKind::Tool,
        name: Some(call.tool.clone()),
        seq: Some(call.seq),
        began_at,
        ended_at: Some(to),
        failed: call.failed != 0,
    })
}

/// From the end of the last span until the next request began. None where something goes on, and where nothing is left.
fn idle_until(spans: &[TimeSpan], until: Micros) -> Option<TimeSpan> {
    let ends: Option<Vec<Micros>> = spans.iter().map(|span| span.ended_at).collect();
    let last = ends?.into_iter().max()?;
    (last < until).then_some(TimeSpan {
        kind: TimeSpanKind::Idle,
        name: None,
        seq: None,
        began_at: last,
        ended_at: Some(until),
        failed: false,
    })
}
