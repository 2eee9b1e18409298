//! Converts a request to post into a validated draft, with all data that the store doesn't derive.

use crate::basics::hash::create_hash;
use crate::basics::new_id::new_uuid;
use crate::basics::{moment, problem};
use crate::caller::{Caller, Surface};
use crate::derived::edit_lines::files;
use crate::derived::search_text::search_text;
use crate::routing;
use crate::types::TypeTable;
use crate::writing::reports;
use api::keys::Scope;
use api::posting::{MemoryWish, PostMessage};
use api::type_settings::TypeSettings;
use api::{Problem, ProblemCode};
use jiff::tz::TimeZone;
use model::closed::Closed;
use model::envelope::review_info::REVIEW_INFO;
use model::envelope::{self, EnvelopeCode, EnvelopeError};
use model::message_type::approval::ApprovalState;
use model::message_type::file::CHOSEN;
use model::policy::{Display, display, facts_of, policy, remembers, should_embed, voice};
use model::routing::{MARK, Rules};
use model::strict::MISSING;
use model::{
    Body, Context, Draft, MessageId, MessageType, Micros, Provenance, Role, SessionId, Status, markdown, text,
};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use store::{FileChanged, LivePost, NewMessage, Sums};

/// Roles of an agent's messages: system messages are for people, and `host` is for Verbatim itself.
pub const AGENTS: &[Role] = &[Role::Assistant, Role::Model, Role::Tool];
/// Longest text of a message in bytes, however many pieces it comes in.
pub const CONTENT_BYTES: usize = 16 << 20;
/// Most edits, files and the like of one message.
pub const MOST_EDITS: usize = 1_000;
/// Lists in payloads that have a bound: type, path of the list, most items.
const LISTS: [(MessageType, &str, usize); 7] = [
    (MessageType::CodeEdit, "/edits", MOST_EDITS),
    (MessageType::File, "/files", MOST_EDITS),
    (MessageType::Todo, "/todos", 5_000),
    (MessageType::CodeReview, "/comments", 5_000),
    (MessageType::Approval, "/options", MOST_EDITS),
    (MessageType::Approval, "/questions", MOST_EDITS),
    (MessageType::Approval, "/fields", MOST_EDITS),
];
/// The extra of a person's message that names the channel and the event that it came by, or the program it was typed
/// in.
pub const ORIGIN: &str = "channel";
/// Longest name that somebody gives: of a sender, a call, a run. In characters.
const NAME_CHARS: usize = 200;
/// `POST /v1/sessions/{session}/messages/batch`: no message can have that address.
const BATCH: &str = "batch";

/// How the workspace treats what is posted to a session.
pub struct Treatment<'a> {
    pub settings: &'a TypeSettings,
    pub types: &'a TypeTable,
    pub rules: &'a Rules,
    /// Where the owner writes.
    pub surface: Surface,
    /// It is what an agent is told as it starts: it goes to the agent as it is.
    pub is_first: bool,
}

/// The post that a request asks for. `pointer` leads to it in the body: empty, or `/messages/3`.
pub fn post(
    caller: &Caller,
    treatment: &Treatment<'_>,
    session: &SessionId,
    input: PostMessage,
    pointer: &str,
    now: Micros,
) -> Result<LivePost, Problem> {
    let Treatment { settings, types, rules, surface, is_first } = treatment;
    let mut input = without_defaults(caller, input);
    let create_hash = hash_of(&mut input)?;
    let deliver = input.deliver;
    let (mut draft, body) =
        draft((caller, *surface), settings, input, types, now).map_err(|problem| below(pointer, problem))?;
    let route = if *is_first { None } else { routing::of_own(caller, &draft, rules) };
    let is_read = route.is_none_or(|route| routing::mark(&mut draft, &route));
    let said_by_person = draft.role == Role::User;
    // Messages of the system that a prompt can contain are for the agent too. An agent's own messages are given to
    // nobody.
    let is_for_agent = match draft.role {
        Role::User => draft.provenance == Provenance::Person && is_read,
        Role::System => draft.context != Context::None,
        _ => false,
    };
    if deliver.is_some() && !said_by_person && draft.role != Role::System {
        let expected = "absent: only messages of people and of the system are given to the agent";
        return Err(below(pointer, Problem::field("/deliver", expected)));
    }
    let takes_queue = !said_by_person && draft.role != Role::System && caller.user().is_none();
    let remembered = remembers(&draft, &rules.remembered_tools);
    let message = NewMessage { remembered, ..new_message(draft, body) };
    let mut post = LivePost::new(session.clone(), message, create_hash).map_err(problem)?;
    post.takes_queue = takes_queue;
    post.queued = deliver.unwrap_or(is_for_agent) && is_read;
    Ok(post)
}

