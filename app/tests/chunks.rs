//! Wherever a transcript is cut into chunks, each message is in one of them, and in one only.
#![cfg(feature = "ssr")]

#[path = "support/gallery.rs"]
#[expect(dead_code, reason = "other tests use the rest of it")]
mod gallery;

use api::messages::{Display, Entry, HiddenRow, MessagePage};
use app::shared::window::CHUNK;
use app::transcript::{self, Detail, Stop, TranscriptOptions, Verbosity};
use model::{MessageId, Micros, Role};
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeMap;

#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A turn begins.
    Asked,
    Said,
    Looked,
    Ran,
    Plan,
    Thought,
    System,
    Compacted,
    /// The end of a run.
    End,
    /// Nothing is drawn of it.
    Gone,
}

fn kinds() -> impl Strategy<Value = Vec<Kind>> {
    // Mostly work: long stretches are what is hard.
    let kind = prop_oneof![
        1 => Just(Kind::Asked),
        1 => Just(Kind::Said),
        6 => Just(Kind::Looked),
        3 => Just(Kind::Ran),
        2 => Just(Kind::Plan),
        5 => Just(Kind::Thought),
        2 => Just(Kind::System),
        1 => Just(Kind::Compacted),
        1 => Just(Kind::End),
        1 => Just(Kind::Gone),
    ];
    prop::collection::vec(kind, 1..240)
}

fn shown(kind: Kind, seq: i64) -> Option<Entry> {
    let call = |name: &str, input: Value| {
        let payload = json!({"tool_name": name, "input": input, "output": "ok", "state": "done"});
        json!({"message_type": "TOOL_CALL", "version": 1, "payload": payload})
    };
    let todos = json!([{"id": "1", "content": "Fix it", "status": "pending"}]);
    let (content, metadata) = match kind {
        Kind::Asked | Kind::Said => ("Words", Value::Null),
        Kind::Looked => ("", call("Read", json!({"file_path": "/home/mara/a.rs"}))),
        Kind::Ran => ("", call("Bash", json!({"command": "make"}))),
        Kind::End => ("57 s", json!({"duration_ms": 57_000})),
        Kind::Plan => ("", json!({"message_type": "TODO", "version": 1, "payload": {"todos": todos}})),
        _ => return None,
    };
    let (role, sender) = match kind {
        Kind::Asked => (Role::User, "user"),
        Kind::End => (Role::Host, "result_meta"),
        _ => (Role::Assistant, "bot"),
    };
    let mut entry = gallery::entry("any", role, sender, content, metadata);
    entry.message.draft.id = MessageId::parse(format!("message-{seq:08}")).expect("an id");
    entry.message.seq = seq;
    entry.display = Display::Shown;
    Some(entry)
}

fn hidden(kind: Kind, seq: i64) -> Option<HiddenRow> {
    let (role, sender) = match kind {
        Kind::Thought => (Role::Model, "bot"),
        Kind::System => (Role::System, "hook"),
        Kind::Compacted => (Role::System, "compact_boundary"),
        _ => return None,
    };
    let (sender, message_type) = (sender.to_owned(), "TEXT".to_owned());
    Some(HiddenRow {
        seq,
        role,
        sender,
        message_type,
        replaced: false,
        took: None,
        compacted_from: None,
        left_behind: None,
    })
}

fn page(kinds: &[Kind], from: i64, to: i64) -> MessagePage {
    let all = || (1..).zip(kinds).filter(|(seq, _)| (from..=to).contains(seq));
    let last_seq = kinds.len() as i64;
    let messages = all().filter_map(|(seq, kind)| shown(*kind, seq)).collect();
    let hidden = all().filter_map(|(seq, kind)| hidden(*kind, seq)).collect();
    MessagePage { messages, hidden, from, to: to.min(last_seq), last_seq, cursor: String::new() }
}

