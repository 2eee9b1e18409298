//! `verbatim export`: a session as it was imported, byte for byte, or written out.

use super::print;
use crate::cli::{Export, ExportFormat};
use crate::door::Door;
use anyhow::{Context as _, Result};
use api::Route as _;
use api::contract::ExportSession;
use std::io::Write as _;

pub async fn run(args: Export) -> Result<()> {
    let door = Door::find(&args.data).await?;
    let format = match args.format {
        ExportFormat::Original => "original",
        ExportFormat::Jsonl => "jsonl",
        ExportFormat::Json => "json",
        ExportFormat::Html => "html",
        ExportFormat::Markdown => "markdown",
    };
    let only = args.only.filter().api_query();
    let path = format!("{}?format={format}{only}", ExportSession.path([&args.session]));
    let bytes = door.client.get_bytes(&path).await;
    door.close().await;
    let bytes = bytes?;
    if let Some(file) = &args.output {
        return std::fs::write(file, bytes).with_context(|| format!("{} can't be written", file.display()));
    }
    match std::io::stdout().write_all(&bytes) {
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
        other => other.context("standard output can't be written"),
    }?;
    print("")
}
