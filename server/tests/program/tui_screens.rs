//! `verbatim tui`, drawn into memory: what a running server has, as whole screens.

use crate::support::{PATIENCE, Server};
use api::sessions::ListSessions;
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use futures::StreamExt as _;
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;
use ratatui::style::Color;
use sdk::Verbatim;
use serde_json::{Value, json};
use tokio::runtime::Runtime;
use tui::{App, Ask, Person, Theme, draw};

/// Asserts on a screen, without times of this run.
macro_rules! assert_screen {
    ($screen:expr) => {
        insta::with_settings!({filters => vec![(r"20\d\d-\d\d-\d\d \d\d:\d\d", "[day and hour]")]}, {
            insta::assert_snapshot!($screen)
        })
    };
}

struct Reader {
    app: App,
    server: tui::Server,
    terminal: Terminal<TestBackend>,
    /// The intended content of the last draw. The backend keeps the cell below the second half of a wide character; a
    /// terminal doesn't.
    /// terminal doesn't.
    shown: Buffer,
    runtime: Runtime,
}

impl Reader {
    fn at(server: &Server, size: (u16, u16), theme: Theme) -> Self {
        let runtime = Runtime::new().unwrap();
        let verbatim = Verbatim::connect(&server.origin(), &server.key()).unwrap();
        let person = runtime.block_on(Person::log_in(&verbatim)).unwrap();
        let folder = server.place.path("home");
        let server = tui::Server { verbatim, person: Some(person), folder };
        let terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
        let (app, shown) = (App::new(theme, TimeZone::UTC), Buffer::default());
        let mut person = Self { app, server, terminal, shown, runtime };
        let asks = person.app.begin(None);
        person.perform(asks);
        person
    }

    fn perform(&mut self, asks: Vec<Ask>) {
        let mut asks: std::collections::VecDeque<Ask> = asks.into();
        while let Some(ask) = asks.pop_front() {
            let told = self.runtime.block_on(self.server.perform(ask));
            asks.extend(self.app.told(told));
        }
        // The drawn content counts as seen.
        self.shown = self.terminal.draw(|frame| draw(&mut self.app, frame)).unwrap().buffer.clone();
    }

    /// Presses keys with spaces between them: `j Enter Ctrl+k`.
    fn press(&mut self, keys: &str) {
        for key in keys.split(' ') {
            let (held, key) =
                key.strip_prefix("Ctrl+").map_or((KeyModifiers::NONE, key), |key| (KeyModifiers::CONTROL, key));
            let code = match key {
                "Enter" => KeyCode::Enter,
                "Esc" => KeyCode::Esc,
                "Space" => KeyCode::Char(' '),
                "Backspace" => KeyCode::Backspace,
                key => KeyCode::Char(key.chars().next().unwrap()),
            };
            let asks = self.app.pressed(KeyEvent::new(code, held));
            self.perform(asks);
        }
    }

    fn type_in(&mut self, text: &str) {
        self.app.pasted(text);
        self.perform(Vec::new());
    }

    /// Reads everything anew.
    fn refresh(&mut self) {
        let asks = self.app.restart();
        self.perform(asks);
    }

    /// Takes the next change of the event stream, which this makes.
    fn follow(&mut self, change: impl FnOnce()) {
        let first = ListSessions { limit: Some(1), ..ListSessions::default() };
        let cursor = self.runtime.block_on(self.server.verbatim.sessions(first)).unwrap().cursor;
        let mut changes = self.server.verbatim.watch(None, Some(cursor));
        change();
        let next = async { tokio::time::timeout(PATIENCE, changes.next()).await };
        let event = self.runtime.block_on(next).unwrap().unwrap().unwrap();
        self.app.changed(&event.change);
        assert!(self.app.is_stale());
        let asks = self.app.refresh();
        self.perform(asks);
    }

    fn resize(&mut self, width: u16, height: u16) {
        self.terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        self.perform(Vec::new());
    }

    fn screen(&self) -> String {
        let buffer = &self.shown;
        let (width, mut lines) = (buffer.area.width as usize, Vec::new());
        for row in buffer.content.chunks(width) {
            // The second half of a wide character is a cell of its own, and empty.
            let mut line = String::new();
            let mut skip = 0;
            for cell in row {
                if skip == 0 {
                    line.push_str(cell.symbol());
                    skip = unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1);
                }
                skip -= 1;
            }
            lines.push(line.trim_end().to_owned());
        }
        format!("{}\n", lines.join("\n").trim_end())
    }

    fn colours(&self) -> Vec<Color> {
        let mut colours: Vec<Color> = self.shown.content.iter().map(|cell| cell.fg).collect();
        colours.sort_by_key(|colour| format!("{colour:?}"));
        colours.dedup();
        colours
    }
}

