//! Options of the commands about this machine: configuration, service, certificate, shell.

use super::Data;
use clap::{Args, Subcommand};
use std::path::PathBuf;

#[derive(Debug, Subcommand)]
pub enum ConfigCommand {
    /// Print each option with its value, and where it is from
    Show {
        /// Print them as JSON
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub enum Service {
    /// Install and start the service; again after an update, to start the new program
    Install {
        /// Print the service, and change nothing
        #[arg(long)]
        print: bool,
    },
    /// Print whether it is installed, enabled and active
    Status,
    /// Stop and remove the service; the data stays
    Uninstall,
}

#[derive(Debug, Args)]
pub struct Completions {
    /// The shell
    pub shell: clap_complete::Shell,
}

#[derive(Debug, Args)]
pub struct Man {
    /// Folder for the pages
    pub folder: PathBuf,
}

#[derive(Debug, Subcommand)]
pub enum TlsCommand {
    /// Create an authority and a certificate for names and addresses of this server; again, to renew the certificate
    Init(TlsInit),
}

#[derive(Debug, Args)]
pub struct TlsInit {
    #[command(flatten)]
    pub data: Data,
    /// Name or IP address by which other machines reach the server: `agents.home.arpa`, `192.168.1.20` [default: those
    /// of the last time]
    #[arg(value_name = "NAME")]
    pub names: Vec<String>,
    /// Create another authority, for other names; each device has to trust it anew
    #[arg(long)]
    pub replace: bool,
}