/// Bytes on which work takes less time than handing it to another thread. Those of an edit are compared with each
/// other.
const SMALL: usize = 16 << 10;
const SMALL_EDIT: usize = 2 << 10;

/// Returns true if the message is so small that it can be worked on where requests are served. The content is only
/// hashed and cut, which takes less than reading its JSON did.
pub fn is_small(metadata: Option<&Value>) -> bool {
    let is_edit =
        metadata.is_some_and(|given| given.get("message_type").is_some_and(|of| of == MessageType::CodeEdit.as_str()));
    let mut left = if is_edit { SMALL_EDIT } else { SMALL };
    metadata.is_none_or(|given| fits(given, &mut left))
}

/// Takes the bytes of a value from what is left, and ends where there is nothing left.
fn fits(value: &Value, left: &mut usize) -> bool {
    /// A number, and what stands around a value.
    const EACH: usize = 8;
    match value {
        Value::String(text) => spend(left, text.len() + EACH),
        Value::Array(items) => spend(left, EACH) && items.iter().all(|item| fits(item, left)),
        Value::Object(fields) => fields.iter().all(|(key, value)| spend(left, key.len() + EACH) && fits(value, left)),
        Value::Null | Value::Bool(_) | Value::Number(_) => spend(left, EACH),
    }
}

fn spend(left: &mut usize, bytes: usize) -> bool {
    let rest = left.checked_sub(bytes);
    *left = rest.unwrap_or(0);
    rest.is_some()
}

/// The hash by which a repeated post is known. Canonical JSON takes twice the memory of a text: that of a long one is
/// hashed apart.
fn hash_of(input: &mut PostMessage) -> Result<Vec<u8>, Problem> {
    const LONG: usize = 1 << 20;
    let Some(content) = input.content.take_if(|content| content.len() > LONG) else { return create_hash(input) };
    let hash = create_hash(&(&*input, Sha256::digest(&content).as_slice()));
    input.content = Some(content);
    hash
}

/// A default that is written out says what its absence says: a client that begins to write it repeats the same post.
fn without_defaults(caller: &Caller, mut input: PostMessage) -> PostMessage {
    input.role = input.role.filter(|given| role(caller, None).ok() != Some(*given));
    input.status = input.status.filter(|status| *status != Status::Final);
    input.requires_user_input = input.requires_user_input.filter(|requires| *requires);
    input.context = input.context.filter(|context| *context != Context::Turn);
    input
}

/// A field's pointer, from the beginning of the body.
pub fn below(pointer: &str, problem: Problem) -> Problem {
    let Some(field) = problem.field else { return problem };
    let title = problem.title.replace(&format!("`{field}`"), &format!("`{pointer}{field}`"));
    Problem { title, field: Some(format!("{pointer}{field}")), ..problem }
}

fn given_status(status: Option<Status>) -> Result<Status, Problem> {
    match status.unwrap_or(Status::Final) {
        status @ (Status::Final | Status::Streaming | Status::Error) => Ok(status),
        _ => Err(Problem::field("/status", "`final`, `streaming` or `error`")),
    }
}

/// The id that a message is posted with, else a new one.
fn given_id(id: Option<String>) -> Result<MessageId, Problem> {
    match id {
        Some(id) if id == BATCH => Err(Problem::field("/id", "another id: `batch` is reserved")),
        Some(id) => MessageId::parse_new(id).map_err(|error| Problem::field("/id", &error.to_string())),
        None => Ok(new_id()),
    }
}

