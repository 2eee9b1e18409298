//! Parts of a transcript: loaded through the API, drawn by `app`.

use super::Site;
use super::reviewed::reviewed;
use api::cost::RequestsQuery;
use api::messages::{ListMessages, MessagePage};
use api::sessions::{SessionDetail, SessionPath};
use api::{Api as _, Nothing, Problem};
use app::message::view_options::Step;
use app::message_renderer;
use app::pages::session::{CHUNK, Dev};
use app::shared::message_filter::MessageFilter;
use app::transcript::{Child, Chunks, Cut, Detail, Stop, TranscriptOptions, Verbosity, shorten, todos_before};
use futures::TryStreamExt as _;
use hub::Scoped;
use hub::compute::Job;
use hub::settings::type_settings::CurrentTypeSettings;
use model::message_type::file::{FileItem, FileState, Preview};
use model::{Body, MessageType, Micros, Role, Session, SessionState};
use std::collections::{BTreeMap, HashMap};
use std::ops::RangeInclusive;
use std::sync::Arc;

/// How the reader looks at transcripts.
#[derive(Debug, Clone)]
pub struct View {
    pub dev: Dev,
    pub verbosity: Verbosity,
    /// The messages that are shown; all without one.
    pub filter: Arc<MessageFilter>,
}

/// Messages of a sub-agent that its card shows, the last ones.
const STEPS: u32 = 12;

/// Whoever works says something within so many microseconds.
const LONGEST_CALL: i64 = 10 * 60 * Micros::SECOND;

/// So many times as far is looked where a stretch of work begins or ends further away than in the next chunk.
const FURTHER: i64 = 5;

/// Messages that one question asks for at most.
const MOST: i64 = 500;

/// Chunks that one request may ask for. With one on each side they fit into one read of [`MOST`] messages.
const SEVERAL: i64 = 20;

/// Bytes of a text file that a card may show.
const BEGINNING: u64 = 8 * 1024;
/// Text files of one page whose beginnings are read, the last ones: each takes a piece of 1 MiB from the store.
const TEXTS: usize = 40;

/// Chunks that a page begins with at its end: two fill any screen, even where the last one has a single row.
const CHUNKS_AT_END: i64 = 2;

/// Chunks that a filtered page begins with: each may hold one row.
const FILTERED: usize = 8;

fn path(detail: &SessionDetail) -> SessionPath {
    SessionPath { session: detail.session.id.to_string() }
}

pub async fn options(scoped: &Scoped, detail: &SessionDetail, view: &View) -> Result<TranscriptOptions, Problem> {
    let session = &detail.session;
    let mut options = TranscriptOptions::new(session.id.clone(), session.last_seq, hub::clock::now());
    options.dev = view.dev == Dev::On;
    options.verbosity = view.verbosity;
    options.masked = scoped.redactor.is_some();
    options.plain = scoped.hub.state::<CurrentTypeSettings>().get();
    options.filtered = !view.filter.is_empty();
    options.answers = session.registered;
    // An agent that posts by itself gives signs of life while it calls. A file has none.
    let lost = session.registered && matches!(session.state, SessionState::Lost | SessionState::Quiet);
    let quiet = lost || session.ended_at.is_some() || options.now.since(session.last_activity_at) > LONGEST_CALL;
    options.rests = quiet && !matches!(session.state, SessionState::Working | SessionState::NeedsYou);
    options.project.clone_from(&session.project);
    options.assistant.clone_from(&detail.assistant);
    if !session.todos().is_empty() {
        let state = scoped.get_todos(path(detail), Nothing {}).await?;
        (options.newest_todo, options.todos_now) = (state.seq, Arc::new(state));
    }
    if session.child_count > 0 {
        let mut children = HashMap::new();
        for session in scoped.list_children(path(detail), Nothing {}).await?.sessions {
            let Some(call) = session.call_id.clone() else { continue };
            // Only of one that works the last message is news.
            let works = matches!(session.state, SessionState::Working | SessionState::NeedsYou);
            let steps = if works { last_messages(scoped, &session, 1).await? } else { Vec::new() };
            children.insert(call, Child { session, steps });
        }
        options.children = Arc::new(children);
    }
    Ok(options)
}

