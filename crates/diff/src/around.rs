//! How a fragment starts and ends: with code, or within a comment or a string that goes on above or below it.
//!
//! A grammar reads each text as if it were a whole file, so the rest of a comment is code to it, and behind the end of a
//! string all colours are turned inside out. What is missing is found by what the lines look like, and put around them for
//! the time of the colouring.

use std::ops::Range;

/// Multi-line syntax of a language.
struct Shape {
    languages: &'static [&'static str],
    strings: &'static [Delimiter],
    /// Start of a comment that ends with its line.
    comment: Option<&'static str>,
    /// True if `/* */` is a comment.
    has_comments: bool,
    /// True if `${code}` is code in a string.
    has_code: bool,
    /// Whether quotes enclose strings, or only single characters.
    quotes: Quotes,
}

#[derive(Debug, PartialEq, Eq)]
struct Delimiter {
    start: &'static str,
    end: &'static str,
    /// True if a backslash escapes the end.
    escapes: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quotes {
    Strings,
    Chars,
}

const fn delimiter(start: &'static str, end: &'static str, escapes: bool) -> Delimiter {
    Delimiter { start, end, escapes }
}

const C: Shape = Shape {
    languages: &["c", "c-sharp", "cpp", "java", "php", "scss", "swift"],
    strings: &[],
    comment: Some("//"),
    has_comments: true,
    has_code: false,
    quotes: Quotes::Strings,
};

const SHAPES: &[Shape] = &[
    C,
    Shape { languages: &["css"], comment: None, ..C },
    Shape { languages: SCRIPTS, strings: &[delimiter("`", "`", true)], has_code: true, ..C },
    Shape { languages: &["go"], strings: &[delimiter("`", "`", false)], ..C },
    Shape {
        languages: &["rust"],
        strings: &[delimiter("r#\"", "\"#", false), delimiter("\"", "\"", true)],
        quotes: Quotes::Chars,
        ..C
    },
    Shape {
        languages: &["python"],
        strings: &[delimiter("\"\"\"", "\"\"\"", true), delimiter("'''", "'''", true)],
        comment: Some("#"),
        has_comments: false,
        ..C
    },
];
const SCRIPTS: &[&str] = &["javascript", "tsx", "typescript"];
/// Languages in which a line of code may begin with `* `.
const STARS: &[&str] = &["css", "rust", "scss"];

/// Returns the missing start and end of a text, as far as they can be inferred; both are empty if nothing is missing.
pub(crate) fn around(language: &str, text: &str) -> (String, String) {
    let mut around = (String::new(), String::new());
    match language {
        "json" if starts_with_key(text) => return ("{\n".to_owned(), "\n}".to_owned()),
        "yaml" => return (parents(text), String::new()),
        _ => {}
    }
    let Some(shape) = SHAPES.iter().find(|shape| shape.languages.contains(&language)) else { return around };
    let mut reading = Reading::of(shape, text, Within::Code(0));
    if shape.has_comments && starts_in_comment(language, text) {
        reading = Reading::of(shape, text, Within::Comment);
        around.0.push_str("/*\n");
    } else if SCRIPTS.contains(&language) && starts_in_import(text) {
        around.0.push_str("import {\n");
    } else {
        for delimiter in shape.strings.iter().filter(|delimiter| text.contains(delimiter.end)) {
            let within = Reading::of(shape, text, Within::String(delimiter));
            // Where nothing tells them apart, it starts with code.
            if within.score > reading.score {
                reading = within;
                around.0 = format!("{}\n", delimiter.start);
            }
        }
    }
    for open in reading.open.iter().skip_while(|open| matches!(open, Within::Code(_))).collect::<Vec<_>>().iter().rev()
    {
        if around.1.is_empty() {
            around.1.push('\n');
        }
        around.1.push_str(match open {
            Within::Code(_) => "}",
            Within::String(delimiter) => delimiter.end,
            Within::Comment => "*/",
        });
    }
    around
}

/// Its end comes before any beginning, or all lines have the star of such a comment.
fn starts_in_comment(language: &str, text: &str) -> bool {
    let is_star = |line: &str| line == "*" || line.starts_with("* ");
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty()).peekable();
    let has_star =
        !STARS.contains(&language) && lines.peek().is_some_and(|line| is_star(line) || line.starts_with("*/"));
    for line in lines {
        // Behind an end nothing follows: `src/**/*.rs` is none, nor is `*/5 * * * *`.
        match (line.find("/*"), line.ends_with("*/")) {
            (None, true) => return true,
            (Some(_), _) => return false,
            (None, false) if has_star && !is_star(line) => return false,
            (None, false) => {}
        }
    }
    has_star
}

