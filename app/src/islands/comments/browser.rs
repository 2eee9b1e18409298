//! The browser's part of comments: what is known of them, and what their buttons do. Drafts are in the browser's
//! storage, the field that is open with what was begun in that of the tab. The message that told the agent holds those
//! that were sent, and what became of them; a comment of a review is answered as in the transcript.

use super::{field, note, sender};
use crate::browser::{clipboard, dom, focus, fragment, storage, toast};
use crate::shared::comments::{self, Comment, Field, State, Unfinished, drafts_key, open_by_path, unfinished_key};
use crate::shared::diff_lines::Lines;
use crate::shared::hash::text_hash;
use crate::shared::{OfReview, Sent, attr, file_id};
use api::contract::{DecideEndpoint, GetMessage, PostMessageEndpoint, UpdateMessageEndpoint};
use api::messages::MessagePath;
use api::posting::{Decide, PostMessage};
use api::sessions::SessionPath;
use api::{Problem, json};
use leptos::either::Either;
use leptos::html::Textarea;
use leptos::prelude::*;
use leptos::tachys::view::Position;
use leptos::tachys::view::any_view::AnyViewState;
use model::MessageType;
use model::envelope::{LineComment, ReviewState};
use std::any::Any;
use std::cell::OnceCell;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlTemplateElement, HtmlTextAreaElement, Node};

/// So many times it is looked for a comment that is to be drawn.
const PATIENCE: u32 = 10;

/// Functions of the page that comments use.
#[derive(Clone, Copy)]
pub struct Page {
    /// Puts the comments of a file, or of all files, where they belong.
    pub place: fn(Option<&str>),
    /// A field closes. True if the chosen lines are to be chosen no more.
    pub closed: fn(bool),
    /// Something came or went between the lines.
    pub settle: fn(),
    /// So many comments of each file are open.
    pub count: fn(&BTreeMap<&str, usize>),
}

/// The field that is open: the owner of its signals, and its view, which goes when this is dropped.
type OpenField = (Owner, Box<dyn Any>);

/// The comments on a session's changes: those that were sent, the drafts, and the field that is open.
#[derive(Clone, Copy)]
pub struct Comments {
    session: StoredValue<String>,
    page: Page,
    drafts: RwSignal<Vec<Comment>>,
    /// In the order in which they were sent, with those of agents' reviews.
    sent: RwSignal<Vec<Sent>>,
    /// The field that is open, and what was begun in others.
    unfinished: RwSignal<Unfinished>,
    /// The drafts are on their way.
    sending: RwSignal<bool>,
    /// The comment whose change is on its way.
    turning: RwSignal<Option<u32>>,
    /// Those that stand in the page.
    mounted: StoredValue<Vec<Mounted>, LocalStorage>,
    /// The field for lines.
    open: StoredValue<Option<OpenField>, LocalStorage>,
}

struct Mounted {
    id: u32,
    path: String,
    owner: Owner,
    view: AnyViewState,
}

impl Mounted {
    fn is_connected(&self) -> bool {
        self.view.elements().iter().any(|element| element.is_connected())
    }
}

/// The lines that a field is for.
pub struct At {
    pub path: String,
    pub lines: Lines,
    /// The lines as they are.
    pub quote: String,
}

thread_local! {
    static COMMENTS: OnceCell<Comments> = const { OnceCell::new() };
}

impl Comments {
    /// Returns the comments of this page; reads them if nobody did.
    pub fn of_page(root: &Element, page: Page) -> Self {
        COMMENTS.with(|comments| *comments.get_or_init(|| Self::read(root, page)))
    }

