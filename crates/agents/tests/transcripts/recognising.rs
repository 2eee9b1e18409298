//! Whose a file is, by its content.

use crate::support::{fixtures, load};
use agents::{AGENTS, Recognised, recognise};

const USER: &str = r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"Hi"}}"#;

fn claude_code() -> Recognised {
    Recognised::Agent(agents::agent("claude_code").expect("its line"))
}

#[track_caller]
fn check(text: &str, expected: Recognised) {
    assert_eq!(recognise(text.as_bytes(), &[]), expected, "{text}");
}

#[test]
fn every_fixture_is_a_transcript() {
    for path in fixtures() {
        assert_eq!(recognise(&load(&path).0, &[]), claude_code(), "{}", path.display());
    }
}

#[test]
fn a_transcript_may_begin_badly() {
    let utf_16: Vec<u8> = format!("\u{feff}{USER}\n").encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(recognise(&utf_16, &[]), claude_code());
    for text in [
        format!("\u{feff}{USER}"),
        format!("no JSON\n\n[1]\n{USER}\n"),
        format!("\0\0\0{USER}"),
        format!("{USER}{USER}"),
        format!("{}{USER}", &USER[..20]),
        USER[..60].to_owned(),
        r#"{"type":"summary","summary":"Mow","leafUuid":"x"}"#.to_owned(),
        r#"{"type":"never-seen","sessionId":"s"}"#.to_owned(),
        r#"{"type":"assistant","message":{"role":"assistant","content":[]}}"#.to_owned(),
    ] {
        check(&text, claude_code());
    }
}

#[test]
fn other_agents_are_named() {
    let codex = "a Codex rollout";
    for (text, agent) in [
        (r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"x","cwd":"/x"}}"#, codex),
        (
            "{\"id\":\"x\",\"timestamp\":\"2025-06-01T00:00:00Z\",\"instructions\":\"Be brief\"}\n{\"record_type\":\"state\"}\n\
             {\"type\":\"message\",\"role\":\"user\",\"content\":[{\"type\":\"input_text\",\"text\":\"Hi\"}]}",
            codex,
        ),
        (r#"{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Hi"}]}"#, codex),
        ("{\n  \"sessionId\": \"s1\",\n  \"messages\": []\n}\n", "a Gemini CLI session"),
        (
            "{\n  \"sessionId\": \"s1\",\n  \"projectHash\": \"a\",\n  \"messages\": [\n    {\"id\": \"a",
            "a Gemini CLI session",
        ),
        (
            "{\"sessionId\":\"a\",\"projectHash\":\"b\",\"startTime\":\"c\",\"kind\":\"main\"}\n\
             {\"id\":\"m\",\"timestamp\":\"t\",\"type\":\"user\",\"content\":[{\"text\":\"Hi\"}]}\n{\"$set\":{}}",
            "a Gemini CLI session",
        ),
        (
            r#"{"uuid":"a","parentUuid":null,"sessionId":"s","type":"user","message":{"role":"user","parts":[{"text":"Hi"}]}}"#,
            "a Qwen Code session",
        ),
        ("{\n  \"info\": {\n    \"id\": \"ses_1\"\n  },\n  \"messages\": []\n}", "an OpenCode session"),
        (r#"{"id":"msg_1","sessionID":"ses_1","role":"user","time":{"created":1}}"#, "an OpenCode session"),
        (r#"{"type":"session.start","data":{"sessionId":"x"},"id":"e","parentId":null}"#, "a Copilot CLI session"),
        (r#"{"role":"user","message":{"content":[{"type":"text","text":"Hi"}]}}"#, "a Cursor session"),
        ("\n# aider chat started at 2026-01-01 10:00:00\n\n#### Mow\n", "a chat history of Aider"),
        ("{\n  \"environment\": \"main\",\n  \"trajectory\": [\n    {\n", "a SWE-agent trajectory"),
        (r#"{"id":"1","timestamp":"t","source":"agent","kind":"ActionEvent"}"#, "an OpenHands event log"),
        ("[\n  {\n    \"id\": 0,\n    \"source\": \"agent\",\n    \"action\": \"run\"\n", "an OpenHands event log"),
        (r#"{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s"}}"#, "an ACP log"),
        (r#"{"display":"Mow","pastedContents":{},"timestamp":1,"sessionId":"s"}"#, "Claude Code's history of prompts"),
        ("[\n  {\n    \"role\": \"system\",\n    \"content\": \"Hi", "a list of chat messages"),
    ] {
        let agent = AGENTS.iter().find(|line| line.file == agent).expect("a line");
        check(text, Recognised::Agent(agent));
    }
}

/// A document is known by its last fields, too: its mark may stand behind a long list. What only looks like one inside of a string or of a
/// list isn't one.
#[test]
fn a_document_is_known_by_its_end() {
    let named = |beginning: &str, end: &str| match recognise(beginning.as_bytes(), end.as_bytes()) {
        Recognised::Agent(agent) => agent.name,
        _ => "nobody",
    };
    let pretty = "{\n  \"info\": {\n    \"cost\": 1\n  },\n  \"messages\": [\n    {\n      \"role\": \"system";
    let compact = r#"{"info":{"cost":1},"messages":[{"role":"system"#;
    let mark = r#""trajectory_format": "mini-swe-agent-1.1""#;
    for beginning in [pretty, compact] {
        assert_eq!(named(beginning, ""), "opencode");
        assert_eq!(named(beginning, "a \\\\\" b\"}\n  ]\n}\n"), "opencode");
        for (end, name) in [
            (format!("of a tool\"\n    }}\n  ],\n  {mark}\n}}\n"), "swe_agent"),
            (format!("[{{\\\"]}}, \\\\\"}}],{mark},\"more\":[{{\"a\":\"]\\\"\"}}]}}"), "swe_agent"),
            (format!("{{\"a\":1,{mark}}}]}}"), "opencode"),
            (format!("the file ends with ,{}}}\"}}]}}", mark.replace('"', "\\\"")), "opencode"),
            (format!("],{mark}"), "opencode"),
        ] {
            assert_eq!(named(beginning, &end), name, "{end}");
        }
    }
}

#[test]
fn what_is_nobodys_is_named_by_its_form() {
    check("", Recognised::Empty);
    check("\u{feff}\r\n \n", Recognised::Empty);
    check("Dear diary,\n", Recognised::Other("plain text"));
    check("{ not JSON }\nat all\n", Recognised::Other("JSON of an unknown shape"));
    check("{\n  \"a\": 1\n}\n", Recognised::Other("JSON of an unknown shape"));
    // Gemini CLI's list of prompts.
    let prompts = "[\n  {\n    \"sessionId\": \"s\",\n    \"messageId\": 0,\n    \"type\": \"user\",\n    \"message\": \"Mow\"\n  }\n]";
    check(prompts, Recognised::Other("JSON of an unknown shape"));
    check("{\"a\":1}\n{\"a\":2}\n", Recognised::Other("JSON lines of an unknown shape"));
    let binary: Vec<u8> = (0..=255).cycle().skip(5).take(3000).collect();
    assert_eq!(recognise(&binary, &[]), Recognised::Other("a binary file"));
    assert_eq!(recognise(b"SQLite format 3\0more", &[]), Recognised::Other("an SQLite database"));
    assert_eq!(
        recognise(USER.replace("user", "payload").as_bytes(), &[]).refusal().map(|_| ()),
        None,
        "types of Claude Code come and go"
    );
}
