//! Tokens of code blocks and of diffs, drawn below the code: one letter per byte.

use std::fmt::Write;

use diff::{DiffInput, file_diff, highlight};
use model::view::{CodeLine, DiffRun};

fn draw(lines: &[CodeLine]) -> String {
    let mut out = String::new();
    for line in lines {
        let mut row = vec![' '; line.text.chars().count()];
        for token in &line.tokens {
            let at = |byte: u32| line.text[..byte as usize].chars().count();
            row[at(token.start)..at(token.end)].fill(token.class.letter());
        }
        let row = row.into_iter().collect::<String>();
        let _ = writeln!(out, "{}\n{}", line.text, row.trim_end());
    }
    out
}

#[test]
fn rust() {
    let code = "/// A café.\npub fn main() -> Option<u32> {\n    let x = \"é\\n\"; // 1\n    println!(\"{x}\", 42);\n    None\n}\n";
    insta::assert_snapshot!(draw(&highlight("rust", code)), @r#"
    /// A café.
    ccccccccccc
    pub fn main() -> Option<u32> {
    kkk kk ffff      tttttt ttt
        let x = "é\n"; // 1
        kkk     sssss  cccc
        println!("{x}", 42);
        ffffffff sssss  nn
        None
        tttt
    }
    "#);
}

#[test]
fn typescript_and_tsx() {
    let code = "export async function f(a: string): Promise<number> {\n  return `${a}!`.length + 1;\n}\n";
    insta::assert_snapshot!(draw(&highlight("ts", code)), @r"
    export async function f(a: string): Promise<number> {
    kkkkkk kkkkk kkkkkkkk f    tttttt   ttttttt tttttt
      return `${a}!`.length + 1;
      kkkkkk s    ss          n
    }
    ");
    let code = "const App = () => <div className=\"a\">{count}</div>;\n";
    insta::assert_snapshot!(draw(&highlight("tsx", code)), @r#"
    const App = () => <div className="a">{count}</div>;
    kkkkk ttt          ttt fffffffff sss          ttt
    "#);
}

#[test]
fn python() {
    let code = "class Animal(Being):\n    \"\"\"Doc.\n    More.\n    \"\"\"\n    def f(self) -> None:\n        return f\"{self.x}\" # yes\n";
    insta::assert_snapshot!(draw(&highlight("python", code)), @r#"
    class Animal(Being):
    kkkkk tttttt ttttt
        """Doc.
        sssssss
        More.
    sssssssss
        """
    sssssss
        def f(self) -> None:
        kkk f          nnnn
            return f"{self.x}" # yes
            kkkkkk ss        s ccccc
    "#);
}

#[test]
fn data() {
    insta::assert_snapshot!(draw(&highlight("json", "{\"key\": [\"value\", 1, true]}")), @r#"
    {"key": ["value", 1, true]}
     ttttt   sssssss  n  nnnn
    "#);
    insta::assert_snapshot!(draw(&highlight("yaml", "on: push # now\njobs:\n  - name: \"a\"\n")), @r#"
    on: push # now
    tt  ssss ccccc
    jobs:
    tttt
      - name: "a"
        tttt  sss
    "#);
    insta::assert_snapshot!(draw(&highlight("toml", "[package]\nname = \"a\" # b\n")), @r#"
    [package]
     ttttttt
    name = "a" # b
    tttt   sss ccc
    "#);
}

#[test]
fn other_languages() {
    let blocks = [
        ("sh", "for f in *.rs; do echo \"$f\" | wc -l; done # count"),
        ("go", "func main() { fmt.Println(\"a\", 1) }"),
        ("cpp", "int main() { return std::max<int>(1, 2); }"),
        ("css", ".a { color: red; width: 10px }"),
        ("sql", "SELECT name FROM users WHERE id = 1 -- one"),
        ("diff", "-old\n+new"),
        ("dockerfile", "FROM rust:1 AS build\nRUN cargo build"),
    ];
    let drawn: String = blocks.iter().map(|(language, code)| draw(&highlight(language, code))).collect();
    insta::assert_snapshot!(drawn, @r#"
    for f in *.rs; do echo "$f" | wc -l; done # count
    kkk   kk       kk ffff s  s   ff nn  kkkk ccccccc
    func main() { fmt.Println("a", 1) }
    kkkk ffff         fffffff sss  n
    int main() { return std::max<int>(1, 2); }
    ttt ffff     kkkkkk      fff ttt  n  n
    .a { color: red; width: 10px }
     t   ttttt       ttttt  nntt
    SELECT name FROM users WHERE id = 1 -- one
    kkkkkk      kkkk ttttt kkkkk      s cccccc
    -old
    kkkk
    +new
    ssss
    FROM rust:1 AS build
    kkkk        kk
    RUN cargo build
    kkk
    "#);
}

#[test]
fn languages_within_languages() {
    insta::assert_snapshot!(draw(&highlight("html", "<p class=\"a\">b</p>\n<script>\nlet a = 1;\n</script>\n")), @r#"
    <p class="a">b</p>
     t fffff  s     t
    <script>
     tttttt
    let a = 1;
    kkk     n
    </script>
      tttttt
    "#);
    insta::assert_snapshot!(draw(&highlight("markdown", "# Title\n\n```rust\nfn a() {}\n```\n")), @r"
    # Title
      fffff


    ```rust
       ssss
    fn a() {}
    kk f
    ```
    ");
    insta::assert_snapshot!(draw(&highlight("vue", "<script lang=\"ts\">\nconst a: number = 1;\n</script>\n")), @r#"
    <script lang="ts">
     tttttt ffff  ss
    const a: number = 1;
    kkkkk    tttttt   n
    </script>
      tttttt
    "#);
}

#[test]
fn unknown_or_too_large_is_plain() {
    let has_tokens = |language: &str, code: &str| highlight(language, code).iter().any(|line| !line.tokens.is_empty());
    assert!(has_tokens("rust", "fn a() {}"));
    assert!(!has_tokens("klingon", "fn a() {}"));
    assert!(!has_tokens("rust", &format!("fn a() {{}}\n// {}", "x".repeat(5_001))));
    assert!(!has_tokens("rust", &"fn a() {}\n".repeat(27_000)));
    assert_eq!(
        highlight("", "a\r\n\tb\n\n").iter().map(|line| line.text.as_str()).collect::<Vec<_>>(),
        ["a", "\tb", ""]
    );
}

/// Tokens that begin before a hunk colour the lines within it.
#[test]
fn diffs_are_coloured_as_wholes() {
    let old = "/*\n1\n2\n3\n4\nold\n*/\n";
    let new = "/*\n1\n2\n3\n4\nnew\n*/\n";
    let input = DiffInput {
        old: Some(old),
        new: Some(new),
        language: None,
        path: "a.c",
        first_line: None,
        is_whole: true,
        context: 1,
        ..DiffInput::default()
    };
    let drawn = file_diff(&input).runs.into_iter().map(|run| match run {
        DiffRun::Context(lines) => draw(&lines),
        DiffRun::Change { old, new, .. } => draw(&old) + &draw(&new),
        DiffRun::Gap { lines, .. } => format!("... {lines}\n"),
    });
    insta::assert_snapshot!(drawn.collect::<String>(), @r"
    ... 4
    4
    c
    old
    ccc
    new
    ccc
    */
    cc
    ");
}

/// Each of these ends the process, or did: see `hazard.rs`.
#[test]
fn hostile_texts_are_survived() {
    let deep = |open: &str| format!("{}a\n", open.repeat(3_000));
    let rows = |count: usize, row: &dyn Fn(usize) -> String| (0..count).map(row).collect::<String>();
    let pythonic = rows(500, &|at| format!("{}if a:\n", " ".repeat(at)));
    let joined = rows(500, &|at| format!("{}if a:\n", " \\\n".repeat(at)));
    let nested = rows(300, &|at| format!("{}- a:\n", " ".repeat(at)));
    let mixed = rows(400, &|at| format!("{}? - \"{}\" - - : - a\n", " ".repeat(at % 90), "x".repeat(at)));
    let heredoc = format!("<<~{0}\n{0}\n", "A".repeat(300));
    let quoted = format!("a = <<\"{}\"\n", "a b\n".repeat(300));
    let fenced = format!("```yaml\n{nested}```\n\n```ruby\n{heredoc}{quoted}```\n");
    let opened = ["> ", "- ", "[ ", "<a>", "$\"{", "\"${", "\"#{", "f'{", "(", "<<A\n", "{"].map(deep);
    let texts = [pythonic, joined, nested, mixed, heredoc, quoted, fenced];
    let languages = "bash c c-sharp cpp css diff dockerfile go hcl html java javascript json lua make markdown nix php \
                     python ruby rust scss sql svelte swift toml tsx typescript vue xml yaml";
    for text in opened.iter().chain(&texts) {
        for language in languages.split(' ') {
            assert_eq!(highlight(language, text).len(), text.lines().count());
        }
    }
}
