//! Texts of tools' results without the tags that the program put around them for the model. Only forms that are known are
//! unwrapped; the record keeps every byte.

use super::obj::Obj;

/// A result without the tags around it.
pub(crate) fn bare(text: &str) -> &str {
    let trimmed = text.trim();
    let inside = |name: &str| {
        let rest = trimmed.strip_prefix('<')?.strip_prefix(name)?.strip_prefix('>')?;
        let inner = rest.strip_suffix('>')?.strip_suffix(name)?.strip_suffix("</")?;
        // Two tags beside each other don't enclose the whole text.
        (!inner.contains(&format!("</{name}>"))).then(|| inner.trim_matches('\n'))
    };
    if let Some(error) = inside("tool_use_error") {
        return error.trim();
    }
    if let Some(note) = inside("persisted-output") {
        // The head says size and place, which the payload has in fields of their own.
        return note.split_once("):\n").filter(|(head, _)| head.contains("\nPreview (")).map_or(note, |(_, text)| text);
    }
    inside("system-reminder").map_or(text, str::trim)
}

/// A result, and what the program says to the model behind it.
pub(crate) fn without_reminder(text: &str) -> (&str, Option<&str>) {
    let split = || {
        let (before, reminder) =
            text.trim_end().strip_suffix("</system-reminder>")?.rsplit_once("\n<system-reminder>\n")?;
        (!reminder.contains("</system-reminder>")).then(|| (before.trim_end_matches('\n'), Some(reminder.trim())))
    };
    split().unwrap_or((text, None))
}

/// The state of a background task, as a result describes it.
#[derive(Default)]
pub(crate) struct Background {
    pub text: Option<String>,
    /// `running`, `completed`, `failed`, `killed`.
    pub status: Option<String>,
    pub exit_code: Option<i64>,
    /// Its command, or its description.
    pub what: Option<String>,
}

/// The result of a tool that asks about a task in the background, or ends it. None for other tools and other forms.
pub(crate) fn background(tool: &str, text: &str, fields: Option<&Obj>) -> Option<Background> {
    let command = fields.and_then(|fields| fields.filled("command"));
    match tool {
        tool if is_stop(tool) => {
            let said = Obj::parse(text)?.filled("message")?;
            Some(Background { text: Some(said), what: command, ..Background::default() })
        }
        "BashOutput" | "TaskOutput" | "AgentOutputTool" | "AgentOutput" => {
            let start = text.trim_start();
            if !start.starts_with("<retrieval_status>") && !start.starts_with("<status>") {
                return None;
            }
            let body = ["<output>", "<stdout>", "<stderr>", "<error>"].iter().filter_map(|open| start.find(open)).min();
            let (head, body) = start.split_at(body.unwrap_or(start.len()));
            let parts = ["output", "stdout", "stderr", "error"].iter().filter_map(|name| around(body, name));
            let parts: Vec<String> = parts.filter(|part| !part.trim().is_empty()).map(str::to_owned).collect();
            let task = fields.and_then(|fields| fields.obj("task"));
            let described = || task.as_ref().and_then(|task| task.filled("description"));
            let code = task.as_ref().and_then(|task| task.int("exitCode"));
            Some(Background {
                text: Some(parts.join("\n")),
                status: around(head, "status").map(str::to_owned),
                exit_code: code.or_else(|| around(head, "exit_code")?.trim().parse().ok()),
                what: command.or_else(described),
            })
        }
        _ => None,
    }
}

/// Returns true if the tool ends a background task.
pub(crate) fn is_stop(tool: &str) -> bool {
    matches!(tool, "KillBash" | "KillShell" | "TaskStop")
}

/// The text from `<name>` to the last `</name>`, without the empty lines around it. A tag that isn't closed was cut off.
fn around<'a>(text: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = text.split_once(&format!("<{name}>"))?;
    let inner = rest.rsplit_once(&format!("</{name}>")).map_or(rest, |(inner, _)| inner);
    Some(inner.trim_matches('\n'))
}

#[cfg(test)]
mod tests {
    use super::{bare, without_reminder};

    #[test]
    fn tags_around_everything_go() {
        assert_eq!(bare("<tool_use_error>No such file</tool_use_error>"), "No such file");
        assert_eq!(bare("<system-reminder>The file is empty.</system-reminder>\n"), "The file is empty.");
        let head = "Output too large (36KB). Full output saved to: /x.txt\n\nPreview (first 2KB):";
        let kept = format!("<persisted-output>\n{head}\n\ta\nb\n...\n</persisted-output>");
        assert_eq!(bare(&kept), "\ta\nb\n...");
    }

    #[test]
    fn a_reminder_at_the_end_is_apart() {
        let read = "     1\u{2192}a\n\n<system-reminder>\nIs it malware?\n</system-reminder>\n";
        assert_eq!(without_reminder(read), ("     1\u{2192}a", Some("Is it malware?")));
        let of_the_file = "     1\u{2192}<system-reminder>\n     2\u{2192}</system-reminder>";
        assert_eq!(without_reminder(of_the_file), (of_the_file, None));
    }

    #[test]
    fn other_texts_stay_as_they_are() {
        for text in [
            "  <b>bold</b>\n",
            "<tool_use_error>a",
            "<system-reminder>a</system-reminder> b <system-reminder>c</system-reminder>",
        ] {
            assert_eq!(bare(text), text);
        }
    }
}
