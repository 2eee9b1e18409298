//! Log-in: a one-time code, a password or a passkey becomes a cookie's token and a second secret. Only hashes are kept.
//!
//! Cookies know no ports, so that other servers of this machine get the token as well. With it alone a log-in reads;
//! what changes something takes the second secret, which pages keep where only they can read it.

use crate::basics::line::is_line;
use crate::basics::problem::report;
use crate::basics::{clock, hex, problem};
use crate::caller::{Surface, User};
use crate::context::{Hub, Scoped, TopicState};
use api::account::{LogIn, NewPairing, Pairing};
use api::{Problem, ProblemCode};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use model::audit::Actor;
use model::{Micros, browser};
use qrcode::QrCode;
use qrcode::render::svg;
use sha2::{Digest as _, Sha256};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use store::people::OWNER;
use store::{Login, StoreError, Workspace};
use subtle::ConstantTimeEq as _;
use tokio::time::Instant;

/// Characters of a device's name.
const NAME_CHARS: usize = 60;
const CODE_LIFE: Duration = Duration::from_mins(15);
const IDLE_LIFE: i64 = 7 * 24 * 3600 * Micros::SECOND;
/// Seconds that a log-in lasts at most.
pub const ABSOLUTE_LIFE_SECONDS: i64 = 30 * 24 * 3600;
/// How long a log-in is new, in microseconds.
const FRESH: i64 = 15 * 60 * Micros::SECOND;
/// Wrong codes in [`COUNTED`].
const ATTEMPTS: usize = 5;
const COUNTED: Duration = Duration::from_mins(1);

/// Codes that wait for a browser, and when the last wrong ones came.
#[derive(Default)]
pub struct Logins(Mutex<Waiting>);

struct Code {
    hash: Vec<u8>,
    /// By a clock that nobody sets.
    expires: Instant,
    /// What the log-in will be called, unless it is called as its browser.
    label: Option<String>,
    /// Id of the person who logs in.
    person: String,
}

#[derive(Default)]
struct Waiting {
    codes: Vec<Code>,
    wrong: Vec<Instant>,
    /// Log-ins of a database that can't be written to. They hold until the server ends.
    unsaved: Vec<Login>,
}

impl Waiting {
    fn take(&mut self, code: &str, now: Instant) -> Option<Code> {
        self.codes.retain(|code| code.expires > now);
        let given = hash(code);
        let index = self.codes.iter().position(|known| known.hash.ct_eq(&given).into())?;
        Some(self.codes.swap_remove(index))
    }

    /// Counts a wrong code. Wrong ones alone are limited: 256 bits can't be guessed, and who guesses shuts nobody out.
    fn count_wrong(&mut self, now: Instant) -> Problem {
        self.wrong.retain(|at| now.duration_since(*at) < COUNTED);
        if self.wrong.len() >= ATTEMPTS {
            let problem = Problem::new(ProblemCode::TooManyAttempts, "Too many wrong codes");
            return Problem { retry_after: Some(60), ..problem.hint("Wait a minute") };
        }
        self.wrong.push(now);
        let problem = Problem::new(ProblemCode::InvalidCode, "This link was already used, or has expired");
        problem.hint("Run `verbatim open` for a new link, or ask who invited you for another invitation")
    }
}

/// Who tries to log in.
#[derive(Debug, Clone, Default)]
pub struct LogInAttempt {
    /// What the log-in will be called, unless it has a name of its own: what the browser says of itself.
    pub label: String,
    /// Where the request comes from, if that is known.
    pub from: Option<IpAddr>,
}

/// The result of a log-in.
#[derive(Debug)]
pub struct LoggedIn {
    /// Goes into a cookie.
    pub token: String,
    /// Goes into no cookie: the page keeps it, and shows it with what changes something.
    pub secret: String,
}

/// A log-in that holds.
#[derive(Debug, Clone)]
pub struct KnownLogIn {
    pub grant: Grant,
    pub surface: Surface,
    pub user: Arc<User>,
}

/// Permissions of a log-in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Grant {
    /// Read: the token was shown without the second secret.
    Read,
    /// Everything that people may.
    Change,
}

