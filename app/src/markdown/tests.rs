use super::{Breaks, Settled, to_html, typed};
use crate::shared::attr;
use proptest::prelude::*;

fn soft(text: &str) -> String {
    to_html(text, Breaks::Soft, "7").into_string()
}

#[test]
fn everything_that_agents_write() {
    let text = "# One\n\n## Two\n\nA *b* **c** ~~d~~ `e<f>` https://example.org/a_(b)?c=1&d=2. Next\nline\n\n\
        1. x\n2. y\n\n- [x] done\n- [ ] open\n\n| a | b |\n|--:|:-:|\n| 1 | 2 |\n\n> quote\n\n---\n\nnote[^n]\n\n[^n]: text\n\n\
        ```rust,ignore\nlet a = \"<b>\";\n```\n\n    plain\n";
    insta::assert_snapshot!(soft(text).replace("><", ">\n<"));
}

#[test]
fn people_press_return_where_they_want_a_line() {
    assert_eq!(to_html("a\nb", Breaks::Hard, "1").as_str(), "<p>a<br>b</p>");
    assert_eq!(soft("a\nb"), "<p>a\nb</p>");
}

#[test]
fn headings_go_down_level_by_level() {
    let levels = soft("### a\n\n##### b\n\n#### c\n\n# d\n\n### e");
    assert_eq!(levels, "<h2>a</h2><h3>b</h3><h3>c</h3><h2>d</h2><h3>e</h3>");
}

#[test]
fn words_may_be_marked_with_bare_elements_that_are_closed() {
    assert_eq!(
        soft("H<sub>2</sub>O, x<sup>2</sup><br>**<kbd>Esc</kbd>**"),
        "<p>H<sub>2</sub>O, x<sup>2</sup><br><strong><kbd>Esc</kbd></strong></p>"
    );
    let same = |words: &str| {
        let text = words.replace('<', "&lt;").replace('>', "&gt;");
        assert_eq!(soft(words), format!("<p>{text}</p>"));
    };
    same("the <kbd> element, </kbd alone, <sub onclick=x>2, </sup>");
    same("say <script>x</script> and <sub/>");
    assert_eq!(soft("<b>a <i>b</b>"), "<p><b>a &lt;i&gt;b</b></p>");
    assert_eq!(soft("**a <b>b** c</b>"), "<p><strong>a &lt;b&gt;b</strong> c&lt;/b&gt;</p>");
    assert_eq!(soft("one\n\n<br>\n\ntwo"), "<p>one</p><p class=\"lines\"><br></p><p>two</p>");
}

#[test]
fn the_deepest_lists_stay_lines_of_their_own() {
    let list: String = (0..14).map(|level| format!("{}- level {level}\n", "  ".repeat(level))).collect();
    let html = soft(&list);
    assert!(html.contains("level 11<br>\u{2022} level 12<br>\u{2022}\u{2022} level 13"), "{html}");
}

#[test]
fn what_people_typed_keeps_its_signs() {
    let typed = |text: &str| typed(text, 100).0.into_string();
    let same = |words: &str| assert_eq!(typed(words), format!("<p class=\"lines\">{words}</p>"));
    same("- const a = 1;\n+ const a = 2;\n  let b");
    same("1. one\n   two\n\n# no heading\n---");
    same("__init__.py and _private_ stay, as do 2 * 3 * 4, **/*.rs and *args, **kwargs");
    same("a lone ` and [a](src/a.rs) and [b](javascript:alert(1)) and ``");
    same("```rust\nnever closed");
    assert_eq!(typed("> check\nit"), "<p class=\"lines\">&gt; check\nit</p>");
    same("*a* **b c** (*f*) and ~~d~~");
    same("C:\\new\\_temp\\*.log and \\\\nas\\share, \\(a_1\\) costs $5");
    assert_eq!(typed("`d*e*`, ``f`g``"), "<p class=\"lines\"><code>d*e*</code>, <code>f`g</code></p>");
    assert_eq!(
        typed("See [it](https://a.example) at https://b.example."),
        "<p class=\"lines\">See <a href=\"https://a.example\" rel=\"noopener noreferrer\" target=\"_blank\">it</a> at \
         <a href=\"https://b.example\" rel=\"noopener noreferrer\" target=\"_blank\">https://b.example</a>.</p>"
    );
    let block = typed("before\n\n  ```\n  ls\n    -la\n  ```\nafter");
    assert!(block.starts_with("<p class=\"lines\">before</p><figure class=\"codeblock bare\">"), "{block}");
    assert!(block.contains("<code>ls\n  -la</code>") && block.ends_with("<p class=\"lines\">after</p>"), "{block}");
}

