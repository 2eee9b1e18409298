//! Passwords. Only an Argon2id hash of each is stored. Wrong ones are limited by name and by address, whether or not
//! there is such a person, and nothing says which of the two was wrong.

use crate::account::login::{LogInAttempt, require_fresh};
use crate::account::methods;
use crate::basics::problem;
use crate::context::{Hub, Scoped, TopicState};
use api::account::{LogInMethodKind, LogInMethods, SetPassword};
use api::{Problem, ProblemCode};
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params, PasswordHasher as _, PasswordVerifier as _, Version};
use std::collections::HashMap;
use std::net::IpAddr;
use std::ops::RangeInclusive;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::sync::Semaphore;
use tokio::time::Instant;
use zxcvbn::feedback::Feedback;
use zxcvbn::{Score, zxcvbn};

/// Characters of a password.
const CHARS: RangeInclusive<usize> = 12..=200;
/// Memory and rounds of one check: the least that OWASP recommends for Argon2id.
const MEMORY_KIB: u32 = 19 * 1024;
const ROUNDS: u32 = 2;
/// Checks at a time, so that they take no more memory than that together.
const AT_ONCE: usize = 2;
/// Checks that wait for their turn.
const WAITING: usize = 32;
/// Wrong passwords in [`COUNTED`].
const WRONG_FOR_A_NAME: usize = 10;
const WRONG_FROM_AN_ADDRESS: usize = 30;
const COUNTED: Duration = Duration::from_mins(15);
/// Names and addresses that are remembered.
const REMEMBERED: usize = 10_000;

/// What limits guesses.
pub struct Passwords {
    checks: Arc<Semaphore>,
    wrong: Mutex<HashMap<Guessed, Vec<Instant>>>,
}

/// The name that was tried, or the address from which it was tried.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Guessed {
    Name(String),
    From(IpAddr),
}

impl Guessed {
    fn most(&self) -> usize {
        match self {
            Self::Name(_) => WRONG_FOR_A_NAME,
            Self::From(_) => WRONG_FROM_AN_ADDRESS,
        }
    }
}

impl Default for Passwords {
    fn default() -> Self {
        Self { checks: Arc::new(Semaphore::new(AT_ONCE + WAITING)), wrong: Mutex::default() }
    }
}

impl TopicState for Passwords {}

impl Passwords {
    /// Counts a guess before it is checked: many at once are no more than one after the other.
    fn count(&self, guessed: &[Guessed], now: Instant) -> Result<(), Problem> {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        let recent = |at: &Instant| now.duration_since(*at) < COUNTED;
        for one in guessed {
            let Some(times) = wrong.get_mut(one) else { continue };
            times.retain(recent);
            if let Some(first) = times.first().filter(|_| times.len() >= one.most()) {
                let wait = COUNTED.saturating_sub(now.duration_since(*first)).as_secs() + 1;
                let problem = Problem::new(ProblemCode::TooManyAttempts, "Too many wrong passwords");
                let problem = Problem { retry_after: u32::try_from(wait).ok(), ..problem };
                return Err(problem.hint("Wait, or log in by a passkey, a link of `verbatim open` or an invitation"));
            }
        }
        if wrong.len() + guessed.len() > REMEMBERED {
            wrong.retain(|_, times| times.last().is_some_and(recent));
        }
        while wrong.len() + guessed.len() > REMEMBERED {
            let oldest = wrong.iter().min_by_key(|(_, times)| times.last().copied()).map(|(one, _)| one.clone());
            let Some(oldest) = oldest else { break };
            wrong.remove(&oldest);
        }
        for one in guessed {
            wrong.entry(one.clone()).or_default().push(now);
        }
        Ok(())
    }

    /// It was no guess.
    fn forget(&self, guessed: &[Guessed]) {
        let mut wrong = self.wrong.lock().unwrap_or_else(PoisonError::into_inner);
        for one in guessed {
            match one {
                Guessed::Name(_) => drop(wrong.remove(one)),
                // Others may be behind it.
                Guessed::From(_) => drop(wrong.get_mut(one).and_then(Vec::pop)),
            }
        }
    }
}

