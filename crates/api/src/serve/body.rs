//! Reads request bodies, with limits of size, time, memory and structure.

use super::Held;
use crate::limits::{JSON_DEPTH, JSON_VALUES};
use crate::{Problem, ProblemCode};
use axum::body::{Body, HttpBody as _};
use axum::extract::Request;
use axum::http::header;
use axum::http::request::Parts;
use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt as _;
use std::fmt::Display;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// Reads a JSON body of at most `limit` bytes.
pub async fn read_json<T: serde::de::DeserializeOwned>(request: Request, limit: usize) -> Result<T, Problem> {
    let not_json = || {
        let problem = Problem::new(ProblemCode::NotJson, "The body should be `application/json`");
        Problem {
            field: Some("Content-Type".to_owned()),
            ..problem.hint("Send the `Content-Type: application/json` header")
        }
    };
    let content_type = request.headers().get(header::CONTENT_TYPE);
    let untold = content_type.is_none();
    // A plain form post from another site can't have this type: one of the defences against cross-site request forgery.
    if let Some(content_type) = content_type {
        let essence = content_type.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
        if !essence.eq_ignore_ascii_case("application/json") {
            return Err(not_json());
        }
    }
    let (head, body) = request.into_parts();
    let body = read_body(&head, body, limit).await?;
    // An empty body needs no content type.
    if untold && !body.is_empty() {
        return Err(not_json());
    }
    check_json(&head, &body)?;
    let body: &[u8] = if body.is_empty() { b"{}" } else { &body };
    // serde would also read an array as a struct, field by field.
    if body.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        let hint = "Send a JSON object: `{...}`";
        return Err(Problem::new(ProblemCode::InvalidBody, "The body should be an object").hint(hint));
    }
    let mut reader = serde_json::Deserializer::from_slice(body);
    let not_valid = |e: &serde_json::Error| {
        Problem::new(ProblemCode::InvalidBody, format!("The body isn't valid JSON: {e}")).hint("Send one JSON object")
    };
    let read = serde_path_to_error::deserialize(&mut reader).map_err(|e| {
        let problem = super::invalid(ProblemCode::InvalidBody, &e, super::Part::Body);
        match e.inner().classify() {
            serde_json::error::Category::Data => problem,
            // The field is where reading stopped.
            _ => Problem { field: problem.field, ..not_valid(e.inner()) },
        }
    })?;
    reader.end().map_err(|e| not_valid(&e))?;
    Ok(read)
}

/// The body is sent too slowly.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TooSlow;

impl Display for TooSlow {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the body is sent too slowly")
    }
}

impl std::error::Error for TooSlow {}

/// Reads a body of at most `limit` bytes. Charges them to the request's [`Held`], if it has one.
///
/// # Errors
///
/// 413 if it is larger, 408 if it is sent too slowly, 400 if it is incomplete, 415 if it is compressed, and 503 if the
/// bodies of other requests leave no space.
pub async fn read_body(head: &Parts, body: Body, limit: usize) -> Result<Bytes, Problem> {
    let mut reader = BodyReader::new(head, body, limit, limit)?;
    // Not doubled again and again, where its length is told: memory of which nothing comes isn't used.
    let length = reader.body.size_hint().lower() as usize;
    let Some(first) = reader.next_part().await? else { return Ok(Bytes::new()) };
    // A body in one piece, as from within this process, needs no copy.
    let Some(second) = reader.next_part().await? else { return Ok(first) };
    let mut read = BytesMut::with_capacity(length);
    read.extend_from_slice(&first);
    drop(first);
    read.extend_from_slice(&second);
    drop(second);
    while let Some(bytes) = reader.next_part().await? {
        read.extend_from_slice(&bytes);
    }
    Ok(read.freeze())
}

/// Reads a body in parts.
pub struct BodyReader {
    body: Body,
    held: Held,
    limit: usize,
    /// Bytes that may still come, and how many of them are charged.
    left: usize,
    to_charge: usize,
}

