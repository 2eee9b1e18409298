//! Small sentences of the interface that depend on numbers, and steps through lists.

use super::events::Link;
use crate::figures;
use crate::time_text;
use model::text::is_blank;

/// In seconds.
pub const HOUR: i64 = 3_600;

/// Why a page may be old; empty while it is live. `since` is when the connection was lost, and `kept` when the page was
/// read, where it doesn't come from the server.
pub fn of_link(link: Link, since: &str, kept: Option<&str>) -> String {
    let later = "Newer messages appear when the connection is back.";
    match (link, kept) {
        // One attempt is what a server takes that starts again.
        (Link::Connecting | Link::Live | Link::Reconnecting(0 | 1), _) => String::new(),
        (Link::Reconnecting(n), _) => format!("No response since {since}, attempt {n}. {later}"),
        (Link::Offline, Some(at)) => {
            format!("Offline: as of {at}. The page updates automatically when the server responds.")
        }
        (Link::Offline, None) => format!("Offline since {since}. {later}"),
        (Link::Replaying(behind), _) => format!("Catching up: {} behind", figures::counted(behind, "change")),
    }
}

/// When something is tried again, so many seconds from now, and whether the words change each second. What lies behind,
/// or more than an hour ahead, is a time of day, `at`.
pub fn of_retry(seconds: i64, at: impl FnOnce() -> String) -> (String, bool) {
    match seconds {
        1..HOUR => (format!("retry in {}", time_text::seconds(seconds * 1_000_000)), true),
        HOUR.. => (format!("retry at {}", at()), false),
        _ => (format!("retry was due {}", at()), false),
    }
}

/// The button that imports folders: so many of all are chosen.
pub fn of_import(chosen: usize, all: usize) -> String {
    match chosen {
        0 => "Import nothing".to_owned(),
        1 => "Import 1 folder".to_owned(),
        n if n == all => format!("Import all {n}"),
        n => format!("Import {n} folders"),
    }
}

/// A draft with words behind it that were written elsewhere.
pub fn joined(draft: &str, words: &str) -> String {
    if is_blank(draft) { words.to_owned() } else { format!("{}\n\n{words}", draft.trim_end()) }
}

/// The row to go to of a list, by one step; the first one where none is current.
pub fn stepped(at: Option<usize>, step: i32, count: usize) -> usize {
    at.map_or(0, |at| at.saturating_add_signed(step as isize).min(count.saturating_sub(1)))
}

/// Like [`stepped`], round and round. None of an empty list.
pub fn rotated(at: Option<usize>, step: i32, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    Some(match at {
        None => 0,
        Some(at) if step > 0 => {
            if at >= last {
                0
            } else {
                at + 1
            }
        }
        Some(at) => at.checked_sub(1).unwrap_or(last),
    })
}

#[cfg(test)]
mod tests {
    use super::{Link, joined, of_import, of_link, of_retry, rotated, stepped};

    fn link(link: Link) -> String {
        of_link(link, "14:02", None)
    }

    #[test]
    fn a_live_page_says_nothing() {
        assert_eq!([link(Link::Live), link(Link::Connecting), link(Link::Reconnecting(1))], [""; 3]);
    }

    #[test]
    fn a_lost_server_is_named_from_the_second_attempt() {
        let words = "No response since 14:02, attempt 2. Newer messages appear when the connection is back.";
        assert_eq!(link(Link::Reconnecting(2)), words);
    }

    #[test]
    fn a_device_without_network_says_since_when() {
        let words = "Offline since 14:02. Newer messages appear when the connection is back.";
        assert_eq!(link(Link::Offline), words);
    }

    #[test]
    fn a_kept_page_says_of_when_it_is() {
        let words = "Offline: as of 1 Feb, 03:07. The page updates automatically when the server responds.";
        assert_eq!(of_link(Link::Offline, "14:02", Some("1 Feb, 03:07")), words);
    }

    #[test]
    fn a_page_that_is_behind_says_how_far() {
        assert_eq!(
            (link(Link::Replaying(1)), link(Link::Replaying(1_204))),
            ("Catching up: 1 change behind".to_owned(), "Catching up: 1,204 changes behind".to_owned())
        );
    }

    fn retry(seconds: i64) -> (String, bool) {
        of_retry(seconds, || "03:07".to_owned())
    }

    #[test]
    fn a_retry_within_the_hour_counts_down() {
        assert!(retry(1).1 && retry(3_599).1);
        assert!(retry(90).0.starts_with("retry in 1 min"), "{}", retry(90).0);
    }

    #[test]
    fn a_later_retry_has_a_time_of_day() {
        assert_eq!(retry(3_600), ("retry at 03:07".to_owned(), false));
    }

    #[test]
    fn a_retry_that_is_over_was_due() {
        assert_eq!(
            [retry(0), retry(-5)],
            [("retry was due 03:07".to_owned(), false), ("retry was due 03:07".to_owned(), false)]
        );
    }

    #[test]
    fn the_import_button_counts_folders() {
        assert_eq!(
            [of_import(0, 3), of_import(1, 3), of_import(2, 3), of_import(3, 3)],
            ["Import nothing", "Import 1 folder", "Import 2 folders", "Import all 3"]
        );
    }

    #[test]
    fn one_folder_of_one_is_one_folder() {
        assert_eq!(of_import(1, 1), "Import 1 folder");
    }

    #[test]
    fn rescued_words_come_behind_a_draft() {
        assert_eq!(joined("Draft \n", "words"), "Draft\n\nwords");
    }

    #[test]
    fn rescued_words_are_the_draft_where_there_is_none() {
        assert_eq!((joined("", "words"), joined(" \n", "words")), ("words".to_owned(), "words".to_owned()));
    }

    #[test]
    fn a_list_ends_at_its_ends() {
        assert_eq!([stepped(Some(0), -1, 3), stepped(Some(2), 1, 3), stepped(Some(1), 1, 3)], [0, 2, 2]);
    }

    #[test]
    fn a_walk_begins_at_the_first_row() {
        assert_eq!([stepped(None, 1, 3), stepped(None, -1, 3), stepped(None, 1, 0)], [0; 3]);
    }

    #[test]
    fn the_palette_goes_round() {
        assert_eq!(
            [rotated(Some(2), 1, 3), rotated(Some(0), -1, 3), rotated(Some(1), 1, 3)],
            [Some(0), Some(2), Some(2)]
        );
    }

    #[test]
    fn the_palette_begins_at_the_first_and_an_empty_one_nowhere() {
        assert_eq!([rotated(None, -1, 3), rotated(None, 1, 0), rotated(Some(4), 1, 0)], [Some(0), None, None]);
    }
}
