//! `verbatim open`: a fresh log-in link of the running server.

use super::print;
use crate::cli::Open;
use crate::data_dir;
use anyhow::{Context as _, Result};
use api::Nothing;

pub async fn run(args: Open) -> Result<()> {
    let dir = data_dir::path(&args.data)?;
    let credential = data_dir::credential(&dir)
        .with_context(|| format!("no server runs on {}\nStart one with `verbatim serve`", dir.display()))?;
    let code = sdk::connect(&credential.url, &credential.key).create_launch_code(Nothing {}, Nothing {}).await?;
    print(&format!("{}\n", code.url))
}
