//! The rules by which calls are allowed without asking a person: the same tool with the same input, in the same folder.
//!
//! A call has at most one rule, [`of`]: a stored rule covers it if the two are equal. A call without one is always
//! asked about.

mod shell;

use crate::basics::{clock, problem};
use crate::context::{Hub, Scoped};
use agents::claude::Reader;
use api::Problem;
use api::hooks::{AllowRules, RulePath};
use model::text::one_line;
use serde_json::{Map, Value};
use std::path::{Component, Path};
use store::AllowRule;

/// The agent whose hooks are known.
pub const AGENT: &str = Reader::NAME;
/// Bytes of a rule.
const MOST: usize = 1000;
/// Fields of a command that don't change what it does.
const OF_COMMAND: [&str; 4] = ["command", "description", "timeout", "run_in_background"];
/// Characters of a rule in a sentence.
const SHOWN: usize = 200;

/// Returns the rule that covers this call and its equals: `Bash(npm test)`, `Write(/home/ada/a.txt)`,
/// `WebFetch(https://example.org)`, `mcp__board__list`. None where no rule would be safe, or where nothing is asked
/// that a rule could say.
pub fn of(tool: &str, input: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| input.get(key).and_then(Value::as_str);
    let argument = match tool {
        "Bash" => {
            let is_known = |key: &String| OF_COMMAND.contains(&key.as_str());
            let words = shell::words(text("command").filter(|_| input.keys().all(is_known))?)?;
            shlex::try_join(words.iter().map(String::as_str)).ok()?
        }
        "Edit" | "MultiEdit" | "Write" => file(text("file_path")?)?,
        "NotebookEdit" => file(text("notebook_path")?)?,
        "WebFetch" => text("url").filter(|url| !url.chars().any(char::is_control))?.to_owned(),
        _ if tool.starts_with("mcp__") => return Some(tool.to_owned()),
        _ => return None,
    };
    let rule = format!("{tool}({argument})");
    (rule.len() <= MOST).then_some(rule)
}

/// A path that names one file, as it is written.
fn file(path: &str) -> Option<String> {
    let parsed = Path::new(path);
    let plain = parsed
        .components()
        .all(|part| matches!(part, Component::RootDir | Component::Prefix(_) | Component::Normal(_)));
    let same = parsed.components().collect::<std::path::PathBuf>().to_str() == Some(path);
    (parsed.is_absolute() && plain && same && !path.chars().any(char::is_control)).then(|| path.to_owned())
}

/// Returns what a rule allows, in a sentence.
pub fn explanation(rule: &str, folder: &str) -> String {
    let (tool, argument) = rule.strip_suffix(')').and_then(|rule| rule.split_once('(')).unwrap_or((rule, ""));
    let shown = one_line(argument, SHOWN);
    let place = one_line(folder, SHOWN);
    match tool {
        "Bash" => format!(
            "Runs exactly `{shown}` in {place}: not with other arguments, another command, a redirection or a substitution"
        ),
        "Edit" | "MultiEdit" | "NotebookEdit" => {
            format!("Makes any edit in {shown}, while the agent works in {place}")
        }
        "Write" => format!("Writes any content to {shown}, while the agent works in {place}"),
        "WebFetch" => format!("Reads exactly {shown}, while the agent works in {place}"),
        _ => format!("Calls {} with any input, while the agent works in {place}", one_line(rule, SHOWN)),
    }
}

/// Returns the stored rule that covers a call.
pub async fn covering(
    hub: &Hub,
    folder: Option<&str>,
    tool: &str,
    input: &Map<String, Value>,
) -> Result<Option<AllowRule>, Problem> {
    let (Some(folder), Some(rule)) = (folder, of(tool, input)) else { return Ok(None) };
    let rules = hub.workspace.allow_rules().await.map_err(problem)?;
    let found = rules.into_iter().find(|known| known.agent == AGENT && known.folder == folder && known.rule == rule);
    let Some(found) = found else { return Ok(None) };
    // Revoked in between, it allows nothing.
    let holds = hub.workspace.use_allow_rule(&found.id, clock::now()).await.map_err(problem)?;
    Ok(holds.then_some(found))
}

/// Stores the rule that a person made, unless it is there.
pub async fn make(scoped: &Scoped, folder: &str, rule: &str) -> Result<(), Problem> {
    let known = scoped.hub.workspace.allow_rules().await.map_err(problem)?;
    if known.iter().any(|known| known.agent == AGENT && known.folder == folder && known.rule == rule) {
        return Ok(());
    }
    let rule = AllowRule {
        id: uuid::Uuid::now_v7().to_string(),
        agent: AGENT.to_owned(),
        folder: folder.to_owned(),
        rule: rule.to_owned(),
        made_at: clock::now(),
        used_at: None,
        uses: 0,
    };
    scoped.signed().await.put_allow_rule(&rule).await.map_err(problem)
}

pub async fn list_rules(scoped: &Scoped) -> Result<AllowRules, Problem> {
    let rules = scoped.hub.workspace.allow_rules().await.map_err(problem)?;
    let told = |rule: AllowRule| api::hooks::AllowRule {
        explanation: explanation(&rule.rule, &rule.folder),
        id: rule.id,
        agent: rule.agent,
        folder: rule.folder,
        rule: rule.rule,
        made_at: rule.made_at,
        used_at: rule.used_at,
        uses: rule.uses,
    };
    Ok(AllowRules { rules: rules.into_iter().map(told).collect() })
}

pub async fn revoke_rule(scoped: &Scoped, path: &RulePath) -> Result<AllowRules, Problem> {
    let rules = scoped.hub.workspace.allow_rules().await.map_err(problem)?;
    let rule = rules.into_iter().find(|rule| rule.id == path.rule).ok_or_else(|| Problem::not_found("rule"))?;
    if !scoped.signed().await.delete_allow_rule(&rule).await.map_err(problem)? {
        return Err(Problem::not_found("rule"));
    }
    list_rules(scoped).await
}

#[cfg(test)]
mod tests {
    use super::of;
    use serde_json::{Value, json};

    fn rule(tool: &str, input: Value) -> Option<String> {
        of(tool, input.as_object().unwrap())
    }

    #[test]
    fn a_call_has_the_rule_of_its_equals() {
        let bash = |command: &str| rule("Bash", json!({"command": command, "description": "x"}));
        assert_eq!(bash("npm test").as_deref(), Some("Bash(npm test)"));
        assert_eq!(bash(" npm \"test\" ").as_deref(), Some("Bash(npm test)"));
        assert_eq!(bash("npm test x").as_deref(), Some("Bash(npm test x)"));
        assert_eq!(bash("npm 'test x'").as_deref(), Some("Bash(npm 'test x')"));
        assert_eq!(bash("npm test; rm -rf x"), None);
        assert_eq!(rule("Bash", json!({"command": "ls", "dangerouslyDisableSandbox": true})), None);
        assert_eq!(rule("Bash", json!({"command": ["ls"]})), None);
        assert_eq!(rule("Write", json!({"file_path": "/a/b.txt", "content": "x"})).as_deref(), Some("Write(/a/b.txt)"));
        for path in ["b.txt", "/a/../b.txt", "/a/./b.txt", "/a//b.txt", "/a/", "/a\nb"] {
            assert_eq!(rule("Write", json!({"file_path": path})), None, "{path:?}");
        }
        assert_eq!(rule("mcp__board__list", json!({})).as_deref(), Some("mcp__board__list"));
        assert_eq!(rule("AskUserQuestion", json!({"questions": []})), None);
        assert_eq!(rule("Task", json!({"prompt": "x"})), None);
    }
}
