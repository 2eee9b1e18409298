//! The context of an agent that was started here, whose messages are read from its protocol and which keeps its
//! requests in a database of its own: `OpenCode`. To start it was consent to read what it keeps of the session.

use super::{READ, notices};
use crate::basics::problem;
use crate::context::{Hub, Root, Scoped};
use crate::imports::discover::look::look;
use agents::context::Transcript;
use api::Problem;
use model::model_context::{ContextBlock, ModelContext};
use model::{Session, SourceId};
use std::io::Cursor;
use std::path::PathBuf;
use store::StoredMessage;
use store::opencode::OpenCode;

/// The agent, as the programs that are started here and as its transcripts are called.
const OPENCODE: &str = "opencode";

/// Returns the context that a message was written in, or the last one, as the agent's database has it. None of other
/// agents, and where the database doesn't hold the session or the message.
pub async fn kept(
    scoped: &Scoped,
    session: &Session,
    target: Option<&StoredMessage>,
) -> Result<Option<ModelContext>, Problem> {
    let Some(document) = document(scoped, session).await? else { return Ok(None) };
    let Some(mut transcript) = Transcript::of(OPENCODE) else { return Ok(None) };
    // No record of it is stored: it is found by its call or its words, and leads to messages by them.
    let source = SourceId::parse(OPENCODE).map_err(|_| Problem::internal())?;
    let sought = target.map(|target| &target.message.draft);
    let sought = sought.map(|draft| (draft.call_id.clone(), draft.content.clone()));
    let notices = notices(scoped, session, target).await?;
    let finding = scoped.compute(move |_| {
        transcript.push(&source, 0, &document);
        transcript.finish();
        let at = match &sought {
            Some((call_id, text)) => Some(transcript.find(call_id.as_deref(), text)?),
            None => None,
        };
        let mut context = transcript.context(at.as_ref(), notices.as_deref())?;
        without_records(&mut context);
        Some(context)
    });
    finding.await
}

/// The session as the agent's database has it, if that is on this machine and isn't larger than what is read of files.
async fn document(scoped: &Scoped, session: &Session) -> Result<Option<Vec<u8>>, Problem> {
    let hub = &scoped.hub;
    let driven = hub.workspace.driven(&session.id).await.map_err(problem)?;
    let is_opencode = driven.is_some_and(|driven| driven.program == OPENCODE);
    let Some(id) = session.agent_session_id.clone().filter(|_| is_opencode) else { return Ok(None) };
    let listed = databases(hub);
    let databases = tokio::task::spawn_blocking(listed).await.map_err(|_| Problem::internal())?;
    for path in databases {
        // Another agent may write to it: one that can't be read holds nothing.
        let Ok(mut database) = OpenCode::open(&path).await else { continue };
        let mut document = Cursor::new(Vec::new());
        let exported = database.export(&id, &mut document).await;
        database.close().await;
        let document = document.into_inner();
        if exported.is_ok() && document.len() as u64 <= READ {
            return Ok(Some(document));
        }
    }
    Ok(None)
}

/// Lists the databases in the folders that the agent keeps.
fn databases(hub: &Hub) -> impl FnOnce() -> Vec<PathBuf> + Send + use<> {
    let roots = hub.settings.roots.iter().filter(|root| root.agent == OPENCODE && root.folder.shallow);
    let roots: Vec<Root> = roots.cloned().collect();
    move || {
        let found = roots.iter().map(|root| look(&root.path, root.folder.endings, root.folder.depth()));
        found.flat_map(|found| found.files).collect()
    }
}

/// Takes out the places of records that aren't stored.
fn without_records(context: &mut ModelContext) {
    let clear = |block: &mut ContextBlock| block.records.clear();
    context.system.iter_mut().chain(&mut context.tools).for_each(clear);
    context.messages.iter_mut().flat_map(|message| &mut message.blocks).for_each(clear);
    context.reply.records.clear();
    if let Some(change) = &mut context.change {
        change.previous.records.clear();
        change.dropped.iter_mut().map(|dropped| &mut dropped.block).for_each(clear);
    }
}
