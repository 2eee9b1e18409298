//! The choice of verbosity, in the session's menu: links, so that it works without a script and stays in the address.

use super::SessionPageData;
use crate::part::{Part, part};
use crate::shared::page_action::PageAction;
use crate::shared::session_href;
use crate::transcript::Verbosity;
use leptos::prelude::*;

pub fn levels(data: &SessionPageData) -> Part {
    let id = data.detail.session.id.as_str();
    let link = |level: Verbosity| {
        let here = (level == data.verbosity).then_some("true");
        let to = format!("{}?view={}", session_href(id), level.as_str());
        part! { <a href=to aria-current=here data-action=PageAction::SetLevel.name()>{level.label()}</a> }
    };
    let links: Vec<_> = Verbosity::ALL.into_iter().map(link).collect();
    part! { <div class="menu-levels"><span class="cap">"Detail"</span><span class="seg">{links}</span></div> }
}
