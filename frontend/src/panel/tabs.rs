use crate::swap::{self, swap};
use crate::{events, filter, session_actions, times, transcript};
use app::browser::page_state::{now_and_then, page_state};
use app::browser::{dom, fragment};
use app::shared::attr;
use app::shared::latest::Latest;
use app::shared::page_action::PageAction;
use app::shared::{fragments_href, message_href};
use leptos::prelude::lazy;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsCast;
use web_sys::{Document, Element, Event, KeyboardEvent, MouseEvent};

/// From this width on the panel stands beside the transcript; below it floats above.
const BESIDE: &str = "(width >= 1180px)";
const REFRESH: i32 = 1_000;
/// A session that works is lost by the clock alone: so often the header is asked for while one does.
const LOOK: i32 = 15_000;
/// Status of a deleted session.
const NOT_THERE: u16 = 404;

thread_local! {
    static ASKED: Latest = const { Latest::new() };
    /// The same of the header.
    static HEAD_ASKED: Latest = const { Latest::new() };
    /// Tabs that the reader chose and that are on their way; and whether the session went on meanwhile.
    static COMING: Cell<u32> = const { Cell::new(0) };
    static MISSED: Cell<bool> = const { Cell::new(false) };
    /// The last content of the panel and the header.
    static SHOWN: RefCell<String> = const { RefCell::new(String::new()) };
    static HEAD: RefCell<String> = const { RefCell::new(String::new()) };
    /// The sub-agent that is to be opened as soon as the tab lists it.
    static WANTED: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Why a tab is loaded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Why {
    /// The reader chose it.
    Asked,
    /// The session went on.
    Changed,
}

/// Actions of the panel. The code is loaded at the first one.
enum TabAction {
    Toggle,
    Show(String),
    /// Opens the panel, and shows the tab.
    OpenAt(String),
    /// Opens the panel, and shows a sub-agent where the tab lists it.
    ShowAgent(Option<String>),
    /// Goes to a message, and closes a panel that floats above it.
    GoToMessage(Option<i64>),
    /// Loads what a group of files or edits holds.
    Fill(Element),
    /// Loads the header anew.
    RefreshHead,
    /// Loads the tab anew.
    RefreshTab,
    /// Loads the header and the tab anew.
    Follow,
}

fn run_action(base: &str, action: TabAction) {
    wasm_bindgen_futures::spawn_local(run_tab_action(base.to_owned(), action));
}

#[lazy]
async fn run_tab_action(base: String, action: TabAction) {
    let show = |name: &str| {
        dom::replace_parameter("panel", Some(name));
        load(&base, name, Why::Asked);
    };
    match action {
        TabAction::Toggle => toggle(),
        TabAction::Show(name) => show(&name),
        TabAction::OpenAt(name) => {
            open();
            show(&name);
        }
        TabAction::ShowAgent(agent) => {
            open();
            WANTED.set(agent);
            show("agents");
        }
        TabAction::GoToMessage(seq) => {
            if !beside() {
                toggle();
            }
            transcript::go_to_seq(seq);
        }
        TabAction::Fill(group) => fill(group),
        TabAction::RefreshHead => head(&base),
        TabAction::RefreshTab => tab_again(&base),
        TabAction::Follow => {
            head(&base);
            if let Some(session) = transcript::session() {
                filter::follow(&session);
            }
            tab_again(&base);
        }
    }
}

pub fn start(session: &str) {
    let (Some(document), Some(panel)) = (dom::document(), dom::by_id("panel")) else { return };
    let base = fragments_href(session);
    listen_to_panel(&panel, &base);
    listen_to_page(&document, &base);
    let (dev, shown, toggled) = (page_state().dev, Cell::new(None), base.clone());
    // With it on, requests have the bars of their times.
    dev.clone().follow(move || {
        let now = dev.get();
        if shown.replace(Some(now)).is_some_and(|before| before != now) {
            run_action(&toggled, TabAction::RefreshTab);
        }
    });
    watch(base.clone());
    follow(base);
}

/// Tabs and links of the panel, arrow keys among its tabs, and groups that are opened.
fn listen_to_panel(panel: &Element, base: &str) {
    let (clicked, opened) = (base.to_owned(), base.to_owned());
    dom::listen(panel, "click", move |event: MouseEvent| {
        let action = if let Some(tab) = dom::closest(&event, "[role=tab]") {
            TabAction::Show(tab_of(&tab))
        } else if let Some(link) = dom::closest(&event, "a[data-seq]") {
            TabAction::GoToMessage(link.get_attribute(attr::SEQ).and_then(|seq| seq.parse().ok()))
        } else {
            if let Some(place) = dom::closest(&event, ".nested [data-action]") {
                elsewhere(&place, &event);
            }
            return;
        };
        event.prevent_default();
        run_action(&clicked, action);
    });
    dom::listen(panel, "keydown", |event: KeyboardEvent| {
        let Some(tab) = dom::closest(&event, "[role=tab]") else { return };
        let next = match event.key().as_str() {
            "ArrowRight" => tab.next_element_sibling(),
            "ArrowLeft" => tab.previous_element_sibling(),
            "Home" => tab.parent_element().and_then(|tabs| tabs.first_element_child()),
            "End" => tab.parent_element().and_then(|tabs| tabs.last_element_child()),
            _ => return,
        };
        if let Some(next) = next.as_ref().and_then(dom::html) {
            event.prevent_default();
            next.click();
        }
    });
    dom::listen_capturing(panel, "toggle", move |event: Event| {
        let group = event.target().and_then(|target| target.dyn_into::<Element>().ok());
        if let Some(group) = group.filter(|e| e.matches("details[data-load][open]:not([data-loaded])").unwrap_or(false))
        {
            run_action(&opened, TabAction::Fill(group));
        }
    });
}

/// Listens for elements of the page that open the panel.
fn listen_to_page(document: &Document, base: &str) {
    let base = base.to_owned();
    dom::listen(document, "click", move |event: MouseEvent| {
        let action = if matches!(dom::action(&event), Some((PageAction::TogglePanel, _))) {
            TabAction::Toggle
        } else if let Some(fact) = dom::closest(&event, "#session-head a[data-tab]").filter(|_| plain(&event)) {
            TabAction::OpenAt(tab_of(&fact))
        } else if let Some(agent) = dom::closest(&event, "article a[data-agent]").filter(|_| beside() && plain(&event))
        {
            TabAction::ShowAgent(agent.get_attribute(attr::AGENT))
        } else {
            return;
        };
        event.prevent_default();
        run_action(&base, action);
    });
}

/// The tab that a link or a tab names.
fn tab_of(place: &Element) -> String {
    place.get_attribute(attr::TAB).unwrap_or_default()
}

fn watch(base: String) {
    dom::after(LOOK, move || {
        if state().as_deref() == Some("working") && dom::visible() {
            run_action(&base, TabAction::RefreshHead);
        }
        watch(base);
    });
}

fn state() -> Option<String> {
    dom::by_id("session-state")?.get_attribute(attr::STATE)
}

/// Not one that asks for a new tab.
fn plain(event: &MouseEvent) -> bool {
    !(event.ctrl_key() || event.meta_key() || event.shift_key())
}

/// Opens a sub-agent's own page, for actions of its row that require it.
fn elsewhere(button: &Element, event: &MouseEvent) {
    let here =
        matches!(dom::action_of(button), Some(PageAction::Copy | PageAction::CopyLink | PageAction::OpenInEditor));
    let session = dom::nested_session(button);
    let row = button.closest("article[data-seq]").ok().flatten().and_then(|row| row.get_attribute(attr::SEQ));
    let seq = row.and_then(|seq| seq.parse::<i64>().ok());
    if let (false, Some(session), Some(seq)) = (here, session, seq) {
        event.prevent_default();
        dom::go_to(&message_href(&session, seq));
    }
}

fn beside() -> bool {
    dom::window().and_then(|w| w.match_media(BESIDE).ok().flatten()).is_none_or(|media| media.matches())
}

/// Opens or closes the panel, and keeps that in the address.
pub fn toggle() {
    let (Some(app), Some(panel)) = (dom::by_id("app"), dom::by_id("panel")) else { return };
    let open = if beside() {
        app.class_list().toggle("has-panel").unwrap_or(false)
    } else {
        panel.toggle_attribute(attr::OPEN).unwrap_or(false)
    };
    if open {
        let tab = dom::find(&panel, "[role=tab][aria-selected=true]");
        let name = tab.as_ref().and_then(|tab| tab.get_attribute(attr::TAB));
        dom::replace_parameter("panel", name.as_deref());
        if !beside()
            && let Some(tab) = tab.as_ref().and_then(dom::html)
        {
            let _ = tab.focus();
        }
    } else {
        dom::replace_parameter("panel", Some("closed"));
        let button = dom::by_id("main").and_then(|main| dom::find(&main, &PageAction::TogglePanel.selector()));
        if let Some(button) = button.as_ref().and_then(dom::html) {
            let _ = button.focus();
        }
    }
}

/// Opens the panel, if it isn't.
pub fn open() {
    let beside = beside();
    let open = match (beside, dom::by_id("app"), dom::by_id("panel")) {
        (true, Some(app), _) => app.class_list().contains("has-panel"),
        (false, _, Some(panel)) => panel.has_attribute(attr::OPEN),
        _ => return,
    };
    if !open {
        toggle();
    }
}

/// Closes the panel where it floats. Returns whether it was open.
pub fn close_floating() -> bool {
    let open = !beside() && dom::by_id("panel").is_some_and(|panel| panel.has_attribute(attr::OPEN));
    if open {
        toggle();
    }
    open
}

/// Shows a tab. A click takes the focus to it; a refresh leaves it where it is.
fn load(base: &str, tab: &str, why: Why) {
    let Some(panel) = dom::by_id("panel") else { return };
    // A tab that the reader chose has priority.
    if why == Why::Changed && COMING.get() > 0 {
        return MISSED.set(true);
    }
    COMING.set(COMING.get() + u32::from(why == Why::Asked));
    let again = dom::find(&panel, ".panel-body").filter(|_| why == Why::Changed);
    let again = again.and_then(|body| body.get_attribute(attr::AGAIN)).unwrap_or_default();
    let path = format!("{base}/panel?tab={tab}&dev={}{again}", u8::from(page_state().dev.get()));
    let (base, tab) = (base.to_owned(), tab.to_owned());
    let turn = ASKED.with(Latest::begin);
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::fetch(&path).await;
        COMING.set(COMING.get() - u32::from(why == Why::Asked));
        if COMING.get() == 0 && MISSED.take() {
            dom::next_frame(move || load(&base, &tab, Why::Changed));
        }
        let html = match (answer, why) {
            (Ok(html), _) => html,
            (Err(problem), Why::Asked) => return show_problem(&panel, &problem.to_string()),
            (Err(_), Why::Changed) => return,
        };
        if !ASKED.with(|asked| asked.is(turn)) || SHOWN.with_borrow(|shown| *shown == html) && why == Why::Changed {
            return;
        }
        let Some(fresh) = fragment::parse(&html) else { return };
        let scrolled = dom::find(&panel, ".panel-body").map_or(0, |body| body.scroll_top());
        swap(&panel, &fresh);
        times::refresh();
        SHOWN.set(html);
        match why {
            Why::Changed => {
                if let Some(body) = dom::find(&panel, ".panel-body") {
                    body.set_scroll_top(scrolled);
                }
            }
            Why::Asked => match WANTED.take() {
                Some(agent) => open_agent(&panel, &agent),
                None => focus(dom::find(&panel, "[role=tab][aria-selected=true]")),
            },
        }
    });
}

