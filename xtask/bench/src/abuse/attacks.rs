//! Everything that isn't one message body.
use std::{sync::Arc, time::Duration};

use anyhow::Result;
use serde_json::json;
use tokio::{io::AsyncWriteExt, task::JoinSet, time::sleep};

use super::{
    Lab, files, posts,
    stage::{Goal, Stage, Target},
    wire::{Client, tally},
};

pub struct Attack {
    pub name: &'static str,
    /// The first argument is the name.
    pub run: fn(&str, &mut Lab) -> Result<()>,
}

pub const ATTACKS: &[Attack] = &[
    Attack { name: "60 texts of 15 MB", run: large_texts },
    Attack { name: "200 bodies without their last byte", run: unfinished_bodies },
    Attack { name: "1,100 idle connections of one key", run: idle_connections },
    Attack { name: "1,100 slow bodies without a credential", run: slow_strangers },
    Attack { name: "long queries", run: queries },
    Attack { name: "header floods", run: headers },
    Attack { name: "a FIFO as transcript", run: files::fifo },
    Attack { name: "a FIFO as sidecar", run: files::fifo_sidecar },
    Attack { name: "a link to /dev/zero as transcript", run: files::zeros },
    Attack { name: "a link to /dev/zero as sidecar", run: files::zeros_sidecar },
    Attack { name: "a line of 200 MB", run: files::long_line },
    Attack { name: "8 heavy edits at once", run: heavy_edits },
    Attack { name: "a mix", run: mix },
];

/// Connections that the servers of this file accept.
const CONNECTIONS: &str = "1024";
const BODY: usize = 15 << 20;

/// The answers of all requests, each in a task of its own.
async fn all(tasks: JoinSet<Result<u16>>) -> String {
    // A request without an answer is one that the server closed.
    tally(tasks.join_all().await.into_iter().map(|status| status.unwrap_or(0)).collect())
}

fn messages(target: &Target) -> String {
    format!("/v1/sessions/{}/messages", target.session)
}

fn large_texts(name: &str, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &[])?;
    let body = json!({ "content": "a long text ".repeat(BODY / 12) }).to_string();
    let goes_on = stage.step(&format!("{name}: post"), Goal::Mix, async |target| {
        let mut statuses = Vec::new();
        for _ in 0..60 {
            statuses.push(target.agent.post(&messages(&target), body.as_bytes()).await?.status);
        }
        Ok(tally(statuses))
    })?;
    if !goes_on {
        return Ok(());
    }
    // The first message is a short one, as is the last: each start of a server posts one.
    let shown = [
        "/v1/sessions/{}/messages?after=1&limit=60",
        "/v1/sessions/{}/messages/2",
        "/s/{}",
        "/fragments/sessions/{}/messages/2?full=1",
        "/fragments/sessions/{}/text/2",
        "/v1/sessions/{}/find?q=long",
        "/v1/search?q=long",
        "/v1/sessions",
        "/sessions",
        "/v1/asks",
        "/v1/sessions/{}/outline",
        "/v1/sessions/{}/export?format=json",
        "/v1/sessions/{}/export?format=markdown",
        "/v1/sessions/{}/export?format=html",
    ];
    for shown in shown {
        stage.step(&format!("{name}: {}", shown.replace("{}", "S")), Goal::Request, async |target| {
            Ok(target.machine.get(&shown.replace("{}", &target.session)).await?.status.to_string())
        })?;
    }
    Ok(())
}

/// Connections on which all but the last byte of a body was sent.
async fn hold_bodies(target: &Target, count: usize) -> Vec<tokio::net::TcpStream> {
    let body = json!({ "content": "a".repeat(BODY) }).to_string();
    let head = target.agent.head("POST", &messages(target), &format!("Content-Length: {}\r\n", body.len()));
    let bytes: Arc<[u8]> = [head.as_bytes(), &body.as_bytes()[..body.len() - 1]].concat().into();
    let mut tasks = JoinSet::new();
    for _ in 0..count {
        let (client, bytes) = (target.agent.clone(), bytes.clone());
        tasks.spawn(async move { client.open(&bytes).await });
    }
    // Those that were refused are closed.
    tasks.join_all().await.into_iter().filter_map(Result::ok).collect()
}

