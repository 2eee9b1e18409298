//! The filter of a transcript: read from an address, and what there is to choose from.

use super::Site;
use super::transcript::View;
use api::Problem;
use api::sessions::SessionPath;
use app::pages::session::filter::KindCount;
use app::pages::session::{CHUNK, Dev, FilterData};
use app::shared::message_filter::MessageFilter;
use model::policy::Display;
use model::{Part, Role};
use std::collections::BTreeMap;

/// Reads the parameters `type` and `role` of a page or a piece of one.
pub fn read(types: Option<&str>, roles: Option<&str>) -> Result<MessageFilter, Problem> {
    MessageFilter::parse(types, roles)
        .map_err(|_| Problem::field("role", &format!("one of `{}`", Role::WORDS.join("`, `"))))
}

/// The filter of a view of a session, with how many messages each choice would show.
pub async fn data(site: &Site, path: &SessionPath, view: &View, open: bool) -> Result<FilterData, Problem> {
    let filter = MessageFilter::clone(&view.filter);
    if !open && filter.is_empty() {
        return Ok(FilterData::default());
    }
    let mut counts: BTreeMap<(String, Role), (i64, i64)> = BTreeMap::new();
    for count in site.api.counts(path).await? {
        // Retracted hidden messages, and calls that are shown as derived cards, aren't counted.
        let Some(display) = count.display.filter(|_| count.part != Part::Replaced) else { continue };
        let thinks = count.role == Role::Model && view.verbosity.shows_thinking();
        let is_shown = view.dev == Dev::On || display != Display::Dev || thinks;
        let (shown, hidden) = counts.entry((count.message_type, count.role)).or_default();
        *(if is_shown { shown } else { hidden }) += i64::try_from(count.count).unwrap_or(i64::MAX);
    }
    let counts = counts.into_iter().map(|((message_type, role), (shown, hidden))| KindCount {
        message_type,
        role,
        shown,
        hidden,
    });
    let all = view.dev == Dev::On || view.verbosity.shows_thinking();
    let holds = if filter.is_empty() {
        Vec::new()
    } else {
        site.api.stretches(path, (&filter.types, &filter.roles), all, CHUNK).await?
    };
    Ok(FilterData { filter, counts: counts.collect(), holds, open })
}