/// The message, and its content as it was read.
fn draft(
    (caller, surface): (&Caller, Surface),
    settings: &TypeSettings,
    input: PostMessage,
    types: &TypeTable,
    now: Micros,
) -> Result<(Draft, Body), Problem> {
    let role = role(caller, input.role)?;
    let is_agent = matches!(caller, Caller::Agent(_));
    let status = given_status(input.status)?;
    let id = given_id(input.id)?;
    let (mut metadata, body) = metadata(caller, settings, input.message_metadata)?;
    let provenance = provenance(caller, role, input.sender.as_deref(), &body);
    let is_persons = role == Role::User && provenance == Provenance::Person;
    if is_persons && metadata.as_ref().is_some_and(|extras| extras.contains_key(MARK)) {
        let field = format!("/message_metadata/{MARK}");
        return Err(Problem::field(&field, "absent: only the server can set it"));
    }
    if let Some(wish) = input.memory {
        remember(caller, &mut metadata, wish)?;
    }
    check_content(caller, input.content.as_deref(), metadata.is_some(), status)?;
    // Posts with this machine's credential are stored unchanged.
    if role == Role::User
        && caller.user().is_some()
        && let Some(origin) = surface.extra()
    {
        metadata.get_or_insert_default().entry(ORIGIN).or_insert(origin);
    }
    let requires_user_input = input.requires_user_input.unwrap_or(false);
    if requires_user_input && role == Role::User {
        return Err(Problem::field("/requires_user_input", "false: a person's message can't ask a person"));
    }
    let created_at = input.created_at.map(|at| moment_of(&at)).transpose()?.unwrap_or(now);
    let sender = name("/sender", input.sender)?.unwrap_or_else(|| sender(caller, role, surface).to_owned());
    let mut draft = Draft {
        sender_name: name("/sender_name", input.sender_name)?
            .or_else(|| if is_persons { caller.user().and_then(|user| user.name.clone()) } else { sender_name(caller) })
            .or_else(|| (is_persons && is_agent).then(|| sender.clone())),
        sender,
        context: input.context.unwrap_or(Context::Turn),
        status,
        requires_user_input,
        metadata,
        provenance,
        call_id: name("/call_id", input.call_id)?,
        reply_to: input.reply_to.map(|id| id_of("/reply_to", id)).transpose()?,
        run_id: name("/run_id", input.run_id)?,
        ..Draft::text(id, role, "", input.content.unwrap_or_default(), created_at)
    };
    give_voice(&mut draft);
    types.complete(&mut draft, &body);
    complete(&mut draft, &body);
    if is_agent {
        agents_own(&draft, &body)?;
    }
    asks_in_sight(&draft, &body)?;
    Ok((draft, body))
}

/// Returns who a message is by. An agent's key passes people's words on, but for a bridge: what a person wrote
/// elsewhere, under their own address, is theirs. It is a text or files: ticks and presses are made where they are
/// shown.
fn provenance(caller: &Caller, role: Role, sender: Option<&str>, body: &Body) -> Provenance {
    let Caller::Agent(agent) = caller else { return Provenance::Person };
    let is_address =
        sender.is_some_and(|sender| !sender.trim().is_empty() && voice(sender).is_none_or(|it| it == Role::User));
    let is_said = role == Role::User && is_address && matches!(body, Body::Text(_) | Body::File(_));
    if is_said && agent.scopes.contains(&Scope::Bridge) { Provenance::Person } else { Provenance::Key }
}

/// Refuses a text that is too long, and a message that says nothing.
fn check_content(caller: &Caller, content: Option<&str>, has_metadata: bool, status: Status) -> Result<(), Problem> {
    if content.is_some_and(|content| content.len() > CONTENT_BYTES) {
        return Err(too_long("/content", CONTENT_BYTES));
    }
    if has_metadata {
        return Ok(());
    }
    if content.is_none() && status != Status::Streaming {
        return Err(Problem::field("/content", "a string; or give `message_metadata`"));
    }
    if content.is_some_and(text::is_blank) && caller.user().is_some() {
        return Err(Problem::field("/content", "a string that isn't blank"));
    }
    Ok(())
}

/// Gives a text that was posted as the assistant's the role of its sender word, where an agent may write that role: the
/// older products post reasoning and tool output that way, as records that no prompt holds.
fn give_voice(draft: &mut Draft) {
    let is_text = draft.role == Role::Assistant && draft.message_type() == MessageType::Text;
    if let Some(role @ (Role::Model | Role::Tool)) = voice(&draft.sender).filter(|_| is_text) {
        draft.role = role;
        if !draft.sender.trim().eq_ignore_ascii_case("command_output") {
            draft.context = Context::None;
        }
    }
}

