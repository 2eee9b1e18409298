//! Click and change events of the changes page.

use super::{cards, change_steps, copying, file_lists, highlights, images, lines, notes, restore, store};
use api::outline::{MarkKind, OutlineQuery};
use api::sessions::SessionPath;
use app::browser::page_state::{now_and_then, page_state};
use app::browser::{clipboard, dom, fragment, storage, toast};
use app::shared::attr;
use app::shared::session_href;
use std::cell::Cell;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlDialogElement, HtmlInputElement, HtmlTemplateElement, KeyboardEvent, MouseEvent};

/// Milliseconds between two looks at what the agent changed since.
const LOOK: i32 = 1_000;

thread_local! {
    static WIDTH: Cell<i32> = const { Cell::new(0) };
    static WAS_SPLIT: Cell<bool> = const { Cell::new(false) };
}

pub fn start() {
    let (Some(main), Some(files)) = (dom::by_id("main"), dom::by_id("files")) else { return };
    WAS_SPLIT.set(store::is_split());
    WIDTH.set(files.client_width());
    measure_view(&files);
    show_settings();
    since();
    follow();
    copying::start(&files);
    images::start(&files);
    notes::start();
    cards::start();
    change_steps::count();
    change_steps::follow();
    lines::open_address();
    restore::start();
    dom::listen(&main, "click", |event: MouseEvent| click(&event));
    dom::listen(&main, "change", |event: Event| change(&event));
    dom::listen(&main, "keydown", |event: KeyboardEvent| {
        if event.key() == "Escape" && (close_menu() || close_files()) {
            event.prevent_default();
            event.stop_propagation();
        }
    });
    // Keys press it too. One that was opened before this started waits for its entries.
    dom::listen_capturing(&main, "click", |event: MouseEvent| {
        if let Some(menu) = dom::closest(&event, "details.drop > summary").and_then(|it| it.parent_element()) {
            fill_menu(&menu);
        }
    });
    dom::find_all(&main, "details.drop[open]").iter().for_each(fill_menu);
    if let Some(document) = dom::document() {
        dom::listen(&document, "click", |event: MouseEvent| close_menus(&event));
    }
    dom::listen(&main, "input", |event: Event| {
        if dom::closest(&event, "#find").is_some() {
            cards::filter();
        }
    });
    dom::listen_capturing(&files, "scroll", |_: Event| file_lists::draw_soon());
    if let Some(side) = dom::by_id("review-side") {
        dom::listen_capturing(&side, "scroll", |_: Event| file_lists::draw_soon());
    }
    if let Some(window) = dom::window() {
        dom::listen(&window, "hashchange", |_: Event| lines::open_address());
        dom::listen(&window, "resize", |_: Event| {
            let split = store::is_split();
            if WAS_SPLIT.replace(split) == split {
                resized();
                file_lists::draw_soon();
            } else {
                show_settings();
                cards::reload();
            }
        });
    }
}

/// The overview of a file is as high as what is seen of it.
fn measure_view(files: &Element) {
    if let Some(root) = store::root() {
        let _ = root.set_attribute("style", &format!("--view:{}px", files.client_height()));
    }
}

/// Long lines of large differences wrap at another place when the page was wider or narrower for a moment.
fn resized() {
    let Some(files) = dom::by_id("files") else { return };
    measure_view(&files);
    let now = files.client_width();
    let is_new = WIDTH.replace(now) != now;
    if is_new && !store::is_on("nowrap") {
        dom::after(300, move || {
            if WIDTH.get() == now {
                cards::reload_large();
            }
        });
    }
}

fn click(event: &MouseEvent) {
    // A file was chosen from the sheet, or what lies beside it was clicked.
    if dom::closest(event, "#review-side .file-row a").is_some() || dom::closest(event, "#files").is_some() {
        close_files();
    }
    if let Some(link) = dom::closest(event, ".file-row a") {
        to_file(&link, event);
    } else if let Some(folder) = dom::closest(event, "button.folder") {
        cards::fold_folder(&folder);
    } else if let Some(button) = dom::closest(event, "[data-expand]") {
        lines::expand(&button);
    } else if let Some(button) = dom::closest(event, "[data-open]") {
        lines::open_gap(&button);
    } else if let Some(button) = dom::closest(event, "[data-copy]") {
        copy(button);
    } else if let Some(button) = dom::closest(event, "button[data-review]") {
        press(&button);
    } else if let Some(button) = dom::closest(event, ".diff-table button[data-lines]") {
        lines::of_table(&button);
    } else if let Some(button) = dom::closest(event, "[data-note]") {
        notes::press(&button);
    } else if let Some(numbers) = dom::closest(event, ".bn") {
        lines::click_number(&numbers, event);
    } else if let Some(text) = dom::closest(event, ".bt") {
        lines::click_text(&text, event);
    } else if let Some(ruler) = dom::closest(event, ".ruler") {
        change_steps::to_share(&ruler, event);
    } else if let Some(line) = dom::closest(event, ".diff:not(.blocks) .l") {
        lines::click(&line, event);
    }
}