#[test]
fn what_is_no_markdown_keeps_its_signs() {
    let same = |words: &str| {
        let html = soft(words).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&");
        assert_eq!(html, format!("<p>{words}</p>"));
    };
    // Money, rates, variables, formulas in words.
    same("$/PR is down but $/session is up. $5 today and $10 tomorrow; set $HOME and $PATH.");
    same("a_1 * b_1 * c_1, snake_case_name, 5 * 3 * 2, $_.Name and $_.Id, kill $$ and echo $$");
    same("~100 ms, 3~5 days or 7~10天");
    // TeX, whole.
    same(r"Inline \(a_1 + b_1\) and \(a*b*c\), $$x_1^2 * y_1^2$$ and \[ E = mc^2 \].");
    same(r"As $\mathbf{x}_{i} \mathbf{y}_{j}$, $\{a\}$, $x_{1}*y_{2}*z$ and \begin{matrix} a \\ b_1*c_1* \end{matrix}");
    same(r"\alpha_{1}*\beta_{2}* and \frac{1}{2}");
    // Paths, patterns, regular expressions.
    same(r"See C:\Users\Mira\src\run.ps1 and \\nas\share\new, also C:\_old_\*star*.");
    same(r"C:\new\_temp\*.log, C:\Users\Mira\.claude\settings.json, ..\_a_\b, .\.github, %APPDATA%\.x, ~\_y_");
    same(r"C:\Program Files\_x_\*.txt ends, as does C:\new\");
    same(r"\w+\[a\](x) and \s\<b\>");
    same("C:\\new\\\nand \\d+\\.\\d+ or src\\.github");
    same("src/*.rs and lib/*.rs, src/**/*.ts, a/__init__.py, /srv/_old_/x");
}

#[test]
fn what_is_markdown_beside_it_is_drawn() {
    let cases = [
        (r"**C:\new\_temp\run.ps1** and *D:\x*: go", r"<strong>C:\new\_temp\run.ps1</strong> and <em>D:\x</em>: go"),
        (
            r"(**C:\new**), `C:\a\*` or \*no\* and a\_b",
            r"(<strong>C:\new</strong>), <code>C:\a\*</code> or *no* and a_b",
        ),
        (r"**see C:\new\_temp**", r"<strong>see C:\new\_temp</strong>"),
        (r"\[1\] says 1\. and \# \$5 \~", "[1] says 1. and # $5 ~"),
        (
            r"*one* and __two__, ~~three~~ at /srv/**x**",
            "<em>one</em> and <strong>two</strong>, <del>three</del> at /srv/<strong>x</strong>",
        ),
        (r"*a* \(x\) *b*", r"<em>a</em> \(x\) <em>b</em>"),
    ];
    for (text, html) in cases {
        assert_eq!(soft(text), format!("<p>{html}</p>"), "{text}");
    }
    assert_eq!(soft(r"[x](C:\new\_a.txt)"), r#"<p><span class="ref" title="C:\new\_a.txt">x</span></p>"#);
    let table = soft("| a | b |\n|---|---|\n| C:\\_x_\\y | `a\\|b` |\n| \\(|x|\\) | c |");
    assert!(table.contains(r"<td>C:\_x_\y</td><td><code>a|b</code></td>"), "{table}");
}

#[test]
fn displayed_tex_keeps_its_lines() {
    assert_eq!(
        soft("So\n\n$$\nx_1\n=\n- y_1*z*\n+ \\frac{1}{2}\n$$\n\nand *so*"),
        "<p>So</p><p>$$<br>x_1<br>=<br>- y_1*z*<br>+ \\frac{1}{2}<br>$$</p><p>and <em>so</em></p>"
    );
    assert_eq!(
        soft("- \\[\n  a_1 \\\\\n  # b\n  \\] *c*"),
        "<ul><li>\\[<br>a_1 \\\\<br># b<br>\\] <em>c</em></li></ul>"
    );
    // Unclosed TeX ends with its paragraph; in code it has no meaning.
    assert_eq!(soft("$$\n# a\n\n# b"), "<p>$$<br># a</p><h2>b</h2>");
    assert!(soft("```\n$$\n# a\n```\n\n# b").ends_with("<h2>b</h2>"));
    assert!(soft("    $$\n    a_b\n\nc").contains("$$\na_b"));
}

#[test]
fn characters_that_stand_in_are_kept_where_they_are_written() {
    let text = "\u{fdd0} C:\\new\\x *b* \u{fdef}";
    assert_eq!(soft(text), "<p>\u{fdd0} C:\\new\\x <em>b</em> \u{fdef}</p>");
}

#[test]
fn emphasis_beside_scripts_without_spaces() {
    let cases = [
        ("**先别升级，等下周的补丁。**现在", "<strong>先别升级，等下周的补丁。</strong>现在"),
        (
            "请看**「水泵」**的说明，以及*「阀门」*和~~“旧表”~~的",
            "请看<strong>「水泵」</strong>的说明，以及<em>「阀门」</em>和<del>“旧表”</del>的",
        ),
        (
            "**注意：**重启。これは**重要（必読）**です",
            "<strong>注意：</strong>重启。これは<strong>重要（必読）</strong>です",
        ),
        ("한국어도 **\"따옴표\"**를", "한국어도 <strong>&quot;따옴표&quot;</strong>를"),
        (
            "运行**`make`**后，**[指南](https://a.example)**里",
            "运行<strong><code>make</code></strong>后，<strong><a href=\"https://a.example\" rel=\"noopener noreferrer\" target=\"_blank\">指南</a></strong>里",
        ),
        ("ใช้**\"ปั๊ม\"**ก่อน ***「x」***的", "ใช้<strong>&quot;ปั๊ม&quot;</strong>ก่อน <em><strong>「x」</strong></em>的"),
        ("a**\"b\"**c **kwargs，2*3*4", "a**&quot;b&quot;**c **kwargs，2<em>3</em>4"),
        ("在C:\\new\\_x里，**「重要」**的", "在C:\\new\\_x里，<strong>「重要」</strong>的"),
    ];
    for (text, html) in cases {
        assert_eq!(soft(text), format!("<p>{html}</p>"), "{text}");
    }
    let cell = soft("| 部件 | 说明 |\n|---|---|\n| 水泵 | 每周检查<br>每月<BR/>上油 |");
    assert!(cell.contains("<td>每周检查<br>每月<br>上油</td>"), "{cell}");
}

#[test]
fn bare_addresses_end_where_the_sentence_goes_on() {
    let cases = [
        ("文档在https://example.com/guide，以及", "https://example.com/guide"),
        ("（https://example.com/a/1）和", "https://example.com/a/1"),
        ("和https://example.com/b。完", "https://example.com/b"),
        ("見るhttps://example.com/cです", "https://example.com/c"),
        ("“https://example.com/d”", "https://example.com/d"),
        ("انظر https://example.com/e، ثم", "https://example.com/e"),
        ("見る https://ja.example/wiki/水泵_(機械)、", "https://ja.example/wiki/水泵_(機械)"),
        ("see https://de.example/wiki/Übung–x.", "https://de.example/wiki/Übung–x"),
    ];
    for (text, address) in cases {
        for html in [soft(text), typed(text, 100).0.into_string()] {
            assert!(html.contains(&format!("<a href=\"{address}\" ")), "{text}: {html}");
        }
    }
    assert!(!soft("xhttps://example.com").contains("<a "));
}

#[test]
fn a_block_of_markdown_holds_blocks() {
    let html = soft(
        "Template:\n\n```markdown\n## Identity\nExample:\n```\nPIR\n```\n## Output\n```json\n{}\n```\n```\n\nAfter, **bold**.",
    );
    assert_eq!(html.matches("<figure").count(), 1, "{html}");
    assert!(!html.contains("<h2>") && html.ends_with("<p>After, <strong>bold</strong>.</p>"), "{html}");
    let html = soft("~~~markdown\n```py\nx = 1\n```\nstill code\n~~~\n\nAfter, **bold**.");
    assert!(html.contains("still code") && html.ends_with("<p>After, <strong>bold</strong>.</p>"), "{html}");
    let typed = typed("See\n```md\n```js\n1\n```\nmore\n```\nafter", 100).0.into_string();
    assert!(typed.matches("<figure").count() == 1 && typed.ends_with("<p class=\"lines\">after</p>"), "{typed}");
    // While it is written, what stands behind an inner block is code too.
    let grown = Settled::default().grow("```markdown\n```js\n1\n```\nmore **x", Breaks::Soft, "7", 100);
    let grown = grown.map(|grown| grown.html.into_string()).unwrap_or_default();
    assert!(grown.matches("<figure").count() == 1 && !grown.contains("<p>"), "{grown}");
}

#[test]
fn each_block_runs_in_the_direction_of_its_first_letter() {
    let rtl = "<p dir=\"rtl\">";
    assert_eq!(
        soft("`userName` يخزن, x\n\nEnglish with מילה.\n\n12: שלום\n\n123"),
        format!("{rtl}<code>userName</code> يخزن, x</p><p>English with מילה.</p>{rtl}12: שלום</p><p>123</p>")
    );
    assert_eq!(
        soft("- בדיקה\n- second\n\n> مرحبا\n>\n> - one\n"),
        "<ul><li dir=\"rtl\">בדיקה</li><li>second</li></ul><blockquote dir=\"rtl\"><p>مرحبا</p><ul><li dir=\"ltr\">one</li></ul></blockquote>"
    );
    assert!(soft("# שלום").starts_with("<h2 dir=\"rtl\">"));
    let table = soft("| שם | ערך |\n|---|---|\n| רוחב | 42 px |");
    assert!(
        table.starts_with("<div class=\"table-wrap\" tabindex=\"0\" dir=\"rtl\">")
            && table.contains("<td dir=\"ltr\">42 px"),
        "{table}"
    );
    assert!(soft("```js\nconst x = \"שלום\";\n```").find("dir=").is_none());
    assert_eq!(typed("שלום\nhello", 9).0.as_str(), "<p class=\"lines\" dir=\"rtl\">שלום\nhello</p>");
}

#[test]
fn what_people_typed_is_bounded() {
    let links = "https://a.example/ ".repeat(1_000);
    assert!(typed(&links, 50).1);
    let blocks = "```\nx\n```\n".repeat(100);
    let (html, cut) = typed(&blocks, 50);
    assert!(cut && html.as_str().matches("<figure").count() <= 50);
    for signs in ["`", "*", "[", "```\n", "~~~x\n", "[a](", "**a"] {
        assert!(!typed(&signs.repeat(200_000 / signs.len()), 400).0.is_empty());
    }
}

proptest! {
    #[test]
    fn any_typed_text_is_safe(text in "([a-z*`\\[\\]()<>~_ \n#é-]|https://x |```\n){0,60}") {
        let html = typed(&text, 400).0.into_string();
        prop_assert!(!html.contains("<script"));
        prop_assert_eq!(html.matches("<p ").count(), html.matches("</p>").count());
    }
}

#[test]
fn nothing_dangerous_passes() {
    let cases = [
        ("<script>alert(1)</script>", "<p class=\"lines\">&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
        ("a <img src=x onerror=alert(1)> b", "<p>a &lt;img src=x onerror=alert(1)&gt; b</p>"),
        ("[x](javascript:alert(1))", "<p><span class=\"ref\" title=\"javascript:alert(1)\">x</span></p>"),
        ("[x](JaVaScRiPt:alert(1))", "<p><span class=\"ref\" title=\"JaVaScRiPt:alert(1)\">x</span></p>"),
        ("[x](java&#10;script:alert(1))", "<p><span class=\"ref\" title=\"java\nscript:alert(1)\">x</span></p>"),
        ("[x](data:text/html,<b>)", "<p><span class=\"ref\" title=\"data:text/html,&lt;b&gt;\">x</span></p>"),
        ("[x](//evil.example)", "<p><span class=\"ref\" title=\"//evil.example\">x</span></p>"),
        ("[x](src/a.rs:12)", "<p><span class=\"ref\" title=\"src/a.rs:12\">x</span></p>"),
        (
            "[x](https://a.example \"t\")",
            "<p><a href=\"https://a.example\" rel=\"noopener noreferrer\" target=\"_blank\">x</a></p>",
        ),
        (
            "![pixel](https://a.example/p.png)",
            "<p><a href=\"https://a.example/p.png\" rel=\"noopener noreferrer\" target=\"_blank\">Image: pixel</a></p>",
        ),
        (
            "![p](data:image/png;base64,AA)",
            "<p><span class=\"ref\" title=\"data:image/png;base64,AA\">Image: p</span></p>",
        ),
        (
            "<javascript:alert(1)>",
            "<p><span class=\"ref\" title=\"javascript:alert(1)\">javascript:alert(1)</span></p>",
        ),
        (
            "[https://b.example](https://a.example)",
            "<p><a href=\"https://a.example\" rel=\"noopener noreferrer\" target=\"_blank\">https://b.example</a></p>",
        ),
    ];
    for (text, want) in cases {
        assert_eq!(soft(text), want, "{text}");
    }
}

/// Addresses without a host, in one word: looked through to its end from each of them, this would take an hour.
#[test]
fn addresses_that_lead_nowhere_take_no_time() {
    let nowhere = "http://-".repeat(128 * 1024);
    for html in [soft(&nowhere), typed(&nowhere, 400).0.into_string()] {
        assert!(html.contains("http://-http://-") && !html.contains("<a "));
    }
    let link = |text: &str| soft(text).contains("<a ");
    assert!(link("http://-http://a.example") && !link("https://.") && !link("http://"));
}

#[test]
fn huge_and_deep_texts_are_bounded() {
    let mebibyte = 1024 * 1024;
    for unit in [
        ">", "> ", "*", "_", "[", "![", "`", "~", "$", "$$", "\\(", "\\[\n", "a\\*", "a*.", "。**", "- ", "1. ", "<",
        "&", "|", "https://", "(", "\\", "[^a]", "a*b ",
    ] {
        let html = soft(&unit.repeat(mebibyte / unit.len()));
        let deepest = depth(&html);
        assert!(deepest <= 40, "{unit:?} nests {deepest} levels");
    }
    let lines = "> > > > > > > > > > > > > > > > > > > > > > > > > > > > > > > a\n\n".repeat(4_000);
    assert!(depth(&soft(&lines)) <= 40);
}

fn depth(html: &str) -> usize {
    let (mut open, mut deepest) = (0_usize, 0);
    for tag in tags(html) {
        match tag.as_str() {
            "br" | "hr" => {}
            close if close.starts_with('/') => open = open.saturating_sub(1),
            _ => open += 1,
        }
        deepest = deepest.max(open);
    }
    deepest
}

/// Names of the tags, closing ones with their slash.
fn tags(html: &str) -> Vec<String> {
    let rest = html.split('<').skip(1);
    rest.map(|tag| tag.split([' ', '>']).next().unwrap_or_default().to_owned()).collect()
}

/// Every tag and attribute is one of ours, quoted and closed; what opens closes in order.
fn check(html: &str) -> Result<(), String> {
    const TAGS: &[&str] = &[
        "a",
        "blockquote",
        "br",
        "button",
        "code",
        "del",
        "div",
        "em",
        "figure",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "span",
        "strong",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ];
    const ATTRIBUTES: &[&str] = &[
        "aria-label",
        "class",
        attr::ACTION,
        "dir",
        "href",
        "id",
        "rel",
        "role",
        "scope",
        "start",
        "tabindex",
        "target",
        "title",
        "type",
    ];
    let mut open: Vec<String> = Vec::new();
    for piece in html.split('<').skip(1) {
        let Some((tag, _)) = piece.split_once('>') else { return Err(format!("a tag isn't closed: {piece}")) };
        if let Some(name) = tag.strip_prefix('/') {
            if open.pop().as_deref() != Some(name) {
                return Err(format!("{name} closes what isn't open"));
            }
            continue;
        }
        let mut parts = tag.split('"');
        let mut words = parts.next().unwrap_or_default().split_whitespace();
        let name = words.next().unwrap_or_default();
        if !TAGS.contains(&name) {
            return Err(format!("tag {name}"));
        }
        let mut attribute = words.next().unwrap_or("class=").to_owned();
        while let Some(key) = attribute.strip_suffix('=') {
            if !ATTRIBUTES.contains(&key) {
                return Err(format!("attribute {key} of {name}"));
            }
            let value = parts.next().unwrap_or_default();
            let safe = ["http://", "https://", "mailto:", "#fn-"];
            let lower = value.to_lowercase();
            if key == "href" && !safe.iter().any(|start| lower.starts_with(start)) && !lower.starts_with("http") {
                return Err(format!("address {value}"));
            }
            attribute = parts.next().unwrap_or_default().trim().to_owned();
        }
        if !attribute.is_empty() && attribute != "class=" {
            return Err(format!("left over in {name}: {attribute}"));
        }
        if !matches!(name, "br" | "hr") {
            open.push(name.to_owned());
        }
    }
    if open.is_empty() { Ok(()) } else { Err(format!("left open: {open:?}")) }
}

proptest! {
    #[test]
    fn only_what_is_allowed_comes_out(
        pieces in prop::collection::vec(
            prop::sample::select(vec![
                "<script>", "</p>", "<b onclick=\"x\">", "[a](", "javascript:", "https://a.example", ")", "![", "](", "\"", "'",
                "\n", "\n\n", "- ", "> ", "1. ", "7. ", "    ", "```rust\n", "```", "`", "*", "**", "~~", "| a | b |\n|---|--:|\n",
                "| 1 |", "[^1]", "[^1]: ", "# ", "---\n", "- [ ] ", "&lt;", "&#x3c;", "\0", "\u{202e}", "ä", "word ", "<!--",
                "<https://b.example>", "mailto:a@b.example", "\\", "<div>\n",
            ]),
            0..40,
        ),
        noise in "\\PC{0,12}",
    ) {
        let text = pieces.concat() + &noise;
        for breaks in [Breaks::Soft, Breaks::Hard] {
            let html = to_html(&text, breaks, "1");
            prop_assert_eq!(check(html.as_str()), Ok(()), "{}", html.as_str());
        }
    }
}

#[test]
fn a_table_of_a_hundred_kilobytes_is_cut_where_it_was_asked_to_be() {
    let rows: String = (0..10_000).map(|n| format!("| {n} | x |\n")).collect();
    let (html, cut) = super::to_html_within(&format!("| a | b |\n|---|---|\n{rows}"), Breaks::Soft, "1", 400);
    assert!(cut);
    assert!(html.as_str().matches("</td>").count() < 420, "{}", html.len());
    assert!(html.as_str().ends_with("</td></tr></tbody></table></div>"));
    // Its last row is whole, wherever the bound is.
    for max in 400..406 {
        let (html, _) = super::to_html_within(&format!("| a | b |\n|---|---|\n{rows}"), Breaks::Soft, "1", max);
        let count = |tag: &str| html.as_str().matches(tag).count();
        assert_eq!(count("<td"), 2 * (count("<tr>") - 1), "{max}");
    }
}

/// Blocks that mean something else by what stands before, behind or beside them.
const BLOCKS: &[&str] = &[
    "plain **words** and `code`, it goes on\nin the next line",
    "## A heading",
    "#### Another one",
    "Under\n===",
    "- flour\n- water\n\n  with salt\n- **time",
    "2. second\n3. third",
    "    indented = code()\n\n    more()",
    "```rust\nfn a() {}\n\n## no heading\n```",
    "~~~\nopen",
    "| a | b |\n|---|---|\n| 1 | **2",
    "> quoted\nlazily",
    "---",
    "<b>marked</b> <div>",
    "<div>\n\nbetween\n\n</div>",
    "a [link][there] and a note[^n]",
    "[there]: https://example.org",
    "[^n]: the note",
    "\u{e4}\u{1f35e} **",
    "  three spaces",
    "$$\nx_1\n= y*z*\n$$",
    "at C:\\_x_\\*y* and **「z」**的",
    "```markdown\n```js\n1\n```\n# no heading\n```",
    "",
];

proptest! {
    #[test]
    fn a_text_that_grows_is_drawn_as_if_it_had_been_there_at_once(
        blocks in proptest::collection::vec((0..BLOCKS.len(), 1..4_usize), 1..8),
        pieces in proptest::collection::vec(1..40_usize, 1..20),
    ) {
        let text: String = blocks.iter().map(|(block, lines)| format!("{}{}", BLOCKS[*block], "\n".repeat(*lines))).collect();
        let mut settled = Settled::default();
        let mut end = 0;
        for piece in pieces.iter().cycle() {
            end = text.ceil_char_boundary((end + piece).min(text.len()));
            let grown = settled.grow(&text[..end], Breaks::Soft, "7", usize::MAX).unwrap();
            let whole = Settled::default().grow(&text[..end], Breaks::Soft, "7", usize::MAX).unwrap();
            prop_assert_eq!(grown.from + grown.starts.len(), whole.starts.len());
            let start = whole.starts.get(grown.from).copied().unwrap_or(whole.html.len());
            prop_assert_eq!(grown.html.into_string(), whole.html.from(start).into_string(), "{:?}", &text[..end]);
            if end == text.len() {
                break;
            }
        }
    }
}

/// A fence in a block of HTML is none for `CommonMark`, which ends that block at the next empty line.
#[test]
fn fences_in_html_settle_nothing_behind_them() {
    let text =
        "<div>\n\nbetween\n\n</div>\n```rust\nfn a() {}\n\n## no heading\n```\n```markdown\n```js\n1\n```\n```\n\nend";
    let mut settled = Settled::default();
    for end in 1..=text.len() {
        let grown = settled.grow(&text[..end], Breaks::Soft, "7", usize::MAX).unwrap();
        let whole = Settled::default().grow(&text[..end], Breaks::Soft, "7", usize::MAX).unwrap();
        let start = whole.starts.get(grown.from).copied().unwrap_or(whole.html.len());
        assert_eq!(grown.html.into_string(), whole.html.from(start).into_string(), "{:?}", &text[..end]);
    }
}

#[test]
fn of_a_text_that_grows_the_last_block_is_drawn() {
    let mut settled = Settled::default();
    let mut grow =
        |text: &str| settled.grow(text, Breaks::Soft, "7", 10).map(|grown| (grown.from, grown.html.into_string()));
    assert_eq!(grow("# One\n\nTwo **thr"), Some((0, "<h2>One</h2><p>Two <strong>thr</strong></p>".to_owned())));
    // The line that isn't whole may yet go on with the block before it.
    let all = "<h2>One</h2><p>Two <strong>three</strong></p><h3>F</h3>";
    assert_eq!(grow("# One\n\nTwo **three**\n\n### F"), Some((0, all.to_owned())));
    let rest = "<p>Two <strong>three</strong></p><h3>Four</h3>";
    assert_eq!(grow("# One\n\nTwo **three**\n\n### Four\n"), Some((1, rest.to_owned())));
    assert_eq!(grow("# One\n\nTwo **three**\n\n### Four\n\n5"), Some((2, "<h3>Four</h3><p>5</p>".to_owned())));
    assert_eq!(grow("# One, no"), Some((0, "<h2>One, no</h2>".to_owned())));
    // Settled elements count too.
    assert_eq!(grow("a\n\nb\n\nc"), Some((0, "<p>a</p><p>b</p><p>c</p>".to_owned())));
    assert_eq!(grow(&"a\n\n".repeat(12)), None);
}
