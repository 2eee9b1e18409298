//! Comments where they belong: under their lines. All text enters as text.

use super::comments::{self, Comment, State};
use super::drawn_lines::{self, DrawnLines};
use super::lines::{self, Lines};
use super::{below_line, blocks, cards, sent, unfinished};
use api::Problem;
use app::browser::{dom, focus, toast};
use app::shared::attr;
use app::shared::hash::text_hash;
use app::shared::latest::{Latest, Turn};
use std::cell::Cell;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlTextAreaElement, KeyboardEvent};

/// So many times it is looked for a comment that is to be drawn.
const PATIENCE: u32 = 10;

thread_local! {
    /// Grows whenever the comments of a file are placed: only the answers to the last time count.
    static PLACES: Cell<u32> = const { Cell::new(0) };
    /// The field that was opened or closed last.
    static FIELDS: Latest = const { Latest::new() };
}

/// Fields report to the files, where all of them are.
pub fn start(files: &Element) {
    dom::listen(files, "keydown", |event: KeyboardEvent| keys(&event));
    dom::listen(files, "input", |event: Event| {
        if let Some(note) = dom::closest(&event, ".writing-note") {
            unfinished::keep(&note);
        }
    });
}

/// Below its last line; where that isn't shown, on top of the file.
fn put(card: &Element, last: Option<&Element>, note: &Element) {
    match last {
        Some(last) => {
            let _ = below_line::anchor(last).insert_adjacent_element("afterend", note);
            below_line::settle(card);
        }
        None => {
            if let Some(body) = cards::body(card) {
                let _ = body.insert_adjacent_element("afterbegin", note);
            }
        }
    }
}

/// Shows the comments of a file that was fetched.
pub fn place(card: &Element) {
    PLACES.set(PLACES.get().wrapping_add(1));
    let turn = PLACES.get().to_string();
    let _ = card.set_attribute(attr::PLACED, &turn);
    for old in dom::find_all(card, ".note[data-id]") {
        old.remove();
    }
    if cards::body(card).is_none_or(|body| body.child_element_count() == 0) || !card.has_attribute(attr::LOADED) {
        return;
    }
    if let Some(blocks) = blocks::all(card).into_iter().next() {
        let card = card.clone();
        wasm_bindgen_futures::spawn_local(async move {
            if let Err(problem) = place_in_blocks(&card, &blocks, &turn).await {
                toast::fail(&problem);
            }
        });
        return;
    }
    let comments = comments::of(card);
    below_line::settle(card);
    if comments.is_empty() {
        return;
    }
    let mut sides: BTreeMap<(char, Option<String>), DrawnLines> = BTreeMap::new();
    for comment in comments {
        let side = (comment.side, comment.edit.clone());
        let shown = sides.entry(side).or_insert_with(|| DrawnLines::of(card, comment.side, comment.edit.as_deref()));
        let found = lines_of(shown, &comment);
        if let Some(note) = note(&comment, found.is_empty()) {
            put(card, found.last(), &note);
        }
    }
}

