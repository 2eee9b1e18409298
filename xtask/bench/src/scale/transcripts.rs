//! Transcripts of Claude Code, made up: prompts, answers, calls of tools with their output, a few of them large. The same
//! number gives the same bytes on any machine.
use std::{
    fmt::Write as _,
    fs::{self, File},
    io::{BufWriter, Write as _},
    ops::Range,
    path::{Path, PathBuf},
    sync::LazyLock,
};

use anyhow::Result;
use serde_json::{Value, json};

/// A word of every session's first prompt, with the number of the session behind it: each is in one message.
pub const RARE: &str = "quernstone";
/// The most common word.
pub const COMMON: &str = "the";
/// A word that no text has.
pub const NONE: &str = "xyzzyquux";
/// Month of the last sessions, and the year of all.
pub const MONTH: &str = "from=2026-10-01&to=2026-10-31";
pub const YEAR: &str = "from=2026-01-01&to=2026-12-31";

const PROJECTS: u64 = 40;
/// Sessions begin within ten months of 28 days: such dates need no calendar.
const DAYS: u64 = 280;
/// Different words.
const WORDS: f64 = 200_000.0;
/// Bytes of text that texts are cut from.
const POOL: usize = 8 << 20;

/// Messages of a session where the mean is `mean`: six of ten have a fifth, one in a hundred has 22 times as many.
pub fn length(number: u64, mean: u64) -> u64 {
    let length = match number * 37 % 100 {
        0 => mean * 22,
        1..=9 => mean * 4,
        10..=39 => mean,
        _ => mean / 5,
    };
    length.max(2)
}

/// A transcript that is written.
pub struct Transcript {
    file: BufWriter<File>,
    random: Random,
    session: String,
    folder: String,
    parent: Option<String>,
    /// Seconds since the first day.
    now: u64,
    /// Messages, as the program stores them: a call with its result is one, an edit is two.
    pub messages: u64,
    pub bytes: u64,
}

