//! `dev`: rebuild and restart on change. The page follows its event stream: when the stream comes back with another
//! `VERBATIM_BUILD`, it reloads.
use std::{
    path::{Path, PathBuf},
    process::{Child, Command},
    sync::mpsc::{Receiver, channel},
    thread,
    time::Duration,
};

use anyhow::{Context, Result};
use notify::{Event, RecursiveMode, Watcher};

use crate::{interface, serve, step, workspace};

/// The watched paths, below the workspace.
const SOURCES: [&str; 8] =
    ["app", "crates", "frontend", "migrations", "server/Cargo.toml", "server/build.rs", "server/src", "style"];
/// One save often comes as several events: they are gathered for this long.
const SETTLING: Duration = Duration::from_millis(100);

/// Builds, runs, and does so again after each change, until it is interrupted.
pub fn dev(arguments: &[String]) -> Result<()> {
    let (sender, changes) = channel();
    let mut watcher = notify::recommended_watcher(move |event: notify::Result<Event>| {
        let paths = event.into_iter().filter(|event| !event.kind.is_access()).flat_map(|event| event.paths);
        for path in paths.filter(|path| is_source(path)) {
            // The receiver is gone only when we are ending.
            let _ = sender.send(path);
        }
    })?;
    for source in SOURCES {
        let path = workspace::root().join(source);
        watcher.watch(&path, RecursiveMode::Recursive).with_context(|| format!("{source} can't be watched"))?;
    }

    let mut running = None;
    for build in 1.. {
        match interface::build().and_then(|()| serve::program()) {
            Ok(program) => {
                stop(running.take())?;
                running = Some(start(&program, arguments, build)?);
            }
            Err(error) => step::say(&format!("error: {error:#}; waiting for a change")),
        }
        let changed = next_change(&changes)?;
        step::say(&format!("changed: {}", changed.display()));
    }
    Ok(())
}

fn start(program: &Path, arguments: &[String], build: u32) -> Result<Child> {
    // Unlike the assets' hash, this also differs when only the server changed.
    let build = format!("dev-{}-{build}", std::process::id());
    let mut command = Command::new(program);
    command.arg("serve").args(arguments).env("VERBATIM_BUILD", build);
    command.spawn().with_context(|| format!("{} did not start", program.display()))
}

/// Asks the server to end, and ends it when it is still there two seconds later.
fn stop(running: Option<Child>) -> Result<()> {
    let Some(mut server) = running else { return Ok(()) };
    // It may have ended by itself: then there is nothing to signal.
    let _ = Command::new("kill").args(["-TERM", &server.id().to_string()]).status();
    for _ in 0..40 {
        if server.try_wait()?.is_some() {
            return Ok(());
        }
        thread::sleep(Duration::from_millis(50));
    }
    server.kill()?;
    server.wait()?;
    Ok(())
}

fn next_change(changes: &Receiver<PathBuf>) -> Result<PathBuf> {
    let first = changes.recv().context("the file watcher ended")?;
    while changes.recv_timeout(SETTLING).is_ok() {}
    Ok(first)
}

/// Editors write swap and backup files beside the sources.
fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("rs" | "css" | "js" | "mjs" | "svg" | "sql" | "toml" | "json"))
}