fn argon() -> Result<Argon2<'static>, Problem> {
    let params = Params::new(MEMORY_KIB, ROUNDS, 1, None).map_err(|_| Problem::internal())?;
    Ok(Argon2::new(Algorithm::Argon2id, Version::V0x13, params))
}

impl Hub {
    /// Runs a computation of Argon2, with few others.
    async fn hashing<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, Problem> + Send + 'static,
    ) -> Result<T, Problem> {
        static AT_WORK: Semaphore = Semaphore::const_new(AT_ONCE);
        let checks = Arc::clone(&self.state::<Passwords>().checks);
        let _place = checks.try_acquire_owned().map_err(|_| {
            let problem = Problem::new(ProblemCode::TooManyAttempts, "Too many people log in at the moment");
            Problem { retry_after: Some(5), ..problem.hint("Try again in a few seconds") }
        })?;
        let _turn = AT_WORK.acquire().await.map_err(|_| Problem::internal())?;
        tokio::task::spawn_blocking(work).await.map_err(|_| Problem::internal())?
    }

    /// Returns the id of the person with a name and password.
    pub(crate) async fn person_by_password(
        &self,
        name: &str,
        password: &str,
        attempt: &LogInAttempt,
    ) -> Result<String, Problem> {
        let name = name.trim();
        let mut guessed = vec![Guessed::Name(name.to_lowercase().chars().take(200).collect())];
        guessed.extend(attempt.from.map(|address| Guessed::From(address.to_canonical())));
        self.state::<Passwords>().count(&guessed, Instant::now())?;
        let person = self.id_of_name(name).await?;
        let kind = LogInMethodKind::Password.as_str();
        let method = match &person {
            Some(person) => self.workspace.login_method(kind, person).await.map_err(problem)?,
            None => None,
        };
        let (known, given) = (method.as_ref().map(|method| method.secret.clone()), password.to_owned());
        let is_right = self.hashing(move || verify(known.as_deref(), &given)).await?;
        match (person, method) {
            (Some(person), Some(method)) if is_right => {
                self.state::<Passwords>().forget(&guessed);
                methods::note_use(self, &method).await;
                Ok(person)
            }
            _ => {
                let problem = Problem::new(ProblemCode::WrongPassword, "The name or the password is wrong");
                Err(problem.hint("If you have forgotten it, ask an owner of this server for a new invitation"))
            }
        }
    }
}

/// Returns true for the password of a hash. Without one, as much is computed as with one.
fn verify(hash: Option<&str>, given: &str) -> Result<bool, Problem> {
    let argon = argon()?;
    if let Some(known) = hash.and_then(|hash| PasswordHash::new(hash).ok()) {
        return Ok(argon.verify_password(given.as_bytes(), &known).is_ok());
    }
    let _: PasswordHash = argon.hash_password(given.as_bytes()).map_err(|_| Problem::internal())?;
    Ok(false)
}

pub async fn set_password(scoped: &Scoped, input: SetPassword) -> Result<LogInMethods, Problem> {
    let SetPassword { password } = input;
    require_fresh(scoped).await?;
    if !CHARS.contains(&password.chars().count()) {
        let expected = format!("{} to {} characters", CHARS.start(), CHARS.end());
        return Err(Problem::field("/password", &expected));
    }
    let name = scoped.author().unwrap_or_default().to_owned();
    let guessed = password.clone();
    let strength = scoped.compute(move |_| zxcvbn(&guessed, &[&name, "verbatim"])).await?;
    if strength.score() < Score::Three {
        let warning = strength.feedback().and_then(Feedback::warning);
        let why = warning.map_or("Add another word or two.".to_owned(), |warning| warning.to_string());
        return Err(Problem::field("/password", "one that isn't easily guessed").hint(why));
    }
    let secret = scoped.hub.hashing(move || {
        let hash: PasswordHash = argon()?.hash_password(password.as_bytes()).map_err(|_| Problem::internal())?;
        Ok(hash.to_string())
    });
    let person = scoped.caller.person_id().to_owned();
    methods::add(scoped, LogInMethodKind::Password, person, secret.await?, String::new()).await
}