/// Refuses a message that would wait for a person who can't see it.
pub fn asks_in_sight(draft: &Draft, body: &Body) -> Result<(), Problem> {
    let refused = |field: &str, expected: &str| Err(Problem::field(field, expected).coded(ProblemCode::CannotAsk));
    let is_open = matches!(body, Body::Approval(approval) if approval.state.is_open());
    if !draft.may_ask() && is_open {
        return refused("/role", "`assistant`: only that role can post an open APPROVAL");
    }
    if draft.requires_user_input && display(draft) == Display::Dev {
        return refused(
            "/requires_user_input",
            "false: this message is only shown in developer mode, so that nobody would answer it",
        );
    }
    Ok(())
}

/// Adds derived data: missing content, and the context that the policy allows.
pub fn complete(draft: &mut Draft, body: &Body) {
    if draft.content.is_empty() && draft.message_type() != MessageType::Text {
        draft.content = markdown::generated(draft, body);
    }
    draft.context = policy(&facts_of(draft)).context;
}

/// The extra that keeps what people chose of a message's buttons; None where its type keeps it elsewhere, or has none.
pub fn choices(draft: &Draft) -> Option<&'static str> {
    match MessageType::parse(draft.message_type())? {
        MessageType::File => Some(CHOSEN),
        MessageType::CodeReview => Some(REVIEW_INFO),
        _ => None,
    }
}

/// Refuses what no agent can post, whatever its scopes: answers to its own questions.
pub fn agents_own(draft: &Draft, body: &Body) -> Result<(), Problem> {
    let refused = |title: &str, field: &str| {
        Err(Problem { field: Some(field.to_owned()), ..Problem::new(ProblemCode::NotYoursToDecide, title) })
    };
    if let Some(key) = choices(draft)
        && draft.metadata.as_ref().is_some_and(|metadata| metadata.contains_key(key))
    {
        return refused("Only a person can press buttons", &format!("/message_metadata/{key}"));
    }
    if draft.metadata.as_ref().is_some_and(|metadata| metadata.contains_key(Closed::KEY)) {
        let field = format!("/message_metadata/{}", Closed::KEY);
        return refused("An agent can't close a request; it can retract its own", &field);
    }
    match body {
        Body::Action(_) => refused("Only a person can press buttons", "/message_metadata/message_type"),
        // A person's choice in an unknown or unchecked type is refused too.
        Body::Unknown { message_type, .. } | Body::Invalid { message_type, .. }
            if *message_type == MessageType::Action
                || *message_type == MessageType::Approval && is_decided(draft)
                || is_built_in(message_type) && has_choices(draft) =>
        {
            refused("Only a person can press buttons", "/message_metadata")
        }
        Body::Approval(approval) if approval.state.is_persons() => {
            refused("An agent can't decide; it can ask, and retract its question", "/message_metadata/payload/state")
        }
        _ => Ok(()),
    }
}

fn is_built_in(message_type: &str) -> bool {
    MessageType::parse(message_type).is_some()
}

/// Returns true if the payload of an APPROVAL that can't be read has a person's decision.
fn is_decided(draft: &Draft) -> bool {
    let state = draft.metadata.as_ref().and_then(|metadata| metadata.get("payload")?.get("state")?.as_str());
    state.and_then(ApprovalState::parse).is_some_and(ApprovalState::is_persons)
}

fn has_choices(draft: &Draft) -> bool {
    draft.metadata.as_ref().is_some_and(|extras| extras.contains_key(CHOSEN) || extras.contains_key(REVIEW_INFO))
}

/// Reads metadata as the settings of its type say: checked, or as it came.
///
/// # Errors
///
/// If the metadata doesn't fit, as for [`envelope::read`].
pub fn read_metadata(
    settings: &TypeSettings,
    given: Option<Value>,
) -> Result<(Option<Map<String, Value>>, Body), EnvelopeError> {
    let tag = given.as_ref().and_then(|given| given.get("message_type")?.as_str());
    let is_unvalidated = tag.is_some_and(|tag| settings.is_unvalidated(tag));
    if is_unvalidated { envelope::read_unvalidated(given) } else { envelope::read(given) }
}

