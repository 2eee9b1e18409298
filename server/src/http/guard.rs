//! The checks before any handler: Host, Origin, credential. A credential becomes a [`hub::Scoped`]; handlers read only
//! that.

use super::long_requests::LongRequests;
use super::rate::Rate;
use super::slots::{Holder, Seat};
use super::{Shared, login, page_data, pages};
use crate::public_url::PublicUrl;
use crate::reach::{LOCAL_NAMES, Reach};
use api::account::{READER_HEADER, READER_MODEL, SECRET_HEADER};
use api::serve::{Held, Weight, discard};
use api::{Access, Api as _, Problem, ProblemCode};
use app::shared::FROM_OUTSIDE;
use axum::Extension;
use axum::extract::{Request, State};
use axum::http::{Extensions, HeaderMap, HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};
use hub::account::login::Grant;
use hub::{Caller, Hub, Scoped, Surface};
use std::net::SocketAddr;
use std::sync::Arc;

/// Data that the checks compare with.
#[derive(Clone)]
pub struct Doors {
    pub hub: Hub,
    pub site: Shared,
    key: Arc<str>,
    /// `127.0.0.1:7117`, `localhost:7117`, `[::1]:7117`: another name that leads here is an attack (DNS rebinding).
    hosts: Arc<[String]>,
    public: Option<PublicUrl>,
    /// The log-in's, by the names of this machine and by the public one. Cookies don't know ports: two servers on one machine
    /// need two names.
    cookies: [Arc<str>; 2],
    /// The header in which a proxy names a person. Requests that don't come from the proxy have it no more.
    user_header: Option<HeaderName>,
    rate: Rate,
    /// Waits of each key for what people write.
    waits: LongRequests,
}

/// Waits of one key at a time.
const WAITS: usize = 256;

/// How a request names the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Name {
    /// By a name that means this machine alone, without TLS.
    Local,
    /// By the public URL, always with TLS.
    Public,
}

impl Doors {
    pub fn new(hub: Hub, key: &str, address: SocketAddr, reach: &Reach, site: Shared, rate: Rate) -> Self {
        let (public, user_header) = (reach.url.clone(), reach.user_header.clone());
        let port = address.port();
        let mut hosts: Vec<String> = LOCAL_NAMES.iter().map(|name| format!("{name}:{port}")).collect();
        if !address.ip().is_unspecified() {
            hosts.push(address.to_string());
        }
        let local = format!("verbatim_{port}");
        let cookies = [local.clone(), public.as_ref().map_or(local, PublicUrl::cookie)].map(Into::into);
        let (key, hosts, waits) = (key.into(), hosts.into(), LongRequests::default());
        Self { hub, site, key, hosts, public, cookies, user_header, rate, waits }
    }

    fn name(&self, host: &str) -> Option<Name> {
        if self.hosts.iter().any(|known| known.eq_ignore_ascii_case(host)) {
            return Some(Name::Local);
        }
        self.public.as_ref().filter(|url| url.is_host(host)).map(|_| Name::Public)
    }

    /// Returns the name by which a request came that was let in.
    pub fn name_in(&self, headers: &HeaderMap) -> Name {
        text(headers, header::HOST.as_str()).and_then(|host| self.name(host)).unwrap_or(Name::Local)
    }

    /// Returns the name of the log-in's cookie.
    pub fn cookie(&self, name: Name) -> &str {
        let [local, public] = &self.cookies;
        match name {
            Name::Local => local,
            Name::Public => public,
        }
    }

    /// Returns the path that the log-in's cookie is for: other servers of the host don't get it.
    pub fn cookie_path(&self) -> &str {
        self.public.as_ref().map(PublicUrl::base).filter(|base| !base.is_empty()).unwrap_or("/")
    }

    /// Returns the name of the person whom a proxy let in.
    pub fn named_by_proxy<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        text(headers, self.user_header.as_ref()?.as_str()).map(str::trim).filter(|name| !name.is_empty())
    }

    /// Returns the token of the log-in that a request shows.
    pub fn token<'a>(&self, headers: &'a HeaderMap) -> Option<&'a str> {
        cookie(headers, self.cookie(self.name_in(headers)))
    }
}

