//! The provider of single sign-on, by `OpenID` Connect: where people are sent, and what it says of who comes back.

use crate::bounded_http::BoundedHttp;
use crate::cli::SignOnArgs;
use crate::sign_on_rules::{Rule, role};
use anyhow::{Context as _, Result, bail};
use axum::http::Request;
use axum::http::header::AUTHORIZATION;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hub::people::accounts::Account;
use openidconnect::core::{CoreAuthenticationFlow, CoreClient, CoreClientAuthMethod, CoreProviderMetadata};
use openidconnect::{
    AuthType, AuthorizationCode, ClientId, ClientSecret, CsrfToken, IssuerUrl, Nonce, OAuth2TokenResponse as _,
    PkceCodeChallenge, PkceCodeVerifier, RedirectUrl, Scope, TokenResponse as _,
};
use reqwest::Url;
use serde_json::{Map, Value};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::time::Instant;

/// How long what the provider says of itself is used.
const KNOWN_FOR: Duration = Duration::from_hours(1);
/// What is asked for beside `openid`.
const SCOPES: [&str; 2] = ["profile", "email"];

/// What a browser that was sent to the provider has to bring back.
pub struct Sent {
    nonce: Nonce,
    verifier: PkceCodeVerifier,
}

/// The provider. Cheap to clone; clones share what is known of it.
#[derive(Clone)]
pub struct Provider(Arc<Inner>);

struct Inner {
    issuer: Url,
    id: ClientId,
    secret: Option<ClientSecret>,
    name: String,
    rules: Vec<Rule>,
    http: BoundedHttp,
    known: Mutex<Option<(Instant, CoreProviderMetadata)>>,
}

impl Provider {
    /// # Errors
    ///
    /// If an option lacks another one that it needs.
    pub fn of(args: &SignOnArgs) -> Result<Option<Self>> {
        let SignOnArgs { issuer, client_id, client_secret, name, people } = args;
        let Some(issuer) = issuer.clone() else {
            if client_id.is_some() || client_secret.is_some() || !people.is_empty() {
                bail!(
                    "`--oidc-client-id`, `--oidc-client-secret` and `--oidc-people` need the provider\nAdd `--oidc-issuer URL`"
                );
            }
            return Ok(None);
        };
        let Some(id) = client_id.clone() else {
            bail!("`--oidc-issuer` needs the id of this server at the provider\nAdd `--oidc-client-id ID`");
        };
        if people.is_empty() {
            bail!(
                "`--oidc-issuer` needs to know whom to let in\n\
                 Add `--oidc-people CLAIM=VALUE:ROLE`, as `--oidc-people email=ada@example.org:owner`"
            );
        }
        let host = issuer.host_str().unwrap_or_default().to_owned();
        Ok(Some(Self(Arc::new(Inner {
            issuer,
            id: ClientId::new(id),
            secret: client_secret.clone().map(ClientSecret::new),
            name: name.clone().unwrap_or(host),
            rules: people.clone(),
            http: BoundedHttp::new().context("TLS can't be used")?,
            known: Mutex::default(),
        }))))
    }

    /// Returns what people call it.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Returns what the provider says of itself, asked for anew if that is older than `than`.
    async fn metadata(&self, than: Duration) -> Result<CoreProviderMetadata> {
        let known = self.0.known.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some((at, metadata)) = known
            && at.elapsed() < than
        {
            return Ok(metadata);
        }
        // As it was written: a URL without a path gets a `/`, which most providers don't have.
        let issuer = self.0.issuer.as_str();
        let issuer = if self.0.issuer.path() == "/" { issuer.trim_end_matches('/') } else { issuer };
        let issuer = IssuerUrl::new(issuer.to_owned())?;
        let metadata = CoreProviderMetadata::discover_async(issuer, &self.0.http).await?;
        *self.0.known.lock().unwrap_or_else(PoisonError::into_inner) = Some((Instant::now(), metadata.clone()));
        Ok(metadata)
    }

