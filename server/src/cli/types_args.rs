//! Options of `verbatim types`.

use super::Data;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Types {
    /// List declared types with all their versions
    List(TypesList),
    /// Declare a type by the document in a file
    Put(TypesPut),
    /// Remove a type; its messages stay, and are shown as data
    Remove(TypesRemove),
}

#[derive(Debug, Args)]
pub struct TypesList {
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TypesPut {
    /// A JSON file with `type`, `title`, and `view` or `schema`
    pub file: PathBuf,
    #[command(flatten)]
    pub data: Data,
    /// Print the declared type as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct TypesRemove {
    /// Message type: `acme.deploy/plan`
    pub message_type: String,
    #[command(flatten)]
    pub data: Data,
    /// Print the remaining types as JSON
    #[arg(long)]
    pub json: bool,
}
