//! Both engines find the same.

use crate::support::{NOW, ago, batch, by, engines, message, session, session_id};
use model::Role;
use store::{SearchQuery, snippet};

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

async fn found(workspace: &store::Workspace, query: &SearchQuery) -> Vec<i64> {
    let hits = workspace.search(query).await.unwrap();
    let mut seqs: Vec<i64> = hits.hits.into_iter().map(|hit| hit.stored.message.seq).collect();
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
        let hit = engine.workspace.search(&all).await.unwrap().hits.remove(0);
        assert_eq!((hit.session_title, hit.session_agent), ("Second".to_owned(), "second".to_owned()));
        assert_eq!((hit.session_project, hit.stored.message.received_at), ("/work/other".to_owned(), NOW));
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
        ("nothing here", "absent", 30, None),
        ("", "x", 30, None),
    ] {
        assert_eq!(marked(text, query, chars).as_deref(), expected, "{query}");
    }
}
