//! Pages: whatever the times, their union is all rows, once each.

use crate::support::{Engine, ago, batch, by, engines, message, session, session_id};
use model::Role;
use model::policy::Display;
use store::{MessageQuery, Order, Parents, Range, SearchQuery, SessionFilter, Sort};

async fn seqs(engine: &Engine, range: Range) -> Vec<i64> {
    let messages = engine.workspace.messages(&session_id("s-a"), &MessageQuery::new(range)).await.unwrap();
    messages.into_iter().map(|stored| stored.message.seq).collect()
}

#[tokio::test]
async fn ranges_of_a_session() {
    for engine in engines().await {
        let messages = (1..=9).map(|n| message("a", &format!("m{n}"), "x")).collect();
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        for (range, expected) in [
            (Range::Last(3), vec![7, 8, 9]),
            (Range::Before(4, 2), vec![2, 3]),
            (Range::After(4, 2), vec![5, 6]),
            (Range::After(9, 2), vec![]),
            (Range::Around(5, 2), vec![4, 5, 6, 7]),
            (Range::Around(1, 2), vec![1, 2, 3]),
            (Range::Span(3, 5), vec![3, 4, 5]),
            (Range::Span(8, 99), vec![8, 9]),
        ] {
            assert_eq!(seqs(&engine, range).await, expected, "{range:?}");
        }
        let mut limited = MessageQuery::new(Range::Around(5, 3));
        limited.limit = 4;
        let found = engine.workspace.messages(&session_id("s-a"), &limited).await.unwrap();
        assert_eq!(found.len(), 4);
        let nobody = engine.workspace.messages(&session_id("s-x"), &limited).await.unwrap();
        assert_eq!(nobody, []);
    }
}

/// Long texts, short ones, and one of many values: some with their rows, some read by themselves.
#[tokio::test]
async fn a_page_ends_where_its_bytes_are_used_up() {
    for engine in engines().await {
        let long = |n: usize| (0..n).map(|n| format!("{n:x} ")).collect::<String>();
        let mut contents = vec![long(30_000), "x".to_owned(), "y".repeat(400_000), "z".to_owned(), long(60_000)];
        contents.extend((0..3).map(|n| n.to_string()));
        let mut messages: Vec<_> =
            contents.iter().enumerate().map(|(n, content)| message("a", &format!("m{n}"), content)).collect();
        let values: serde_json::Value = vec![0; 10_000].into();
        messages[6].draft.metadata = Some([("x".to_owned(), values)].into_iter().collect());
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        let id = session_id("s-a");
        let page = async |range, bytes| {
            let query = MessageQuery { bytes, ..MessageQuery::new(range) };
            let stretch = engine.workspace.stretch(&id, &query).await.unwrap();
            let seqs: Vec<i64> = stretch.messages.iter().map(|it| it.message.seq).collect();
            for it in &stretch.messages {
                assert_eq!(it.message.draft.content, contents[it.message.seq as usize - 1]);
            }
            (seqs, stretch.more_before, stretch.more_after)
        };
        for (range, bytes, expected) in [
            (Range::After(0, 9), u64::MAX, ((1..=8).collect(), false, false)),
            (Range::After(0, 9), 0, (vec![1], false, true)),
            (Range::After(0, 9), 200_000, (vec![1, 2], false, true)),
            (Range::After(2, 9), 200_000, (vec![3], false, true)),
            (Range::After(3, 9), 200_000, (vec![4], false, true)),
            (Range::After(4, 9), 1 << 20, (vec![5, 6], false, true)),
            (Range::After(6, 2), 4 << 20, (vec![7, 8], false, true)),
            (Range::After(6, 9), 1 << 20, (vec![7], false, true)),
            (Range::After(7, 9), 1 << 20, (vec![8], false, false)),
            (Range::Last(9), 1 << 20, (vec![8], true, false)),
            (Range::Before(7, 9), 800_000, (vec![2, 3, 4, 5, 6], true, false)),
            (Range::Before(3, 2), u64::MAX, (vec![1, 2], true, false)),
            (Range::Around(5, 9), 4, (vec![5], true, true)),
            (Range::Around(4, 9), 1 << 20, (vec![2, 3, 4, 5, 6], true, true)),
            (Range::Span(2, 4), 200_000, (vec![2], false, true)),
            (Range::Span(4, 4), 0, (vec![4], false, false)),
        ] {
            assert_eq!(page(range, bytes).await, expected, "{range:?} {bytes}");
        }
    }
}