/// Metadata as it is stored, and the content that was read of it.
pub fn metadata(
    caller: &Caller,
    settings: &TypeSettings,
    given: Option<Value>,
) -> Result<(Option<Map<String, Value>>, Body), Problem> {
    if let Some(problem) = given.as_ref().and_then(too_many) {
        return Err(problem);
    }
    let (mut metadata, mut body) = read_metadata(settings, given).map_err(refused)?;
    if let Some((pointer, expected)) = undecidable(&body).or_else(|| nameless(&body)) {
        return Err(Problem::field(&format!("/message_metadata/payload{pointer}"), expected));
    }
    if let Some(metadata) = &mut metadata
        && reports::attribute(caller, metadata)?
    {
        body = Body::of_metadata(Some(metadata));
    }
    // Said beside the payload, it is the same wish as in `memory`.
    let wish = metadata.as_ref().and_then(|metadata| metadata.get("embed")?.as_str());
    match (wish, caller) {
        (Some("always"), Caller::Agent(_)) => Err(no_memory("/message_metadata/embed")),
        _ => Ok((metadata, body)),
    }
}

/// A list in the payload with more items than a message has. What readers find in transcripts is kept whatever it has.
fn too_many(metadata: &Value) -> Option<Problem> {
    let message_type = metadata.get("message_type")?.as_str()?;
    let payload = metadata.get("payload")?;
    LISTS.iter().filter(|(of, ..)| message_type == *of).find_map(|(_, list, most)| {
        let items = payload.pointer(list)?.as_array()?.len();
        let expected = format!("at most {most} items; got {items}");
        let problem = Problem::field(&format!("/message_metadata/payload{list}"), &expected);
        let hint = "Split it into several messages";
        (items > *most).then(|| problem.coded(ProblemCode::TooMany).hint(hint))
    })
}

/// Where in its payload an approval can't be answered, and what was expected there: what a person chooses is named by
/// its id alone.
fn undecidable(body: &Body) -> Option<(String, &'static str)> {
    let Body::Approval(approval) = body else { return None };
    let twice = approval.ambiguous().map(|pointer| (pointer, "an id that is unique in this approval"));
    let none = "an array of at least one option, because the field is required";
    twice.or_else(|| approval.unanswerable().map(|pointer| (pointer, none)))
}

/// Where in its payload an edit names no file that anybody could read.
fn nameless(body: &Body) -> Option<(String, &'static str)> {
    let Body::CodeEdit(edit) = body else { return None };
    let index = edit.edits.iter().position(|edit| text::is_blank(&edit.file_path))?;
    Some((format!("/edits/{index}/file_path"), "a path that isn't blank"))
}

fn no_memory(field: &str) -> Problem {
    let problem = Problem::field(field, "`never`: agents can't create memories");
    problem.coded(ProblemCode::MemoryForbidden)
}

/// A text that is longer than is stored.
pub fn too_long(field: &str, most: usize) -> Problem {
    let expected = format!("a text of at most {most} bytes");
    Problem::field(field, &expected).coded(ProblemCode::TooLong)
}

fn refused(error: EnvelopeError) -> Problem {
    let field = format!("/message_metadata{}", error.problem.pointer);
    let expected = error.problem.expected.as_str();
    let problem = if expected == MISSING { Problem::missing(&field) } else { Problem::field(&field, expected) };
    problem.coded(match error.code {
        EnvelopeCode::NotAnObject => ProblemCode::MetadataNotAnObject,
        EnvelopeCode::MessageType => ProblemCode::MessageTypeInvalid,
        EnvelopeCode::Version => ProblemCode::VersionInvalid,
        EnvelopeCode::PayloadNotAnObject => ProblemCode::PayloadNotAnObject,
        EnvelopeCode::Payload => ProblemCode::PayloadInvalid,
        EnvelopeCode::Extra => ProblemCode::ExtraInvalid,
        EnvelopeCode::ReservedExtra => ProblemCode::ExtraReserved,
    })
}

