//! Why a request read less from the cache than there was.

use crate::File;
use crate::claude::{assistant, text, user, with};
use model::model_context::{CacheMissCause as Cause, CacheUse};
use serde_json::{Value, json};

/// What differs between the first request and the second.
#[derive(Clone)]
struct Second {
    system: &'static str,
    tools: Value,
    settings: Value,
    model: &'static str,
    prompt: &'static str,
    at: &'static str,
    read: i64,
}

const SAME: fn() -> Second = || Second {
    system: "Be kind",
    tools: json!([{"name": "Bash"}, {"name": "Read"}]),
    settings: json!({"thinking": {"type": "adaptive"}, "max_tokens": 9}),
    model: "claude-opus-4-8",
    prompt: "Go",
    at: "2026-03-01T09:02:00.000Z",
    read: 10,
};

/// The use of the cache by a second request, after one that left 1,000 tokens there.
fn used(second: Second) -> CacheUse {
    let first = SAME();
    let sent = |said: &str| json!([{"type": "text", "text": said}]);
    let shape = |hash: &str, of: &Second| json!({"type": "api-request-shape", "shapeHash": hash, "shape": {"system": [{"type": "text", "text": of.system}], "tools": of.tools}});
    let blob = |hash: &str, role: &str, said: &str| json!({"type": "api-request-blob", "hash": hash, "message": {"role": role, "content": sent(said)}});
    let reply = |id: &str, parent: &str, request: &str, at: &str, model: &str, [read, written]: [i64; 2]| {
        let mut line = with(assistant(id, parent, id, text("Done.")), json!({"requestRef": request, "timestamp": at}));
        line["message"]["model"] = json!(model);
        line["message"]["usage"] = json!({"input_tokens": 3, "cache_read_input_tokens": read, "cache_creation_input_tokens": written, "output_tokens": 5});
        line
    };
    let mark = json!([{"path": ["system", 0], "value": {"type": "ephemeral"}}]);
    let request = |id: &str, shape: &str, settings: &Value, tail: Value| json!({"type": "api-request", "id": id, "params": settings, "shapeHash": shape, "keep": 0, "tail": tail, "cacheControl": mark});
    let file = File::of(
        "claude_code",
        [
            shape("s1", &first),
            user("u1", None, json!("Go")),
            blob("b1", "user", first.prompt),
            request("q1", "s1", &first.settings, json!(["b1"])),
            reply("a1", "u1", "q1", "2026-03-01T09:00:00.000Z", first.model, [900, 100]),
            shape("s2", &second),
            user("u2", Some("a1"), json!("More")),
            blob("b2", "user", second.prompt),
            blob("b3", "assistant", "Done."),
            blob("b4", "user", "More"),
            request("q2", "s2", &second.settings, json!(["b2", "b3", "b4"])),
            reply("a2", "u2", "q2", second.at, second.model, [second.read, 990]),
        ],
    );
    file.last().change.and_then(|change| change.cache).expect("the request before left something in the cache")
}

#[test]
fn what_was_there_is_read() {
    let whole = CacheUse { available: 1000, read: 1000, missed: 0, cause: None, details: None, cost_usd: None };
    assert_eq!(used(Second { read: 1000, ..SAME() }), whole);
}

#[test]
fn a_miss_says_what_changed() {
    let changed = |second: Second| {
        let CacheUse { available, read, missed, cause, details, .. } = used(second);
        assert_eq!((available, read, missed), (1000, 10, 990));
        (cause.unwrap(), details.unwrap_or_default())
    };
    let said = |cause: Cause, words: &str| (cause, words.to_owned());
    assert_eq!(
        changed(Second { model: "claude-haiku-4-5", ..SAME() }),
        said(Cause::Model, "claude-haiku-4-5 answered, and claude-opus-4-8 before: each model has a cache of its own")
    );
    let tools = json!([{"name": "Bash", "description": "new"}, {"name": "Grep"}]);
    assert_eq!(
        changed(Second { tools, ..SAME() }),
        said(Cause::Tools, "Tools added: Grep; removed: Read; changed: Bash")
    );
    let tools = json!([{"name": "Read"}, {"name": "Bash"}]);
    assert_eq!(changed(Second { tools, ..SAME() }), said(Cause::Tools, "The order of the tools changed"));
    assert_eq!(
        changed(Second { system: "Be brief", ..SAME() }),
        said(Cause::System, "Block 1 of the system prompt changed")
    );
    let settings = json!({"thinking": {"type": "disabled"}, "max_tokens": 10});
    assert_eq!(
        changed(Second { settings, ..SAME() }),
        said(Cause::Settings, "`thinking` was {\"type\":\"adaptive\"} and is {\"type\":\"disabled\"}")
    );
    // What doesn't count for the cache isn't blamed.
    let settings = json!({"thinking": {"type": "adaptive"}, "max_tokens": 10});
    assert_eq!(changed(Second { settings, ..SAME() }), said(Cause::Unknown, ""));
    assert_eq!(
        changed(Second { prompt: "Stop", ..SAME() }),
        said(
            Cause::Messages,
            "From block 1 of the messages on, they aren't those that were sent before: \u{201c}Go\u{201d}"
        )
    );
    assert_eq!(
        changed(Second { at: "2026-03-01T09:07:30.000Z", ..SAME() }),
        said(Cause::Expired, "It came 7 minutes after the request before, and entries live 5 minutes")
    );
}