/// Unfolds a sub-agent in the list, and takes the focus to it.
fn open_agent(panel: &Element, agent: &str) {
    let named = |group: &Element| group.get_attribute(attr::AGENT).as_deref() == Some(agent);
    let Some(group) = dom::find_all(panel, "details[data-agent]").into_iter().find(named) else { return };
    let _ = group.set_attribute("open", "");
    group.scroll_into_view();
    focus(group.first_element_child());
}

fn focus(element: Option<Element>) {
    if let Some(element) = element.as_ref().and_then(dom::html) {
        let _ = element.focus();
    }
}

/// Why the tab that was chosen isn't shown, above the one that is.
fn show_problem(panel: &Element, words: &str) {
    if let Some(before) = dom::by_id("panel-problem") {
        before.remove();
    }
    let (Some(body), Some(place)) = (dom::find(panel, ".panel-body"), dom::make("p", "cap fg-warn panel-pad")) else {
        return;
    };
    place.set_id("panel-problem");
    place.set_text_content(Some(words));
    let _ = body.insert_before(&place, body.first_child().as_ref());
    dom::announce(words);
}

/// Fetches a group of files or edits when it is opened.
fn fill(group: Element) {
    if group.has_attribute(attr::LOADED) {
        return;
    }
    let (Some(path), Some(slot)) = (group.get_attribute(attr::LOAD), group.last_element_child()) else { return };
    let _ = group.set_attribute(attr::LOADED, "");
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::fetch(&path).await {
            Ok(html) => {
                let Some(fresh) = fragment::parse(&html) else { return };
                swap::keep_diffs(&slot, &fresh);
                swap(&slot, &fresh);
                diffs(&slot);
            }
            Err(problem) => {
                let _ = group.remove_attribute(attr::LOADED);
                slot.set_text_content(Some(&problem.to_string()));
            }
        }
    });
}

