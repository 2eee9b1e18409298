use super::{Breaks, Settled, to_html, typed};
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
    assert_eq!(
        typed("*a* **b c** `d*e*` (*f*)"),
        "<p class=\"lines\"><em>a</em> <strong>b c</strong> <code>d*e*</code> (<em>f</em>)</p>"
    );
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
    for unit in
        [">", "> ", "*", "_", "[", "![", "`", "~", "- ", "1. ", "<", "&", "|", "https://", "(", "\\", "[^a]", "a*b "]
    {
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
        "data-action",
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
    // Of what is settled, elements count too.
    assert_eq!(grow("a\n\nb\n\nc"), Some((0, "<p>a</p><p>b</p><p>c</p>".to_owned())));
    assert_eq!(grow(&"a\n\n".repeat(12)), None);
}
