//! A driver on a process: what the process writes, and how it ends. The driver reports each line as a notice and sends each
//! prompt as it is.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use drivers::{
    Command, Driver, Effects, Event, Exit, Handle, Launch, Left, Limits, Log, Process, Prompt, Reason, Refusal,
    end_left, environment, start,
};
use serde_json::{Value, json};
use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;
use tokio::sync::mpsc::Receiver;

/// Sends texts and reports lines.
#[derive(Default)]
struct Plain {
    awaits: Option<&'static str>,
    has_begun: bool,
}

impl Driver for Plain {
    fn begin(&mut self, _: &mut Effects) {}

    fn line(&mut self, line: &[u8], effects: &mut Effects) {
        self.has_begun = true;
        effects.emit(Event::Notice(String::from_utf8_lossy(line).into_owned()));
    }

    fn command(&mut self, command: Command, effects: &mut Effects) -> Result<(), Refusal> {
        match command {
            Command::Prompt(prompt) => effects.send(&json!(prompt.text)),
            Command::SetMode(script) => effects.restart(vec![script.into()]),
            Command::Interrupt => self.awaits = Some("the interruption"),
            Command::End => {}
            _ => return Err(Refusal::Unsupported("do that")),
        }
        Ok(())
    }

    fn awaits(&self) -> Option<&'static str> {
        self.awaits
    }

    fn has_begun(&self) -> bool {
        self.has_begun
    }

    fn open_requests(&self) -> Vec<String> {
        vec!["7".to_owned()]
    }
}

fn launch(script: &str, folder: &Path) -> Launch {
    Launch {
        program: env!("CARGO_BIN_EXE_scripted-agent").into(),
        arguments: vec![script.into()],
        folder: folder.to_owned(),
        environment: Vec::new(),
        log: None,
    }
}

/// Short times, for agents that hang. None of these tests waits for a time that an agent which works would need.
fn limits() -> Limits {
    let short = Duration::from_millis(100);
    Limits { silence: short, grace: short, ..Limits::default() }
}

async fn run(script: &str) -> (Handle, Receiver<Event>) {
    let folder = tempfile::tempdir().unwrap();
    start(Box::new(Plain::default()), launch(script, folder.path()), Limits::default()).await.unwrap()
}

async fn rest(events: &mut Receiver<Event>) -> Vec<Event> {
    let mut rest = Vec::new();
    while let Some(event) = events.recv().await {
        rest.push(event);
    }
    rest
}

fn notice(text: &str) -> Event {
    Event::Notice(text.to_owned())
}

/// Returns the last two events.
fn end(code: Option<i32>, reason: Reason, stderr: &str) -> [Event; 2] {
    let exit = Exit { code, reason, stderr: stderr.to_owned() };
    [Event::Withdrawn { request: "7".to_owned() }, Event::Ended(exit)]
}

#[tokio::test]
async fn lines_go_both_ways_and_an_end_that_was_asked_for_is_told() {
    let (handle, mut events) = run("say one\necho\nwait").await;
    assert_eq!(events.recv().await, Some(notice("one")));
    let prompt = Prompt { text: "two\nlines".to_owned(), ..Prompt::default() };
    assert_eq!(handle.send(Command::Prompt(prompt)).await, Ok(()));
    assert_eq!(events.recv().await, Some(notice("\"two\\nlines\"")));
    assert_eq!(handle.send(Command::SetModel("x".to_owned())).await, Err(Refusal::Unsupported("do that")));
    assert_eq!(handle.send(Command::End).await, Ok(()));
    assert_eq!(rest(&mut events).await, end(Some(0), Reason::Asked, ""));
    assert_eq!(handle.send(Command::Interrupt).await, Err(Refusal::Ended));
}

#[tokio::test]
async fn an_agent_is_started_again_with_other_arguments() {
    let folder = tempfile::tempdir().unwrap();
    let launch = launch("say one\nwait", folder.path());
    let (handle, mut events) = start(Box::new(Plain::default()), launch, Limits::default()).await.unwrap();
    assert_eq!(events.recv().await, Some(notice("one")));
    assert_eq!(handle.send(Command::SetMode("say two\necho\nwait".to_owned())).await, Ok(()));
    let prompt = Prompt { text: "three".to_owned(), ..Prompt::default() };
    assert_eq!(handle.send(Command::Prompt(prompt)).await, Ok(()));
    assert_eq!(events.recv().await, Some(notice("two")));
    assert_eq!(events.recv().await, Some(notice("\"three\"")));
    assert_eq!(handle.send(Command::End).await, Ok(()));
    assert_eq!(rest(&mut events).await, end(Some(0), Reason::Asked, ""));
}

