//! Both engines find the same.

use crate::support::{NOW, ago, batch, by, engines, message, session, session_id};
use model::Role;
use model::view::FileChange;
use store::{Derive, FileChanged, FileQuery, SearchQuery, snippet};

const TEXTS: [&str; 9] = [
    "the messageRenderer draws cards",
    "see src/main.rs, and message_renderer too",
    "HTMLParser reads <b>bold</b> 42 times",
    "日本語のテストを書く",
    "Größe und ÉCOLE",
    "a\0b nul within",
    "it's \"quoted\" AND (grouped) OR * NOT:near",
    "unsinkable ship",
    "렌더러 테스트",
];

/// Texts of several scripts without spaces between them, and letters that were typed in several ways.
const MIXED: [&str; 5] = [
    "重启billing服务后fetch_open_orders()仍然超时，请检查getOpenOrdersByDay的调用",
    "주문목록조회가 느립니다。磁盘100%，已记录在a->b。 The café table is locked. 索引billing缺失。",
    // As a Mac writes the names of files: letters and their accents apart.
    "\u{1107}\u{1169}\u{1100}\u{1169}\u{1109}\u{1165}_\u{110e}\u{116c}\u{110c}\u{1169}\u{11bc}.pdf U\u{308}bersicht \u{30ab}\u{3099}\u{30b9}点検.md",
    "ＦＵＬＬ ｗｉｄｔｈ and ﾊﾝｶｸ, the ﬁnal oﬀer…",
    "Nguye\u{302}\u{303}n and Nguy\u{1ec5}n",
];

async fn found(workspace: &store::Workspace, query: &SearchQuery) -> Vec<i64> {
    let hits = workspace.search(query).await.unwrap();
    let mut seqs: Vec<i64> = hits.hits.into_iter().map(|hit| hit.seq).collect();
    assert_eq!(hits.total, seqs.len() as u64);
    seqs.sort_unstable();
    seqs
}

#[tokio::test]
async fn words_parts_beginnings_and_scripts() {
    for engine in engines().await {
        let messages = TEXTS.iter().enumerate().map(|(n, text)| message("a", &format!("m{n}"), text)).collect();
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        let expected: [(&str, &[i64]); 27] = [
            ("renderer", &[1, 2]),
            ("messagerenderer", &[1]),
            ("messageRenderer", &[1, 2]),
            ("message_renderer", &[1, 2]),
            ("RENDERER", &[1, 2]),
            ("main.rs", &[2]),
            ("rend", &[1, 2]),
            ("rend cards", &[]),
            ("cards rend", &[1]),
            ("rend ", &[]),
            ("re", &[]),
            ("html", &[3]),
            ("parser", &[3]),
            ("42", &[3]),
            ("テスト", &[4]),
            ("日", &[4]),
            ("く", &[4]),
            ("語本", &[]),
            ("größe", &[5]),
            ("école", &[5]),
            ("nul", &[6]),
            ("\"quoted\" (OR", &[7]),
            ("NOT", &[7]),
            ("sinkable", &[]),
            ("테스트", &[9]),
            ("", &[]),
            ("*", &[]),
        ];
        for (text, seqs) in expected {
            let query = SearchQuery { text: text.to_owned(), limit: 50, ..SearchQuery::default() };
            assert_eq!(found(&engine.workspace, &query).await, seqs, "{text:?}");
        }
    }
}

