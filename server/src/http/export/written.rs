//! A session as something to read: HTML in one file, a page to print, the page of a link. Written piece by piece, so that a long
//! session needs no more memory than a short one.

use super::super::blobs::drawn;
use super::super::transcript::{self, View};
use super::super::{Site, assets, filter, page_data};
use super::{download, file_name};
use api::messages::{ListMessages, MessagePage};
use api::sessions::{SessionDetail, SessionPath};
use api::{Api as _, Nothing, Problem};
use app::clock::Clock;
use app::look::Look;
use app::page::Assets;
use app::pages::printed::{Printed, Purpose, Shared, around};
use app::pages::session::Dev;
use app::shared::message_filter::MessageFilter;
use app::transcript::{Detail, Verbosity};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, Query};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use bytes::Bytes;
use futures::stream::{self, StreamExt as _, TryStreamExt as _};
use hub::Scoped;
use hub::compute::Job;
use hub::shares::OpenShare;
use model::{Micros, SessionId};
use serde::Deserialize;
use std::borrow::Cow;
use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

/// Bytes that are sent at once.
const SLICE: usize = 64 * 1024;
/// Messages that are read at once, unless they are long.
const PIECE: i64 = 200;
/// Ages as "3 min" are no use on paper: seen from so much later, every moment is a date.
const LATER: i64 = 400 * 24 * 3600 * Micros::SECOND;
/// Content security policy of an exported file: it can't load or run anything.
pub const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">";

pub async fn html(
    scoped: Scoped,
    path: SessionPath,
    filter: MessageFilter,
    clock: &Clock,
) -> Result<Response, Problem> {
    let mut detail = scoped.get_session(path, Nothing {}).await?;
    if scoped.caller.key_id().is_some() {
        // Sub-agents of a session aren't told to agents.
        detail.session.child_count = 0;
    }
    let name = file_name(&detail.session, "html");
    let (before, after) = frame(&scoped, &detail, Purpose::Keep, &filter, (Look::default(), &Assets::default()), clock);
    let before = standalone(&before, POLICY);
    let pieces = pieces(scoped.clone(), detail, Source::Session(filter)).await?;
    let pieces = pieces.map_ok(move |piece| self_contained(scoped.clone(), None, piece)).try_flatten();
    let whole = stream::iter(slices(before)).chain(pieces).chain(stream::iter(slices(after)));
    Ok(download(&name, "text/html; charset=utf-8", Body::from_stream(whole)))
}

/// The page of a link, with these tags in its head.
pub async fn shared(share: OpenShare, clock: &Clock, head: &str) -> Result<Body, Problem> {
    let (from, to) = share.range();
    let purpose = Purpose::Share(Shared {
        by: share.shared_by(),
        at: share.created_at(),
        expires_at: share.expires_at(),
        redacted: share.is_redacted(),
    });
    let (scoped, detail) = (share.reader.clone(), share.detail.clone());
    let look = (Look::default(), &Assets::default());
    let (before, after) = frame(&scoped, &detail, purpose, &MessageFilter::default(), look, clock);
    let before = standalone(&before, head);
    let session = detail.session.id.clone();
    let pieces = pieces(scoped.clone(), detail, Source::Share { share: Arc::new(share), from, to }).await?;
    let contained = move |piece| self_contained(scoped.clone(), Some(session.clone()), piece);
    let pieces = pieces.map_ok(contained).try_flatten();
    let whole = stream::iter(slices(before)).chain(pieces).chain(stream::iter(slices(after)));
    Ok(Body::from_stream(whole))
}

/// The beginning of a page that was drawn without files, with its style inside and these tags in its head.
pub fn standalone(page: &str, head: &str) -> String {
    let style = format!("{head}<style>{}</style>", assets::style());
    page.replacen("<link rel=\"stylesheet\" href=\"\">", &style, 1).replacen("<link rel=\"icon\" href=\"\">", "", 1)
}

#[derive(Debug, Deserialize)]
pub struct PrintQuery {
    #[serde(rename = "type")]
    types: Option<String>,
    role: Option<String>,
}

