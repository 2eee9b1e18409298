//! A way to the server on which answers get lost.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};

/// The treatment of answers.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fate {
    Arrive,
    /// The first answer to each request is lost: all that is sent is sent at least twice.
    LostOnce,
}

/// It goes as long as the test.
pub struct Proxy {
    pub url: String,
    /// The first line of each request, once it has reached the server.
    pub heard: Receiver<String>,
}

pub fn start(port: u16, fate: Fate) -> Proxy {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let own = listener.local_addr().unwrap().port();
    let (tell, heard) = channel();
    let seen = Arc::new(Mutex::new(HashSet::new()));
    std::thread::spawn(move || {
        for client in listener.incoming() {
            let (tell, seen) = (tell.clone(), seen.clone());
            std::thread::spawn(move || pass(client.unwrap(), (own, port), fate, &tell, &seen));
        }
    });
    Proxy { url: format!("http://127.0.0.1:{own}"), heard }
}

/// One request. The connection ends with its answer, or without one.
fn pass(
    mut client: TcpStream,
    (own, port): (u16, u16),
    fate: Fate,
    tell: &Sender<String>,
    seen: &Mutex<HashSet<Vec<u8>>>,
) -> Option<()> {
    let mut reader = BufReader::new(client.try_clone().ok()?);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        let lower = line.to_ascii_lowercase();
        if let Some(value) = lower.strip_prefix("content-length:") {
            length = value.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    // The server answers to its own name only.
    let head = head.replace(&format!("127.0.0.1:{own}"), &format!("127.0.0.1:{port}"));
    let request = [format!("{head}Connection: close\r\n\r\n").as_bytes(), &body].concat();
    let lose = seen.lock().unwrap().insert(request.clone()) && fate == Fate::LostOnce;
    let mut server = TcpStream::connect(("127.0.0.1", port)).ok()?;
    server.write_all(&request).ok()?;
    // A test that has ended doesn't listen any more.
    let _ = tell.send(head.lines().next().unwrap_or_default().to_owned());
    let mut piece = [0; 4096];
    loop {
        let size = server.read(&mut piece).ok()?;
        if size == 0 {
            return Some(());
        }
        if !lose {
            client.write_all(&piece[..size]).ok()?;
        }
    }
}
