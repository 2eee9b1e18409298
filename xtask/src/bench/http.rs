//! A connection to the server that is kept open, as a browser does: requests without anything that costs time of its own.
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use anyhow::{Context, Result, bail};
use serde_json::Value;

pub struct Connection {
    stream: BufReader<TcpStream>,
    address: String,
    key: String,
}

impl Connection {
    pub fn open(address: &str, key: &str) -> Result<Self> {
        let stream = TcpStream::connect(address).with_context(|| format!("no server answers at {address}"))?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream), address: address.to_owned(), key: key.to_owned() })
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

    fn request(&mut self, method: &str, target: &str, body: &str) -> Result<Vec<u8>> {
        let Self { address, key, .. } = self;
        let length = body.len();
        let request = format!(
            "{method} {target} HTTP/1.1\r\nHost: {address}\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        );
        self.stream.get_mut().write_all(request.as_bytes())?;
        let status = self.line()?;
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
