//! Which requests take a decision: [`Readiness`] says when, this module watches the page for it. Whatever decides is a
//! form or a part with `data-waits`; until it is ready its buttons look disabled, and a press on one of them ends here.

use app::browser::dom;
use app::shared::attr;
use app::shared::readiness::{By, Readiness, WAIT};
use js_sys::Array;
use std::cell::{Cell, RefCell};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{
    Document, Element, Event, FocusEvent, IntersectionObserver, IntersectionObserverEntry, IntersectionObserverInit,
    KeyboardEvent, MutationObserver, MutationObserverInit, MutationRecord, PointerEvent,
};

/// Elements that accept decisions, or answers for an agent.
const REQUESTS: &str = "form[data-decide], form[data-reply], [data-waits]";
/// Pixels by which a request may move and is still where it was.
const STILL: f64 = 4.0;
/// Pixels of a high request that are enough to have it in view.
const IN_VIEW: f64 = 120.0;
/// Milliseconds after a change of the page until its requests are looked for.
const PAUSE: i32 = 50;
/// Milliseconds that a browser's timer may be early.
const GRACE: f64 = 5.0;

/// A request that is on the page.
struct Shown {
    id: u32,
    element: Element,
    place: Place,
    /// When its place on the page last changed, or the length of the page.
    changed: f64,
    is_ready: bool,
}

#[derive(Default)]
struct State {
    readiness: Readiness,
    shown: Vec<Shown>,
    latest: u32,
    observer: Option<IntersectionObserver>,
}

/// The last press, to which a following decision belongs.
enum Press {
    /// The pointer went down on this request, which was ready.
    Pointer(Option<Element>),
    Key,
    /// A key that is held down decides nothing.
    Held,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
    static PRESS: RefCell<Press> = const { RefCell::new(Press::Held) };
    static LOOKS_SOON: Cell<bool> = const { Cell::new(false) };
    static IS_TIMED: Cell<bool> = const { Cell::new(false) };
}

pub fn start() {
    let (Some(window), Some(document)) = (dom::window(), dom::document()) else { return };
    STATE.with_borrow_mut(|state| state.observer = observer());
    follow_changes(&document);
    dom::listen_down(&window, "pointerdown", |event: PointerEvent| {
        look();
        press(Press::Pointer(dom::closest(&event, REQUESTS).filter(|request| takes(request, By::Pointer))));
    });
    dom::listen_down(&window, "keydown", |event: KeyboardEvent| {
        if matches!(event.key().as_str(), "Shift" | "Control" | "Alt" | "Meta") {
            return;
        }
        press(if event.repeat() { Press::Held } else { Press::Key });
    });
    // Before anything else hears of it.
    for name in ["submit", "click"] {
        dom::listen_down(&window, name, |event: Event| {
            let button = event.type_() == "submit" || dom::closest(&event, "button").is_some();
            let request = dom::closest(&event, REQUESTS).filter(|_| button);
            if let Some(request) = request.filter(|request| !decides(request)) {
                event.prevent_default();
                event.stop_immediate_propagation();
                // One of which the reader sees the buttons alone never gets ready.
                dom::bring_into_view(&request);
                dom::announce("Wait a second: this just appeared or moved");
            }
        });
    }
    for name in ["focus", "blur"] {
        dom::listen(&window, name, |_: FocusEvent| watch());
    }
    dom::listen(&document, "visibilitychange", |_: Event| watch());
    // The overlay is gone: the requests are visible from now on.
    dom::listen_capturing(&window, "close", |_: Event| {
        with(|state, now| {
            state.readiness.watch(now, false);
            state.readiness.watch(now, is_watched());
        });
    });
    for name in ["scroll", "resize", "toggle"] {
        dom::listen_capturing(&window, name, |_: Event| look_soon());
    }
    watch();
    look();
}

fn is_watched() -> bool {
    dom::visible() && dom::document().is_some_and(|document| document.has_focus().unwrap_or(false))
}

fn watch() {
    with(|state, now| state.readiness.watch(now, is_watched()));
}

fn press(press: Press) {
    PRESS.set(press);
    with(|state, now| state.readiness.press(now));
}

/// Changes the state, then shows what came of it, and looks again when the next request may be ready.
fn with(change: impl FnOnce(&mut State, f64)) {
    let now = js_sys::Date::now();
    let next = STATE.with_borrow_mut(|state| {
        change(state, now);
        state.readiness.pass(now);
        for shown in &mut state.shown {
            let is_ready = state.readiness.takes(shown.id, By::Pointer);
            if shown.is_ready != is_ready {
                shown.is_ready = is_ready;
                show(&shown.element, is_ready);
            }
        }
        state.readiness.next(now)
    });
    let Some(next) = next.filter(|_| !IS_TIMED.replace(true)) else { return };
    dom::after((next + GRACE) as i32, || {
        IS_TIMED.set(false);
        look();
    });
}

fn show(request: &Element, is_ready: bool) {
    let _ = request.toggle_attribute_with_force(attr::READY, is_ready);
    for button in dom::find_all(request, "button") {
        let _ = if is_ready {
            button.remove_attribute("aria-disabled")
        } else {
            button.set_attribute("aria-disabled", "true")
        };
    }
}

