//! A server, accessed with an agent's key.

use crate::retry::{Patience, repeat};
use crate::{Error, connection};
use api::blobs::BlobMade;
use api::client::unreadable;
use api::contract::{
    DeclareTypeEndpoint, GetBlob, GetMe, GetSession, ListSessionsEndpoint, Recall, Search, UploadBlob,
};
use api::memory::{MemoryPage, MemoryQuery};
use api::search::{SearchPage, SearchQuery};
use api::sessions::{ListSessions, SessionPage, SessionPath};
use api::transport::reqwest::{Reqwest, lost, whole};
use api::types::{DeclareType, TypeDeclared, TypePath};
use api::{Client, Endpoint, Nothing, Route as _};
use serde_json::Value;
use std::sync::Arc;
use std::time::Duration;

/// How long requests are retried by default, see [`Verbatim::patience`].
const PATIENCE: Duration = Duration::from_mins(1);
/// Timeout of a request that waits; the longest wait is a minute.
const LONG: Duration = Duration::from_secs(90);

/// A server and a key. Clones share their connections.
///
/// ```no_run
/// # async fn run() -> Result<(), sdk::Error> {
/// use sdk::{NewSession, Verbatim};
///
/// let verbatim = Verbatim::connect("http://127.0.0.1:7117", "vbt_...")?;
/// println!("{}", verbatim.me().await?.name);
/// let new = NewSession { agent_session_id: Some("run-42".to_owned()), ..NewSession::from("nightly-bot") };
/// // A program that starts again goes on with the session of the same `agent_session_id`.
/// let session = verbatim.create_session(new).await?;
/// # Ok(()) }
/// ```
#[derive(Clone)]
pub struct Verbatim {
    client: Client,
    /// Client for requests that wait.
    long: Client,
    /// None if the client has a custom transport.
    transport: Option<Arc<Reqwest>>,
    patience: Patience,
}

impl Verbatim {
    /// Creates a client of the server at `url` (`http://127.0.0.1:7117`), with an agent's key. Sends nothing.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] if the URL isn't `http://`, or the key is empty or can't be a header's value.
    pub fn connect(url: &str, key: &str) -> Result<Self, Error> {
        Ok(Self::with(connection::transport(url, key, None)?))
    }

    /// Like [`Self::connect`], and trusts an authority besides those of the system: `pem` is its certificate.
    ///
    /// # Errors
    ///
    /// As for [`Self::connect`]; also if `pem` is no certificate.
    pub fn connect_trusting(url: &str, key: &str, pem: &[u8]) -> Result<Self, Error> {
        Ok(Self::with(connection::transport(url, key, Some(pem))?))
    }

    /// Like [`Self::connect`], with a key that can be replaced: when it is refused, `newer` returns the current one, or
    /// None.
    ///
    /// # Errors
    ///
    /// As for [`Self::connect`].
    pub fn connect_or_else(
        url: &str,
        key: &str,
        newer: impl Fn() -> Option<String> + Send + Sync + 'static,
    ) -> Result<Self, Error> {
        let transport = connection::transport(url, key, None)?;
        Ok(Self::with(Reqwest { key: transport.key.or_else(newer), ..transport }))
    }

    fn with(transport: Reqwest) -> Self {
        let long = Client::new(Reqwest { timeout: LONG, ..transport.clone() });
        let client = Client::new(transport.clone());
        Self { client, long, transport: Some(Arc::new(transport)), patience: Patience::For(PATIENCE) }
    }

    /// Creates a client from the environment variables `VERBATIM_URL` and `VERBATIM_KEY`.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] if one of them isn't set; otherwise as for [`Self::connect`].
    pub fn from_env() -> Result<Self, Error> {
        Self::connect(&variable("VERBATIM_URL")?, &variable("VERBATIM_KEY")?)
    }

    /// Creates a client with a custom transport. It has no event stream: [`Self::watch`] yields [`Error::Setup`].
    pub fn over(client: Client) -> Self {
        Self { long: client.clone(), client, transport: None, patience: Patience::For(PATIENCE) }
    }

    /// Sets how long temporary failures are retried: the sum of the pauses, one minute by default. Requests that wait
    /// for people are retried without limit.
    pub fn patience(self, longest: Duration) -> Self {
        Self { patience: Patience::For(longest), ..self }
    }

    /// Marks requests as made for a model, whatever the key is: replies then omit messages of the host.
    pub fn for_model(self) -> Self {
        match self.transport {
            Some(transport) => {
                let transport = Reqwest { is_for_model: true, ..(*transport).clone() };
                Self { patience: self.patience, ..Self::with(transport) }
            }
            None => self,
        }
    }

    /// Sets the timeout of requests; one minute by default.
    pub fn answers_within(self, longest: Duration) -> Self {
        match self.transport {
            Some(transport) => {
                let transport = Reqwest { timeout: longest, ..(*transport).clone() };
                Self { patience: self.patience, ..Self::with(transport) }
            }
            None => self,
        }
    }

    /// Returns the server's URL, without a slash at its end. None with a custom transport.
    pub fn url(&self) -> Option<&str> {
        self.transport().map(|transport| transport.base.as_str())
    }

    /// Returns the client with all endpoints. It doesn't retry.
    pub fn client(&self) -> &Client {
        &self.client
    }

    /// Returns a page of the sessions that the key can read.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for a key without the scope `read` or `read_all`.
    pub async fn sessions(&self, query: ListSessions) -> Result<SessionPage, Error> {
        self.call::<ListSessionsEndpoint>(Nothing {}, query).await
    }

