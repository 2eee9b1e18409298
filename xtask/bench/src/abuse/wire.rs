//! Requests, whole and broken. Each takes a connection of its own.
use anyhow::{Context, Result, bail};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader},
    net::TcpStream,
};

/// Bytes of an answer that are kept; the rest is counted.
const KEPT: usize = 1 << 20;

/// An address and the key that is sent there.
#[derive(Clone)]
pub struct Client {
    address: String,
    /// Empty: no credential.
    key: String,
}

/// An answer, read to its end.
pub struct Answer {
    pub status: u16,
    /// The first megabyte.
    body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Result<Value> {
        serde_json::from_slice(&self.body).with_context(|| format!("an answer of status {} isn't JSON", self.status))
    }

    pub fn success(self) -> Result<Self> {
        if self.status / 100 != 2 {
            bail!("{}: {}", self.status, String::from_utf8_lossy(&self.body[..self.body.len().min(200)]));
        }
        Ok(self)
    }
}

impl Client {
    pub fn new(address: &str, key: &str) -> Self {
        Self { address: address.to_owned(), key: key.to_owned() }
    }

    pub fn address(&self) -> &str {
        &self.address
    }

    /// Like this one, without a credential.
    pub fn stranger(&self) -> Self {
        Self::new(&self.address, "")
    }

    pub async fn get(&self, target: &str) -> Result<Answer> {
        self.send(&self.head("GET", target, "Connection: close\r\n"), &[]).await
    }

    pub async fn post(&self, target: &str, body: &[u8]) -> Result<Answer> {
        let length = format!("Connection: close\r\nContent-Length: {}\r\n", body.len());
        self.send(&self.head("POST", target, &length), body).await
    }

    /// Sends exactly these bytes and reads the answer to its end. The answer may come before all is sent.
    pub async fn send(&self, head: &str, body: &[u8]) -> Result<Answer> {
        let (reader, mut writer) = TcpStream::connect(&self.address).await?.into_split();
        // A server that refuses a body early may close before it is sent: its answer counts.
        let write = async {
            writer.write_all(head.as_bytes()).await?;
            writer.write_all(body).await
        };
        let read = read(BufReader::new(reader));
        let (mut write, mut read) = (Box::pin(write), Box::pin(read));
        tokio::select! {
            answer = &mut read => answer,
            written = &mut write => match (written, read.await) {
                (_, Ok(answer)) => Ok(answer),
                (Err(error), Err(_)) => Err(error.into()),
                (Ok(()), Err(error)) => Err(error),
            },
        }
    }

    /// A connection on which these bytes were sent and no answer is read.
    pub async fn open(&self, bytes: &[u8]) -> Result<TcpStream> {
        let mut stream = TcpStream::connect(&self.address).await?;
        stream.write_all(bytes).await?;
        Ok(stream)
    }

    /// The head of a request, with further header lines that each end with CRLF.
    pub fn head(&self, method: &str, target: &str, more: &str) -> String {
        let Self { address, key } = self;
        let credential = if key.is_empty() { String::new() } else { format!("Authorization: Bearer {key}\r\n") };
        format!(
            "{method} {target} HTTP/1.1\r\nHost: {address}\r\n{credential}Content-Type: application/json\r\n{more}\r\n"
        )
    }
}

/// Reads an answer until the server closes the connection.
async fn read(mut stream: BufReader<impl AsyncReadExt + Unpin>) -> Result<Answer> {
    let mut line = String::new();
    stream.read_line(&mut line).await?;
    let status = line.split(' ').nth(1).and_then(|word| word.parse().ok()).context("closed without an answer")?;
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 || line.trim().is_empty() {
            break;
        }
    }
    let (mut body, mut buffer) = (Vec::new(), vec![0; 64 << 10]);
    loop {
        // An end by reset, as after a refused body, is an end.
        let count = stream.read(&mut buffer).await.unwrap_or(0);
        if count == 0 {
            return Ok(Answer { status, body });
        }
        body.extend_from_slice(&buffer[..count.min(KEPT.saturating_sub(body.len()))]);
    }
}

/// One request to `/healthz` on a connection that is kept.
pub async fn probe(client: &Client, connection: &mut Option<BufReader<TcpStream>>) -> Result<()> {
    let stream = match connection {
        Some(stream) => stream,
        None => connection.insert(BufReader::new(TcpStream::connect(client.address()).await?)),
    };
    stream.write_all(client.head("GET", "/healthz", "").as_bytes()).await?;
    let (mut line, mut length) = (String::new(), 0);
    loop {
        line.clear();
        if stream.read_line(&mut line).await? == 0 {
            bail!("closed");
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        if line.trim().is_empty() {
            break;
        }
    }
    stream.read_exact(&mut vec![0; length]).await?;
    Ok(())
}

/// `201 x59, 503 x1`, in the order of the statuses.
pub fn tally(mut statuses: Vec<u16>) -> String {
    statuses.sort_unstable();
    let groups = statuses.chunk_by(|a, b| a == b);
    let words = groups.map(|group| match group.len() {
        1 => group[0].to_string(),
        many => format!("{} x{many}", group[0]),
    });
    words.collect::<Vec<_>>().join(", ")
}
