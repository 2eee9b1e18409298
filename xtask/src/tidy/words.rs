//! Words that may not stand somewhere.
use super::{Finding, Tree, tree::File};

/// Where HTML that we rendered ourselves enters a page; nothing else in `app` and `frontend` may insert any.
const FRAGMENT_DOORS: [&str; 2] = ["app/src/browser/fragment.rs", "app/src/page.rs"];

struct Rule {
    /// Any of these.
    words: &'static [&'static str],
    applies: fn(&File) -> bool,
    part: Part,
    why: &'static str,
}

/// Which lines of a file are read.
enum Part {
    Whole,
    /// Not the test module at its end.
    Program,
    /// Not those that make documentation: `TODO` is one of our message types.
    Comments,
}

const RULES: [Rule; 14] = [
    Rule {
        words: &["inner_html", "insert_adjacent_html", "outer_html", "set_inner_html"],
        applies: |file| {
            ["app/src/", "frontend/src/"].iter().any(|ours| file.path.starts_with(ours))
                && !FRAGMENT_DOORS.contains(&file.path.as_str())
        },
        part: Part::Whole,
        why: "HTML enters through one door only, else content becomes code; see FRAGMENT_DOORS in tidy/words.rs",
    },
    Rule {
        words: &["#[allow(", "#![allow("],
        applies: is_rust,
        part: Part::Whole,
        why: "use #[expect(lint, reason = \"...\")]: it says why, and goes when it is no longer needed",
    },
    Rule { words: &["todo!(", "unimplemented!("], applies: is_rust, part: Part::Whole, why: "main holds what works" },
    Rule {
        words: &["TODO:", "TODO(", "FIXME", "XXX:"],
        applies: |file| matches!(file.extension(), "css" | "js" | "mjs" | "rs" | "sql" | "ts"),
        part: Part::Comments,
        why: "what is left to do is written down where plans are",
    },
    Rule {
        words: &["#[ignore"],
        applies: |file| is_rust(file) && file.is_test(),
        part: Part::Whole,
        why: "every test runs",
    },
    Rule {
        // However it was imported.
        words: &[" sleep(", "(sleep(", ":sleep(", "time::sleep", "thread::sleep"],
        applies: |file| is_rust(file) && file.is_test() && !PAUSES.contains(&file.path.as_str()),
        part: Part::Whole,
        why: "every test runs, and none waits for the clock: wait for what it is about",
    },
    Rule {
        words: &[".only(", "test.skip", "test.fixme", "waitForTimeout("],
        applies: |file| file.path.starts_with("end2end/"),
        part: Part::Whole,
        why: "every test runs, and none waits for the clock: wait for what it is about",
    },
    Rule {
        words: &["env::var(", "env::var_os(", "env::vars("],
        applies: |file| {
            let readers = ["server/", "xtask/", "crates/sdk/src/verbatim.rs"];
            is_rust(file) && !file.is_test() && !readers.iter().any(|reader| file.path.starts_with(reader))
        },
        part: Part::Program,
        why: "only `server`, `xtask` and the SDK's `from_env` read the environment: pass it in",
    },
    Rule {
        words: &["\"CREATE TABLE", "\"DELETE FROM", "\"INSERT INTO", "\"SELECT ", "\"UPDATE ", "sqlx::"],
        applies: |file| is_rust(file) && !file.is_test() && !file.path.starts_with("crates/store/"),
        part: Part::Program,
        why: "only `store` knows SQL",
    },
    Rule {
        words: &["Instant::now(", "SystemTime::now(", "Timestamp::now(", "Uuid::now", "Uuid::new_v4(", "Zoned::now("],
        applies: |file| {
            is_rust(file)
                && !file.is_test()
                && ["crates/agents/", "crates/api/", "crates/diff/", "crates/model/", "crates/store/"]
                    .iter()
                    .any(|pure| file.path.starts_with(pure))
        },
        part: Part::Program,
        why: "time and ids are arguments",
    },
    Rule {
        words: &["\"APPROVAL\"", "\"CODE_EDIT\"", "\"TEXT\"", "\"TODO\"", "\"TOOL_CALL\""],
        applies: |file| {
            let shared = ["app/src/", "crates/api/src/", "crates/hub/src/", "crates/store/src/", "server/src/"];
            is_rust(file) && shared.iter().any(|part| file.path.starts_with(part))
        },
        part: Part::Program,
        why: "tags of message types stand in one table: use `model::MessageType`",
    },
    Rule {
        words: &["Problem::outside("],
        applies: |file| {
            is_rust(file) && ["crates/hub/src/", "server/src/"].iter().any(|ours| file.path.starts_with(ours))
        },
        part: Part::Program,
        why: "what a request is refused for stands in one table: `api::ProblemCode`",
    },
    Rule {
        words: &["\"/v1/"],
        applies: |file| is_rust(file) && ["app/src/", "frontend/src/"].iter().any(|ours| file.path.starts_with(ours)),
        part: Part::Program,
        why: "paths of endpoints stand in `api::contract` only: use `Route::path`",
    },
    Rule {
        words: &[
            "\"/files\"",
            "\"/folders\"",
            "\"/inbox\"",
            "\"/memory\"",
            "\"/new\"",
            "\"/schedules\"",
            "\"/search\"",
            "\"/sessions\"",
            "\"/settings\"",
            "\"/stats\"",
        ],
        applies: |file| {
            is_rust(file)
                && ["app/src/", "frontend/src/"].iter().any(|ours| file.path.starts_with(ours))
                && file.path != "app/src/shared/page_path.rs"
        },
        part: Part::Program,
        why: "paths of pages stand in one table: use `shared::page_path`",
    },
];