/// Refuses requests for other hosts, and requests from pages of other sites.
pub async fn check_origin(State(doors): State<Doors>, request: Request, next: Next) -> Response {
    let Some(name) = name(&doors, &request) else {
        let problem = Problem::new(ProblemCode::WrongHost, "This server doesn't serve this host name");
        let hint = match &doors.public {
            Some(url) => format!("Use {url}, or the link from `verbatim open`"),
            None => {
                "Use the link from `verbatim open`. For another name, start the server with `--public-url`".to_owned()
            }
        };
        return refuse(request, problem.hint(hint));
    };
    if let Err(problem) = same_origin(&doors, name, &request) {
        return refuse(request, problem);
    }
    match without_nul(request.uri()) {
        Ok(()) if from_outside(&request) => login::marked(request.uri()),
        Ok(()) => next.run(request).await,
        Err(problem) if is_page(request.uri()) => refuse_page(&doors, request, &pages::not_understood(problem)).await,
        Err(problem) => refuse(request, problem),
    }
}

/// Returns the name by which a request comes: all of them, should there be several, since who else reads the request may take
/// another than we do. A target that names a host itself is meant for that one, whatever the header says.
fn name(doors: &Doors, request: &Request) -> Option<Name> {
    let hosts = request.headers().get_all(header::HOST).into_iter().map(|host| host.to_str().ok());
    let target = request.uri().authority().map(|authority| Some(authority.as_str()));
    let mut names = hosts.chain(target).map(|host| doors.name(host?));
    let first = names.next()??;
    names.all(|name| name == Some(first)).then_some(first)
}

/// Returns true for the URL of a whole page, rather than a part of one or data.
fn is_page(uri: &Uri) -> bool {
    !["/v1/", "/fragments/", "/api/", "/metrics", "/mcp"].iter().any(|prefix| uri.path().starts_with(prefix))
}

/// The rail lists sessions: it is for who is logged in.
async fn refuse_page(doors: &Doors, request: Request, problem: &Problem) -> Response {
    let (head, body) = request.into_parts();
    discard(body);
    match caller(doors, &head.headers).await {
        Ok(Some((caller @ Caller::User(_), _))) => {
            let site = doors.site.of(&Scoped::new(doors.hub.clone(), caller));
            pages::refusal(&site, &head.headers, problem).await
        }
        _ => page_data::problem_page(&doors.site, &head.headers, problem),
    }
}

/// Before anybody looked at the body.
fn refuse(request: Request, problem: Problem) -> Response {
    discard(request.into_body());
    problem.into_response()
}

/// No name holds a NUL, and PostgreSQL takes none: asked for on either engine, it is refused before anybody looks.
fn without_nul(uri: &Uri) -> Result<(), Problem> {
    let nul = |text: &str| text.contains("%00");
    let named = uri.query().unwrap_or_default().split('&').find(|pair| nul(pair));
    let field = match named {
        Some(pair) => pair.split('=').next().filter(|name| !nul(name)).unwrap_or("query"),
        None if nul(uri.path()) => "path",
        None => return Ok(()),
    };
    Err(Problem::field(field, "a string without NUL characters"))
}

fn same_origin(doors: &Doors, name: Name, request: &Request) -> Result<(), Problem> {
    let foreign = || Problem::new(ProblemCode::ForeignOrigin, "Requests from other sites are refused");
    let headers = request.headers();
    let reads = reads(request.method());
    let site = text(headers, "sec-fetch-site");
    let navigates = text(headers, "sec-fetch-mode") == Some("navigate");
    // A link from elsewhere may open a page: it changes nothing, and the strict cookie doesn't come along.
    if site.is_some_and(|site| site != "same-origin" && site != "none") && !(reads && navigates) {
        return Err(foreign());
    }
    let ours = |origin: &str| match name {
        Name::Local => origin.strip_prefix("http://").is_some_and(|host| doors.hosts.iter().any(|known| known == host)),
        Name::Public => doors.public.as_ref().is_some_and(|url| url.origin() == origin),
    };
    if !headers.get_all(header::ORIGIN).into_iter().all(|origin| origin.to_str().is_ok_and(ours)) {
        return Err(foreign());
    }
    // A browser says at least one of the two when it sends something. Commands show a key, not a cookie.
    let by_browser = headers.contains_key(header::COOKIE) && !headers.contains_key(header::AUTHORIZATION);
    if !reads && by_browser && !headers.contains_key(header::ORIGIN) && site.is_none() {
        return Err(foreign());
    }
    Ok(())
}