/// In a large difference a comment stands between two blocks: the server is asked where its lines are, and ends a block
/// there.
async fn place_in_blocks(card: &Element, first: &Element, turn: &str) -> Result<(), Problem> {
    let mut found: Vec<(Element, u32, u32)> = Vec::new();
    let mut outdated = Vec::new();
    for comment in comments::of(card) {
        let words = comment.lines().words();
        let question = match comment.quote.as_str() {
            "" => format!("find={words}"),
            quote => format!("find={words}~{}", text_hash(quote)),
        };
        let answer = blocks::ask(card, first, &question).await;
        // The comments, or the look at the file, are others by now.
        if card.get_attribute(attr::PLACED).as_deref() != Some(turn) {
            return Ok(());
        }
        match answer? {
            Some((spot, _)) => found.push((spot.blocks, spot.end.saturating_sub(1), comment.id)),
            None => outdated.push(comment),
        }
    }
    for note in outdated.iter().filter_map(|comment| note(comment, true)) {
        put(card, None, &note);
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
    unfinished::reopen(card);
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
    let (Some(card), Some(blocks)) = (cards::of(place), place.closest(".blocks").ok().flatten()) else { return };
    let comments = comments::of(&card);
    for (row, id) in rows_of(&blocks) {
        let block = blocks::block(&blocks, row).filter(|block| place.contains(Some(block)));
        let note = comments.iter().find(|comment| comment.id == id).and_then(|comment| note(comment, false));
        if let (Some(block), Some(note)) = (block, note) {
            put(&card, Some(&block), &note);
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

/// `lost` says that its lines aren't shown: of a person's comment, that they have changed.
fn note(comment: &Comment, lost: bool) -> Option<Element> {
    let remark = comment.remark.as_ref();
    let outdated = comment.is_outdated(lost);
    let note = dom::drawn("note-drawn")?;
    let _ = note.set_attribute(attr::ID, &comment.id.to_string());
    let _ = note.toggle_attribute_with_force("hidden", is_changed(comment.id));
    let _ = note.set_attribute(attr::STATE, comment.colour(outdated));
    dom::say(&note, ".state", &comment.word(outdated));
    dom::say(&note, ".num", &comment.lines().label());
    if remark.is_some_and(|remark| remark.review.shown_sha256.is_some()) {
        let _ = note.set_attribute(attr::WAITS, "");
    }
    let verbs = comment.verbs(outdated);
    for button in dom::find_all(&note, "button") {
        if button.get_attribute(attr::NOTE).is_none_or(|verb| !verbs.contains(&verb.as_str())) {
            button.remove();
        }
    }
    let (quote, text) = (dom::find(&note, ".note-quote")?, dom::find(&note, ".lines")?);
    if lost && !comment.quote.is_empty() {
        quote.set_text_content(Some(&comment.quote));
    } else {
        quote.remove();
    }
    if let Some(drawn) = remark.and_then(|_| sent::drawn(comment.id)) {
        text.replace_with_with_node_1(&drawn).ok()?;
    } else {
        text.set_text_content(Some(&comment.text));
        let _ = text.class_list().toggle_with_force("mut", comment.state == State::Resolved);
    }
    Some(note)
}

/// Returns true if its field is open.
fn is_changed(id: u32) -> bool {
    let field = format!(".writing-note[data-of=\"{id}\"]");
    dom::by_id("files").is_some_and(|files| dom::find(&files, &field).is_some())
}

/// Opens the field for these lines.
pub fn write(card: &Element, lines: &Lines) {
    close();
    if let Some(blocks) = blocks::all(card).into_iter().next() {
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
    open(card, lines, &quote, "", None, found.last());
}

async fn write_in_blocks(card: &Element, first: &Element, lines: &Lines, field: Turn) -> Result<(), Problem> {
    let found = blocks::ask(card, first, &format!("find={}", lines.words())).await?;
    let Some((spot, said)) = found.filter(|_| FIELDS.with(|fields| fields.is(field))) else { return Ok(()) };
    let row = spot.end.saturating_sub(1);
    let _ = spot.blocks.set_attribute(attr::WRITING, &row.to_string());
    blocks::renew(&spot.blocks, &[row]).await;
    if FIELDS.with(|fields| fields.is(field)) {
        let block = blocks::block(&spot.blocks, row);
        let quote = said.get(1).cloned().unwrap_or_default();
        open(card, lines, &quote, "", None, block.as_ref());
    }
    Ok(())
}

fn open(
    card: &Element,
    lines: &Lines,
    quote: &str,
    text: &str,
    id: Option<u32>,
    behind: Option<&Element>,
) -> Option<()> {
    let note = dom::drawn("writing-drawn")?;
    let field = dom::find(&note, "textarea")?.dyn_into::<HtmlTextAreaElement>().ok()?;
    let label = format!("Comment on {}", lines.label());
    let _ = field.set_attribute("aria-label", &label);
    field.set_placeholder(&format!("{label}. It is kept until you send it."));
    let begun = unfinished::text(card, lines, id);
    field.set_value(begun.as_deref().unwrap_or(text));
    for (name, value) in [(attr::LINES, lines.words()), (attr::QUOTE, quote.to_owned())] {
        let _ = note.set_attribute(name, &value);
    }
    if let Some(id) = id {
        let _ = note.set_attribute(attr::OF, &id.to_string());
    }
    put(card, behind, &note);
    unfinished::keep(&note);
    let _ = field.focus();
    Some(())
}

fn keys(event: &KeyboardEvent) {
    let event_of: &Event = event;
    let Some(note) = dom::closest(event_of, ".writing-note") else { return };
    match event.key().as_str() {
        "Enter" if event.ctrl_key() || event.meta_key() => add(&note),
        "Escape" => {
            close();
            if let Some(files) = dom::by_id("files").as_ref().and_then(dom::html) {
                let _ = files.focus();
            }
        }
        _ => return,
    }
    event.prevent_default();
    event.stop_propagation();
}

/// Takes the open field away. What was written and not added is there when it is opened again.
fn close() {
    FIELDS.with(Latest::begin);
    unfinished::close();
    if let Some(files) = dom::by_id("files") {
        dom::find_all(&files, ".writing-note").iter().for_each(Element::remove);
        for note in dom::find_all(&files, ".note[hidden]") {
            let _ = note.remove_attribute("hidden");
        }
        below_line::settle(&files);
        for blocks in dom::find_all(&files, &format!("[{}]", attr::WRITING)) {
            let _ = blocks.remove_attribute(attr::WRITING);
        }
    }
}

fn add(note: &Element) {
    let (Some(card), Some(field)) = (cards::of(note), dom::find(note, "textarea")) else { return };
    let text = field.dyn_into::<HtmlTextAreaElement>().map(|field| field.value()).unwrap_or_default();
    let lines = note.get_attribute(attr::LINES).as_deref().and_then(Lines::parse);
    let (Some(lines), Some(path)) = (lines, card.get_attribute(attr::PATH)) else { return };
    if text.trim().is_empty() {
        return;
    }
    let mut all = comments::drafts();
    let id = note.get_attribute(attr::OF).and_then(|id| id.parse().ok());
    let number = id.unwrap_or_else(comments::number);
    match all.iter_mut().find(|comment| Some(comment.id) == id) {
        Some(comment) => text.trim().clone_into(&mut comment.text),
        None => all.push(Comment {
            id: number,
            path,
            side: lines.side,
            from: lines.from,
            to: lines.to,
            edit: lines.edit,
            quote: note.get_attribute(attr::QUOTE).unwrap_or_default(),
            text: text.trim().to_owned(),
            state: State::Draft,
            remark: None,
        }),
    }
    comments::keep(&all);
    unfinished::forget(note);
    close();
    lines::clear();
    place(&card);
    give_focus(card, number);
}

/// Moves the focus to the comment as soon as it is drawn. In a large diff the server must answer first.
pub fn give_focus(within: Element, id: u32) {
    look_for(within, id, PATIENCE);
}

fn look_for(within: Element, id: u32, patience: u32) {
    dom::after(100, move || {
        if dom::active().is_some_and(|active| active.tag_name() != "BODY") {
            return;
        }
        match dom::find(&within, &format!(".note[data-id=\"{id}\"] button")) {
            Some(button) => focus::put(&button),
            None if patience > 0 => look_for(within, id, patience - 1),
            None => {}
        }
    });
}

/// Opens the field for a comment that was added before.
pub fn edit(card: &Element, id: u32) {
    let note = dom::find(card, &format!(".note[data-id=\"{id}\"]"));
    if let Some((note, comment)) = note.zip(comments::of(card).into_iter().find(|comment| comment.id == id)) {
        change(card, &comment, &note);
    }
}

fn change(card: &Element, comment: &Comment, note: &Element) {
    open(card, &comment.lines(), &comment.quote, &comment.text, Some(comment.id), Some(note));
    // It is there again when the field is closed.
    let _ = note.set_attribute("hidden", "");
    below_line::settle(card);
}

/// A button of a comment.
pub fn press(button: &Element) {
    let (Some(note), Some(card)) = (button.closest(".note").ok().flatten(), cards::of(button)) else { return };
    let id = note.get_attribute(attr::ID).and_then(|id| id.parse::<u32>().ok());
    let mut all = comments::drafts();
    let at = all.iter().position(|comment| Some(comment.id) == id);
    match (button.get_attribute(attr::NOTE).as_deref(), at) {
        (Some("add"), _) => add(&note),
        (Some("close"), _) => {
            unfinished::forget(&note);
            lines::clear();
            close();
        }
        (Some("link"), _) => lines::copy_address(button.clone()),
        (Some("editor"), _) => lines::open_in_editor(&card),
        (Some("edit"), Some(at)) => {
            close();
            change(&card, &all[at], &note);
        }
        (Some("delete"), Some(at)) => {
            all.remove(at);
            comments::keep(&all);
            place(&card);
            // The nearest other has the focus.
            if let Some(near) = all.get(at).or(comments::all().last()) {
                give_focus(card, near.id);
            }
        }
        (Some(verb @ ("accept" | "resolve" | "reopen")), _) => turn(card, button, id, verb.to_owned()),
        _ => {}
    }
}

/// Resolves a comment that was sent, or opens it again; accepts the suggestion of one in a review.
fn turn(card: Element, button: &Element, id: Option<u32>, verb: String) {
    let Some(id) = id else { return };
    let _ = button.set_attribute("disabled", "");
    let button = button.clone();
    wasm_bindgen_futures::spawn_local(async move {
        match sent::turn(id, &verb).await {
            Some(Ok(())) => {
                comments::show();
                place(&card);
            }
            Some(Err(problem)) => {
                let _ = button.remove_attribute("disabled");
                toast::fail(&problem);
            }
            None => return,
        }
        give_focus(card, id);
    });
}