fn diffs(file: &Element) {
    for edit in dom::find_all(file, "[data-edit]:not([data-loaded])") {
        let Some(path) = edit.get_attribute(attr::EDIT) else { continue };
        let Some(slot) = dom::find(&edit, ".edit-slot") else { continue };
        let _ = edit.set_attribute(attr::LOADED, "");
        wasm_bindgen_futures::spawn_local(async move {
            match fragment::fetch(&path).await {
                Ok(html) => fragment::fill(&slot, &html),
                Err(problem) => {
                    let _ = edit.remove_attribute(attr::LOADED);
                    slot.set_text_content(Some(&problem.to_string()));
                }
            }
        });
    }
}

/// Header, todos and changed files follow the session, at most once a second.
fn follow(base: String) {
    let own = page_state().own;
    now_and_then(REFRESH, [own], move || run_action(&base, TabAction::Follow));
}

/// The tab as it is by now: of what the reader did themselves they wait for no second.
pub fn refresh() {
    if let Some(session) = transcript::session() {
        tab_again(&fragments_href(&session));
    }
}

fn tab_again(base: &str) {
    let tab = dom::by_id("panel").and_then(|panel| dom::find(&panel, "[role=tab][aria-selected=true]"));
    if let Some(name) = tab.and_then(|tab| tab.get_attribute(attr::TAB)) {
        load(base, &name, Why::Changed);
    }
}

