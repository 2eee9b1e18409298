//! Which items of a long list are in the document, and how high the places are that stand for the others. Pure: pixels
//! in, decisions out.

/// Elements of the document beyond which what is out of view leaves it.
const MANY: usize = 1_100;
/// Pixels around the view in which the list is there: fewer, where so much stands there that the document grows too
/// large.
const MARGINS: [f64; 3] = [900.0, 300.0, 40.0];

#[derive(Debug, Clone, Copy)]
struct Item {
    /// With its margin.
    height: f64,
    is_hidden: bool,
}

#[derive(Debug)]
pub struct ItemHeights {
    items: Vec<Item>,
    /// Which of [`MARGINS`].
    margin: usize,
}

/// Result of a check of the document's size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fits {
    Yes,
    /// The margin became smaller: everything is to be placed again.
    Again,
}

impl ItemHeights {
    /// Makes heights from estimates.
    pub fn new(guesses: impl IntoIterator<Item = f64>) -> Self {
        let items = guesses.into_iter().map(|height| Item { height, is_hidden: false }).collect();
        Self { items, margin: 0 }
    }

    pub fn hide(&mut self, at: usize, is_hidden: bool) {
        if let Some(item) = self.items.get_mut(at) {
            item.is_hidden = is_hidden;
        }
    }

    /// An item is as high as this; one that isn't drawn stays as it was.
    pub fn measure(&mut self, at: usize, height: f64, margin: f64) {
        if let Some(item) = self.items.get_mut(at).filter(|_| height > 0.0) {
            item.height = height + margin;
        }
    }

    /// How far an item is below the first one.
    pub fn top(&self, at: usize) -> f64 {
        self.items.iter().take(at).filter(|item| !item.is_hidden).map(|item| item.height).sum()
    }

    /// Which items are near a view of this height, whose top is so far above the first item.
    pub fn near(&self, origin: f64, view: f64) -> Vec<bool> {
        let margin = MARGINS.get(self.margin).copied().unwrap_or_default();
        let mut y = origin;
        let near = |item: &Item| {
            if item.is_hidden {
                return false;
            }
            let top = y;
            y += item.height;
            y >= -margin && top <= view + margin
        };
        self.items.iter().map(near).collect()
    }

    /// Which items are to be there: those that are near, and those that were there already.
    pub fn shown(&self, near: &[bool], was: &[bool]) -> Vec<bool> {
        let all = self.items.iter().zip(near).zip(was);
        all.map(|((item, near), was)| !item.is_hidden && (*near || *was)).collect()
    }

    /// Removes distant items if the document has too many elements. Items in use stay.
    pub fn thin(elements: usize, shown: &mut [bool], near: &[bool], is_used: impl Fn(usize) -> bool) -> bool {
        if elements <= MANY {
            return false;
        }
        for (at, (shown, near)) in shown.iter_mut().zip(near).enumerate() {
            *shown = *near || (*shown && is_used(at));
        }
        true
    }

    /// Takes the number of the document's elements: the margin becomes smaller where there are too many still, and as
    /// large as it was where there are few.
    pub fn fit(&mut self, elements: usize) -> Fits {
        if elements > MANY && self.margin + 1 < MARGINS.len() {
            self.margin += 1;
            return Fits::Again;
        }
        if elements < MANY / 2 {
            self.margin = 0;
        }
        Fits::Yes
    }

    /// How high the places are: in front of everything, then behind each shown item.
    pub fn spaces(&self, shown: &[bool]) -> Vec<f64> {
        let mut spaces = vec![0.0];
        for (item, shown) in self.items.iter().zip(shown) {
            if *shown {
                spaces.push(0.0);
            } else if let Some(space) = spaces.last_mut().filter(|_| !item.is_hidden) {
                *space += item.height;
            }
        }
        spaces
    }
}

#[cfg(test)]
mod tests {
    use super::{Fits, ItemHeights};