/// 256 random bits in URL characters.
pub fn secret() -> Result<String, Problem> {
    bytes::<32>().map(|bytes| URL_SAFE_NO_PAD.encode(bytes))
}

/// So many random bytes.
pub fn bytes<const N: usize>() -> Result<[u8; N], Problem> {
    let mut bytes = [0_u8; N];
    getrandom::fill(&mut bytes).map_err(|error| {
        tracing::error!(%error, "no randomness");
        Problem::internal()
    })?;
    Ok(bytes)
}

/// A name for what has no other: 40 random bits in hex.
pub fn short_id() -> Result<String, Problem> {
    bytes::<5>().map(|bytes| hex(&bytes))
}

/// Returns true if two secrets are equal. Takes the same time whatever they hold.
pub fn same_secret(a: &str, b: &str) -> bool {
    hash(a).ct_eq(&hash(b)).into()
}

/// Names the log-in of a token: a piece of its hash, which opens nothing.
pub fn id(token: &str) -> String {
    id_of_hash(&hex(&hash(token))).to_owned()
}

pub(crate) fn id_of_hash(hash: &str) -> &str {
    Login::id_of(hash)
}

/// Returns true if the log-in hasn't expired.
pub(crate) fn holds(login: &Login, now: Micros) -> bool {
    login.expires_at > now && now.since(login.last_used_at) <= IDLE_LIFE
}

/// Checks that the caller has just logged in, before it is changed how they do.
///
/// # Errors
///
/// 403 if the caller's log-in is older than 15 minutes.
pub(crate) async fn require_fresh(scoped: &Scoped) -> Result<(), Problem> {
    let login = match &scoped.login {
        Some(id) => scoped.hub.login_of_id(id).await?,
        None => None,
    };
    if login.is_some_and(|login| login.created_at.is_within(FRESH, clock::now())) {
        return Ok(());
    }
    let problem = Problem::new(ProblemCode::LogInAgain, "This takes a log-in of the last 15 minutes");
    Err(problem.hint("Log in again, then repeat it"))
}

fn grant(login: &Login, secret: Option<&str>) -> Grant {
    let given = secret.map(|secret| hex(&hash(secret)));
    match (&login.secret_hash, given) {
        (Some(known), Some(given)) if known.as_bytes().ct_eq(given.as_bytes()).into() => Grant::Change,
        _ => Grant::Read,
    }
}

pub(crate) fn hash(secret: &str) -> Vec<u8> {
    Sha256::digest(secret.as_bytes()).to_vec()
}

impl TopicState for Logins {}

impl Hub {
    /// A code with which one browser of a person logs in within 15 minutes.
    pub fn create_code(&self, person: &str, label: Option<String>) -> Result<String, Problem> {
        let code = secret()?;
        self.waiting().codes.push(Code {
            hash: hash(&code),
            expires: Instant::now() + CODE_LIFE,
            label,
            person: person.to_owned(),
        });
        Ok(code)
    }

    /// The link that opens the dashboard. The code is in the fragment, which browsers never send.
    pub fn launch_url(&self) -> Result<String, Problem> {
        Ok(format!("{}/#c={}", self.settings.base_url, self.create_code(OWNER, None)?))
    }

    /// The link that logs in another device of a person, which may have a name of its own. It opens with what waits: that
    /// page offers to notify, and to install the app.
    pub fn pair(&self, person: &str, input: NewPairing) -> Result<Pairing, Problem> {
        if !self.settings.is_public() {
            let problem = Problem::new(ProblemCode::NoPublicUrl, "Other devices can't reach this server");
            return Err(problem.hint("Start it with `--public-url`; `docs/user/network.md` says what else is needed"));
        }
        let name = input.name.map(|name| name.trim().to_owned());
        if name.as_ref().is_some_and(|name| !is_line(name, NAME_CHARS)) {
            return Err(Problem::field("/name", &format!("one line of 1 to {NAME_CHARS} characters, or absent")));
        }
        let code = self.create_code(person, name)?;
        self.link("/inbox", &code, Micros(clock::now().0 + CODE_LIFE.as_micros() as i64))
    }

