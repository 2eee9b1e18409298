//! `verbatim user`.

use super::Data;
use api::people::PersonRole;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum User {
    /// Add a person, and print the link by which they log in for the first time
    Add(UserAdd),
    /// List people, with their roles and devices
    List(UserList),
    /// Print a new link by which a person logs in; the one before doesn't work any more
    Invite(UserNamed),
    /// Change the role of a person
    Role(UserRole),
    /// Change the name of a person, or of the owner
    Rename(UserRename),
    /// Remove a person; their browsers are logged out at once
    Remove(UserNamed),
    /// Set who sees the sessions of a project, besides owners
    Project(UserProject),
}

#[derive(Debug, Args)]
pub struct UserAdd {
    /// Name by which others see what they do
    pub name: String,
    /// `viewer` reads, `member` also drives, `owner` may do everything
    #[arg(long, value_parser = role, default_value = "member")]
    pub role: PersonRole,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct UserList {
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct UserNamed {
    /// Name or id of the person
    pub name: String,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct UserRole {
    /// Name or id of the person
    pub name: String,
    /// `viewer`, `member` or `owner`
    #[arg(value_parser = role)]
    pub role: PersonRole,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct UserRename {
    /// Name or id of the person; `owner` is the owner of the machine
    pub name: String,
    /// The new name
    pub new: String,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct UserProject {
    /// The project, as sessions name it: the path of its folder
    pub project: String,
    /// Names or ids of the people who see it; without a name, only owners see it
    #[arg(long, value_name = "NAME", value_delimiter = ',', num_args = 0.., conflicts_with = "all")]
    pub only: Option<Vec<String>>,
    /// Everybody sees it
    #[arg(long)]
    pub all: bool,
    #[command(flatten)]
    pub data: Data,
}

fn role(word: &str) -> Result<PersonRole, String> {
    PersonRole::parse(word).ok_or_else(|| format!("one of {}", PersonRole::WORDS.join(", ")))
}