fn unfinished_bodies(name: &str, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &[])?;
    stage.step(name, Goal::Mix, async |target| {
        let held = hold_bodies(&target, 200).await;
        let status = target.machine.get("/v1/me").await?.status;
        Ok(format!("{} sent, owner {status}", held.len()))
    })?;
    Ok(())
}

/// Whether the owner and a stranger are answered on new connections, within two seconds.
async fn others(target: &Target) -> String {
    let ask = async |client: Client, path: &str| {
        let answer = tokio::time::timeout(Duration::from_secs(2), client.get(path)).await;
        answer.map_or_else(|_| "none".to_owned(), |answer| answer.map_or("closed".to_owned(), |a| a.status.to_string()))
    };
    let owner = ask(target.machine.clone(), "/v1/me").await;
    format!("owner {owner}, other {}", ask(target.machine.stranger(), "/login").await)
}

fn idle_connections(name: &str, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &["--connections", CONNECTIONS])?;
    stage.step(name, Goal::Mix, async |target| {
        let request = target.agent.head("GET", "/v1/me", "");
        let mut held = Vec::new();
        for _ in 0..1_100 {
            held.extend(target.agent.open(request.as_bytes()).await);
        }
        // Long enough for the answers, too short for an idle timeout.
        sleep(Duration::from_secs(1)).await;
        Ok(others(&target).await)
    })?;
    Ok(())
}

fn slow_strangers(name: &str, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &["--connections", CONNECTIONS])?;
    stage.step(name, Goal::Mix, async |target| {
        let stranger = target.machine.stranger();
        let head = stranger.head("POST", &messages(&target), "Content-Length: 16000000\r\n");
        let mut held = Vec::new();
        for _ in 0..1_100 {
            held.extend(stranger.open(head.as_bytes()).await);
        }
        // Faster than the slowest rate that is accepted of anybody.
        for _ in 0..4 {
            for stream in &mut held {
                // A closed connection is what the server should make of it.
                let _ = stream.write_all(&[b' '; 1024]).await;
            }
            sleep(Duration::from_secs(1)).await;
        }
        Ok(others(&target).await)
    })?;
    Ok(())
}

fn queries(name: &str, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &[])?;
    stage.step(name, Goal::Mix, async |target| {
        let long = ["a+", "%22", "*", "-a+", "(", "OR+", "a*+", "%F0%9F%98%80", "NEAR(", "type:TEXT+", "a:"];
        let long = long.map(|piece| piece.repeat(8_000 / piece.len()));
        let session = &target.session;
        let paths = long.iter().flat_map(|q| {
            [
                format!("/v1/search?q={q}"),
                format!("/search?q={q}"),
                format!("/v1/sessions/{session}/find?q={q}"),
                format!("/v1/sessions?q={q}"),
                format!("/sessions?q={q}"),
                format!("/fragments/palette?q={q}"),
            ]
        });
        let numbers = ["9223372036854775807", "-9223372036854775808", "0", "99999999999999999999"].into_iter();
        let places = numbers.flat_map(|n| {
            [
                format!("/s/{session}?at={n}"),
                format!("/v1/sessions/{session}/messages?around={n}"),
                format!("/v1/sessions/{session}/messages?before={n}"),
                format!("/v1/sessions/{session}/messages?after={n}"),
                format!("/v1/sessions/{session}/messages?from={n}&to={n}"),
                format!("/v1/sessions/{session}/outline?after={n}&seen={n}"),
                format!("/v1/events?until=now&after={n}"),
                format!("/fragments/sessions/{session}/chunks/{n}"),
                format!("/v1/stats?days={n}"),
            ]
        });
        let mut statuses = Vec::new();
        for path in paths.chain(places).collect::<Vec<_>>() {
            statuses.push(target.machine.get(&path).await?.status);
        }
        Ok(tally(statuses))
    })?;
    Ok(())
}

