//! Where comments stand: under their lines. What they are and do is in `app::islands::comments`, which is loaded when
//! there is a comment or one is begun.

use super::drawn_lines::{self, DrawnLines};
use super::lines::{self, Lines};
use super::{below_line, blocks, cards, file_lists, store};
use api::Problem;
use app::browser::{dom, fragment, storage, toast};
use app::icon::{self, Glyph, IconStyle};
use app::islands::comments::{At, Comments, Page};
use app::shared::attr;
use app::shared::comments::{Comment, drafts_key, unfinished_key};
use app::shared::hash::text_hash;
use app::shared::latest::{Latest, Turn};
use leptos::prelude::lazy;
use std::collections::BTreeMap;
use web_sys::{Element, Event, Node};

thread_local! {
    /// The field that was opened or closed last.
    static FIELDS: Latest = const { Latest::new() };
}

/// A request to the code of the comments, which is loaded lazily.
enum Ask {
    /// It comes to life.
    Start,
    /// The comments of a file belong where its lines are.
    Place(Element),
    /// A place of a large difference was filled.
    Fill(Element),
    /// A field stands in the page, as the last one.
    Open(Element, At, Turn),
    /// The field was closed.
    Close,
}

#[lazy]
async fn comments(ask: Ask) {
    let Some(root) = store::root() else { return };
    let _ = root.set_attribute(attr::NOTED, "");
    let comments = Comments::of_page(&root, Page { place: place_anew, closed, settle, count });
    match ask {
        Ask::Start => comments.refresh(),
        Ask::Place(card) => place_now(comments, &card),
        Ask::Fill(place) => fill(comments, &place),
        Ask::Open(field, at, turn) => {
            let path = at.path.clone();
            comments.open(&field, at);
            // Nobody closed it: the file was drawn anew while this part was loaded.
            if !field.is_connected() && FIELDS.with(|fields| fields.is(turn)) {
                place_anew(Some(&path));
            }
        }
        Ask::Close => comments.close(),
    }
}

fn ask(ask: Ask) {
    wasm_bindgen_futures::spawn_local(comments(ask));
}

/// Returns whether there is a comment, or one was begun.
fn is_wanted() -> bool {
    let Some(root) = store::root() else { return false };
    let session = store::session();
    let begun = || storage::of_tab()?.get_item(&unfinished_key(&session)).ok()?;
    root.has_attribute(attr::NOTED)
        || root.has_attribute(attr::SENT)
        || storage::get(&drafts_key(&session)).is_some()
        || begun().is_some()
}

pub fn start() {
    let refresh = || {
        if is_wanted() {
            ask(Ask::Start);
        }
    };
    refresh();
    if let Some(window) = dom::window() {
        // Written in another tab.
        dom::listen(&window, "storage", move |_: Event| refresh());
    }
}

/// How many comments a file has, in its row; nothing where it has none.
fn count(open: &BTreeMap<&str, usize>) {
    for card in cards::all() {
        let (Some(path), Some(row)) = (card.get_attribute(attr::PATH), file_lists::row(&card.id())) else { continue };
        show_count(&row, open.get(path.as_str()).copied().unwrap_or(0));
    }
}

fn show_count(row: &Element, open: usize) -> Option<()> {
    let before = dom::find(row, ".notes");
    if open == 0 {
        return before.map(|badge| badge.remove());
    }
    let badge = if let Some(badge) = before {
        badge
    } else {
        let badge = dom::make("span", "cap notes")?;
        let html = format!("{}<span class=\"num\"></span>", icon::markup(Glyph::COMMENT, IconStyle::SMALL));
        fragment::fill(&badge, &html);
        dom::find(row, "a")?.insert_adjacent_element("afterend", &badge).ok()??
    };
    dom::find(&badge, ".num")?.set_text_content(Some(&open.to_string()));
    Some(())
}

fn place_anew(path: Option<&str>) {
    for card in cards::all() {
        if path.is_none() || card.get_attribute(attr::PATH).as_deref() == path {
            place_soon(&card);
        }
    }
}

/// Shows the comments of a file that was fetched.
pub async fn place(card: &Element) {
    if is_wanted() {
        comments(Ask::Place(card.clone())).await;
    }
}

pub fn place_soon(card: &Element) {
    if is_wanted() {
        ask(Ask::Place(card.clone()));
    }
}

