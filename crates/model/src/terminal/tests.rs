use super::{Colour, Shown, Style, plain, show};

const ESC: char = '\u{1b}';

fn styled(output: &str) -> Vec<(String, Style)> {
    let Shown { text, styles } = show(output);
    let ends = styles.iter().skip(1).map(|(at, _)| *at).chain([text.len()]);
    styles
        .iter()
        .zip(ends)
        .filter(|((_, style), _)| *style != Style::NONE)
        .map(|((from, style), to)| (text[*from..to].to_owned(), *style))
        .collect()
}

#[test]
fn what_a_terminal_would_show() {
    let cases = [
        // Carriage returns, alone and before line ends.
        ("Fetching\n\r  5% █░░░\r 40% ██░░\r100% done    \r\nend", "Fetching\n100% done    \nend"),
        ("10 %\r50 %\r100 %\r\ndone\r", "100 %\ndone"),
        ("abcdef\rxy", "xycdef"),
        ("a\r\nb\r\r\n", "a\nb\n"),
        // Erasing a line.
        ("next\u{1b}[2K\u{1b}[1G✔ ok", "✔ ok"),
        ("long text\rab\u{1b}[K", "ab"),
        ("long text\rab\u{1b}[1Kc", "  cg text"),
        ("⠋ One\u{1b}[2K\u{1b}[1G⠙ One\u{1b}[2K\u{1b}[1G✔ One\n\u{1b}[1A\u{1b}[2KTwo\n", "Two\n"),
        // Rows: up and down, and what is below.
        ("a\nb\nc\u{1b}[2A\rA\u{1b}[2B\rC", "A\nb\nC"),
        ("one: 1\ntwo: 1\n\u{1b}[2A\u{1b}[2Kone: 2\n\u{1b}[2Ktwo: 2\n", "one: 2\ntwo: 2\n"),
        ("a\nb\nc\n\u{1b}[3A\u{1b}[Jd\n", "d\n"),
        ("a\nb\u{1b}[1F\u{1b}[Kx", "x\nb"),
        ("a\u{1b}[1E\u{1b}[2Eb", "a\n\n\nb"),
        ("old\nolder\u{1b}[H\u{1b}[2Jnew", "new"),
        ("old\nolder\u{1b}[2J\u{1b}[Hnew", "new\n"),
        ("\u{1b}[3;5Hx\u{1b}[1;1Hy", "y\n\n    x"),
        ("old\u{1b}cnew", "new"),
        // The cursor, kept and put back; characters deleted, erased and repeated.
        ("a\u{1b}7bcd\u{1b}8X", "aXcd"),
        ("a\u{1b}[sbcd\u{1b}[uX", "aXcd"),
        ("abcdef\u{1b}[4D\u{1b}[2P", "abef"),
        ("abcdef\u{1b}[4D\u{1b}[2X", "ab  ef"),
        ("=\u{1b}[4b>", "=====>"),
        // Backspaces, and letters over letters.
        ("ab\u{8}\u{8}cd", "cd"),
        ("N\u{8}NA\u{8}A _\u{8}ab\u{8}_ +\u{8}o", "NA ab o"),
        ("\u{8}a", "a"),
        // Tabs: kept where they stand, blanks where something is written over them.
        ("\u{1b}[32m1\u{1b}[0m\tfoo\t", "1\tfoo\t"),
        ("\tfoo\rab", "ab      foo"),
        ("abcdefghij\r\tX", "abcdefghXj"),
        // Wide characters take two columns; marks stay with their letter.
        ("日本\r12", "12本"),
        ("日本\r1", "1 本"),
        ("e\u{301}x\rab", "ab"),
        ("\u{1b}[1m👩\u{200d}🚀 ❤\u{fe0f} e\u{301}\u{1b}[m", "👩\u{200d}🚀 ❤\u{fe0f} e\u{301}"),
        // Sequences for the terminal itself.
        (
            "\u{1b}]8;;https://x\u{1b}\\link\u{1b}]8;;\u{1b}\\ \u{1b}]8;id=1;http://y\u{7}words\u{1b}]8;;\u{7}.",
            "link words.",
        ),
        ("\u{1b}]0;title\u{7}a\u{1b}P1$q\u{1b}\\b\u{1b}_x\u{1b}\\c\u{1b}[?25l\u{1b}[6n\u{1b}(B\u{1b}=d", "abcd"),
        ("\u{9b}31mred\u{9b}0m", "red"),
        // A sequence that is cut off takes no more than its line.
        ("\u{1b}[31", ""),
        ("a\u{1b}]never ends\nb", "a\nb"),
        ("a\u{1b}[3\nmore", "a\nmore"),
        // Another screen begins below the first one, and stays.
        ("before\n\u{1b}[?1049h\u{1b}[H\u{1b}[2Jinside\u{1b}[?1049lafter", "before\ninside\nafter"),
    ];
    for (output, text) in cases {
        assert_eq!(plain(output), text, "{output:?}");
    }
}

