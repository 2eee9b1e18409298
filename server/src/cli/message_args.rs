//! Options of `verbatim serve` for routing and memory.

use crate::embeddings::Endpoint;
use clap::Args;
use hub::Embedder;
use model::routing::Settings;
use std::sync::Arc;

#[derive(Debug, Clone, Default, Args)]
pub struct MessageArgs {
    /// Name of the assistant on pages, in channels and exports, and for `@NAME`; the settings can override it
    #[arg(long, value_name = "NAME", env = "ASSISTANT_NAME")]
    pub assistant_name: Option<String>,
    /// Further names for mentions, separated by commas [default: ghost]
    #[arg(long, value_name = "NAMES", env = "TRIGGER_ALIASES", value_delimiter = ',')]
    pub trigger_aliases: Option<Vec<String>>,
    /// Base URL of an OpenAI-compatible API for embeddings of memories: `http://127.0.0.1:11434/v1`. It gets their
    /// texts
    #[arg(long, value_name = "URL", env = "VERBATIM_EMBEDDING_URL", requires = "embedding_model")]
    pub embedding_url: Option<String>,
    /// Embedding model
    #[arg(long, value_name = "MODEL", env = "VERBATIM_EMBEDDING_MODEL")]
    pub embedding_model: Option<String>,
    /// Key for the embedding API; other users can see it here, but not in the environment
    #[arg(long, value_name = "KEY", env = "VERBATIM_EMBEDDING_KEY", hide_env_values = true)]
    pub embedding_key: Option<String>,
}

impl MessageArgs {
    /// Returns the routing settings. The error names the option.
    pub fn routing(&self) -> Result<Settings, String> {
        let name = self.assistant_name.clone().filter(|name| !name.trim().is_empty());
        let aliases = self.trigger_aliases.as_ref().map(|names| {
            names.iter().map(|name| name.trim().to_owned()).filter(|name| !name.is_empty()).collect::<Vec<_>>()
        });
        let settings = Settings { name, aliases, ..Settings::default() };
        settings.check().map_err(|(field, expected)| {
            let option = if field == "/name" { "--assistant-name" } else { "--trigger-aliases" };
            format!("`{option}`: expected {expected}")
        })?;
        Ok(settings)
    }

    /// Returns the embedding client; None without an endpoint. The error names the option.
    pub fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>, String> {
        let (Some(url), Some(model)) = (&self.embedding_url, &self.embedding_model) else { return Ok(None) };
        let endpoint = Endpoint::new(url, model.clone(), self.embedding_key.clone());
        let endpoint = endpoint.map_err(|error| format!("`--embedding-url`: {error}"))?;
        Ok(Some(Arc::new(endpoint)))
    }
}
