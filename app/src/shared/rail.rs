//! Parts of every page about all sessions: open requests, title, favicon.

/// Requests that wait, as `session/seq`, as the rail tells them.
pub fn waiting(said: &str) -> Vec<String> {
    said.split_whitespace().map(str::to_owned).collect()
}

/// Those of `now` that weren't there before.
pub fn fresh<'a>(now: &'a [String], before: &[String]) -> impl Iterator<Item = &'a String> {
    now.iter().filter(|key| !before.contains(key))
}

/// The title without what waits.
pub fn bare_title(title: &str) -> &str {
    title.split_once("!) ").filter(|(count, _)| count.starts_with('(')).map_or(title, |(_, rest)| rest)
}

/// The title with what waits in front.
pub fn title(bare: &str, waiting: usize) -> String {
    if waiting > 0 { format!("({waiting}!) {bare}") } else { bare.to_owned() }
}

/// The title of a page whose heading became another one. None if it didn't: while one is being typed there is no
/// heading.
pub fn renamed(title: &str, before: &str, now: &str) -> Option<String> {
    let changed = !now.is_empty() && !before.is_empty() && before != now;
    changed.then(|| title.replacen(before, now, 1))
}

/// The colour of the favicon's dot: what waits for the reader comes first, then how this page's session stands, else
/// whether any works.
pub fn dot(waiting: usize, own: Option<&str>, works: bool) -> Option<&'static str> {
    match own {
        _ if waiting > 0 => Some("#d29922"),
        Some("working") => Some("#4493f8"),
        Some("done") => Some("#3fb950"),
        Some("failed" | "lost") => Some("#ff6b63"),
        None if works => Some("#4493f8"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{bare_title, dot, fresh, renamed, title, waiting};

    #[test]
    fn requests_are_told_with_spaces_between() {
        assert_eq!((waiting("a/1 b/22"), waiting("")), (vec!["a/1".to_owned(), "b/22".to_owned()], vec![]));
    }

    #[test]
    fn only_what_was_not_there_is_fresh() {
        let (before, now) = (waiting("a/1 b/2"), waiting("b/2 a/3"));
        assert_eq!(fresh(&now, &before).collect::<Vec<_>>(), ["a/3"]);
        assert_eq!(fresh(&before, &now).collect::<Vec<_>>(), ["a/1"]);
    }

    #[test]
    fn a_title_is_bare_without_its_count() {
        assert_eq!((bare_title("(2!) Fix it"), bare_title("Fix it")), ("Fix it", "Fix it"));
    }

    #[test]
    fn a_title_that_looks_like_a_count_stays() {
        assert_eq!(bare_title("Wow!) What"), "Wow!) What");
    }

    #[test]
    fn a_title_says_how_many_wait() {
        assert_eq!((title("Fix it", 0), title("Fix it", 2)), ("Fix it".to_owned(), "(2!) Fix it".to_owned()));
        assert_eq!(bare_title(&title("Fix it", 2)), "Fix it");
    }

    #[test]
    fn the_title_follows_the_heading() {
        assert_eq!(renamed("Fix it \u{b7} Verbatim", "Fix it", "Fix all").as_deref(), Some("Fix all \u{b7} Verbatim"));
    }

    #[test]
    fn a_heading_that_is_being_typed_changes_no_title() {
        assert_eq!(
            [renamed("Fix it", "Fix it", ""), renamed("Fix it", "", "All"), renamed("Fix it", "Fix it", "Fix it")],
            [None, None, None]
        );
    }

    #[test]
    fn what_waits_is_seen_first() {
        assert_eq!([dot(1, Some("failed"), true), dot(1, None, false)], [Some("#d29922"); 2]);
    }

    #[test]
    fn the_pages_own_session_goes_before_others() {
        assert_eq!([dot(0, Some("idle"), true), dot(0, Some("done"), true)], [None, Some("#3fb950")]);
    }

    #[test]
    fn a_page_of_no_session_says_whether_any_works() {
        assert_eq!([dot(0, None, true), dot(0, None, false)], [Some("#4493f8"), None]);
    }

    #[test]
    fn a_lost_session_has_failed() {
        assert_eq!(dot(0, Some("lost"), false), dot(0, Some("failed"), false));
    }
}