impl Transcript {
    /// Creates the file of session `number` below `projects`, a folder like `~/.claude/projects`.
    pub fn create(projects: &Path, number: u64) -> Result<Self> {
        let mut random = Random(number.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5851_f42d_4c95_7f2d);
        let project = random.below(PROJECTS);
        let session = random.uuid();
        let path = path(projects, project, &session);
        fs::create_dir_all(path.parent().unwrap_or(projects))?;
        // The golden ratio spreads any number of sessions evenly.
        let day = (number as f64 * 0.618_033_988_749_895).fract() * DAYS as f64;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 18, File::create(path)?),
            random,
            session,
            folder: format!("/home/ada/project-{project}"),
            parent: None,
            now: (day * 86_400.0) as u64,
            messages: 0,
            bytes: 0,
        })
    }

    /// Writes so many messages.
    pub fn fill(&mut self, number: u64, messages: u64) -> Result<()> {
        self.prompt(&format!("Look at {RARE}{number}: "))?;
        while self.messages < messages {
            for _ in 0..2 + self.random.below(9) {
                if self.messages + 1 >= messages {
                    break;
                }
                match self.random.below(100) {
                    0..=9 => self.thinks()?,
                    10..=21 => self.says("tool_use")?,
                    22..=44 => self.runs()?,
                    45..=64 => self.reads()?,
                    65..=74 => self.searches()?,
                    _ => self.edits()?,
                }
            }
            self.says("end_turn")?;
            if self.messages < messages {
                self.prompt("")?;
            }
        }
        self.flush()
    }

    /// Writes what is still in memory to the file.
    pub fn flush(&mut self) -> Result<()> {
        Ok(self.file.flush()?)
    }

    /// Writes a prompt of a person.
    pub fn prompt(&mut self, beginning: &str) -> Result<()> {
        let text = format!("{beginning}{}", self.text(40..800));
        self.messages += 1;
        let message = json!({"role": "user", "content": text});
        self.line("user", json!({"message": message, "origin": {"kind": "human"}, "permissionMode": "default"}))?;
        Ok(())
    }

    fn thinks(&mut self) -> Result<()> {
        let text = self.text(100..1_500);
        self.messages += 1;
        self.assistant(json!({"type": "thinking", "thinking": text, "signature": "c2lnbmVk"}), "tool_use")
    }

    fn says(&mut self, stop: &str) -> Result<()> {
        let text = self.text(80..2_500);
        self.messages += 1;
        self.assistant(json!({"type": "text", "text": text}), stop)
    }

    fn runs(&mut self) -> Result<()> {
        let output = self.output(40..4_000);
        let input = json!({"command": format!("npm test -- {}", self.file()), "description": "Run some tests"});
        let result = json!({"stdout": output, "stderr": "", "interrupted": false, "isImage": false});
        self.call("Bash", &input, &output, result)
    }

    fn reads(&mut self) -> Result<()> {
        let path = self.file();
        let text = self.output(150..5_000);
        let mut shown = String::with_capacity(text.len() * 2);
        for (number, line) in (1..).zip(text.lines()) {
            let _ = writeln!(shown, "{number:>6}\t{line}");
        }
        let lines = text.lines().count();
        let file = json!({"filePath": path, "content": text, "numLines": lines, "startLine": 1, "totalLines": lines});
        self.call("Read", &json!({"file_path": path}), &shown, json!({"type": "text", "file": file}))
    }

    fn searches(&mut self) -> Result<()> {
        let found = self.output(60..2_000);
        let lines = found.lines().count();
        let input = json!({"pattern": self.text(4..20), "path": self.folder, "output_mode": "content"});
        let result = json!({"mode": "content", "numFiles": 0, "filenames": [], "content": found, "numLines": lines});
        self.call("Grep", &input, &found, result)
    }

    fn edits(&mut self) -> Result<()> {
        self.messages += 1;
        let path = self.file();
        let original = self.text(200..2_500);
        let lines: Vec<&str> = original.lines().collect();
        let at = self.random.below(lines.len() as u64) as usize;
        let (old, new) = (lines[at], self.text(20..200).replace('\n', " "));
        let input = json!({"file_path": path, "old_string": old, "new_string": new});
        let hunk = json!({
            "oldStart": at + 1, "oldLines": 1, "newStart": at + 1, "newLines": 1,
            "lines": [format!("-{old}"), format!("+{new}")],
        });
        let result = json!({
            "filePath": path, "oldString": old, "newString": new, "originalFile": original, "structuredPatch": [hunk],
            "userModified": false, "replaceAll": false,
        });
        self.call("Edit", &input, &format!("The file {path} has been updated successfully."), result)
    }

    fn call(&mut self, name: &str, input: &Value, content: &str, result: Value) -> Result<()> {
        let id = format!("toolu_01{}", self.random.hex(22));
        self.messages += 1;
        self.assistant(json!({"type": "tool_use", "id": id, "name": name, "input": input}), "tool_use")?;
        let block = json!({"tool_use_id": id, "type": "tool_result", "content": content});
        self.line("user", json!({"message": {"role": "user", "content": [block]}, "toolUseResult": result}))
    }

    fn assistant(&mut self, block: Value, stop: &str) -> Result<()> {
        let id = self.random.hex(22);
        let usage = json!({
            "input_tokens": 6, "cache_creation_input_tokens": 300 + self.random.below(900),
            "cache_read_input_tokens": 12_000 + self.random.below(60_000), "output_tokens": 40 + self.random.below(600),
        });
        let message = json!({
            "model": "claude-sonnet-4-5-20250929", "id": format!("msg_01{id}"), "type": "message", "role": "assistant",
            "content": [block], "stop_reason": stop, "stop_sequence": null, "usage": usage,
        });
        self.line("assistant", json!({"message": message, "requestId": format!("req_011{id}")}))
    }

    fn line(&mut self, kind: &str, mut fields: Value) -> Result<()> {
        let own = self.random.uuid();
        self.now += 1 + self.random.below(5);
        let envelope = json!({
            "parentUuid": self.parent, "isSidechain": false, "userType": "external", "cwd": self.folder,
            "sessionId": self.session, "version": "2.1.205", "gitBranch": "main", "type": kind, "uuid": own,
            "timestamp": timestamp(self.now),
        });
        if let (Some(fields), Value::Object(envelope)) = (fields.as_object_mut(), envelope) {
            fields.extend(envelope);
        }
        let mut line = serde_json::to_vec(&fields)?;
        line.push(b'\n');
        self.file.write_all(&line)?;
        self.bytes += line.len() as u64;
        self.parent = Some(own);
        Ok(())
    }

    /// The path of a file: few often, many seldom.
    fn file(&mut self) -> String {
        format!("{}/src/module_{}.ts", self.folder, self.random.skewed(2_000.0))
    }

    /// Output of a tool: one in 1,000 is large.
    fn output(&mut self, usual: Range<usize>) -> String {
        match self.random.below(1_000) {
            0 => self.text(50_000..400_000),
            _ => self.text(usual),
        }
    }

    /// A text of so many bytes, short ones more often than long ones.
    fn text(&mut self, bytes: Range<usize>) -> String {
        let ratio = bytes.end as f64 / bytes.start as f64;
        let length = (bytes.start as f64 * ratio.powf(self.random.unit())) as usize;
        let start = self.random.below((POOL - length) as u64) as usize;
        TEXT.get(start..start + length).unwrap_or_default().trim().to_owned() + "."
    }
}