/// `  b,` and `} from "./a"`: the names of an import that began above.
fn starts_in_import(text: &str) -> bool {
    let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$' | ',' | ' ');
    let mut lines = text.lines().map(str::trim).skip_while(|line| !line.is_empty() && line.chars().all(is_name));
    lines.next().is_some_and(|line| line.starts_with("} from "))
}

/// `"key": value` without the braces around it.
fn starts_with_key(text: &str) -> bool {
    let key = text.trim_start().strip_prefix('"').and_then(|rest| rest.split_once('"'));
    key.is_some_and(|(_, behind)| behind.trim_start().starts_with(':'))
}

/// Keys for an indented text to stand under, one for each step by which it goes back.
fn parents(text: &str) -> String {
    let indents = text.lines().filter(|line| !line.trim().is_empty()).map(|line| line.len() - line.trim_start().len());
    let mut steps: Vec<usize> = Vec::new();
    for indent in indents {
        if steps.last().is_none_or(|least| indent < *least) {
            steps.push(indent);
        }
    }
    if steps.last().is_some_and(|least| *least > 0) {
        steps.push(0);
    }
    steps.iter().skip(1).rev().map(|indent| format!("{:indent$}above:\n", "")).collect()
}

/// A text, read with a guess of its start.
struct Reading {
    /// How well they go together: first what the delimiters say, then what the lines say.
    score: (i32, i32),
    /// Open elements at the end, outermost first.
    open: Vec<Within>,
}

/// An open element.
#[derive(Debug, Clone, Copy)]
enum Within {
    /// With the count of braces that are open in it.
    Code(usize),
    String(&'static Delimiter),
    Comment,
}

impl Reading {
    fn of(shape: &'static Shape, text: &str, start: Within) -> Self {
        let mut reading = Self { score: (0, 0), open: vec![start] };
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let has_end = shape.strings.iter().any(|delimiter| line.contains(delimiter.end));
            reading.score.1 += match reading.open.last() {
                Some(Within::String(_)) if !has_end => -likeness(line),
                Some(Within::Code(_)) if !has_end => likeness(line),
                _ => 0,
            };
            reading.line(shape, text, at..at + line.len());
            at += line.len();
        }
        reading
    }

    fn line(&mut self, shape: &'static Shape, text: &str, line: Range<usize>) {
        let mut at = line.start;
        while let Some(char) = text.get(at..line.end).and_then(|rest| rest.chars().next()) {
            let rest = &text[at..line.end];
            let is_nested = self.open.len() > 1;
            let mut step = char.len_utf8();
            match self.open.last_mut() {
                Some(Within::String(it)) if it.escapes && char == '\\' => {
                    step += rest[1..].chars().next().map_or(0, char::len_utf8);
                }
                Some(Within::String(it)) if rest.starts_with(it.end) => {
                    step = it.end.len();
                    self.score.0 -= direction(text, line.start, at, step);
                    self.close();
                }
                Some(Within::String(_)) if shape.has_code && rest.starts_with("${") => {
                    step = 2;
                    self.open.push(Within::Code(0));
                }
                Some(Within::Comment) if rest.starts_with("*/") => {
                    step = 2;
                    self.close();
                }
                Some(Within::Code(_)) if shape.comment.is_some_and(|comment| rest.starts_with(comment)) => return,
                Some(Within::Code(_)) if shape.has_comments && rest.starts_with("/*") => {
                    step = 2;
                    self.open.push(Within::Comment);
                }
                Some(Within::Code(braces)) => match char {
                    _ if let Some(string) = shape.strings.iter().find(|it| rest.starts_with(it.start)) => {
                        step = string.start.len();
                        self.score.0 += direction(text, line.start, at, step);
                        self.open.push(Within::String(string));
                    }
                    '"' | '\'' => step = quoted(rest, char, shape.quotes),
                    '{' => *braces += 1,
                    '}' if *braces == 0 && is_nested => self.close(),
                    '}' => *braces = braces.saturating_sub(1),
                    _ => {}
                },
                _ => {}
            }
            at += step;
        }
    }