#[tokio::test]
async fn scripts_side_by_side_and_letters_however_they_were_typed() {
    for engine in engines().await {
        let messages = MIXED.iter().enumerate().map(|(n, text)| message("a", &format!("m{n}"), text)).collect();
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        let expected: [(&str, &[i64]); 32] = [
            ("billing", &[1, 2]),
            ("超时", &[1]),
            ("服务", &[1]),
            ("fetch_open_orders", &[1]),
            ("open_orders", &[1]),
            ("OpenOrders", &[1]),
            ("getOpenOrdersByDay", &[1]),
            ("ByDay", &[1]),
            ("ｆｅｔｃｈ", &[1]),
            ("100%", &[2]),
            ("１００％", &[2]),
            ("a->b", &[2]),
            ("cafe\u{301}", &[2]),
            ("caf\u{e9}", &[2]),
            ("CAFE\u{301}", &[2]),
            ("주문", &[2]),
            ("\u{110c}\u{116e}\u{1106}\u{116e}\u{11ab}", &[2]),
            ("보고서", &[3]),
            ("보고서_최종.pdf", &[3]),
            ("최종", &[3]),
            ("\u{110e}\u{116c}\u{110c}\u{1169}\u{11bc}", &[3]),
            ("Übersicht", &[3]),
            ("u\u{308}bers", &[3]),
            ("ガス点検", &[3]),
            ("ｶﾞｽ", &[3]),
            ("full width", &[4]),
            ("ハンカク", &[4]),
            ("ﾊﾝｶｸ", &[4]),
            ("final offer", &[4]),
            ("ﬁnal", &[4]),
            ("nguyễn", &[5]),
            ("nguye\u{302}\u{303}n", &[5]),
        ];
        for (text, seqs) in expected {
            let query = SearchQuery { text: text.to_owned(), limit: 50, ..SearchQuery::default() };
            assert_eq!(found(&engine.workspace, &query).await, seqs, "{text:?}");
        }
    }
}

/// After an update that finds more.
#[tokio::test]
async fn words_of_stored_messages_are_renewed() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let messages: Vec<_> = (0..120)
            .map(|n| {
                let mut message = message("a", &format!("m{n}"), &format!("cafe\u{301} number{n}"));
                message.search_text = (n != 7).then(|| "cafe".to_owned());
                message
            })
            .collect();
        workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        let listed =
            async || workspace.file_edits(&FileQuery { limit: 200, ..FileQuery::default() }).await.unwrap().edits;
        let renew = async || {
            let derive = Derive {
                search_text: |draft, _| (!draft.content.ends_with("number9")).then(|| draft.content.clone()),
                files: |draft, _| {
                    if draft.id.as_str() == "m3" { vec![changed("src/wheel.rs")] } else { Vec::new() }
                },
            };
            workspace.renew_words(NOW, derive, |_| false).await.unwrap()
        };
        let total = async |text: &str| {
            let query = SearchQuery { text: text.to_owned(), limit: 5, ..SearchQuery::default() };
            workspace.search(&query).await.unwrap().total
        };
        assert!(!renew().await, "what is new is as it is to be");
        assert_eq!((total("cafe ").await, total("caf\u{e9} ").await), (119, 0));
        workspace.change_meta("words", NOW, |_| (Some(String::new()), None)).await.unwrap();
        let mut parts = 1;
        while renew().await {
            parts += 1;
        }
        assert_eq!(parts, 3);
        let edits: Vec<_> = listed().await.into_iter().map(|edit| (edit.seq, edit.file)).collect();
        assert_eq!(edits, [(4, changed("src/wheel.rs"))]);
        assert_eq!((total("cafe ").await, total("caf\u{e9} ").await), (0, 119));
        assert_eq!((total("number7 ").await, total("number9 ").await, total("number119 ").await), (1, 0, 1));
        let one = SearchQuery {
            session: Some(session_id("s-a")),
            text: "number42 ".to_owned(),
            limit: 5,
            ..SearchQuery::default()
        };
        assert_eq!(workspace.search(&one).await.unwrap().total, 1);
        assert!(!renew().await);
    }
}

fn changed(path: &str) -> FileChanged {
    FileChanged { path: path.to_owned(), change: FileChange::Modified, added: 2, removed: 1 }
}