/// Neither the process that follows nor what was to be said to it.
#[tokio::test]
async fn an_agent_that_is_ended_while_it_starts_again_stays_ended() {
    let folder = tempfile::tempdir().unwrap();
    let launch = launch("say one\nhang", folder.path());
    let (handle, mut events) = start(Box::new(Plain::default()), launch, limits()).await.unwrap();
    assert_eq!(events.recv().await, Some(notice("one")));
    assert_eq!(handle.send(Command::SetMode("say two\necho\nwait".to_owned())).await, Ok(()));
    let prompt = Prompt { text: "three".to_owned(), ..Prompt::default() };
    let said = handle.send(Command::Prompt(prompt));
    let ended = async {
        assert_eq!(handle.send(Command::End).await, Ok(()));
        rest(&mut events).await
    };
    let (said, rest) = tokio::join!(said, ended);
    assert_eq!(said, Err(Refusal::Ended));
    assert_eq!(rest, end(None, Reason::Asked, ""));
}

#[tokio::test]
async fn an_agent_that_dies_leaves_its_last_lines_and_its_reason() {
    let (_handle, mut events) = run("say one\nerr no more credit\nhalf {\"type\":\nexit 3").await;
    let mut expected = vec![notice("one"), notice("The agent ended in the middle of a line of 8 bytes")];
    expected.extend(end(Some(3), Reason::Itself, "no more credit\n"));
    assert_eq!(rest(&mut events).await, expected);
}

#[tokio::test]
async fn a_line_of_megabytes_is_read_and_a_larger_one_is_left_out() {
    let (_handle, mut events) = run("big 3000000\nbig 40000000\nsay after").await;
    assert_eq!(events.recv().await, Some(notice(&"x".repeat(3_000_000))));
    assert_eq!(events.recv().await, Some(notice("A line of 40000000 bytes was left out: it is too long")));
    assert_eq!(events.recv().await, Some(notice("after")));
}

/// Its lines don't put off its end.
#[tokio::test]
async fn an_agent_that_writes_and_never_reads_is_stuck() {
    let folder = tempfile::tempdir().unwrap();
    let limits = Limits { unread: 1_000, ..limits() };
    let script = format!("flood {}", u64::MAX);
    let (handle, mut events) = start(Box::new(Plain::default()), launch(&script, folder.path()), limits).await.unwrap();
    let prompt = Prompt { text: "x".repeat(1 << 20), ..Prompt::default() };
    let (sent, rest) = tokio::join!(handle.send(Command::Prompt(prompt)), rest(&mut events));
    assert_eq!(sent, Ok(()));
    assert_eq!(rest[rest.len() - 2..], end(None, Reason::Stuck, ""));
}

#[tokio::test]
async fn a_flood_waits_until_it_is_taken_and_is_whole() {
    let (_handle, mut events) = run("flood 20000").await;
    for number in 0..20_000 {
        assert_eq!(events.recv().await, Some(notice(&number.to_string())));
    }
    assert_eq!(rest(&mut events).await, end(Some(0), Reason::Itself, ""));
}

#[tokio::test]
async fn an_agent_that_never_begins_is_ended() {
    let folder = tempfile::tempdir().unwrap();
    let driver = Plain { awaits: Some("the start"), ..Plain::default() };
    let (_handle, mut events) = start(Box::new(driver), launch("hang", folder.path()), limits()).await.unwrap();
    assert_eq!(rest(&mut events).await, end(None, Reason::Silent, ""));
}

#[tokio::test]
async fn an_agent_that_hangs_is_reported_and_can_be_ended() {
    let folder = tempfile::tempdir().unwrap();
    let driver = Box::new(Plain::default());
    let (handle, mut events) = start(driver, launch("say one\nhang", folder.path()), limits()).await.unwrap();
    assert_eq!(events.recv().await, Some(notice("one")));
    assert_eq!(handle.send(Command::Interrupt).await, Ok(()));
    assert_eq!(events.recv().await, Some(Event::Silent { awaits: "the interruption" }));
    assert_eq!(handle.send(Command::End).await, Ok(()));
    assert_eq!(rest(&mut events).await, end(None, Reason::Asked, ""));
}

#[tokio::test]
async fn what_an_agent_started_ends_with_it() {
    let (_handle, mut events) = run("child\nexit 0").await;
    let Some(Event::Notice(child)) = events.recv().await else { panic!("the child's id is missing") };
    assert_eq!(rest(&mut events).await, end(Some(0), Reason::Itself, ""));
    // The child had the output open: that it ended shows that the child is gone, or about to be.
    assert!(child.parse::<u32>().is_ok());
}

#[tokio::test]
async fn it_ends_with_its_last_handle() {
    let (handle, mut events) = run("wait").await;
    drop(handle);
    assert_eq!(rest(&mut events).await, end(Some(0), Reason::Asked, ""));
}

#[tokio::test]
async fn it_runs_in_its_folder_with_the_environment_that_it_was_given() {
    let folder = tempfile::tempdir().unwrap();
    let variables = ["PATH", "VERBATIM_SECRET", "CLAUDE_CONFIG_DIR"].map(|n| (OsString::from(n), OsString::from("/x")));
    let environment = environment::filtered(variables, &[]);
    let launch = Launch { environment, ..launch("env\nfolder", folder.path()) };
    let (_handle, mut events) = start(Box::new(Plain::default()), launch, Limits::default()).await.unwrap();
    assert_eq!(events.recv().await, Some(notice("CLAUDE_CONFIG_DIR,PATH,VERBATIM_AGENT_RUN")));
    let path = folder.path().canonicalize().unwrap();
    assert_eq!(events.recv().await, Some(notice(&path.display().to_string())));
}

