//! Drives one agent from the terminal, and prints what it does as JSON lines:
//! `cargo run -p drivers --example drive -- --agent gemini --folder DIR`, or an agent of the Agent Client Protocol by its
//! command at the end, `-- COMMAND ARGUMENT...`. Further options: `--mode`, `--model`, `--resume SESSION`, `--fork SESSION`,
//! `--log FILE` (default `FOLDER.acp.jsonl`), `--pass VARIABLE` for what the agent needs beside the usual environment.
//!
//! Each line of the standard input is a command: `prompt TEXT`, `steer TEXT`, `interrupt`, `mode ID`, `model ID`, `end`,
//! `allow [OPTION]`, `always`, `deny [WORDS]`, `answer JSON` and `cancel` for the oldest open request; `auto allow` and `auto
//! deny` for all to come; `turn` waits for the end of a turn, `ask` for a request.
//!
//! Output: `{"event": "..."}` for an event, `{"row": {...}}` for a message of the transcript, whenever it changes.
#![expect(clippy::print_stdout, reason = "a command's output")]

use agents::{Change, Reader};
use drivers::programs::{Transcript, any_acp, program};
use drivers::{Answer, Command, Event, Handle, Launch, Limits, Log, Opening, Prompt, Resume, When, environment, start};
use serde_json::json;
use std::collections::VecDeque;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tokio::io::{AsyncBufReadExt as _, BufReader};

/// How often the transcript is read while the agent works.
const OFTEN: Duration = Duration::from_millis(100);

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (launch, driver, mut rows) = arguments()?;
    let (handle, mut events) = start(driver, launch, Limits::default()).await?;
    let mut person = Person { handle: Some(handle), ..Person::default() };
    let mut input = BufReader::new(tokio::io::stdin()).lines();
    let mut tick = tokio::time::interval(OFTEN);
    loop {
        tokio::select! {
            event = events.recv() => match event {
                Some(event) => {
                    rows.read()?;
                    println!("{}", json!({ "event": format!("{event:?}") }));
                    rows.of(&event);
                    person.sees(event);
                }
                None => break,
            },
            line = input.next_line(), if !person.has_left => match line? {
                Some(line) => person.lines.push_back(line),
                None => person.has_left = true,
            },
            _ = tick.tick() => rows.read()?,
        }
        person.act();
    }
    rows.read()?;
    Ok(())
}

/// The process to start, its driver, and the source of its rows.
type Job = (Launch, Box<dyn drivers::Driver>, Rows);

/// Reads the command line.
fn arguments() -> Result<Job, Box<dyn std::error::Error>> {
    let mut opening = Opening::default();
    let (mut agent, mut folder, mut log, mut pass) = (program("claude-acp"), PathBuf::from("."), None, Vec::new());
    let mut command = Vec::new();
    let mut given = std::env::args().skip(1);
    while let Some(option) = given.next() {
        if option == "--" {
            command = given.by_ref().map(Into::into).collect();
            break;
        }
        let value = given.next().ok_or_else(|| format!("{option}: a value is missing"))?;
        match option.as_str() {
            "--agent" => agent = Some(program(&value).ok_or_else(|| format!("unknown agent `{value}`"))?),
            "--folder" => folder = PathBuf::from(value).canonicalize()?,
            "--mode" => opening.mode = Some(value),
            "--model" => opening.model = Some(value),
            "--resume" => opening.resume = Some(Resume { session: value, fork: false }),
            "--fork" => opening.resume = Some(Resume { session: value, fork: true }),
            "--log" => log = Some(PathBuf::from(value)),
            "--pass" => pass.push(value),
            _ => return Err(format!("unknown option `{option}`").into()),
        }
    }
    opening.folder = folder.display().to_string();
    let agent = agent.filter(|_| command.is_empty());
    let transcript = agent.map_or(Transcript::Log, |agent| agent.transcript);
    let command = agent.map_or(command, |agent| agent.command(&opening));
    let driver = match agent {
        Some(agent) => agent.driver(opening),
        None => any_acp(opening),
    };
    let (program, arguments) = command.split_first().ok_or("a command is missing")?;
    let environment = environment::filtered(std::env::vars_os(), &pass);
    let path = log.unwrap_or_else(|| folder.with_extension("acp.jsonl"));
    let now = || SystemTime::UNIX_EPOCH.elapsed().map_or(0, |time| time.as_millis() as i64);
    let log = (transcript == Transcript::Log).then(|| Log { path: path.clone(), now });
    let path = log.is_some().then_some(path);
    let rows = Rows { transcript, session: None, path, offset: 0, reader: None };
    let launch = Launch { program: program.clone(), arguments: arguments.to_vec(), folder, environment, log };
    Ok((launch, driver, rows))
}

/// The messages of the transcript.
struct Rows {
    transcript: Transcript,
    session: Option<String>,
    path: Option<PathBuf>,
    offset: u64,
    reader: Option<Box<dyn Reader>>,
}

impl Rows {
    /// A session has begun: its agent's own transcript can be found, once something is in it.
    fn of(&mut self, event: &Event) {
        if let Event::Session { id, .. } = event {
            self.session = Some(id.clone());
        }
    }