/// A session that somebody deleted meanwhile can still be read here, and be restored; nothing can be said in it.
fn gone(is_gone: bool) {
    let Some(main) = dom::by_id("main").filter(|main| main.has_attribute(attr::GONE) != is_gone) else { return };
    let _ = main.toggle_attribute_with_force(attr::GONE, is_gone);
    if let Some(dock) = dom::find(&main, ".dock") {
        let _ = dock.toggle_attribute_with_force("inert", is_gone);
    }
    if let Some(session) = transcript::session().filter(|_| is_gone) {
        session_actions::say_deleted(session);
    }
}

/// Fetches title, state and cost again, in the page's header.
fn head(base: &str) {
    let Some(place) = dom::by_id("session-head") else { return };
    let path = format!("{base}/head");
    let turn = HEAD_ASKED.with(Latest::begin);
    wasm_bindgen_futures::spawn_local(async move {
        let answer = fragment::fetch(&path).await;
        gone(answer.as_ref().is_err_and(|problem| problem.status == NOT_THERE));
        let Ok(html) = answer else { return };
        if !HEAD_ASKED.with(|asked| asked.is(turn))
            || session_actions::renaming()
            || HEAD.with_borrow(|shown| *shown == html)
        {
            return;
        }
        if let Some(fresh) = fragment::parse(&html) {
            let before = state();
            swap(&place, &fresh);
            HEAD.set(html);
            if state() != before {
                transcript::state_changed();
            }
            times::refresh();
            events::mark();
        }
    });
}