fn place_now(comments: Comments, card: &Element) {
    let turn = blocks::number(card, attr::PLACED).unwrap_or(0).wrapping_add(1);
    let _ = card.set_attribute(attr::PLACED, &turn.to_string());
    let path = card.get_attribute(attr::PATH).unwrap_or_default();
    comments.clear(&path);
    if cards::body(card).is_none_or(|body| body.child_element_count() == 0) || !card.has_attribute(attr::LOADED) {
        return;
    }
    if let Some(blocks) = blocks::all(card).into_iter().next() {
        let card = card.clone();
        wasm_bindgen_futures::spawn_local(async move {
            if let Err(problem) = place_in_blocks(comments, &card, &blocks, turn).await {
                toast::fail(&problem);
            }
        });
        return;
    }
    let mut sides: BTreeMap<(char, Option<String>), DrawnLines> = BTreeMap::new();
    // One that is being changed stays.
    for comment in comments.of(&path).into_iter().filter(|comment| !comments.stands(comment.id)) {
        let side = (comment.side, comment.edit.clone());
        let shown = sides.entry(side).or_insert_with(|| DrawnLines::of(card, comment.side, comment.edit.as_deref()));
        let found = lines_of(shown, &comment);
        comments.put(&comment, found.is_empty(), || spot(card, found.last()));
    }
    below_line::settle(card);
    reopen(comments, card);
}

/// Below its last line; where that isn't shown, on top of the file. Returns the parent, and the node behind.
fn spot(card: &Element, last: Option<&Element>) -> Option<(Element, Option<Node>)> {
    let Some(anchor) = last.map(below_line::anchor) else {
        let body = cards::body(card)?;
        let first = body.first_child();
        return Some((body, first));
    };
    Some((anchor.parent_element()?, anchor.next_sibling()))
}

/// In a large difference a comment stands between two blocks: the server is asked where its lines are, and ends a block
/// there.
async fn place_in_blocks(comments: Comments, card: &Element, first: &Element, turn: u32) -> Result<(), Problem> {
    let mut found: Vec<(Element, u32, u32)> = Vec::new();
    let mut outdated = Vec::new();
    for comment in comments.of(&card.get_attribute(attr::PATH).unwrap_or_default()) {
        let words = comment.lines().words();
        let question = match comment.quote.as_str() {
            "" => format!("find={words}"),
            quote => format!("find={words}~{}", text_hash(quote)),
        };
        let answer = blocks::ask(card, first, &question).await;
        // The comments, or the look at the file, are others by now.
        if blocks::number(card, attr::PLACED) != Some(turn) {
            return Ok(());
        }
        match answer? {
            Some((spot, _)) => found.push((spot.blocks, spot.end.saturating_sub(1), comment.id)),
            None => outdated.push(comment),
        }
    }
    for comment in outdated.iter().filter(|comment| !comments.stands(comment.id)) {
        comments.put(comment, true, || spot(card, None));
    }
    for blocks in blocks::all(card) {
        let here = || found.iter().filter(|(of, ..)| *of == blocks);
        let words: String = here().map(|(_, row, id)| format!("{row}:{id} ")).collect();
        let _ = blocks.set_attribute(attr::NOTES, &words);
        let mut rows: Vec<u32> = here().map(|(_, row, _)| *row).collect();
        rows.retain(|row| blocks::block(&blocks, *row).is_some());
        rows.sort_unstable();
        blocks::renew(&blocks, &rows).await;
    }
    // A field that was open where the rows came anew is open again.
    reopen(comments, card);
    Ok(())
}

fn rows_of(blocks: &Element) -> Vec<(u32, u32)> {
    let said = blocks.get_attribute(attr::NOTES).unwrap_or_default();
    let place = |words: &str| {
        let (row, id) = words.split_once(':')?;
        Some((row.parse().ok()?, id.parse().ok()?))
    };
    said.split(' ').filter_map(place).collect()
}

/// `&cut=523,801`: rows behind which a block has to end.
pub fn rows_within(blocks: &Element, from: u32, to: u32) -> String {
    let rows = rows_of(blocks).into_iter().map(|(row, _)| row).chain(blocks::number(blocks, attr::WRITING));
    let within: Vec<String> = rows.filter(|row| (from..to).contains(row)).map(|row| row.to_string()).collect();
    if within.is_empty() { String::new() } else { format!("&cut={}", within.join(",")) }
}

/// Puts the comments of a place that was just filled between its blocks.
pub fn place_within(place: &Element) {
    let has_some = |blocks: Element| blocks.get_attribute(attr::NOTES).is_some_and(|notes| !notes.is_empty());
    if place.closest(".blocks").ok().flatten().is_some_and(has_some) {
        ask(Ask::Fill(place.clone()));
    }
}