    /// Returns where to send a browser, and what it has to bring back to `callback`. `state` names this log-in.
    ///
    /// # Errors
    ///
    /// If the provider can't be reached, or isn't one.
    pub async fn begin(&self, callback: &str, state: String) -> Result<(Url, Sent)> {
        let metadata = self.metadata(KNOWN_FOR).await?;
        let client = CoreClient::from_provider_metadata(metadata, self.0.id.clone(), self.0.secret.clone())
            .set_redirect_uri(RedirectUrl::new(callback.to_owned())?);
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let flow = CoreAuthenticationFlow::AuthorizationCode;
        let request =
            client.authorize_url(flow, || CsrfToken::new(state), Nonce::new_random).set_pkce_challenge(challenge);
        let scopes = SCOPES.iter().map(|scope| Scope::new((*scope).to_owned()));
        let (url, _, nonce) = request.add_scopes(scopes).url();
        Ok((url, Sent { nonce, verifier }))
    }

    /// Trades the code with which a browser came back for the account.
    ///
    /// # Errors
    ///
    /// If the provider refuses the code, or what it says isn't signed by it, for this server and for this log-in.
    pub async fn finish(&self, callback: &str, code: String, sent: Sent) -> Result<Account> {
        let Sent { nonce, verifier } = sent;
        let metadata = self.metadata(KNOWN_FOR).await?;
        let methods = metadata.token_endpoint_auth_methods_supported().cloned().unwrap_or_default();
        let userinfo = metadata.userinfo_endpoint().map(|url| url.url().to_string());
        let only_in_body = methods.contains(&CoreClientAuthMethod::ClientSecretPost)
            && !methods.contains(&CoreClientAuthMethod::ClientSecretBasic);
        let client = CoreClient::from_provider_metadata(metadata, self.0.id.clone(), self.0.secret.clone())
            .set_redirect_uri(RedirectUrl::new(callback.to_owned())?)
            .set_auth_type(if only_in_body { AuthType::RequestBody } else { AuthType::BasicAuth });
        let tokens = client
            .exchange_code(AuthorizationCode::new(code))?
            .set_pkce_verifier(verifier)
            .request_async(&self.0.http)
            .await?;
        let token = tokens.id_token().context("the provider sent no ID token")?;
        if token.claims(&client.id_token_verifier(), &nonce).is_err() {
            // Its keys may be new.
            let fresh = self.metadata(Duration::ZERO).await?;
            let client = CoreClient::from_provider_metadata(fresh, self.0.id.clone(), self.0.secret.clone());
            token.claims(&client.id_token_verifier(), &nonce)?;
        }
        let mut claims = verified(&token.to_string())?;
        if let Some(url) = userinfo {
            let bearer = format!("Bearer {}", tokens.access_token().secret());
            let request = Request::get(url).header(AUTHORIZATION, bearer).body(Vec::new())?;
            let told = self.0.http.send(request).await?;
            if told.status().is_success() {
                let told: Map<String, Value> = serde_json::from_slice(told.body())?;
                if told.get("sub") == claims.get("sub") {
                    for (claim, value) in told {
                        claims.entry(claim).or_insert(value);
                    }
                }
            }
        }
        let text = |claim: &str| claims.get(claim).and_then(Value::as_str).filter(|text| !text.is_empty());
        let subject = text("sub").context("the provider names no `sub`")?;
        let names = ["name", "preferred_username", "email"].into_iter().find_map(text);
        Ok(Account {
            id: format!("{} {subject}", self.0.issuer),
            provider: self.0.name.clone(),
            name: names.unwrap_or(subject).to_owned(),
            role: role(&self.0.rules, &claims),
        })
    }
}

/// Returns the claims of an ID token whose signature was checked.
fn verified(token: &str) -> Result<Map<String, Value>> {
    let payload = token.split('.').nth(1).context("the ID token isn't one")?;
    Ok(serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload)?)?)
}
