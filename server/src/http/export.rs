//! Exports: imported files byte for byte, and sessions in readable formats.

mod archive;
mod markdown;
mod redacted;
mod sdk;
pub mod written;

use super::extract::{Asked, Named, PageOf};
use super::transcript::View;
use super::{Site, page_data, pages};
use api::contract::EraseTextEndpoint;
use api::messages::{Entry, ListMessages};
use api::redaction::RedactionQuery;
use api::sessions::SessionPath;
use api::{Api as _, Endpoint as _, Nothing};
use api::{Problem, ProblemCode};
use app::pages::redacted::RedactedPage;
use app::shared::message_filter::MessageFilter;
use app::transcript::Verbosity;
use axum::Extension;
use axum::body::Body;

use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse as _, Response};
use futures::{Stream, StreamExt as _, stream};
use hub::Scoped;
use model::model_context::format::ContextFormat;
use model::{Role, Session, SourceId};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sha2::{Digest as _, Sha256};
use std::collections::VecDeque;
use std::sync::Arc;
use store::{SourceChunk, Workspace};

#[derive(Debug, Deserialize)]
pub struct ExportQuery {
    format: Option<String>,
    /// Id of the file, for a session from several files; the session's main file if absent.
    source: Option<String>,
    /// Detail of markdown, as on the page; the reader's setting if absent.
    view: Option<String>,
    dev: Option<u8>,
    /// `1`: with secrets masked. A list, since an empty value would be read as none at all, and nobody sends one by
    /// intent.
    #[serde(default)]
    redact: Vec<String>,
    /// Patterns of the reader's own to mask.
    #[serde(default, rename = "mask")]
    masks: Vec<String>,
    /// Only messages of any of these types.
    #[serde(default, rename = "type")]
    types: Vec<String>,
    /// Only messages of any of these roles.
    #[serde(default, rename = "role")]
    roles: Vec<Role>,
}

impl ExportQuery {
    fn filter(&self) -> MessageFilter {
        MessageFilter { types: self.types.clone(), roles: self.roles.clone() }
    }

    /// The caller, who reads with secrets masked if the query says so.
    fn reader(&self, scoped: Scoped) -> Result<Scoped, Problem> {
        let said: Vec<&str> = self.redact.iter().map(String::as_str).collect();
        match said.as_slice() {
            [] | ["0"] if self.masks.is_empty() => Ok(scoped),
            [] | ["1"] => Ok(Scoped { redactor: Some(hub::redaction::redactor(&self.masks)?), ..scoped }),
            _ => Err(Problem::field("redact", "1 if `mask` is given, otherwise 0 or 1")),
        }
    }

    fn view(&self, headers: &HeaderMap) -> Result<View, Problem> {
        let known = |word: &str| Verbosity::parse(word).is_some();
        if self.view.as_deref().is_some_and(|word| !known(word)) {
            return Err(Problem::field("view", "`summary`, `normal`, `thinking` or `verbose`"));
        }
        let dev = match self.dev {
            None => None,
            Some(0) => Some("0"),
            Some(1) => Some("1"),
            Some(_) => return Err(Problem::field("dev", "0 or 1")),
        };
        let view = page_data::view(dev, self.view.as_deref(), headers);
        Ok(View { filter: Arc::new(self.filter()), ..view })
    }
}

pub async fn export(
    Extension(scoped): Extension<Scoped>,
    Named(path): Named<SessionPath>,
    headers: HeaderMap,
    Asked(query): Asked<ExportQuery>,
) -> Response {
    let scoped = match query.reader(scoped) {
        Ok(scoped) => scoped,
        Err(problem) => return problem.into_response(),
    };
    let answer = match query.format.as_deref() {
        Some("original" | "jsonl") if !scoped.may_export_originals() => {
            let problem = Problem::new(ProblemCode::Forbidden, "Your role, viewer, doesn't allow to export originals");
            Err(problem.hint("Add `redact=1`, or export it as `html`, `markdown` or `json`"))
        }
        Some("original") if !query.filter().is_empty() => {
            Err(Problem::field("format", "`json`, `html` or `markdown`: `original` is always the whole file"))
        }
        Some("jsonl") if !query.filter().is_empty() => {
            Err(Problem::field("format", "`json`, `html` or `markdown`: an archive always has all messages"))
        }
        Some("original") => original(scoped, path, query.source).await,
        Some("jsonl") => archive::archive(scoped, path).await,
        Some("json") => json(scoped, path, query.filter()).await,
        Some("html") => written::html(scoped, path, query.filter(), &page_data::clock(&headers)).await,
        Some("markdown") => match query.view(&headers) {
            Ok(view) => markdown::markdown(scoped, path, view, page_data::clock(&headers)).await,
            Err(problem) => Err(problem),
        },
        Some(word) => match ContextFormat::parse(word).filter(|format| *format != ContextFormat::Text) {
            Some(format) => sdk::messages(scoped, path, query.filter(), format).await,
            None => Err(unknown_format()),
        },
        None => Err(unknown_format()),
    };
    answer.unwrap_or_else(axum::response::IntoResponse::into_response)
}

