//! Names of the attributes by which server, browser and styles tell each other something.
//!
//! Code names them by these constants. In markup, selectors and styles they stand as they are; `cargo xtask tidy` finds
//! there what isn't in this table, and what is in it and nowhere else.
//!
//! How to add one: its line here.

macro_rules! attributes {
    ($( $(#[$doc:meta])* $NAME:ident = $name:literal; )*) => {
        $( $(#[$doc])* pub const $NAME: &str = $name; )*
    };
}

// Attributes that the server writes and the browser reads or changes.
attributes! {
    ACTION = "data-action";
    AFTER = "data-after";
    AGAIN = "data-again";
    AGENT = "data-agent";
    AGO = "data-ago";
    ANSWER = "data-answer";
    ARCHIVED = "data-archived";
    ASK = "data-ask";
    ASKS = "data-asks";
    AT = "data-at";
    AUTO = "data-auto";
    /// The path of the public URL, without a slash at its end.
    BASE = "data-base";
    BEFORE = "data-before";
    BUILD = "data-build";
    CHANGES = "data-changes";
    CHILD = "data-child";
    CHUNK = "data-chunk";
    COMMAND = "data-command";
    COPY = "data-copy";
    COUNT = "data-count";
    CURSOR = "data-cursor";
    DAY = "data-day";
    DECIDE = "data-decide";
    DELIVERY = "data-delivery";
    EDIT = "data-edit";
    EDITOR = "data-editor";
    EDITS = "data-edits";
    EXACT = "data-exact";
    EXPAND = "data-expand";
    FILE = "data-file";
    FIND = "data-find";
    FIND_SESSION = "data-find-session";
    FOLDED = "data-folded";
    FORGET = "data-forget";
    FROM = "data-from";
    GAPS = "data-gaps";
    H = "data-h";
    HASH = "data-hash";
    HEARS = "data-hears";
    HOLDS = "data-holds";
    ID = "data-id";
    KEYS = "data-keys";
    KIND = "data-kind";
    LAST = "data-last";
    LAST_SEQ = "data-last-seq";
    LEADS_TO = "data-leads-to";
    LIMIT = "data-limit";
    LINE = "data-line";
    LINES = "data-lines";
    LINK = "data-link";
    LOAD = "data-load";
    LOG_IN = "data-log-in";
    LOOK = "data-look";
    NAME = "data-name";
    OPEN = "data-open";
    PART = "data-part";
    PATH = "data-path";
    PINNED = "data-pinned";
    QUESTION = "data-question";
    R = "data-r";
    RAIL = "data-rail";
    REMARK = "data-remark";
    REPLY = "data-reply";
    RETRY = "data-retry";
    REVIEW = "data-review";
    REVISION = "data-revision";
    ROLE = "data-role";
    ROW = "data-row";
    ROWS = "data-rows";
    RUNS_ON = "data-runs-on";
    SELECT = "data-select";
    SENT = "data-sent";
    SEQ = "data-seq";
    SESSION = "data-session";
    SESSIONS = "data-sessions";
    SHOWN = "data-shown";
    SIGN = "data-sign";
    SINGLE_KEYS = "data-single-keys";
    STALLS = "data-stalls";
    STATE = "data-state";
    STATE_TO = "data-state-to";
    TAB = "data-tab";
    TEXT = "data-text";
    THEME = "data-theme";
    TICK = "data-tick";
    TICKS = "data-ticks";
    TITLE = "data-title";
    TO = "data-to";
    TURN = "data-turn";
    TYPE = "data-type";
    US = "data-us";
    WAITS = "data-waits";
    WAY = "data-way";
    WORKING = "data-working";
}

// Forms and buttons that send themselves, see `form`.
attributes! {
    /// At a field: how its text becomes JSON.
    AS = "data-as";
    /// Beside it: the JSON that the fields are added to.
    BODY = "data-body";
    /// The dialog that asks before it is sent, and what that is about.
    CONFIRM = "data-confirm";
    /// Text of success; none if it is empty.
    DONE = "data-done";
    /// Shows the text of success, instead of only announcing it.
    DONE_TOAST = "data-done-toast";
    /// At a list of lines that is sent also if it is empty.
    EMPTY = "data-empty";
    /// At such a button: values of the dialog's fields, as JSON.
    FILL = "data-fill";
    /// At an undo: the place that goes with it.
    HIDES = "data-hides";
    /// The dialog that a button opens: its form goes where the button says.
    OPENS = "data-opens";
    /// Where a form says what is wrong with a field; with no name, with all of it.
    PROBLEM = "data-problem";
    /// At a form, a button or a switch: where it goes, as `PATCH /v1/keys/k1`. A `{name}` in it stands for a field.
    SEND = "data-send";
    /// The place that is shown once it was done, with the answer in its slots.
    SHOWS = "data-shows";
    /// At such a place: which field of the answer a slot says.
    SLOT = "data-slot";
    /// Follow-up on the page.
    THEN = "data-then";
    /// Endpoint of the undo, and its JSON.
    UNDO = "data-undo";
    /// Beside it: the JSON of the undo.
    UNDO_BODY = "data-undo-body";
}

// Attributes that only the page sets.
attributes! {
    ALL = "data-all";
    BETWEEN = "data-between";
    CHANGED = "data-changed";
    CURRENT = "data-current";
    DO = "data-do";
    ENDED = "data-ended";
    /// On a transcript that has the focus because its row went: said until a key is pressed.
    FELL = "data-fell";
    FOLLOWED = "data-followed";
    GONE = "data-gone";
    /// At the form of an answer: it waits for the server.
    HELD = "data-held";
    KEPT = "data-kept";
    LARGE = "data-large";
    LOADED = "data-loaded";
    LOCAL = "data-local";
    NEAR = "data-near";
    NEW = "data-new";
    NEXT = "data-next";
    NOTE = "data-note";
    /// At the changes page: comments have come to life.
    NOTED = "data-noted";
    /// `523:4 801:7 `: rows of a large difference, and the comments behind them.
    NOTES = "data-notes";
    NOTICE = "data-notice";
    NOWRAP = "data-nowrap";
    OF = "data-of";
    OPENED = "data-opened";
    PAINTED = "data-painted";
    /// At a file: when its comments were placed last.
    PLACED = "data-placed";
    PLAIN = "data-plain";
    READY = "data-ready";
    SAID = "data-said";
    SETTLED = "data-settled";
    STALE = "data-stale";
    TOAST = "data-toast";
    UNREAD = "data-unread";
    VIEW = "data-view";
    VIEWED = "data-viewed";
    WANTED = "data-wanted";
    WRAPPED = "data-wrapped";
    /// The row behind which somebody writes.
    WRITING = "data-writing";
}

// Attributes that the server writes for the style and for tests.
attributes! {
    AGENT_STATE = "data-agent-state";
    CHART = "data-chart";
    CHOSEN = "data-chosen";
    CODE = "data-code";
    CONTRAST = "data-contrast";
    CVD = "data-cvd";
    DENSITY = "data-density";
    DRAGGED = "data-dragged";
    EVENT = "data-event";
    FAILED = "data-failed";
    IMPORT = "data-import";
    JS = "data-js";
    K = "data-k";
    MAY = "data-may";
    METHOD = "data-method";
    MOVED = "data-moved";
    NAMED = "data-named";
    NUMBER = "data-number";
    ONGOING = "data-ongoing";
    QUERY = "data-query";
    REQUEST = "data-request";
    RISK = "data-risk";
    SIDE = "data-side";
    SPAN = "data-span";
    STICK = "data-stick";
    THOUGHT = "data-thought";
    WASM = "data-wasm";
}
