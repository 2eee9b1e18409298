//! Facts in the path of a transcript: `.../projects/<folder>/<session>.jsonl`, and for sub-agents
//! `.../<session>/subagents/agent-<id>.jsonl`, `.../subagents/workflows/<run>/agent-<id>.jsonl` or, in older versions,
//! `agent-<id>.jsonl` beside the session's file.

/// The parts of a transcript's path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName<'a> {
    /// The name without `.jsonl`.
    pub stem: &'a str,
    /// Name of the folder under `projects`: the working directory with everything but letters and digits made `-`.
    pub folder: Option<&'a str>,
    /// The session's own id, if the path has it. For a sub-agent's file it is the parent's id.
    pub session: Option<&'a str>,
    /// The agent's id, for a sub-agent's file.
    pub agent: Option<&'a str>,
    /// The id of the workflow's run, for the file of a sub-agent that a workflow started.
    pub workflow: Option<&'a str>,
}

impl<'a> FileName<'a> {
    /// Reads paths with `/` and with `\`.
    pub fn parse(path: &'a str) -> Self {
        let parts: Vec<&str> = path.split(['/', '\\']).collect();
        let name = parts.last().copied().unwrap_or_default();
        let stem = name.strip_suffix(".jsonl").unwrap_or(name);
        let folder = parts.iter().rposition(|part| *part == "projects").and_then(|at| parts.get(at + 1).copied());
        let agent = stem.strip_prefix("agent-").filter(|id| !id.is_empty());
        let session = if agent.is_some() {
            let at = parts.iter().rposition(|part| *part == "subagents");
            at.and_then(|at| at.checked_sub(1)).and_then(|at| parts.get(at).copied()).filter(|name| !name.is_empty())
        } else {
            Some(stem).filter(|stem| is_uuid(stem))
        };
        let workflow = parts.iter().rposition(|part| *part == "workflows").filter(|_| agent.is_some());
        let workflow = workflow.and_then(|at| parts.get(at + 1).copied()).filter(|run| *run != name);
        Self { stem, folder: folder.filter(|folder| *folder != name), session, agent, workflow }
    }
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

#[cfg(test)]
mod tests {
    use super::FileName;

    const ID: &str = "0b7c7d1e-1111-4222-8333-444455556666";

    #[test]
    fn paths_tell_session_and_agent() {
        let path = format!("/home/u/.claude/projects/-home-u-x/{ID}.jsonl");
        let name = FileName::parse(&path);
        assert_eq!((name.session, name.agent, name.folder), (Some(ID), None, Some("-home-u-x")));

        let path = format!("C:\\u\\.claude\\projects\\C--u-x\\{ID}\\subagents\\agent-a1.jsonl");
        let name = FileName::parse(&path);
        assert_eq!((name.session, name.agent, name.folder), (Some(ID), Some("a1"), Some("C--u-x")));

        let path = format!("/home/u/.claude/projects/-home-u-x/{ID}/subagents/workflows/wf_9/agent-a1.jsonl");
        let name = FileName::parse(&path);
        assert_eq!((name.session, name.agent, name.workflow), (Some(ID), Some("a1"), Some("wf_9")));

        let name = FileName::parse("projects/-x/agent-b2.jsonl");
        assert_eq!((name.session, name.agent, name.stem), (None, Some("b2"), "agent-b2"));
    }
}