fn post(server: &Server, session: &str, message: Value) {
    let mut message = message;
    message["created_at"] = json!("2026-03-01T14:02:00Z");
    let reply = server.with_key("POST", &format!("/v1/sessions/{session}/messages"), &message.to_string());
    assert_eq!(reply.status, 201, "{}", reply.text());
}

fn envelope(message_type: &str, payload: Value) -> Value {
    json!({"message_metadata": {"message_type": message_type, "version": 1, "payload": payload}})
}

const EVIL: &str = "git push\u{202e}\u{1b}[2K                    ; rm -rf ~";

/// A session with a card of each kind; its id.
fn mill(server: &Server) -> String {
    let new = json!({"agent": "miller", "title": "Mend the mill", "branch": "main", "model": "grind-2"});
    let made = server.with_key("POST", "/v1/sessions", &new.to_string()).json();
    let id = made["id"].as_str().unwrap().to_owned();
    post(server, &id, json!({"role": "user", "content": "Why does the *wheel* stop?"}));
    post(server, &id, json!({"role": "model", "content": "I wonder"}));
    let said = "## Found it\n\n- the axle is `dry`\n- see [the log](https://example.org/log)\n\n```rust\nfn turn() -> u32 { 4 }\n```\n\nEscape: \u{1b}[31mred\u{7}";
    post(server, &id, json!({"content": said}));
    let edit = json!({"edits": [{"file_path": "src/wheel.rs", "old_content": "fn turn() {\n    stop();\n}\n", "new_content": "fn turn() {\n    oil();\n    go();\n}\n"}]});
    post(server, &id, envelope("CODE_EDIT", edit));
    let todos = json!({"todos": [
        {"id": "1", "content": "Oil the axle", "status": "completed"},
        {"id": "2", "content": "Grind flour", "status": "in_progress"},
        {"id": "3", "content": "Sweep", "status": "pending"}]});
    post(server, &id, envelope("TODO", todos));
    let call = json!({"tool_name": "Bash", "input": {"command": "cargo test"}, "output": "test \u{1b}[32mok\u{1b}[0m\n12 passed", "exit_code": 0});
    post(server, &id, envelope("TOOL_CALL", call));
    let failed = json!({"tool_name": "Bash", "input": {"command": "make flour"}, "output": "no grain", "exit_code": 2});
    post(server, &id, envelope("TOOL_CALL", failed));
    let asks = json!({"tool_name": "Bash", "input": {"command": EVIL}});
    let mut call = envelope("TOOL_CALL", asks);
    call["call_id"] = json!("push");
    post(server, &id, call);
    let options = json!([{"id": "yes", "label": "Allow", "kind": "allow_once"}, {"id": "no", "label": "Deny", "kind": "reject_once"}]);
    let mut approval = envelope(
        "APPROVAL",
        json!({"kind": "permission", "title": "Run a command?", "state": "open", "questions": [{"question": "Run a command?", "options": options}]}),
    );
    approval["call_id"] = json!("push");
    post(server, &id, approval);
    id
}

#[test]
fn screens_of_a_small_window() {
    let server = Server::start();
    let session = mill(&server);
    server.place.out(&["send", "--agent", "baker", "--title", "Bread \u{202e}dlog", "Rising"]);
    let mut person = Reader::at(&server, (80, 24), Theme::Colours);
    assert_screen!(person.screen());
    person.press("/");
    person.type_in("mill");
    person.press("Enter Enter");
    assert_screen!(person.screen());
    // Everything from the beginning, the calls unfolded.
    person.press("g g E Space");
    assert_screen!(person.screen());
    assert!(person.colours().contains(&Color::Green) && person.colours().contains(&Color::Red));
    person.press("?");
    assert_screen!(person.screen());
    person.press("Esc E G n");
    assert_screen!(person.screen());
    // Nothing of a message reached the terminal but what can be seen.
    person.press("g g Space");
    let all = person.shown.content.iter().map(|cell| cell.symbol().to_owned()).collect::<String>();
    assert!(!all.contains(char::is_control) && !all.contains('\u{202e}'), "{all}");
    assert!(!session.is_empty());
}

#[test]
fn the_assistant_has_its_one_name() {
    let server = Server::start_in(crate::support::Place::new(), &["--assistant-name", "Pynchy"]);
    let id = server.place.out(&["send", "--agent", "baker", "Rising"]).trim_end().to_owned();
    post(&server, &id, json!({"content": "Baked", "sender_name": "Night watch"}));
    let mut person = Reader::at(&server, (80, 24), Theme::Plain);
    person.press("Enter");
    let screen = person.screen();
    let named = |name: &str| {
        screen.lines().any(|line| line.contains(&format!("▌ {name}  ")) || line.contains(&format!("  {name}  ")))
    };
    assert!(named("Pynchy") && named("Night watch") && !named("baker"), "{screen}");
}

