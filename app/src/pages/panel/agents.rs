//! The sub-agents of a session, oldest first; what one said is fetched when it is opened.

use super::nothing;
use crate::clock::{Clock, moment};
use crate::figures;
use crate::html::Html;
use crate::icon::{Glyph, Icon, Size};
use crate::part::{Part, part};
use crate::shared::{fragments_href, session_href};
use crate::shell::{StateLook, fold_mark, small_icon};
use crate::transcript::Child;
use leptos::prelude::*;
use model::{Session, SessionState};

pub fn agents(children: &[Session], clock: &Clock) -> Part {
    if children.is_empty() {
        return nothing("No sub-agents. Those that the agent starts are listed here with their state.");
    }
    let rows: Vec<_> = children.iter().map(|child| agent(child, clock)).collect();
    part! {
        <p class="panel-line"><span class="num">{figures::counted(children.len() as i64, "sub-agent")}</span></p>
        <div class="agents">{rows}</div>
    }
}

fn agent(child: &Session, clock: &Clock) -> Part {
    // It answered the agent that started it, and will do nothing more.
    let is_done = child.state == SessionState::Idle && child.message_count > 0;
    let state = if is_done { SessionState::Done } else { child.state };
    let look = StateLook::of(state);
    let id = child.id.as_str();
    let tokens = child.usage.total();
    let tokens = (tokens > 0).then(|| part! { <span>{figures::tokens(tokens)}" tokens processed"</span> });
    let messages = if Child::is_missing(child) {
        "Transcript not found".to_owned()
    } else {
        figures::counted(child.message_count, "message")
    };
    part! {
        <details data-load=format!("{}/nested", fragments_href(id)) data-edits=child.last_seq.to_string() data-agent=id.to_owned()>
            <summary data-state=look.tag>{fold_mark()}<Icon glyph=look.icon size=Size::Small/><span class="sr">{look.word}</span>
                <span class="cut" dir="auto" title=child.title.clone()>{child.title.clone()}</span>
                <span class="cap num">{messages}{tokens}{moment(clock, child.last_activity_at, "")}</span></summary>
            <div class="nested" data-session=id.to_owned()></div>
        </details>
    }
}

/// Draws the last messages of a sub-agent, with a link to its session.
pub fn nested(child: &Session, rows: String, earlier: i64) -> Part {
    let words = match earlier {
        0 => "Open the session".to_owned(),
        n => format!("Open the session, with {}", figures::counted(n, "earlier message")),
    };
    part! {
        <p class="panel-pad"><a class="btn tiny" href=session_href(child.id.as_str())>{small_icon(Glyph::SUB)}{words}</a></p>
        <div class="column">{Html::rendered(rows).into_view()}</div>
    }
}
