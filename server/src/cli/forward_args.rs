//! `verbatim machine` and `verbatim forward`.

use super::Data;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum Machine {
    /// Add a machine and print its key, for `verbatim forward` there; it is only shown once
    Add(MachineAdd),
    /// List machines
    List(MachineList),
    /// Rename a machine
    Rename(MachineRename),
    /// Remove a machine: its key is revoked; its sessions stay
    Remove(MachineNamed),
}

#[derive(Debug, Args)]
pub struct MachineAdd {
    /// Name by which its sessions are listed
    pub name: String,
    /// Write the key to this new file, which only you can read, instead of printing it
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct MachineList {
    #[command(flatten)]
    pub data: Data,
    /// Print them as JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub struct MachineRename {
    /// Id or name of the machine
    pub name: String,
    /// The new name
    pub new: String,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct MachineNamed {
    /// Id or name of the machine
    pub name: String,
    #[command(flatten)]
    pub data: Data,
}

#[derive(Debug, Args)]
pub struct Forward {
    /// Address of the server: `https://agents.example.org`
    #[arg(long, value_name = "URL")]
    pub to: String,
    /// File with the machine's key, as `verbatim machine add` on the server creates it
    #[arg(long, value_name = "FILE")]
    pub key: PathBuf,
    /// Send what is there, compare it with the server's copies, and end
    #[arg(long)]
    pub once: bool,
    /// Only sessions of this project: the folder in which the agent works, or its name. Files of which the folder isn't
    /// known aren't sent, and neither are databases
    #[arg(long, value_name = "PROJECT")]
    pub only: Vec<String>,
    /// Folder of which nothing is sent
    #[arg(long, value_name = "DIR")]
    pub exclude: Vec<PathBuf>,
    /// Mask keys, tokens, passwords, e-mail addresses and home folders before anything is sent. What the server has then
    /// isn't byte for byte what is here. Databases aren't sent
    #[arg(long)]
    pub redact: bool,
    /// Certificate of the authority to trust besides those of the system (PEM), as of `verbatim tls init`
    #[arg(long, value_name = "FILE")]
    pub ca: Option<PathBuf>,
}