/// `GET /s/{session}/print`
pub async fn print(
    site: Site,
    Extension(scoped): Extension<Scoped>,
    Path(path): Path<SessionPath>,
    Query(query): Query<PrintQuery>,
    headers: HeaderMap,
) -> Response {
    let page = async {
        let filter = filter::read(query.types.as_deref(), query.role.as_deref())?;
        let detail = scoped.get_session(path, Nothing {}).await?;
        let look = page_data::look(&headers);
        let clock = page_data::clock(&headers);
        let (before, after) = frame(&scoped, &detail, Purpose::Print, &filter, (look, &site.assets), &clock);
        let pieces = pieces(scoped, detail, Source::Session(filter))
            .await?
            .map_ok(|piece| stream::iter(slices(piece)))
            .try_flatten();
        let whole = stream::iter(slices(before)).chain(pieces).chain(stream::iter(slices(after)));
        let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "private, no-cache")];
        Ok::<_, Problem>((kind, Body::from_stream(whole)).into_response())
    };
    page.await.unwrap_or_else(|problem| page_data::problem_page(&site, &headers, &problem))
}

/// A piece in slices of at most [`SLICE`] bytes: only one of them exists beside the piece.
fn slices(piece: String) -> impl Iterator<Item = io::Result<Bytes>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let slice = piece.as_bytes().get(at..piece.len().min(at + SLICE)).filter(|slice| !slice.is_empty())?;
        at += slice.len();
        Some(Ok(Bytes::copy_from_slice(slice)))
    })
}

fn frame(
    scoped: &Scoped,
    detail: &SessionDetail,
    purpose: Purpose<'_>,
    filter: &MessageFilter,
    (look, assets): (Look, &Assets),
    clock: &Clock,
) -> (String, String) {
    around(&Printed {
        detail,
        purpose,
        filter,
        script: &assets::url("print.js"),
        look,
        build: &scoped.hub.settings.version,
        assets,
        clock,
    })
}

/// The messages that are written.
enum Source {
    /// Those of a session that a filter takes.
    Session(MessageFilter),
    /// Those of a link.
    Share { share: Arc<OpenShare>, from: i64, to: i64 },
}

/// The messages as HTML, in their order, drawn as in the transcript.
async fn pieces(
    scoped: Scoped,
    detail: SessionDetail,
    source: Source,
) -> Result<impl stream::Stream<Item = io::Result<String>>, Problem> {
    let (first, last_shared, share, filter) = match source {
        Source::Session(filter) => (1, None, None, filter),
        Source::Share { share, from, to } => (from, Some(to), Some(share), MessageFilter::default()),
    };
    let filter = Arc::new(filter);
    let view = View { dev: Dev::Off, verbosity: Verbosity::default(), filter: Arc::clone(&filter) };
    let mut options = transcript::options(&scoped, &detail, &view).await?;
    options.last_seq = last_shared.unwrap_or(options.last_seq);
    options.now = Micros(hub::clock::now().0 + LATER);
    options.detail = Detail::Printed;
    options.answers = false;
    let detail = Arc::new(detail);
    Ok(stream::try_unfold((first, None), move |(from, before)| {
        let (scoped, detail, filter) = (scoped.clone(), Arc::clone(&detail), Arc::clone(&filter));
        let share = share.clone();
        let mut options = options.clone();
        options.before = before;
        async move {
            if from > options.last_seq {
                return Ok(None);
            }
            let read = async {
                if let Some(share) = share {
                    // Nothing of what surrounds the messages was shared.
                    return Ok::<_, Problem>((share.messages(from).await?, options));
                }
                let page = page(&scoped, options.session_id.as_str(), from, (Dev::Off, &filter)).await?;
                let options = transcript::with_surroundings(&scoped, &detail, &page, &options).await?;
                Ok((page, options))
            };
            let (page, options) = read.await.map_err(io::Error::other)?;
            let to = page.to.max(from);
            let last = page.messages.last().map(|entry| entry.message.draft.created_at).or(before);
            let draw = move |job: &Job| app::transcript::page(page, &transcript::until(job, options));
            let drawn = scoped.compute(draw).await.map_err(io::Error::other)?;
            Ok(Some((drawn, (to + 1, last))))
        }
    }))
}

