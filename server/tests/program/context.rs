//! `verbatim context`, in each of its forms.

use crate::support::Place;
use serde_json::{Value, json};

fn place() -> Place {
    let place = Place::new();
    let lines = [
        json!({"type": "user", "uuid": "u1", "parentUuid": null, "sessionId": "mill", "isSidechain": false, "version": "2.1.50",
            "timestamp": "2026-03-01T09:00:00Z", "message": {"role": "user", "content": "Grind"}}),
        json!({"type": "assistant", "uuid": "a1", "parentUuid": "u1", "sessionId": "mill", "isSidechain": false, "version": "2.1.50",
            "timestamp": "2026-03-01T09:00:01Z", "message": {"id": "m1", "role": "assistant", "model": "claude-opus-4-6",
            "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}}],
            "usage": {"input_tokens": 90, "output_tokens": 5}}}),
        json!({"type": "user", "uuid": "r1", "parentUuid": "a1", "sessionId": "mill", "isSidechain": false, "version": "2.1.50",
            "timestamp": "2026-03-01T09:00:02Z", "message": {"role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "done"}]}}),
        json!({"type": "assistant", "uuid": "a2", "parentUuid": "r1", "sessionId": "mill", "isSidechain": false, "version": "2.1.50",
            "timestamp": "2026-03-01T09:00:03Z", "message": {"id": "m2", "role": "assistant", "model": "claude-opus-4-6",
            "content": [{"type": "text", "text": "Ground."}], "usage": {"input_tokens": 120, "output_tokens": 5}}}),
    ];
    place.write("mill.jsonl", lines.map(|line| line.to_string() + "\n").concat());
    place.out(&["import", "mill.jsonl"]);
    place
}

const OVERVIEW: &str = "\
Exact, except for unrecorded parts
claude-opus-4-6 answered as message 3. It read 120 tokens; about 7 are explained
        1  history
        6  results
      113  unrecorded

  user             1      1  text: Grind
+ assistant        5      2  tool use Bash: {\"command\":\"make\"}
+ user             1      2  tool result Bash: done

Not recorded: system prompt, tool definitions, memory, reminders, settings
";

const DIFFERENCE: &str = "\
Exact, except for unrecorded parts
claude-opus-4-6 answered as message 3. It read 120 tokens; about 7 are explained
Since the request before, message 2: 1 block kept, 2 added (about 6 tokens), 0 dropped (about 0 tokens)
+ assistant        5      2  tool use Bash: {\"command\":\"make\"}
+ user             1      2  tool result Bash: done
";

fn parsed(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_context_is_printed_for_people_and_in_the_words_of_each_api() {
    let place = place();
    assert_eq!(place.out(&["context", "mill"]), OVERVIEW);
    assert_eq!(place.out(&["context", "mill", "--diff"]), DIFFERENCE);
    let first = place.out(&["context", "mill", "--at", "1", "--diff"]);
    assert!(first.ends_with("This is the first request\n"), "{first}");
    let json = parsed(&place.out(&["context", "mill", "--json"]));
    assert_eq!((&json["verdict"], &json["reply"]["seq"]), (&json!("recorded"), &json!(3)));
    assert_eq!(parsed(&place.out(&["context", "mill", "--json", "--diff"]))["added"], 2);
    let body = |format: &str| parsed(&place.out(&["context", "mill", "--format", format]));
    assert_eq!(
        body("anthropic"),
        json!({"model": "claude-opus-4-6", "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Grind"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "done"}]}]})
    );
    let function = json!({"name": "Bash", "arguments": "{\"command\":\"make\"}"});
    assert_eq!(
        body("openai"),
        json!({"model": "claude-opus-4-6", "messages": [
            {"role": "user", "content": [{"type": "text", "text": "Grind"}]},
            {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function", "function": function}]},
            {"role": "tool", "tool_call_id": "c1", "content": "done"}]})
    );
    assert_eq!(
        body("gemini"),
        json!({"contents": [
            {"role": "user", "parts": [{"text": "Grind"}]},
            {"role": "model", "parts": [{"functionCall": {"id": "c1", "name": "Bash", "args": {"command": "make"}}}]},
            {"role": "user", "parts": [{"functionResponse": {"id": "c1", "name": "Bash", "response": {"output": "done"}}}]}]})
    );
    let text = place.out(&["context", "mill", "--format", "text"]);
    assert!(text.starts_with("--- user: text, about 1 tokens, message 1\nGrind\n"), "{text}");
    let wrong = place.seen(&["context", "mill", "--format", "yaml"]);
    assert!(wrong.contains("expected one of `anthropic`, `openai`, `gemini`, `text`"), "{wrong}");
}

#[test]
fn a_session_is_written_as_messages_of_each_sdk() {
    let place = place();
    let body = |format: &str| parsed(&place.out(&["export", "mill", "--format", format]));
    let anthropic = body("anthropic");
    assert_eq!(
        anthropic,
        json!({"messages": [
            {"role": "user", "content": [{"type": "text", "text": "Grind"}]},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "Bash", "input": {"command": "make"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "done", "is_error": false}]},
            {"role": "assistant", "content": [{"type": "text", "text": "Ground."}]}]})
    );
    let roles = |body: &Value, list: &str| -> Vec<String> {
        body[list].as_array().unwrap().iter().map(|of| of["role"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(roles(&body("openai"), "messages"), ["user", "assistant", "tool", "assistant"]);
    assert_eq!(roles(&body("gemini"), "contents"), ["user", "model", "user", "model"]);
}

#[test]
fn all_sessions_are_written_into_a_folder_and_come_back_from_it() {
    let place = place();
    let said = place.out(&["export", "--all", "--format", "jsonl", "--output", "archive"]);
    assert!(said.starts_with("1 sessions, "), "{said}");
    let other = Place::new();
    let files: Vec<_> = std::fs::read_dir(place.path("archive")).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(files.len(), 1, "{files:?}");
    assert!(other.out(&["import", place.path("archive").to_str().unwrap()]).contains("1 sessions, 3 new messages"));
    let wrong = place.seen(&["export", "--all", "--format", "original", "--output", "archive"]);
    assert!(wrong.contains("`--all` can't be combined with `--format original`"), "{wrong}");
}
