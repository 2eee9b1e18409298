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

fn draw_all(language: &str, texts: &[&str]) -> String {
    texts.iter().map(|text| draw(&highlight(language, text)) + "--\n").collect()
}

/// A comment opened above a fragment is known by its end, and one that goes on below by its start.
#[test]
fn fragments_within_a_comment() {
    insta::assert_snapshot!(draw_all("rust", &[
        "    it's the let of it\n */\nfn f() {}\n",
        "    a\n    * b\n",
        "let glob = \"src/**/*.rs\"; // let\nfn g() {}\n/* a */\n",
    ]), @r#"
        it's the let of it
    cccccccccccccccccccccc
     */
    ccc
    fn f() {}
    kk f
    --
        a

        * b

    --
    let glob = "src/**/*.rs"; // let
    kkk        sssssssssssss  cccccc
    fn g() {}
    kk f
    /* a */
    ccccccc
    --
    "#);
    insta::assert_snapshot!(draw_all("ts", &[
        " * Returns the `name` of it, or null.\n * @param a if it's new\n */\nexport const f = (a: string) => a;\n",
        " * All of it is in a comment, isn't it\n *\n * return\n",
        "const cron = '*/5 * * * *';\nconst all = 'src/**/';\n",
        "  type A,\n  b,\n} from './a';\nimport c from 'c';\n",
    ]), @r"
     * Returns the `name` of it, or null.
    ccccccccccccccccccccccccccccccccccccc
     * @param a if it's new
    ccccccccccccccccccccccc
     */
    ccc
    export const f = (a: string) => a;
    kkkkkk kkkkk f       tttttt
    --
     * All of it is in a comment, isn't it
    cccccccccccccccccccccccccccccccccccccc
     *
    cc
     * return
    ccccccccc
    --
    const cron = '*/5 * * * *';
    kkkkk        sssssssssssss
    const all = 'src/**/';
    kkkkk       sssssssss
    --
      type A,
      kkkk t
      b,

    } from './a';
      kkkk sssss
    import c from 'c';
    kkkkkk   kkkk sss
    --
    ");
    insta::assert_snapshot!(draw_all("go", &["   of a package.\n*/\npackage a\n", "*p = 1\n*q = 2 /* if\n for"]), @r"
       of a package.
    cccccccccccccccc
    */
    cc
    package a
    kkkkkkk
    --
    *p = 1
         n
    *q = 2 /* if
         n ccccc
     for
    cccc
    --
    ");
    insta::assert_snapshot!(draw_all("css", &["* { color: red }\n", "   red\n*/\n.a { color: red }\n"]), @r"
    * { color: red }
    t   ttttt
    --
       red
    cccccc
    */
    cc
    .a { color: red }
     t   ttttt
    --
    ");
}

#[test]
fn fragments_within_a_string() {
    insta::assert_snapshot!(draw_all("rust", &[
        "    it is new,\\n\\\n    so use it\",\n    1,\n);\nlet a = \"b\";\n",
        "let a = \"b\";\nlet c = \"d\n  return it\n",
        "fn f<'a>(b: &'a str) -> char { '\"' }\nlet c = r#\"d \"e\"\n  if it\n",
    ]), @r#"
        it is new,\n\
    sssssssssssssssss
        so use it",
    ssssssssssssss
        1,
        n
    );

    let a = "b";
    kkk     sss
    --
    let a = "b";
    kkk     sss
    let c = "d
    kkk     ss
      return it
    sssssssssss
    --
    fn f<'a>(b: &'a str) -> char { '"' }
    kk f  t       t ttt     tttt   sss
    let c = r#"d "e"
    kkk     ssssssss
      if it
    sssssss
    --
    "#);
    insta::assert_snapshot!(draw_all("ts", &[
        "  SELECT name FROM users\n  WHERE id = ${id} AND new = 1\n`;\nconst rows = await query(sql);\nreturn rows;\n",
        "const a = `${b.map((c) => `<i>${c}</i>`).join(`, `)}`;\nconst d = sql`\n  SELECT new FROM if\n",
        "  it's the end\n`, [a, `b`]);\nlog(`c ${d}`);\n",
            "const a = `b ${c.map((d) => ({\n  e: `if`,\n",
    ]), @r"
      SELECT name FROM users
    ssssssssssssssssssssssss
      WHERE id = ${id} AND new = 1
    sssssssssssss     ssssssssssss
    `;
    s
    const rows = await query(sql);
    kkkkk        kkkkk fffff
    return rows;
    kkkkkk
    --
    const a = `${b.map((c) => `<i>${c}</i>`).join(`, `)}`;
    kkkkk     s    fff        ssss    sssss  ffff ssss  s
    const d = sql`
    kkkkk     fffs
      SELECT new FROM if
    ssssssssssssssssssss
    --
      it's the end
    ssssssssssssss
    `, [a, `b`]);
    s      sss
    log(`c ${d}`);
    fff sss    s
    --
    const a = `b ${c.map((d) => ({
    kkkkk
      e: `if`,
         ssss
    --
    ");
    insta::assert_snapshot!(draw_all("go", &[
        "\tFROM users\n\tWHERE range = 1`, id)\nif err != nil {\n\treturn err\n}\n",
        "rows := query(`\n\tSELECT func FROM users\n",
    ]), @r"
    	FROM users
    sssssssssss
    	WHERE range = 1`, id)
    sssssssssssssssss
    if err != nil {
    kk        nnn
    	return err
     kkkkkk
    }

    --
    rows := query(`
                  s
    	SELECT func FROM users
    sssssssssssssssssssssss
    --
    ");
    insta::assert_snapshot!(draw_all("python", &[
        "    It is not for the end of it.\n    \"\"\"\n    x = compute(1)\n    return x\n",
        "def f():\n    \"\"\"Doc, and not code.\n    For all of it.\n",
        "def f():\n    \"\"\"\n    For all of it.\n",
        "    Returns the class.\"\"\"\n    return \"a\"\n\ndef g():\n    \"\"\"Doc.\"\"\"\n",
    ]), @r#"
        It is not for the end of it.
    ssssssssssssssssssssssssssssssss
        """
    sssssss
        x = compute(1)
            fffffff n
        return x
        kkkkkk
    --
    def f():
    kkk f
        """Doc, and not code.
        sssssssssssssssssssss
        For all of it.
    ssssssssssssssssss
    --
    def f():
    kkk f
        """
        sss
        For all of it.
    ssssssssssssssssss
    --
        Returns the class."""
    sssssssssssssssssssssssss
        return "a"
        kkkkkk sss


    def g():
    kkk f
        """Doc."""
        ssssssssss
    --
    "#);
}

#[test]
fn fragments_of_data() {
    insta::assert_snapshot!(draw_all("json", &["    \"a\": \"b\",\n    \"c\": [1],\n", "[\"a: b\"]"]), @r#"
        "a": "b",
        ttt  sss
        "c": [1],
        ttt   n
    --
    ["a: b"]
     ssssss
    --
    "#);
    insta::assert_snapshot!(draw_all("yaml", &["      a: b\n    c:\n      - d: 1\n  e: f\n"]), @r"
          a: b
          t  s
        c:
        t
          - d: 1
            t  n
      e: f
      t  s
    --
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

/// Each block of another language is parsed by itself.
#[test]
fn not_every_one_of_thousands_of_blocks_is_coloured() {
    let lines = highlight("markdown", &"```json\n1\n```\n".repeat(3_000));
    let coloured = lines.iter().filter(|line| line.text == "1" && !line.tokens.is_empty()).count();
    assert!((1..2_000).contains(&coloured), "{coloured}");
}
