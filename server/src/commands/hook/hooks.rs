//! The entries in Claude Code's settings: added beside what is there, and found again to be removed.

use anyhow::{Context as _, Result, bail};
use serde_json::{Map, Value, json};
use std::path::{Path, PathBuf};

/// The variable through which an HTTP hook gets the key: its headers hold no secret.
const VARIABLE: &str = "VERBATIM_HOOK_KEY";
/// By these an entry is known as ours.
const ADDRESS: &str = "/v1/hooks/claude_code/";
const COMMANDS: [&str; 2] = [" hook send --server ", " hook wait --server "];
/// Seconds that an event may take which asks nothing.
const QUICK: u32 = 5;
/// Seconds that the agent waits longer than the server: so it hears why nobody answered.
const LATER: u32 = 10;

/// Seconds that a hook waits for what people write: a week.
const WORDS: u32 = 604_800;
/// Events after which an agent rests, so that it may be woken by what people write.
const RESTS: [&str; 2] = ["SessionStart", "Stop"];

/// Events that are reported. `SessionStart` takes commands only.
const EVENTS: [&str; 12] = [
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
    "PostToolUseFailure",
    "Notification",
    "SubagentStop",
    "PreCompact",
    "Stop",
    "StopFailure",
    "SessionEnd",
];

/// How events are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum How {
    Http,
    Command,
}

/// The hooks to install.
pub struct Plan {
    pub how: How,
    pub url: String,
    pub key: String,
    pub program: PathBuf,
    pub key_file: PathBuf,
    /// The certificate of an authority to trust.
    pub authority: Option<PathBuf>,
    /// Seconds to wait for a person.
    pub wait: u32,
}

/// Adds the hooks to settings that have none of ours. Returns what was added, in lines for people.
///
/// # Errors
///
/// Settings in which `hooks`, an event or `env` isn't what Claude Code takes.
pub fn add(settings: &mut Map<String, Value>, plan: &Plan) -> Result<Vec<String>> {
    let mut added = Vec::new();
    let hooks = object(settings, "hooks")?;
    for event in EVENTS {
        let list = hooks.entry(event).or_insert_with(|| json!([]));
        let Some(list) = list.as_array_mut() else { bail!("`hooks.{event}` should be an array\nNothing was changed") };
        let by_http = plan.how == How::Http && event != "SessionStart";
        let wait = if event == "PermissionRequest" { plan.wait } else { QUICK };
        let hook = if by_http { http(plan, wait) } else { command(plan, wait)? };
        added.push(format!("hooks.{event}: {}", what(&hook)));
        list.push(json!({ "hooks": [hook] }));
        if RESTS.contains(&event) {
            let hook = wakes(plan)?;
            added.push(format!("hooks.{event}: {}", what(&hook)));
            list.push(json!({ "hooks": [hook] }));
        }
    }
    if plan.how == How::Http {
        object(settings, "env")?.insert(VARIABLE.to_owned(), Value::from(plan.key.clone()));
        added.push(format!("env.{VARIABLE}: the key of the hooks"));
    }
    Ok(added)
}

fn object<'s>(settings: &'s mut Map<String, Value>, name: &str) -> Result<&'s mut Map<String, Value>> {
    let value = settings.entry(name).or_insert_with(|| json!({}));
    match value.as_object_mut() {
        Some(object) => Ok(object),
        None => bail!("`{name}` should be an object\nNothing was changed"),
    }
}

fn http(plan: &Plan, wait: u32) -> Value {
    json!({
        "type": "http",
        "url": format!("{}{ADDRESS}{wait}", plan.url),
        "timeout": wait + LATER,
        "headers": { "Authorization": format!("Bearer ${VARIABLE}") },
        "allowedEnvVars": [VARIABLE],
    })
}

fn command(plan: &Plan, wait: u32) -> Result<Value> {
    Ok(json!({ "type": "command", "command": line(plan, "send", wait)?, "timeout": wait + LATER }))
}

/// Waits behind the agent's back, and wakes it. It is the agent's own child, so that it ends with the agent.
fn wakes(plan: &Plan) -> Result<Value> {
    let line = line(plan, "wait", WORDS)?;
    Ok(json!({
        "type": "command",
        "command": if cfg!(unix) { format!("exec {line}") } else { line },
        "asyncRewake": true,
        "timeout": WORDS + LATER,
        "rewakeMessage": "A person who may use this session wrote in Verbatim, which shows it:",
        "rewakeSummary": "Message from Verbatim",
    }))
}

fn line(plan: &Plan, what: &str, wait: u32) -> Result<String> {
    let (program, key_file, seconds) = (text(&plan.program)?, text(&plan.key_file)?, wait.to_string());
    let mut words = vec![program, "hook", what, "--server", &plan.url, "--key-file", key_file, "--wait", &seconds];
    if let Some(authority) = &plan.authority {
        words.extend(["--ca", text(authority)?]);
    }
    shlex::try_join(words).context("a path holds a NUL character")
}

fn text(path: &Path) -> Result<&str> {
    match path.to_str() {
        Some(text) => Ok(text),
        None => bail!("{} is no UTF-8, as a settings file is", path.display()),
    }
}

/// Removes all of ours. Returns what was removed.
pub fn remove(settings: &mut Map<String, Value>) -> Vec<String> {
    let removed = found(settings);
    if let Some(hooks) = settings.get_mut("hooks").and_then(Value::as_object_mut) {
        // Lists that were empty before stay.
        hooks.retain(|_, list| !list.as_array_mut().is_some_and(empties));
        if hooks.is_empty() && !removed.is_empty() {
            settings.shift_remove("hooks");
        }
    }
    if let Some(env) = settings.get_mut("env").and_then(Value::as_object_mut)
        && env.shift_remove(VARIABLE).is_some()
        && env.is_empty()
    {
        settings.shift_remove("env");
    }
    removed
}

/// Removes ours from the entries of an event. Returns whether nothing else is left.
fn empties(list: &mut Vec<Value>) -> bool {
    let before = list.len();
    list.retain_mut(|entry| {
        let Some(hooks) = entry.get_mut("hooks").and_then(Value::as_array_mut) else { return true };
        let had = hooks.len();
        hooks.retain(|hook| !is_ours(hook));
        hooks.len() == had || !hooks.is_empty()
    });
    list.is_empty() && before > 0
}

/// Returns ours, in lines for people.
pub fn found(settings: &Map<String, Value>) -> Vec<String> {
    let mut found = Vec::new();
    for (event, list) in settings.get("hooks").and_then(Value::as_object).into_iter().flatten() {
        let entries = list.as_array().into_iter().flatten();
        let hooks = entries.filter_map(|entry| entry.get("hooks")?.as_array()).flatten();
        found.extend(hooks.filter(|hook| is_ours(hook)).map(|hook| format!("hooks.{event}: {}", what(hook))));
    }
    if settings.get("env").is_some_and(|env| env.get(VARIABLE).is_some()) {
        found.push(format!("env.{VARIABLE}: the key of the hooks"));
    }
    found
}

fn is_ours(hook: &Value) -> bool {
    let has = |key: &str, part: &str| hook.get(key).and_then(Value::as_str).is_some_and(|text| text.contains(part));
    has("url", ADDRESS) || (COMMANDS.iter().any(|command| has("command", command)) && has("command", "--key-file"))
}

fn what(hook: &Value) -> String {
    let of = |key: &str| hook.get(key).and_then(Value::as_str);
    match (of("url"), of("command")) {
        (Some(url), _) => format!("POST {url}"),
        (None, Some(command)) => format!("runs {command}"),
        (None, None) => String::new(),
    }
}
