//! Which sessions stand together in the list, under which heading.

use super::by_time;
use crate::clock::Clock;
use crate::icon::Glyph;
use crate::names::project_name;
use api::sessions::{Facet, SessionSort};
use model::{Micros, Session, SessionState};

pub struct Group<'a> {
    pub heading: String,
    /// A `data-state` of the design.
    pub state: &'static str,
    pub icon: Glyph,
    pub sessions: Vec<&'a Session>,
}

/// Returns the group of pinned sessions; None if there are none.
pub fn pinned(sessions: &[Session]) -> Option<Group<'_>> {
    let heading = "Pinned".to_owned();
    let group = Group { heading, state: "idle", icon: Glyph::PIN, sessions: sessions.iter().collect() };
    Some(group).filter(|group| !group.sessions.is_empty())
}

/// Groups in the order in which they are shown. Within a group the given order stays.
pub fn grouped<'a>(
    sessions: impl IntoIterator<Item = &'a Session>,
    sort: SessionSort,
    clock: &Clock,
    projects: &[Facet],
) -> Vec<Group<'a>> {
    let mut groups: Vec<(u8, Group<'a>)> = Vec::new();
    for session in sessions {
        let (rank, heading, state, icon) = key(session, sort, clock, projects);
        match groups.iter_mut().find(|(_, group)| group.heading == heading) {
            Some((_, group)) => group.sessions.push(session),
            None => groups.push((rank, Group { heading, state, icon, sessions: vec![session] })),
        }
    }
    // Stable: groups of equal rank stay in the order of their first session.
    groups.sort_by_key(|(rank, _)| *rank);
    groups.into_iter().map(|(_, group)| group).collect()
}

fn key(session: &Session, sort: SessionSort, clock: &Clock, projects: &[Facet]) -> (u8, String, &'static str, Glyph) {
    match sort {
        SessionSort::Project => (2, project_name(&session.project, projects), "idle", Glyph::FOLDER),
        _ if session.state == SessionState::NeedsYou => (0, "Needs you".to_owned(), "needs", Glyph::NEEDS),
        _ if session.state == SessionState::Working => (1, "Working".to_owned(), "working", Glyph::WORK),
        _ if by_time(sort) => {
            let at = if sort == SessionSort::Created { session.created_at } else { session.last_activity_at };
            (2, day_heading(at, clock), "idle", Glyph::CLOCK)
        }
        _ => (2, "All others".to_owned(), "idle", Glyph::LIST),
    }
}

fn day_heading(at: Micros, clock: &Clock) -> String {
    if at.0 <= 0 {
        return "Undated".to_owned();
    }
    let (day, today) = (clock.day(at), clock.day(clock.now));
    let days = today.since(day).map_or(0, |span| i64::from(span.get_days()));
    match days {
        ..=0 => "Today".to_owned(),
        1 => "Yesterday".to_owned(),
        2..7 => "This week".to_owned(),
        7..31 => "This month".to_owned(),
        _ => day.strftime("%B %Y").to_string(),
    }
}
