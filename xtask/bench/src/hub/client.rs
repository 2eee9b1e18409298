//! Connections that are kept, many at a time.
use std::{
    io,
    sync::{
        Arc, LazyLock,
        atomic::{AtomicU64, Ordering},
    },
};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

use crate::program::Server;

/// Bytes of a message's text.
const TEXT: usize = 1024;

pub struct Connection {
    stream: BufReader<TcpStream>,
    line: String,
}

impl Connection {
    pub async fn open(address: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).await.with_context(|| format!("no server answers at {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::with_capacity(1024, stream), line: String::new() })
    }

    /// Sends a whole request and reads the answer; anything but success is an error.
    pub async fn send(&mut self, request: &str) -> Result<Vec<u8>> {
        self.stream.write_all(request.as_bytes()).await?;
        let (success, length) = self.head().await?;
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body).await?;
        if !success {
            bail!("{}: {}", request.lines().next().unwrap_or_default(), String::from_utf8_lossy(&body));
        }
        Ok(body)
    }

    /// Begins an event stream.
    pub async fn listen(&mut self, request: &str) -> Result<()> {
        self.stream.write_all(request.as_bytes()).await?;
        let (success, _) = self.head().await?;
        if !success {
            bail!("the stream was refused");
        }
        Ok(())
    }

    /// Whether it is a success, and the length of the body.
    async fn head(&mut self) -> Result<(bool, usize)> {
        let success = self.line().await?.contains(" 20");
        let mut length = 0;
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                return Ok((success, length));
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse()?;
            }
        }
    }

    /// The next line, without its end.
    pub async fn line(&mut self) -> io::Result<&str> {
        self.line.clear();
        if self.stream.read_line(&mut self.line).await? == 0 {
            return Err(io::Error::other("the server closed the connection"));
        }
        Ok(self.line.trim_end())
    }
}

/// A server with sessions to post to.
pub struct Target {
    pub address: String,
    pub key: String,
    pub sessions: Vec<String>,
    /// Message ids that were used.
    count: Arc<AtomicU64>,
}

impl Target {
    /// Makes the sessions, with a new key.
    pub async fn new(server: &Server, sessions: usize) -> Result<Self> {
        let (address, local) = (server.address().to_owned(), server.key());
        let mut connection = Connection::open(&address).await?;
        let made = connection.send(&post(&address, local, "/v1/keys", &json!({"name": "bench"}).to_string())).await?;
        let key = text(&made, "key")?;
        let mut ids = Vec::with_capacity(sessions);
        for _ in 0..sessions {
            let made = connection.send(&post(&address, &key, "/v1/sessions", r#"{"agent": "bench"}"#)).await?;
            ids.push(text(&made, "id")?);
        }
        Ok(Self { address, key, sessions: ids, count: Arc::default() })
    }

    /// Only some of the sessions.
    pub fn of(&self, sessions: &[String]) -> Self {
        let (address, key) = (self.address.clone(), self.key.clone());
        Self { address, key, sessions: sessions.to_vec(), count: self.count.clone() }
    }

    /// A request to post 1 KB of words, with an id of its own, to the sessions in turn.
    pub fn message(&self) -> String {
        let number = self.count.fetch_add(1, Ordering::Relaxed);
        let session = &self.sessions[number as usize % self.sessions.len()];
        let body = format!(r#"{{"id": "message-{number}", "content": "{}"}}"#, TEXTS[number as usize % TEXTS.len()]);
        post(&self.address, &self.key, &format!("/v1/sessions/{session}/messages"), &body)
    }
}

fn post(address: &str, key: &str, path: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
         Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
    )
}

/// A request for an event stream.
pub fn events(address: &str, key: &str) -> String {
    format!("GET /v1/events HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\r\n")
}

fn text(answer: &[u8], name: &str) -> Result<String> {
    let answer: Value = serde_json::from_slice(answer)?;
    answer[name].as_str().map(str::to_owned).with_context(|| format!("an answer without `{name}`"))
}

/// Made once: whoever writes them shares the processor with the server.
static TEXTS: LazyLock<Vec<String>> = LazyLock::new(|| (0..4096).map(words).collect());

/// Text as agents write it: some words often, many seldom.
fn words(seed: u64) -> String {
    const USUAL: [&str; 16] = [
        "the", "file", "test", "and", "error", "function", "now", "with", "returns", "a", "value", "from", "module",
        "line", "fixed", "run",
    ];
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut text = String::with_capacity(TEXT + 16);
    while text.len() < TEXT {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        match state % 4 {
            0 => text.push_str(&format!("word{}", (state >> 8) % 20_000)),
            _ => text.push_str(USUAL[(state >> 8) as usize % USUAL.len()]),
        }
        text.push(' ');
    }
    text.truncate(TEXT);
    text
}
