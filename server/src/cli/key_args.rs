//! `verbatim key`.

use super::Data;
use api::keys::Scope;
use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub enum Key {
    /// Create a key and print it; it is only shown once. Sessions belong to the key that created them: no other key can
    /// continue them
    Create(KeyCreate),
    /// List keys, newest first
    List(KeyList),
    /// Change the quota of a key, and print its use
    Quota(KeyQuota),
    /// Revoke a key; it is refused from then on
    Revoke(KeyRevoke),
}

#[derive(Debug, Args)]
pub struct KeyCreate {
    /// Name of the program that uses it
    #[arg(long)]
    pub name: String,
    /// Scopes: `post`, `read` (its own), `read_all`, `mirror`, `bridge` [default: post,read,mirror]
    #[arg(long, value_parser = scope, value_delimiter = ',')]
    pub scope: Vec<Scope>,
    /// Expiry, a day or time: `2027-01-31` [default: none]
    #[arg(long, value_name = "WHEN")]
    pub expires: Option<String>,
    /// Limit of messages in total [default: 5000000]
    #[arg(long, value_name = "MESSAGES")]
    pub most_messages: Option<i64>,
    /// Limit of bytes in total [default: 10000000000]
    #[arg(long, value_name = "BYTES")]
    pub most_bytes: Option<i64>,
    #[command(flatten)]
    pub data: Data,
    /// Print `{"id", "key"}`
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct KeyList {
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct KeyQuota {
    /// Id of the key
    pub id: String,
    /// Limit of messages in total
    #[arg(long, value_name = "MESSAGES")]
    pub most_messages: Option<i64>,
    /// Limit of bytes in total
    #[arg(long, value_name = "BYTES")]
    pub most_bytes: Option<i64>,
    #[command(flatten)]
    pub data: Data,
    /// Print all keys as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct KeyRevoke {
    /// Id of the key
    pub id: String,
    #[command(flatten)]
    pub data: Data,
    /// Print the remaining keys as JSON
    #[arg(long)]
    pub json: bool,
}

fn scope(word: &str) -> Result<Scope, String> {
    Scope::parse(word).ok_or_else(|| format!("it is one of {}", Scope::WORDS.join(", ")))
}
