//! `verbatim open`: a fresh log-in link of the running server.

use super::print;
use crate::cli::Open;
use crate::door;
use anyhow::Result;
use api::Nothing;

pub async fn run(args: Open) -> Result<()> {
    let verbatim = door::answering(&args.data).await?;
    let code = verbatim.client().create_launch_code(Nothing {}, Nothing {}).await?;
    print(&format!("{}\n", code.url))
}
