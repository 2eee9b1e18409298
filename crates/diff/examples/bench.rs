//! How long things take: `cargo run -p diff --example bench`. Best of several runs, in milliseconds.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it measures and prints")]

use std::time::Instant;

use diff::{DiffInput, file_diff, highlight, line_counts};

fn main() {
    let old = code(10_000);
    let new: String = old.lines().enumerate().map(|(at, line)| edited(at, line)).collect();
    let input = |language, path| DiffInput {
        old: Some(&old),
        new: Some(&new),
        language,
        path,
        first_line: None,
        context: 3,
        ..DiffInput::default()
    };
    let changed = line_counts(Some(&old), Some(&new));
    best(&format!("counts, 10,000 lines, {changed:?} changed"), || line_counts(Some(&old), Some(&new)));
    best("diff without colours", || file_diff(&input(None, "a.txt")));
    best("diff with all context", || file_diff(&DiffInput { context: u32::MAX, ..input(None, "a.txt") }));
    best("diff with colours (texts over 256 KiB stay plain)", || file_diff(&input(None, "a.rs")));

    let few: String = old
        .lines()
        .enumerate()
        .map(|(at, line)| if at % 100 == 1 { edited(at, line) } else { format!("{line}\n") })
        .collect();
    best("diff without colours, every 100th line changed", || {
        file_diff(&DiffInput { new: Some(&few), ..input(None, "a.txt") })
    });

    for lines in [1_000, 10_000, 100_000] {
        let old = code(lines);
        let new: String = old.lines().enumerate().map(|(at, line)| edited(at, line)).collect();
        best(&format!("lines alone, {lines}"), || line_counts(Some(&old), Some(&new)));
        let plain = DiffInput { new: Some(&new), ..input(None, "a.txt") };
        best(&format!("diff without colours, {lines} lines"), || file_diff(&DiffInput { old: Some(&old), ..plain }));
    }
    let created = code(1_000_000);
    best("a created file of 1,000,000 lines", || {
        file_diff(&DiffInput { old: None, new: Some(&created), ..input(None, "a.txt") })
    });
    highlighting();
}

fn highlighting() {
    let block = code(2_000);
    let start = Instant::now();
    highlight("rust", &block);
    println!("{:8.2}  first highlight of a language", start.elapsed().as_secs_f64() * 1e3);
    best(&format!("highlight, 2,000 lines, {} KiB", block.len() / 1024), || highlight("rust", &block));
    let rewritten = block.replace("value", "amount");
    let input = DiffInput {
        old: Some(&block),
        new: Some(&rewritten),
        language: None,
        path: "a.rs",
        first_line: None,
        context: 3,
        ..DiffInput::default()
    };
    best("diff with colours, 2,000 lines, every 5th changed", || file_diff(&input));

    for (name, language, text) in [
        ("deep brackets", "javascript", "{\n".repeat(1_000) + &code(5_000)),
        ("deep parentheses", "rust", "(\n".repeat(1_000) + &code(5_000)),
        ("deep commands", "bash", "$(\n".repeat(1_000) + &code(5_000)),
        ("deep tags", "html", "<a>\n".repeat(3_000)),
        ("too deep", "json", "[".repeat(200_000)),
        ("many list items", "markdown", "* a\n\n".repeat(40_000)),
        ("many operators", "c", "a ** b;\n".repeat(30_000)),
        ("unfinished", "sql", "SELECT a FROM\n".repeat(15_000)),
        ("unfinished", "typescript", "if a else\n".repeat(20_000)),
        ("unfinished", "cpp", "a < b > c < d\n".repeat(15_000)),
        ("prose", "c-sharp", "the quick brown fox jumps over\n".repeat(7_000)),
        ("prose", "swift", "the quick brown fox jumps over\n".repeat(7_000)),
        ("prose", "ruby", "the quick brown fox jumps over\n".repeat(7_000)),
    ] {
        best(&format!("{language}: {name}, {} KiB", text.len() / 1024), || highlight(language, &text));
    }
}

fn best<T>(what: &str, mut run: impl FnMut() -> T) {
    let mut time = || {
        let start = Instant::now();
        let result = run();
        let elapsed = start.elapsed().as_secs_f64() * 1e3;
        drop(result);
        elapsed
    };
    let first = time();
    let rounds = if first > 200.0 { 0 } else { 8 };
    let fastest = (0..rounds).map(|_| time()).fold(first, f64::min);
    println!("{fastest:8.2}  {what}");
}

fn code(lines: usize) -> String {
    let block = |at: usize| {
        format!(
            "/// Says what item {at} is worth.\nfn item_{at}(input: &str) -> Option<u64> {{\n    let value = input.parse::<u64>().ok()? * {at};\n    Some(value + 0x10) // \"{at}\"\n}}\n"
        )
    };
    (0..lines / 5).map(block).collect()
}

/// Every tenth line is changed, every hundredth removed, and after every fiftieth comes a new one.
fn edited(at: usize, line: &str) -> String {
    match at {
        _ if at % 100 == 7 => String::new(),
        _ if at % 50 == 3 => format!("{line}\n    // new at {at}\n"),
        _ if at % 10 == 1 => format!("{}\n", line.replace("input", "source")),
        _ => format!("{line}\n"),
    }
}
