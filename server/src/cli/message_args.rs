//! The options of `verbatim serve` for what becomes of messages: who is called by which name.

use crate::embeddings::Endpoint;
use clap::Args;
use hub::Embedder;
use model::routing::Settings;
use std::sync::Arc;

#[derive(Debug, Clone, Default, Args)]
pub struct MessageArgs {
    /// What the assistant is called on pages, in channels and exports, and by `@NAME`; the settings may set another
    #[arg(long, value_name = "NAME", env = "ASSISTANT_NAME")]
    pub assistant_name: Option<String>,
    /// Other names that call it, separated by commas [default: ghost]
    #[arg(long, value_name = "NAMES", env = "TRIGGER_ALIASES", value_delimiter = ',')]
    pub trigger_aliases: Option<Vec<String>>,
    /// Base of an API like `OpenAI`'s that makes vectors of what is remembered: `http://127.0.0.1:11434/v1`. The texts are sent there
    #[arg(long, value_name = "URL", env = "VERBATIM_EMBEDDING_URL", requires = "embedding_model")]
    pub embedding_url: Option<String>,
    /// The model that it is asked for
    #[arg(long, value_name = "MODEL", env = "VERBATIM_EMBEDDING_MODEL")]
    pub embedding_model: Option<String>,
    /// Key for it; others see it here, but not in the environment
    #[arg(long, value_name = "KEY", env = "VERBATIM_EMBEDDING_KEY", hide_env_values = true)]
    pub embedding_key: Option<String>,
}

impl MessageArgs {
    /// Returns the settings of routing. The error names the option.
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

    /// Returns what makes vectors; None where no endpoint is named. The error names the option.
    pub fn embedder(&self) -> Result<Option<Arc<dyn Embedder>>, String> {
        let (Some(url), Some(model)) = (&self.embedding_url, &self.embedding_model) else { return Ok(None) };
        let endpoint = Endpoint::new(url, model.clone(), self.embedding_key.clone());
        let endpoint = endpoint.map_err(|error| format!("`--embedding-url`: {error}"))?;
        Ok(Some(Arc::new(endpoint)))
    }
}