#[tokio::test]
async fn a_program_or_a_folder_that_is_missing_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = Launch { program: "/missing/agent".into(), ..launch("", folder.path()) };
    assert!(start(Box::new(Plain::default()), missing, Limits::default()).await.is_err());
    let gone = launch("", &folder.path().join("gone"));
    assert!(start(Box::new(Plain::default()), gone, Limits::default()).await.is_err());
}

#[tokio::test]
async fn an_agent_without_a_transcript_gets_one() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("log.jsonl");
    let log = Some(Log { path: path.clone(), now: || 1_767_955_200_000 });
    let launch = Launch { log, ..launch("echo\nsay {\"b\": 2}\nsay no JSON\nwait", folder.path()) };
    let (handle, mut events) = start(Box::new(Plain::default()), launch, Limits::default()).await.unwrap();
    let prompt = Prompt { text: "hello".to_owned(), ..Prompt::default() };
    handle.send(Command::Prompt(prompt)).await.unwrap();
    for expected in ["\"hello\"", "{\"b\": 2}", "no JSON"] {
        assert_eq!(events.recv().await, Some(notice(expected)));
    }
    handle.send(Command::End).await.unwrap();
    rest(&mut events).await;
    let lines: Vec<Value> =
        std::fs::read_to_string(path).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let frame = |direction: &str, message: Value| json!({"ts": 1_767_955_200_000_i64, "direction": direction, "message": message});
    assert_eq!(lines, [frame("in", json!("hello")), frame("out", json!("hello")), frame("out", json!({"b": 2}))]);
}

/// By its id, its start and its mark together: neither alone is enough.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_that_was_left_is_ended_and_no_other_one() {
    let (handle, mut events) = run("say one\nchild\nhang").await;
    assert_eq!(events.recv().await, Some(notice("one")));
    let Some(Event::Notice(child)) = events.recv().await else { panic!("the id of its child") };
    // One that has ended and that nobody waited for has no arguments any more.
    let runs = |id: &str| std::fs::read(format!("/proc/{id}/cmdline")).is_ok_and(|arguments| !arguments.is_empty());
    let process = handle.process().unwrap();
    let others = [
        Process { mark: "1".to_owned(), ..process.clone() },
        Process { mark: "1".to_owned(), started: "then".to_owned(), ..process.clone() },
    ];
    for other in others {
        assert_eq!(end_left(other, limits().grace).await, Left::Gone);
    }
    assert!(runs(&process.id.to_string()) && runs(&child));

    assert_eq!(end_left(process.clone(), limits().grace).await, Left::Gone);
    assert_eq!((runs(&process.id.to_string()), runs(&child)), (false, false));
    assert_eq!(rest(&mut events).await, end(None, Reason::Itself, ""));
}

/// A process that started at that moment, and of which nobody can say what it is, isn't touched, and isn't gone.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_process_without_a_mark_is_not_touched() {
    let mut child = tokio::process::Command::new("sleep").arg("600").env_clear().kill_on_drop(true).spawn().unwrap();
    let id = i32::try_from(child.id().unwrap()).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap();
    let ticks = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let process = Process { mark: "1".to_owned(), id, started: format!("{}/{ticks}", boot.trim()) };
    assert_eq!(end_left(process, limits().grace).await, Left::Runs(id));
    assert_eq!(child.try_wait().unwrap(), None);
}

/// One that computes isn't silent, and neither is one that speaks of what it does.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn an_agent_begins_in_its_own_time_while_it_does_something() {
    for script in ["compute 2000\nsay one\nwait", "mumble 20\nsay one\nwait"] {
        let folder = tempfile::tempdir().unwrap();
        let driver = Plain { awaits: Some("the start"), has_begun: false };
        let limits = Limits { silence: Duration::from_millis(1_500), ..limits() };
        let (handle, mut events) = start(Box::new(driver), launch(script, folder.path()), limits).await.unwrap();
        assert_eq!(events.recv().await, Some(notice("one")), "{script}");
        assert_eq!(handle.send(Command::End).await, Ok(()));
    }
    let folder = tempfile::tempdir().unwrap();
    let driver = Plain { awaits: Some("the start"), has_begun: false };
    // On a busy machine it computes so little that it would count as silent.
    let limits = Limits { start: Duration::from_millis(400), silence: Duration::from_mins(2), ..limits() };
    let launch = launch("compute 600000", folder.path());
    let (_handle, mut events) = start(Box::new(driver), launch, limits).await.unwrap();
    assert_eq!(rest(&mut events).await, end(None, Reason::Slow, ""));
}
