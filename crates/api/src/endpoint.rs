//! What one endpoint looks like from outside.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// Methods that the table has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads. The input is the query.
    Get,
    /// Makes something, or acts.
    Post,
    /// Sets a state: the same request again changes nothing.
    Put,
    /// Changes fields. Absent ones stay.
    Patch,
    /// Deletes, or takes back.
    Delete,
}

impl Method {
    /// Returns the method as HTTP spells it.
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

/// A route of the API, as a type.
pub trait Route {
    /// Its path, with a `{name}` for each parameter: `/v1/sessions/{session}`.
    const PATH: &'static str;

    /// Returns the path with a value for each parameter, in their order, escaped. Another number of values does not compile.
    ///
    /// ```
    /// use api::{Route as _, contract::GetSession};
    /// assert_eq!(GetSession.path(["a/b"]), "/v1/sessions/a%2Fb");
    /// ```
    fn path<const N: usize>(self, values: [&str; N]) -> String
    where
        Self: Sized,
    {
        const { assert!(parameters(Self::PATH) == N) }
        filled(Self::PATH, &values)
    }
}

const fn parameters(path: &str) -> usize {
    let (path, mut at, mut count) = (path.as_bytes(), 0, 0);
    while at < path.len() {
        if path[at] == b'{' {
            count += 1;
        }
        at += 1;
    }
    count
}

fn filled(path: &str, values: &[&str]) -> String {
    let mut values = values.iter();
    let mut filled = String::new();
    for part in path.split('/').skip(1) {
        let value = if part.starts_with('{') { values.next() } else { None };
        filled.push('/');
        filled.push_str(&value.map_or_else(|| part.to_owned(), |value| segment(value)));
    }
    filled
}

/// Returns a text as one segment of a path, escaped.
#[cfg(not(feature = "fetch"))]
pub fn segment(text: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

    /// What stays as it is: RFC 3986's unreserved characters, and what browsers let stay, so that links are equal.
    const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~')
        .remove(b'!')
        .remove(b'\'')
        .remove(b'(')
        .remove(b')')
        .remove(b'*');
    utf8_percent_encode(text, SEGMENT).to_string()
}

/// Returns a text as one segment of a path, escaped.
#[cfg(feature = "fetch")]
pub fn segment(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

/// Takes the endpoints of the table one by one, from [`each_endpoint`](crate::contract::each_endpoint): they are types, so that no
/// list can hold them.
pub trait EndpointVisitor {
    /// Takes one endpoint.
    fn visit<E: Endpoint>(&mut self);
}

/// One endpoint of the table, as a type.
pub trait Endpoint: Route {
    /// Its line of the table.
    const INFO: EndpointInfo;
    /// Parameters of the path. Each field is one `{name}` of it.
    type Path: Serialize + DeserializeOwned + Described + Send + 'static;
    /// The query of a GET, else the JSON body.
    type Input: Input;
    /// The JSON of a success.
    type Reply: Reply;
}

/// The line of an endpoint in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointInfo {
    /// Name of its method, `post_message`, and its operation's id in `OpenAPI`.
    pub name: &'static str,
    /// The topic under which it stands in the table.
    pub topic: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// `/v1/sessions/{session}`.
    pub path: &'static str,
    /// Who may call it at all. Scopes of a key are checked by the hub.
    pub access: &'static [Access],
    /// Largest request body in bytes.
    pub limit: usize,
    /// What it does, in a sentence.
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
    /// Returns the field for the header `If-Match`, which holds the revision that the writer knows. None where the
    /// request has no such field.
    fn if_match(&mut self) -> Option<&mut Option<i32>> {
        None
    }
}

/// A reply that is JSON with a status. `200` unless a type says otherwise.
pub trait Reply: Serialize + DeserializeOwned + Described + Send + 'static {
    /// What [`Reply::status`] may be; where there is no choice, what it is.
    const STATUSES: &'static [u16] = &[200];
    /// The status of this reply.
    fn status(&self) -> u16 {
        Self::STATUSES.first().copied().unwrap_or(200)
    }
    /// Returns how many writes it stands for.
    fn weight(&self) -> usize {
        1
    }
    /// Returns about how many bytes its JSON has, where they may be many: a buffer that grows is copied again and
    /// again. 0 if they are few.
    fn bytes(&self) -> usize {
        0
    }
    /// Returns whether it is the answer to an earlier request that was the same. The header `Idempotent-Replayed` says
    /// so.
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