    /// Outside of everything is code.
    fn close(&mut self) {
        self.open.pop();
        if self.open.is_empty() {
            self.open.push(Within::Code(0));
        }
    }
}

/// Bytes of a string that ends on its line; of a quote that no other one follows, its own.
fn quoted(rest: &str, quote: char, quotes: Quotes) -> usize {
    if quotes == Quotes::Chars && !rest[1..].starts_with('\\') {
        // It may be a lifetime.
        let char = rest[1..].chars().next().map_or(0, char::len_utf8);
        return if rest[1 + char..].starts_with(quote) { char + 2 } else { 1 };
    }
    let mut is_escaped = false;
    for (at, char) in rest.char_indices().skip(1) {
        match char {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if char == quote => return at + quote.len_utf8(),
            _ => {}
        }
    }
    quote.len_utf8()
}

/// Does a delimiter rather open a string (above 0) or end one (below)? By what stands before and behind it on its line.
fn direction(text: &str, line: usize, at: usize, length: usize) -> i32 {
    let before = text[line..at].trim();
    let behind = text[at + length..].lines().next().unwrap_or_default();
    let next = behind.trim_start().chars().next();
    let (last, is_apart) = (before.chars().next_back(), text[line..at].ends_with([' ', '\t']));
    if next.is_some_and(|next| matches!(next, ')' | ';' | ',' | ']' | '}' | '.')) {
        return -1;
    }
    let is_opening = last.is_some_and(|last| matches!(last, '(' | '=' | ',' | ':' | '[' | '{' | '+' | '?' | '&' | '|'));
    let word = before.rsplit(|char: char| !char.is_alphanumeric()).next().unwrap_or_default();
    if is_opening || matches!(word, "return" | "await" | "yield" | "default") {
        return 1;
    }
    match (last, next) {
        // Alone on its line: the lines above decide whether it opens or closes.
        (None, None) => {
            let above = text[..line].lines().map(str::trim).rfind(|line| !line.is_empty()).unwrap_or_default();
            match above.chars().next_back() {
                Some(':' | '(' | '=' | '{') => 1,
                Some('.') => -1,
                _ => 0,
            }
        }
        // A tag or a prefix opens it, the end of a sentence doesn't.
        (Some(_), None) if is_apart => 0,
        (Some(_), None) if before.contains('=') || matches!(word, "r" | "f" | "b") => 1,
        (Some(_), None) => -1,
        (None, Some(_)) => 1,
        (Some(_), Some(_)) => 0,
    }
}

/// Rates a line: positive if it looks like code, negative if it looks like prose.
fn likeness(line: &str) -> i32 {
    const WORDS: &[&str] = &[
        "class", "const", "def", "elif", "else:", "except", "export", "fn", "for", "func", "function", "if", "import",
        "let", "raise", "return", "try:", "use", "var", "while",
    ];
    let line = line.trim();
    let word = line.split(' ').next().unwrap_or_default();
    let has_signs = line.contains(['(', '=', '{', ';', '[']);
    let ends_as_code = line.ends_with([';', '{', '}', ')', '(', ':']);
    match (WORDS.contains(&word), has_signs, ends_as_code) {
        (true, true, _) | (true, _, true) => 2,
        (_, true, true) => 1,
        (false, false, false) if line.ends_with('.') => -2,
        (false, false, false) if line.contains(' ') => -1,
        _ => 0,
    }
}
