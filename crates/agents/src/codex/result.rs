//! Results of tools: in the texts that the model reads, and in the events of their ends.

use crate::parts::blocks::{result_text, without_data};
use crate::parts::obj::{Obj, list, string, value};
use crate::parts::result::Result;
use serde_json::Value;

/// Reads the output of an item: a text, blocks, or an object with either.
pub(super) fn result_of(raw: &str) -> Result {
    if let Some(text) = string(raw) {
        return of_text(&text);
    }
    let Some(object) = Obj::parse(raw) else { return of_text(&texts(raw).join("\n")) };
    let inner = ["content", "output", "text", "stdout"].iter().find_map(|key| object.raw(key));
    let text = inner.map_or_else(|| result_text(raw), result_text);
    let mut result = of_text(&text);
    if let Some(code) = object.int("exitCode").or_else(|| object.int("exit_code")) {
        with_code(&mut result, code);
    }
    if object.raw("success") == Some("false") && result.state == "done" {
        result.state = "failed";
    }
    result
}

fn of_text(text: &str) -> Result {
    // Before autumn 2025, and of custom tools: JSON in the string.
    if text.starts_with("{\"output\":")
        && let Some(object) = Obj::parse(text)
    {
        let mut result = headed(&object.string("output").unwrap_or_default());
        if let Some(metadata) = object.obj("metadata") {
            if let Some(code) = metadata.int("exit_code") {
                with_code(&mut result, code);
            }
            if let Some(seconds) = metadata.float("duration_seconds") {
                result.details.push(("duration_ms", milliseconds(seconds).into()));
            }
        }
        return result;
    }
    headed(text)
}

fn with_code(result: &mut Result, code: i64) {
    result.details.retain(|(key, _)| *key != "exit_code");
    result.details.push(("exit_code", code.into()));
    if code != 0 && result.state == "done" {
        result.state = "failed";
    }
}

/// An output with lines about it before it: exit code, time, the process that goes on.
fn headed(text: &str) -> Result {
    const LINES: usize = 8;
    let mut result = Result { state: plain_state(text), text: text.to_owned(), ..Result::default() };
    let is_head = ["Chunk ID: ", "Exit code: ", "Wall time: ", "Process "].iter().any(|start| text.starts_with(start));
    if !is_head {
        return result;
    }
    let mut rest = text;
    let mut code = None;
    for _ in 0..LINES {
        let (line, behind) = rest.split_once('\n').unwrap_or((rest, ""));
        if line.starts_with("aborted by user") {
            result.state = "cancelled";
        }
        if line == "Output:" {
            // Blocks, of a server's tool.
            let blocks = Some(behind).filter(|text| text.starts_with("[{\"type\":") && list(text).is_some());
            result.text = blocks.map_or_else(|| behind.to_owned(), result_text);
            break;
        }
        let number = |text: &str| text.split(' ').next().and_then(|number| number.parse::<i64>().ok());
        if let Some(found) =
            ["Exit code: ", "Process exited with code "].iter().find_map(|start| line.strip_prefix(start))
        {
            code = number(found);
        } else if let Some(time) = line.strip_prefix("Wall time: ") {
            let seconds = time.split(' ').next().and_then(|time| time.parse::<f64>().ok());
            result.details.extend(seconds.map(|seconds| ("duration_ms", milliseconds(seconds).into())));
        } else if let Some(process) = line.strip_prefix("Process running with session ID ").and_then(number) {
            result.details.push(("process", process.into()));
            result.details.push(("background", true.into()));
        }
        rest = behind;
        if rest.is_empty() {
            break;
        }
    }
    if let Some(code) = code {
        with_code(&mut result, code);
    }
    result
}

/// Returns the state of a call by the words of its output, where nothing else has it.
fn plain_state(text: &str) -> &'static str {
    const FAILED: [&str; 8] = [
        "apply_patch verification failed",
        "execution error",
        "failed to parse function arguments",
        "failed in sandbox",
        "exec_command failed",
        "write_stdin failed",
        "tool call error",
        "unsupported call",
    ];
    let start = text.trim_start();
    if start.starts_with("aborted") {
        "cancelled"
    } else if start.contains("rejected by user") && start.len() < 200 {
        "denied"
    } else if FAILED.iter().any(|words| start.starts_with(words)) {
        "failed"
    } else {
        "done"
    }
}

fn milliseconds(seconds: f64) -> i64 {
    (seconds * 1000.0) as i64
}

