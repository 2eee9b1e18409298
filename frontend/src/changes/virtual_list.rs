//! A long list of which only what is near the view is in the document; empty places stand for the rest. What leaves
//! keeps its content, so that it comes back as it was.

use app::browser::dom;
use app::shared::attr;
use app::shared::item_heights::{Fits, ItemHeights};
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, Node};

pub struct VirtualList {
    scroller: Element,
    /// In front of all items, and behind them.
    start: Element,
    end: Element,
    items: Vec<Element>,
    heights: ItemHeights,
    by_key: BTreeMap<String, usize>,
}

/// Elements that entered and left the document. All visible ones are listed, even if they were there before.
#[derive(Default)]
pub struct Moved {
    pub near: Vec<Element>,
    pub came: Vec<Element>,
    pub left: Vec<Element>,
}

impl VirtualList {
    /// Makes a list of elements in the document, followed by those in a `template`. `key` is the name of an attribute.
    pub fn new(
        scroller: Element,
        within: &Element,
        rest: &str,
        key: &str,
        guess: impl Fn(&Element) -> f64,
    ) -> Option<Self> {
        let (start, end) = (dom::make("div", "reel-space")?, dom::make("div", "reel-space")?);
        let selector = format!(":scope > [{key}]");
        let mut items = dom::find_all(within, &selector);
        let before = items.first().cloned();
        within.insert_before(&start, before.as_ref().map(Element::unchecked_ref::<Node>)).ok()?;
        match items.last() {
            Some(last) => last.insert_adjacent_element("afterend", &end).ok()?,
            None => start.insert_adjacent_element("afterend", &end).ok()?,
        };
        if let Some(template) = dom::by_id(rest).and_then(|it| it.dyn_into::<web_sys::HtmlTemplateElement>().ok()) {
            let content = template.content();
            while let Some(element) = content.first_element_child() {
                element.remove();
                items.push(element);
            }
        }
        let heights = ItemHeights::new(items.iter().map(guess));
        let keyed = |(at, item): (usize, &Element)| Some((item.get_attribute(key)?, at));
        let by_key = items.iter().enumerate().filter_map(keyed).collect();
        Some(Self { scroller, start, end, items, heights, by_key })
    }

    pub fn all(&self) -> Vec<Element> {
        self.items.clone()
    }

    pub fn by_key(&self, key: &str) -> Option<Element> {
        self.by_key.get(key).and_then(|at| self.items.get(*at)).cloned()
    }

    pub fn hide(&mut self, key: &str, is_hidden: bool) {
        if let Some(at) = self.by_key.get(key) {
            self.heights.hide(*at, is_hidden);
        }
    }

    /// How far an item is below the upper edge of the view, by the heights of those before it.
    pub fn top(&self, element: &Element) -> Option<f64> {
        let at = self.items.iter().position(|item| item == element)?;
        Some(self.origin() + self.heights.top(at))
    }

    fn origin(&self) -> f64 {
        self.start.get_bounding_client_rect().top() - self.scroller.get_bounding_client_rect().top()
    }

    fn measure(&mut self) {
        let margin = self.items.iter().find(|item| item.is_connected()).map_or(0.0, margin_of);
        for (at, item) in self.items.iter().enumerate().filter(|(_, item)| item.is_connected()) {
            self.heights.measure(at, item.get_bounding_client_rect().height(), margin);
        }
    }

    /// Puts into the document what is near the view, and takes out what isn't if there is too much. `is_used` stays.
    pub fn draw(&mut self, is_used: impl Fn(&Element) -> bool) -> Moved {
        let mut moved = Moved::default();
        self.measure();
        let was: Vec<bool> = self.items.iter().map(|item| item.is_connected()).collect();
        let (near, shown) = loop {
            let near = self.heights.near(self.origin(), f64::from(self.scroller.client_height()));
            let mut shown = self.heights.shown(&near, &was);
            self.place(&shown);
            if ItemHeights::thin(count(), &mut shown, &near, |at| self.items.get(at).is_some_and(&is_used)) {
                self.place(&shown);
            }
            if self.heights.fit(count()) == Fits::Yes {
                break (near, shown);
            }
        };
        for (((item, shown), was), near) in self.items.iter().zip(shown).zip(was).zip(near) {
            match (was, shown) {
                (false, true) => moved.came.push(item.clone()),
                (true, false) => moved.left.push(item.clone()),
                _ => {}
            }
            if near && shown {
                moved.near.push(item.clone());
            }
        }
        moved
    }

    /// Items in the document, and places between them as high as those that aren't.
    fn place(&self, shown: &[bool]) {
        let Some(within) = self.end.parent_element() else { return };
        dom::find_all(&within, ":scope > .reel-space[data-between]").iter().for_each(Element::remove);
        let (mut next, mut spaces) = (self.end.clone(), self.heights.spaces(shown));
        for (item, shown) in self.items.iter().zip(shown).rev() {
            if !shown {
                item.remove();
                continue;
            }
            if let Some(space) = spaces.pop().filter(|space| *space > 0.0)
                && let Some(between) = dom::make("div", "reel-space")
            {
                let _ = between.set_attribute(attr::BETWEEN, "");
                let _ = between.set_attribute("style", &format!("height:{space}px"));
                let _ = within.insert_before(&between, Some(&next));
                next = between;
            }
            if !item.is_connected() {
                let _ = within.insert_before(item, Some(&next));
            }
            next = item.clone();
        }
        let _ = self.start.set_attribute("style", &format!("height:{}px", spaces.pop().unwrap_or_default()));
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
