//! Cases that only PostgreSQL can get wrong, and several servers on one database.

use crate::support::{Place, Server, postgres};
use serde_json::json;
use std::sync::mpsc::channel;
use std::time::Duration;

const ROUNDS: usize = 48;
/// Until a test has failed.
const PATIENCE: Duration = Duration::from_mins(3);

/// Characters that no index can make shorter.
fn noise(length: usize) -> String {
    let mut state = 7_u64;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'a' + u8::try_from((state >> 40) % 26).unwrap())
    };
    (0..length).map(|_| next()).collect()
}

/// Names that are counted and looked up by have a limited length in the database. Both engines give the same error.
#[test]
fn names_that_no_index_holds() {
    let mut servers = vec![Server::start()];
    servers.extend(postgres().map(|url| Server::start_in(Place::new(), &["--database", &url])));
    for server in servers {
        let id = format!("long-{}", server.port);
        let made = server.with_key("POST", "/v1/sessions", &json!({"agent": "bot", "id": id}).to_string());
        assert_eq!(made.status, 201, "{}", made.text());
        let path = format!("/v1/sessions/{id}/messages");
        let told = |method: &str, path: &str, body: &serde_json::Value| {
            let reply = server.with_key(method, path, &body.to_string());
            (reply.status, reply.json()["field"].as_str().map(str::to_owned))
        };
        let typed = |length| json!({"message_type": noise(length), "payload": {}});
        let refused = |field: &str| (400, Some(field.to_owned()));
        let long = json!({"content": "x", "message_metadata": typed(4_000)});
        assert_eq!(told("POST", &path, &long), refused("/message_metadata/message_type"));
        let batch = json!({ "messages": [long] });
        let field = "/messages/0/message_metadata/message_type";
        assert_eq!(told("POST", &format!("{path}/batch"), &batch), refused(field));
        let fits = json!({"id": "m1", "content": "x", "message_metadata": typed(200)});
        assert_eq!(told("POST", &path, &fits), (201, None));
        let change = json!({"message_metadata": typed(4_000)});
        assert_eq!(told("PATCH", &format!("{path}/m1"), &change), refused("/message_metadata/message_type"));
        let call = json!({"message_type": "TOOL_CALL", "payload": {"tool_name": noise(4_000), "input": {}}});
        assert_eq!(told("POST", &path, &json!({"message_metadata": call})), (201, None));
        for name in ["call_id", "run_id", "sender", "sender_name"] {
            assert_eq!(told("POST", &path, &json!({"content": "x", name: noise(4_000)})), refused(&format!("/{name}")));
        }
    }
}

/// An agent that waits at one server hears at once what a person writes at the other.
#[test]
fn who_waits_at_another_server_hears_the_bell() {
    let Some(url) = postgres() else {
        println!("not tested: `cargo xtask pg -- ...` gives it a PostgreSQL");
        return;
    };
    let start = || Server::start_in(Place::new(), &["--database", &url]);
    let (here, there) = (start(), start());
    let id = format!("waits-{}", here.port);
    let made = here.with_key("POST", "/v1/sessions", &json!({"agent": "bot", "id": id}).to_string());
    assert_eq!(made.status, 201, "{}", made.text());
    let cookie = there.cookie();
    let (tell, heard) = channel();
    std::thread::spawn(move || {
        let path = format!("/v1/sessions/{id}");
        let wait = json!({"wait": 30}).to_string();
        let mut given = Vec::new();
        for _ in 0..ROUNDS {
            std::thread::scope(|scope| {
                let waits = scope.spawn(|| here.with_key("POST", &format!("{path}/pending"), &wait));
                // Until it waits: it reads as much before.
                for _ in 0..10 {
                    here.with_key("GET", &path, "");
                }
                let said = there.as_owner(&cookie, "POST", &format!("{path}/messages"), &json!({"content": "x"}));
                assert_eq!(said.status, 201, "{}", said.text());
                // A clock that runs as fast as the machine: what is answered until it comes.
                let mut reads = 0;
                while !waits.is_finished() {
                    here.with_key("GET", &path, "");
                    reads += 1;
                }
                let messages = waits.join().unwrap().json()["messages"].as_array().unwrap().len();
                given.push((messages, reads));
            });
        }
        tell.send((given, here, there)).unwrap_or_default();
    });
    let (given, _here, _there) = heard.recv_timeout(PATIENCE).unwrap();
    assert!(given.iter().all(|(messages, _)| *messages == 1), "{given:?}");
    let mut reads: Vec<usize> = given.iter().map(|(_, reads)| *reads).collect();
    reads.sort_unstable();
    // A look every second would take half a second on average, which is dozens of reads.
    assert!(reads[ROUNDS / 2] < 8, "{reads:?}");
}

/// The end of a command interrupts its workers, which is no fault to be logged.
#[test]
fn a_command_ends_silently() {
    let Some(url) = postgres() else {
        println!("not tested: `cargo xtask pg -- ...` gives it a PostgreSQL");
        return;
    };
    let place = Place::new();
    for _ in 0..5 {
        let mut command = place.program(&["key", "list", "--database", &url]);
        let output = command.env("RUST_LOG", "warn").output().unwrap();
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), &*errors), (Some(0), ""));
    }
}