/// Returns whether a request takes a decision now. Behind a dialog none does.
fn takes(request: &Element, by: By) -> bool {
    let dialog = dom::document().and_then(|document| document.query_selector("dialog:modal").ok().flatten());
    dialog.is_none_or(|dialog| dialog.contains(Some(request)))
        && STATE.with_borrow(|state| {
            let shown = state.shown.iter().find(|shown| shown.element == *request);
            shown.is_some_and(|shown| state.readiness.takes(shown.id, by))
        })
}

/// Returns whether the latest press decides a request.
fn decides(request: &Element) -> bool {
    PRESS.with_borrow(|press| match press {
        Press::Pointer(pressed) => pressed.as_ref() == Some(request),
        Press::Key => takes(request, By::Key),
        Press::Held => false,
    })
}

fn look_soon() {
    if !LOOKS_SOON.replace(true) {
        dom::after(PAUSE, || {
            LOOKS_SOON.set(false);
            look();
        });
    }
}

/// Finds what came, went and moved.
fn look() {
    let Some(body) = dom::document().and_then(|document| document.body()) else { return };
    let found = dom::find_all(&body, REQUESTS);
    with(|state, now| {
        let (stay, gone) =
            std::mem::take(&mut state.shown).into_iter().partition(|shown| found.contains(&shown.element));
        state.shown = stay;
        for Shown { id, element, .. } in gone {
            state.readiness.remove(id);
            if let Some(observer) = &state.observer {
                observer.unobserve(&element);
            }
        }
        for shown in &mut state.shown {
            let place = Place::of(&shown.element);
            if is_far(place.on_page, shown.place.on_page) || is_far((place.length, 0.0), (shown.place.length, 0.0)) {
                shown.place = Place { at: shown.place.at, ..place };
                shown.changed = now;
            }
            if is_far(place.at, shown.place.at) {
                shown.place = place;
                // The reader may scroll: what moves by that alone is where the reader put it.
                if now - shown.changed < WAIT {
                    state.readiness.moved(now, shown.id);
                }
            }
        }
        for element in found {
            if state.shown.iter().any(|shown| shown.element == element) {
                continue;
            }
            state.latest = state.latest.wrapping_add(1);
            let id = state.latest;
            state.readiness.add(now, id);
            show(&element, false);
            if let Some(observer) = &state.observer {
                observer.observe(&element);
            }
            state.shown.push(Shown { id, place: Place::of(&element), changed: now, element, is_ready: false });
        }
    });
}

/// Where a request is, in pixels.
#[derive(Clone, Copy)]
struct Place {
    /// In the window.
    at: (f64, f64),
    /// In the window, were nothing scrolled.
    on_page: (f64, f64),
    /// Height of the scrolled content.
    length: f64,
}

impl Place {
    fn of(element: &Element) -> Self {
        let rect = element.get_bounding_client_rect();
        let at = (rect.left(), rect.top());
        let Ok(Some(scroller)) = element.closest(".scroll") else { return Self { at, on_page: at, length: 0.0 } };
        let on_page = (at.0, at.1 + f64::from(scroller.scroll_top()));
        Self { at, on_page, length: f64::from(scroller.scroll_height()) }
    }
}

fn is_far(one: (f64, f64), other: (f64, f64)) -> bool {
    (one.0 - other.0).abs() > STILL || (one.1 - other.1).abs() > STILL
}

/// Says which requests are in view: half of one, or a good part of a high one.
fn observer() -> Option<IntersectionObserver> {
    let callback = Closure::<dyn FnMut(Array)>::new(|entries: Array| {
        with(|state, now| {
            for entry in entries.iter().filter_map(|entry| entry.dyn_into::<IntersectionObserverEntry>().ok()) {
                let is_high = entry.intersection_rect().height() >= IN_VIEW;
                let in_view = entry.is_intersecting() && (is_high || entry.intersection_ratio() >= 0.5);
                let target = entry.target();
                if let Some(shown) = state.shown.iter().find(|shown| shown.element == target) {
                    state.readiness.view(now, shown.id, in_view);
                }
            }
        });
    });
    let options = IntersectionObserverInit::new();
    let steps: Array = (0..=20).map(|step| wasm_bindgen::JsValue::from(f64::from(step) / 20.0)).collect();
    options.set_threshold(&steps);
    let observer = IntersectionObserver::new_with_options(callback.as_ref().unchecked_ref(), &options).ok();
    callback.forget();
    observer
}

/// Requests come with parts of the page. A new one waits at once; whether others moved is looked at soon.
fn follow_changes(document: &Document) {
    let Some(body) = document.body() else { return };
    let brings = |record: MutationRecord| {
        let added = record.added_nodes();
        let mut elements = (0..added.length()).filter_map(|at| added.get(at)?.dyn_into::<Element>().ok());
        elements.any(|element| element.matches(REQUESTS).unwrap_or(false) || dom::find(&element, REQUESTS).is_some())
    };
    let changed = Closure::<dyn FnMut(Array)>::new(move |records: Array| {
        if records.iter().filter_map(|record| record.dyn_into().ok()).any(brings) {
            look();
        }
        look_soon();
    })
    .into_js_value();
    let Ok(observer) = MutationObserver::new(changed.unchecked_ref()) else { return };
    let what = MutationObserverInit::new();
    what.set_child_list(true);
    what.set_subtree(true);
    let _ = observer.observe_with_options(&body, &what);
}