/// Found by its words and its letters, whatever their case.
#[tokio::test]
async fn changed_files_are_listed_and_found_by_a_part_of_their_path() {
    for engine in engines().await {
        let paths = ["src/Wheel_2.rs", "src/wheelx2.rs", "docs/ÜBER 100%.md", "a\0b.rs"];
        let edit = |(n, path): (usize, &&str)| {
            let mut edit = message("a", &format!("m{n}"), path);
            (edit.files, edit.draft.created_at) = (vec![changed(path), changed("LICENSE")], ago(100 - n as i64));
            edit
        };
        let edits = paths.iter().enumerate().map(edit).collect();
        engine.workspace.write_batch(batch(vec![session("a")], edits)).await.unwrap();
        let listed = async |path: Option<&str>, after: Option<String>, limit: u32| {
            let query = FileQuery { path: path.map(str::to_owned), after, limit, ..FileQuery::default() };
            let page = engine.workspace.file_edits(&query).await.unwrap();
            (page.edits.into_iter().map(|edit| edit.file.path).collect::<Vec<_>>(), page.next)
        };
        let all = [
            "LICENSE",
            "a\u{fffd}b.rs",
            "LICENSE",
            "docs/ÜBER 100%.md",
            "LICENSE",
            "src/wheelx2.rs",
            "LICENSE",
            "src/Wheel_2.rs",
        ];
        assert_eq!(listed(None, None, 100).await, (all.map(str::to_owned).to_vec(), None));
        let (mut pages, mut after) = (Vec::new(), None);
        loop {
            let (page, next) = listed(None, after, 3).await;
            pages.extend(page);
            after = next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!(pages, all);
        let found: [(&str, &[&str]); 8] = [
            ("wheel_2.rs", &["src/Wheel_2.rs"]),
            ("WHEEL_2", &["src/Wheel_2.rs"]),
            ("src/wheel", &["src/wheelx2.rs", "src/Wheel_2.rs"]),
            ("wheelx2.rs", &["src/wheelx2.rs"]),
            ("über", &["docs/ÜBER 100%.md"]),
            ("100%.md", &["docs/ÜBER 100%.md"]),
            ("heel_2", &[]),
            ("nothing", &[]),
        ];
        for (part, expected) in found {
            assert_eq!(listed(Some(part), None, 100).await.0, expected, "{part}");
            let query = SearchQuery { file: Some(part.to_owned()), limit: 100, ..SearchQuery::default() };
            assert_eq!(engine.workspace.search(&query).await.unwrap().total, expected.len() as u64, "{part}");
        }
    }
}

#[tokio::test]
async fn hits_can_be_narrowed() {
    for engine in engines().await {
        let mut other = session("b");
        other.agent = "second".to_owned();
        other.facts.project = Some("/work/other".to_owned());
        other.facts.title = Some("Second".to_owned());
        let mut early = by(Role::User, "a", "m1", "needle");
        early.draft.created_at = ago(5000);
        let messages = vec![early, message("a", "m2", "needle"), message("b", "m3", "needle")];
        engine.workspace.write_batch(batch(vec![session("a"), other], messages)).await.unwrap();
        let all = SearchQuery { text: "needle".to_owned(), limit: 50, ..SearchQuery::default() };
        let cases = [
            (SearchQuery { session: Some(session_id("s-a")), ..all.clone() }, vec![1, 2]),
            (SearchQuery { session: Some(session_id("s-x")), ..all.clone() }, vec![]),
            (SearchQuery { projects: vec!["/work/other".to_owned()], ..all.clone() }, vec![1]),
            (SearchQuery { agents: vec!["demo".to_owned(), "x".to_owned()], ..all.clone() }, vec![1, 2]),
            (SearchQuery { roles: vec![Role::User], ..all.clone() }, vec![1]),
            (SearchQuery { types: vec!["TODO".to_owned()], ..all.clone() }, vec![]),
            (SearchQuery { since: Some(ago(1000)), ..all.clone() }, vec![1, 2]),
            (SearchQuery { until: Some(ago(1000)), ..all.clone() }, vec![1]),
        ];
        for (query, seqs) in cases {
            assert_eq!(found(&engine.workspace, &query).await, seqs, "{query:?}");
        }
        let mut hits = engine.workspace.search(&all).await.unwrap();
        let hit = hits.hits.remove(0);
        assert_eq!((hit.session_title, hit.session_agent), ("Second".to_owned(), "second".to_owned()));
        let first = engine.workspace.read_next(&mut hits.messages, 0).await.unwrap().remove(0).message;
        assert_eq!((hit.session_project, first.received_at), ("/work/other".to_owned(), NOW));
        assert_eq!((hit.session_id, hit.seq), (first.session_id, first.seq));
        assert_eq!(engine.store.workspace("elsewhere").search(&all).await.unwrap().total, 0);
    }
}

#[tokio::test]
async fn a_message_without_search_text_is_not_found() {
    for engine in engines().await {
        let mut silent = message("a", "m1", "needle");
        silent.search_text = None;
        let mut retracted = message("a", "m2", "needle");
        retracted.draft.status = model::Status::Retracted;
        engine.workspace.write_batch(batch(vec![session("a")], vec![silent, retracted])).await.unwrap();
        let query = SearchQuery { text: "needle".to_owned(), limit: 50, ..SearchQuery::default() };
        assert_eq!(engine.workspace.search(&query).await.unwrap().total, 0);
    }
}

#[tokio::test]
async fn a_huge_text_is_searched_at_its_beginning() {
    for engine in engines().await {
        let words: Vec<String> = (0..120_000).map(|n| format!("w{n}")).collect();
        let huge = message("a", "m1", &words.join(" "));
        engine.workspace.write_batch(batch(vec![session("a")], vec![huge])).await.unwrap();
        for (word, total) in [("w7", 1), ("w30000 ", 1), ("w119999 ", 0)] {
            let query = SearchQuery { text: word.to_owned(), limit: 5, ..SearchQuery::default() };
            assert_eq!(engine.workspace.search(&query).await.unwrap().total, total, "{word}");
        }
    }
}

#[test]
fn a_snippet_marks_what_was_found() {
    let marked = |text: &str, query: &str, chars: usize| {
        snippet::cut(text, query, chars).map(|snippet| {
            let mut text = snippet.text;
            for (from, to) in snippet.marks.into_iter().rev() {
                text.insert(to, ']');
                text.insert(from, '[');
            }
            text
        })
    };
    let long = "one two three four five six seven eight nine ten";
    for (text, query, chars, expected) in [
        ("the messageRenderer draws", "renderer", 60, Some("…message[Renderer] draws")),
        ("the messageRenderer draws", "messageRenderer", 60, Some("the [messageRenderer] draws")),
        (long, "five", 16, Some("…[five] six seven…")),
        (long, "five", 64, Some("…four [five] six seven eight nine ten")),
        (long, "ten", 8, Some("…[ten]")),
        ("a quincunx", "quin", 4, Some("…[quin]…")),
        ("go test /srv/devenv/cli/cmd/cut_test.go here", "cut", 60, Some("…cli/cmd/[cut]_test.go here")),
        ("first line\nsecond\tline", "second", 30, Some("…[second] line")),
        ("日本語のテスト", "テスト", 30, Some("日本語の[テスト]")),
        ("the cafe\u{301} is", "caf\u{e9}", 30, Some("the [cafe\u{301}] is")),
        ("the caf\u{e9} is", "cafe\u{301}", 30, Some("the [caf\u{e9}] is")),
        ("ｆｅｔｃｈ it…", "fetch", 30, Some("[ｆｅｔｃｈ] it…")),
        ("see… ﾊﾝｶｸ", "ハンカク", 30, Some("see… [ﾊﾝｶｸ]")),
        ("nothing here", "absent", 30, None),
        ("", "x", 30, None),
    ] {
        assert_eq!(marked(text, query, chars).as_deref(), expected, "{query}");
    }
}
