//! Files that lie beside a transcript and tell more of it.

use crate::readers::fixtures;
use crate::support::drive;
use serde_json::json;

#[test]
fn settings_of_factory_droid_tell_the_model_and_what_the_session_took() {
    let settings = json!({ "model": "mill-large", "reasoningEffort": "high", "providerLock": "mill",
        "tokenUsage": { "inputTokens": 734, "outputTokens": 47, "cacheCreationTokens": 12, "cacheReadTokens": 3518, "thinkingTokens": 9 } });
    let reading = agents::agent("droid").and_then(|agent| agent.reading).expect("a reader");
    assert_eq!(reading.sidecar, Some("settings.json"));
    let (path, bytes) = fixtures("droid").into_iter().find(|(path, _)| path.ends_with("f3.jsonl")).expect("a session");
    let read = |beside: &str, at: usize| {
        let (head, tail) = bytes.split_at(at);
        drive(&mut *(reading.open)(&path, Some(beside.as_bytes())), [head, tail])
    };
    let settings = settings.to_string();
    let whole = read(&settings, 0);
    for at in (0..bytes.len()).step_by(97) {
        assert!(read(&settings, at) == whole, "cut at {at}");
    }
    let models: Vec<_> = whole.sessions.values().map(|facts| facts.model.as_deref()).collect();
    assert_eq!(models, [Some("mill-large")]);
    let runs: Vec<_> = whole.runs.iter().map(|(_, run)| json!([run.model, run.usage])).collect();
    let sum = json!({ "input": 734, "output": 47, "cache_read": 3518, "cache_write": 12 });
    assert_eq!(runs.last(), Some(&json!(["mill-large", sum])), "{runs:?}");
    assert_eq!(read("{\"model\": 5, \"tokenUsage\": []", 0), read("", 0), "what can't be read is left out");
}
