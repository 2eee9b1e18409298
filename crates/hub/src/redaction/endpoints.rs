//! The preview of a redacted export.

use crate::basics::problem;
use crate::context::Scoped;
use crate::imports::export::with_children;
use crate::may::session;
use crate::redaction::{Findings, Masking, redactor};
use api::messages::ListMessages;
use api::redaction::{RedactionQuery, RedactionReport};
use api::sessions::SessionPath;
use api::{Api as _, Problem};
use std::sync::Arc;

/// Messages that are looked through at once.
const PAGE: u32 = 200;

pub async fn preview_redaction(
    scoped: &Scoped,
    path: &SessionPath,
    query: RedactionQuery,
) -> Result<RedactionReport, Problem> {
    let redactor = redactor(&query.masks)?;
    let takes_children = match query.children {
        None | Some(0) => false,
        Some(1) => true,
        Some(_) => return Err(Problem::field("children", "0 or 1")),
    };
    let first = session(scoped, path).await?;
    let all = if takes_children { with_children(scoped, first).await? } else { vec![first] };
    let (mut findings, mut messages, mut files) = (Findings::default(), 0, 0);
    for session in all {
        files += scoped.hub.workspace.session_blob_count(&session.id).await.map_err(problem)?;
        Masking::new(&redactor, Some(&mut findings)).session(&mut session.clone());
        let (path, last) = (SessionPath { session: session.id.to_string() }, session.last_seq);
        let mut after = 0;
        while after < last {
            let query = ListMessages { after: Some(after), dev: Some(1), limit: Some(PAGE), ..ListMessages::default() };
            let page = scoped.list_messages(path.clone(), query).await?;
            after = page.to.max(after + 1);
            messages += i64::try_from(page.messages.len()).unwrap_or(i64::MAX);
            let redactor = Arc::clone(&redactor);
            // As long a computation as drawing a page.
            findings = scoped
                .compute(move |_| {
                    let mut findings = findings;
                    Masking::new(&redactor, Some(&mut findings)).page(page);
                    findings
                })
                .await?;
        }
    }
    Ok(findings.report(messages, files))
}
