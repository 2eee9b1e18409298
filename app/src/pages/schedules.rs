//! Schedules: prompts that are sent at a time. The next one comes first; times are in the reader's zone.

use crate::clock::Clock;
use crate::figures;
use crate::icon::Glyph;
use crate::islands::schedules::{NewSchedule, ScheduleActions};
use crate::pages::session_pick;
use crate::part::{Part, part};
use crate::shared::page_path;
use crate::shared::session_href;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon};
use crate::visible;
use api::schedules::{Schedule, ScheduleOutcome, ScheduleRun, ScheduleState, Schedules};
use leptos::prelude::*;
use model::text::one_line;

/// Characters of a prompt in its row.
const SHOWN: usize = 160;

pub struct SchedulesPage {
    pub schedules: Schedules,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &SchedulesPage) -> String {
    shell::page(&data.shell, || Frame {
        title: "Schedules",
        place: NavItem::Schedules,
        skip: ("#main", "Skip to the schedules"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

fn content(data: &SchedulesPage) -> Part {
    let clock = &data.shell.clock;
    let rows: Vec<_> = data.schedules.schedules.iter().map(|schedule| row(schedule, clock)).collect();
    let list = if rows.is_empty() { nothing() } else { table(rows) };
    let sessions = session_pick::entries(&data.shell.recent);
    let form = if sessions.is_empty() {
        part! { <p class="cap">"A schedule needs a session. "<a class="link" href=page_path::NEW_SESSION>"Start one"</a></p> }
    } else {
        let zone = clock.zone.iana_name().unwrap_or("UTC").to_owned();
        part! { <NewSchedule sessions zone/> }
    };
    part! {
        <main class="main" id="main" tabindex="-1">
            <header class="bar"><div class="bar-title"><h1>"Schedules"</h1></div></header>
            <div class="scroll" id="scroller"><div class="page schedules">
                {list}
                <section aria-labelledby="new-schedule">
                    <div class="pagehead"><h2 id="new-schedule">"New schedule"</h2></div>
                    {form}
                </section>
            </div></div>
        </main>
    }
}

fn nothing() -> Part {
    part! {
        <div class="pagehead">
            <h2>{icon(Glyph::CLOCK)}" No schedules yet"</h2>
            <p>"A schedule sends a prompt to a session, once or repeatedly. The agent gets it as your message. If the server isn't running at that time, the run is reported as missed and not made up for."</p>
        </div>
    }
}

fn table(rows: Vec<Part>) -> Part {
    part! {
        <div class="table-wrap"><table class="table">
            <thead><tr><th scope="col">"Prompt"</th><th scope="col">"Next run"</th><th scope="col">"Last run"</th><th><span class="sr">"Actions"</span></th></tr></thead>
            <tbody>{rows}</tbody>
        </table></div>
    }
}

fn row(schedule: &Schedule, clock: &Clock) -> Part {
    let prompt = one_line(&schedule.prompt, SHOWN);
    let title = schedule.session_title.as_deref().map_or_else(|| "Deleted session".to_owned(), visible::line);
    let times = schedule.cron.as_ref().map(|cron| {
        part! { <br/><small class="mut"><code>{visible::html(cron).into_view()}</code>" "{visible::line(&schedule.zone)}</small> }
    });
    let next = match (schedule.state, schedule.next_at) {
        (ScheduleState::Active, Some(at)) => part! { <time class="num" title=clock.full(at)>{clock.coming(at)}</time> },
        (ScheduleState::Paused, _) => part! { <span class="mut">"Paused"</span> },
        _ => part! { <span class="mut">"None: its time is over"</span> },
    };
    let last = match &schedule.last {
        Some(run) => last(run, clock, &schedule.session),
        None => part! { <span class="mut">"Never"</span> },
    };
    let name = visible::line(&one_line(&schedule.prompt, 60));
    part! {
        <tr>
            <th scope="row"><span dir="auto">{visible::html(&prompt).into_view()}</span><br/>
                <small><a class="link" href=session_href(&schedule.session)>{title}</a></small></th>
            <td>{next}{times}</td>
            <td>{last}</td>
            <td class="end"><ScheduleActions id=schedule.id.clone() name state=schedule.state/></td>
        </tr>
    }
}

fn last(run: &ScheduleRun, clock: &Clock, session: &str) -> Part {
    let at = clock.coming(run.due_at);
    match run.outcome {
        ScheduleOutcome::Sent => {
            part! { <a class="link" href=session_href(session)>"Sent"</a>" "<time class="num mut" title=clock.full(run.due_at)>{at}</time> }
        }
        ScheduleOutcome::Missed => {
            let words =
                if run.missed > 1 { format!("{} missed", figures::count(run.missed)) } else { "Missed".to_owned() };
            part! { <span class="fg-warn">{words}</span>" "<time class="num mut" title=clock.full(run.due_at)>{at}</time> }
        }
        ScheduleOutcome::Refused => {
            let reason = run.reason.clone().unwrap_or_default();
            part! { <span class="fg-warn">"Not sent"</span>" "<time class="num mut" title=clock.full(run.due_at)>{at}</time><br/><small>{visible::line(&reason)}</small> }
        }
    }
}