async fn last_messages(scoped: &Scoped, session: &Session, limit: u32) -> Result<Vec<Step>, Problem> {
    let path = SessionPath { session: session.id.to_string() };
    let last = ListMessages { limit: Some(limit), ..ListMessages::default() };
    let mut page = scoped.list_messages(path, last).await?;
    shorten(&mut page, &mut BTreeMap::new());
    Ok(page.messages.into_iter().map(message_renderer::step).collect())
}

/// The chunks that a session's page begins with: the last ones, or those around `at`. With a filter, of those that hold
/// a message which it takes.
pub async fn first_chunks(
    site: &Site,
    detail: &SessionDetail,
    view: &View,
    at: Option<i64>,
    holds: &[i64],
) -> Result<Vec<(i64, String)>, Problem> {
    let options = options(&site.api, detail, view).await?;
    if !view.filter.is_empty() {
        let end = match at {
            Some(at) => holds.partition_point(|chunk| *chunk < (at - 1) / CHUNK) + FILTERED / 2,
            None => holds.len(),
        };
        let end = end.clamp(FILTERED.min(holds.len()), holds.len());
        let mut drawn = Vec::new();
        for chunk in holds.get(end.saturating_sub(FILTERED)..end).unwrap_or_default() {
            drawn.extend(draw(site, detail, view, *chunk..=*chunk, &options).await?.drawn);
        }
        return Ok(drawn);
    }
    let last = (detail.session.last_seq - 1).max(0) / CHUNK;
    let (from, to) = match at.map(|seq| (seq.saturating_sub(1) / CHUNK).clamp(0, last)) {
        Some(middle) => ((middle - 1).max(0), (middle + 1).min(last)),
        None => ((last - CHUNKS_AT_END + 1).max(0), last),
    };
    whole(site, detail, view, from..=to, &options).await
}

/// One chunk. Past the end of the session it is empty.
pub async fn chunk(site: &Site, detail: &SessionDetail, view: &View, index: i64) -> Result<String, Problem> {
    let drawn = draw_requested(site, detail, view, index..=index).await?;
    Ok(drawn.into_iter().map(|(_, rows)| rows).collect())
}

/// Returns the chunks `first..=last` that the session has, [`SEVERAL`] at most, each in its section.
pub async fn sections(
    site: &Site,
    detail: &SessionDetail,
    view: &View,
    first: i64,
    last: i64,
) -> Result<String, Problem> {
    let end = (detail.session.last_seq - 1).max(0) / CHUNK;
    let last = last.min(first.saturating_add(SEVERAL - 1)).min(end);
    if last < first {
        return Ok(String::new());
    }
    draw_requested(site, detail, view, first..=last).await.map(app::pages::session::sections)
}

/// Returns the number of each chunk and its rows.
async fn draw_requested(
    site: &Site,
    detail: &SessionDetail,
    view: &View,
    chunks: RangeInclusive<i64>,
) -> Result<Vec<(i64, String)>, Problem> {
    if !(0..=i64::MAX / CHUNK - 3).contains(chunks.start()) {
        return Err(Problem::not_found("part of the transcript"));
    }
    Ok(draw(site, detail, view, chunks, &options(&site.api, detail, view).await?).await?.drawn)
}

/// The end of a transcript as a part of another page, and how many positions come before it.
pub async fn nested(site: &Site, detail: &SessionDetail, view: &View) -> Result<(String, i64), Problem> {
    let view = &View { dev: Dev::Off, ..view.clone() };
    let options = TranscriptOptions { nested: true, ..options(&site.api, detail, view).await? };
    let last = (detail.session.last_seq - 1).max(0) / CHUNK;
    let first = (last - CHUNKS_AT_END + 1).max(0);
    let drawn = whole(site, detail, view, first..=last, &options).await?;
    let first = drawn.first().map_or(first, |(chunk, _)| *chunk);
    Ok((drawn.into_iter().map(|(_, rows)| rows).collect(), first * CHUNK))
}

