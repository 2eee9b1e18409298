//! The tabs that show where time went, what happened, and verbatim records.

use crate::made_up;
use api::cost::ModelRequest;
use api::inspector::{
    RecordPlace, Records, RequestTimes, SessionEvent, SessionEventKind, SessionEvents, TimeSpan, TimeSpanKind,
    Waterfall,
};
use api::messages::RecordText;
use app::pages::panel::{self, PanelData};
use app::pages::session::Dev;
use model::{MessageId, Micros, Usage};

fn drawn(shown: &PanelData) -> String {
    let data = made_up::session(Dev::On);
    panel::panel(&data.detail, shown, data.edited, &data.shell.clock).replace("<!>", "")
}

fn span(kind: TimeSpanKind, from: i64, to: Option<i64>) -> TimeSpan {
    let at = |second: i64| Micros(second * Micros::SECOND);
    TimeSpan { kind, name: None, seq: None, began_at: at(from), ended_at: to.map(at), failed: false }
}

fn request(number: i64) -> ModelRequest {
    ModelRequest {
        number,
        id: format!("msg_{number}"),
        run_id: "run".to_owned(),
        message_id: None,
        seq: Some(number),
        model: None,
        began_at: None,
        ended_at: Micros(0),
        first_token_ms: None,
        stop_reason: None,
        usage: Usage::default(),
        cache_write_1h: 0,
        cost: None,
        context: None,
        is_copy: false,
    }
}

fn context(spans: Vec<TimeSpan>) -> String {
    let times = RequestTimes { number: 1, seq: Some(1), began_at: Micros(0), spans };
    let waterfall = Waterfall { requests: vec![times], before: None };
    drawn(&PanelData::Context { requests: vec![request(1)], runs: (Vec::new(), 0), times: Some(waterfall) })
}

/// The text of each cell of the last table.
fn cells(html: &str) -> Vec<String> {
    let (_, body) = html.rsplit_once("<tbody>").expect("there is a table");
    let cells = body.split("<td").skip(1).filter_map(|cell| cell.split_once('>')).map(|(_, cell)| cell);
    cells.map(|cell| cell.split('<').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn parallel_calls_stand_below_each_other_and_count_once() {
    let html = context(vec![
        span(TimeSpanKind::FirstToken, 0, Some(1)),
        span(TimeSpanKind::Streaming, 1, Some(4)),
        span(TimeSpanKind::Tool, 4, Some(8)),
        span(TimeSpanKind::Tool, 4, Some(6)),
        span(TimeSpanKind::Tool, 9, Some(10)),
        span(TimeSpanKind::Idle, 10, Some(100)),
    ]);
    // Ten seconds from edge to edge: what was idle ends there.
    let bars = ["--x:0.00;--w:10.00;--lane:0", "--x:40.00;--w:40.00;--lane:0", "--x:40.00;--w:20.00;--lane:1"];
    for bar in bars {
        assert!(html.contains(bar), "{bar}: {html}");
    }
    assert!(html.contains("--rows:2"), "{html}");
    assert_eq!(cells(&html), ["1.0 s", "4.0 s", "5.0 s", "\u{2013}", "1 min 30 s"]);
}

#[test]
fn an_open_approval_goes_on_to_the_edge() {
    let html = context(vec![
        span(TimeSpanKind::Model, 0, Some(5)),
        TimeSpan { name: Some("Run <b>make</b>?".to_owned()), ..span(TimeSpanKind::Approval, 5, None) },
    ]);
    assert!(html.contains("title=\"Approval Run &lt;b&gt;make&lt;/b&gt;?: open\""), "{html}");
    assert_eq!(cells(&html), ["\u{2013}", "5.0 s", "\u{2013}", "\u{2013}", "\u{2013}"]);
}

#[test]
fn without_dev_requests_have_no_bars() {
    let html = drawn(&PanelData::Context { requests: vec![request(1)], runs: (Vec::new(), 0), times: None });
    assert!(html.contains("Request 1") && !html.contains("class=\"wf\"") && !html.contains("<table"), "{html}");
}

#[test]
fn events_lead_to_their_messages_and_to_earlier_ones() {
    let event = |seq: i64, kind: SessionEventKind, summary: &str| SessionEvent {
        kind,
        id: MessageId::parse(format!("m{seq}")).unwrap(),
        seq,
        at: Micros(seq * Micros::SECOND),
        sender: "bot".to_owned(),
        summary: summary.to_owned(),
        state: (kind == SessionEventKind::Approval).then(|| "allowed_once".to_owned()),
    };
    let page = SessionEvents {
        events: vec![
            event(7, SessionEventKind::Prompt, "<i>Go</i>"),
            event(9, SessionEventKind::Approval, "Run make?"),
        ],
        before: Some(7),
        total: 12,
    };
    let html = drawn(&PanelData::Events(page));
    let (newest, oldest) = (html.find("Run make?").unwrap(), html.find("&lt;i&gt;Go&lt;/i&gt;").unwrap());
    assert!(newest < oldest && html.contains("12 events") && html.contains("allowed once"), "{html}");
    assert!(html.contains("data-seq=\"9\"") && html.contains("panel?tab=events&amp;before=7"), "{html}");
    assert!(!html.contains("Session began"), "{html}");
}

#[test]
fn a_record_is_shown_raw_and_readable() {
    let text = "{\"type\":  \"user\", \"n\": 1.10}\n";
    let record = RecordText {
        source: "file-1".to_owned(),
        path: "/home/ada/mill.jsonl".to_owned(),
        offset: 10,
        len: text.len() as u64,
        text: text.to_owned(),
        cut: false,
        is_damaged: false,
    };
    let next = Some(RecordPlace { source: "file-1".to_owned(), offset: 40 });
    let page = Records { records: vec![record], next };
    let one = panel::record(&page).unwrap();
    let raw = "{&quot;type&quot;:  &quot;user&quot;, &quot;n&quot;: 1.10}\n</pre>";
    assert!(one.contains(raw), "{one}");
    assert!(one.contains("value=\"raw\"") && one.contains("value=\"pretty\""), "{one}");
    let html = drawn(&PanelData::Records { page, at: Some(3) });
    assert!(html.contains("From the record of message 3 on") && html.contains("data-again=\"&amp;at=3\""), "{html}");
    assert!(html.contains("source=file-1&amp;offset=10&amp;one=1"), "{html}");
    assert!(html.contains("source=file-1&amp;offset=40\""), "{html}");
}