fn fill(comments: Comments, place: &Element) {
    let (Some(card), Some(blocks)) = (cards::of(place), place.closest(".blocks").ok().flatten()) else { return };
    let all = comments.of(&card.get_attribute(attr::PATH).unwrap_or_default());
    for (row, id) in rows_of(&blocks) {
        let block = blocks::block(&blocks, row).filter(|block| place.contains(Some(block)));
        if let Some((block, comment)) = block.zip(all.iter().find(|comment| comment.id == id)) {
            comments.put(comment, false, || spot(&card, Some(&block)));
        }
    }
}

/// Where the comment's lines are now; empty if they are not as they were, or not shown. Of an agent's comment it may
/// not be known what they said: then they are where it says.
fn lines_of(shown: &DrawnLines, comment: &Comment) -> Vec<Element> {
    if comment.quote.is_empty() && comment.remark.as_ref().is_some_and(|remark| !remark.review.outdated) {
        return if shown.has(comment.from, comment.to) { shown.elements(comment.from, comment.to) } else { Vec::new() };
    }
    let place = shown.find(comment.from, comment.to, |text| text == comment.quote);
    place.map(|(from, to)| shown.elements(from, to)).unwrap_or_default()
}

/// The file was drawn anew: the field that was open for its lines is open again.
fn reopen(comments: Comments, card: &Element) {
    if let Some(lines) = comments.open_in(&card.id()).filter(|_| dom::find(card, ".writing-note").is_none()) {
        write(card, &lines);
    }
}

/// Opens the field for these lines.
pub fn write(card: &Element, lines: &Lines) {
    closed(false);
    if let Some(blocks) = blocks::all(card).into_iter().next() {
        // The server says first where it belongs.
        ask(Ask::Close);
        let (card, lines, field) = (card.clone(), lines.clone(), FIELDS.with(Latest::current));
        wasm_bindgen_futures::spawn_local(async move {
            if let Err(problem) = write_in_blocks(&card, &blocks, &lines, field).await {
                toast::fail(&problem);
            }
        });
        return;
    }
    let found = drawn_lines::find(card, lines);
    let quote = found.iter().map(lines::text).collect::<Vec<_>>().join("\n");
    open(card, lines, quote, found.last());
}

async fn write_in_blocks(card: &Element, first: &Element, lines: &Lines, field: Turn) -> Result<(), Problem> {
    let found = blocks::ask(card, first, &format!("find={}", lines.words())).await?;
    let Some((spot, said)) = found.filter(|_| FIELDS.with(|fields| fields.is(field))) else { return Ok(()) };
    let row = spot.end.saturating_sub(1);
    let _ = spot.blocks.set_attribute(attr::WRITING, &row.to_string());
    blocks::renew(&spot.blocks, &[row]).await;
    if FIELDS.with(|fields| fields.is(field)) {
        let block = blocks::block(&spot.blocks, row);
        open(card, lines, said.get(1).cloned().unwrap_or_default(), block.as_ref());
    }
    Ok(())
}

/// The field stands there at once, for the next letter; then it comes to life.
fn open(card: &Element, lines: &Lines, quote: String, behind: Option<&Element>) {
    let (Some(field), Some(path)) = (dom::drawn("writing-drawn"), card.get_attribute(attr::PATH)) else { return };
    let Some((parent, before)) = spot(card, behind) else { return };
    let _ = parent.insert_before(&field, before.as_ref());
    below_line::settle(card);
    if let Some(area) = dom::find(&field, "textarea").as_ref().and_then(dom::html) {
        let _ = area.focus();
    }
    ask(Ask::Open(field, At { path, lines: lines.clone(), quote }, FIELDS.with(Latest::current)));
}

/// Takes the field for lines out of the page.
fn closed(is_done: bool) {
    FIELDS.with(Latest::begin);
    if let Some(files) = dom::by_id("files") {
        dom::find_all(&files, ".writing-note").iter().for_each(Element::remove);
        for blocks in dom::find_all(&files, &format!("[{}]", attr::WRITING)) {
            let _ = blocks.remove_attribute(attr::WRITING);
        }
    }
    settle();
    if is_done {
        lines::clear();
    }
}

fn settle() {
    if let Some(files) = dom::by_id("files") {
        below_line::settle(&files);
    }
}

/// A button of a field that is about its lines.
pub fn press(button: &Element) {
    match (button.get_attribute(attr::NOTE).as_deref(), cards::of(button)) {
        (Some("link"), _) => lines::copy_address(button.clone()),
        (Some("editor"), Some(card)) => lines::open_in_editor(&card),
        _ => {}
    }
}