    /// A link to a page that logs in by a code, also as a picture.
    pub(crate) fn link(&self, page: &str, code: &str, expires_at: Micros) -> Result<Pairing, Problem> {
        let url = format!("{}{page}#c={code}", self.settings.base_url);
        // A host has 253 characters at most, and a code ten times as many.
        let code = QrCode::new(&url).map_err(|_| Problem::internal())?;
        let image = code.render::<svg::Color<'_>>().build();
        let qr = format!("data:image/svg+xml;base64,{}", STANDARD.encode(image));
        Ok(Pairing { url, qr, expires_at })
    }

    /// Trades a code, a password or a passkey's answer for a token and its second secret.
    pub async fn log_in(&self, given: &LogIn, attempt: &LogInAttempt) -> Result<LoggedIn, Problem> {
        let now = clock::now();
        let (person, named) = match self.prove(given, attempt, now).await {
            Ok(proven) => proven,
            Err(problem) => {
                if matches!(problem.status, 401 | 429) {
                    self.count_refusal().await;
                }
                return Err(problem);
            }
        };
        let (token, secret) = (secret()?, secret()?);
        let expires_at = Micros(now.0 + ABSOLUTE_LIFE_SECONDS * Micros::SECOND);
        let label = named.unwrap_or_else(|| attempt.label.chars().take(200).collect());
        let login = Login {
            hash: hex(&hash(&token)),
            created_at: now,
            expires_at,
            last_used_at: now,
            label,
            secret_hash: Some(hex(&hash(&secret))),
            person,
        };
        report(self.signed().delete_expired_logins(now).await.map(drop));
        let browser = browser::name(&login.label);
        let name = self.user(&login.person).await?.and_then(|user| user.name);
        let who = Actor::Owner { login: id_of_hash(&login.hash).to_owned(), browser, name };
        match self.workspace.signed(who, now).put_login(&login).await {
            Ok(()) => {}
            // Whoever is to repair the database, or to make room, has to get in.
            Err(
                error @ (StoreError::Protected(_)
                | StoreError::Damaged(_)
                | StoreError::Full
                | StoreError::Disk(_)
                | StoreError::ReadOnly),
            ) => {
                tracing::warn!(%error, "a log-in can't be stored: it holds until the server ends");
                self.waiting().unsaved.push(login);
            }
            Err(error) => return Err(problem(error)),
        }
        Ok(LoggedIn { token, secret })
    }

    fn waiting(&self) -> MutexGuard<'_, Waiting> {
        self.state::<Logins>().0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn login(&self, hash: &str) -> Result<Option<Login>, Problem> {
        let unsaved = self.waiting().unsaved.iter().find(|login| login.hash == hash).cloned();
        match unsaved {
            Some(login) => Ok(Some(login)),
            None => self.workspace.login(hash).await.map_err(problem),
        }
    }

    /// Returns the log-in with an id, unless it has ended.
    async fn login_of_id(&self, id: &str) -> Result<Option<Login>, Problem> {
        Ok(self.all_logins().await?.into_iter().find(|login| id_of_hash(&login.hash) == id))
    }

    /// All log-ins, last used first; those that couldn't be stored come first.
    pub(crate) async fn all_logins(&self) -> Result<Vec<Login>, Problem> {
        let mut logins = self.waiting().unsaved.clone();
        logins.extend(self.workspace.logins().await.map_err(problem)?);
        Ok(logins)
    }

    /// The log-ins that haven't expired, in the same order.
    pub(crate) async fn holding_logins(&self) -> Result<Vec<Login>, Problem> {
        let now = clock::now();
        Ok(self.all_logins().await?.into_iter().filter(|login| holds(login, now)).collect())
    }

    async fn delete_login(&self, by: &Workspace, hash: &str) -> Result<(), Problem> {
        let mut found = false;
        self.waiting().unsaved.retain(|login| {
            found |= login.hash == hash;
            login.hash != hash
        });
        if found { Ok(()) } else { by.delete_login(hash).await.map_err(problem) }
    }

