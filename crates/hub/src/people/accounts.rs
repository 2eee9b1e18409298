//! People who log in by an account at a provider of single sign-on.

use crate::account::login::short_id;
use crate::basics::{clock, problem, problem::report};
use crate::context::Hub;
use api::account::LogInMethodKind;
use api::people::PersonRole;
use api::{Problem, ProblemCode};
use model::audit::{Actor, Event};
use store::people::OWNER;
use store::{LogInMethod, Person, Workspace};

const NAME_CHARS: usize = 60;
/// How often a name that somebody else has gets a number.
const SAME_NAMES: usize = 50;
/// Marks an account that a person added to themselves: no rule gives it a role.
const LINKED: &str = "linked";

/// An account at a provider, as the provider has just confirmed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// The provider's URL and its id of the account, with a space between.
    pub id: String,
    /// What people call the provider.
    pub provider: String,
    /// The name of the person there.
    pub name: String,
    /// The role by the rules of this server. None if no rule lets the account in.
    pub role: Option<PersonRole>,
}

impl Account {
    fn refused(&self) -> Problem {
        let title = format!("Your account at {} isn't let in here", self.provider);
        Problem::new(ProblemCode::Forbidden, title).hint("Ask an owner of this server to let you in")
    }

    fn method(&self, person: &str, secret: &str) -> LogInMethod {
        LogInMethod {
            kind: LogInMethodKind::SingleSignOn.as_str().to_owned(),
            id: self.id.clone(),
            person_id: person.to_owned(),
            secret: secret.to_owned(),
            label: self.provider.clone(),
            created_at: clock::now().0,
            last_used_at: None,
        }
    }

    fn added(&self, person: &str) -> Event {
        let method = LogInMethodKind::SingleSignOn.as_str().to_owned();
        Event::LogInMethodAdded { person: person.to_owned(), method, label: self.provider.clone() }
    }
}

impl Hub {
    fn by_itself(&self) -> Workspace {
        self.workspace.signed(Actor::Verbatim, clock::now())
    }

    /// Adds an account to a person.
    pub async fn link_account(&self, person: &str, account: &Account) -> Result<(), Problem> {
        let method = account.method(person, LINKED);
        if self.by_itself().put_login_method(&method, account.added(person)).await.map_err(problem)? {
            return Ok(());
        }
        let title = format!("Somebody else here uses that account at {}", account.provider);
        Err(Problem::new(ProblemCode::Forbidden, title))
    }

    /// Returns the id of the person with an account. Who is let in for the first time is added; their role is what the
    /// rules say with each log-in.
    pub async fn person_of_account(&self, account: &Account) -> Result<String, Problem> {
        let kind = LogInMethodKind::SingleSignOn.as_str();
        let Some(method) = self.workspace.login_method(kind, &account.id).await.map_err(problem)? else {
            return self.add_person_of(account).await;
        };
        // Somebody who was removed isn't added again by coming back.
        let user = self.user(&method.person_id).await?.ok_or_else(|| account.refused())?;
        if method.secret != LINKED {
            let role = account.role.ok_or_else(|| account.refused())?;
            if role != user.role && user.id != OWNER {
                let (id, name, role) = (user.id, user.name.unwrap_or_default(), role.as_str().to_owned());
                let event = Event::PersonChanged { person: id.clone(), name: name.clone(), role: role.clone() };
                let person = Person { id, name, role, added_at: clock::now().0, invited_until: None };
                self.by_itself().put_person(&person, event).await.map_err(problem)?;
                self.revoked.send_modify(|count| *count += 1);
            }
        }
        report(self.workspace.use_login_method(&method, clock::now()).await);
        Ok(method.person_id)
    }

    async fn add_person_of(&self, account: &Account) -> Result<String, Problem> {
        let role = account.role.ok_or_else(|| account.refused())?.as_str().to_owned();
        let by = self.by_itself();
        crate::people::endpoints::room_for_one(self).await?;
        crate::people::endpoints::name_owner(self, &by).await?;
        let (id, wanted) = (short_id()?, one_line(&account.name));
        for number in 1..=SAME_NAMES {
            let name = if number == 1 { wanted.clone() } else { format!("{wanted} {number}") };
            let (id, role) = (id.clone(), role.clone());
            let event = Event::PersonAdded { person: id.clone(), name: name.clone(), role: role.clone() };
            let person = Person { id: id.clone(), name, role, added_at: clock::now().0, invited_until: None };
            if by.put_person(&person, event).await.map_err(problem)? {
                by.put_login_method(&account.method(&id, ""), account.added(&id)).await.map_err(problem)?;
                return Ok(id);
            }
        }
        Err(account.refused())
    }
}

/// A name that people may have, of what a provider says.
fn one_line(given: &str) -> String {
    let name: String = given.chars().filter(|c| !c.is_control()).take(NAME_CHARS - 3).collect();
    let name = name.trim();
    if name.is_empty() || name.eq_ignore_ascii_case(OWNER) { "Somebody".to_owned() } else { name.to_owned() }
}
