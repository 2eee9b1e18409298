//! The commands in the documentation: each is one that the program takes, and those about the example print what is
//! written.

use crate::support::{Place, Server};
use std::path::{Path, PathBuf};

/// Documents whose examples are about the built-in example, by the command before the output.
const OF_THE_EXAMPLE: [(&str, &str); 4] = [
    ("docs/user/README.md", "sessions"),
    ("docs/user/reading.md", "show demo-tel"),
    ("docs/user/terminal.md", "tail demo-tel -n 2"),
    ("docs/user/README.md", "show demo-tel"),
];

/// A command that a person types, and the lines that it prints.
struct Example {
    place: String,
    command: String,
    output: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..").canonicalize().unwrap()
}

/// The examples of a document: lines behind `$ ` in its `console` blocks, with the lines that a `\` or an open quote
/// continues.
fn examples(document: &str) -> Vec<Example> {
    let text = std::fs::read_to_string(root().join(document)).unwrap();
    let mut examples: Vec<Example> = Vec::new();
    let (mut within, mut open) = (false, false);
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            (within, open) = (line == "```console", false);
        } else if !within {
        } else if open {
            let example = examples.last_mut().unwrap();
            example.command = format!("{}\n{line}", example.command.trim_end_matches('\\'));
            open = goes_on(&example.command);
        } else if let Some(command) = line.strip_prefix("$ ") {
            open = goes_on(command);
            let place = format!("{document}:{}", number + 1);
            examples.push(Example { place, command: command.to_owned(), output: Vec::new() });
        } else if let Some(example) = examples.last_mut() {
            example.output.push(line.to_owned());
        }
    }
    examples
}

fn goes_on(command: &str) -> bool {
    command.ends_with('\\') || command.matches('\'').count() % 2 == 1
}

/// The words of a shell's command, up to what ends it or leads its output elsewhere.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = vec![String::new()];
    let mut quote = None;
    let mut is_quoted = false;
    for c in text.chars() {
        match (quote, c) {
            (Some(open), c) if open == c => quote = None,
            (None, '\'' | '"') => (quote, is_quoted) = (Some(c), true),
            (None, '|' | ';' | ')' | '<' | '&') => break,
            (None, '>') => {
                // `2> log` leads errors elsewhere.
                if words.last().is_some_and(|word| word == "2") {
                    words.pop();
                }
                break;
            }
            (None, c) if c.is_whitespace() => {
                if is_quoted || !words.last().unwrap().is_empty() {
                    words.push(String::new());
                }
                is_quoted = false;
            }
            (_, c) => words.last_mut().unwrap().push(c),
        }
    }
    if words.last().is_some_and(String::is_empty) && !is_quoted {
        words.pop();
    }
    words
}

/// The arguments of each call of the program in a command.
fn calls(command: &str) -> Vec<Vec<String>> {
    let starts = command.match_indices("verbatim ").filter(|(at, _)| {
        let before = &command[..*at];
        // Not the end of a path, an assignment or a quoted text.
        before.is_empty() || before.ends_with([' ', '(']) && !before.ends_with("./ ")
    });
    let starts = starts
        .filter(|(at, _)| !["createdb ", "exec ", "grep ", "-d "].iter().any(|word| command[..*at].ends_with(word)));
    starts.map(|(at, name)| words(&command[at + name.len()..])).filter(|words| !words.is_empty()).collect()
}

#[test]
fn every_command_of_the_documents_is_one_that_the_program_takes() {
    let place = Place::new();
    let folder = std::fs::read_dir(root().join("docs/user")).unwrap();
    let mut documents: Vec<String> =
        folder.map(|entry| format!("docs/user/{}", entry.unwrap().file_name().to_string_lossy())).collect();
    documents
        .extend(["README.md", "docs/delivery-contract.md", "docs/security.md", "docs/context.md"].map(str::to_owned));
    documents.sort();
    let mut checked = 0;
    for example in documents.iter().flat_map(|document| examples(document)) {
        for mut arguments in calls(&example.command) {
            arguments.push("--help".to_owned());
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let output = place.run(&arguments);
            let error = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}: `{}`: {error}", example.place, example.command);
            checked += 1;
        }
    }
    assert!(checked > 50, "{checked} commands");
}

/// Without what differs from day to day and from machine to machine: numbers, and how wide columns are.
fn masked(line: &str) -> String {
    let line: String = line.chars().map(|c| if c.is_ascii_digit() { '0' } else { c }).collect();
    let words: Vec<String> = line.split_whitespace().map(|word| word.replace("00", "0").replace("00", "0")).collect();
    words.join(" ")
}

#[test]
fn what_the_documents_print_of_the_example_is_what_it_prints() {
    let place = Place::new();
    let data = place.data();
    let server = Server::start_in(place, &["--demo", "--data-dir", data.to_str().unwrap()]);
    for (document, command) in OF_THE_EXAMPLE {
        let example = examples(document).into_iter().find(|example| example.command == format!("verbatim {command}"));
        let example = example.unwrap_or_else(|| panic!("{document} has no `verbatim {command}`"));
        let arguments: Vec<&str> = command.split(' ').collect();
        let mut child = server.place.program(&arguments).stdout(std::process::Stdio::piped()).spawn().unwrap();
        let printed = std::io::BufRead::lines(std::io::BufReader::new(child.stdout.take().unwrap()));
        // `tail` goes on for ever.
        let printed: Vec<String> = printed.take(example.output.len()).map(|line| masked(&line.unwrap())).collect();
        let _ = child.kill();
        child.wait().unwrap();
        let expected: Vec<String> = example.output.iter().map(|line| masked(line)).collect();
        assert_eq!(printed, expected, "{}", example.place);
    }
}