    fn read(root: &Element, page: Page) -> Self {
        crate::browser::wake();
        let said = |name: &str| root.get_attribute(name);
        let session = said(attr::SESSION).unwrap_or_default();
        let sent = said(attr::SENT).and_then(|text| json::read(text.as_bytes()).ok()).unwrap_or_default();
        let unfinished = storage::of_tab().and_then(|kept| kept.get_item(&unfinished_key(&session)).ok().flatten());
        let unfinished = unfinished.and_then(|text| json::read(text.as_bytes()).ok()).unwrap_or_default();
        let comments = Self {
            session: StoredValue::new(session),
            page,
            drafts: RwSignal::new(Vec::new()),
            sent: RwSignal::new(sent),
            unfinished: RwSignal::new(unfinished),
            sending: RwSignal::new(false),
            turning: RwSignal::new(None),
            mounted: StoredValue::new_local(Vec::new()),
            open: StoredValue::new_local(None),
        };
        // As the server drew it: without drafts.
        comments.draw_senders(root.has_attribute(attr::HEARS));
        comments.refresh();
        // The answer to those that came through may have been lost.
        let lost =
            |draft: &Comment| comments.sent.with_untracked(|sent| sent.iter().any(|it| it.comment.is(&draft.said())));
        if comments.drafts.with_untracked(|drafts| drafts.iter().any(lost)) {
            comments.edit_drafts(|drafts| drafts.retain(|draft| !lost(draft)));
        }
        Effect::new(move |_| (page.count)(&open_by_path(&comments.all())));
        comments
    }

    /// Reads the drafts from the browser's storage: another tab may have written some.
    pub fn refresh(self) {
        let kept = storage::get(&self.session.with_value(|session| drafts_key(session)))
            .and_then(|text| json::read::<Vec<Comment>>(text.as_bytes()).ok());
        // Those that were sent, which older versions stored too, are known from the messages.
        let drafts = kept.unwrap_or_default().into_iter().filter(|comment| comment.state == State::Draft).collect();
        self.drafts.set(drafts);
    }

    fn edit_drafts(self, edit: impl FnOnce(&mut Vec<Comment>)) {
        self.refresh();
        self.drafts.update(edit);
        let text = self.drafts.with_untracked(|drafts| if drafts.is_empty() { None } else { json::write(drafts).ok() });
        storage::set(&self.session.with_value(|session| drafts_key(session)), text.as_deref());
    }

    fn edit_unfinished(self, edit: impl FnOnce(&mut Unfinished)) {
        self.unfinished.update(edit);
        if let (Some(kept), Ok(text)) = (storage::of_tab(), self.unfinished.with_untracked(json::write)) {
            let _ = kept.set_item(&unfinished_key(&self.session.get_value()), &text);
        }
    }

    /// Those that were sent, then the drafts.
    fn all(self) -> Vec<Comment> {
        let sent = self.sent.with(|sent| (0..).zip(sent).map(|(place, sent)| Comment::of_sent(place, sent)).collect());
        let mut all: Vec<Comment> = sent;
        self.drafts.with(|drafts| all.extend_from_slice(drafts));
        all
    }

    /// Returns the comments of a file.
    pub fn of(self, path: &str) -> Vec<Comment> {
        untrack(|| self.all()).into_iter().filter(|comment| comment.path == path).collect()
    }

    /// Returns the lines of the field that is open in a file for a new comment.
    pub fn open_in(self, file: &str) -> Option<Lines> {
        self.unfinished.with_untracked(|all| match all.open_in(file)? {
            (_, Some(_)) => None,
            (lines, None) => Lines::parse(lines),
        })
    }

    /// Puts a comment into the page: into an element, before a node of it.
    pub fn put(self, comment: &Comment, lost: bool, spot: impl FnOnce() -> Option<(Element, Option<Node>)>) {
        self.take_away(|mounted| mounted.id == comment.id);
        let Some((parent, before)) = spot() else { return };
        let (id, owner) = (comment.id, Owner::new());
        let mut view = owner.with(|| self.shown(id, lost).into_any().build());
        view.mount(&parent, before.as_ref());
        self.mounted.update_value(|all| all.push(Mounted { id, path: comment.path.clone(), owner, view }));
    }

    /// Takes the comments of a file out of the page, but for one that is being changed there.
    pub fn clear(self, path: &str) {
        let is_changed = |mounted: &Mounted| self.unfinished.with_untracked(|all| all.changes(mounted.id));
        self.take_away(|mounted| mounted.path == path && !(is_changed(mounted) && mounted.is_connected()));
    }

