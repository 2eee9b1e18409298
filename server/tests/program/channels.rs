//! Channels from the shell: listed, tested, and what they refused.

use crate::support::{Place, Server, wait_until};
use serde_json::{Value, json};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// A webhook's other side. Answers with the status that it has.
struct OtherSide {
    url: String,
    status: Arc<Mutex<&'static str>>,
}

impl OtherSide {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/hook", listener.local_addr().unwrap());
        let status = Arc::new(Mutex::new("200 OK"));
        let answers = Arc::clone(&status);
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let _ = answer(stream, *answers.lock().unwrap());
            }
        });
        Self { url, status }
    }

    fn answers(&self, status: &'static str) {
        *self.status.lock().unwrap() = status;
    }
}

/// Reads one request, and answers it.
fn answer(mut stream: TcpStream, status: &str) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut length = 0;
    let mut line = String::new();
    while reader.read_line(&mut line)? > 2 {
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse().unwrap_or_default();
        }
        line.clear();
    }
    reader.read_exact(&mut vec![0; length])?;
    write!(stream, "HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

#[test]
fn channels_from_the_shell() {
    let side = OtherSide::start();
    let server = Server::start_in(Place::new(), &["--channel-host", "127.0.0.1"]);
    let place = &server.place;
    assert_eq!(place.out(&["channels", "list"]), "No channels yet. Add one in the settings, under \"Channels\"\n");
    let new = json!({"kind": "webhook", "name": "Hooks", "settings": {"url": side.url}, "every_session": true});
    let added = server.with_key("POST", "/v1/channels", &new.to_string());
    assert_eq!(added.status, 201, "{}", added.text());
    let id = added.json()["channel"]["id"].as_str().unwrap().to_owned();
    let listed = |rest: &str| {
        assert_eq!(place.out(&["channels", "list"]), format!("{id}  webhook  Hooks  every session{rest}\n"));
    };
    listed("  nothing sent yet");
    assert_eq!(place.out(&["channels", "test", "Hooks"]), "Hooks accepted the test message\n");

    side.answers("410 Gone");
    let session = place.out(&["send", "--title", "Mill", "One"]).trim_end().to_owned();
    let state = |state: &str| {
        let found = server.with_key("GET", &format!("/v1/channels/{id}/deliveries"), "").json();
        found["deliveries"][0]["state"] == state
    };
    wait_until("the message is refused", || state("dead"));
    listed("  1 refused  nothing sent yet");
    let refused = place.out(&["channels", "refused", &id[..8]]);
    // Behind the minute.
    assert_eq!(&refused[16..], format!("  {session}  1  410 Gone  shell: One\n"));
    let refused: Value = serde_json::from_str(&place.out(&["channels", "refused", &id, "--json"])).unwrap();
    assert_eq!((&refused[0]["state"], &refused[0]["seq"]), (&json!("dead"), &json!(1)));
    assert_eq!(place.out(&["channels", "retry", "Hooks"]), "1 message to be sent again\n");
    wait_until("it is refused again", || state("dead"));
    assert_eq!(place.out(&["channels", "clear", "Hooks"]), "1 message given up\n");
    assert!(state("cleared"));
    assert_eq!(place.out(&["channels", "clear", "Hooks", "--json"]), "{\"deliveries\":0}\n");
    let nobody = place.seen(&["channels", "test", "nobody"]);
    assert!(
        nobody.contains("err: verbatim: There is no channel `nobody`\nerr: `verbatim channels list` lists them"),
        "{nobody}"
    );
    assert!(place.seen(&["channels", "test", "Hooks"]).contains("410 Gone"));
}
