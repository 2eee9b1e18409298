//! A session as something to read: HTML in one file, a page to print, markdown. Written piece by piece, so that a long
//! session needs no more memory than a short one.

use super::super::blobs::drawn;
use super::super::transcript::{self, View};
use super::super::{Site, assets, views};
use super::download;
use api::client::Client;
use api::messages::{Entry, ListMessages, MessagePage};
use api::sessions::{SessionDetail, SessionPath};
use api::{Nothing, Problem};
use app::clock::Clock;
use app::look::Look;
use app::page::Assets;
use app::pages::printed::{Printed, Purpose, around};
use app::pages::session::Dev;
use app::transcript::{Detail, Verbosity};
use axum::Extension;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse as _, Response};
use base64::Engine as _;
use futures::stream::{self, StreamExt as _};
use hub::Scoped;
use model::{Micros, Role};
use std::fmt::Write as _;
use std::sync::Arc;

/// Messages that are read at once.
const PIECE: i64 = 200;
/// Ages as "3 min" are no use on paper: seen from so much later, every moment is a date.
const LATER: i64 = 400 * 24 * 3600 * Micros::SECOND;
/// What a file on somebody's disk may load and run: nothing.
const POLICY: &str = "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; img-src data:\">";

pub async fn html(scoped: Scoped, path: SessionPath) -> Result<Response, Problem> {
    let client = super::super::in_process(&scoped);
    let mut detail = client.get_session(path, Nothing {}).await?;
    if scoped.caller.key_id().is_some() {
        // Sub-agents of a session aren't told to agents.
        detail.session.child_count = 0;
    }
    let name = format!("{}.html", detail.session.id);
    let (before, after) = frame(&scoped, &client, &detail, Purpose::Keep, Look::default(), &Assets::default()).await?;
    let style = format!("{POLICY}<style>{}</style>", assets::style());
    let before = before.replacen("<link rel=\"stylesheet\" href=\"\">", &style, 1).replacen(
        "<link rel=\"icon\" href=\"\">",
        "",
        1,
    );
    let home = scoped.hub.settings.base_url.clone();
    let pieces = pieces(client, detail).await?.then(move |piece| {
        let (scoped, home) = (scoped.clone(), home.clone());
        async move { Ok::<_, std::io::Error>(by_itself(&scoped, &piece?, &home).await) }
    });
    let whole = stream::once(async { Ok(before) }).chain(pieces).chain(stream::once(async { Ok(after) }));
    Ok(download(&name, "text/html; charset=utf-8", Body::from_stream(whole)))
}

/// `GET /s/{session}/print`
pub async fn print(
    State(site): State<Site>,
    Extension(scoped): Extension<Scoped>,
    Path(path): Path<SessionPath>,
    headers: HeaderMap,
) -> Response {
    let page = async {
        let detail = site.client.get_session(path, Nothing {}).await?;
        let look = views::look(&headers);
        let (before, after) = frame(&scoped, &site.client, &detail, Purpose::Print, look, &site.assets).await?;
        let pieces = pieces(site.client.clone(), detail).await?;
        let whole = stream::once(async { Ok(before) }).chain(pieces).chain(stream::once(async { Ok(after) }));
        let kind = [(header::CONTENT_TYPE, "text/html; charset=utf-8"), (header::CACHE_CONTROL, "private, no-cache")];
        Ok::<_, Problem>((kind, Body::from_stream(whole)).into_response())
    };
    page.await.unwrap_or_else(|problem| views::problem_page(&site, &headers, &problem))
}

async fn frame(
    scoped: &Scoped,
    client: &Client,
    detail: &SessionDetail,
    purpose: Purpose,
    look: Look,
    assets: &Assets,
) -> Result<(String, String), Problem> {
    Ok(around(&Printed {
        detail,
        assistant: &assistant(scoped, client).await,
        purpose,
        look,
        build: &scoped.hub.settings.version,
        assets,
        clock: &views::clock(),
    }))
}

/// What people call the assistant is no agent's business.
async fn assistant(scoped: &Scoped, client: &Client) -> String {
    match scoped.caller.key_id() {
        Some(_) => String::new(),
        None => {
            client.get_preferences(Nothing {}, Nothing {}).await.map(|known| known.assistant_name).unwrap_or_default()
        }
    }
}