/// A file that isn't in the document is no place that the browser finds.
fn to_file(link: &Element, event: &MouseEvent) {
    let is_elsewhere = event.ctrl_key() || event.meta_key() || event.shift_key();
    if let Some(card) = cards::by_row(link).filter(|_| !is_elsewhere) {
        event.prevent_default();
        lines::set_address(&format!("#{}", card.id()));
        lines::open_address();
    }
}

/// A menu closes with what was chosen in it, and with a click elsewhere.
fn close_menus(event: &MouseEvent) {
    let within = dom::closest(event, "details.drop");
    let stays = dom::closest(event, ".drop > summary, .drop label").is_some();
    let Some(main) = dom::by_id("main") else { return };
    for menu in dom::find_all(&main, "details.drop[open]") {
        if !(stays && within.as_ref() == Some(&menu)) {
            let _ = menu.remove_attribute("open");
        }
    }
}

/// Closes the menu that is open. Returns true if there was one; the keys go on at its button.
fn close_menu() -> bool {
    let menu = dom::by_id("main").and_then(|main| dom::find(&main, "details.drop[open]"));
    let Some(menu) = menu else { return false };
    let _ = menu.remove_attribute("open");
    if let Some(button) = dom::find(&menu, "summary").as_ref().and_then(dom::html) {
        let _ = button.focus();
    }
    true
}

/// The files as a sheet, where they have no room beside the differences.
fn toggle_files() {
    let (Some(side), Some(button)) = (dom::by_id("review-side"), dom::by_id("review-files")) else { return };
    let open = side.toggle_attribute(attr::OPEN).unwrap_or(false);
    let _ = button.set_attribute("aria-expanded", if open { "true" } else { "false" });
    file_lists::draw_rows();
    let target = if open { dom::by_id("find") } else { Some(button) };
    if let Some(target) = target.as_ref().and_then(dom::html) {
        let _ = target.focus();
    }
}

/// Closes the sheet of files. Returns true if it was open.
pub fn close_files() -> bool {
    let is_open = dom::by_id("review-side").is_some_and(|side| side.has_attribute(attr::OPEN));
    if is_open {
        toggle_files();
    }
    is_open
}

fn press(button: &Element) {
    let card = cards::of(button);
    match (button.get_attribute(attr::REVIEW).as_deref(), card) {
        (Some("fold"), Some(card)) => cards::fold(&card, !cards::is_folded(&card)),
        (Some("show"), Some(card)) => {
            let _ = card.set_attribute(attr::SHOWN, "");
            cards::load(card);
        }
        (Some("context"), Some(card)) => {
            let _ = card.toggle_attribute(attr::ALL);
            let _ = card.set_attribute(attr::SHOWN, "");
            cards::load(card);
        }
        (Some("table"), Some(card)) => table(&card),
        (Some("editor"), Some(card)) => lines::open_in_editor(&card),
        (Some("link"), Some(card)) => {
            let hash = format!("#{}", card.id());
            lines::set_address(&hash);
            lines::copy_address(button.clone());
        }
        (Some(name @ ("unified" | "split")), _) => view(name),
        (Some("n"), _) => change_steps::step(true),
        (Some("p"), _) => change_steps::step(false),
        (Some("reload"), _) => reload(),
        (Some("files"), _) => toggle_files(),
        _ => {}
    }
}

fn change(event: &Event) {
    if let Some(look) = dom::closest(event, "input[data-look]").and_then(|l| l.dyn_into::<HtmlInputElement>().ok()) {
        return dom::set_look(&look.name(), &look.value());
    }
    let Some(tick) = dom::closest(event, "input[data-review]").and_then(|t| t.dyn_into::<HtmlInputElement>().ok())
    else {
        return;
    };
    match tick.get_attribute(attr::REVIEW).as_deref() {
        Some("viewed") => {
            if let Some(card) = cards::of(&tick).or_else(|| cards::by_row(&tick)) {
                cards::view(&card, tick.checked());
            }
        }
        Some(name @ ("wrap" | "spaces")) => turn(name),
        _ => {}
    }
}

/// One side or two, from now on.
pub fn view(name: &str) {
    storage::set("diff.view", Some(name));
    WAS_SPLIT.set(store::is_split());
    show_settings();
    cards::reload();
}

pub fn turn(name: &str) {
    // Wrapping is on unless it was turned off.
    let name = if name == "wrap" { "nowrap" } else { name };
    let on = store::turn(name);
    show_settings();
    match name {
        "spaces" => {
            cards::reload();
            dom::announce(if on { "White space is ignored" } else { "White space counts" });
        }
        "nowrap" => {
            cards::reload_large();
            dom::announce(if on { "Long lines scroll" } else { "Long lines wrap" });
        }
        _ => {}
    }
}

