//! New rows take the place of old ones: which of them go, stay and come, and which are the same in the same state.
use super::attr;

/// Steps that produce the rows in their new order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// An old row stays, which the new one is about: their places.
    Keep { old: usize, new: usize },
    /// A new row comes before the old ones that are left.
    Insert { new: usize },
}

/// How to get from old rows to new ones.
#[derive(Debug, PartialEq, Eq)]
pub struct Merge {
    /// Places of old rows that go, which has to be done first: then nothing has to move that stays.
    pub gone: Vec<usize>,
    pub steps: Vec<Step>,
}

/// Compares rows by their keys.
pub fn merge<K: PartialEq>(old: &[K], new: &[K]) -> Merge {
    let mut steps = Vec::with_capacity(new.len());
    let mut next = 0;
    for (at, key) in new.iter().enumerate() {
        // An old row whose key comes later stands where it is.
        while old.get(next).is_some_and(|key| !new.contains(key)) {
            next += 1;
        }
        if old.get(next) == Some(key) {
            steps.push(Step::Keep { old: next, new: at });
            next += 1;
        } else {
            steps.push(Step::Insert { new: at });
        }
    }
    let is_kept = |place: usize| steps.iter().any(|step| matches!(step, Step::Keep { old, .. } if *old == place));
    Merge { gone: (0..old.len()).filter(|place| !is_kept(*place)).collect(), steps }
}

/// A row as far as it is compared.
pub trait Row {
    fn attribute(&self, name: &str) -> Option<String>;
    /// An attribute of the first element within the row that matches.
    fn inner(&self, selector: &str, name: &str) -> Option<String>;
    fn has(&self, selector: &str) -> bool;
    fn text(&self) -> Option<String>;
}

/// Attributes that say which row it is, and how it stands.
const STATE: [&str; 10] = [
    "id",
    attr::SEQ,
    attr::LAST,
    attr::HOLDS,
    attr::TURN,
    attr::RUNS_ON,
    attr::REVISION,
    attr::DELIVERY,
    attr::CHILD,
    "class",
];

/// Attributes that can change without the message: the hash of an open approval, the ticks of a plan, and the state of
/// a call whose result is elsewhere or whose agent was lost.
const WITHIN: [(&str, &str); 3] =
    [("[data-shown]", attr::SHOWN), ("[data-done]", attr::DONE), (".tool[data-state]", attr::STATE)];

/// Is it the same row in the same state? Revisions say so for messages; markers and groups are compared by what they
/// say.
pub fn is_same(one: &impl Row, other: &impl Row) -> bool {
    STATE.iter().all(|name| one.attribute(name) == other.attribute(name))
        && (one.attribute(attr::REVISION).is_some() || one.text() == other.text())
        && WITHIN.iter().all(|(selector, name)| one.inner(selector, name) == other.inner(selector, name))
        // With dev on a row ends in a strip that it lacks otherwise.
        && one.has(".dev") == other.has(".dev")
}

#[cfg(test)]
mod tests {
    use super::{Merge, Row, STATE, Step, WITHIN, attr, is_same, merge};

    const fn keep(old: usize, new: usize) -> Step {
        Step::Keep { old, new }
    }

    const fn insert(new: usize) -> Step {
        Step::Insert { new }
    }

    fn merged(old: &str, new: &str) -> Merge {
        merge(&old.chars().collect::<Vec<_>>(), &new.chars().collect::<Vec<_>>())
    }

    #[test]
    fn rows_that_stayed_are_kept() {
        assert_eq!(merged("ab", "ab"), Merge { gone: vec![], steps: vec![keep(0, 0), keep(1, 1)] });
    }

    #[test]
    fn new_rows_come_behind_and_between() {
        assert_eq!(
            merged("ac", "abcd"),
            Merge { gone: vec![], steps: vec![keep(0, 0), insert(1), keep(1, 2), insert(3)] }
        );
    }

    #[test]
    fn rows_that_are_not_wanted_go() {
        assert_eq!(merged("abcd", "ad"), Merge { gone: vec![1, 2], steps: vec![keep(0, 0), keep(3, 1)] });
    }

    #[test]
    fn a_row_that_is_replaced_goes_where_the_new_one_comes() {
        assert_eq!(merged("abc", "axc"), Merge { gone: vec![1], steps: vec![keep(0, 0), insert(1), keep(2, 2)] });
    }

    #[test]
    fn rows_that_changed_places_are_there_once() {
        assert_eq!(merged("ab", "ba"), Merge { gone: vec![1], steps: vec![insert(0), keep(0, 1)] });
    }

    #[test]
    fn an_empty_list_takes_all_and_loses_all() {
        assert_eq!(merged("", "ab"), Merge { gone: vec![], steps: vec![insert(0), insert(1)] });
        assert_eq!(merged("ab", ""), Merge { gone: vec![0, 1], steps: vec![] });
    }

    /// A message with a revision, whose parts say `1`.
    #[derive(Clone)]
    struct Fake {
        attributes: Vec<(&'static str, &'static str)>,
        inner: Vec<(&'static str, &'static str)>,
        dev: bool,
        text: &'static str,
    }

    impl Row for Fake {
        fn attribute(&self, name: &str) -> Option<String> {
            self.attributes.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        }

        fn inner(&self, selector: &str, _: &str) -> Option<String> {
            self.inner.iter().find(|(known, _)| *known == selector).map(|(_, value)| (*value).to_owned())
        }

        fn has(&self, _: &str) -> bool {
            self.dev
        }

        fn text(&self) -> Option<String> {
            Some(self.text.to_owned())
        }
    }

    fn message() -> Fake {
        Fake {
            attributes: STATE.iter().map(|name| (*name, "1")).collect(),
            inner: WITHIN.iter().map(|(selector, _)| (*selector, "1")).collect(),
            dev: false,
            text: "Hello",
        }
    }

    #[test]
    fn a_message_of_the_same_revision_is_the_same_whatever_it_says() {
        assert!(is_same(&message(), &Fake { text: "Hello, 5 minutes ago", ..message() }));
    }

    #[test]
    fn each_attribute_of_the_state_counts() {
        for (at, name) in STATE.iter().enumerate() {
            let mut other = message();
            other.attributes[at].1 = "2";
            assert!(!is_same(&message(), &other), "{name}");
            other.attributes.remove(at);
            assert!(!is_same(&message(), &other), "{name}");
        }
    }

    #[test]
    fn what_changes_without_the_message_counts() {
        for (at, (selector, _)) in WITHIN.iter().enumerate() {
            let mut other = message();
            other.inner[at].1 = "2";
            assert!(!is_same(&message(), &other), "{selector}");
        }
    }

    #[test]
    fn a_marker_is_compared_by_what_it_says() {
        let mut marker = message();
        marker.attributes.retain(|(name, _)| *name != attr::REVISION);
        assert!(is_same(&marker, &marker.clone()));
        assert!(!is_same(&marker, &Fake { text: "2 messages are hidden", ..marker.clone() }));
    }

    #[test]
    fn a_row_with_the_strip_of_dev_is_another_one() {
        assert!(!is_same(&message(), &Fake { dev: true, ..message() }));
    }
}