/// The messages as HTML, in their order, drawn as in the transcript.
async fn pieces(
    client: Client,
    detail: SessionDetail,
) -> Result<impl stream::Stream<Item = std::io::Result<String>>, Problem> {
    let view = View { dev: Dev::Off, verbosity: Verbosity::default() };
    let mut options = transcript::options(&client, &detail, view).await?;
    options.now = Micros(hub::clock::now().0 + LATER);
    options.detail = Detail::Printed;
    options.answers = false;
    let detail = Arc::new(detail);
    Ok(stream::try_unfold((1, None), move |(from, before)| {
        let (client, detail, mut options) = (client.clone(), Arc::clone(&detail), options.clone());
        options.before = before;
        async move {
            if from > options.last_seq {
                return Ok(None);
            }
            let page = page(&client, options.session_id.as_str(), from).await.map_err(std::io::Error::other)?;
            let options =
                transcript::with_plans(&client, &detail, &page, &options).await.map_err(std::io::Error::other)?;
            let last = page.messages.last().map(|entry| entry.message.draft.created_at).or(before);
            let drawn = tokio::task::spawn_blocking(move || app::transcript::page(page, &options)).await?;
            Ok(Some((drawn, (from + PIECE, last))))
        }
    }))
}

async fn page(client: &Client, session: &str, from: i64) -> Result<MessagePage, Problem> {
    let span =
        ListMessages { from: Some(from), to: Some(from + PIECE - 1), limit: Some(500), ..ListMessages::default() };
    client.list_messages(SessionPath { session: session.to_owned() }, span).await
}

/// Pictures inside, and links that lead to this server.
async fn by_itself(scoped: &Scoped, html: &str, home: &str) -> String {
    const PICTURE: &str = "src=\"/v1/blobs/";
    let linked = html.replace("href=\"/", &format!("href=\"{home}/"));
    let mut pieces = linked.split(PICTURE);
    let mut whole = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let Some((digest, rest)) = piece.split_once('"') else { continue };
        // What the reader may not read, or what is no picture, stays out.
        let blob = scoped.blob(digest).await.ok();
        let data = blob.and_then(|blob| {
            let mime = drawn(&blob.mime)?;
            Some(format!("data:{mime};base64,{}", base64::engine::general_purpose::STANDARD.encode(&blob.bytes)))
        });
        let _ = write!(whole, "src=\"{}\"{rest}", data.unwrap_or_default());
    }
    whole
}

pub async fn markdown(scoped: Scoped, path: SessionPath) -> Result<Response, Problem> {
    let client = super::super::in_process(&scoped);
    let detail = client.get_session(path, Nothing {}).await?;
    let session = detail.session;
    let named = assistant(&scoped, &client).await;
    let agent = if named.is_empty() { app::shell::agent_name(&session.agent) } else { named };
    let clock = views::clock();
    let head = format!(
        "# {}\n\n{agent}, {}, {} to {}, id `{}`\n",
        model::text::one_line(&session.title, 200),
        session.project,
        clock.full(session.created_at),
        clock.full(session.last_activity_at),
        session.id
    );
    let name = format!("{}.md", session.id);
    let (id, last) = (session.id.to_string(), session.last_seq);
    let pieces = stream::try_unfold(1, move |from| {
        let (client, id, agent, clock) = (client.clone(), id.clone(), agent.clone(), clock.clone());
        async move {
            if from > last {
                return Ok::<_, std::io::Error>(None);
            }
            let page = page(&client, &id, from).await.map_err(std::io::Error::other)?;
            let text: String = page.messages.iter().map(|entry| said(entry, &agent, &clock)).collect();
            Ok(Some((text, from + PIECE)))
        }
    });
    let whole = stream::once(async { Ok(head) }).chain(pieces);
    Ok(download(&name, "text/markdown; charset=utf-8", Body::from_stream(whole)))
}

/// Who, when, what. Reasoning is quoted: it was not said.
fn said(entry: &Entry, agent: &str, clock: &Clock) -> String {
    let draft = &entry.message.draft;
    let who = draft.sender_name.as_deref().unwrap_or(match draft.role {
        Role::User => "You",
        Role::Assistant => agent,
        Role::Model => "Reasoning",
        Role::Tool => "Tool",
        Role::System => "System",
        Role::Host => "Verbatim",
    });
    let text = model::markdown::to_markdown(draft);
    let text = match draft.role {
        Role::Model => text.lines().map(|line| format!("> {line}\n")).collect(),
        _ => text,
    };
    format!("\n## {who}\n\n*{}*\n\n{}\n", clock.full(draft.created_at), text.trim_end())
}
