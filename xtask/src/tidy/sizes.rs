//! No file that nobody reads to its end, and no style that has to be scrolled sideways.
use super::{Finding, Tree};

const MOST_LINES: usize = 600;
/// Characters in a line of a style sheet; `prettier` aims at 120, but doesn't break every value.
const LONGEST_STYLE_LINE: usize = 160;

pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = long_files(tree);
    findings.extend(long_style_lines(tree));
    findings
}

fn long_files(tree: &Tree) -> Vec<Finding> {
    let written = tree.0.iter().filter(|file| matches!(file.extension(), "css" | "js" | "mjs" | "rs" | "ts"));
    written
        .filter(|file| !file.path.starts_with("fixtures/") && !file.path.contains("/fixtures/"))
        .map(|file| (file, file.text.lines().count()))
        .filter(|(_, lines)| *lines > MOST_LINES)
        .map(|(file, lines)| Finding {
            place: file.path.clone(),
            what: format!("{lines} lines"),
            why: "600 at most: one file per thing",
        })
        .collect()
}

fn long_style_lines(tree: &Tree) -> Vec<Finding> {
    let sheets = tree.0.iter().filter(|file| file.extension() == "css");
    sheets
        .flat_map(|sheet| sheet.lines().map(move |(number, line)| (sheet, number, line.chars().count())))
        .filter(|(_, _, length)| *length > LONGEST_STYLE_LINE)
        .map(|(sheet, number, length)| Finding {
            place: format!("{}:{number}", sheet.path),
            what: format!("{length} characters"),
            why: "160 at most: `npx prettier --write ../style` in `end2end` breaks lines",
        })
        .collect()
}