impl BodyReader {
    /// Makes a reader of a body of at most `limit` bytes, of which at most `in_memory` are in memory at a time. These
    /// are charged to the request's [`Held`], if it has one.
    ///
    /// # Errors
    ///
    /// 415 if the body is compressed, 413 if its `Content-Length` is larger.
    pub fn new(head: &Parts, body: Body, limit: usize, in_memory: usize) -> Result<Self, Problem> {
        // No route decompresses: a compressed body would be stored as it is, or be taken for broken JSON.
        let mut encodings = head.headers.get_all(header::CONTENT_ENCODING).into_iter();
        if encodings.any(|encoding| !encoding.as_bytes().eq_ignore_ascii_case(b"identity")) {
            discard(body);
            let problem =
                Problem::new(ProblemCode::Encoded, "The body should be uncompressed, without `Content-Encoding`");
            return Err(Problem { field: Some("Content-Encoding".to_owned()), ..problem });
        }
        if body.size_hint().lower() > limit as u64 {
            discard(body);
            return Err(Problem::too_large(limit));
        }
        Ok(Self { body, held: held(head), limit, left: limit, to_charge: in_memory })
    }

    /// Returns the next bytes; None at the end. After an error the rest is discarded.
    ///
    /// # Errors
    ///
    /// 413, 408, 400 and 503, as for [`read_body`].
    pub async fn next_part(&mut self) -> Result<Option<Bytes>, Problem> {
        while let Some(frame) = self.body.frame().await {
            let frame = frame.map_err(|error| {
                self.body = Body::empty();
                broken(error)
            })?;
            let Ok(bytes) = frame.into_data() else { continue };
            let Some(left) = self.left.checked_sub(bytes.len()) else {
                self.discard();
                return Err(Problem::too_large(self.limit));
            };
            let charged = bytes.len().min(self.to_charge);
            if let Err(problem) = self.held.add(charged) {
                self.discard();
                return Err(problem);
            }
            (self.left, self.to_charge) = (left, self.to_charge - charged);
            return Ok(Some(bytes));
        }
        Ok(None)
    }

    /// Discards the rest of the body, see [`discard`].
    pub fn discard(&mut self) {
        discard(std::mem::take(&mut self.body));
    }
}

fn broken(error: axum::Error) -> Problem {
    let mut causes = std::iter::successors(std::error::Error::source(&error), |cause| cause.source());
    if causes.any(<dyn std::error::Error>::is::<TooSlow>) {
        return Problem::new(ProblemCode::BodyTooSlow, "The body is sent too slowly")
            .hint("Send the request again, without pauses");
    }
    Problem::new(ProblemCode::BrokenBody, "The body is incomplete, or its chunked encoding is invalid")
        .hint("Send exactly `Content-Length` bytes")
}

/// Reads and drops the rest for two seconds, then closes the connection. Many clients read a response only after they
/// have sent everything; closing the connection earlier would lose the response.
pub fn discard(mut body: Body) {
    const MOST: usize = 128 << 20;
    const LONGEST: Duration = Duration::from_secs(2);
    // By then the answer is on its way, and who asks before sending (`Expect: 100-continue`) isn't told to go on.
    const PAUSE: Duration = Duration::from_millis(50);
    if body.is_end_stream() || body.size_hint().lower() > MOST as u64 {
        return;
    }
    let read_on = async move {
        tokio::time::sleep(PAUSE).await;
        let _discarding = Discarding::begin();
        let mut left = MOST;
        while let Some(Ok(frame)) = body.frame().await {
            left = left.saturating_sub(frame.data_ref().map_or(0, Bytes::len));
            if left == 0 {
                return;
            }
            let_others_go_on().await;
        }
    };
    tokio::spawn(tokio::time::timeout(LONGEST, read_on));
}

/// Number of bodies that are being discarded.
static DISCARDED: AtomicU32 = AtomicU32::new(0);

