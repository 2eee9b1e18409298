//! People who may log in, their roles, and who sees which projects.

pub use crate::account::PersonRole;

use crate::account::Pairing;
use crate::endpoint::{Input, Reply};
use model::Micros;
use serde::{Deserialize, Serialize};

/// A person to add.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct NewPerson {
    /// Name by which others see what they do, 1 to 60 characters. Nobody else has it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 60)))]
    pub name: String,
    /// Role.
    pub role: PersonRole,
}
impl Input for NewPerson {
    const EXAMPLE: &'static str = r#"{"name": "Ines", "role": "member"}"#;
    const REFUSALS: &'static [u16] = &[409];
}

/// Changes to a person. Absent fields stay unchanged.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct EditPerson {
    /// The new name, 1 to 60 characters.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 60)))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The new role. The owner of the machine stays an owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<PersonRole>,
}
impl Input for EditPerson {
    const EXAMPLE: &'static str = r#"{"role": "viewer"}"#;
}

/// A person who may log in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PersonInfo {
    /// Id. `owner` is the owner of the machine.
    pub id: String,
    /// Name. Absent for the owner of the machine until they are given one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Role.
    pub role: PersonRole,
    /// True for the caller.
    pub you: bool,
    /// Number of browsers in which they are logged in.
    pub devices: usize,
    /// When they were last active, to the minute. Absent if they aren't logged in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_used_at: Option<Micros>,
    /// When an invitation expires that they haven't used yet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub invited_until: Option<Micros>,
}

/// A project that only named people see, and owners.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProjectPeople {
    /// The project.
    pub project: String,
    /// Ids of the people who see it.
    pub people: Vec<String>,
}

/// Everybody who may log in, and the projects that not all of them see.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct People {
    /// The owner of the machine, then the others in the order in which they were added.
    pub people: Vec<PersonInfo>,
    /// Restricted projects. All others are seen by everybody.
    pub restricted: Vec<ProjectPeople>,
}
impl Reply for People {}

/// A new person, with the link by which they log in for the first time.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PersonAdded {
    /// The person.
    pub person: PersonInfo,
    /// Their invitation. It works once, within seven days.
    pub invitation: Pairing,
}
impl Reply for PersonAdded {
    const STATUSES: &'static [u16] = &[201];
}

/// Who sees a project.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SetProjectPeople {
    /// The project, as sessions name it. Projects below its folder, and worktrees of it, count as it.
    #[cfg_attr(feature = "schema", schemars(length(min = 1, max = 4096)))]
    pub project: String,
    /// Ids of the people who see it besides owners. Absent: everybody.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub people: Option<Vec<String>>,
}
impl Input for SetProjectPeople {
    const EXAMPLE: &'static str = r#"{"project": "/home/ada/payroll", "people": []}"#;
}

/// Path of a person.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PersonPath {
    /// Id of the person, as `GET /v1/users` lists it.
    pub person: String,
}
