//! `verbatim export --all`: every session, a file each.

use super::super::{note, print, sessions};
use super::{address, query, redaction};
use crate::cli::{Export, ExportFormat};
use crate::door::Door;
use anyhow::{Context as _, Result, bail};
use api::sessions::SessionShow;
use indicatif::{HumanBytes, ProgressBar, ProgressStyle};
use std::path::Path;

/// Writes each session, those that were put away as well, with the sub-agents that its format includes.
pub async fn all(door: &Door, args: &Export, format: ExportFormat, folder: &Path) -> Result<()> {
    if matches!(format, ExportFormat::Original | ExportFormat::MessagesDb) {
        bail!("`--all` can't be combined with `--format {}`; `jsonl` has the imported bytes too", format.word());
    }
    let mut found = sessions::all(&door.client, None).await?;
    found.extend(sessions::all(&door.client, Some(SessionShow::Archived)).await?);
    std::fs::create_dir_all(folder).with_context(|| format!("{} can't be made", folder.display()))?;
    let style = ProgressStyle::with_template("{bar:32} {pos} of {len} sessions, {msg}, {eta} left")?;
    // On something else than a terminal it draws nothing.
    let bar = ProgressBar::new(found.len() as u64).with_style(style);
    let (mut bytes, mut places) = (0, 0);
    for session in &found {
        let id = session.id.as_str();
        if args.redact {
            places += redaction(door, args, id).await?.places;
        }
        let written = door.client.get_bytes(&address(id, format, &query(args))).await;
        let written = written.with_context(|| format!("session {id}"))?;
        let file = folder.join(format!("{id}.{}", format.ending()));
        // A file under its final name is always complete.
        let part = file.with_extension("part");
        std::fs::write(&part, &written)
            .and_then(|()| std::fs::rename(&part, &file))
            .with_context(|| format!("{} can't be written", file.display()))?;
        bytes += written.len() as u64;
        bar.set_message(HumanBytes(bytes).to_string());
        bar.inc(1);
    }
    let seconds = bar.elapsed().as_secs_f64();
    bar.finish_and_clear();
    if args.redact {
        note(&format!("{places} places masked"));
    }
    if !format.has_children() {
        note("Sub-agents aren't among them: `--format jsonl` has them in the file of the session that started them");
    }
    let speed = HumanBytes((bytes as f64 / seconds.max(0.001)) as u64);
    print(&format!("{} sessions, {} in {seconds:.1} s, {speed}/s\n", found.len(), HumanBytes(bytes)))
}
