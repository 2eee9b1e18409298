//! The nine kinds of tools.

use crate::words;
use serde_json::{Map, Value};

words! {
    /// Kind of a tool, as in the Agent Client Protocol.
    ToolKind {
        /// Reads files.
        Read = "read",
        /// Changes or writes files.
        Edit = "edit",
        /// Deletes files.
        Delete = "delete",
        /// Moves or renames files.
        Move = "move",
        /// Searches for files or text in files.
        Search = "search",
        /// Runs a command.
        Execute = "execute",
        /// Plans, or delegates work to a sub-agent.
        Think = "think",
        /// Loads something from the network.
        Fetch = "fetch",
        /// Anything else.
        Other = "other",
    }
}

impl ToolKind {
    /// Returns the kind of a call without one: by the name of a known tool, otherwise by the keys of its input.
    pub fn from_tool_name(name: &str, input: &Map<String, Value>) -> Self {
        match name {
            "Read" | "NotebookRead" | "LS" | "ReadMcpResourceTool" | "read_file" | "view_image" => Self::Read,
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "apply_patch" | "write_file" | "replace" => Self::Edit,
            "Bash" | "PowerShell" | "BashOutput" | "TaskOutput" | "KillBash" | "KillShell" | "Monitor" | "exec"
            | "exec_command" | "shell" | "local_shell" | "run_shell_command" => Self::Execute,
            "Grep" | "Glob" | "ToolSearch" | "LSP" | "ListMcpResourcesTool" | "grep_search" | "glob" => Self::Search,
            "WebFetch" | "WebSearch" | "web_search" | "web_fetch" => Self::Fetch,
            "Task" | "Agent" | "ExitPlanMode" | "EnterPlanMode" | "TodoWrite" | "TaskCreate" | "TaskUpdate"
            | "TaskList" | "TaskGet" | "update_plan" => Self::Think,
            _ if name.starts_with("mcp__") => Self::Other,
            _ => Self::from_input(input),
        }
    }

    /// Returns the kind of an unknown tool by the keys of its input.
    fn from_input(input: &Map<String, Value>) -> Self {
        let has = |key: &str| input.contains_key(key);
        if has("command") || has("cmd") {
            Self::Execute
        } else if has("old_string") || has("new_string") {
            Self::Edit
        } else if has("url") {
            Self::Fetch
        } else if has("pattern") {
            Self::Search
        } else {
            Self::Other
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ToolKind;
    use serde_json::{Map, json};

    #[test]
    fn names_first_then_the_shape_of_the_input() {
        let none = Map::new();
        let kinds = ["Read", "MultiEdit", "PowerShell", "LSP", "WebSearch", "Agent", "mcp__db__query", "Hologram"]
            .map(|name| ToolKind::from_tool_name(name, &none).as_str());
        assert_eq!(kinds, ["read", "edit", "execute", "search", "fetch", "think", "other", "other"]);
        let command = Map::from_iter([("command".to_owned(), json!("ls"))]);
        assert_eq!(ToolKind::from_tool_name("Hologram", &command), ToolKind::Execute);
        assert_eq!(ToolKind::from_tool_name("mcp__shell__run", &command), ToolKind::Other);
    }
}
