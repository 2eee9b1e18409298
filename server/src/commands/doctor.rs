//! `verbatim doctor`: checks the installation, and prints where its data is.

use super::public_check::Report;
use super::{metrics, print, repair};
use crate::cli::Doctor;
use crate::door::{self, Door, Server};
use crate::{data_dir, permissions};
use anyhow::{Result, bail};
use api::Nothing;
use api::account::Health;
use api::audit::AuditCheck;
use std::path::Path;

pub async fn run(args: Doctor) -> Result<()> {
    if args.repair {
        return repair::run(&args).await;
    }
    let dir = data_dir::path(&args.data)?;
    if args.health {
        return condition(&door::server(&dir).await).await;
    }
    if args.public {
        let report = Report::of(&door::server(&dir).await).await;
        print(&format!("{}\n", report.lines.join("\n")))?;
        return all_passed(report.failed);
    }
    let mut failed = 0;
    // One that isn't there yet is made, as for any command.
    let mut lines = vec![if data_dir::create(&dir).is_ok() {
        format!("ok    data directory   {}", dir.display())
    } else {
        failed += 1;
        format!("fail  data directory   {} is no folder; name one with `--data-dir`", dir.display())
    }];
    let wide = permissions::wide(&dir);
    failed += wide.len();
    lines.extend(wide.iter().map(|wide| format!("fail  access           {}; {}", wide.describe(), wide.advice())));
    if cfg!(unix) && dir.is_dir() && wide.is_empty() {
        lines.push("ok    access           only you can read the data".to_owned());
    }
    let server = door::server(&dir).await;
    failed += usize::from(matches!(server, Server::Silent { .. }));
    lines.push(server_line(&server));
    match health(&args, &server).await {
        Ok(Examined { health, faults, checksums, audit }) => {
            lines.push(format!("ok    version          {}", health.version));
            lines.push(format!("ok    database         {}", health.store));
            let (sessions, sources, bytes) = (health.sessions, health.sources, health.source_bytes);
            lines.push(format!("ok    content          {sessions} sessions with those of sub-agents from {sources} files, {bytes} bytes kept"));
            lines.extend(checksums);
            lines.extend(copies(&dir));
            if let Some(condition) = &health.condition {
                failed += 1;
                lines.push(format!("fail  condition        {}; {}", condition.title, condition.hint));
            }
            failed += usize::from(faults.as_ref().is_some_and(|faults| !faults.is_empty()));
            lines.extend(stored(faults.as_deref()));
            failed += usize::from(audit.fault.is_some());
            lines.push(audit_line(&audit));
        }
        Err(error) => {
            failed += 1;
            lines.push(format!("fail  database         {}", error.to_string().replace('\n', "; ")));
        }
    }
    lines.extend(metrics::lines(&server).await);
    for folder in super::folders::readable().filter(|folder| folder.path.is_dir()) {
        let files = folder.look().files.len();
        lines.push(format!("ok    {:<16} {files} files in {}", folder.agent.title, folder.path.display()));
    }
    for unread in super::folders::unreadable().filter_map(|folder| hub::discover::unread_of(&folder)) {
        let files = app::figures::counted(unread.files, "file");
        lines.push(format!(
            "-     {:<16} {files} in {}: {}; not readable yet",
            title(&unread.agent),
            unread.path,
            unread.what
        ));
    }
    print(&format!("{}\n", lines.join("\n")))?;
    all_passed(failed)
}

fn all_passed(failed: usize) -> Result<()> {
    if failed > 0 {
        bail!("{failed} of the checks failed");
    }
    Ok(())
}

/// Prints what `/healthz` answers. That costs the server the same however much is stored.
async fn condition(server: &Server) -> Result<()> {
    let Server::Answers(credential) = server else {
        bail!("no server answers for this data directory; `verbatim doctor` says more")
    };
    let answer = door::connect(&credential.url, &credential.key)?.client().get_bytes("/healthz").await?;
    let answer = String::from_utf8_lossy(&answer);
    if answer.trim() != "ok" {
        bail!("the server isn't well: {}; `verbatim doctor` says more", answer.trim());
    }
    print(&answer)
}

/// An agent's name for people.
fn title(agent: &str) -> &str {
    agents::agent(agent).map_or(agent, |agent| agent.title)
}

fn server_line(server: &Server) -> String {
    match server {
        Server::Answers(credential) => format!("ok    server           {}", credential.url),
        Server::None => "-     server           not running; start it with `verbatim serve`".to_owned(),
        Server::Gone(credential) => format!(
            "-     server           not running; the last one, at {}, ended without cleaning up; start it with `verbatim serve`",
            credential.url
        ),
        Server::Silent { url, process, reason } => format!(
            "fail  server           process {process} holds the data directory, but no server answers at {url}: {}; \
             wait until that process ends, or end it, then start `verbatim serve`",
            reason.replace('\n', "; ")
        ),
    }
}

/// The copies that updates made of the database.
fn copies(dir: &Path) -> Vec<String> {
    let copies = store::update_copies(&dir.join(data_dir::DATABASE));
    copies.iter().map(|copy| format!("ok    update copy      {}", copy.display())).collect()
}

/// Is what is stored whole? Nobody knows while a server writes.
fn stored(faults: Option<&[String]>) -> Vec<String> {
    match faults {
        None => vec![
            "-     stored data      not checked while the server is running; stop it and run this again".to_owned(),
        ],
        Some([]) => vec!["ok    stored data      complete: each session has all of its messages".to_owned()],
        Some(faults) => {
            let fault = |fault: &String| format!("fail  stored data      {}", fault.replace('\n', "; "));
            let next = "                       `verbatim doctor --repair` recovers what can be read into a new file; what stays \
                damaged may be in the transcripts still: `verbatim import --data-dir FOLDER`";
            faults.iter().map(fault).chain([next.to_owned()]).collect()
        }
    }
}

fn audit_line(check: &AuditCheck) -> String {
    let (entries, head) = (check.entries, check.head.as_deref().unwrap_or_default());
    let counted = if entries == 1 { "1 entry".to_owned() } else { format!("{entries} entries") };
    match &check.fault {
        None if entries == 0 => "ok    audit log        no entries".to_owned(),
        None => format!("ok    audit log        {counted}, whole; the newest one has the hash {head}"),
        Some(fault) => {
            format!("fail  audit log        {counted}; entry {} doesn't fit: {}", fault.number, fault.meaning)
        }
    }
}

struct Examined {
    health: Health,
    /// Problems of the stored data. None while a server uses it.
    faults: Option<Vec<String>>,
    /// State of `PostgreSQL`'s checksums.
    checksums: Option<String>,
    audit: AuditCheck,
}

async fn health(args: &Doctor, server: &Server) -> Result<Examined> {
    if let Server::Silent { process, .. } = server {
        bail!("in use by process {process}, which doesn't answer");
    }
    let door = Door::open(&args.data).await?;
    let health = door.client.health(Nothing {}, Nothing {}).await;
    let audit = door.client.check_audit(Nothing {}, Nothing {}).await;
    let (faults, checksums) = match door.store() {
        Some(store) => (Some(repair::faults(store).await), repair::server_checksums(store).await),
        None => (None, None),
    };
    door.close().await;
    Ok(Examined { health: health?, faults: faults.transpose()?, checksums, audit: audit? })
}
