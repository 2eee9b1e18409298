//! Passkeys: keys that devices and password managers keep, each for the name of one server (`WebAuthn`).

use crate::account::login::require_fresh;
use crate::account::methods;
use crate::account::passkey_site::Site;
use crate::basics::line::is_line;
use crate::basics::problem;
use crate::context::{Hub, Scoped, TopicState};
use api::account::{LogInMethodKind, LogInMethods, NewPasskey, PasskeyOptions};
use api::{Problem, ProblemCode};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use std::sync::{Mutex, PoisonError};
use store::LogInMethod;
use webauthn_rp::bin::{Decode as _, Encode as _};
use webauthn_rp::request::auth::AuthenticationVerificationOptions;
use webauthn_rp::request::register::{
    CredProtect, PublicKeyCredentialUserEntity, RegistrationVerificationOptions, UserHandle, Username,
};
use webauthn_rp::request::{FixedCapHashSet, InsertResult, PublicKeyCredentialDescriptor};
use webauthn_rp::response::register::{CompressedPubKey, DynamicState, StaticState};
use webauthn_rp::response::{AuthTransports, CredentialId};
use webauthn_rp::{
    AuthenticatedCredential, DiscoverableAuthentication, DiscoverableAuthenticationServerState,
    DiscoverableCredentialRequestOptions, PublicKeyCredentialCreationOptions, Registration, RegistrationServerState,
};

const NAME_CHARS: usize = 60;
/// Passkeys of one person.
const MOST: usize = 50;
/// Browsers that were asked and haven't answered, each for five minutes at most.
const WAITING: usize = 2_000;
/// Bytes by which authenticators know a person.
const HANDLE: usize = 32;

type PublicKey = CompressedPubKey<[u8; 32], [u8; 32], [u8; 48], Vec<u8>>;

/// What browsers were asked for.
pub struct Passkeys {
    creations: Mutex<FixedCapHashSet<RegistrationServerState<HANDLE>>>,
    log_ins: Mutex<FixedCapHashSet<DiscoverableAuthenticationServerState>>,
}

impl Default for Passkeys {
    fn default() -> Self {
        Self {
            creations: Mutex::new(FixedCapHashSet::new(WAITING)),
            log_ins: Mutex::new(FixedCapHashSet::new(WAITING)),
        }
    }
}

impl TopicState for Passkeys {}

/// The bytes by which authenticators know a person: nothing that says who it is.
fn handle(person: &str) -> UserHandle<HANDLE> {
    let Ok(handle) = UserHandle::decode(Sha256::digest(format!("verbatim person {person}")).into());
    handle
}

/// The methods of a person that are passkeys.
async fn own(hub: &Hub, person: &str) -> Result<Vec<LogInMethod>, Problem> {
    let mut methods = hub.workspace.login_methods(person).await.map_err(problem)?;
    methods.retain(|method| method.kind == LogInMethodKind::Passkey.as_str());
    Ok(methods)
}

fn too_many() -> Problem {
    let problem = Problem::new(ProblemCode::TooManyAttempts, "Too many browsers are asked for a passkey");
    Problem { retry_after: Some(60), ..problem.hint("Wait a minute") }
}

pub async fn create_passkey_options(scoped: &Scoped) -> Result<PasskeyOptions, Problem> {
    require_fresh(scoped).await?;
    let site = Site::needed(&scoped.hub)?;
    let person = scoped.caller.person_id();
    let known = own(&scoped.hub, person).await?;
    if known.len() >= MOST {
        return Err(Problem::field("/", &format!("fewer than {MOST} passkeys: remove one first")));
    }
    let known = known.iter().filter_map(|method| {
        let id = CredentialId::decode(URL_SAFE_NO_PAD.decode(&method.id).ok()?).ok()?;
        Some(PublicKeyCredentialDescriptor { id, transports: AuthTransports::decode(0).ok()? })
    });
    let handle = handle(person);
    let name = scoped.author().and_then(|name| Username::try_from(name).ok());
    let name = match name {
        Some(name) => name,
        None => Username::try_from("owner").map_err(|_| Problem::internal())?,
    };
    let user = PublicKeyCredentialUserEntity { name, id: &handle, display_name: None };
    let mut options = PublicKeyCredentialCreationOptions::passkey(&site.name, user, known.collect());
    // Many devices know no such protection, and would refuse. Each log-in requires the user's verification anyway.
    options.extensions.cred_protect = CredProtect::None;
    let (server, client) = options.start_ceremony().map_err(|_| Problem::internal())?;
    let mut waiting = scoped.hub.state::<Passkeys>().creations.lock().unwrap_or_else(PoisonError::into_inner);
    if !matches!(waiting.insert_or_replace_all_expired(server), InsertResult::Success) {
        return Err(too_many());
    }
    Ok(PasskeyOptions { options: public_key(&client)? })
}