    /// Items of 1,000 pixels.
    fn list(count: usize) -> ItemHeights {
        ItemHeights::new(vec![1_000.0; count])
    }

    fn bits(values: &[f64]) -> Vec<i64> {
        values.iter().map(|value| *value as i64).collect()
    }

    #[test]
    fn what_is_within_a_margin_of_the_view_is_near() {
        assert_eq!(list(6).near(-2_000.0, 600.0), [false, true, true, true, false, false]);
    }

    #[test]
    fn at_the_top_the_first_items_are_near() {
        assert_eq!(list(4).near(0.0, 600.0), [true, true, false, false]);
    }

    #[test]
    fn a_hidden_item_is_never_near_and_takes_no_room() {
        let mut list = list(4);
        list.hide(1, true);
        assert_eq!(list.near(0.0, 600.0), [true, false, true, false]);
        assert_eq!(bits(&[list.top(2)]), [1_000]);
    }

    #[test]
    fn an_item_that_is_shown_again_takes_its_room() {
        let mut list = list(3);
        list.hide(1, true);
        list.hide(1, false);
        assert_eq!(bits(&[list.top(2)]), [2_000]);
    }

    #[test]
    fn a_measured_item_counts_with_its_margin() {
        let mut list = list(3);
        list.measure(0, 200.0, 12.0);
        assert_eq!(bits(&[list.top(1), list.top(2)]), [212, 1_212]);
    }

    #[test]
    fn an_item_without_height_keeps_its_guess() {
        let mut list = list(2);
        list.measure(0, 0.0, 12.0);
        assert_eq!(bits(&[list.top(1)]), [1_000]);
    }

    #[test]
    fn what_was_there_stays_while_there_is_room() {
        let list = list(3);
        assert_eq!(list.shown(&[false, true, false], &[true, false, false]), [true, true, false]);
    }

    #[test]
    fn what_was_there_goes_when_it_is_hidden() {
        let mut list = list(2);
        list.hide(0, true);
        assert_eq!(list.shown(&[false, true], &[true, true]), [false, true]);
    }

    #[test]
    fn a_large_document_keeps_what_is_near_or_used() {
        let mut shown = [true, true, true, false];
        assert!(ItemHeights::thin(1_101, &mut shown, &[false, true, false, false], |at| at == 2));
        assert_eq!(shown, [false, true, true, false]);
    }

    #[test]
    fn a_document_of_its_size_keeps_everything() {
        let mut shown = [true, true];
        assert!(!ItemHeights::thin(1_100, &mut shown, &[false, false], |_| false));
        assert_eq!(shown, [true, true]);
    }

    #[test]
    fn the_margin_becomes_smaller_twice() {
        let mut list = list(4);
        assert_eq!([list.fit(2_000), list.fit(2_000), list.fit(2_000)], [Fits::Again, Fits::Again, Fits::Yes]);
        assert_eq!(list.near(-1_100.0, 600.0), [false, true, false, false]);
    }

    #[test]
    fn the_margin_grows_again_in_a_small_document() {
        let mut list = list(4);
        list.fit(2_000);
        list.fit(700);
        assert_eq!(list.near(-1_500.0, 500.0), [false, true, true, false]);
        list.fit(549);
        assert_eq!(list.near(-1_500.0, 500.0), [true, true, true, false]);
    }

    #[test]
    fn places_are_as_high_as_what_they_stand_for() {
        let spaces = list(6).spaces(&[false, false, true, false, true, false]);
        assert_eq!(bits(&spaces), [2_000, 1_000, 1_000]);
    }

    #[test]
    fn where_nothing_is_shown_all_of_it_is_in_front() {
        assert_eq!(bits(&list(3).spaces(&[false; 3])), [3_000]);
    }

    #[test]
    fn hidden_items_leave_no_place() {
        let mut list = list(3);
        list.hide(0, true);
        assert_eq!(bits(&list.spaces(&[false, true, true])), [0, 0, 0]);
    }
}