/// The messages that a chunk's rows draw or count.
fn drawn(html: &str) -> Vec<i64> {
    let numbers = |text: &str| text.split(' ').filter_map(|n| n.parse::<i64>().ok()).collect::<Vec<_>>();
    let articles = html.split("<article ").skip(1).filter_map(|article| article.split_once('>')).map(|(tag, _)| tag);
    let value = |tag: &str, name: &str| {
        let rest = tag.split_once(&format!("{name}=\""))?.1;
        Some(rest.split_once('"')?.0.to_owned())
    };
    let mut drawn = Vec::new();
    for tag in articles {
        // A group stands for the rows inside.
        match value(tag, "data-holds") {
            Some(holds) => {
                // The end of a run counts what is hidden, and is a message itself.
                let own = tag.contains("data-id").then(|| value(tag, "data-seq")).flatten();
                drawn.extend(numbers(&holds).into_iter().chain(own.iter().flat_map(|seq| numbers(seq))));
            }
            None if tag.contains("group") => {}
            None => drawn.extend(value(tag, "data-seq").map(|seq| numbers(&seq)).unwrap_or_default()),
        }
    }
    drawn
}

/// Returns the class, count, turn and label of each marker of hidden messages.
fn markers(html: &str) -> Vec<[String; 4]> {
    let value = |tag: &str, name: &str| {
        let rest = tag.split_once(&format!("{name}=\"")).map_or("", |(_, rest)| rest);
        rest.split('"').next().unwrap_or_default().to_owned()
    };
    let tags = html.split("<article ").skip(1).filter_map(|article| article.split('>').next());
    let tags = tags.filter(|tag| tag.contains("data-holds"));
    tags.map(|tag| ["class", "data-holds", "data-turn", "aria-label"].map(|name| value(tag, name))).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, ..ProptestConfig::default() })]
    #[test]
    fn each_message_is_in_one_chunk(kinds in kinds()) {
        let last = kinds.len() as i64;
        let mut options = TranscriptOptions::new(gallery::session(), last, gallery::NOW);
        options.newest_todo = Some(last + 1);
        let mut times: BTreeMap<i64, usize> = BTreeMap::new();
        let mut markers = Vec::new();
        for chunk in 0..=(last - 1) / CHUNK {
            // As much around it as is needed, and no more.
            let (mut before, mut after) = (1, 1);
            let around = loop {
                let around = page(&kinds, (chunk - before).max(0) * CHUNK + 1, (chunk + 1 + after) * CHUNK);
                match transcript::is_whole(&around, &options, &(chunk..=chunk)) {
                    (true, true) => break around,
                    (is_begun, is_ended) => {
                        before += i64::from(!is_begun);
                        after += i64::from(!is_ended);
                    }
                }
            };
            for (_, html) in transcript::chunks(around, &options, chunk..=chunk).drawn {
                markers.extend(self::markers(&html));
                for seq in drawn(&html) {
                    *times.entry(seq).or_default() += 1;
                }
            }
        }
        let wanted: BTreeMap<i64, usize> =
            (1..).zip(&kinds).filter(|(_, kind)| !matches!(kind, Kind::Gone)).map(|(seq, _)| (seq, 1)).collect();
        prop_assert_eq!(times, wanted);
        // However much of the transcript is at hand, its markers count the same.
        let whole = transcript::chunks(page(&kinds, 1, last), &options, 0..=(last - 1) / CHUNK).drawn;
        prop_assert_eq!(markers, whole.iter().flat_map(|(_, html)| self::markers(html)).collect::<Vec<_>>());
    }
}

/// The heads of groups in a transcript that is drawn chunk by chunk.
fn heads(kinds: &[Kind], verbosity: Verbosity) -> Vec<String> {
    let last = kinds.len() as i64;
    let mut options = TranscriptOptions::new(gallery::session(), last, gallery::NOW);
    options.verbosity = verbosity;
    let mut heads = Vec::new();
    for chunk in 0..=(last - 1) / CHUNK {
        for (_, html) in transcript::chunks(page(kinds, 1, last), &options, chunk..=chunk).drawn {
            let labels = html.split("group\"").skip(1).filter_map(|group| group.split_once("aria-label=\""));
            heads.extend(labels.filter_map(|(_, rest)| rest.split_once('"')).map(|(label, _)| label.to_owned()));
        }
    }
    heads
}