    /// Searches the messages of all sessions, newest first.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for a key without the scope `read_all`. [`Error::Invalid`] if `q` is empty or too long.
    pub async fn search(&self, query: SearchQuery) -> Result<SearchPage, Error> {
        self.call::<Search>(Nothing {}, query).await
    }

    /// Recalls what people said, in the sessions that the key can read: by words, and by meaning if the server has
    /// embeddings.
    ///
    /// # Errors
    ///
    /// [`Error::Forbidden`] for a key without the scope `read`. [`Error::Invalid`] if `q` is too long.
    pub async fn recall(&self, query: MemoryQuery) -> Result<MemoryPage, Error> {
        self.call::<Recall>(Nothing {}, query).await
    }

    /// Returns the caller as the server identifies it. Useful to check URL and key.
    ///
    /// # Errors
    ///
    /// [`Error::Unreachable`] if the URL is wrong, [`Error::Unauthorized`] if the key is.
    pub async fn me(&self) -> Result<api::account::Me, Error> {
        self.call::<GetMe>(Nothing {}, Nothing {}).await
    }

    /// Declares how messages of a type are shown, by a document with its `type`, `title` and `view` or `schema`.
    /// Declaring the same document again changes nothing, so call this whenever the agent starts.
    ///
    /// # Errors
    ///
    /// [`Error::Setup`] if the document isn't an object with a `type`. [`Error::Invalid`] with the JSON pointer of the
    /// first problem. [`Error::Forbidden`] if another key or a person declared the type first.
    pub async fn declare_type(&self, document: Value) -> Result<TypeDeclared, Error> {
        let none = || Error::Setup("The document has no `type`".to_owned());
        let name = document.get("type").and_then(Value::as_str).ok_or_else(none)?.to_owned();
        let document: DeclareType = serde_json::from_value(document).map_err(|_| none())?;
        self.call::<DeclareTypeEndpoint>(TypePath { r#type: name }, document).await
    }

    /// Returns the content of a file. `blob` is the field of a FILE's item: `sha256:` and the digest in hex, or only
    /// the digest.
    ///
    /// # Errors
    ///
    /// [`Error::NotFound`] if no message that the key can read refers to it.
    pub async fn read_blob(&self, blob: &str) -> Result<Vec<u8>, Error> {
        let path = GetBlob.path([blob.strip_prefix("sha256:").unwrap_or(blob)]);
        repeat(self.patience, || self.long.get_bytes(&path)).await
    }

    /// Stores a file of up to 64 MiB with the media type `mime`. The result has the fields for a
    /// [`FileItem`](crate::FileItem). The same content is stored once.
    ///
    /// # Errors
    ///
    /// [`Error::Invalid`] if the file is too large. [`Error::Setup`] if the client has a custom transport.
    pub async fn upload(&self, bytes: &[u8], mime: &str) -> Result<BlobMade, Error> {
        let transport =
            self.transport().ok_or_else(|| Error::Setup("There is no upload without a server".to_owned()))?;
        let target = format!("{}{}", transport.base, UploadBlob::PATH);
        let send = || async {
            let request = transport.http.post(&target).timeout(LONG).header("content-type", mime).body(bytes.to_vec());
            let response = transport.authorized(request).await.map_err(|error| lost(&transport.base, &error))?;
            let answer = whole(response, &transport.base).await?;
            match answer.status {
                400.. => Err(answer.problem()),
                _ => serde_json::from_slice(&answer.body).map_err(|error| unreadable(&error.to_string())),
            }
        };
        repeat(self.patience, send).await
    }

    pub(crate) fn transport(&self) -> Option<&Reqwest> {
        self.transport.as_deref()
    }

    /// Calls an endpoint, and retries temporary failures. The input must have its ids.
    pub(crate) async fn call<E: Endpoint>(&self, path: E::Path, input: E::Input) -> Result<E::Reply, Error> {
        self.call_within::<E>(self.patience, path, input).await
    }

    pub(crate) async fn call_within<E: Endpoint>(
        &self,
        patience: Patience,
        path: E::Path,
        input: E::Input,
    ) -> Result<E::Reply, Error> {
        repeat(patience, || self.client.call_again::<E>(&path, &input)).await
    }

    /// Calls an endpoint that waits.
    pub(crate) async fn call_long<E: Endpoint>(
        &self,
        patience: Patience,
        path: E::Path,
        input: E::Input,
    ) -> Result<E::Reply, Error> {
        repeat(patience, || self.long.call_again::<E>(&path, &input)).await
    }

    /// Returns how long requests are retried.
    pub(crate) fn repeats(&self) -> Patience {
        self.patience
    }

    /// Returns the current cursor of a session's event stream.
    pub(crate) async fn cursor_of(&self, session: &str) -> Result<String, Error> {
        let path = SessionPath { session: session.to_owned() };
        Ok(self.call::<GetSession>(path, Nothing {}).await?.cursor)
    }
}

/// Returns a new id. Ids sort by time.
pub(crate) fn new_id() -> String {
    uuid::Uuid::now_v7().to_string()
}

fn variable(name: &str) -> Result<String, Error> {
    #[expect(clippy::disallowed_methods, reason = "the one place where agents' programs are told server and key")]
    std::env::var(name).map_err(|_| {
        let hint = "`verbatim serve` prints the address, `verbatim key create` makes a key";
        Error::Setup(format!("`{name}` isn't set in the environment\n{hint}"))
    })
}
