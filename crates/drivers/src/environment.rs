//! The part of the server's environment that an agent gets.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::{Path, PathBuf};

/// The variable that has the mark of a run: in the environment of the agent's processes and of all that these start.
pub(crate) const MARK: &str = "VERBATIM_AGENT_RUN";

/// Names that every program needs.
const NAMES: [&str; 33] = [
    "APPDATA",
    "ALL_PROXY",
    "COLORTERM",
    "COMSPEC",
    "EDITOR",
    "HOME",
    "HOMEDRIVE",
    "HOMEPATH",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LANG",
    "LANGUAGE",
    "LOCALAPPDATA",
    "LOGNAME",
    "NODE_EXTRA_CA_CERTS",
    "NO_PROXY",
    "PATH",
    "PATHEXT",
    "PROGRAMDATA",
    "PROGRAMFILES",
    "SHELL",
    "SSH_AUTH_SOCK",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "SYSTEMROOT",
    "TEMP",
    "TERM",
    "TMP",
    "TMPDIR",
    "TZ",
    "USER",
    "USERNAME",
    "USERPROFILE",
];
/// Prefixes of variables for agents and tools.
const PREFIXES: [&str; 16] = [
    "ANTHROPIC_",
    "AWS_",
    "CARGO_",
    "CLAUDE_",
    "CLOUD_ML_",
    "CODEX_",
    "GEMINI_",
    "GOOGLE_",
    "LC_",
    "NVM_",
    "OPENAI_",
    "OPENCODE_",
    "QWEN_",
    "RUSTUP_",
    "VERTEX_",
    "XDG_",
];
/// Settings that would make an agent believe that it runs inside another one.
const NEVER: [&str; 3] = ["CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CLAUDE_CODE_SSE_PORT"];

/// The variables of an agent, filtered. Its values are secrets: they aren't printed.
#[derive(Clone, Default)]
pub struct Environment(Vec<(OsString, OsString)>);

impl Environment {
    /// Filters variables: see [`filtered`].
    pub fn of(variables: impl IntoIterator<Item = (OsString, OsString)>, more: &[String]) -> Self {
        Self(filtered(variables, more))
    }

    /// The variables.
    pub fn variables(&self) -> &[(OsString, OsString)] {
        &self.0
    }

    /// Returns where a program is, by the `PATH` among the variables; None if it isn't there.
    pub fn find(&self, program: &OsStr) -> Option<PathBuf> {
        let is_file = |path: &PathBuf| path.is_file();
        if Path::new(program).components().count() > 1 {
            return Some(PathBuf::from(program)).filter(is_file);
        }
        let path = self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case("PATH"))?;
        std::env::split_paths(&path.1).map(|folder| folder.join(program)).find(is_file)
    }
}

impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} variables", self.0.len())
    }
}

/// Returns the variables that an agent gets: those that programs need, settings of agents, and those that `more` names. What is the
/// server's own, as `VERBATIM_*` and the address of its database, is never among them.
pub fn filtered(
    variables: impl IntoIterator<Item = (OsString, OsString)>,
    more: &[String],
) -> Vec<(OsString, OsString)> {
    variables.into_iter().filter(|(name, _)| is_passed(name, more)).collect()
}

fn is_passed(name: &OsStr, more: &[String]) -> bool {
    let Some(name) = name.to_str() else { return false };
    // Proxies are also written in lower case; on Windows, case doesn't count.
    let upper = name.to_ascii_uppercase();
    if upper.starts_with("VERBATIM_") || NEVER.contains(&upper.as_str()) {
        return false;
    }
    more.iter().any(|more| more == name)
        || NAMES.contains(&upper.as_str())
        || PREFIXES.iter().any(|prefix| upper.starts_with(prefix))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_servers_own_settings_stay_with_it() {
        let names = [
            "PATH",
            "http_proxy",
            "ANTHROPIC_API_KEY",
            "CLAUDE_CONFIG_DIR",
            "LC_ALL",
            "JAVA_HOME", // passed
            "VERBATIM_TOKEN",
            "DATABASE_URL",
            "PGPASSWORD",
            "CLAUDECODE",
            "CLAUDE_CODE_ENTRYPOINT",
            "SECRET",
        ];
        let variables = names.map(|name| (OsString::from(name), OsString::from("value")));
        let more = ["JAVA_HOME".to_owned(), "VERBATIM_TOKEN".to_owned()];
        let passed: Vec<_> = filtered(variables, &more).into_iter().map(|(name, _)| name).collect();
        assert_eq!(passed, ["PATH", "http_proxy", "ANTHROPIC_API_KEY", "CLAUDE_CONFIG_DIR", "LC_ALL", "JAVA_HOME"]);
    }
}
