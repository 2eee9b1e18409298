//! The options of the palette, and the checks which answer of the server and which Enter count.

use super::latest::{Latest, Turn};
use serde::{Deserialize, Serialize};

/// Options of one kind.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Group {
    pub heading: String,
    pub options: Vec<Found>,
}

/// Pieces of a text; true for those that stand for typed letters.
pub type Pieces = Vec<(String, bool)>;

/// An option: how it looks, and what it does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Found {
    /// How well it matches, by which the server sorts.
    #[serde(skip)]
    pub score: u32,
    /// Markup of the icon.
    pub icon: String,
    /// The state whose colour the icon has.
    pub state: Option<String>,
    pub words: Pieces,
    /// Folder of a file.
    pub folder: Option<Pieces>,
    pub beside: String,
    /// When it was last active, of a session.
    pub when: Option<String>,
    pub keys: Vec<String>,
    pub does: Does,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Does {
    Go(String),
    /// A command of the table of keys, by its id.
    Run(String),
    /// A choice of how pages look: name and value.
    Look(String, String),
}

/// Returns the number of options.
pub fn count(groups: &[Group]) -> usize {
    groups.iter().map(|group| group.options.len()).sum()
}

/// Returns what an option does; options are numbered through all groups.
pub fn deed(groups: &[Group], number: usize) -> Option<&Does> {
    groups.iter().flat_map(|group| &group.options).nth(number).map(|found| &found.does)
}

/// Requests for the list.
#[derive(Debug, Default)]
pub struct Requests {
    asked: Latest,
    /// The list shows the answer to the latest one.
    is_shown: bool,
    /// Enter was pressed before that answer came.
    chooses: bool,
}

impl Requests {
    /// Begins a request. An Enter that waits was for an earlier one.
    pub fn begin(&mut self) -> Turn {
        (self.is_shown, self.chooses) = (false, false);
        self.asked.begin()
    }

    /// Takes an answer. Returns None if a later request was begun; else whether Enter waits for it.
    pub fn answer(&mut self, turn: Turn) -> Option<bool> {
        self.asked.is(turn).then(|| {
            self.is_shown = true;
            std::mem::take(&mut self.chooses)
        })
    }

    /// Takes an Enter. Returns true if the list shows what was typed; else the Enter waits for the answer.
    pub fn enter(&mut self) -> bool {
        self.chooses = !self.is_shown;
        self.is_shown
    }

    /// Forgets an Enter that waits: the palette was closed.
    pub fn close(&mut self) {
        self.chooses = false;
    }
}

#[cfg(test)]
mod tests {
    use super::{Does, Found, Group, Requests, count, deed};

    fn group(ids: &[&str]) -> Group {
        let found = |id: &&str| Found {
            score: 0,
            icon: String::new(),
            state: None,
            words: Vec::new(),
            folder: None,
            beside: String::new(),
            when: None,
            keys: Vec::new(),
            does: Does::Run((*id).to_owned()),
        };
        Group { heading: String::new(), options: ids.iter().map(found).collect() }
    }

    #[test]
    fn options_are_numbered_through_all_groups() {
        let groups = [group(&["find", "help"]), group(&[]), group(&["undo"])];
        assert_eq!(count(&groups), 3);
        assert_eq!(deed(&groups, 2), Some(&Does::Run("undo".to_owned())));
        assert_eq!(deed(&groups, 3), None);
    }

    #[test]
    fn only_the_answer_to_the_latest_request_counts() {
        let mut requests = Requests::default();
        let (first, second) = (requests.begin(), requests.begin());
        assert_eq!((requests.answer(first), requests.answer(second)), (None, Some(false)));
    }

    #[test]
    fn enter_chooses_from_what_is_shown() {
        let mut requests = Requests::default();
        let turn = requests.begin();
        requests.answer(turn);
        assert!(requests.enter());
    }

    #[test]
    fn an_enter_waits_for_the_answer() {
        let mut requests = Requests::default();
        let turn = requests.begin();
        assert!(!requests.enter());
        assert_eq!(requests.answer(turn), Some(true));
    }

    #[test]
    fn an_enter_that_waits_is_forgotten_with_the_next_letter_and_at_the_end() {
        let mut requests = Requests::default();
        requests.begin();
        requests.enter();
        let turn = requests.begin();
        assert_eq!(requests.answer(turn), Some(false));
        let turn = requests.begin();
        requests.enter();
        requests.close();
        assert_eq!(requests.answer(turn), Some(false));
    }
}