    /// Returns true if a comment stands in the page.
    pub fn stands(self, id: u32) -> bool {
        self.mounted.with_value(|all| all.iter().any(|mounted| mounted.id == id && mounted.is_connected()))
    }

    fn take_away(self, goes: impl Fn(&Mounted) -> bool) {
        let gone = self.mounted.try_update_value(|all| {
            let (gone, stay) = std::mem::take(all).into_iter().partition(goes);
            *all = stay;
            gone
        });
        for Mounted { owner, mut view, .. } in gone.into_iter().flat_map(|gone: Vec<Mounted>| gone) {
            view.unmount();
            owner.cleanup();
        }
    }

    /// A comment as it is, or the field that changes it. With each state it is another element: a press that was meant
    /// for the one before doesn't find it.
    fn shown(self, id: u32, lost: bool) -> impl IntoView {
        let now = move || {
            let comment = self.all().into_iter().find(|comment| comment.id == id);
            comment.map(|comment| (self.unfinished.with(|unfinished| unfinished.changes(id)), comment))
        };
        let key = |(changes, comment): &(bool, Comment)| format!("{changes} {:?} {}", comment.state, comment.text);
        let view = move |(changes, comment): (bool, Comment)| {
            Effect::new(move |_| (self.page.settle)());
            if changes {
                let area = NodeRef::new();
                Effect::new(move |_| area.get().map(|area: HtmlTextAreaElement| area.focus()));
                let at = At { path: comment.path.clone(), lines: comment.lines(), quote: comment.quote.clone() };
                Either::Left(self.field(at, Some(id), comment.text, area))
            } else {
                let busy = move || self.turning.get() == Some(id);
                let press = move |verb| self.press(id, verb);
                let remark = comment.remark.as_ref().and_then(|_| remark(id));
                Either::Right(note(comment, lost, remark, busy, press))
            }
        };
        view! { <For each=now key=key children=view/> }
    }

    /// Hydrates a field of the page, and keeps the text that was typed in it.
    pub fn open(self, element: &Element, at: At) {
        let area = dom::find(element, "textarea").and_then(|area| area.dyn_into::<HtmlTextAreaElement>().ok());
        let typed = area.map(|area| area.value()).unwrap_or_default();
        let owner = Owner::new();
        let view = owner.with(|| {
            self.field(at, None, typed, NodeRef::new()).hydrate_from_position::<false>(element, Position::Current)
        });
        let before = self.open.try_update_value(|open| open.replace((owner, Box::new(view))));
        if let Some((owner, _)) = before.flatten() {
            owner.cleanup();
        }
    }

    /// The field for lines, or that of a comment. What was begun is in it, else `text`.
    fn field(self, at: At, id: Option<u32>, text: String, area: NodeRef<Textarea>) -> impl IntoView {
        let of = Field { path: at.path.clone(), lines: at.lines.words(), id };
        let begun = self.unfinished.with_untracked(|all| all.text(&of).map(str::to_owned));
        let text = RwSignal::new(match (begun, id) {
            // Letters that were typed before the field came to life.
            (Some(begun), None) => begun + &text,
            (begun, _) => begun.unwrap_or(text),
        });
        let lines = at.lines.label();
        let (of, at) = (StoredValue::new(of), StoredValue::new(at));
        let keep = move || {
            let text = text.get_untracked();
            of.with_value(|of| self.edit_unfinished(|all| all.keep(file_id(&of.path), of, text)));
        };
        keep();
        let typed = move |words| {
            text.set(words);
            keep();
        };
        let press = move |verb| match verb {
            "add" => at.with_value(|at| self.add(at, id, text.get_untracked().trim())),
            "cancel" => {
                of.with_value(|of| self.edit_unfinished(|all| all.forget(of)));
                (self.page.closed)(true);
            }
            _ => {
                self.close();
                (self.page.closed)(false);
                if let Some(files) = dom::by_id("files").as_ref().and_then(dom::html) {
                    let _ = files.focus();
                }
            }
        };
        field(lines, area, move || text.get(), typed, press)
    }

    /// No field is open any more. What was written and not added is there when it is opened again.
    pub fn close(self) {
        self.edit_unfinished(Unfinished::close);
    }

