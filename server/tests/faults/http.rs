//! HTTP by hand on connections that are kept: nothing repeats, corrects or hides what a test does.

use std::io::{Error, Result};
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::net::{TcpSocket, TcpStream};

pub struct Connection {
    stream: BufReader<TcpStream>,
    host: String,
}

pub struct Answer {
    pub status: u16,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body)
            .unwrap_or_else(|error| panic!("{error}: {} {}", self.status, String::from_utf8_lossy(&self.body)))
    }
}

impl Connection {
    pub async fn open(host: &str) -> Result<Self> {
        let stream = TcpStream::connect(host).await?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), host: host.to_owned() })
    }

    /// One that holds little of what it doesn't read.
    pub async fn narrow(host: &str) -> Result<Self> {
        let socket = TcpSocket::new_v4()?;
        // Narrow enough to fill up; narrower still, and each packet waits for a timer of the kernel.
        socket.set_recv_buffer_size(16 * 1024)?;
        let stream = socket.connect(host.parse().map_err(Error::other)?).await?;
        Ok(Self { stream: BufReader::new(stream), host: host.to_owned() })
    }

    /// `credential` is a whole header: `Cookie: ...` or `Authorization: ...`.
    pub async fn send(&mut self, method: &str, path: &str, credential: &str, body: &str) -> Result<Answer> {
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n{credential}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}",
            host = self.host,
            length = body.len(),
        );
        self.stream.write_all(request.as_bytes()).await?;
        let (status, length) = self.head().await?;
        let mut body = vec![0; length.ok_or_else(|| Error::other("an answer without a length"))?];
        self.stream.read_exact(&mut body).await?;
        Ok(Answer { status, body })
    }

    /// Status and length of the body.
    async fn head(&mut self) -> Result<(u16, Option<usize>)> {
        let status = self.line().await?;
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok());
        let status = status.ok_or_else(|| Error::other("no answer of HTTP"))?;
        let mut length = None;
        loop {
            let line = self.line().await?.to_ascii_lowercase();
            if line.is_empty() {
                return Ok((status, length));
            }
            if let Some(number) = line.strip_prefix("content-length:") {
                length = number.trim().parse().ok();
            }
        }
    }

    async fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(Error::other("the server hung up"));
        }
        line.truncate(line.trim_end().len());
        Ok(line)
    }

    /// Begins an event stream. Asked for in HTTP/1.0, it comes without chunks, to the end of the connection.
    pub async fn events(mut self, path: &str, headers: &str) -> Result<Events> {
        let request = format!("GET {path} HTTP/1.0\r\nHost: {}\r\n{headers}\r\n\r\n", self.host);
        self.stream.write_all(request.as_bytes()).await?;
        let (status, _) = self.head().await?;
        if status != 200 {
            return Err(Error::other(format!("the stream was refused: {status}")));
        }
        Ok(Events(self))
    }
}

pub struct Events(Connection);

#[derive(Debug, Default)]
pub struct Event {
    pub name: String,
    pub id: String,
    pub data: String,
}

impl Events {
    /// The next whole event; None at the end of the connection, even in the middle of one.
    pub async fn next(&mut self) -> Option<Event> {
        let mut event = Event::default();
        loop {
            let line = self.0.line().await.ok()?;
            match line.split_once(':') {
                Some(("event", name)) => name.trim().clone_into(&mut event.name),
                Some(("id", id)) => id.trim().clone_into(&mut event.id),
                Some(("data", data)) => data.trim().clone_into(&mut event.data),
                None if line.is_empty() && !event.name.is_empty() => return Some(event),
                _ => {}
            }
        }
    }
}