/// Chunks that begin with a row: of what runs through the first one its beginning comes too.
async fn whole(
    site: &Site,
    detail: &SessionDetail,
    view: &View,
    chunks: RangeInclusive<i64>,
    options: &TranscriptOptions,
) -> Result<Vec<(i64, String)>, Problem> {
    let drawn = draw(site, detail, view, chunks.clone(), options).await?;
    if drawn.begins == *chunks.start() {
        return Ok(drawn.drawn);
    }
    Ok(draw(site, detail, view, drawn.begins..=*chunks.end(), options).await?.drawn)
}

async fn draw(
    site: &Site,
    detail: &SessionDetail,
    view: &View,
    chunks: RangeInclusive<i64>,
    options: &TranscriptOptions,
) -> Result<Chunks, Problem> {
    let (page, cut) = around(site, detail, view, &chunks, options).await?;
    let options = TranscriptOptions { cut, ..options.clone() };
    let options = with_surroundings(&site.api, detail, &page, &options).await?;
    site.draw(move |job| app::transcript::chunks(page, &until(job, options), chunks)).await
}

/// The messages of some chunks, and those around that run together with them: mostly they are in the next chunk on each
/// side.
async fn around(
    site: &Site,
    detail: &SessionDetail,
    view: &View,
    chunks: &RangeInclusive<i64>,
    options: &TranscriptOptions,
) -> Result<(MessagePage, Cuts), Problem> {
    let (mut before, mut after) = (1, 1);
    let dev = if view.verbosity.shows_thinking() { Dev::On } else { view.dev };
    if !view.filter.is_empty() {
        // Nothing runs together.
        return range(site, detail, (dev, &view.filter), chunks.start() * CHUNK + 1, (chunks.end() + 1) * CHUNK).await;
    }
    loop {
        let from = (chunks.start() - before).max(0) * CHUNK + 1;
        let to = (chunks.end() + 1 + after) * CHUNK;
        let (page, cut) = range(site, detail, (dev, &view.filter), from, to).await?;
        let whole = app::transcript::is_whole(&page, options, chunks);
        if whole == (true, true) {
            return Ok((page, cut));
        }
        before *= if whole.0 { 1 } else { FURTHER };
        after *= if whole.1 { 1 } else { FURTHER };
    }
}

/// The messages of which a page has the beginning, by their `seq`.
type Cuts = Arc<BTreeMap<i64, Cut>>;

/// The messages `from..=to`, however many; of long ones the beginning.
async fn range(
    site: &Site,
    detail: &SessionDetail,
    (dev, filter): (Dev, &MessageFilter),
    from: i64,
    to: i64,
) -> Result<(MessagePage, Cuts), Problem> {
    let piece = |from: i64| {
        let span = span(from, to.min(from.saturating_add(MOST - 1)), dev);
        ListMessages { types: filter.types.clone(), roles: filter.roles.clone(), ..span }
    };
    let mut cut = BTreeMap::new();
    let mut page = site.api.list_messages(path(detail), piece(from)).await?;
    shorten(&mut page, &mut cut);
    let to = to.min(page.last_seq);
    while page.to < to && page.to > 0 {
        let mut next = site.api.list_messages(path(detail), piece(page.to + 1)).await?;
        if next.to <= page.to {
            break;
        }
        shorten(&mut next, &mut cut);
        page.messages.extend(next.messages);
        page.hidden.extend(next.hidden);
        (page.to, page.last_seq) = (next.to, next.last_seq);
    }
    Ok((page, Arc::new(cut)))
}

/// Returns the hidden messages `from..=to` of a marker.
pub async fn unfolded(site: &Site, detail: &SessionDetail, view: &View, from: i64, to: i64) -> Result<String, Problem> {
    let options = options(&site.api, detail, view).await?;
    let (page, cut) = range(site, detail, (Dev::On, &view.filter), from, to.min(from.saturating_add(MOST - 1))).await?;
    let options = TranscriptOptions { cut, ..options };
    site.draw(move |job| app::transcript::unfolded(page, &until(job, options))).await
}