/// Reads the event of an end.
pub(super) fn read(event: &Obj) -> Result {
    let mut result = Result { state: state_of(event.str("status").as_deref()), ..Result::default() };
    let all = ["aggregated_output", "formatted_output", "stdout", "output", "message"];
    result.text = all.iter().find_map(|key| event.filled(key)).unwrap_or_default();
    if let Some(errors) = event.filled("stderr").filter(|errors| !result.text.contains(errors.as_str())) {
        result.text.push_str(&errors);
    }
    if let Some(raw) = event.raw("result").filter(|raw| raw.starts_with(['{', '['])) {
        let (text, failed) = answer(raw);
        result.text = text;
        if failed {
            result.state = "failed";
        }
    }
    for key in ["content_items", "results"] {
        if let Some(raw) = event.raw(key).filter(|_| result.text.is_empty()) {
            result.text = result_text(raw);
        }
    }
    if let Some(error) = event.raw("error") {
        result.state = "failed";
        result.text = string(error).map_or_else(|| result_text(error), std::borrow::Cow::into_owned);
    }
    if event.raw("success") == Some("false") {
        result.state = "failed";
    }
    if let Some(code) = event.int("exit_code") {
        with_code(&mut result, code);
    }
    if let Some(duration) = event.obj("duration") {
        let (seconds, nanos) = (duration.int("secs").unwrap_or(0), duration.int("nanos").unwrap_or(0));
        result.details.push(("duration_ms", seconds.saturating_mul(1000).saturating_add(nanos / 1_000_000).into()));
    }
    if let Some(Value::Object(statuses)) = event.raw("agent_statuses").map(|raw| without_data(value(raw))) {
        result.details.push(("result", Value::Object(statuses)));
    }
    result
}

/// The state of a call by the agent's word for it.
pub(super) fn state_of(status: Option<&str>) -> &'static str {
    match status {
        Some("failed" | "error" | "errored") => "failed",
        Some("declined" | "denied" | "rejected") => "denied",
        Some("cancelled" | "aborted" | "interrupted" | "incomplete") => "cancelled",
        _ => "done",
    }
}

/// The text of a server's answer: `{Ok: {content}}`, `{Err}`, or the content itself.
pub(super) fn answer(raw: &str) -> (String, bool) {
    let Some(answer) = Obj::parse(raw) else { return (texts(raw).join("\n"), false) };
    if let Some(error) = answer.raw("Err") {
        return (string(error).map_or_else(|| error.to_owned(), std::borrow::Cow::into_owned), true);
    }
    let inner = answer.obj("Ok").unwrap_or(answer);
    let text = inner.raw("content").map(result_text).unwrap_or_default();
    (text, inner.is_true("isError") || inner.is_true("is_error"))
}

/// The texts of a list of blocks.
pub(super) fn texts(raw: &str) -> Vec<String> {
    let text = |raw: &str| match string(raw) {
        Some(text) => Some(text.into_owned()),
        None => Obj::parse(raw)?.filled("text"),
    };
    list(raw).unwrap_or_else(|| vec![raw]).into_iter().filter_map(text).filter(|text| !text.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::result_of;
    use serde_json::json;

    #[track_caller]
    fn check(output: &str, state: &str, text: &str, details: &[(&'static str, serde_json::Value)]) {
        let result = result_of(&json!(output).to_string());
        assert_eq!((result.state, result.text.as_str(), result.details.as_slice()), (state, text, details));
    }

    #[test]
    fn lines_about_an_output_are_read() {
        let head =
            "Chunk ID: 7\nWall time: 1.5 seconds\nProcess exited with code 2\nOriginal token count: 4\nOutput:\nno\n";
        check(head, "failed", "no\n", &[("duration_ms", json!(1500)), ("exit_code", json!(2))]);
        let running = "Wall time: 10.0 seconds\nProcess running with session ID 9\nOutput:\n";
        check(
            running,
            "done",
            "",
            &[("duration_ms", json!(10000)), ("process", json!(9)), ("background", json!(true))],
        );
        let old = r#"{"output":"ok\n","metadata":{"exit_code":0,"duration_seconds":0.25}}"#;
        check(old, "done", "ok\n", &[("exit_code", json!(0)), ("duration_ms", json!(250))]);
        check("apply_patch verification failed: no", "failed", "apply_patch verification failed: no", &[]);
        check("aborted by user after 3.2s", "cancelled", "aborted by user after 3.2s", &[]);
        check("Exit code", "done", "Exit code", &[]);
    }
}
