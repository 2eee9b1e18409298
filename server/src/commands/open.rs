//! `verbatim open`: a fresh log-in link of the running server.

use super::print;
use crate::cli::Open;
use crate::data_dir;
use crate::door::{self, Server};
use anyhow::{Result, bail};
use api::Nothing;

pub async fn run(args: Open) -> Result<()> {
    let dir = data_dir::path(&args.data)?;
    let credential = match door::server(&dir).await {
        Server::Answers(credential) => credential,
        Server::None | Server::Gone(_) => bail!("no server runs on {}\nStart one with `verbatim serve`", dir.display()),
        Server::Silent { url, process, reason } => {
            bail!("process {process} holds {}, but no server answers at {url}: {reason}", dir.display())
        }
    };
    let code = sdk::connect(&credential.url, &credential.key).create_launch_code(Nothing {}, Nothing {}).await?;
    print(&format!("{}\n", code.url))
}
