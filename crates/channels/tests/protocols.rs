//! The messages that channels send and read, without a network.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use channels::signature::{Rejected, Secret};
use channels::{Http, KINDS, Lane, Outgoing, Settings, kind};
use model::{Draft, Message, MessageId, Micros, Role, SessionId};
use serde_json::{Value, json};

fn message(role: Role, content: &str) -> Message {
    Message {
        session_id: SessionId::parse("s").unwrap(),
        seq: 3,
        revision: 1,
        draft: Draft::text(MessageId::parse("m").unwrap(), role, "bot", content, Micros(0)),
        records: Vec::new(),
        received_at: Micros(0),
    }
}

fn settings(of: &str) -> Settings {
    let all = json!({
        "url": "https://hooks.example.org/T1", "secret": Secret::write(&[7; 32]),
        "homeserver": "https://matrix.example.org", "access_token": "syt_1",
    });
    let value = |field: &channels::Field| (field.name.to_owned(), all[field.name].as_str().unwrap().to_owned());
    kind(of).unwrap().fields.iter().map(value).collect()
}

fn render(of: &str, text: Option<&str>, before: Option<&str>, message: &Message) -> Option<String> {
    let channel = (kind(of).unwrap().open)(&settings(of), &Http::new([]).unwrap()).unwrap();
    let page = "http://127.0.0.1:7117/s/s#m3";
    channel.render(&Outgoing { title: "Mill", message, text, lane: Lane::Talk, before, page })
}

#[test]
fn every_kind_says_what_is_new_and_nothing_twice() {
    let mut called = message(Role::Assistant, "Done");
    called.draft.metadata = json!({"webhook_url": "https://example.org/one"}).as_object().cloned();
    let said = |of: &str, text, before| render(of, text, before, &called);
    assert_eq!(said("slack", Some("Done"), None).as_deref(), Some("Done"));
    assert_eq!(said("slack", Some("Call\nresult"), Some("Call")).as_deref(), Some("result"));
    assert_eq!(said("slack", None, Some("Done")), None, "Slack can't take anything back");
    assert_eq!(said("discord", None, Some("Done")).as_deref(), Some("(retracted)"));
    assert_eq!(said("matrix", None, Some("Done")).as_deref(), Some(r#"{"redact":true}"#));
    for of in ["slack", "discord", "matrix"] {
        assert_eq!(said(of, Some("Done"), Some("Done")), None, "{of}");
        assert_eq!(said(of, None, None), None, "{of}");
    }
    let event = |of, text, before| said(of, text, before).map(|body| serde_json::from_str::<Value>(&body).unwrap());
    insta::assert_json_snapshot!([
        event("webhook", Some("Done"), None),
        event("webhook", None, Some("Done")),
        event("webhook", None, None),
        event("addressed", Some("Done"), None),
    ]);
    assert_eq!(render("addressed", Some("Done"), None, &message(Role::Assistant, "Done")), None);
}

#[test]
fn private_and_unclear_addresses_are_refused_unless_allowed_by_name() {
    let refused = |http: &Http, url: &str| http.url("url", url).err().map(|error| error.expected);
    let open = Http::new([]).unwrap();
    let private = Some(
        "a public host. A private one must be allowed by name: start the server with `--channel-host NAME`".to_owned(),
    );
    for url in [
        "https://127.0.0.1/",
        "https://0x7f.1/",
        "https://2130706433/",
        "https://[::1]/",
        "https://LOCALHOST/x",
        "https://169.254.169.254/",
    ] {
        assert_eq!(refused(&open, url), private, "{url}");
    }
    let plain = Some("an address that begins with `https://`".to_owned());
    assert_eq!(refused(&open, "http://example.org/"), plain);
    assert_eq!(refused(&open, "ftp://example.org/"), plain);
    assert!(refused(&open, "https://ada:secret@example.org/").is_some());
    assert!(refused(&open, "no address").is_some());
    assert_eq!(refused(&open, "https://example.org/hook"), None);
    let allowed = Http::new(["localhost".to_owned(), "10.0.0.7".to_owned()]).unwrap();
    for url in ["http://localhost:8080/", "http://LocalHost/", "https://10.0.0.7/"] {
        assert_eq!(refused(&allowed, url), None, "{url}");
    }
    assert_eq!(refused(&allowed, "https://10.0.0.8/"), private);
}

#[test]
fn a_signature_holds_for_one_body_one_id_and_five_minutes() {
    let secret = Secret::parse(&Secret::write(&[7; 32])).unwrap();
    let other = Secret::parse(&Secret::write(&[8; 32])).unwrap();
    let signed = secret.sign("msg_1", 1000, b"{}");
    let check = |id, at, signature: &str, body: &[u8], now| secret.verify((id, at, Some(signature)), body, now);
    let both = format!("{} {signed}", other.sign("msg_1", 1000, b"{}"));
    assert_eq!(check(Some("msg_1"), Some("1000"), &signed, b"{}", 1300), Ok(()));
    assert_eq!(check(Some("msg_1"), Some("1000"), &both, b"{}", 700), Ok(()));
    assert_eq!(check(Some("msg_1"), Some("1000"), &signed, b"{}", 1301), Err(Rejected::Time));
    assert_eq!(check(Some("msg_1"), Some("1000"), &signed, b"{}", 699), Err(Rejected::Time));
    assert_eq!(check(Some("msg_2"), Some("1000"), &signed, b"{}", 1000), Err(Rejected::Signature));
    assert_eq!(check(Some("msg_1"), Some("1001"), &signed, b"{}", 1000), Err(Rejected::Signature));
    assert_eq!(check(Some("msg_1"), Some("1000"), &signed, b"[]", 1000), Err(Rejected::Signature));
    assert_eq!(
        check(Some("msg_1"), Some("1000"), &other.sign("msg_1", 1000, b"{}"), b"{}", 1000),
        Err(Rejected::Signature)
    );
    assert_eq!(check(None, Some("1000"), &signed, b"{}", 1000), Err(Rejected::Header));
    assert_eq!(check(Some("msg_1"), Some("soon"), &signed, b"{}", 1000), Err(Rejected::Header));
    assert!(Secret::parse("whsec_c2hvcnQ=").is_none() && Secret::parse("secret").is_none());
}

/// The example of the specification: its secret, id, time and body give its signature.
#[test]
fn a_signature_is_that_of_the_specification() {
    let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
    let signature = secret.sign("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, br#"{"test": 2432232314}"#);
    assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
}

#[test]
fn settings_that_cannot_be_used_are_named() {
    let http = Http::new([]).unwrap();
    let refusals: Vec<_> = KINDS
        .iter()
        .filter_map(|kind| (kind.open)(&Settings::new(), &http).err().map(|error| (kind.name, error.field)))
        .collect();
    let expected =
        [("matrix", "homeserver"), ("slack", "url"), ("discord", "url"), ("webhook", "url"), ("addressed", "secret")];
    assert_eq!(refusals, expected);
}
