//! Options of `verbatim context`.

use super::{Data, session};
use clap::Args;
use model::model_context::format::ContextFormat;

#[derive(Debug, Args)]
pub struct Context {
    #[command(flatten)]
    pub data: Data,
    /// Our id, the agent's own id, or a unique prefix of either
    #[arg(value_name = "SESSION", value_parser = session)]
    pub session: String,
    /// Message, by its id or number [default: the last reply]
    #[arg(long, value_name = "MESSAGE")]
    pub at: Option<String>,
    /// Print only the request, in the format of this API: `anthropic`, `openai`, `gemini`, or as `text`
    #[arg(long, value_parser = format, conflicts_with_all = ["json", "diff"])]
    pub format: Option<ContextFormat>,
    /// Print JSON: the request with the sources of its parts
    #[arg(long)]
    pub json: bool,
    /// Print only the difference to the previous request
    #[arg(long)]
    pub diff: bool,
}

fn format(word: &str) -> Result<ContextFormat, String> {
    ContextFormat::parse(word).ok_or_else(|| format!("expected one of `{}`", ContextFormat::WORDS.join("`, `")))
}