    /// Prints what is new.
    fn read(&mut self) -> std::io::Result<()> {
        if let (None, Some(session), Transcript::Own(name)) = (&self.path, &self.session, self.transcript) {
            let folders = agents::agent(name).map(|agent| agent.folders).unwrap_or_default();
            self.path = folders.iter().find_map(|folder| find(&root(folder), session));
        }
        let Some(path) = &self.path else { return Ok(()) };
        let Ok(mut file) = std::fs::File::open(path) else { return Ok(()) };
        let mut bytes = Vec::new();
        std::io::Seek::seek(&mut file, std::io::SeekFrom::Start(self.offset))?;
        file.read_to_end(&mut bytes)?;
        self.offset += bytes.len() as u64;
        let name = if let Transcript::Own(name) = self.transcript { name } else { "acp" };
        let reader = match &mut self.reader {
            Some(reader) => reader,
            None => match agents::agent(name).and_then(|agent| agent.reading) {
                Some(reading) => self.reader.insert((reading.open)(&path.display().to_string(), None)),
                None => return Ok(()),
            },
        };
        let mut changes = Vec::new();
        reader.push(&bytes, &mut changes);
        for change in changes {
            if let Change::Message { draft, .. } = change {
                println!("{}", json!({ "row": draft }));
            }
        }
        Ok(())
    }
}

/// Where an agent keeps its transcripts.
fn root(folder: &agents::Folder) -> PathBuf {
    let moved = folder.variable.and_then(std::env::var_os).map(PathBuf::from);
    let home = || PathBuf::from(std::env::var_os("HOME").unwrap_or_default()).join(folder.path);
    moved.unwrap_or_else(home).join(folder.inside)
}

/// The file of a session: names have its id, or the beginning of it.
fn find(folder: &Path, id: &str) -> Option<PathBuf> {
    std::fs::read_dir(folder).ok()?.flatten().find_map(|entry| {
        let path = entry.path();
        if path.is_dir() {
            return find(&path, id);
        }
        let name = path.file_name()?.to_str()?;
        let is_it = name.contains(id) || name.contains(id.split('-').next()?);
        (is_it && path.extension().is_some_and(|extension| extension == "jsonl")).then_some(path)
    })
}

/// Who types the commands.
#[derive(Default)]
struct Person {
    handle: Option<Handle>,
    lines: VecDeque<String>,
    has_left: bool,
    requests: VecDeque<String>,
    turns: usize,
    /// The answer to all requests.
    always: Option<String>,
}

impl Person {
    fn sees(&mut self, event: Event) {
        match event {
            Event::Asked(ask) => self.requests.push_back(ask.request),
            Event::Withdrawn { request } => self.requests.retain(|open| *open != request),
            Event::Turn(_) => self.turns += 1,
            _ => {}
        }
    }

    /// Carries out the lines up to the first that has to wait.
    fn act(&mut self) {
        if let Some(verb) = self.always.clone()
            && !self.requests.is_empty()
        {
            self.does(&verb, "");
        }
        while let Some(line) = self.lines.front().cloned() {
            let (verb, rest) = line.split_once(' ').unwrap_or((&line, ""));
            match verb {
                "turn" if self.turns == 0 => return,
                "ask" if self.requests.is_empty() => return,
                "turn" => self.turns = 0,
                "auto" => self.always = Some(rest.to_owned()),
                _ => self.does(verb, rest),
            }
            self.lines.pop_front();
        }
        if self.has_left {
            self.does("end", "");
            self.handle = None;
        }
    }

    fn does(&mut self, verb: &str, rest: &str) {
        let word = || Some(rest.to_owned()).filter(|rest| !rest.is_empty());
        let prompt = |when| Command::Prompt(Prompt { text: rest.to_owned(), when, ..Prompt::default() });
        let answer = match verb {
            "allow" => Some(Answer::Allow { option: word(), input: None, rules: Vec::new() }),
            "always" => Some(Answer::Allow { option: word(), input: None, rules: vec![0] }),
            "deny" => Some(Answer::Deny { option: None, message: word() }),
            "answer" => Some(Answer::Answers(serde_json::from_str(rest).unwrap_or_default())),
            "cancel" => Some(Answer::Cancel),
            _ => None,
        };
        let command = match (verb, answer) {
            (_, Some(answer)) => {
                let Some(request) = self.requests.pop_front() else { return };
                Command::Answer { request, answer }
            }
            ("prompt", _) => prompt(When::Queue),
            ("steer", _) => prompt(When::Steer),
            ("interrupt", _) => Command::Interrupt,
            ("mode", _) => Command::SetMode(rest.to_owned()),
            ("model", _) => Command::SetModel(rest.to_owned()),
            ("end", _) => Command::End,
            _ => return println!("{}", json!({ "event": format!("unknown command `{verb}`") })),
        };
        let Some(handle) = self.handle.clone() else { return };
        tokio::spawn(async move {
            if let Err(refusal) = handle.send(command).await {
                println!("{}", json!({ "event": format!("refused: {refusal}") }));
            }
        });
    }
}