pub async fn add_passkey(scoped: &Scoped, input: NewPasskey) -> Result<LogInMethods, Problem> {
    require_fresh(scoped).await?;
    let site = Site::needed(&scoped.hub)?;
    let label = input.label.trim().to_owned();
    if !is_line(&label, NAME_CHARS) {
        return Err(Problem::field("/label", &format!("one line of 1 to {NAME_CHARS} characters")));
    }
    let wrong = || Problem::field("/credential", "the browser's answer to options of the last five minutes");
    let registration = Registration::from_json_relaxed(input.credential.to_string().as_bytes()).map_err(|_| wrong())?;
    let challenge = registration.challenge_relaxed().map_err(|_| wrong())?;
    let asked = {
        let passkeys = scoped.hub.state::<Passkeys>();
        passkeys.creations.lock().unwrap_or_else(PoisonError::into_inner).take(&challenge).ok_or_else(wrong)?
    };
    let options = RegistrationVerificationOptions::<&str, &str> {
        allowed_origins: &[&site.origin],
        error_on_unsolicited_extensions: false,
        ..RegistrationVerificationOptions::default()
    };
    let made = asked.verify(&site.name, &registration, &options).map_err(|error| {
        tracing::info!(%error, "a passkey was refused");
        wrong()
    })?;
    if *made.user_id() != handle(scoped.caller.person_id()) {
        return Err(wrong());
    }
    let (Ok(key), Ok(state)) = (made.static_state().encode(), made.dynamic_state().encode());
    let id = URL_SAFE_NO_PAD.encode(made.id().as_ref());
    methods::add(scoped, LogInMethodKind::Passkey, id, secret(&key, &state), label).await
}

/// How the key and the state of a passkey are stored.
fn secret(key: &[u8], state: &[u8]) -> String {
    format!("{}.{}", URL_SAFE_NO_PAD.encode(key), URL_SAFE_NO_PAD.encode(state))
}

fn stored(secret: &str) -> Option<(StaticState<PublicKey>, DynamicState, &str)> {
    let (key, state) = secret.split_once('.')?;
    let decoded: [u8; 7] = URL_SAFE_NO_PAD.decode(state).ok()?.try_into().ok()?;
    Some((
        StaticState::decode(URL_SAFE_NO_PAD.decode(key).ok()?.as_slice()).ok()?,
        DynamicState::decode(decoded).ok()?,
        key,
    ))
}

/// Returns the options for the browser's own call, without what is around them.
fn public_key(client: &impl serde::Serialize) -> Result<Value, Problem> {
    let mut options = serde_json::to_value(client).map_err(|_| Problem::internal())?;
    Ok(options.get_mut("publicKey").map(Value::take).unwrap_or(options))
}

impl Hub {
    /// Asks a browser for a passkey, whosever it is.
    pub fn ask_for_passkey(&self) -> Result<PasskeyOptions, Problem> {
        let site = Site::needed(self)?;
        let options = DiscoverableCredentialRequestOptions::passkey(&site.name);
        let (server, client) = options.start_ceremony().map_err(|_| Problem::internal())?;
        let mut waiting = self.state::<Passkeys>().log_ins.lock().unwrap_or_else(PoisonError::into_inner);
        if !matches!(waiting.insert_or_replace_all_expired(server), InsertResult::Success) {
            return Err(too_many());
        }
        Ok(PasskeyOptions { options: public_key(&client)? })
    }

    /// Returns the id of the person whose passkey answered.
    pub(crate) async fn person_by_passkey(&self, answer: &Value) -> Result<String, Problem> {
        let wrong = || {
            let problem =
                Problem::new(ProblemCode::WrongPasskey, "This passkey isn't known here, or it answered too late");
            problem.hint("Try again, or log in another way")
        };
        let site = Site::needed(self)?;
        let answer = DiscoverableAuthentication::<HANDLE>::from_json_relaxed(answer.to_string().as_bytes())
            .map_err(|_| wrong())?;
        let challenge = answer.challenge_relaxed().map_err(|_| wrong())?;
        let asked = {
            let passkeys = self.state::<Passkeys>();
            passkeys.log_ins.lock().unwrap_or_else(PoisonError::into_inner).take(&challenge).ok_or_else(wrong)?
        };
        let id = URL_SAFE_NO_PAD.encode(answer.raw_id().as_ref());
        let kind = LogInMethodKind::Passkey.as_str();
        let mut method = self.workspace.login_method(kind, &id).await.map_err(problem)?.ok_or_else(wrong)?;
        let handle = handle(&method.person_id);
        let (key, state, stored_key) = stored(&method.secret).ok_or_else(Problem::internal)?;
        let mut known =
            AuthenticatedCredential::new(answer.raw_id(), &handle, key, state).map_err(|_| Problem::internal())?;
        let options = AuthenticationVerificationOptions::<&str, &str> {
            allowed_origins: &[&site.origin],
            error_on_unsolicited_extensions: false,
            ..AuthenticationVerificationOptions::default()
        };
        asked.verify(&site.name, &answer, &mut known, &options).map_err(|error| {
            tracing::info!(%error, "a passkey was refused");
            wrong()
        })?;
        let Ok(state) = known.dynamic_state().encode();
        method.secret = format!("{stored_key}.{}", URL_SAFE_NO_PAD.encode(state));
        methods::note_use(self, &method).await;
        Ok(method.person_id)
    }
}