/// The name changes on the open screen: that of all sessions, and that of this one.
#[test]
fn a_new_name_of_the_assistant_is_shown_at_once() {
    let server = Server::start();
    let id = server.place.out(&["send", "--agent", "baker", "Rising"]).trim_end().to_owned();
    let cookie = server.cookie();
    let mut person = Reader::at(&server, (80, 24), Theme::Plain);
    person.press("Enter");
    for (method, path, body, name) in [
        ("PATCH", "/v1/preferences".to_owned(), json!({"assistant_name": "Pynchy"}), "Pynchy"),
        ("PUT", format!("/v1/sessions/{id}/routing"), json!({"name": "Robin"}), "Robin"),
    ] {
        assert!(!person.screen().contains(name), "{}", person.screen());
        person.follow(|| assert_eq!(server.as_owner(&cookie, method, &path, &body).status, 200));
        let screen = person.screen();
        let named = |start: &str| screen.lines().any(|line| line.contains(&format!("{start}{name}")));
        assert!(named("▌ ") && named("  "), "{screen}");
    }
}

#[test]
fn screens_of_a_large_window_without_colours() {
    let server = Server::start();
    mill(&server);
    let mut person = Reader::at(&server, (200, 60), Theme::Plain);
    person.press("Enter g g");
    assert_screen!(person.screen());
    assert_eq!(person.colours(), [Color::Reset]);
    // Smaller, then larger again: the same screen.
    let before = person.screen();
    person.resize(40, 10);
    person.resize(20, 5);
    assert_eq!(person.screen(), "This window is too s\n");
    person.resize(200, 60);
    assert_eq!(person.screen(), before);
}

/// A request can be allowed once each line of it was on the screen; deny needs nothing to be read.
#[test]
fn a_request_is_read_before_it_is_allowed() {
    let server = Server::start();
    let session = mill(&server);
    let mut person = Reader::at(&server, (60, 12), Theme::Colours);
    person.press("Enter a");
    assert_screen!(person.screen());
    let state = || {
        let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages?type=APPROVAL"), "").json();
        let payload = page["messages"][0]["metadata"]["payload"].clone();
        let decision = &payload["decision"];
        (payload["state"].clone(), decision["by"].clone(), decision["via"].clone())
    };
    // The end is reached page by page: no key jumps there.
    person.press("a G a");
    assert!(person.screen().contains("Read all of it first"), "{}", person.screen());
    assert_eq!(state(), (json!("open"), Value::Null, Value::Null));
    person.press("Space Space Space");
    assert_screen!(person.screen());
    // In another width nothing of it was seen.
    person.resize(50, 12);
    person.press("a");
    assert_eq!(state().0, "open");
    person.press("Space Space Space a");
    assert_eq!(state(), (json!("allowed_once"), json!("owner"), json!("terminal")));
    // Every reader is told where it was decided.
    let page = server.get(&format!("/s/{session}"), &[("Cookie", server.cookie().as_str())]).text();
    assert!(page.contains("by you in the terminal"), "{page}");
    person.refresh();
    person.press("a");
    assert!(person.screen().contains("Nothing here waits"), "{}", person.screen());
}

#[test]
fn a_request_is_denied_at_once() {
    let server = Server::start();
    let session = mill(&server);
    let mut person = Reader::at(&server, (60, 12), Theme::Colours);
    person.press("Enter a d");
    let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages?type=APPROVAL"), "").json();
    assert_eq!(page["messages"][0]["metadata"]["payload"]["state"], "denied");
    assert!(person.screen().contains("Decided: "), "{}", person.screen());
}

#[test]
fn a_request_is_dismissed_without_being_read() {
    let server = Server::start();
    let session = mill(&server);
    let mut person = Reader::at(&server, (60, 12), Theme::Colours);
    person.press("Enter a D");
    let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages?type=APPROVAL"), "").json();
    let message = &page["messages"][0]["metadata"];
    let closed = &message["request_closed"];
    let told = (&message["payload"]["state"], &closed["reason"], &closed["via"]);
    assert_eq!(told, (&json!("cancelled"), &json!("dismissed"), &json!("terminal")), "{message}");
    assert!(person.screen().contains("Dismissed without a decision"), "{}", person.screen());
    assert!(!person.screen().contains("Decided: "), "{}", person.screen());
}

