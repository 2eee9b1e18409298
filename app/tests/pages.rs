//! The pages as the server sends them: one whole, of the others what they are about.

#[path = "pages/deciding.rs"]
mod deciding;
#[path = "pages/inbox.rs"]
mod inbox;
#[path = "pages/inspector.rs"]
mod inspector;
#[path = "../examples/pages/made_up.rs"]
mod made_up;

use api::messages::{Ask, Entry};
use api::net::{NetFile, NetPart, NetTexts};
use app::pages::changes::{self, Body, BodyQuery};
use app::pages::panel::PanelData;
use app::pages::session::filter::KindCount;
use app::pages::session::{Dev, FilterData, PanelState, SessionPageData};
use app::pages::{folders, login, offline, panel, problem, search, session, sessions};
use app::shared::message_filter::MessageFilter;
use model::Role;
use model::view::FileChange;

/// One element a line, and an icon as one; without the numbers that the compiler gives to islands.
fn readable(html: &str) -> String {
    let mut parts = html.split("data-component=\"");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let (name, rest) = part.split_once('"').unwrap_or((part, ""));
        text.push_str("data-component=\"");
        text.push_str(name.split('_').next().unwrap_or_default());
        text.push('"');
        text.push_str(rest);
    }
    let lines = text.replace("<!>", "").replace("><", ">\n<");
    lines.replace(">\n<path", "><path").replace("/>\n</svg>", "/></svg>")
}

/// The title, which places the shell marks as current, and `<main>`; a session's page is compared whole.
fn about(html: &str) -> String {
    let element = |name: &str| {
        let (_, from) = html.split_once(&format!("<{name}")).expect("its beginning");
        let (inside, after) = from.split_once(&format!("</{name}>")).expect("its end");
        (format!("<{name}{inside}</{name}>"), after.len())
    };
    let ((title, _), (main, after)) = (element("title"), element("main"));
    let shell = [&html[..html.len() - after - main.len()], &html[html.len() - after..]].concat();
    let is_current = |tag: &&str| tag.contains("aria-current=");
    let current = shell.split_inclusive('>').filter(is_current).map(|tag| &tag[tag.find('<').unwrap_or_default()..]);
    readable(&[title, current.collect(), main].concat())
}

/// Messages have snapshots of their own.
fn with_plain_rows(data: SessionPageData) -> SessionPageData {
    SessionPageData {
        chunks: vec![(5, "<article class=\"m\" data-seq=\"201\">A message</article>".to_owned())],
        ..data
    }
}

#[test]
fn sessions_by_state_and_day() {
    insta::assert_snapshot!(about(&sessions::page(&made_up::sessions())));
}

#[test]
fn sessions_list_is_the_page_without_its_surroundings() {
    let data = made_up::sessions();
    let list = sessions::list(&data);
    // The counts of the rail are at the end of the list.
    let (rows, rail) = list.split_once("<div hidden data-rail").expect("the rail's figures");
    let inside = rail.split_once('>').and_then(|(_, inside)| inside.strip_suffix("</div>"));
    let (facets, page) = (inside.expect("what they count"), sessions::page(&data));
    assert!(page.contains(rows) && page.contains(facets));
    insta::assert_snapshot!(readable(facets));
    assert!(list.contains("href=\"/sessions?limit=140\""));
}

/// A list of hundreds has few elements: of rows far below, the title alone, and the rest where it is no part of the
/// document.
#[test]
fn two_hundred_rows_are_few_elements() {
    let mut data = made_up::sessions();
    let sample = data.list.sessions.clone();
    data.list.sessions = (0..200).map(|n| sample[n % sample.len()].clone()).collect();
    for (n, session) in data.list.sessions.iter_mut().enumerate() {
        session.id = model::SessionId::parse(format!("many-{n}")).expect("an id");
        (session.lines_added, session.lines_removed, session.cost_usd) = (12, 7, None);
        (session.todos_open, session.todos_done, session.child_count) = (2, 1, 3);
    }
    let html = sessions::page(&data);
    let (before, rest) = html.split_once("<template data-rows=\"\">").expect("rows for later");
    let (later, _) = rest.split_once("</template>").expect("their end");
    let count = |html: &str| html.split('<').filter(|tag| tag.starts_with(|c: char| c.is_ascii_alphabetic())).count();
    // The content of a template is no part of the document.
    let outside = |(number, part): (usize, &str)| match number {
        0 => count(part),
        _ => 1 + part.split_once("</template>").map_or(0, |(_, outside)| count(outside)),
    };
    let (elements, all) = (html.split("<template").enumerate().map(outside).sum::<usize>(), count(&html));
    assert!(elements <= 1_500 && all > 5_000, "{elements} of {all}");
    for n in 0..200 {
        let row = format!("data-row=\"many-{n}\"");
        assert_eq!(before.matches(&row).count(), 1, "each has its place");
        let link = format!("href=\"/s/many-{n}\"");
        assert_eq!(before.matches(&link).count(), 1, "without script, too");
    }
    let (whole, places) = (before.matches("class=\"srow\"").count(), before.matches("class=\"srow distant\"").count());
    assert_eq!((whole, places, later.matches("class=\"srow\"").count()), (18, 182, 182));
    assert!(!sessions::page(&made_up::sessions()).contains("data-rows"));
}