/// Opens another site, or another server of this machine, a page here whose address doesn't say so yet? What was typed,
/// a bookmark and the printed link come from no site.
fn from_outside(request: &Request) -> bool {
    let headers = request.headers();
    let site = text(headers, "sec-fetch-site");
    let opens =
        reads(request.method()) && text(headers, "sec-fetch-mode") == Some("navigate") && is_page(request.uri());
    let mark = (FROM_OUTSIDE, "1");
    let is_marked = |query: &str| query.split('&').any(|pair| pair.split_once('=') == Some(mark));
    opens
        && site.is_some_and(|site| !matches!(site, "same-origin" | "none"))
        && !request.uri().query().is_some_and(is_marked)
}

/// No endpoint changes anything by these.
fn reads(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// Credential of a caller, for streams that must end when it is revoked.
#[derive(Clone)]
pub enum Credential {
    /// The token of a log-in, what it may do by what came with it, and where it was made.
    LogIn(Arc<str>, Grant, Surface),
    /// The id of an agent's key.
    Key(String),
    /// This machine's credential file: it holds as long as the server runs.
    Machine,
}

impl Credential {
    /// A browser sends its cookie to every server of its host, whatever the port; the others go where they are sent.
    pub fn may_change(&self) -> bool {
        !matches!(self, Self::LogIn(_, Grant::Read, _))
    }
}

/// Requires the second secret for requests that change something, on any route.
pub async fn confirmed(Extension(credential): Extension<Credential>, request: Request, next: Next) -> Response {
    if reads(request.method()) || credential.may_change() {
        return next.run(request).await;
    }
    let problem = Problem::new(ProblemCode::SecretMissing, "This log-in can only read");
    refuse(request, problem.hint("Log in again with the link from `verbatim open`"))
}

/// For routes that show everything, or change what is everybody's: no agent.
pub async fn people(Extension(scoped): Extension<Scoped>, request: Request, next: Next) -> Response {
    match scoped.authorize(&[Access::Viewer, Access::Local]) {
        Ok(()) => next.run(request).await,
        Err(problem) => refuse(request, problem),
    }
}

/// Authenticates a request. Without a credential, a page redirects to the log-in page, and everything else is a 401.
pub async fn authenticate(State(doors): State<Doors>, mut request: Request, next: Next) -> Response {
    match caller(&doors, request.headers()).await {
        Ok(Some((caller, credential))) => {
            if let Err(problem) = seat(request.extensions(), &caller) {
                return closing(refuse(request, problem));
            }
            let writes = caller.key_id().filter(|_| *request.method() != Method::GET).map(str::to_owned);
            if let Some(key) = &writes
                && let Err(problem) = doors.rate.take(key)
            {
                return refuse(request, problem);
            }
            let waits = caller.key_id().filter(|_| request.uri().path().ends_with("/pending"));
            let wait =
                waits.map(|key| doors.waits.take(key, WAITS, ProblemCode::TooManyWaits, "waits for what people write"));
            let _wait = match wait.transpose() {
                Ok(place) => place,
                Err(problem) => return refuse(request, problem),
            };
            let mut scoped = Scoped::new(doors.hub.clone(), caller);
            scoped.is_for_model = match text(request.headers(), READER_HEADER) {
                None => false,
                Some(READER_MODEL) => true,
                Some(_) => return refuse(request, Problem::field(READER_HEADER, "`model`, or absent")),
            };
            if let Credential::LogIn(token, _, surface) = &credential {
                scoped.login = Some(hub::account::login::id(token).into());
                scoped.surface = *surface;
            }
            request.extensions_mut().insert(credential);
            request.extensions_mut().insert(scoped);
            let answer = next.run(request).await;
            // How many they were is known once they are read: those that come after wait the longer.
            if let (Some(key), Some(Weight(writes))) = (writes, answer.extensions().get()) {
                doors.rate.owe(&key, writes.saturating_sub(1));
            }
            answer
        }
        Ok(None) => {
            if is_page(request.uri()) {
                login::redirect(request.uri())
            } else {
                let problem = unknown(request.headers());
                refuse(request, problem)
            }
        }
        Err(problem) => refuse(request, problem),
    }
}

/// A program and a person are told different things.
fn unknown(headers: &HeaderMap) -> Problem {
    if let Some(authorization) = headers.get(header::AUTHORIZATION) {
        let scheme = authorization.as_bytes().get(.."Bearer ".len()).unwrap_or_default();
        if !scheme.eq_ignore_ascii_case(b"Bearer ") {
            return Problem::new(ProblemCode::KeyRefused, "The `Authorization` header has no key")
                .hint("Send `Authorization: Bearer KEY`");
        }
        return Problem::new(ProblemCode::KeyRefused, "The key is unknown, expired or revoked")
            .hint("Create a new key: `verbatim key create`");
    }
    Problem::new(ProblemCode::NotLoggedIn, "A log-in is required").hint(
        "In a browser, use the link from `verbatim open`. In a program, send the `Authorization: Bearer KEY` header",
    )
}

pub async fn caller(doors: &Doors, headers: &HeaderMap) -> Result<Option<(Caller, Credential)>, Problem> {
    if let Some(authorization) = text(headers, header::AUTHORIZATION.as_str()) {
        let (scheme, key) = authorization.split_once(' ').unwrap_or_default();
        let key = if scheme.eq_ignore_ascii_case("bearer") { key.trim() } else { "" };
        if hub::account::login::same_secret(key, &doors.key) {
            return Ok(Some((Caller::Local, Credential::Machine)));
        }
        let agent = doors.hub.agent(key).await?;
        return Ok(agent.and_then(|caller| {
            let credential = Credential::Key(caller.key_id()?.to_owned());
            Some((caller, credential))
        }));
    }
    let Some(token) = doors.token(headers) else { return Ok(None) };
    let known = doors.hub.logged_in(token, text(headers, SECRET_HEADER)).await?;
    // The proxy's user may have changed in this browser.
    let known = known.filter(|known| doors.named_by_proxy(headers).is_none_or(|name| known.user.is_called(name)));
    Ok(known.map(|known| (Caller::User(known.user), Credential::LogIn(token.into(), known.grant, known.surface))))
}

/// Notes who sends a request: whose connection it is, and who is charged for its body.
///
/// # Errors
///
/// 429 if the caller holds too many connections already.
pub fn seat(request: &Extensions, caller: &Caller) -> Result<(), Problem> {
    let holder = match caller.key_id() {
        Some(id) => {
            if let Some(held) = request.get::<Held>() {
                held.belongs_to(id);
            }
            Holder::Key(id.into())
        }
        None => Holder::Owner,
    };
    request.get::<Seat>().map_or(Ok(()), |seat| seat.belongs_to(holder))
}

/// The answer, after which the connection ends.
pub fn closing(mut answer: Response) -> Response {
    answer.headers_mut().insert(header::CONNECTION, HeaderValue::from_static("close"));
    answer
}

pub async fn not_found(State(doors): State<Doors>, request: Request) -> Response {
    if request.uri().path().starts_with("/v1/") {
        return refuse(request, Problem::not_found("endpoint"));
    }
    refuse_page(&doors, request, &Problem::not_found("page")).await
}

/// A path of ours, by a method that it hasn't.
pub async fn not_allowed(request: Request) -> Response {
    let title = format!("This path doesn't support {}", request.method());
    let problem = Problem::new(ProblemCode::MethodNotAllowed, title);
    refuse(request, problem.hint("The `Allow` header lists the supported methods"))
}

pub fn cookie<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    let all = headers.get_all(header::COOKIE).into_iter().filter_map(|value| value.to_str().ok());
    all.flat_map(|line| line.split(';')).find_map(|pair| {
        let (key, value) = pair.trim().split_once('=')?;
        (key == name).then_some(value)
    })
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok())
}
