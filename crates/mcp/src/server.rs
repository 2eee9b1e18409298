//! Answers the protocol: which tools there are, and calls of them.

use crate::Client;
use crate::call::{Call, Reply};
use crate::tools::{self, TOOLS};
use http::request::Parts;
use model::text::one_line;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, Implementation, ListToolsResult,
    PaginatedRequestParams, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use sdk::Message;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

/// For the model, beside the tools' own descriptions.
const INSTRUCTIONS: &str = "People follow your work in Verbatim and answer there. Log what matters, show diffs and todos, \
    and ask instead of guessing. Results also hold what people wrote to you since your last call.";

/// Longest name of a person in a result, in characters.
const NAME: usize = 80;

/// A server of the tools. Cheap to clone; clones share state.
#[derive(Clone, Default)]
pub struct Server {
    /// The only client. None where each request brings its own, as an extension of its HTTP head.
    client: Option<Client>,
    /// Messages of people that no result had space for, by session.
    unread: Arc<Mutex<HashMap<String, Vec<String>>>>,
}

impl Server {
    /// Makes a server for one client.
    pub fn new(client: Client) -> Self {
        Self { client: Some(client), ..Self::default() }
    }

    fn client(&self, context: &RequestContext<RoleServer>) -> Option<Client> {
        let sent = || context.extensions.get::<Parts>()?.extensions.get::<Client>().cloned();
        self.client.clone().or_else(sent)
    }

    /// Converts a reply for the client.
    fn result(&self, session: Option<&str>, reply: Reply) -> CallToolResult {
        let mut unread = self.unread.lock().unwrap_or_else(PoisonError::into_inner);
        let session = session.unwrap_or_default();
        let new = reply.queued.iter().map(line);
        if reply.alone {
            unread.entry(session.to_owned()).or_default().extend(new);
            return CallToolResult::success(vec![ContentBlock::text(reply.text)]);
        }
        let mut lines = unread.remove(session).unwrap_or_default();
        lines.extend(new);
        let mut content = vec![ContentBlock::text(reply.text)];
        if !lines.is_empty() {
            content.push(ContentBlock::text(format!("People wrote to you:\n{}", lines.join("\n"))));
        }
        CallToolResult::success(content)
    }
}

fn line(message: &Message) -> String {
    let draft = message.draft();
    let name = draft.sender_name.as_deref().unwrap_or(&draft.sender);
    format!("- {}: {}", one_line(name, NAME), message.text())
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("verbatim", env!("CARGO_PKG_VERSION")).with_title("Verbatim"))
            .with_instructions(INSTRUCTIONS)
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(TOOLS.iter().map(tools::Tool::describe).collect()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        TOOLS.iter().find(|tool| tool.name == name).map(tools::Tool::describe)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = TOOLS.iter().find(|tool| tool.name == request.name) else {
            let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
            let names = names.join("`, `");
            return Err(ErrorData::invalid_params(
                format!("There is no tool `{}`: use one of `{names}`", request.name),
                None,
            ));
        };
        let client =
            self.client(&context).ok_or_else(|| ErrorData::internal_error("The request has no client", None))?;
        let call = Call::new(client, context);
        let result = match (tool.run)(&call, request.arguments.unwrap_or_default()).await {
            Ok(reply) => self.result(call.client.session_id(), reply),
            Err(refusal) => CallToolResult::error(vec![ContentBlock::text(refusal.0)]),
        };
        Ok(result.into())
    }
}