    /// Returns who logs in, and what the log-in will be called if it has a name of its own.
    async fn prove(
        &self,
        given: &LogIn,
        attempt: &LogInAttempt,
        now: Micros,
    ) -> Result<(String, Option<String>), Problem> {
        match given {
            LogIn { code: Some(code), name: None, password: None, passkey: None } => self.spend(code, now).await,
            LogIn { code: None, name: Some(name), password: Some(password), passkey: None } => {
                Ok((self.person_by_password(name, password, attempt).await?, None))
            }
            LogIn { code: None, name: None, password: None, passkey: Some(answer) } => {
                Ok((self.person_by_passkey(answer).await?, None))
            }
            LogIn { code: None, name: Some(_), password: None, passkey: None } => {
                Err(Problem::field("/password", "the password of the person"))
            }
            LogIn { code: None, name: None, password: Some(_), passkey: None } => {
                Err(Problem::field("/name", "the name of the person"))
            }
            _ => Err(Problem::field("/code", "a code, or instead `name` and `password`, or `passkey`")),
        }
    }

    /// Spends a code of a link. Returns whose it was.
    pub fn take_code(&self, code: &str) -> Option<String> {
        self.waiting().take(code, Instant::now()).map(|code| code.person)
    }

    /// Spends a code, or an invitation. Returns whose it is, and what the log-in will be called.
    async fn spend(&self, code: &str, now: Micros) -> Result<(String, Option<String>), Problem> {
        if let Some(code) = self.waiting().take(code, Instant::now()) {
            return Ok((code.person, code.label));
        }
        match self.workspace.take_invitation(&hex(&hash(code)), now).await.map_err(problem)? {
            Some(person) => Ok((person, None)),
            None => Err(self.waiting().count_wrong(Instant::now())),
        }
    }

    /// Returns the log-in with this token, with or without its second secret. None if it is invalid. Records its use at
    /// most once a minute.
    pub async fn logged_in(&self, token: &str, secret: Option<&str>) -> Result<Option<KnownLogIn>, Problem> {
        let now = clock::now();
        let hash = hex(&hash(token));
        let Some(login) = self.login(&hash).await? else { return Ok(None) };
        if !holds(&login, now) {
            report(self.signed().delete_login(&hash).await);
            return Ok(None);
        }
        if !login.last_used_at.is_within(60 * Micros::SECOND, now) {
            self.note_login_use(hash);
        }
        let Some(user) = self.user(&login.person).await? else { return Ok(None) };
        let surface = Surface::of_label(&login.label);
        Ok(Some(KnownLogIn { grant: grant(&login, secret), surface, user: Arc::new(user) }))
    }

    /// How long the log-in of a token holds if nothing happens, and whose it is; None if it doesn't. Looking at it is no
    /// use of it.
    pub async fn login_holds_until(&self, token: &str) -> Result<Option<(Micros, User)>, Problem> {
        let login = self.login(&hex(&hash(token))).await?;
        let Some(login) = login.filter(|login| holds(login, clock::now())) else { return Ok(None) };
        let until = login.expires_at.min(Micros(login.last_used_at.0 + IDLE_LIFE + 1));
        Ok(self.user(&login.person).await?.map(|user| (until, user)))
    }

    /// Ends the log-ins that are wanted; tells how many.
    pub(crate) async fn end_logins(&self, by: &Workspace, wanted: impl Fn(&Login) -> bool) -> Result<usize, Problem> {
        let logins = self.all_logins().await?;
        let mut ended = 0;
        for login in logins.iter().filter(|login| wanted(login)) {
            self.delete_login(by, &login.hash).await?;
            ended += 1;
        }
        if ended > 0 {
            self.revoked.send_modify(|count| *count += 1);
        }
        Ok(ended)
    }

    pub async fn log_out(&self, token: &str) -> Result<(), Problem> {
        let hash = hex(&hash(token));
        let Some(login) = self.login(&hash).await? else { return Ok(()) };
        let name = self.user(&login.person).await?.and_then(|user| user.name);
        let by = self.workspace.signed(self.logged_in_actor(&id(token), name).await, clock::now());
        self.delete_login(&by, &hash).await?;
        self.revoked.send_modify(|count| *count += 1);
        Ok(())
    }
}
