//! Real agents, driven end to end against a scripted model: installed from npm below `target/agents`, one at a time.

use std::{fs, path::Path, process::Command};

use anyhow::{Context, Result};
use clap::{Args, builder::PossibleValuesParser};

use crate::{
    interface, serve, step, tools,
    workspace::{root, target},
};

/// An agent: its name, the folder that it is installed in, and its packages.
type Agent = (&'static str, &'static str, &'static [&'static str]);

/// The names are those of `end2end/agents/programs.mjs`, and of the scripts in Python.
const AGENTS: &[Agent] = &[
    ("claude", "claude", &["@anthropic-ai/claude-code"]),
    ("hooks", "claude", &["@anthropic-ai/claude-code"]),
    ("words", "claude", &["@anthropic-ai/claude-code"]),
    ("places", "claude", &["@anthropic-ai/claude-code"]),
    ("codex", "codex", &["@openai/codex"]),
    ("attach", "codex", &["@openai/codex"]),
    ("gemini", "gemini", &["@google/gemini-cli"]),
    ("opencode", "opencode", &["opencode-ai"]),
    ("qwen", "qwen", &["@qwen-code/qwen-code"]),
    ("claude-acp", "acp", &["@agentclientprotocol/claude-agent-acp", "@agentclientprotocol/codex-acp"]),
    ("codex-acp", "acp", &["@agentclientprotocol/claude-agent-acp", "@agentclientprotocol/codex-acp"]),
];

/// Scripts in Python by the names of their agents.
const SCRIPTS: &[(&str, &str)] = &[
    ("hooks", "agents/hooks.py"),
    ("words", "agents/words.py"),
    ("attach", "agents/attach.py"),
    ("places", "places/conversation.py"),
];

/// Some agents refuse an older one.
const NODE: &str = "node@22";

#[derive(Args)]
pub struct AgentsArguments {
    /// These alone
    #[arg(value_parser = PossibleValuesParser::new(AGENTS.iter().map(|(name, ..)| *name)))]
    names: Vec<String>,
    /// Only an approval, a denial, and what the model was given: less than a minute for each agent
    #[arg(long)]
    short: bool,
    /// Only rarer cases: answers that cross, browsers that leave, agents that are killed, models that refuse
    #[arg(long, conflicts_with = "short")]
    unusual: bool,
}

impl AgentsArguments {
    fn include(&self, name: &str) -> bool {
        if self.names.is_empty() {
            // The scripts in Python have one extent.
            let is_whole = !self.short && !self.unusual;
            return is_whole || !SCRIPTS.iter().any(|(of, _)| *of == name);
        }
        self.names.iter().any(|named| named == name)
    }
}

/// Installs and drives the named agents, or all.
pub fn drive(arguments: &AgentsArguments) -> Result<()> {
    tools::for_testing()?;
    let chromium = tools::chromium()?;
    interface::build()?;
    let program = serve::program()?;
    let folder = target().join("agents");
    install(&folder.join("node"), &[NODE])?;
    let end2end = root().join("end2end");
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--loglevel", "error"]).current_dir(&end2end);
    step::run(npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1"))?;
    for (name, home, packages) in AGENTS.iter().filter(|(name, ..)| arguments.include(name)) {
        install(&folder.join(home), packages)?;
        let script = SCRIPTS.iter().find(|(of, _)| of == name);
        let mut command = if let Some((_, script)) = script {
            // Among its packages is a homeserver: the first time takes minutes.
            let mut command = Command::new(tools::environment("places", &end2end.join("places/needs.txt"))?);
            let program = |name: &str| folder.join(home).join("node_modules/.bin").join(name);
            command.arg(script).env("CLAUDE", program("claude")).env("CODEX", program("codex"));
            command
        } else {
            let mut command = Command::new("node");
            command.args([if arguments.unusual { "agents/unusual.mjs" } else { "agents/drive.mjs" }, name]);
            command.args(arguments.short.then_some("--short"));
            command
        };
        command
            .current_dir(&end2end)
            .env("AGENTS", &folder)
            .env("CHROMIUM", &chromium)
            .env("VERBATIM_PROGRAM", &program);
        step::timed(name, || step::run(&mut command))?;
    }
    Ok(())
}

/// Installs packages once. To have newer ones, delete the folder.
fn install(folder: &Path, packages: &[&str]) -> Result<()> {
    if folder.join("node_modules").is_dir() {
        return Ok(());
    }
    fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    fs::write(folder.join("package.json"), "{\"private\":true}")?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--no-audit", "--no-fund", "--loglevel", "error"]).args(packages).current_dir(folder);
    step::timed(&format!("install {}", packages.join(" ")), || step::run(&mut npm))
}
