//! What one endpoint looks like from outside.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }
}

/// Who may call an endpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A person who logged in with the browser.
    Owner,
    /// A command on this machine that holds the server's credential file.
    Local,
    /// An agent with a key, on its own sessions.
    Agent,
}

/// Has a JSON Schema, where the feature `schema` asks for it.
#[cfg(feature = "schema")]
pub trait Described: schemars::JsonSchema {}
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> Described for T {}
/// Has a JSON Schema, where the feature `schema` asks for it.
#[cfg(not(feature = "schema"))]
pub trait Described {}
#[cfg(not(feature = "schema"))]
impl<T> Described for T {}

/// One endpoint of the table, as a type.
pub trait Endpoint {
    const INFO: EndpointInfo;
    type Path: Serialize + DeserializeOwned + Described + Send + 'static;
    type Input: Input;
    type Reply: Reply;
}

/// What is said of an endpoint in its line of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointInfo {
    pub name: &'static str,
    pub method: Method,
    pub path: &'static str,
    pub access: &'static [Access],
    /// Largest request body in bytes.
    pub limit: usize,
    pub doc: &'static str,
}

/// What a request holds: the query of a GET, else a JSON body.
pub trait Input: Serialize + DeserializeOwned + Described + Send + 'static {
    /// A body as somebody would send it: JSON. Empty where the request has none, or nothing that needs saying.
    const EXAMPLE: &'static str = "";
    /// Statuses of refusals that only this request knows.
    const REFUSALS: &'static [u16] = &[];
    /// Whether [`Input::if_match`] has a place for the header.
    const IF_MATCH: bool = false;
    /// Where the header `If-Match` goes, which says the revision that the writer knows.
    fn if_match(&mut self) -> Option<&mut Option<i32>> {
        None
    }
}

/// A reply that is JSON with a status. `200` unless a type says otherwise.
pub trait Reply: Serialize + DeserializeOwned + Described + Send + 'static {
    /// What [`Reply::status`] may be; where there is no choice, what it is.
    const STATUSES: &'static [u16] = &[200];
    fn status(&self) -> u16 {
        Self::STATUSES.first().copied().unwrap_or(200)
    }
    /// How many writes it stands for.
    fn weight(&self) -> usize {
        1
    }
    /// Bytes of its JSON, about, where they may be many: a buffer that grows is copied again and again.
    fn bytes(&self) -> usize {
        0
    }
    /// The answer to an earlier request that was the same. Told by the header `Idempotent-Replayed`.
    fn replayed(&self) -> bool {
        false
    }
}

/// No path parameters, no input, or an empty answer: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nothing {}
impl Input for Nothing {}
impl Reply for Nothing {}