fn headers(name: &str, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &[])?;
    stage.step(name, Goal::Mix, async |target| {
        let client = &target.machine;
        let heads = [
            client.head("GET", "/v1/me", &"X: 1\r\n".repeat(10_000)),
            client.head("GET", "/v1/me", &format!("X: {}\r\n", "a".repeat(1 << 20))),
            client.head("GET", &format!("/v1/me?{}", "a".repeat(1 << 20)), ""),
            client.head("GET", "/v1/me", &format!("Cookie: {}\r\n", "a=b; ".repeat(3_000))),
            client.head("POST", &messages(&target), "Content-Length: 5\r\nContent-Length: 6\r\n"),
            client.head("POST", &messages(&target), "Transfer-Encoding: chunked\r\nContent-Length: 6\r\n"),
            format!("{}zz\r\n", client.head("POST", &messages(&target), "Transfer-Encoding: chunked\r\n")),
            format!(
                "{}5;{}\r\n",
                client.head("POST", &messages(&target), "Transfer-Encoding: chunked\r\n"),
                "a".repeat(1 << 20)
            ),
            "\r\n".repeat(1 << 19),
            "\0".repeat(1 << 20),
        ];
        let mut tasks = JoinSet::new();
        for head in heads {
            let client = client.clone();
            tasks.spawn(async move {
                let answer = tokio::time::timeout(Duration::from_secs(20), client.send(&head, &[])).await;
                Ok(answer??.status)
            });
        }
        // 500 clients that send a header each tenth of a second and never end.
        let mut slow = Vec::new();
        for _ in 0..500 {
            slow.extend(client.open(b"GET / HTTP/1.1\r\n").await);
        }
        for _ in 0..20 {
            for stream in &mut slow {
                // A closed connection is what the server should make of it.
                let _ = stream.write_all(b"X: 1\r\n").await;
            }
            sleep(Duration::from_millis(100)).await;
        }
        Ok(all(tasks).await)
    })?;
    Ok(())
}

fn heavy_edits(name: &str, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &[])?;
    stage.step(name, Goal::Mix, async |target| {
        let body: Arc<str> = posts::shuffled_lines(100_000).into();
        let mut tasks = JoinSet::new();
        for _ in 0..8 {
            let (target, body) = (target.clone(), body.clone());
            tasks.spawn(async move { Ok(target.agent.post(&messages(&target), body.as_bytes()).await?.status) });
        }
        Ok(all(tasks).await)
    })?;
    // While one is at work, whose client then goes away.
    let goes_on = stage.step(&format!("{name}: then a client that leaves"), Goal::Mix, async |target| {
        let body = posts::shuffled_lines(400_000);
        let head = target.agent.head("POST", &messages(&target), &format!("Content-Length: {}\r\n", body.len()));
        let stream = target.agent.open(&[head.as_bytes(), body.as_bytes()].concat()).await?;
        sleep(Duration::from_secs(1)).await;
        drop(stream);
        Ok("left".to_owned())
    })?;
    if goes_on { stage.shutdown(&format!("{name}: shutdown")) } else { Ok(()) }
}

fn mix(name: &str, lab: &mut Lab) -> Result<()> {
    let mut stage = Stage::new(lab, &[])?;
    stage.step(&format!("{name}: posts"), Goal::Mix, async |target| {
        let bodies = [
            posts::shuffled_lines(100_000),
            posts::shuffled_lines(400_000),
            posts::many_files(),
            posts::values("TOOL_CALL", "{\"\":0}"),
            posts::values("BOMB", "{\"\":0}"),
            json!({ "content": "a long text ".repeat(BODY / 12) }).to_string(),
            json!({ "content": "*a **a ".repeat(1 << 17) }).to_string(),
        ];
        let mut tasks = JoinSet::new();
        for body in bodies {
            let target = target.clone();
            tasks.spawn(async move { Ok(target.agent.post(&messages(&target), body.as_bytes()).await?.status) });
        }
        let held = hold_bodies(&target, 50).await;
        let statuses = all(tasks).await;
        drop(held);
        Ok(statuses)
    })?;
    let goes_on = stage.step(&format!("{name}: pages of it"), Goal::Mix, async |target| {
        let shown =
            ["/s/{}", "/v1/sessions/{}/messages", "/s/{}/changes", "/v1/sessions/{}/export?format=json", "/sessions"];
        let mut tasks = JoinSet::new();
        for shown in shown.iter().cycle().take(20) {
            let (client, path) = (target.machine.clone(), shown.replace("{}", &target.session));
            tasks.spawn(async move { Ok(client.get(&path).await?.status) });
        }
        Ok(all(tasks).await)
    })?;
    if goes_on { stage.shutdown(&format!("{name}: shutdown")) } else { Ok(()) }
}
