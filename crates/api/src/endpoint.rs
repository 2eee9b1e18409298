//! The types that describe an endpoint.

use serde::{Deserialize, Serialize, de::DeserializeOwned};

/// HTTP methods of endpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Reads. The input is the query.
    Get,
    /// Creates something, or runs an action.
    Post,
    /// Sets a state. Repeating the request changes nothing.
    Put,
    /// Changes fields. Absent fields stay unchanged.
    Patch,
    /// Deletes or retracts.
    Delete,
}

impl Method {
    /// Returns the HTTP name of the method.
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

/// The kinds of callers. A role includes the greater ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Access {
    /// A person who logged in, whatever their role.
    Viewer,
    /// A person with the role member or owner.
    Member,
    /// A person with the role owner.
    Owner,
    /// A command on this machine that uses the server's credential file.
    Local,
    /// An agent with a key, in its own sessions.
    Agent,
}

/// Requires a JSON Schema if the feature `schema` is enabled.
#[cfg(feature = "schema")]
pub trait Described: schemars::JsonSchema {}
#[cfg(feature = "schema")]
impl<T: schemars::JsonSchema> Described for T {}
/// Requires a JSON Schema if the feature `schema` is enabled.
#[cfg(not(feature = "schema"))]
pub trait Described {}
#[cfg(not(feature = "schema"))]
impl<T> Described for T {}

/// A route of the API, as a type.
pub trait Route {
    /// Its path, with a `{name}` for each parameter: `/v1/sessions/{session}`.
    const PATH: &'static str;

    /// Returns the path with its parameters replaced by `values`, in order and escaped. A wrong number of values
    /// doesn't compile.
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

/// Escapes a string as one segment of a path.
#[cfg(not(feature = "fetch"))]
pub fn segment(text: &str) -> String {
    use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

    /// The characters that aren't escaped: RFC 3986's unreserved characters and those that browsers keep, so that links
    /// are equal.
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

/// Escapes a string as one segment of a path.
#[cfg(feature = "fetch")]
pub fn segment(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

/// Visitor of the endpoint table, for [`each_endpoint`](crate::contract::each_endpoint). Endpoints are types, so that
/// they can't be in a list.
pub trait EndpointVisitor {
    /// Visits one endpoint.
    fn visit<E: Endpoint>(&mut self);
}

/// One endpoint of the table, as a type.
pub trait Endpoint: Route {
    /// Its row of the table.
    const INFO: EndpointInfo;
    /// Path parameters. Each field is one `{name}` of the path.
    type Path: Serialize + DeserializeOwned + Described + Send + 'static;
    /// The query of a GET, otherwise the JSON body.
    type Input: Input;
    /// JSON reply of a successful request.
    type Reply: Reply;
}

/// The row of an endpoint in the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EndpointInfo {
    /// Name of its method and its `OpenAPI` operation id: `post_message`.
    pub name: &'static str,
    /// Its topic in the table.
    pub topic: &'static str,
    /// The HTTP method.
    pub method: Method,
    /// Path with parameters: `/v1/sessions/{session}`.
    pub path: &'static str,
    /// The callers that may use it. The hub also checks the scopes of a key.
    pub access: &'static [Access],
    /// Largest request body in bytes.
    pub limit: usize,
    /// Description.
    pub doc: &'static str,
}

/// Input of a request: the query of a GET, otherwise a JSON body.
pub trait Input: Serialize + DeserializeOwned + Described + Send + 'static {
    /// Example of the JSON body. Empty if there is no body, or an empty one is enough.
    const EXAMPLE: &'static str = "";
    /// Error statuses that only this request has.
    const REFUSALS: &'static [u16] = &[];
    /// True if [`Input::if_match`] has a field for the header.
    const IF_MATCH: bool = false;
    /// Returns the field for the `If-Match` header, the revision that the caller knows. None if the request has no such
    /// field.
    fn if_match(&mut self) -> Option<&mut Option<i32>> {
        None
    }
}

/// A JSON reply with a status, `200` by default.
pub trait Reply: Serialize + DeserializeOwned + Described + Send + 'static {
    /// The statuses that [`Reply::status`] can return.
    const STATUSES: &'static [u16] = &[200];
    /// The status of this reply.
    fn status(&self) -> u16 {
        Self::STATUSES.first().copied().unwrap_or(200)
    }
    /// Returns the number of writes that the request counts as.
    fn weight(&self) -> usize {
        1
    }
    /// Returns the approximate size of the JSON in bytes, to allocate a buffer at once. 0 if it is small.
    fn bytes(&self) -> usize {
        0
    }
    /// Returns true if the reply repeats the result of an identical earlier request. The response then has the header
    /// `Idempotent-Replayed`.
    fn replayed(&self) -> bool {
        false
    }
}

/// No path parameters, no input, or an empty reply: `{}`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nothing {}
impl Input for Nothing {}
impl Reply for Nothing {}