#[test]
fn what_runs_over_several_chunks_is_one_group_with_the_count_of_all() {
    let work = |last: Kind| {
        let mut kinds = vec![Kind::Said];
        kinds.extend([Kind::Looked; 57]);
        kinds.push(last);
        kinds
    };
    assert_eq!(heads(&work(Kind::Said), Verbosity::Normal), ["Explored a.rs"]);
    assert_eq!(heads(&work(Kind::Ran), Verbosity::Summary), ["Worked 1 command, explored a.rs, 1 note"]);
    // Without an end the reader has to wait for, there is a longest one.
    let long = [Kind::Ran; 620];
    assert_eq!(heads(&long, Verbosity::Summary), ["Worked 500 commands", "Went on 120 commands"]);
}

fn error(seq: i64, attempt: Option<i64>) -> Entry {
    let payload = json!({"error_type": "overloaded", "message": "Overloaded", "frames": []});
    let mut metadata = json!({"message_type": "ERROR", "version": 1, "payload": payload});
    if let Some(attempt) = attempt {
        metadata["retry_attempt"] = attempt.into();
    }
    let mut entry = gallery::entry("any", Role::Assistant, "bot", "Overloaded", metadata);
    entry.message.draft.id = MessageId::parse(format!("message-{seq:08}")).expect("an id");
    (entry.message.seq, entry.display) = (seq, Display::Shown);
    entry
}

#[test]
fn attempts_of_one_request_are_one_line_that_says_how_they_ended() {
    let drawn = |after: Option<Entry>| {
        let mut page = page(&[Kind::Said], 1, 1);
        page.messages.extend((2..=4).map(|seq| error(seq, Some(seq - 1))));
        page.messages.extend(after);
        (page.to, page.last_seq) = (5, 5);
        let html = transcript::page(page, &TranscriptOptions::new(gallery::session(), 5, gallery::NOW));
        let (_, head) =
            html.split_once("group\"").and_then(|(_, html)| html.split_once("aria-label=\"")).expect("a line");
        let inside = head.matches("data-type=\"ERROR\"").count();
        (head.split_once('"').expect("a label").0.to_owned(), inside)
    };
    assert_eq!(drawn(None), ("Request 3 attempts failed".to_owned(), 3));
    assert_eq!(drawn(shown(Kind::Ran, 5)), ("Request 3 attempts failed, then it continued".to_owned(), 3));
    // The error that follows is in the same card.
    assert_eq!(drawn(Some(error(5, None))), ("Overloaded gave up after 3 attempts".to_owned(), 4));
}

#[test]
fn a_long_thought_stands_after_the_call_that_it_followed() {
    let mut page = page(&[Kind::Said, Kind::Thought, Kind::Ran, Kind::Thought, Kind::Ran, Kind::Thought], 1, 6);
    page.hidden[1].took = Some(Micros(30 * Micros::SECOND));
    let html = transcript::page(page, &TranscriptOptions::new(gallery::session(), 6, gallery::NOW));
    assert_eq!(drawn(&html), [1, 2, 3, 4, 6, 5]);
}

/// The rows of a page: what stands in each, and the words.
fn rows(kinds: &[Kind], options: &TranscriptOptions) -> Vec<String> {
    let html = transcript::page(page(kinds, 1, kinds.len() as i64), options);
    let words = |article: &str| {
        let pieces = article.split('<').filter_map(|piece| piece.split_once('>')).map(|(_, text)| text.trim());
        pieces.filter(|text| !text.is_empty() && *text != "5 min").collect::<Vec<_>>().join(" | ")
    };
    html.split("<article ").skip(1).map(words).collect()
}

