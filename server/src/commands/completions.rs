//! `verbatim completions` and `verbatim man`: the command line, for shells and as pages.

use super::{print, print_bytes};
use crate::cli::{self, Completions, Man};
use anyhow::{Context as _, Result};

pub fn completions(args: &Completions) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut cli::command(), "verbatim", &mut script);
    print_bytes(&script)
}

pub fn man(args: &Man) -> Result<()> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(cli::command(), folder))
        .with_context(|| format!("{} can't be written", folder.display()))?;
    print(&format!("Man pages are in {}\n", folder.display()))
}
