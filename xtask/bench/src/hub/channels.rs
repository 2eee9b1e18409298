//! The rate of posts that go to three channels as well, as a part of the rate without any.
use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    path::Path,
    thread,
    time::Duration,
};

use anyhow::Result;
use serde_json::json;

use super::{SESSIONS, WRITERS, client::Target, writes};
use crate::{program::Server, step, table::Figure};

const CHANNELS: usize = 3;

pub async fn measure(
    program: &Path,
    data: &Path,
    runs: usize,
    length: Duration,
    figures: &mut Vec<Figure>,
) -> Result<()> {
    let arguments = ["--no-discover", "--posts-per-second", "0", "--channel-host", "127.0.0.1"];
    let server = Server::start(program, data, &arguments)?.0;
    let target = Target::new(&server, SESSIONS).await?;
    let mut speeds = [Vec::new(), Vec::new()];
    for (part, name) in ["no channel", "three channels"].into_iter().enumerate() {
        if part == 1 {
            let url = other_side()?;
            for number in 0..CHANNELS {
                let settings = json!({ "url": format!("{url}/{number}") });
                let channel = json!({ "kind": "webhook", "settings": settings, "every_session": true });
                server.connect()?.post("/v1/channels", &channel)?;
            }
        }
        for run in 1..=runs.max(1) {
            let speed = writes::throughput(&target, WRITERS, length).await?;
            step::say(&format!("SQLite, {name}, run {run}: {speed:.0}/s"));
            speeds[part].push(speed);
        }
    }
    let ratios = speeds[0].iter().zip(&speeds[1]).map(|(without, with)| with / without).collect();
    figures.push(Figure::plain(
        "SQLite: durable messages, told to three channels",
        "/s",
        std::mem::take(&mut speeds[1]),
    ));
    figures.push(Figure::plain("SQLite: the same as a part of those told to none", "", ratios));
    Ok(())
}

/// Takes everything at once, for as long as the program runs.
fn other_side() -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let url = format!("http://{}", listener.local_addr()?);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            thread::spawn(move || take(stream));
        }
    });
    Ok(url)
}

fn take(stream: TcpStream) -> std::io::Result<()> {
    let mut answers = stream.try_clone()?;
    let mut requests = BufReader::new(stream);
    loop {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if requests.read_line(&mut line)? == 0 {
                return Ok(());
            }
            let line = line.trim_end().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(number) = line.strip_prefix("content-length:") {
                length = number.trim().parse().unwrap_or(0);
            }
        }
        std::io::copy(&mut requests.by_ref().take(length), &mut std::io::sink())?;
        answers.write_all(b"HTTP/1.1 204 No Content\r\n\r\n")?;
    }
}