    fn add(self, at: &At, id: Option<u32>, text: &str) {
        if text.is_empty() {
            return;
        }
        let (At { path, lines, quote }, text) = (at, text.to_owned());
        let now = (js_sys::Date::now() / 1_000.0) as u32;
        let number = id.unwrap_or_else(|| self.drafts.with_untracked(|drafts| comments::number(drafts, now)));
        self.edit_drafts(|drafts| match drafts.iter_mut().find(|draft| Some(draft.id) == id) {
            Some(draft) => draft.text = text,
            None => drafts.push(Comment {
                id: number,
                path: path.clone(),
                side: lines.side,
                from: lines.from,
                to: lines.to,
                edit: lines.edit.clone(),
                quote: quote.clone(),
                text,
                state: State::Draft,
                remark: None,
            }),
        });
        let of = Field { path: path.clone(), lines: lines.words(), id };
        self.edit_unfinished(|all| all.forget(&of));
        (self.page.closed)(true);
        (self.page.place)(Some(path));
        give_focus(number);
    }

    /// Carries out the action of a comment's button.
    fn press(self, id: u32, verb: &'static str) {
        let at = self.drafts.with_untracked(|drafts| drafts.iter().position(|draft| draft.id == id));
        let Some(comment) = untrack(|| self.all()).into_iter().find(|comment| comment.id == id) else { return };
        match (verb, at) {
            ("edit", Some(_)) => {
                (self.page.closed)(false);
                let of = Field { path: comment.path.clone(), lines: comment.lines().words(), id: Some(id) };
                let begun = self.unfinished.with_untracked(|all| all.text(&of).map(str::to_owned));
                let text = begun.unwrap_or(comment.text);
                self.edit_unfinished(|all| all.keep(file_id(&of.path), &of, text));
            }
            ("delete", Some(at)) => {
                self.edit_drafts(|drafts| drop(drafts.remove(at)));
                (self.page.place)(Some(&comment.path));
                // The nearest other has the focus.
                let near = self.drafts.with_untracked(|drafts| drafts.get(at).map(|draft| draft.id));
                if let Some(near) = near.or_else(|| untrack(|| self.all()).last().map(|last| last.id)) {
                    give_focus(near);
                }
            }
            ("accept" | "resolve" | "reopen", None) => self.turn(id, verb),
            _ => {}
        }
    }

    /// Resolves a comment that was sent, or opens it again; accepts the suggestion of one in a review.
    fn turn(self, id: u32, verb: &'static str) {
        let place = Comment::place_among_sent(id);
        let known = |sent: &Vec<Sent>| place.and_then(|place| sent.get(place).cloned());
        let Some(mut turned) = self.sent.with_untracked(known) else { return };
        let state = match verb {
            "accept" => Some(ReviewState::Accepted),
            "resolve" => Some(ReviewState::Resolved),
            _ => None,
        };
        turned.comment.resolved = state.is_some();
        self.turning.set(Some(id));
        wasm_bindgen_futures::spawn_local(async move {
            let session = self.session.get_value();
            let told = match &mut turned.review {
                Some(review) => {
                    review.state = state;
                    answer(session, &turned.message, review, verb).await
                }
                None => tell(&session, &turned.message, &turned.comment).await,
            };
            self.turning.set(None);
            match told {
                Ok(()) => self.sent.update(|sent| {
                    if let Some(sent) = place.and_then(|place| sent.get_mut(place)) {
                        *sent = turned;
                    }
                }),
                Err(problem) => toast::fail(&problem),
            }
            give_focus(id);
        });
    }

    fn draw_senders(self, hears: bool) {
        let drafts = move || self.drafts.with(Vec::len);
        let busy = move || self.sending.get();
        let send = move |event: leptos::ev::MouseEvent| self.send(hears, &event);
        for button in dom::by_id("main").map(|main| dom::find_all(&main, "[data-review=send]")).unwrap_or_default() {
            let view = sender(button.class_name(), hears, drafts, busy, send);
            std::mem::forget(view.hydrate_from_position::<true>(&button, Position::Current));
        }
    }