fn unknown_format() -> Problem {
    let all = "`original`, `jsonl`, `json`, `html`, `markdown`, `anthropic`, `openai` or `gemini`";
    Problem::field("format", all)
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct PreviewQuery {
    /// One a line, as the form sends them.
    masks: String,
}

/// `GET /s/{session}/redacted`
pub async fn preview(site: Site, PageOf(path): PageOf<SessionPath>, uri: Uri, headers: HeaderMap) -> Response {
    let page = async {
        let asked: PreviewQuery = pages::query(&uri, &["masks"])?;
        let masks: Vec<String> =
            asked.masks.lines().map(str::to_owned).filter(|line| !line.trim().is_empty()).collect();
        let query = RedactionQuery { masks: masks.clone(), children: Some(1) };
        // Text around the report is masked as well, because it may be shared with it.
        let redactor = Some(hub::redaction::redactor(&masks)?);
        let masked = site.with_api(Scoped { redactor, ..site.api.clone() });
        let (detail, report, shell) = tokio::try_join!(
            masked.api.get_session(path.clone(), Nothing {}),
            site.api.preview_redaction(path.clone(), query),
            page_data::surroundings(&masked, &headers),
        )?;
        let query = masks.iter().map(|mask| format!("&mask={}", api::endpoint::segment(mask))).collect();
        Ok(app::pages::redacted::page(&RedactedPage {
            has_original: !detail.sources.is_empty(),
            session: detail.session,
            report,
            masks,
            query,
            shell,
        }))
    };
    pages::answer(&site, &headers, page.await).await
}

async fn original(scoped: Scoped, path: SessionPath, source: Option<String>) -> Result<Response, Problem> {
    let unmasked = Scoped { redactor: None, ..scoped.clone() };
    let detail = unmasked.get_session(path.clone(), Nothing {}).await?;
    // A session's own file is the one that is named after it; sub-agents' files are further sources.
    let own_id = detail.session.agent_session_id.clone().unwrap_or_default();
    let named = |path: &str| {
        std::path::Path::new(path).file_stem().is_some_and(|stem| is_named_after(&stem.to_string_lossy(), &own_id))
    };
    let chosen = match &source {
        Some(id) => detail.sources.iter().find(|s| s.id == *id),
        None => detail.sources.iter().find(|s| named(&s.path)).or(detail.sources.first()),
    };
    let chosen = chosen.ok_or_else(|| {
        Problem::new(ProblemCode::NoSource, "This session wasn't imported from a file")
            .hint("`--format json` exports it")
    })?;
    // A packed file has the words of everybody in it, and nothing in it can be masked.
    let as_packed = source.is_none() && scoped.redactor.is_none() && !scoped.is_for_model();
    let packed = if as_packed { scoped.hub.packed(&chosen.path).await? } else { None };
    let id = SourceId::parse(chosen.id.clone()).map_err(|_| Problem::internal())?;
    if scoped.is_for_model() {
        scoped.require_no_host_records(&detail.session.id, &id).await?;
    }
    // A file may be named by what is masked in it.
    let masked = scoped.get_session(path, Nothing {}).await?.sources.into_iter().find(|source| source.id == chosen.id);
    let shown = masked.map_or_else(|| chosen.path.clone(), |source| source.path);
    let (id, size, hash, shown, content_type) = if let Some(packed) = packed {
        (packed.id, packed.size, packed.sha256, packed.path, "application/zstd")
    } else {
        // Where a text was erased, the bytes aren't those of the file.
        let workspace = &scoped.hub.workspace;
        let erased = workspace.erased_ranges(&id).await.map_err(hub::problem)?;
        let hash = if erased.is_empty() { Ok(chosen.sha256.clone()) } else { workspace.stored_sha256(&id).await };
        (id, chosen.size, hash.map_err(hub::problem)?, shown, "application/x-ndjson")
    };
    let name = std::path::Path::new(&shown).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
    // Before the first byte is sent: what is damaged isn't the file that was imported.
    if let Some(damaged) = scoped.hub.workspace.damaged_records(&id).await.map_err(hub::problem)?.into_iter().next() {
        let problem = hub::problem(damaged);
        return Err(Problem::hint(problem, "`--format json` and `--format markdown` export what can be read"));
    }
    let whole = original_bytes(scoped.hub.workspace.clone(), id, size, hash);
    let body = match scoped.redactor {
        Some(redactor) => Body::from_stream(redacted::masked(whole, redactor)),
        None => Body::from_stream(whole),
    };
    Ok(download(&name, content_type, body))
}

/// Returns whether a file is named after a session: `<id>`, `agent-<id>` of a sub-agent, `rollout-<time>-<id>`, or
/// `session-<time>-<beginning of the id>`.
fn is_named_after(stem: &str, own_id: &str) -> bool {
    const BEGINNING: usize = 8;
    let own = own_id.rsplit('/').next().unwrap_or(own_id);
    let end = stem.rsplit('-').next().unwrap_or(stem);
    let is_behind = || stem.strip_suffix(own).is_some_and(|before| before.ends_with('-'));
    !own.is_empty() && (own_id.ends_with(stem) || is_behind() || end.len() >= BEGINNING && own.starts_with(end))
}

/// `GET /s/{session}/erase`
pub async fn erase(site: Site, PageOf(path): PageOf<SessionPath>, headers: HeaderMap) -> Response {
    let page = async {
        site.api.authorize(EraseTextEndpoint::INFO.access)?;
        let (detail, shell) =
            tokio::try_join!(site.api.get_session(path, Nothing {}), page_data::surroundings(&site, &headers))?;
        Ok(app::pages::erase::page(&app::pages::erase::ErasePage { session: detail.session, shell }))
    };
    pages::answer(&site, &headers, page.await).await
}

/// The first `size` bytes of a source: it may grow meanwhile. One that is rewritten or forgotten while it is sent
/// breaks the transfer, since what came of it is no file.
fn original_bytes(
    workspace: Workspace,
    id: SourceId,
    size: u64,
    sha256: String,
) -> impl Stream<Item = std::io::Result<Vec<u8>>> {
    let changed = || std::io::Error::other("the file changed while it was sent");
    stream::try_unfold((Some(0), Sha256::new()), move |(offset, mut hash)| {
        let (workspace, id, sha256) = (workspace.clone(), id.clone(), sha256.clone());
        async move {
            let Some(offset) = offset else { return Ok(None) };
            let chunk = workspace.source_chunk(&id, offset).await.map_err(|e| std::io::Error::other(e.to_string()))?;
            let SourceChunk { mut bytes, next } = chunk.ok_or_else(changed)?;
            bytes.truncate(usize::try_from(size - offset).unwrap_or(usize::MAX));
            hash.update(&bytes);
            let next = next.filter(|next| *next < size);
            if next.is_none() && hub::hex(&hash.clone().finalize()) != sha256 {
                return Err(changed());
            }
            Ok(Some((bytes, (next, hash))))
        }
    })
}

/// Bytes that are sent at once, about: one message at least.
const PIECE: usize = 64 * 1024;

/// Written piece by piece, so that a long session needs no more memory than a short one.
async fn json(scoped: Scoped, path: SessionPath, filter: MessageFilter) -> Result<Response, Problem> {
    let detail = scoped.get_session(path, Nothing {}).await?;
    let (session, last) = (SessionPath { session: detail.session.id.to_string() }, detail.session.last_seq);
    let name = file_name(&detail.session, "json");
    let session_json = written(&detail).map_err(|_| Problem::internal())?;
    let only = if filter.is_empty() {
        String::new()
    } else {
        format!("\"filter\":{},", json!({ "type": filter.types, "role": filter.roles }))
    };
    let before = format!("{{\"session\":{session_json},{only}\"messages\":[");
    let filter = Arc::new(filter);
    let start = (0, VecDeque::new(), true);
    let pieces = stream::try_unfold(start, move |(mut after, mut entries, mut is_first)| {
        let (scoped, session, filter) = (scoped.clone(), session.clone(), Arc::clone(&filter));
        async move {
            let mut piece = Vec::new();
            while piece.len() < PIECE {
                let Some(entry) = entries.pop_front() else {
                    if after >= last || !piece.is_empty() {
                        break;
                    }
                    let query = ListMessages {
                        after: Some(after),
                        types: filter.types.clone(),
                        roles: filter.roles.clone(),
                        dev: Some(1),
                        limit: Some(500),
                        ..ListMessages::default()
                    };
                    let page = scoped.list_messages(session.clone(), query).await.map_err(std::io::Error::other)?;
                    after = page.to.max(after + 1);
                    entries = page.messages.into();
                    continue;
                };
                if !std::mem::take(&mut is_first) {
                    piece.push(b',');
                }
                write(&mut piece, &entry)?;
            }
            Ok((!piece.is_empty()).then_some((piece, (after, entries, is_first))))
        }
    });
    let ends = |text: String| stream::once(async { Ok::<_, std::io::Error>(text.into_bytes()) });
    let whole = ends(before).chain(pieces).chain(ends("]}".to_owned()));
    Ok(download(&name, "application/json", Body::from_stream(whole)))
}

fn written(value: &impl Serialize) -> std::io::Result<String> {
    serde_json::to_string(value).map_err(std::io::Error::other)
}

/// Appends a message. Where it is long, its text is most of it: a buffer that grew would be copied again and again.
fn write(piece: &mut Vec<u8>, entry: &Entry) -> std::io::Result<()> {
    let bytes = entry.bytes();
    // Escaped characters take more space.
    piece.reserve(bytes + bytes / 8);
    serde_json::to_writer(piece, entry).map_err(std::io::Error::other)
}

/// Letters of a title that a file is named by.
const TITLE: usize = 60;
/// Characters of an id that tell sessions of one title apart: the last ones, since the first ones are the time at which
/// a whole folder was imported.
const ID: usize = 8;

/// `mend-the-mill-5d01c3ae.md`: what people see in their folder says what it is. A title's letters and digits alone are
/// taken, so that nothing in a name leads elsewhere or is turned round.
fn file_name(session: &Session, ending: &str) -> String {
    let title = session.title.to_lowercase();
    let words = title.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        if name.chars().count() + word.chars().count() >= TITLE && !name.is_empty() {
            break;
        }
        name.extend(word.chars().take(TITLE));
        name.push('-');
    }
    let id: Vec<char> = session.id.as_str().chars().filter(|c| c.is_alphanumeric()).collect();
    name.extend(&id[id.len().saturating_sub(ID)..]);
    format!("{name}.{ending}")
}

