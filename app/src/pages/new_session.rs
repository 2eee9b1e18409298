//! The page that starts an agent.

use crate::islands::new_session::NewSession;
use crate::part::{Part, part};
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData};
use api::driving::Agents;
use leptos::prelude::*;

pub struct NewSessionPage {
    pub agents: Agents,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &NewSessionPage) -> String {
    shell::page(&data.shell, || Frame {
        title: "New session",
        place: NavItem::Sessions,
        skip: ("#main", "Skip to the form"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

fn content(data: &NewSessionPage) -> Part {
    let none = data.agents.agents.iter().all(|agent| !agent.installed);
    let empty = none.then(|| {
        part! {
            <div class="banner"><p>"No supported agent was found in the server's "<code>"PATH"</code>". Install one, or start the server with a "<code>"PATH"</code>" that contains it."</p></div>
        }
    });
    part! {
        <main class="main" id="main" tabindex="-1">
            <header class="bar"><div class="bar-title"><h1>"New session"</h1></div></header>
            <div class="scroll"><div class="page narrow">
                {empty}
                <NewSession agents=data.agents.clone()/>
            </div></div>
        </main>
    }
}