#[test]
fn no_session_matches() {
    insta::assert_snapshot!(readable(&sessions::list(&made_up::sessions_filtered_out())));
}

#[test]
fn an_import_runs_and_nothing_is_there_yet() {
    insta::assert_snapshot!(readable(&sessions::list(&made_up::sessions_importing())));
}

#[test]
fn a_session_with_its_todos() {
    insta::assert_snapshot!(readable(&session::page(&with_plain_rows(made_up::session(Dev::Off)))));
}

#[test]
fn a_closed_panel_and_a_place_in_the_middle() {
    let data =
        SessionPageData { panel_state: PanelState::Closed, at: Some(205), dev: Dev::On, ..made_up::session(Dev::On) };
    let html = session::page(&with_plain_rows(data));
    assert!(html.contains("<div id=\"app\" data-may=\"owner\" class=\"app\" "));
    assert!(html.contains("data-at=\"205\""));
    assert!(html.contains("href=\"/s/0199-1?at=100&amp;dev=1\""));
}

/// Chips count what each would show, and a page of what the filter takes leads to more of it.
#[test]
fn a_session_through_a_filter() {
    let kind = |message_type: &str, role, shown, hidden| KindCount {
        message_type: message_type.to_owned(),
        role,
        shown,
        hidden,
    };
    let counts = vec![
        kind("CODE_EDIT", Role::Assistant, 12, 0),
        kind("TEXT", Role::User, 4, 0),
        kind("TEXT", Role::System, 0, 9),
        kind("org.example/wind, gusty", Role::Assistant, 1, 0),
    ];
    let filter = MessageFilter { types: vec!["CODE_EDIT".to_owned()], roles: vec![Role::Assistant] };
    let filter = FilterData { filter, counts, holds: vec![2, 5, 9], open: false };
    let page = |filter: &FilterData| {
        let data = SessionPageData { filter: filter.clone(), ..made_up::session(Dev::Off) };
        session::page(&with_plain_rows(data))
    };
    let html = page(&filter);
    let (_, bar) = html.split_once("class=\"filter-bar\"").expect("chips");
    insta::assert_snapshot!(readable(bar.split_once("</nav>").expect("their end").0));
    assert!(html.contains("data-holds=\"2 5 9\""));
    assert!(html.contains("href=\"/s/0199-1?at=41&amp;type=CODE_EDIT&amp;role=assistant\""));
    assert!(html.contains("href=\"/s/0199-1?at=181&amp;type=CODE_EDIT&amp;role=assistant\""));
    assert!(html.contains("export?format=json&amp;type=CODE_EDIT&amp;role=assistant"));
    let of_system = MessageFilter { types: Vec::new(), roles: vec![Role::System] };
    let blank = page(&FilterData { filter: of_system, holds: Vec::new(), ..filter });
    assert!(blank.contains("No message matches this filter. The developer view shows 9 messages that match."));
}

#[test]
fn changed_files() {
    let data = made_up::session_changes();
    insta::assert_snapshot!(readable(&panel::panel(&data.detail, &data.panel, data.edited, &data.shell.clock)));
}

/// A file that was changed as a whole.
fn changed(path: &str, old: String, new: String) -> NetFile {
    let whole = NetPart { old: Some(old), new: Some(new), first_line: Some((1, 1)), whole: true, edit: None };
    NetFile {
        path: path.to_owned(),
        change: FileChange::Modified,
        moved_from: None,
        added: 0,
        removed: 0,
        changes: 1,
        hash: "0a1b2c3d".to_owned(),
        broken: false,
        too_large: false,
        language: None,
        edits: Vec::new(),
        texts: Some(NetTexts { parts: vec![whole], patches: Vec::new() }),
    }
}

