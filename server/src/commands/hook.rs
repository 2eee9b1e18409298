//! `verbatim hook`: lets Claude Code report what it does, and ask for permissions here.

mod event;
mod hooks;
mod settings_file;
mod words;

use super::{note, print, print_encoded};
use crate::cli::{Hook, HookInstall, HookSend, HookServer, HookStatus, HookUninstall, HookWhere};
use crate::data_dir;
use crate::door::Door;
use anyhow::{Context as _, Result, bail};
use api::Nothing;
use api::keys::{KeyInfo, KeyPath, NewKey, Scope};
use hooks::{How, Plan};
use settings_file::SettingsFile;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Address of a server that was started without `--listen`.
const USUAL: &str = "http://127.0.0.1:7117";
/// The key's name, for people.
const KEY_NAME: &str = "Claude Code hooks";

pub async fn run(args: Hook) -> Result<ExitCode> {
    match args {
        Hook::Install(args) => install(args).await,
        Hook::Uninstall(args) => uninstall(&args),
        Hook::Status(args) => status(&args).await,
        Hook::Send(args) => send(args).await,
        Hook::Wait(args) => return Ok(words::pass_on(&args).await),
    }?;
    Ok(ExitCode::SUCCESS)
}

/// Files of a user, or of one project: there a file that isn't shared, since it holds a key.
fn settings_path(place: &HookWhere) -> Result<PathBuf> {
    if let Some(project) = place.project.as_ref().filter(|_| !place.user) {
        if !project.is_dir() {
            bail!("{} isn't a folder\nGive the project's folder with `--project`", project.display());
        }
        return Ok(project.join(".claude").join("settings.local.json"));
    }
    let dir = match &place.claude_dir {
        Some(dir) => dir.clone(),
        None => dirs::home_dir()
            .context("this system names no home\nName Claude Code's folder with `--claude-dir`")?
            .join(".claude"),
    };
    Ok(dir.join("settings.json"))
}

async fn install(args: HookInstall) -> Result<()> {
    let path = settings_path(&args.place)?;
    let file = SettingsFile::read(&path)?;
    let dir = data_dir::path(&args.data)?;
    let url = match (&args.server, data_dir::credential(&dir)) {
        (Some(url), _) => url.trim_end_matches('/').to_owned(),
        (None, Some(running)) => running.url,
        (None, None) => USUAL.to_owned(),
    };
    let (key, key_file) = match &args.key_file {
        Some(file) => {
            let key = super::read_key(file, "")?;
            (key, std::path::absolute(file).context("the key's path is unknown")?)
        }
        None => (key(&args, &dir).await?, data_dir::hook_key(&dir)),
    };
    let program = std::env::current_exe().context("the path of this program is unknown")?;
    // Claude Code itself doesn't know the authority.
    let how = if args.command || args.ca.is_some() { How::Command } else { How::Http };
    // Hooks run in any folder, and can't say what is wrong.
    let authority =
        args.ca.as_ref().map(std::path::absolute).transpose().context("the certificate's path is unknown")?;
    super::connect(&url, &key, authority.as_deref())?;
    let plan = Plan { how, url, key, program, key_file, authority, wait: args.wait };
    let mut settings = file.settings()?;
    let before = settings.clone();
    hooks::remove(&mut settings);
    let added = hooks::add(&mut settings, &plan)?;
    if settings == before {
        return print(&format!("{} has the hooks already: nothing was changed\n", file.name()));
    }
    let backup = file.replace(&settings)?;
    let mut told = format!("Changed {}\n", file.name());
    for line in added {
        told.push_str(&format!("  + {line}\n"));
    }
    if let Some(backup) = backup {
        told.push_str(&format!("What it was before is in {}\n", backup.display()));
    }
    told.push_str("Sessions that you start from now on report to Verbatim. `verbatim hook uninstall` takes it back\n");
    print(&told)
}