/// Tests that may wait for the clock: readers who come back after a pause, as browsers do, however often that is.
const PAUSES: &[&str] = &["server/tests/faults/reader.rs"];

pub fn check(tree: &Tree) -> Vec<Finding> {
    // The rules themselves spell what they forbid.
    tree.0.iter().filter(|file| !file.path.starts_with("xtask/src/tidy")).flat_map(in_file).collect()
}

fn in_file(file: &File) -> Vec<Finding> {
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| (rule.applies)(file)) {
        let lines: Vec<(usize, &str)> = match rule.part {
            Part::Whole => file.lines().collect(),
            Part::Program => file.lines_of_program().collect(),
            Part::Comments => file.lines().filter_map(|(number, line)| Some((number, comment(line)?))).collect(),
        };
        for (number, line) in lines {
            if let Some(word) = rule.words.iter().find(|word| line.contains(**word)) {
                findings.push(Finding {
                    place: format!("{}:{number}", file.path),
                    what: format!("`{word}`"),
                    why: rule.why,
                });
            }
        }
    }
    findings
}

/// From the first sign of a comment on, unless it is documentation.
fn comment(line: &str) -> Option<&str> {
    let at = ["//", "/*", "-- "].iter().filter_map(|sign| line.find(sign)).min()?;
    let comment = &line[at..];
    if comment.starts_with("///") || comment.starts_with("//!") { None } else { Some(comment) }
}

fn is_rust(file: &File) -> bool {
    file.extension() == "rs"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places(path: &str, text: &str) -> Vec<String> {
        let file = File { path: path.to_owned(), text: text.to_owned() };
        in_file(&file).into_iter().map(|finding| format!("{} {}", finding.place, finding.what)).collect()
    }

    #[test]
    fn html_has_one_door() {
        let text = "fn f() {\n    element.set_inner_html(html);\n}\n";
        assert_eq!(places("frontend/src/pill.rs", text), ["frontend/src/pill.rs:2 `inner_html`"]);
        assert_eq!(places("app/src/browser/fragment.rs", text), [""; 0]);
    }

    #[test]
    fn the_message_type_is_no_reminder() {
        assert_eq!(places("crates/model/src/todo.rs", "//! TODO: a list.\nconst TAG: &str = \"TODO:\";\n"), [""; 0]);
        assert_eq!(places("crates/model/src/todo.rs", "let a = 1; // TODO: more\n").len(), 1);
    }

    #[test]
    fn no_test_sleeps_however_it_is_imported() {
        for line in ["tokio::time::sleep(LONG).await;", "use tokio::time::sleep;", "    sleep(LONG).await;"] {
            assert_eq!(places("server/tests/faults/poster.rs", line).len(), 1, "{line}");
            assert_eq!(places("server/tests/faults/reader.rs", line), [""; 0]);
        }
    }

    #[test]
    fn a_test_module_may_read_the_environment() {
        let text =
            "fn f() { std::env::var_os(\"A\") }\n#[cfg(test)]\nmod tests { fn g() { std::env::var_os(\"B\") } }\n";
        assert_eq!(places("crates/hub/src/lib.rs", text), ["crates/hub/src/lib.rs:1 `env::var_os(`"]);
    }
}