#[test]
fn the_end_of_a_run_counts_what_is_hidden_around_it() {
    let options = TranscriptOptions::new(gallery::session(), 9, gallery::NOW);
    let kinds = [Kind::Said, Kind::System, Kind::System, Kind::End, Kind::System, Kind::Said];
    let answer = "Agent | Words";
    assert_eq!(rows(&kinds, &options), [answer, "Run finished | 57 s | 3 hidden", answer]);
    let html = transcript::page(page(&kinds, 1, 6), &options);
    let foot = html.split("<article ").find(|article| article.contains("class=\"foot\"")).expect("a footer");
    assert!(foot.contains("data-holds=\"2 3 5\"") && foot.contains("data-last=\"5\""), "{foot}");
    assert!(foot.contains("title=\"3 system messages\" ") || foot.contains("title=\"3 system messages\">"), "{foot}");
    // A thought belongs to the work before it, and counts for the turn.
    let thought = [Kind::Said, Kind::Thought, Kind::End];
    assert_eq!(rows(&thought, &options), [answer, "1", "Run finished | 57 s | 1 hidden"]);
    let summary = TranscriptOptions { verbosity: Verbosity::Summary, ..options.clone() };
    let worked = [Kind::Said, Kind::Ran, Kind::Thought, Kind::Said, Kind::System, Kind::End];
    let folded = transcript::page(page(&worked, 1, 6), &summary);
    assert!(folded.contains("aria-label=\"Worked 1 command, 1 note, 1 thought\""), "{folded}");
    assert!(folded.contains("2 hidden"), "{folded}");
}

#[test]
fn a_short_thought_is_a_count_in_the_margin_and_a_long_one_a_row() {
    let mut page = page(&[Kind::Said, Kind::Thought, Kind::Ran, Kind::Thought], 1, 4);
    page.hidden[0].took = Some(Micros(9 * Micros::SECOND));
    page.hidden[1].took = Some(Micros(11 * Micros::SECOND));
    let html = transcript::page(page, &TranscriptOptions::new(gallery::session(), 4, gallery::NOW));
    let classes: Vec<String> = markers(&html).into_iter().map(|[class, ..]| class).collect();
    assert_eq!(classes, ["m tight hid margin", "m tight hid"], "{html}");
    assert!(html.contains("aria-label=\"Thought 9 s hidden, show\">1</a>"), "{html}");
}

#[test]
fn what_is_hidden_between_rows_takes_no_line_and_the_end_of_the_turn_has_the_sum() {
    use Kind::{Asked, End, Ran, Said, System, Thought};
    let options = TranscriptOptions::new(gallery::session(), 99, gallery::NOW);
    let said = |kinds: &[Kind], options: &TranscriptOptions| -> Vec<String> {
        rows(kinds, options)
            .iter()
            .map(|row| row.trim_start_matches("You | ").trim_start_matches("Agent | ").to_owned())
            .collect()
    };
    let turn = [System, Asked, System, System, Said, Thought, Said, System, Asked, System, Said, Ran];
    let sum = "Thought, 3 system messages in this turn";
    assert_eq!(
        said(&turn, &options),
        ["1 system message", "Words", "2", "Words", "1", "Words", sum, "Words", "1", "Words", "Bash | make | ok"]
    );
    let html = transcript::page(page(&turn, 1, 12), &options);
    let [_, margin, _, end, _] = markers(&html).try_into().expect("five markers");
    assert_eq!(margin, ["m tight hid margin", "3 4", "", "2 system messages hidden"]);
    assert_eq!(end, ["m tight hid brief", "8", "3 8", &format!("{sum}, hidden")]);
    assert!(html.contains("title=\"2 system messages hidden\" aria-label=\"2 system messages hidden, show\">2</a>"));
    // The footer of a run has the sum, also where nothing is hidden right before it, and what comes then counts for
    // itself.
    let run = [Asked, System, Said, End, Said, System, Asked];
    let foot = "Run finished | 57 s | 1 hidden";
    let expected = ["Words", "1", "Words", foot, "Words", "1 system message", "Words"];
    assert_eq!(said(&run, &options), expected);
    // The last turn ends where nobody works any more. On paper nothing stands in the margin.
    let last = [Asked, System, Said, Thought];
    assert_eq!(said(&last, &options), ["Words", "1", "Words", "1"]);
    let rests = TranscriptOptions { rests: true, ..options.clone() };
    assert_eq!(said(&last, &rests), ["Words", "1", "Words", "Thought, 1 system message in this turn"]);
    let printed = TranscriptOptions { detail: Detail::Printed, ..options };
    assert_eq!(said(&last, &printed)[1], "1 system message");
}

