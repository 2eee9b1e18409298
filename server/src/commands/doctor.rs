//! `verbatim doctor`: is everything in order, and where does it lie?

use super::print;
use crate::cli::Doctor;
use crate::data_dir;
use crate::door::{self, Door, Server};
use anyhow::{Result, bail};
use api::Nothing;

pub async fn run(args: Doctor) -> Result<()> {
    let dir = data_dir::path(&args.data)?;
    let mut lines = vec![format!("ok    data directory   {}", dir.display())];
    let mut failed = 0;
    let server = door::server(&dir).await;
    lines.push(match &server {
        Server::Answers(credential) => format!("ok    server           {}", credential.url),
        Server::None => "-     server           not running; start it with `verbatim serve`".to_owned(),
        Server::Gone(credential) => format!(
            "-     server           not running; the last one, at {}, ended without cleaning up; start it with `verbatim serve`",
            credential.url
        ),
        Server::Silent { url, process, reason } => {
            failed += 1;
            format!(
                "fail  server           process {process} holds the data directory, but no server answers at {url}: {}; \
                 wait until that process ends, or end it, then start `verbatim serve`",
                reason.replace('\n', "; ")
            )
        }
    });
    match health(&args, &server).await {
        Ok(health) => {
            lines.push(format!("ok    version          {}", health.version));
            lines.push(format!("ok    database         {}", health.store));
            let (sessions, sources, bytes) = (health.sessions, health.sources, health.source_bytes);
            lines.push(format!("ok    content          {sessions} sessions from {sources} files, {bytes} bytes kept"));
        }
        Err(error) => {
            failed += 1;
            lines.push(format!("fail  database         {}", error.to_string().replace('\n', "; ")));
        }
    }
    for folder in super::serve::claude_folders() {
        let files = hub::discover::transcripts_below(&folder).len();
        lines.push(format!("ok    Claude Code      {files} transcripts in {}", folder.display()));
    }
    print(&format!("{}\n", lines.join("\n")))?;
    if failed > 0 {
        bail!("{failed} of the checks failed");
    }
    Ok(())
}

async fn health(args: &Doctor, server: &Server) -> Result<api::account::Health> {
    if let Server::Silent { process, .. } = server {
        bail!("in use by process {process}, which doesn't answer");
    }
    let door = Door::open(&args.data).await?;
    let health = door.client.health(Nothing {}, Nothing {}).await;
    door.close().await;
    Ok(health?)
}
