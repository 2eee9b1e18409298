//! A connection to the server that is kept open, as a browser does: requests without anything that costs time of its own.
#![expect(clippy::disallowed_methods, reason = "the clock measures how long an answer takes")]

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    time::Instant,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

pub struct Connection {
    stream: BufReader<TcpStream>,
    address: String,
    key: String,
    /// When the last answer began.
    first_byte: Instant,
}

impl Connection {
    pub fn open(address: &str, key: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).with_context(|| format!("no server answers at {address}"))?;
        stream.set_nodelay(true)?;
        let (address, key) = (address.to_owned(), key.to_owned());
        Ok(Self { stream: BufReader::new(stream), address, key, first_byte: Instant::now() })
    }

    /// The body of an answer; anything but success is an error.
    pub fn get(&mut self, target: &str) -> Result<Vec<u8>> {
        self.request("GET", target, "")
    }

    pub fn json(&mut self, target: &str) -> Result<Value> {
        Ok(serde_json::from_slice(&self.get(target)?)?)
    }

    pub fn post(&mut self, target: &str, body: &Value) -> Result<Value> {
        Ok(serde_json::from_slice(&self.request("POST", target, &body.to_string())?)?)
    }

    /// Seconds until the first byte of an answer came, and its body.
    pub fn timed(&mut self, target: &str) -> Result<(f32, Vec<u8>)> {
        let begun = Instant::now();
        let body = self.get(target)?;
        Ok((self.first_byte.duration_since(begun).as_secs_f32(), body))
    }

    fn request(&mut self, method: &str, target: &str, body: &str) -> Result<Vec<u8>> {
        let (address, key) = (&self.address, &self.key);
        let length = body.len();
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let status = self.line()?;
        self.first_byte = Instant::now();
        let mut length = None;
        let mut chunked = false;
        loop {
            let line = self.line()?.to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(number) = line.strip_prefix("content-length:") {
                length = Some(number.trim().parse()?);
            }
            chunked |= line.starts_with("transfer-encoding:") && line.ends_with("chunked");
        }
        let body = if chunked { self.chunks()? } else { self.bytes(length.unwrap_or(0))? };
        if !status.contains(" 20") {
            bail!("{method} {target}: {status}\n{}", String::from_utf8_lossy(&body));
        }
        Ok(body)
    }

    fn chunks(&mut self) -> Result<Vec<u8>> {
        let mut body = Vec::new();
        loop {
            let length = usize::from_str_radix(&self.line()?, 16).context("a chunk without its length")?;
            body.extend(self.bytes(length)?);
            self.line()?;
            if length == 0 {
                return Ok(body);
            }
        }
    }

    fn bytes(&mut self, length: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; length];
        self.stream.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    fn line(&mut self) -> Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line)? == 0 {
            bail!("the server closed the connection");
        }
        Ok(line.trim_end().to_owned())
    }
}