#[test]
fn a_decision_leaves_one_trace_with_the_persons_words() {
    let asked = |state: &str| {
        let decision = json!({"state": state, "text": "Only this once", "by": "owner"});
        let payload = json!({"kind": "permission", "title": "Run make", "state": state, "decision": decision});
        let mut entry = gallery::entry(
            "ask",
            Role::Assistant,
            "bot",
            "Run make?",
            json!({"message_type": "APPROVAL", "version": 1, "payload": payload}),
        );
        (entry.message.seq, entry.display) = (1, Display::Shown);
        entry
    };
    let told = {
        let payload = json!({"approval_id": "ask-00000000", "text": "Only this once"});
        let mut entry = gallery::entry(
            "tell",
            Role::User,
            "user",
            "Selected: Allow once, Only this once",
            json!({"message_type": "ACTION", "version": 1, "payload": payload}),
        );
        (entry.message.seq, entry.display) = (2, Display::Shown);
        entry.delivery = Some(api::messages::Delivery::Waiting);
        entry
    };
    let drawn = |state: &str, dev: bool| {
        let mut page = page(&[Kind::Gone, Kind::Gone], 1, 2);
        page.messages = vec![asked(state), told.clone()];
        let Some(first) = page.messages.first_mut() else { return String::new() };
        first.message.draft.id = MessageId::parse("ask-00000000".to_owned()).expect("an id");
        let options = TranscriptOptions { dev, ..TranscriptOptions::new(gallery::session(), 2, gallery::NOW) };
        transcript::page(page, &options)
    };
    let one = drawn("allowed_once", false);
    assert_eq!(one.matches("<article").count(), 1, "{one}");
    assert!(one.contains("Only this once") && one.contains("data-delivery=\"waiting\""), "{one}");
    // With dev on both are read, and so is what decides a card that isn't decided yet.
    assert_eq!(drawn("allowed_once", true).matches("<article").count(), 2);
    assert_eq!(drawn("open", false).matches("<article").count(), 2);
}