/// One message by itself, as much of it as is asked for.
pub async fn article(
    site: &Site,
    session: &SessionDetail,
    view: &View,
    seq: i64,
    (detail, sought): (Detail, Option<&str>),
) -> Result<String, Problem> {
    let sought = sought.map(Into::into);
    let mut options = TranscriptOptions { detail, sought, ..options(&site.api, session, view).await? };
    let mut page = site.api.list_messages(path(session), span(seq, seq, Dev::On)).await?;
    if detail != Detail::Whole {
        let mut cut = BTreeMap::new();
        shorten(&mut page, &mut cut);
        options.cut = Arc::new(cut);
    }
    options = with_surroundings(&site.api, session, &page, &options).await?;
    let entry = page.messages.pop().ok_or_else(|| Problem::not_found("message"))?;
    if let Some(child) = options.child(&entry.message.draft).cloned()
        && let Some(call) = child.session.call_id.clone()
    {
        let steps = last_messages(&site.api, &child.session, STEPS).await?;
        options.children = Arc::new(HashMap::from([(call, Child { steps, ..child })]));
    }
    site.draw(move |job| message_renderer::render_article(&entry, &until(job, options))).await
}

/// Returns the options of a drawing until a job is over.
pub fn until(job: &Job, options: TranscriptOptions) -> TranscriptOptions {
    let job = job.clone();
    TranscriptOptions { stop: Stop::when(move || job.is_over()), ..options }
}

/// With what cards of the page show beside their message: the plan that a plan took the place of, since it says what it
/// changed, what is known about the lines of reviews, and the beginnings of text files.
pub async fn with_surroundings(
    scoped: &Scoped,
    detail: &SessionDetail,
    page: &MessagePage,
    options: &TranscriptOptions,
) -> Result<TranscriptOptions, Problem> {
    let mut options = options.clone();
    if options.dev && page.from > 0 {
        let of = RequestsQuery { from: Some(page.from), to: Some(page.to), ..RequestsQuery::default() };
        let requests = scoped.list_requests(path(detail), of).await?.requests;
        options.requests = Arc::new(requests.into_iter().filter_map(|of| Some((of.seq?, of))).collect());
    }
    if let Some(first) = page.messages.iter().find(|entry| entry.message_type == MessageType::Todo) {
        let types = vec![MessageType::Todo.to_string()];
        let before = ListMessages {
            before: Some(first.message.seq),
            types,
            roles: vec![Role::Assistant],
            limit: Some(1),
            ..ListMessages::default()
        };
        let earlier = scoped.list_messages(path(detail), before).await?.messages.pop();
        options.todos_before = Arc::new(todos_before(page, earlier));
    }
    options.texts = Arc::new(texts(scoped, page).await);
    options.reviews = Arc::new(reviewed(scoped, &path(detail), &page.messages).await?);
    Ok(options)
}

/// The beginnings of text files, by their digests. What can't be read, or is no text, has none.
async fn texts(scoped: &Scoped, page: &MessagePage) -> HashMap<String, String> {
    let mut texts = HashMap::new();
    let is_text = |item: &&FileItem| item.state == FileState::Ready && item.preview() == Some(Preview::Text);
    let files = page.messages.iter().rev().filter_map(|entry| match entry.body() {
        Body::File(file) => Some(&file.files),
        _ => None,
    });
    let items: Vec<&FileItem> = files.flatten().filter(is_text).take(TEXTS).collect();
    for item in items {
        let Some(digest) = item.digest().filter(|digest| !texts.contains_key(*digest)) else { continue };
        let Some(bytes) = beginning(scoped, digest).await else { continue };
        // The last character may be cut.
        let text = bytes.utf8_chunks().next().map_or("", |chunk| chunk.valid());
        if text.len() + 4 > bytes.len() && !text.contains('\0') {
            texts.insert(digest.to_owned(), text.to_owned());
        }
    }
    texts
}

/// The first bytes of a blob, if it can be read.
async fn beginning(scoped: &Scoped, digest: &str) -> Option<Vec<u8>> {
    let blob = scoped.blob(digest).await.ok()?;
    let parts: Vec<Vec<u8>> = scoped.read_blob(&blob, 0..BEGINNING).await.ok()?.try_collect().await.ok()?;
    Some(parts.concat())
}

/// The messages `from..=to`, both included.
fn span(from: i64, to: i64, dev: Dev) -> ListMessages {
    let dev = (dev == Dev::On).then_some(1);
    ListMessages { from: Some(from), to: Some(to), dev, limit: Some(500), ..ListMessages::default() }
}
