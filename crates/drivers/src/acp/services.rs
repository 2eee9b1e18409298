//! Services for the agent: reading and writing files, and running commands, in the session's folder. See
//! [`crate::Folder`].

use super::Acp;
use crate::rpc::{self, RpcError, filled, items};
use crate::{Effects, Job, TerminalJob};
use serde_json::Value;

impl Acp {
    /// Begins a service. False if there is none of this name.
    pub(super) fn serve(&mut self, id: &Value, method: &str, params: &Value, effects: &mut Effects) -> bool {
        match job(method, params) {
            None => return false,
            Some(Ok(job)) => {
                let name = rpc::key(id);
                self.services.insert(name.clone(), id.clone());
                effects.serve(name, job);
            }
            Some(Err(words)) => effects.send(&rpc::answer(id, Err(RpcError::new(rpc::INVALID_PARAMS, words)))),
        }
        true
    }
}

/// Parses the requested job. The error names the invalid parameter.
fn job(method: &str, params: &Value) -> Option<Result<Job, String>> {
    let terminal = |of: fn(String) -> TerminalJob| text(params, "terminalId").map(|id| Job::Terminal(of(id)));
    Some(match method {
        "fs/read_text_file" => read(params),
        "fs/write_text_file" => write(params),
        "terminal/create" => create(params),
        "terminal/output" => terminal(TerminalJob::Output),
        "terminal/wait_for_exit" => terminal(TerminalJob::Wait),
        "terminal/kill" => terminal(TerminalJob::Kill),
        "terminal/release" => terminal(TerminalJob::Release),
        _ => return None,
    })
}

fn read(params: &Value) -> Result<Job, String> {
    Ok(Job::ReadText { path: text(params, "path")?, line: number(params, "line")?, limit: number(params, "limit")? })
}

fn write(params: &Value) -> Result<Job, String> {
    let content = params.get("content").and_then(Value::as_str).ok_or("`content`: expected a string")?;
    Ok(Job::WriteText { path: text(params, "path")?, content: content.to_owned() })
}

fn create(params: &Value) -> Result<Job, String> {
    let variable = |of: &Value| Some((filled(of, "name")?, of.get("value")?.as_str()?.to_owned()));
    let argument = |of: &Value| of.as_str().map(str::to_owned).ok_or("`args`: expected an array of strings".to_owned());
    Ok(Job::Terminal(TerminalJob::Create {
        command: text(params, "command")?,
        arguments: items(params, "args").iter().map(argument).collect::<Result<_, _>>()?,
        environment: items(params, "env").iter().filter_map(variable).collect(),
        folder: filled(params, "cwd"),
        limit: number(params, "outputByteLimit")?,
    }))
}

fn text(params: &Value, key: &str) -> Result<String, String> {
    filled(params, key).ok_or_else(|| format!("`{key}`: expected a string that isn't empty"))
}

fn number(params: &Value, key: &str) -> Result<Option<usize>, String> {
    match params.get(key) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_u64().and_then(|number| usize::try_from(number).ok());
            number.map(Some).ok_or_else(|| format!("`{key}`: expected a number; got `{value}`"))
        }
    }
}