fn path(projects: &Path, project: u64, session: &str) -> PathBuf {
    projects.join(format!("-home-ada-project-{project}")).join(session).with_added_extension("jsonl")
}

fn timestamp(seconds: u64) -> String {
    let (day, second) = (seconds / 86_400, seconds % 86_400);
    let (month, day) = (1 + day / 28, 1 + day % 28);
    format!("2026-{month:02}-{day:02}T{:02}:{:02}:{:02}.000Z", second / 3_600, second / 60 % 60, second % 60)
}

/// The source of all texts: some words often, many seldom, as in any language.
static TEXT: LazyLock<String> = LazyLock::new(|| {
    const USUAL: [&str; 16] = [
        COMMON, "file", "test", "and", "error", "function", "now", "with", "returns", "a", "value", "from", "module",
        "line", "fixed", "run",
    ];
    const SYLLABLES: [&str; 20] = [
        "ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "zo", "ke", "ra", "li", "no",
        "du", "sha",
    ];
    let mut random = Random(1);
    let mut text = String::with_capacity(POOL + 64);
    while text.len() < POOL {
        let rank = random.skewed(WORDS) as usize;
        if let Some(word) = USUAL.get(rank) {
            text.push_str(word);
        } else {
            let mut left = rank;
            while left > 0 {
                text.push_str(SYLLABLES[left % SYLLABLES.len()]);
                left /= SYLLABLES.len();
            }
        }
        text.push_str(if random.below(9) == 0 { ";\n" } else { " " });
    }
    text
});

/// Numbers without an end, the same on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Below `end`: each number is about as frequent as its place in the row of all is low.
    fn skewed(&mut self, end: f64) -> u64 {
        end.powf(self.unit()) as u64 - 1
    }

    fn hex(&mut self, digits: usize) -> String {
        let mut hex = format!("{:016x}{:016x}", self.next(), self.next());
        hex.truncate(digits);
        hex
    }

    fn uuid(&mut self) -> String {
        let hex = self.hex(30);
        format!("{}-{}-4{}-a{}-{}", &hex[..8], &hex[8..12], &hex[12..15], &hex[15..18], &hex[18..30])
    }
}