#[tokio::test]
async fn filters_apply_before_the_range() {
    for engine in engines().await {
        let mut messages = vec![by(Role::User, "a", "m0", "x")];
        messages.extend((1..=5).map(|n| message("a", &format!("m{n}"), "x")));
        messages[3].display = Display::Dev;
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        let mut query = MessageQuery::new(Range::Last(3));
        query.roles = vec![Role::Assistant];
        query.types = vec!["TEXT".to_owned(), "TODO".to_owned()];
        query.max_display = Some(Display::Collapsed);
        let found = engine.workspace.messages(&session_id("s-a"), &query).await.unwrap();
        assert_eq!(found.iter().map(|stored| stored.message.seq).collect::<Vec<_>>(), [3, 5, 6]);
        query.types = vec!["TODO".to_owned()];
        assert_eq!(engine.workspace.messages(&session_id("s-a"), &query).await.unwrap(), []);
    }
}

#[tokio::test]
async fn equal_times_lose_and_repeat_nothing_within_a_session() {
    for engine in engines().await {
        // Times go back and forth, and many are equal.
        let messages = (0..20_i64)
            .map(|n| {
                let mut upsert = message("a", &format!("m{n}"), "x");
                upsert.draft.created_at = ago(n * 7 % 4);
                upsert
            })
            .collect();
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        for size in [1, 2, 3, 7, 50] {
            let mut query = MessageQuery::new(Range::Since(ago(2), 0));
            query.limit = size;
            let mut all = Vec::new();
            loop {
                let page = engine.workspace.messages(&session_id("s-a"), &query).await.unwrap();
                let Some(last) = page.last() else { break };
                query.range = Range::Since(ago(2), last.message.seq);
                all.extend(page.iter().map(|stored| stored.message.seq));
            }
            let wanted: Vec<i64> = (0..20).filter(|n| n * 7 % 4 <= 2).map(|n| n + 1).collect();
            assert_eq!(all, wanted, "pages of {size}");
        }
    }
}

#[tokio::test]
async fn equal_values_lose_and_repeat_no_session() {
    for engine in engines().await {
        for n in 0..9 {
            let mut upsert = session(&format!("k{n}"));
            upsert.facts.last_at = Some(ago(n % 3));
            // Longer than what a cursor may hold of it.
            upsert.facts.title = Some(["b", "a%", "C"][n as usize % 3].to_owned() + &"ü".repeat(2000) + &n.to_string());
            engine.workspace.write_batch(batch(vec![upsert], Vec::new())).await.unwrap();
        }
        for sort in [Sort::Activity, Sort::Created, Sort::Title, Sort::Project, Sort::Messages, Sort::Tokens] {
            let mut both = Vec::new();
            for order in [Order::Ascending, Order::Descending] {
                let mut filter = SessionFilter::new(ago(0), 2);
                (filter.sort, filter.order, filter.parents) = (sort, order, Parents::AndChildren);
                let mut ids = Vec::new();
                loop {
                    let page = engine.workspace.sessions(&filter).await.unwrap();
                    assert_eq!(page.total, 9);
                    ids.extend(page.items.into_iter().map(|session| session.id.as_str().to_owned()));
                    filter.after = page.next;
                    let Some(after) = &filter.after else { break };
                    assert!(after.len() < 1000, "it has to fit a URL: {after}");
                }
                both.push(ids);
            }
            both[1].reverse();
            assert_eq!(both[0], both[1], "{sort:?}");
            let mut distinct = both[0].clone();
            distinct.sort();
            distinct.dedup();
            assert_eq!(distinct.len(), 9, "{sort:?}");
        }
        let mut filter = SessionFilter::new(ago(0), 2);
        filter.after = Some("nonsense".to_owned());
        assert!(engine.workspace.sessions(&filter).await.is_err());
    }
}

#[tokio::test]
async fn pages_of_hits_hold_each_hit_once() {
    for engine in engines().await {
        let messages = (1..=7).map(|n| message("a", &format!("m{n}"), "needle")).collect();
        engine.workspace.write_batch(batch(vec![session("a")], messages)).await.unwrap();
        let mut query = SearchQuery { text: "needle".to_owned(), limit: 3, ..SearchQuery::default() };
        let mut found = Vec::new();
        loop {
            let page = engine.workspace.search(&query).await.unwrap();
            assert_eq!(page.total, 7);
            found.extend(page.hits.into_iter().map(|hit| hit.seq));
            query.after = page.next;
            if query.after.is_none() {
                break;
            }
        }
        assert_eq!(found, [7, 6, 5, 4, 3, 2, 1]);
    }
}