/// Counts a body in [`DISCARDED`] until it is dropped.
struct Discarding;

impl Discarding {
    fn begin() -> Self {
        DISCARDED.fetch_add(1, Ordering::Relaxed);
        Self
    }
}

impl Drop for Discarding {
    fn drop(&mut self) {
        DISCARDED.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Pauses between reads. The pause grows with the number of discarded bodies, to leave time for other requests.
async fn let_others_go_on() {
    const FEW: u32 = 16;
    const EACH: Duration = Duration::from_micros(100);
    let discarded = DISCARDED.load(Ordering::Relaxed);
    if discarded > FEW {
        tokio::time::sleep(EACH * discarded).await;
    }
}

fn held(head: &Parts) -> Held {
    head.extensions.get::<Held>().cloned().unwrap_or_default()
}

/// Refuses JSON that is nested too deeply, or has more than [`JSON_VALUES`] values and keys, before it is parsed.
/// Charges the memory of the parsed values to the request's [`Held`].
pub fn check_json(head: &Parts, json: &[u8]) -> Result<(), Problem> {
    let Extent { values, depth } = Extent::of(json);
    if depth > JSON_DEPTH {
        return Err(Problem::new(
            ProblemCode::TooDeep,
            format!("The body is nested more than {JSON_DEPTH} levels deep"),
        ));
    }
    if values > JSON_VALUES {
        let title = format!("The body has {values} JSON values and keys; the limit is {JSON_VALUES}");
        let hint = "Split the request, or send the data as a string or a file (`POST /v1/blobs`)";
        return Err(Problem::new(ProblemCode::TooManyValues, title).hint(hint));
    }
    held(head).add_values(values)
}

/// Size of the structure of JSON.
#[derive(Debug, Default, PartialEq, Eq)]
struct Extent {
    /// Number of values and keys.
    values: usize,
    /// Depth of arrays and objects.
    depth: usize,
}

impl Extent {
    /// Counts in one pass, without allocating. Invalid JSON counts at least the values of its valid part.
    fn of(json: &[u8]) -> Self {
        let (mut extent, mut open, mut in_literal, mut at) = (Self::default(), 0_usize, false, 0);
        while let Some(byte) = json.get(at) {
            at += 1;
            let was_literal = std::mem::take(&mut in_literal);
            match byte {
                b'"' => {
                    extent.values += 1;
                    at = string_end(json, at);
                }
                b'{' | b'[' => {
                    extent.values += 1;
                    open += 1;
                    extent.depth = extent.depth.max(open);
                }
                b'}' | b']' => open = open.saturating_sub(1),
                b',' | b':' | b' ' | b'\t' | b'\n' | b'\r' => {}
                _ => {
                    extent.values += usize::from(!was_literal);
                    in_literal = true;
                }
            }
        }
        extent
    }
}

/// Returns the position after the closing quote of the string that begins at `at`.
fn string_end(json: &[u8], mut at: usize) -> usize {
    while let Some(found) = json.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += found;
        if json[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

#[cfg(test)]
mod tests {
    use super::Extent;

    #[test]
    fn structure_is_counted() {
        for (json, values, depth) in [
            ("", 0, 0),
            ("{}", 1, 1),
            (r#"{"a":1}"#, 3, 1),
            (r#"{"a":[1,-2.5e3,true,null,"x"]}"#, 8, 2),
            (r#" [ { "" : 0 } , { "" : 0 } ] "#, 7, 2),
            (r#"{"a":"[{\"\\\"}]","a":"\\"}"#, 5, 1),
            (r#"["torn"#, 2, 1),
            (r#"["torn\"#, 2, 1),
            ("[[[]]", 3, 3),
            ("]]]1 2\n3", 3, 0),
        ] {
            assert_eq!(Extent::of(json.as_bytes()), Extent { values, depth }, "{json}");
        }
    }
}