/// Connects a hook with its server.
fn connect(to: &HookServer) -> Result<sdk::Verbatim> {
    let key = super::read_key(&to.key_file, "\n`verbatim hook install` makes it")?;
    super::connect(&to.server, &key, to.ca.as_deref())
}

fn uninstall(args: &HookUninstall) -> Result<()> {
    let file = SettingsFile::read(&settings_path(&args.place)?)?;
    let mut settings = file.settings()?;
    let removed = hooks::remove(&mut settings);
    if removed.is_empty() {
        return print(&format!("{} has no hooks of Verbatim: nothing was changed\n", file.name()));
    }
    let restored = file.restore(&settings)?;
    let mut told = format!("Changed {}{}\n", file.name(), if restored { ", which is as it was before" } else { "" });
    for line in removed {
        told.push_str(&format!("  - {line}\n"));
    }
    told.push_str("The key is valid until you revoke it: `verbatim key list` shows it\n");
    print(&told)
}

async fn status(args: &HookStatus) -> Result<()> {
    let file = SettingsFile::read(&settings_path(&args.place)?)?;
    let found = hooks::found(&file.settings()?);
    if found.is_empty() {
        return print(&format!("Not installed in {}\n`verbatim hook install` does it\n", file.name()));
    }
    let mut told = format!("Installed in {}\n", file.name());
    for line in found {
        told.push_str(&format!("  {line}\n"));
    }
    let key = std::fs::read_to_string(data_dir::hook_key(&data_dir::path(&args.data)?)).ok();
    told.push_str(&match (crate::door::answering(&args.data).await, key) {
        (Err(_), _) => "No server is running: the agent works as without hooks\n".to_owned(),
        (Ok(_), None) => "The key is gone: `verbatim hook install` makes another\n".to_owned(),
        (Ok(server), Some(key)) => {
            let url = server.url().unwrap_or(USUAL).to_owned();
            match crate::door::connect(&url, key.trim())?.me().await {
                Ok(_) => format!("The server at {url} responds, and the key is valid\n"),
                Err(error) => {
                    format!("The server at {url} refuses the key: {error}\n`verbatim hook install` makes another\n")
                }
            }
        }
    });
    print(&told)
}

/// The key in the file, if it still holds; else a new one, which is written there.
async fn key(args: &HookInstall, dir: &Path) -> Result<String> {
    let path = data_dir::hook_key(dir);
    let door = Door::find_or_make(&args.data).await?;
    let stored = std::fs::read_to_string(&path).ok().map(|key| key.trim().to_owned());
    let keys = door.client.list_keys(Nothing {}, Nothing {}).await?.keys;
    let holds = |key: &str| {
        let id = key.split('_').nth(1).unwrap_or_default();
        keys.iter().any(|known| known.id == id && known.revoked_at.is_none() && known.scopes.contains(&Scope::Hooks))
    };
    let key = if let Some(key) = stored.filter(|key| holds(key)) {
        key
    } else {
        let new = NewKey { name: KEY_NAME.to_owned(), scopes: Some(vec![Scope::Hooks]), ..NewKey::default() };
        let made = door.client.create_key(Nothing {}, new).await?;
        data_dir::write_hook_key(&path, &made.key)?;
        // Sessions that an earlier key reported go on with this one: a key that holds is the only one that may report
        // them.
        let is_earlier =
            |known: &&KeyInfo| known.name == KEY_NAME && known.scopes == [Scope::Hooks] && known.revoked_at.is_none();
        for earlier in keys.iter().filter(is_earlier) {
            door.client.revoke_key(KeyPath { key: earlier.id.clone() }, Nothing {}).await?;
        }
        made.key
    };
    door.close().await;
    Ok(key)
}

/// Passes an event on. Whatever goes wrong is said on standard error, and the agent goes on: this never fails.
async fn send(args: HookSend) -> Result<()> {
    match event::send(&args).await {
        Ok(Some(answer)) => print_encoded(&format!("{answer}\n")),
        Ok(None) => Ok(()),
        Err(error) => {
            note(&format!("verbatim: {error:#}"));
            Ok(())
        }
    }
}