fn show_settings() {
    let Some(root) = store::root() else { return };
    let split = store::is_split();
    let scrolls = store::is_on("nowrap");
    let _ = root.toggle_attribute_with_force(attr::NOWRAP, scrolls);
    for diff in dom::find_all(&root, ".diff") {
        reach(&diff, scrolls);
    }
    let Some(main) = dom::by_id("main") else { return };
    for (name, on) in [("unified", !split), ("split", split)] {
        if let Some(button) = dom::find(&main, &format!("button[data-review={name}]")) {
            let _ = button.set_attribute("aria-pressed", if on { "true" } else { "false" });
        }
    }
    for (name, on) in [("wrap", !store::is_on("nowrap")), ("spaces", store::is_on("spaces"))] {
        let tick = dom::find(&main, &format!("input[data-review={name}]"));
        if let Some(tick) = tick.and_then(|tick| tick.dyn_into::<HtmlInputElement>().ok()) {
            tick.set_checked(on);
        }
    }
}

/// Makes elements that scroll sideways focusable.
pub fn reach(diff: &Element, scrolls: bool) {
    let _ = if scrolls { diff.set_attribute("tabindex", "0") } else { diff.remove_attribute("tabindex") };
}

/// Counts the agent's new changes. They are only shown when the reader requests it.
fn follow() {
    let Some(root) = store::root() else { return };
    let Some(seq) = root.get_attribute(attr::SEQ).and_then(|seq| seq.parse::<i64>().ok()) else { return };
    now_and_then(LOOK, [page_state().own], move || wasm_bindgen_futures::spawn_local(count_new(seq)));
}

async fn count_new(seq: i64) {
    let path = SessionPath { session: store::session() };
    let answer =
        fragment::client().get_outline(path, OutlineQuery { after: Some(seq), ..OutlineQuery::default() }).await;
    let (Ok(outline), Some(button)) = (answer, dom::by_id("review-news")) else { return };
    let edits = outline.marks.iter().filter(|mark| mark.kind == MarkKind::Edit).count() as i64;
    if edits > 0 {
        button.set_text_content(Some(&format!("{} since: show", app::figures::counted(edits, "edit"))));
        let _ = button.remove_attribute("hidden");
    }
}

/// The page anew, at the file that is before the eyes. A comment that was begun is there again.
fn reload() {
    if let Some(card) = change_steps::current_file() {
        lines::set_address(&format!("#{}", card.id()));
    }
    dom::reload();
}

/// `Since I looked` begins where the reader left this page last.
fn since() {
    let Some(root) = store::root() else { return };
    let Some(seq) = root.get_attribute(attr::SEQ) else { return };
    let key = format!("looked:{}", store::session());
    if let (Some(before), Some(link)) = (storage::get(&key).filter(|before| *before != seq), dom::by_id("since-link")) {
        let path = dom::window().and_then(|w| w.location().pathname().ok()).unwrap_or_default();
        let _ = link.set_attribute("href", &format!("{path}?after={before}"));
        let _ = link.remove_attribute("hidden");
    }
    if let Some(window) = dom::window() {
        dom::listen(&window, "pagehide", move |_: Event| storage::set(&key, Some(&seq)));
    }
}

/// Fills the menu of a file: its entries come from the list that all files share.
fn fill_menu(menu: &Element) {
    let Some(list) = dom::find(menu, ".drop-list").filter(|list| list.child_element_count() == 0) else { return };
    let Some(template) = dom::by_id("file-menu").and_then(|it| it.dyn_into::<HtmlTemplateElement>().ok()) else {
        return;
    };
    let Some(card) = cards::of(menu) else { return };
    if let Ok(entries) = template.content().clone_node_with_deep(true) {
        let _ = list.append_child(&entries);
    }
    if let (Some(link), Some(seq)) = (dom::find(&list, "a"), card.get_attribute(attr::SEQ)) {
        let _ = link.set_attribute("href", &dom::at(&format!("{}?at={seq}", session_href(&store::session()))));
    }
}

fn copy(button: Element) {
    let Some(what) = button.get_attribute(attr::COPY) else { return };
    // The file, or the URL of the text to copy.
    let of_file = cards::of(&button).and_then(|card| card.get_attribute(attr::LOAD));
    let path = of_file.map_or(what.clone(), |path| format!("{path}&as={what}"));
    wasm_bindgen_futures::spawn_local(async move {
        match fragment::fetch(&path).await {
            Ok(text) => clipboard::copy(button, text),
            Err(problem) => toast::fail(&problem),
        }
    });
}

/// The difference in words, in a window of its own.
pub fn table(card: &Element) {
    let Some(mut path) = cards::address(card) else { return };
    path.push_str("&table=1");
    let id = card.id();
    wasm_bindgen_futures::spawn_local(async move {
        let html = match fragment::fetch(&path).await {
            Ok(html) => html,
            Err(problem) => return toast::fail(&problem),
        };
        let Some(dialog) = dialog() else { return };
        if let Some(place) = dom::find(&dialog, ".sheet-body") {
            highlights::release(&place);
            fragment::fill(&place, &html);
            let _ = place.set_attribute(attr::OF, &id);
        }
        let _ = dialog.show_modal();
    });
}

fn dialog() -> Option<HtmlDialogElement> {
    dom::by_id("diff-table")?.dyn_into().ok()
}