#[test]
fn a_difference_on_two_sides_has_every_line() {
    let lines = |word: &str| -> String { (0..180).map(|at| format!("{word} {at} of many\n")).collect() };
    let prepared = changes::prepare(changed("two-sides.txt", lines("tree"), lines("pear")));
    let query: BodyQuery = serde_json::from_value(serde_json::json!({"view": "split"})).expect("a query");
    let Body::Html(html) = changes::body(&prepared, &query, "/net") else { panic!("not HTML") };
    assert_eq!([">tree ", ">pear "].map(|line| html.matches(line).count()), [180, 180]);
}

#[test]
fn a_file_that_is_nearly_large_is_compared_once() {
    let text = "A line of sixteen\n".repeat(100_000);
    for (path, times) in [("nearly-large.txt", 1), ("large.txt", 2)] {
        let file = changed(path, text.clone(), text.repeat(times));
        let prepared = changes::prepare(file);
        let known = changes::known(path, "0a1b2c3d").expect("it is known");
        assert!(std::sync::Arc::ptr_eq(&prepared, &known), "{path}");
    }
}

#[test]
fn about_a_session() {
    let data = made_up::session_about();
    insta::assert_snapshot!(readable(&panel::panel(&data.detail, &data.panel, data.edited, &data.shell.clock)));
}

#[test]
fn sub_agents_of_a_session() {
    let data = made_up::session_agents();
    insta::assert_snapshot!(readable(&panel::panel(&data.detail, &data.panel, data.edited, &data.shell.clock)));
}

/// A cancelled item is no part of the whole, and is named beside it: in the list, the header and the panel's tab.
#[test]
fn cancelled_todos_are_counted_beside_the_others() {
    let (mut list, mut data) = (made_up::sessions(), made_up::session(Dev::Off));
    list.list.sessions.truncate(1);
    let cancelled = |session: &mut model::Session, counts: [i64; 3]| {
        [session.todos_open, session.todos_done, session.todos_cancelled] = counts;
    };
    for (counts, row, said) in [
        ([1, 1, 1], "1 of 2 todos done, 1 cancelled", "1/2 todos, 1 cancelled"),
        ([0, 0, 2], "0 of 0 todos done, 2 cancelled", "0/0 todos, 2 cancelled"),
    ] {
        cancelled(&mut list.list.sessions[0], counts);
        cancelled(&mut data.detail.session, counts);
        let (list, page) = (sessions::page(&list), session::page(&data));
        let badge = said.replace(" todos", "");
        assert!(list.contains(&format!("title=\"{row}\"")), "{list}");
        assert!(page.contains(&format!(">{said}</a>")) && page.contains(&format!(">{badge}</span>")), "{page}");
    }
}

#[test]
fn only_tabs_that_hold_something_are_offered() {
    let mut data = made_up::session(Dev::Off);
    let session = &mut data.detail.session;
    (session.lines_added, session.lines_removed, session.todos_open, session.todos_done) = (0, 0, 1, 2);
    session.child_count = 0;
    data.edited = None;
    let tabs = |data: &SessionPageData, shown: &PanelData| {
        let html = panel::panel(&data.detail, shown, data.edited, &data.shell.clock);
        html.split("data-tab=\"")
            .skip(1)
            .filter_map(|rest| Some(rest.split_once('"')?.0.to_owned()))
            .collect::<Vec<_>>()
    };
    assert_eq!(tabs(&data, &PanelData::About), ["todos", "context", "tools", "events", "records", "about"]);
    // An address may ask for one.
    assert_eq!(
        tabs(&data, &PanelData::Changes(api::messages::Changes::default())),
        ["changes", "todos", "context", "tools", "events", "records", "about"]
    );
    // So does an edit, whatever became of it; how many files were changed is said beside every tab.
    data.edited = Some(0);
    assert_eq!(tabs(&data, &PanelData::About), ["changes", "todos", "context", "tools", "events", "records", "about"]);
    data.edited = Some(16);
    let html = panel::panel(&data.detail, &PanelData::About, data.edited, &data.shell.clock);
    assert!(html.contains("Changes<span class=\"badge\">16</span>"), "{html}");
    data.detail.session.lines_added = 3;
    assert_eq!(panel::Tab::for_session(&data.detail.session), panel::Tab::Changes);
}

