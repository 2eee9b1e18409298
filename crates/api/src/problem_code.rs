//! The table of problems: the errors of the API. The API's description lists those of each endpoint.

macro_rules! problems {
    ($( $(#[doc = $doc:literal])+ $Name:ident = $status:literal $code:literal [$($topic:ident),*]; )+) => {
        /// An error of the API: an HTTP status, and a code for programs. Two errors can have the same code.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum ProblemCode { $( $(#[doc = $doc])+ $Name, )+ }

        impl ProblemCode {
            /// All problems, in the order of the table.
            pub const ALL: &'static [Self] = &[$(Self::$Name),+];

            /// Returns the HTTP status.
            pub const fn status(self) -> u16 {
                match self { $(Self::$Name => $status,)+ }
            }

            /// Returns the code, which never changes.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$Name => $code,)+ }
            }

            /// Returns its meaning in one sentence.
            pub const fn meaning(self) -> &'static str {
                match self { $(Self::$Name => concat!($($doc),+),)+ }
            }

            /// Returns the topics of the endpoints that return it; empty for all endpoints.
            pub const fn topics(self) -> &'static [&'static str] {
                match self { $(Self::$Name => &[$(stringify!($topic)),*],)+ }
            }
        }
    };
}

problems! {
    /// A field is invalid; `field` names it.
    InvalidField = 400 "invalid_field" [];
    /// The body is invalid; `field` names the invalid part.
    InvalidBody = 400 "invalid_body" [];
    /// The body isn't JSON.
    BrokenBody = 400 "broken_body" [];
    /// The body is nested too deeply.
    TooDeep = 400 "too_deep" [];
    /// The query is invalid; `field` names the parameter.
    InvalidQuery = 400 "invalid_query" [];
    /// The path is invalid.
    InvalidPath = 400 "invalid_path" [];
    /// Two fields are given that can't be combined.
    ConflictingFields = 400 "conflicting_fields" [];
    /// `If-Match` is given for a resource without revisions.
    NoRevisions = 400 "no_revisions" [];
    /// The metadata of a message isn't a JSON object.
    MetadataNotAnObject = 400 "metadata_not_an_object" [messages];
    /// The message type isn't a string of 1 to 200 characters.
    MessageTypeInvalid = 400 "message_type_invalid" [messages];
    /// The version of a payload isn't a positive integer.
    VersionInvalid = 400 "version_invalid" [messages];
    /// The payload isn't a JSON object.
    PayloadNotAnObject = 400 "payload_not_an_object" [messages];
    /// The payload doesn't match the schema of its type.
    PayloadInvalid = 400 "payload_invalid" [messages];
    /// A field beside the payload is invalid.
    ExtraInvalid = 400 "extra_invalid" [messages];
    /// A field beside the payload can only be set by the server.
    ExtraReserved = 400 "extra_reserved" [messages];
    /// The file is empty.
    EmptyBlob = 400 "empty_blob" [blobs];
    /// The body of a channel's message isn't JSON.
    InvalidJson = 400 "invalid_json" [incoming];
    /// A request of the Model Context Protocol has no session.
    NoSession = 400 "no_session" [mcp];

    /// The request has no credential.
    NotLoggedIn = 401 "not_logged_in" [];
    /// The key is unknown, expired or revoked.
    KeyRefused = 401 "key_refused" [];
    /// The key was revoked or has expired while the request waited.
    Revoked = 401 "revoked" [];
    /// The log-in code is unknown, expired or already used.
    InvalidCode = 401 "invalid_code" [login];
    /// No person has that name and password.
    WrongPassword = 401 "wrong_password" [login];
    /// The passkey is unknown, or its answer is wrong or too late.
    WrongPasskey = 401 "wrong_passkey" [login];
    /// The signature of a channel's message is wrong.
    BadSignature = 401 "bad_signature" [incoming];

    /// This kind of credential can't use the endpoint.
    Forbidden = 403 "forbidden" [];
    /// The key lacks a required scope.
    ScopeMissing = 403 "scope_missing" [];
    /// The log-in is older than 15 minutes.
    LogInAgain = 403 "log_in_again" [account];
    /// A log-in's request that changes something lacks the secret.
    SecretMissing = 403 "secret_missing" [];
    /// The request comes from another site.
    ForeignOrigin = 403 "foreign_origin" [];
    /// The request of another machine comes without TLS.
    TlsRequired = 403 "tls_required" [];
    /// A key can't post with that role.
    RoleForbidden = 403 "role_forbidden" [messages];
    /// A key can't create memories.
    MemoryForbidden = 403 "memory_forbidden" [messages];
    /// Only people can set that field.
    PeopleOnly = 403 "people_only" [sessions];
    /// The session, message or message type belongs to another key.
    NotYours = 403 "not_yours" [];
    /// Only a person can decide.
    NotYoursToDecide = 403 "not_yours_to_decide" [messages];
    /// No person would see the question.
    CannotAsk = 403 "cannot_ask" [messages];
    /// The quota of the key is used up.
    QuotaReached = 403 "quota_reached" [];
    /// The file contains messages of the host, which models can't read.
    ForPeople = 403 "for_people" [export];
    /// The key belongs to no machine.
    NoMachine = 403 "no_machine" [machines];
    /// The sender isn't one of the channel's people.
    Stranger = 403 "stranger" [incoming];

    /// The resource doesn't exist, or belongs to another caller.
    NotFound = 404 "not_found" [];
    /// The session was deleted.
    SessionDeleted = 404 "session_deleted" [];
    /// The session wasn't imported from a file.
    NoSource = 404 "no_source" [export];
    /// The path doesn't support the method; the `Allow` header lists those that it supports.
    MethodNotAllowed = 405 "method_not_allowed" [];
    /// The body is sent too slowly.
    BodyTooSlow = 408 "too_slow" [];

    /// Several resources match the prefix; give more characters.
    Ambiguous = 409 "ambiguous" [];
    /// The id is already used with different content.
    IdConflict = 409 "id_conflict" [sessions, messages, runs, driving, host, schedules];
    /// The name belongs to another session.
    SessionTaken = 409 "session_taken" [sessions, host];
    /// The name belongs to a deleted session.
    NameOfDeleted = 409 "session_deleted" [sessions, messages, runs, requests, driving, host, schedules, hooks];
    /// The archive contains a session that already exists here.
    Archive = 409 "archive" [imports];
    /// The message can't change from its status to the requested one.
    StatusConflict = 409 "status_conflict" [messages];
    /// The message was retracted.
    Retracted = 409 "retracted" [messages, requests];
    /// It was already decided or closed.
    Decided = 409 "decided" [messages, requests, incoming];
    /// It was already answered.
    Answered = 409 "answered" [messages, requests, incoming];
    /// Another reader took the waiting messages.
    Stale = 409 "stale" [messages];
    /// The message can't be a decision; decisions have their own endpoint.
    NotADecision = 409 "not_a_decision" [messages];
    /// The message doesn't ask for a decision.
    NoApproval = 409 "no_approval" [requests];
    /// The request doesn't show what it asks for, so that it can only be denied.
    NoContent = 409 "no_content" [requests];
    /// It can only be approved by the button of the request, which records what was shown.
    NotShown = 409 "not_shown" [messages];
    /// The agent no longer waits for the answer.
    NobodyWaits = 409 "nobody_waits" [requests];
    /// The message could answer several requests.
    SeveralOpen = 409 "several_open" [incoming];
    /// The request was shown after the message was written.
    CameAfter = 409 "came_after" [incoming];
    /// The channel's event was already processed.
    Repeated = 409 "repeated" [incoming, requests];
    /// A run is open that was begun with other options.
    RunOpen = 409 "run_open" [runs];
    /// The run has ended with another outcome.
    RunEnded = 409 "run_ended" [runs];
    /// The agent of the session is already running.
    AgentRuns = 409 "agent_runs" [driving];
    /// The agent of the session is starting.
    AgentStarts = 409 "agent_starts" [driving];
    /// The start was cancelled.
    StartCancelled = 409 "start_cancelled" [driving];
    /// The agent is still running without its server, which has stopped.
    AgentLeft = 409 "agent_left" [driving];
    /// The agent isn't running.
    AgentEnded = 409 "agent_ended" [driving, requests];
    /// The agent wasn't started by this server, or can't be.
    NotDriven = 409 "not_driven" [driving];
    /// The agent doesn't support the action.
    AgentCannot = 409 "agent_cannot" [driving, requests];
    /// The agent doesn't support the action in its present state.
    NotNow = 409 "not_now" [driving, requests];
    /// The agent no longer reads commands.
    AgentStuck = 409 "agent_stuck" [driving, requests];
    /// The folder of the agent's transcripts isn't followed.
    NotFollowed = 409 "not_followed" [driving];
    /// No agent would read the prompt of the schedule.
    NobodyTakesIt = 409 "nobody_takes_it" [schedules];
    /// The maximum number of schedules is reached.
    TooManySchedules = 409 "too_many" [schedules];
    /// There are too many links to sessions.
    TooManyShares = 409 "too_many_shares" [shares];
    /// The schedule was changed by another request.
    ScheduleChanged = 409 "changed" [schedules];
    /// A file declares the message type.
    DeclaredByFile = 409 "declared_by_file" [types];
    /// The maximum number of declared types is reached.
    TooManyTypes = 409 "too_many_types" [types];
    /// There are as many people as there may be.
    TooManyPeople = 409 "too_many_people" [people];
    /// There are as many machines as there may be.
    TooManyMachines = 409 "too_many_machines" [machines];
    /// The copies of the machine's files are those of another server, or were made anew.
    OtherCopies = 409 "other_copies" [machines];
    /// The maximum number of channels is reached.
    TooManyChannels = 409 "too_many_channels" [channels];
    /// The channel has no address to send a test to.
    NothingToTest = 409 "nothing_to_test" [channels];
    /// The channel's service didn't accept the message.
    ChannelFailed = 409 "channel_failed" [channels];
    /// No embedding endpoint is set up.
    NoEndpoint = 409 "no_endpoint" [memory];
    /// The browser of this request takes no notifications.
    NoSubscription = 409 "no_subscription" [push];
    /// The push service didn't accept the notification.
    PushFailed = 409 "push_failed" [push];
    /// The server has no address that other machines reach.
    NoPublicUrl = 409 "no_public_url" [account];
    /// The cursor is of another history, for example because a database was restored. Read everything again.
    CursorGone = 410 "cursor_gone" [events];
    /// The message has changed; `current` is its present state.
    RevisionChanged = 412 "revision_changed" [];
    /// The request has changed since it was shown; `current` is its present state.
    Changed = 412 "changed" [];

    /// The body is larger than `x-body-limit`.
    TooLarge = 413 "too_large" [];
    /// The body has more than 50,000 values and keys.
    TooManyValues = 413 "too_many_values" [];
    /// The text of the message would exceed 16 MiB.
    TooLong = 413 "too_long" [messages, runs, incoming, schedules];
    /// The `Content-Type` of the body isn't JSON.
    NotJson = 415 "not_json" [];
    /// The body is compressed.
    Encoded = 415 "encoded" [];
    /// The server doesn't serve this host name.
    WrongHost = 421 "wrong_host" [];
    /// The archive or folder has nothing to import.
    NothingToImport = 422 "nothing_to_import" [imports];
    /// An array has too many items.
    TooMany = 422 "too_many" [];
    /// The message isn't an answer to the request.
    Unclear = 422 "unclear" [incoming];
    /// The credential sends requests too fast.
    TooFast = 429 "too_fast" [];
    /// The credential has its maximum number of event streams open.
    TooManyStreams = 429 "too_many_streams" [events];
    /// The credential has its maximum number of waiting requests.
    TooManyWaits = 429 "too_many_waits" [messages, hooks];
    /// The credential has its maximum number of tool calls open.
    TooManyCalls = 429 "too_many_calls" [mcp];
    /// The server has its maximum number of connections open.
    TooManyConnections = 429 "too_many_connections" [];
    /// Too many wrong log-in codes were sent.
    TooManyAttempts = 429 "too_many_attempts" [login];
    /// The maximum number of uploads is running.
    UploadsBusy = 429 "uploads_busy" [blobs];
    /// The maximum number of large requests is being read.
    ReadersBusy = 429 "busy" [compat];
    /// The request has more than 100 headers, or more than 16 KiB of them.
    HeadTooLarge = 431 "head_too_large" [];
    /// An internal error; the server's log has the details.
    Internal = 500 "internal" [];
    /// The stored message is damaged.
    MessageDamaged = 500 "message_damaged" [];
    /// The bytes that the message was read from are damaged.
    RecordDamaged = 500 "record_damaged" [];
    /// The bytes that the message was read from are lost.
    RecordLost = 500 "record_lost" [];
    /// The bytes of the file are damaged.
    BlobDamaged = 500 "blob_damaged" [];
    /// The agent's program can't be started, or exited immediately.
    AgentNotStarted = 502 "agent_not_started" [driving];
    /// The server is overloaded; nothing was written.
    Busy = 503 "busy" [];
    /// The server's memory for request bodies is used up.
    BodiesBusy = 503 "bodies_busy" [];
    /// The server is stopping; nothing was written.
    Stopping = 503 "stopping" [];
    /// The response takes too long to compute.
    TooSlow = 503 "too_slow" [];
    /// The channel is paused.
    ChannelPaused = 503 "channel_paused" [incoming];
    /// The database is locked.
    DatabaseLocked = 503 "database_locked" [];
    /// The database can't be reached.
    DatabaseUnreachable = 503 "database_unreachable" [];
    /// The provider of single sign-on can't be reached.
    ProviderUnreachable = 503 "provider_unreachable" [login];
    /// The database can't be written to.
    DatabaseReadOnly = 503 "database_read_only" [];
    /// The database was written by a newer version of the program.
    DatabaseNewer = 503 "database_newer" [];
    /// The database is damaged.
    DatabaseDamaged = 503 "database_damaged" [];
    /// The database is damaged: it can be read, but not written to.
    ReadOnly = 503 "read_only" [];
    /// The disk failed.
    DiskFailed = 503 "disk_failed" [];
    /// The disk is full; nothing was written.
    DiskFull = 507 "disk_full" [];
}