#[test]
fn on_paper_a_line_says_where_a_day_of_utc_ends() {
    let mut page = page(&[Kind::Said, Kind::Said, Kind::Said], 1, 3);
    let midnight = 1_930_003_200 * Micros::SECOND;
    for (entry, at) in page.messages.iter_mut().zip([midnight - 5, midnight, midnight + 5]) {
        entry.message.draft.created_at = Micros(at);
    }
    let days = |detail: Detail| {
        let options = TranscriptOptions { detail, ..TranscriptOptions::new(gallery::session(), 3, gallery::NOW) };
        let html = transcript::page(page.clone(), &options);
        let days = html.split("data-day=\"").skip(1).filter_map(|rest| rest.split_once('"'));
        days.map(|(day, _)| day.to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(days(Detail::Printed), ["Friday, 28 February 2031"]);
    // In the browser it is the reader's day.
    assert_eq!(days(Detail::Glance), Vec::<String>::new());
}

#[test]
fn a_day_that_ended_doesnt_end_again_where_times_go_back() {
    let mut page = page(&[Kind::Said, Kind::Said, Kind::Said, Kind::Said], 1, 4);
    let midnight = 1_930_003_200 * Micros::SECOND;
    for (entry, at) in page.messages.iter_mut().zip([midnight - 5, midnight, midnight - 3, midnight + 5]) {
        entry.message.draft.created_at = Micros(at);
    }
    let options =
        TranscriptOptions { detail: Detail::Printed, ..TranscriptOptions::new(gallery::session(), 4, gallery::NOW) };
    assert_eq!(transcript::page(page, &options).matches("data-day=").count(), 1);
}

#[test]
fn a_chunk_without_rows_of_its_own_says_where_they_begin() {
    let options = TranscriptOptions::new(gallery::session(), 60, gallery::NOW);
    let chunks = transcript::chunks(page(&[Kind::Looked; 60], 1, 60), &options, 1..=2);
    let says = "<i hidden data-runs-on=\"1\"></i>".to_owned();
    assert_eq!((chunks.begins, chunks.drawn), (0, vec![(1, says.clone()), (2, says)]));
}

/// Turns that were rewound are one line, dev or not, and are read where it is unfolded.
#[test]
fn turns_that_were_left_behind_are_folded_to_one_line() {
    let mut whole = page(&[], 1, 6);
    (whole.from, whole.to, whole.last_seq) = (1, 6, 6);
    for (seq, role, words, left) in [
        (1, Role::User, "Build a kennel", false),
        (2, Role::User, "Paint it red", true),
        (3, Role::Assistant, "It is red", true),
        (4, Role::User, "Add stripes", true),
        (6, Role::User, "Paint it blue", false),
    ] {
        let mut entry = gallery::entry("any", role, "bot", words, json!(null));
        entry.message.draft.id = MessageId::parse(format!("rewound-{seq}")).expect("an id");
        entry.message.draft.left_behind = left;
        entry.message.seq = seq;
        entry.display = Display::Shown;
        whole.messages.push(entry);
    }
    whole.hidden.extend(hidden(Kind::Thought, 5));
    for dev in [false, true] {
        let options = TranscriptOptions { dev, ..TranscriptOptions::new(gallery::session(), 6, gallery::NOW) };
        let html = transcript::page(whole.clone(), &options);
        assert!(html.contains("2 turns rewound, 4 messages"), "{html}");
        assert!(html.contains("data-holds=\"2 3 4 5\""), "{html}");
        assert!(!html.contains("It is red") && html.contains("Paint it blue"), "{html}");
    }
    let summary = TranscriptOptions {
        verbosity: Verbosity::Summary,
        ..TranscriptOptions::new(gallery::session(), 6, gallery::NOW)
    };
    assert!(transcript::page(whole.clone(), &summary).contains("2 turns rewound"), "nothing folds it away");
    let options = TranscriptOptions::new(gallery::session(), 6, gallery::NOW);
    let mut behind = whole;
    behind.messages.retain(|entry| entry.message.draft.left_behind);
    (behind.from, behind.to) = (2, 5);
    let html = transcript::unfolded(behind, &options);
    assert!(html.contains("Paint it red") && html.contains("It is red") && html.contains("Add stripes"), "{html}");
}

/// A message that there is no time to draw says so in its place, and is drawn the next time.
#[test]
fn messages_that_are_not_reached_say_where_they_are() {
    let page = page(&[Kind::Asked, Kind::Ran, Kind::Said], 1, 3);
    let mut options = TranscriptOptions::new(gallery::session(), 3, gallery::NOW);
    // No other test draws it so.
    options.project = "/somewhere/else".to_owned();
    let late = TranscriptOptions { stop: Stop::when(|| true), ..options.clone() };
    let html = transcript::page(page.clone(), &late);
    assert_eq!((drawn(&html), html.matches("Took too long to draw").count()), (vec![1, 2, 3], 3));
    let address = format!("href=\"/v1/sessions/{}/messages/2\"", gallery::session());
    assert!(html.contains(&address), "{html}");
    let html = transcript::page(page, &options);
    assert_eq!((drawn(&html), html.matches("Took too long to draw").count()), (vec![1, 2, 3], 0));
}
