//! `verbatim doctor --public`: looks at the server as other machines see it, by its public URL.

use crate::door::{self, Server};
use api::account::LogIn;
use api::contract::{Events, LogInRoute, LogOut};
use api::{Nothing, Problem, Route as _, json};
use reqwest::redirect::Policy;
use reqwest::{Client, Response, Url};
use std::error::Error;
use std::time::Duration;
use tokio::time::timeout;

const PATIENCE: Duration = Duration::from_secs(10);
/// The first event comes at once. A proxy that collects an answer sends nothing until it has much of it.
const STREAM: Duration = Duration::from_secs(5);
const GUIDE: &str = "`docs/user/network.md` has settings for proxies";

/// The lines of the report, and how many of them are failures.
#[derive(Default)]
pub struct Report {
    pub lines: Vec<String>,
    pub failed: usize,
}

/// A check that failed: what it is about, and in words why.
type Failed = (&'static str, String);

impl Report {
    fn ok(&mut self, what: &str, words: &str) {
        self.lines.push(format!("ok    {what:<16} {words}"));
    }

    fn note(&mut self, what: &str, words: &str) {
        self.lines.push(format!("-     {what:<16} {words}"));
    }

    /// Checks the public URL of a running server.
    pub async fn of(server: &Server) -> Self {
        let mut report = Self::default();
        if let Err((what, words)) = report.look(server).await {
            report.failed += 1;
            report.lines.push(format!("fail  {what:<16} {words}"));
        }
        report
    }

    async fn look(&mut self, server: &Server) -> Result<(), Failed> {
        let Server::Answers(credential) = server else {
            return Err((
                "public URL",
                "no server runs on this data directory; start it with `verbatim serve`".to_owned(),
            ));
        };
        let failed = |error: &dyn Error| ("public URL", error.to_string().replace('\n', "; "));
        let verbatim = door::connect(&credential.url, &credential.key).map_err(|error| failed(error.as_ref()))?;
        // A code that this server alone knows: who takes it is this server.
        let link =
            verbatim.client().create_launch_code(Nothing {}, Nothing {}).await.map_err(|error| failed(&error))?;
        let (base, code) = link.url.split_once("/#c=").unwrap_or((&link.url, ""));
        let Some(url) = Url::parse(base).ok().filter(|url| url.scheme() == "https") else {
            let words = "the server has none; start it with `--public-url https://NAME`";
            return Err(("public URL", words.to_owned()));
        };
        let origin = url.origin().ascii_serialization();
        self.ok("public URL", base);
        self.name(&url).await?;
        let client =
            Client::builder().timeout(PATIENCE).redirect(Policy::none()).build().map_err(|error| failed(&error))?;
        let answer = client.get(format!("{base}/healthz")).send().await.map_err(|error| unreached(&error))?;
        self.ok("certificate", "it is trusted here");
        let has_hsts = answer.headers().contains_key("strict-transport-security");
        refused(answer).await?;
        let cookie = self.log_in(&client, base, &origin, code).await?;
        let streamed = self.stream(&client, base, &cookie).await;
        // It was made for these checks alone.
        let ended =
            client.post(format!("{base}{}", LogOut::PATH)).header("cookie", &cookie).header("origin", &origin).send();
        if !ended.await.is_ok_and(|answer| answer.status().is_success()) {
            self.note("log-in", "the one of these checks couldn't be ended: end it in the settings, under Devices");
        }
        streamed?;
        if has_hsts {
            self.ok("HSTS", "browsers use this name with TLS only");
        } else {
            self.note("HSTS", "the header `Strict-Transport-Security` is removed on the way");
        }
        Ok(())
    }

    async fn name(&mut self, url: &Url) -> Result<(), Failed> {
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().unwrap_or(443);
        let found = tokio::net::lookup_host((host.trim_matches(['[', ']']), port)).await;
        let found =
            found.map_err(|error| ("name", format!("{host} isn't known here: {error}; check its DNS record")))?;
        let mut addresses: Vec<String> = found.map(|address| address.ip().to_string()).collect();
        addresses.sort_unstable();
        addresses.dedup();
        self.ok("name", &format!("{host} is {}", addresses.join(", ")));
        Ok(())
    }

    /// Logs in as a browser does, and returns the cookie.
    async fn log_in(&mut self, client: &Client, base: &str, origin: &str, code: &str) -> Result<String, Failed> {
        let body = json::write(&LogIn::by_code(code)).unwrap_or_default();
        let request = client.post(format!("{base}{}", LogInRoute::PATH)).header("origin", origin);
        let request = request.header("content-type", "application/json").body(body);
        let answer = refused(request.send().await.map_err(|error| unreached(&error))?).await?;
        let cookie = answer.headers().get("set-cookie").and_then(|cookie| cookie.to_str().ok()).unwrap_or_default();
        let (pair, attributes) = cookie.split_once(';').unwrap_or((cookie, ""));
        let is_ours = ["__Host-", "__Secure-"].iter().any(|prefix| pair.starts_with(prefix));
        if !is_ours || !attributes.contains("Secure") {
            let words = "the cookie isn't `Secure`: the proxy doesn't say that it was asked by TLS, or changes cookies";
            return Err(("log-in", format!("{words}; {GUIDE}")));
        }
        self.ok("log-in", "this server takes it, and the cookie is for TLS alone");
        Ok(pair.to_owned())
    }

    async fn stream(&mut self, client: &Client, base: &str, cookie: &str) -> Result<(), Failed> {
        let request = client.get(format!("{base}{}", Events::PATH)).header("cookie", cookie);
        let collected = || {
            let words = format!("nothing came within {} seconds: a proxy collects answers", STREAM.as_secs());
            ("events", format!("{words}; {GUIDE}"))
        };
        let first = async {
            let mut answer = refused(request.send().await.map_err(|error| unreached(&error))?).await?;
            answer.chunk().await.map_err(|error| unreached(&error))
        };
        match timeout(STREAM, first).await {
            Ok(Ok(Some(_))) => {
                self.ok("events", "they come as they are sent");
                Ok(())
            }
            Ok(Err(failed)) => Err(failed),
            Ok(Ok(None)) | Err(_) => Err(collected()),
        }
    }
}

/// Returns the answer, unless it is a refusal, of the server or of a proxy.
async fn refused(answer: Response) -> Result<Response, Failed> {
    let status = answer.status();
    if status.is_success() {
        return Ok(answer);
    }
    let location = answer.headers().get("location").and_then(|location| location.to_str().ok()).map(str::to_owned);
    let problem: Option<Problem> = json::read(&answer.bytes().await.unwrap_or_default()).ok();
    let words = match (problem.as_ref().map(|problem| &*problem.code), status.as_u16()) {
        (Some("wrong_host"), _) => {
            format!("the server was asked for another name: the proxy doesn't keep `Host`; {GUIDE}")
        }
        (Some("foreign_origin"), _) => format!("the server was asked for another name than pages have; {GUIDE}"),
        (Some(code), _) => format!("{status}, `{code}`"),
        (None, 502..=504) => {
            format!("{status}: the proxy doesn't reach the server, which listens elsewhere or not at all")
        }
        (None, 300..=399) => format!("{status}: it leads to {}; {GUIDE}", location.unwrap_or_default()),
        (None, _) => format!("{status}, which isn't an answer of this server: another program has the address"),
    };
    Err(("server", words))
}

/// A request without an answer: what stands in the way.
fn unreached(error: &reqwest::Error) -> Failed {
    let words = anyhow::Chain::new(error).last().map(ToString::to_string).unwrap_or_default();
    if words.contains("certificate") {
        let hint = "check `--tls-cert`, or trust the authority here: `SSL_CERT_FILE` names a file with it";
        return ("certificate", format!("{words}; {hint}"));
    }
    let hint = "check the address, firewalls, and that the server or its proxy listens there";
    ("server", format!("{words}; {hint}"))
}