/// A message with its place in the dashboard, the words to find it by and what it adds to its session.
pub fn new_message(draft: Draft, body: Body) -> NewMessage {
    let files = files(&draft, &body);
    NewMessage {
        display: display(&draft),
        search_text: search_text(&draft, &body),
        remembered: should_embed(&draft),
        sums: sums(&draft, &body, &files),
        files,
        draft,
        body,
    }
}

fn sums(draft: &Draft, body: &Body, files: &[FileChanged]) -> Sums {
    let mut sums = Sums::default();
    match body {
        Body::Text(_) if matches!(draft.role, Role::User | Role::Assistant) => {
            sums.first_prompt = Some(text::title(&draft.content)).filter(|line| !line.is_empty());
        }
        Body::CodeEdit(_) => {
            sums.lines_added = files.iter().map(|file| file.added).sum();
            sums.lines_removed = files.iter().map(|file| file.removed).sum();
        }
        Body::Todo(_) if draft.is_todo_list() => {
            sums.todos = Some(model::todo_state::todo_state([draft]).progress());
        }
        _ => {}
    }
    sums
}

fn role(caller: &Caller, asked: Option<Role>) -> Result<Role, Problem> {
    let (own, more): (&[Role], &[Role]) = match caller {
        Caller::User(_) => (&[Role::User, Role::System], &[]),
        Caller::Local => (AGENTS, &[Role::User, Role::System]),
        Caller::Agent(_) => (AGENTS, &[Role::User]),
    };
    let may = [own, more].concat();
    let role = asked.or(may.first().copied()).unwrap_or(Role::Assistant);
    if !may.contains(&role) {
        let words: Vec<String> = may.iter().map(|role| format!("`{role}`")).collect();
        let problem = Problem::field("/role", &words.join(", "));
        let problem = problem.coded(ProblemCode::RoleForbidden);
        return Err(match role {
            Role::Host => {
                problem.hint("Post messages of the host to `POST /v1/host-messages`, or by `verbatim notify`")
            }
            Role::System => problem
                .hint("Only people can send it: `verbatim send --role system`. For one run, use `system_notices`"),
            _ => problem,
        });
    }
    if role == Role::User {
        caller.require(Scope::Mirror)?;
    }
    Ok(role)
}

fn sender(caller: &Caller, role: Role, surface: Surface) -> &'static str {
    match (caller, role) {
        (Caller::User(_), Role::User) => surface.sender(),
        // Whatever program it is: it may name a sender itself.
        (Caller::Agent(_) | Caller::Local, Role::User) => Surface::Web.sender(),
        (_, Role::System) => "system",
        (_, Role::Tool) => "tool",
        (_, Role::Model) => "thinking",
        _ => "bot",
    }
}

fn sender_name(caller: &Caller) -> Option<String> {
    match caller {
        Caller::Agent(agent) => Some(agent.name.clone()),
        Caller::User(user) => user.name.clone(),
        Caller::Local => None,
    }
}

fn name(field: &str, given: Option<String>) -> Result<Option<String>, Problem> {
    match given.filter(|name| !name.is_empty()) {
        Some(name) if name.chars().count() > NAME_CHARS => {
            Err(Problem::field(field, &format!("at most {NAME_CHARS} characters")))
        }
        name => Ok(name),
    }
}

fn remember(caller: &Caller, metadata: &mut Option<Map<String, Value>>, wish: MemoryWish) -> Result<(), Problem> {
    let word = match (wish, caller) {
        (MemoryWish::Always, Caller::Agent(_)) => return Err(no_memory("/memory")),
        (MemoryWish::Always, _) => "always",
        (MemoryWish::Never, _) => "never",
    };
    metadata.get_or_insert_default().insert("embed".to_owned(), Value::from(word));
    Ok(())
}

fn moment_of(value: &Value) -> Result<Micros, Problem> {
    let at = moment::start("/created_at", &moment::text(value), &TimeZone::system())?;
    if moment::is_shown(at) { Ok(at) } else { Err(Problem::field("/created_at", "a time before the year 10000")) }
}

fn id_of(field: &str, id: String) -> Result<MessageId, Problem> {
    MessageId::parse(id).map_err(|error| Problem::field(field, &error.to_string()))
}

/// A `UUIDv7`.
pub fn new_id() -> MessageId {
    MessageId::from_uuid(new_uuid())
}