/// Each kind of field is filled in with the keys, and what is missing or wrong is named before anything is sent.
#[test]
fn a_form_is_filled_in() {
    let server = Server::start();
    let session = mill(&server);
    let fields = json!([
        {"id": "name", "label": "Name of the mill", "type": "text", "required": true},
        {"id": "stones", "label": "Stones", "type": "number"},
        {"id": "grain", "label": "Grain", "type": "select", "options": ["Rye", "Oats"], "required": true},
        {"id": "night", "label": "At night too", "type": "checkbox"}]);
    let form =
        json!({"kind": "form", "title": "How is it ground?", "state": "open", "questions": [], "fields": fields});
    let mut asked = envelope("APPROVAL", form);
    asked["id"] = json!("form");
    post(&server, &session, asked);
    let mut person = Reader::at(&server, (60, 24), Theme::Plain);
    person.press("Enter a r");
    person.type_in("Lower mill");
    person.press("Enter r");
    person.type_in("two");
    person.press("Enter");
    assert!(person.screen().contains("Expected a number"), "{}", person.screen());
    person.press("Backspace Backspace Backspace 2 Enter n r");
    person.press("Enter");
    assert!(person.screen().contains("Fill in what is required"), "{}", person.screen());
    person.press("p r r");
    assert_screen!(person.screen());
    person.press("Enter");
    assert!(person.screen().contains("Decided: "), "{}", person.screen());
    let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages?type=ACTION"), "").json();
    let values = json!({"name": "Lower mill", "stones": 2, "grain": "Oats", "night": true});
    assert_eq!(page["messages"][0]["metadata"]["payload"]["values"], values);
}

#[test]
fn files_are_saved_under_their_names() {
    let server = Server::start();
    let session = mill(&server);
    let key = format!("Bearer {}", server.key());
    let stored =
        server.send("POST", "/v1/blobs", &[("Authorization", &key), ("Content-Type", "text/plain")], "rye").json();
    let file = json!({"files": [{"name": "rye.txt", "mime": "text/plain", "size": 3, "blob": stored["blob"], "state": "ready"}]});
    post(&server, &session, envelope("FILE", file));
    let mut person = Reader::at(&server, (80, 24), Theme::Plain);
    person.press("Enter s");
    assert!(person.screen().contains("(text/plain, 3 B)"), "{}", person.screen());
    assert!(person.screen().contains("Saved here: rye.txt"), "{}", person.screen());
    person.press("s");
    assert!(person.screen().contains("Saved here: rye-2.txt"), "{}", person.screen());
    for name in ["rye.txt", "rye-2.txt"] {
        assert_eq!(std::fs::read_to_string(server.place.path("home").join(name)).unwrap(), "rye");
    }
    person.press("k s");
    assert!(person.screen().contains("No file here"), "{}", person.screen());
}

#[test]
fn writing_searching_and_what_is_refused() {
    let server = Server::start();
    let session = mill(&server);
    let mut person = Reader::at(&server, (80, 24), Theme::Colours);
    person.press("Enter r");
    person.type_in("Oil it again,\r\nplease");
    assert_screen!(person.screen());
    person.press("Enter");
    let page = server.with_key("GET", &format!("/v1/sessions/{session}/messages?role=user"), "").json();
    let last = page["messages"].as_array().unwrap().last().unwrap().clone();
    assert_eq!((&last["content"], &last["delivery"]["state"]), (&json!("Oil it again,\nplease"), &json!("waiting")));
    let origin = json!({"name": "Terminal", "kind": "terminal"});
    assert_eq!((&last["sender"], &last["metadata"]["channel"]), (&json!("tui-user"), &origin));
    let page = server.get(&format!("/s/{session}"), &[("Cookie", server.cookie().as_str())]).text();
    assert!(page.contains("From Terminal"), "{page}");
    person.press("Ctrl+k");
    person.type_in("axle dry");
    person.press("Enter");
    assert_screen!(person.screen());
    person.press("Enter");
    assert!(person.screen().contains("Found it"), "{}", person.screen());
    // A session that is gone refuses; what was written isn't lost.
    assert_eq!(server.with_key("DELETE", &format!("/v1/sessions/{session}"), "").status, 200);
    person.press("r");
    person.type_in("Anybody?");
    person.press("Enter");
    assert!(person.screen().contains("Not sent, r has your text"), "{}", person.screen());
    person.press("r");
    assert!(person.screen().contains("> Anybody?"), "{}", person.screen());
}

/// An agent's key reads its own sessions, and neither writes as a person nor decides.
#[test]
fn with_an_agents_key() {
    let server = Server::start();
    let key = server.agent_key();
    let runtime = Runtime::new().unwrap();
    let verbatim = Verbatim::connect(&server.origin(), &key).unwrap();
    let refused = runtime.block_on(Person::log_in(&verbatim)).err().unwrap();
    assert_eq!(refused.status, 403);
    let told =
        runtime.block_on(tui::Server { verbatim, person: None, folder: server.place.path("home") }.perform(Ask::Say {
            session: "x".to_owned(),
            text: "Hello".to_owned(),
            id: "1".to_owned(),
            steer: false,
        }));
    assert!(format!("{told:?}").contains("An agent's key can read"), "{told:?}");
}
