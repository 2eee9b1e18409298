//! Colours without elements: ranges of text nodes go into the browser's highlights, which the style colours.

use app::browser::dom;
use app::shared::attr;
use app::shared::diff_rows::highlight;
use js_sys::{Array, Function, Reflect};
use std::cell::RefCell;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Element, StaticRange, StaticRangeInit};

/// Values of `data-h`, with the names of their highlights.
const KINDS: &str = "ksnftcadwx";

struct Painter {
    highlights: Vec<JsValue>,
    add: Function,
    delete: Function,
    /// Ranges by the element in which they are.
    painted: Vec<(Element, Vec<(usize, StaticRange)>)>,
}

thread_local! {
    static PAINTER: RefCell<Option<Painter>> = RefCell::new(make());
}

/// Can the browser do this? The server then sends ranges, and else elements.
pub fn is_possible() -> bool {
    PAINTER.with_borrow(Option::is_some)
}

fn make() -> Option<Painter> {
    let window = dom::window()?;
    let get = |from: &JsValue, name: &str| Reflect::get(from, &name.into()).ok().filter(JsValue::is_truthy);
    let registry = get(&get(&window, "CSS")?, "highlights")?;
    let class: Function = get(&window, "Highlight")?.dyn_into().ok()?;
    let set: Function = get(&registry, "set")?.dyn_into().ok()?;
    let mut highlights = Vec::new();
    for kind in KINDS.chars() {
        let highlight = Reflect::construct(&class, &Array::new()).ok()?;
        set.call2(&registry, &kind.to_string().into(), &highlight).ok()?;
        highlights.push(highlight);
    }
    let add = get(highlights.first()?, "add")?.dyn_into().ok()?;
    let delete = get(highlights.first()?, "delete")?.dyn_into().ok()?;
    Some(Painter { highlights, add, delete, painted: Vec::new() })
}

/// Colours everything below an element. What says the colours stays: what leaves the document is coloured again when it
/// comes back.
pub fn paint(root: &Element) {
    PAINTER.with_borrow_mut(|painter| {
        let Some(painter) = painter else { return };
        for element in dom::find_all(root, "[data-h]") {
            let (Some(words), Some(text)) = (element.get_attribute(attr::H), element.first_child()) else { continue };
            let owner = element.closest(".bc, .run").ok().flatten().unwrap_or_else(|| root.clone());
            if painter.painted.last().is_none_or(|(last, _)| *last != owner) {
                painter.painted.push((owner, Vec::new()));
            }
            let init = StaticRangeInit::new(&text, 0, &text, 0);
            for (kind, range) in words.split(' ').filter_map(|word| range(&init, word)) {
                let _ = painter.add.call1(&painter.highlights[kind], &range);
                if let Some((_, ranges)) = painter.painted.last_mut() {
                    ranges.push((kind, range));
                }
            }
        }
    });
}

/// `k12+4`, in the text of `init`, which serves all of them: there are thousands.
fn range(init: &StaticRangeInit, word: &str) -> Option<(usize, StaticRange)> {
    let (kind, start, length) = highlight(word)?;
    let kind = KINDS.find(kind)?;
    init.set_start_offset(start);
    init.set_end_offset(start + length);
    StaticRange::new(init).ok().map(|range| (kind, range))
}

/// Forgets what is below an element: it goes.
pub fn release(root: &Element) {
    PAINTER.with_borrow_mut(|painter| {
        let Some(painter) = painter else { return };
        let (gone, kept): (Vec<_>, Vec<_>) =
            std::mem::take(&mut painter.painted).into_iter().partition(|(element, _)| root.contains(Some(element)));
        painter.painted = kept;
        for (kind, range) in gone.iter().flat_map(|(_, ranges)| ranges) {
            let _ = painter.delete.call1(&painter.highlights[*kind], range);
        }
    });
}