#[test]
fn a_text_with_nothing_to_perform_keeps_every_byte() {
    for text in
        ["\n\n\tone\ttwo\n  3    spaced   out \n", "     1\tfoo\n     2\t\n", " \u{200b}a\u{202e}b\u{85}\u{9d}c \n\n"]
    {
        assert_eq!(show(text).text, text);
        let ended = text.replace('\n', "\r\n");
        assert_eq!(show(&ended).text, text);
        assert_eq!(show(&format!("{text}\u{1b}[m")).text, text);
    }
    assert_eq!(show("a\u{1}b\u{b}c\0\u{1b}[md").text, "a\u{1}b\u{b}c\0d");
    assert_eq!(plain("a\u{1}b"), "ab");
}

#[test]
fn colours_are_kept() {
    let none = Style::NONE;
    let text = |colour| Style { text: colour, ..none };
    let one = |output: &str, said: &str, style| assert_eq!(styled(output), [(said.to_owned(), style)], "{output:?}");
    one("\u{1b}[31mred\u{1b}[39m.", "red", text(Colour::Red));
    one("\u{1b}[90mgrey\u{1b}[39m.", "grey", text(Colour::Grey));
    one("\u{1b}[92mgreen\u{1b}[m.", "green", text(Colour::Green));
    for orange in ["38;5;208", "38:5:208", "38;2;255;135;0", "38:2::255:135:0", "38:2:255:135:0"] {
        one(&format!("\u{1b}[{orange}mx"), "x", text(Colour::Rgb(255, 135, 0)));
    }
    one("\u{1b}[1;58;5;31mx\u{1b}[22m.", "x", Style { bold: true, ..none });
    one("\u{1b}[4:3mx\u{1b}[4:0m.", "x", Style { underline: true, ..none });
    one("\u{1b}[7;9;3mx\u{1b}[27;29;23m.", "x", Style { inverse: true, strike: true, italic: true, ..none });
    let blue = Style { ground: Colour::Blue, ..none };
    assert_eq!(styled("\u{1b}[44ma\tb\u{1b}[0m"), [("a".to_owned(), blue), ("b".to_owned(), blue)]);
    // Written over, a frame leaves nothing of its colours.
    one("\u{1b}[31mfailed\r\u{1b}[32mpassed\u{1b}[0m!", "passed", text(Colour::Green));
    one("N\u{8}NA\u{8}A", "NA", Style { bold: true, ..none });
    one("_\u{8}ab\u{8}_", "ab", Style { underline: true, ..none });
    // Over several lines.
    one("\u{1b}[31ma\nb\u{1b}[0m", "a\nb", text(Colour::Red));
    // A counter isn't emphasis.
    assert_eq!(styled(" 5%\u{8}\u{8}\u{8} 5%"), []);
}

#[test]
fn jumps_are_bounded() {
    assert_eq!(plain("a\u{1b}[999999999B\u{1b}[999999999Gb"), format!("a{}b", " ".repeat(78)));
    assert_eq!(plain("a\u{1b}[999999999;999999999H\u{1b}[6n\u{1b}[1;2Hb"), "ab");
    assert_eq!(plain("a\u{1b}[99999999999999999999Ab"), "ab");
    assert_eq!(plain("[\u{1b}[60Gok]"), format!("[{}ok]", " ".repeat(58)));
    let flood = "\u{1b}[400Gx\n".repeat(100_000);
    assert!(plain(&flood).len() < 6 * flood.len());
    let flood = "\u{1b}[200B\u{1b}[2J\u{1b}[H".repeat(20_000);
    assert!(plain(&flood).len() < 1_000);
    let flood = "x\u{1b}[60000b".repeat(100_000);
    assert!(plain(&flood).len() < 6 * flood.len());
}

#[test]
fn a_long_log_is_kept_whole() {
    let log: String = (0..50_000).map(|n| format!("\u{1b}[32m{n}\u{1b}[0m of 50000\r\n")).collect();
    let text = plain(&log);
    assert_eq!((text.lines().count(), text.lines().last()), (50_000, Some("49999 of 50000")));
    // Rows that were scrolled out are out of reach.
    let far = format!("{log}\u{1b}[50000A\u{1b}[2Ktop");
    assert_eq!(plain(&far).matches("top").count(), 1);
    assert!(plain(&far).starts_with("0 of 50000\n1 of"));
}

proptest::proptest! {
    #[test]
    fn any_output_is_performed(output in "[\\x00-\\x7f\u{9b}ä日\u{301}\\[\\];m0-9\\x1bABCDGHJKPX\\n\\r\\x08\\t]{0,80}") {
        let Shown { text, styles } = show(&output);
        proptest::prop_assert!(!text.contains(ESC));
        proptest::prop_assert!(styles.is_sorted_by_key(|(at, _)| *at));
        proptest::prop_assert!(styles.iter().all(|(at, _)| text.is_char_boundary(*at)));
    }
}