#[test]
fn empty_tabs_say_so() {
    let data = made_up::session(Dev::Off);
    for empty in
        [PanelData::Todos(api::messages::TodoState::default()), PanelData::Changes(api::messages::Changes::default())]
    {
        assert!(
            panel::panel(&data.detail, &empty, data.edited, &data.shell.clock).contains("<p class=\"cap none\">No ")
        );
    }
}

#[test]
fn hits_by_session() {
    insta::assert_snapshot!(about(&search::page(&made_up::search())));
}

#[test]
fn folders_that_wait_and_folders_that_are_known() {
    insta::assert_snapshot!(readable(&folders::list(&made_up::folders_known())));
}

#[test]
fn no_transcripts_at_all() {
    insta::assert_snapshot!(readable(&folders::list(&made_up::folders_none())));
}

#[test]
fn imported_without_a_folder() {
    insta::assert_snapshot!(readable(&folders::list(&made_up::folders_imported())));
}

#[test]
fn sign_in() {
    insta::assert_snapshot!(readable(&login::page(&made_up::login())));
}

#[test]
fn no_server() {
    insta::assert_snapshot!(readable(&offline::page(&made_up::offline())));
}

#[test]
fn a_problem() {
    insta::assert_snapshot!(readable(&problem::page(&made_up::problem())));
}

/// One constant policy fits every page: no inline script, no handler, nothing from elsewhere.
#[test]
fn every_page_keeps_the_content_security_policy() {
    let pages = [
        sessions::page(&made_up::sessions()),
        session::page(&made_up::session(Dev::On)),
        search::page(&made_up::search_start()),
        folders::page(&made_up::folders()),
        login::page(&made_up::login()),
        offline::page(&made_up::offline()),
        problem::page(&made_up::problem()),
    ];
    for html in pages {
        assert!(!html.contains("<script>"), "an inline script");
        assert!(!html.contains(" onclick="), "an inline handler");
        assert!(!html.contains("src=\"http"), "something from elsewhere");
    }
}

/// A transcript gives no signs of life: nobody knows that its agent is lost, or rests.
#[test]
fn a_transcript_that_broke_off_is_no_lost_session() {
    let quiet = |minutes: i64| {
        let mut data = made_up::sessions();
        let session = &mut data.list.sessions[0];
        session.state = model::SessionState::Quiet;
        session.registered = false;
        session.last_activity_at = model::Micros(data.shell.clock.now.0 - minutes * 60 * model::Micros::SECOND);
        sessions::page(&data)
    };
    let lately = quiet(4);
    assert!(lately.contains("No news for 4 min. It may be waiting for you in its terminal"), "{lately}");
    assert!(!quiet(3_000).contains("It may be waiting"));
}

/// A question of a transcript's agent is answered where the agent runs.
#[test]
fn an_observed_question_leads_to_no_button_that_does_nothing() {
    let drawn = |registered: bool| {
        let mut data = made_up::sessions();
        let session = &mut data.list.sessions[0];
        session.registered = registered;
        let id = model::MessageId::parse("q~approval~0").expect("an id");
        let mut draft = model::Draft::text(id, Role::Assistant, "bot", "Which fence?", model::Micros(1));
        let options = serde_json::json!([{ "id": "1-1", "label": "Wood" }, { "id": "1-2", "label": "Wire" }]);
        let payload = serde_json::json!({
            "kind": "question", "title": "Which fence?", "state": "open",
            "questions": [{ "question": "Which fence?", "options": options }],
        });
        let metadata = serde_json::json!({ "message_type": "APPROVAL", "version": 1, "payload": payload });
        draft.metadata = metadata.as_object().cloned();
        let (session_id, received_at) = (session.id.clone(), model::Micros(1));
        let message = model::Message { session_id, seq: 3, revision: 1, draft, records: Vec::new(), received_at };
        let entry = Entry { shown_sha256: Some("seen".to_owned()), ..Entry::made_up(message) };
        data.asks = vec![Ask { entry, others: 0, session: None }];
        sessions::page(&data)
    };
    let observed = drawn(false);
    assert!(observed.contains("Which fence?") && observed.contains("Answer it in the agent"), "{observed}");
    assert!(!observed.contains("data-decide"), "{observed}");
    assert!(drawn(true).contains("data-decide"));
}
