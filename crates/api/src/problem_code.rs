//! The table of problems: all that a request may be refused for. The description of the API names those of each endpoint.

macro_rules! problems {
    ($( $(#[doc = $doc:literal])+ $Name:ident = $status:literal $code:literal [$($topic:ident),*]; )+) => {
        /// Why a request is refused: an HTTP status, and a word for programs. Two may have the same word.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ProblemCode { $( $(#[doc = $doc])+ $Name, )+ }

        impl ProblemCode {
            /// All of them, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$Name),+];

            /// Returns the HTTP status.
            pub const fn status(self) -> u16 {
                match self { $(Self::$Name => $status,)+ }
            }

            /// Returns the word, which never changes.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$Name => $code,)+ }
            }

            /// Returns what it means, in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$Name => concat!($($doc),+),)+ }
            }

            /// Returns the topics of the endpoints that are refused so; empty for all of them.
            pub const fn topics(self) -> &'static [&'static str] {
                match self { $(Self::$Name => &[$(stringify!($topic)),*],)+ }
            }
        }
    };
}

problems! {
    /// A field can't be read, or isn't what it should be; `field` names it.
    InvalidField = 400 "invalid_field" [];
    /// The body can't be read; `field` names what is wrong in it.
    InvalidBody = 400 "invalid_body" [];
    /// The body isn't JSON.
    BrokenBody = 400 "broken_body" [];
    /// The body's values lie within each other too deeply.
    TooDeep = 400 "too_deep" [];
    /// The query can't be read; `field` names the parameter.
    InvalidQuery = 400 "invalid_query" [];
    /// The address can't be read.
    InvalidPath = 400 "invalid_path" [];
    /// Two fields are given of which only one may be.
    ConflictingFields = 400 "conflicting_fields" [];
    /// `If-Match` stands where nothing has revisions.
    NoRevisions = 400 "no_revisions" [];
    /// The metadata of a message is no JSON object.
    MetadataNotAnObject = 400 "metadata_not_an_object" [messages];
    /// The message type is no text of 1 to 200 characters.
    MessageTypeInvalid = 400 "message_type_invalid" [messages];
    /// The version of a payload is no whole number from 1.
    VersionInvalid = 400 "version_invalid" [messages];
    /// The payload is no JSON object.
    PayloadNotAnObject = 400 "payload_not_an_object" [messages];
    /// The payload doesn't fit the schema of its type.
    PayloadInvalid = 400 "payload_invalid" [messages];
    /// A field beside the payload doesn't fit.
    ExtraInvalid = 400 "extra_invalid" [messages];
    /// A field beside the payload may be set by the server alone.
    ExtraReserved = 400 "extra_reserved" [messages];
    /// The file has no bytes.
    EmptyBlob = 400 "empty_blob" [blobs];
    /// What a channel sends is no JSON.
    InvalidJson = 400 "invalid_json" [incoming];
    /// A request of the Model Context Protocol names no session.
    NoSession = 400 "no_session" [mcp];

    /// The request has no credential.
    NotLoggedIn = 401 "not_logged_in" [];
    /// The key is unknown, expired or revoked.
    KeyRefused = 401 "key_refused" [];
    /// The key was revoked, or expired, while the request waited.
    Revoked = 401 "revoked" [];
    /// The code of a log-in was used before, or is too old.
    InvalidCode = 401 "invalid_code" [login];
    /// The signature of what a channel sends is wrong.
    BadSignature = 401 "bad_signature" [incoming];

    /// This credential can't use the endpoint.
    Forbidden = 403 "forbidden" [];
    /// The key lacks a scope.
    ScopeMissing = 403 "scope_missing" [];
    /// A log-in changes something without its secret.
    SecretMissing = 403 "secret_missing" [];
    /// The request comes from another site.
    ForeignOrigin = 403 "foreign_origin" [];
    /// A key can't post in that role.
    RoleForbidden = 403 "role_forbidden" [messages];
    /// A key can't make memories.
    MemoryForbidden = 403 "memory_forbidden" [messages];
    /// Only people set that field.
    PeopleOnly = 403 "people_only" [sessions];
    /// The session, the message or the message type is another one's.
    NotYours = 403 "not_yours" [];
    /// Only a person decides.
    NotYoursToDecide = 403 "not_yours_to_decide" [messages];
    /// Nobody would see the question.
    CannotAsk = 403 "cannot_ask" [messages];
    /// The key has posted as much as it may.
    QuotaReached = 403 "quota_reached" [];
    /// The file has what the host said, which no model may read.
    ForPeople = 403 "for_people" [export];
    /// The channel doesn't know who speaks.
    Stranger = 403 "stranger" [incoming];

    /// There is no such thing, or it isn't the caller's.
    NotFound = 404 "not_found" [];
    /// The session was deleted.
    SessionDeleted = 404 "session_deleted" [];
    /// The session wasn't imported from a file.
    NoSource = 404 "no_source" [export];
    /// The address doesn't answer to that method; `Allow` tells to which.
    MethodNotAllowed = 405 "method_not_allowed" [];
    /// The body comes too slowly.
    BodyTooSlow = 408 "too_slow" [];

    /// Several things have that name: give more of it.
    Ambiguous = 409 "ambiguous" [];
    /// The id is in use for something else.
    IdConflict = 409 "id_conflict" [sessions, messages, runs, driving, host, schedules];
    /// The name is another session's.
    SessionTaken = 409 "session_taken" [sessions, host];
    /// The name is that of a deleted session.
    NameOfDeleted = 409 "session_deleted" [sessions, messages, runs, requests, driving, host, schedules, hooks];
    /// The archive holds a session that is here.
    Archive = 409 "archive" [imports];
    /// A message in this state can't come into that one.
    StatusConflict = 409 "status_conflict" [messages];
    /// It was taken back.
    Retracted = 409 "retracted" [messages, requests];
    /// It is decided already, or closed.
    Decided = 409 "decided" [messages, requests, incoming];
    /// It is answered already.
    Answered = 409 "answered" [messages, requests, incoming];
    /// Another reader took what waited.
    Stale = 409 "stale" [messages];
    /// The message decides nothing: decisions have an address of their own.
    NotADecision = 409 "not_a_decision" [messages];
    /// The message asks for no decision.
    NoApproval = 409 "no_approval" [requests];
    /// What is asked for isn't shown, so that it can only be denied.
    NoContent = 409 "no_content" [requests];
    /// Only the button of the request approves: it says what was shown.
    NotShown = 409 "not_shown" [messages];
    /// The agent doesn't wait for the answer any more.
    NobodyWaits = 409 "nobody_waits" [requests];
    /// The message could answer several requests.
    SeveralOpen = 409 "several_open" [incoming];
    /// The request was shown after the message was written.
    CameAfter = 409 "came_after" [incoming];
    /// The event of the channel came before.
    Repeated = 409 "repeated" [incoming, requests];
    /// A run is open that was begun in another way.
    RunOpen = 409 "run_open" [runs];
    /// The run has ended already, with another outcome.
    RunEnded = 409 "run_ended" [runs];
    /// The agent of the session runs already.
    AgentRuns = 409 "agent_runs" [driving];
    /// The agent of the session is being started.
    AgentStarts = 409 "agent_starts" [driving];
    /// The start was cancelled.
    StartCancelled = 409 "start_cancelled" [driving];
    /// The agent outlived its server, and still runs.
    AgentLeft = 409 "agent_left" [driving];
    /// The agent doesn't run.
    AgentEnded = 409 "agent_ended" [driving, requests];
    /// The agent wasn't started here, or can't be.
    NotDriven = 409 "not_driven" [driving];
    /// The agent can't do that.
    AgentCannot = 409 "agent_cannot" [driving, requests];
    /// The agent can't do that at the moment.
    NotNow = 409 "not_now" [driving, requests];
    /// The agent takes no commands any more.
    AgentStuck = 409 "agent_stuck" [driving, requests];
    /// The agent writes to a folder that isn't followed.
    NotFollowed = 409 "not_followed" [driving];
    /// Nobody would take the prompt of the schedule.
    NobodyTakesIt = 409 "nobody_takes_it" [schedules];
    /// There are as many schedules as there may be.
    TooManySchedules = 409 "too_many" [schedules];
    /// The schedule was changed meanwhile.
    ScheduleChanged = 409 "changed" [schedules];
    /// A file declares the message type.
    DeclaredByFile = 409 "declared_by_file" [types];
    /// There are as many declared types as there may be.
    TooManyTypes = 409 "too_many_types" [types];
    /// There are as many channels as there may be.
    TooManyChannels = 409 "too_many_channels" [channels];
    /// The channel has no address to test.
    NothingToTest = 409 "nothing_to_test" [channels];
    /// The channel's other side didn't take it.
    ChannelFailed = 409 "channel_failed" [channels];
    /// Nothing makes vectors here.
    NoEndpoint = 409 "no_endpoint" [memory];
    /// The cursor is of another history, as after a database was restored: read anew.
    CursorGone = 410 "cursor_gone" [events];
    /// The message has changed; `current` holds it.
    RevisionChanged = 412 "revision_changed" [];
    /// What it asks for has changed since it was shown; `current` holds it.
    Changed = 412 "changed" [];

    /// The body is larger than `x-body-limit`.
    TooLarge = 413 "too_large" [];
    /// The body has more than 50,000 values and keys.
    TooManyValues = 413 "too_many_values" [];
    /// The text of the message would be longer than 16 MiB.
    TooLong = 413 "too_long" [messages, runs, incoming, schedules];
    /// The body isn't marked as JSON.
    NotJson = 415 "not_json" [];
    /// The body is compressed.
    Encoded = 415 "encoded" [];
    /// This server doesn't answer to that host name.
    WrongHost = 421 "wrong_host" [];
    /// There is nothing to import.
    NothingToImport = 422 "nothing_to_import" [imports];
    /// A list has too many items.
    TooMany = 422 "too_many" [];
    /// It is no answer to the request.
    Unclear = 422 "unclear" [incoming];
    /// The credential asks too fast.
    TooFast = 429 "too_fast" [];
    /// The credential has as many event streams as it may have.
    TooManyStreams = 429 "too_many_streams" [events];
    /// The credential waits in as many requests as it may.
    TooManyWaits = 429 "too_many_waits" [messages, hooks];
    /// The credential has as many calls of tools open as it may have.
    TooManyCalls = 429 "too_many_calls" [mcp];
    /// As many connections are open as may be.
    TooManyConnections = 429 "too_many_connections" [];
    /// Too many wrong codes were given.
    TooManyAttempts = 429 "too_many_attempts" [login];
    /// As many uploads are running as may be.
    UploadsBusy = 429 "uploads_busy" [blobs];
    /// As many large requests are being read as may be.
    ReadersBusy = 429 "busy" [compat];
    /// The head has more than 100 headers, or more than 16 KiB.
    HeadTooLarge = 431 "head_too_large" [];
    /// Something went wrong on the server; its log has the details.
    Internal = 500 "internal" [];
    /// The message is damaged.
    MessageDamaged = 500 "message_damaged" [];
    /// The bytes that the message was read from are damaged.
    RecordDamaged = 500 "record_damaged" [];
    /// The bytes that the message was read from are lost.
    RecordLost = 500 "record_lost" [];
    /// The bytes of the file are damaged.
    BlobDamaged = 500 "blob_damaged" [];
    /// The agent's program can't be started, or ended at once.
    AgentNotStarted = 502 "agent_not_started" [driving];
    /// There is too much to do; nothing was written.
    Busy = 503 "busy" [];
    /// There are too many bytes of bodies to read.
    BodiesBusy = 503 "bodies_busy" [];
    /// The server is stopping; nothing was written.
    Stopping = 503 "stopping" [];
    /// The answer takes too long to compute.
    TooSlow = 503 "too_slow" [];
    /// The channel is paused.
    ChannelPaused = 503 "channel_paused" [incoming];
    /// The database is locked at the moment.
    DatabaseLocked = 503 "database_locked" [];
    /// The database can't be reached at the moment.
    DatabaseUnreachable = 503 "database_unreachable" [];
    /// The database can't be written to.
    DatabaseReadOnly = 503 "database_read_only" [];
    /// The database is of a newer version of the program.
    DatabaseNewer = 503 "database_newer" [];
    /// The database is damaged.
    DatabaseDamaged = 503 "database_damaged" [];
    /// The database is damaged: it can be read, and not written to.
    ReadOnly = 503 "read_only" [];
    /// The disk failed.
    DiskFailed = 503 "disk_failed" [];
    /// The disk is full; nothing was written.
    DiskFull = 507 "disk_full" [];
}
