//! A long list of which only what is near the view is in the document; empty places stand for the rest. What leaves keeps its
//! content, so that it comes back as it was.

use app::browser::dom;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

/// Elements of the document beyond which what is out of view leaves it.
const MANY: usize = 1_100;
/// Pixels around the view in which the list is there: fewer, where so much stands there that the document grows too large.
const MARGINS: [f64; 3] = [900.0, 300.0, 40.0];

pub struct VirtualList {
    scroller: Element,
    /// In front of all items, and behind them.
    start: Element,
    end: Element,
    items: Vec<Item>,
    by_key: BTreeMap<String, usize>,
    /// Which of [`MARGINS`].
    margin: usize,
}

struct Item {
    element: Element,
    /// With its margin.
    height: f64,
    is_hidden: bool,
}

/// What came into the document and what left it. All that is near is named, also what was there before.
#[derive(Default)]
pub struct Moved {
    pub near: Vec<Element>,
    pub came: Vec<Element>,
    pub left: Vec<Element>,
}

impl VirtualList {
    /// Of elements that stand in the document and, after those, in a `template`. `key` names an attribute.
    pub fn new(
        scroller: Element,
        within: &Element,
        rest: &str,
        key: &str,
        guess: impl Fn(&Element) -> f64,
    ) -> Option<Self> {
        let (start, end) = (dom::make("div", "reel-space")?, dom::make("div", "reel-space")?);
        let selector = format!(":scope > [{key}]");
        let mut elements = dom::find_all(within, &selector);
        let before = elements.first().cloned();
        within.insert_before(&start, before.as_ref().map(Element::unchecked_ref::<Node>)).ok()?;
        match elements.last() {
            Some(last) => last.insert_adjacent_element("afterend", &end).ok()?,
            None => start.insert_adjacent_element("afterend", &end).ok()?,
        };
        if let Some(template) = dom::by_id(rest).and_then(|it| it.dyn_into::<web_sys::HtmlTemplateElement>().ok()) {
            let content = template.content();
            while let Some(element) = content.first_element_child() {
                element.remove();
                elements.push(element);
            }
        }
        let items: Vec<Item> =
            elements.into_iter().map(|it| Item { height: guess(&it), element: it, is_hidden: false }).collect();
        let keyed = |(at, item): (usize, &Item)| Some((item.element.get_attribute(key)?, at));
        let by_key = items.iter().enumerate().filter_map(keyed).collect();
        Some(Self { scroller, start, end, items, by_key, margin: 0 })
    }

    pub fn all(&self) -> Vec<Element> {
        self.items.iter().map(|item| item.element.clone()).collect()
    }

    pub fn by_key(&self, key: &str) -> Option<Element> {
        self.by_key.get(key).and_then(|at| self.items.get(*at)).map(|item| item.element.clone())
    }

    pub fn hide(&mut self, key: &str, is_hidden: bool) {
        if let Some(item) = self.by_key.get(key).and_then(|at| self.items.get_mut(*at)) {
            item.is_hidden = is_hidden;
        }
    }

    /// How far an item is below the upper edge of the view, by the heights of those before it.
    pub fn top(&self, element: &Element) -> Option<f64> {
        let at = self.items.iter().position(|item| item.element == *element)?;
        let before: f64 = self.items[..at].iter().filter(|item| !item.is_hidden).map(|item| item.height).sum();
        Some(self.origin() + before)
    }

    fn origin(&self) -> f64 {
        self.start.get_bounding_client_rect().top() - self.scroller.get_bounding_client_rect().top()
    }

    fn measure(&mut self) {
        let there = self.items.iter().find(|item| item.element.is_connected());
        let margin = there.map_or(0.0, |item| margin_of(&item.element));
        for item in self.items.iter_mut().filter(|item| item.element.is_connected()) {
            let height = item.element.get_bounding_client_rect().height();
            if height > 0.0 {
                item.height = height + margin;
            }
        }
    }

    /// Puts into the document what is near the view, and takes out what isn't if there is too much. `is_used` stays.
    pub fn draw(&mut self, is_used: impl Fn(&Element) -> bool) -> Moved {
        let mut moved = Moved::default();
        self.measure();
        let was: Vec<bool> = self.items.iter().map(|item| item.element.is_connected()).collect();
        loop {
            let near = self.near();
            let mut shown: Vec<bool> = self
                .items
                .iter()
                .zip(&near)
                .zip(&was)
                .map(|((item, near), was)| !item.is_hidden && (*near || *was))
                .collect();
            self.place(&shown);
            if count() > MANY {
                for ((item, shown), near) in self.items.iter().zip(&mut shown).zip(&near) {
                    *shown = *near || (*shown && is_used(&item.element));
                }
                self.place(&shown);
                if count() > MANY && self.margin + 1 < MARGINS.len() {
                    self.margin += 1;
                    continue;
                }
            } else if count() < MANY / 2 {
                self.margin = 0;
            }
            for (((item, shown), was), near) in self.items.iter().zip(shown).zip(was).zip(near) {
                match (was, shown) {
                    (false, true) => moved.came.push(item.element.clone()),
                    (true, false) => moved.left.push(item.element.clone()),
                    _ => {}
                }
                if near && shown {
                    moved.near.push(item.element.clone());
                }
            }
            return moved;
        }
    }

    fn near(&self) -> Vec<bool> {
        let margin = MARGINS.get(self.margin).copied().unwrap_or_default();
        let (mut y, to) = (self.origin(), f64::from(self.scroller.client_height()) + margin);
        let near = |item: &Item| {
            if item.is_hidden {
                return false;
            }
            let top = y;
            y += item.height;
            y >= -margin && top <= to
        };
        self.items.iter().map(near).collect()
    }

    /// Items in the document, and places between them as high as those that aren't.
    fn place(&self, shown: &[bool]) {
        let Some(within) = self.end.parent_element() else { return };
        dom::find_all(&within, ":scope > .reel-space[data-between]").iter().for_each(Element::remove);
        let (mut next, mut space) = (self.end.clone(), 0.0);
        for (item, shown) in self.items.iter().zip(shown).rev() {
            if !shown {
                item.element.remove();
                space += if item.is_hidden { 0.0 } else { item.height };
                continue;
            }
            if space > 0.0
                && let Some(between) = dom::make("div", "reel-space")
            {
                let _ = between.set_attribute("data-between", "");
                let _ = between.set_attribute("style", &format!("height:{space}px"));
                let _ = within.insert_before(&between, Some(&next));
                next = between;
                space = 0.0;
            }
            if !item.element.is_connected() {
                let _ = within.insert_before(&item.element, Some(&next));
            }
            next = item.element.clone();
        }
        let _ = self.start.set_attribute("style", &format!("height:{space}px"));
    }
}

fn count() -> usize {
    dom::document().map_or(0, |document| document.get_elements_by_tag_name("*").length() as usize)
}

fn margin_of(element: &Element) -> f64 {
    let style = dom::window().and_then(|window| window.get_computed_style(element).ok().flatten());
    let margin = style.and_then(|style| style.get_property_value("margin-top").ok());
    margin.and_then(|margin| margin.trim_end_matches("px").parse().ok()).unwrap_or(0.0)
}