    /// Sends the drafts to the agent; where nobody hears, they go to the clipboard.
    fn send(self, hears: bool, event: &leptos::ev::MouseEvent) {
        let drafts = self.drafts.get_untracked();
        let Some(button) = dom::closest(event, "button").filter(|_| !drafts.is_empty()) else { return };
        let text = comments::message(&drafts);
        if !hears {
            return clipboard::copy(button, text);
        }
        self.sending.set(true);
        // A second press sends the same id, and adds no second message.
        let last = drafts.iter().map(|draft| draft.id).max().unwrap_or(0);
        let id = format!("comments-{}-{last}", text_hash(&text));
        let said: Vec<LineComment> = drafts.iter().map(Comment::said).collect();
        let (key, value) = LineComment::extra(&said);
        let post = PostMessage {
            id: Some(id.clone()),
            content: Some(text),
            message_metadata: Some(serde_json::json!({ "message_type": MessageType::Text.as_str(), key: value })),
            ..PostMessage::default()
        };
        wasm_bindgen_futures::spawn_local(async move {
            let path = SessionPath { session: self.session.get_value() };
            let answer = fragment::client().tell::<PostMessageEndpoint>(path, post).await;
            self.sending.set(false);
            leptos::task::tick().await;
            focus::put(&button);
            if let Err(problem) = answer {
                return toast::fail(&Problem { title: format!("Not sent: {}", problem.title), ..problem });
            }
            let first = self.sent.with_untracked(|sent| u32::try_from(sent.len()).unwrap_or(0));
            let sent = said.into_iter().map(|comment| Sent { message: id.clone(), comment, review: None });
            self.sent.update(|all| all.extend(sent));
            self.edit_drafts(|kept| kept.retain(|draft| drafts.iter().all(|sent| sent.id != draft.id)));
            (self.page.place)(None);
            // The button goes with the last draft.
            give_focus(u32::MAX - first);
            dom::announce("Sent");
        });
    }
}

/// Returns a comment of a review as the server drew it.
fn remark(id: u32) -> Option<String> {
    let template = dom::by_id("remarks")?.dyn_into::<HtmlTemplateElement>().ok()?;
    let place = Comment::place_among_sent(id)?;
    let drawn = template.content().query_selector(&format!("[data-remark=\"{place}\"]")).ok()??;
    Some(fragment::html_of(&drawn))
}

/// Answers a comment of an agent's review. The agent gets it, as from the transcript.
async fn answer(session: String, message: &str, review: &OfReview, verb: &str) -> Result<(), Problem> {
    let selected = vec![format!("{}:{verb}", review.index)];
    let input = Decide { selected, shown_sha256: review.shown_sha256.clone(), ..Decide::default() };
    let path = MessagePath { session, message: message.to_owned() };
    fragment::client().tell::<DecideEndpoint>(path, input).await
}

/// Says in its message what became of a comment. Whoever says something else of the message at the same time is not
/// written over: then it is refused.
async fn tell(session: &str, message: &str, comment: &LineComment) -> Result<(), Problem> {
    let detail = fragment::ask(GetMessage, [session, message], serde_json::Value::Null).await?;
    let mut metadata = detail["entry"]["metadata"].clone();
    if !comment.put_in(&mut metadata) {
        return Err(Problem::not_found("comment"));
    }
    let update = serde_json::json!({ "message_metadata": metadata, "if_match": detail["entry"]["revision"] });
    fragment::ask(UpdateMessageEndpoint, [session, message], update).await.map(drop)
}

/// Moves the focus to a comment as soon as it is drawn. In a large difference the server must answer first.
fn give_focus(id: u32) {
    look_for(id, PATIENCE);
}

fn look_for(id: u32, patience: u32) {
    dom::after(100, move || {
        if dom::active().is_some_and(|active| active.tag_name() != "BODY") {
            return;
        }
        let files = dom::by_id("files");
        match files.and_then(|files| dom::find(&files, &format!(".note[data-id=\"{id}\"] button"))) {
            Some(button) => focus::put(&button),
            None if patience > 0 => look_for(id, patience - 1),
            None => {}
        }
    });
}