/// The messages from a `seq` on, as many as are read at once, without those that aren't for the reader. They reach up
/// to `to` of the page.
pub(super) async fn page(
    scoped: &Scoped,
    session: &str,
    from: i64,
    (dev, filter): (Dev, &MessageFilter),
) -> Result<MessagePage, Problem> {
    let dev = (dev == Dev::On).then_some(1);
    let span = ListMessages {
        from: Some(from),
        to: Some(from + PIECE - 1),
        types: filter.types.clone(),
        roles: filter.roles.clone(),
        dev,
        limit: Some(500),
        ..ListMessages::default()
    };
    let mut page = scoped.list_messages(SessionPath { session: session.to_owned() }, span).await?;
    page.messages.retain(|entry| !entry.withheld);
    Ok(page)
}

/// Slices of HTML with its pictures inside, and without links to this server: whoever opens the file may not reach it.
/// The text of links stays.
fn self_contained(
    scoped: Scoped,
    session: Option<SessionId>,
    html: String,
) -> impl stream::Stream<Item = io::Result<Bytes>> {
    stream::unfold((html, 0), move |(html, mut at)| {
        let (scoped, session) = (scoped.clone(), session.clone());
        async move {
            let mut slice = String::with_capacity(2 * SLICE);
            while slice.len() < SLICE && at < html.len() {
                let (text, tag) = next_tag(&html[at..]);
                at += text.len() + tag.len();
                slice.push_str(text);
                push_tag(&mut slice, (&scoped, session.as_ref()), tag).await;
            }
            (!slice.is_empty()).then(|| (Ok(Bytes::from(slice)), (html, at)))
        }
    })
}

/// Appends a tag, with its picture inside.
async fn push_tag(slice: &mut String, reader: (&Scoped, Option<&SessionId>), tag: &str) {
    const PICTURE: &str = " src=\"/v1/blobs/";
    let tag = without_target(tag);
    let parts = tag.split_once(PICTURE).and_then(|(before, rest)| Some((before, rest.split_once('"')?)));
    let Some((before, (digest, rest))) = parts else { return slice.push_str(&tag) };
    // Blobs that the reader can't access, and those that aren't images, are omitted.
    let data = picture(reader, digest).await.unwrap_or_default();
    let _ = write!(slice, "{before} src=\"{data}\"{rest}");
}

/// A picture as an address that holds it; with a session, only one of that session.
async fn picture((scoped, session): (&Scoped, Option<&SessionId>), digest: &str) -> Option<String> {
    let blob = match session {
        Some(session) => scoped.blob_of_session(session, digest).await.ok()?,
        None => scoped.blob(digest).await.ok()?,
    };
    let mime = drawn(&blob.mime)?;
    let bytes: Vec<Vec<u8>> = scoped.read_blob(&blob, 0..blob.size).await.ok()?.try_collect().await.ok()?;
    Some(format!("data:{mime};base64,{}", base64::engine::general_purpose::STANDARD.encode(bytes.concat())))
}

/// The first tag with the text before it, or as much text as a slice holds. Text may hold quotation marks, and
/// attributes the end of a tag.
fn next_tag(html: &str) -> (&str, &str) {
    let beginning = &html[..html.floor_char_boundary(SLICE)];
    let Some(start) = beginning.find('<') else { return (beginning, "") };
    let mut is_quoted = false;
    let closes = |c: char| {
        is_quoted ^= c == '"';
        c == '>' && !is_quoted
    };
    let end = html[start..].find(closes).map_or(html.len(), |end| start + end + 1);
    (&html[..start], &html[start..end])
}

/// Removes `href` attributes that link to this server.
fn without_target(tag: &str) -> Cow<'_, str> {
    let target = tag.split_once(" href=\"/").and_then(|(before, rest)| Some((before, rest.split_once('"')?.1)));
    target.map_or(Cow::Borrowed(tag), |(before, after)| Cow::Owned(format!("{before}{after}")))
}