/// Characters that aren't escaped in an extended value.
const EXTENDED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_');

/// A file to save: never shown as a page of ours. Its name as RFC 6266 has it: in ASCII, and where that isn't all of
/// it, as it is.
pub fn download(name: &str, content_type: &'static str, body: Body) -> Response {
    let is_safe = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    let safe: String = name.chars().map(|c| if is_safe(c) { c } else { '_' }).collect();
    let mut disposition = format!("attachment; filename=\"{safe}\"");
    if safe != name {
        disposition += &format!("; filename*=UTF-8''{}", utf8_percent_encode(name, EXTENDED));
    }
    ([(header::CONTENT_TYPE, content_type.to_owned()), (header::CONTENT_DISPOSITION, disposition)], body)
        .into_response()
}

#[cfg(test)]
mod tests {
    use super::is_named_after;

    #[test]
    fn a_file_is_named_after_its_session() {
        for (stem, id) in [
            ("4d5611e5-0000", "4d5611e5-0000"),
            ("agent-a2898e3", "4d5611e5-0000/a2898e3"),
            ("a2898e3", "4d5611e5-0000/a2898e3"),
            ("rollout-2026-09-14T08-00-00-019f7000-0055", "019f7000-0055"),
            ("session-2026-09-14T08-00-7c99494a", "7c99494a-4ea5-5cb4"),
        ] {
            assert!(is_named_after(stem, id), "{stem} {id}");
        }
        for (stem, id) in [
            ("4d5611e5-0000", "4d5611e5-0000/a2898e3"),
            ("agent-b", "4d5611e5-0000/a2898e3"),
            ("agent-xa2898e3", "4d5611e5-0000/a2898e3"),
            ("session-2026-09-14T08-00-7c99494a", "e1b70c05-dc9b-56ae"),
            ("mill", ""),
        ] {
            assert!(!is_named_after(stem, id), "{stem} {id}");
        }
    }
}
