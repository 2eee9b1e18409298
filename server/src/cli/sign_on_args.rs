//! Options of `verbatim serve` about single sign-on.

use crate::sign_on_rules::Rule;
use clap::Args;
use reqwest::Url;

#[derive(Debug, Clone, Args)]
pub struct SignOnArgs {
    /// Provider of single sign-on (OIDC): its issuer URL, `https://id.example.org/realms/team`. Needs
    /// `--oidc-client-id` and `--oidc-people`
    #[arg(long = "oidc-issuer", id = "oidc_issuer", value_name = "URL", value_parser = issuer)]
    pub issuer: Option<Url>,
    /// Id of this server at the provider, which sends people back to `/login/callback`
    #[arg(long = "oidc-client-id", id = "oidc_client_id", value_name = "ID")]
    pub client_id: Option<String>,
    /// Secret of this server at the provider, if it has one; rather from a file that `VERBATIM_OIDC_CLIENT_SECRET_FILE`
    /// names
    #[arg(long = "oidc-client-secret", id = "oidc_client_secret", value_name = "SECRET", hide_env_values = true)]
    pub client_secret: Option<String>,
    /// Name of the provider on the page
    #[arg(long = "oidc-name", id = "oidc_name", value_name = "NAME")]
    pub name: Option<String>,
    /// Who may log in by the provider, and with which role: `groups=agents:member`, `email=ada@example.org:owner`. The
    /// highest role that matches counts; who matches nothing is refused. Can be repeated
    #[arg(long = "oidc-people", id = "oidc_people", value_name = "CLAIM=VALUE:ROLE")]
    pub people: Vec<Rule>,
}

fn issuer(text: &str) -> Result<Url, String> {
    let url = Url::parse(text.trim()).map_err(|error| format!("{error}: it is like `https://id.example.org`"))?;
    let is_local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
    if url.scheme() == "https" || (url.scheme() == "http" && is_local) {
        return Ok(url);
    }
    Err("it begins with `https://`, unless it is on this machine".to_owned())
}
