//! Writes the pages with made-up data to `target/pages`, stylesheet inside, to look at them without a server.

mod made_up;
#[path = "../../tests/support/stylesheet.rs"]
mod stylesheet;

use app::pages::{folders, inbox, login, offline, problem, search, session, sessions};
use std::{error::Error, fs, path::Path};

fn main() -> Result<(), Box<dyn Error>> {
    let css = stylesheet::read(Path::new("style/main.css"))?;
    fs::create_dir_all("target/pages")?;
    let pages = [
        ("sessions", sessions::page(&made_up::sessions())),
        ("sessions-nothing", sessions::page(&made_up::sessions_filtered_out())),
        ("sessions-importing", sessions::page(&made_up::sessions_importing())),
        ("session", session::page(&made_up::session(session::Dev::Off))),
        ("session-dev", session::page(&made_up::session(session::Dev::On))),
        ("session-changes", session::page(&made_up::session_changes())),
        ("session-about", session::page(&made_up::session_about())),
        ("session-agents", session::page(&made_up::session_agents())),
        ("search", search::page(&made_up::search())),
        ("search-start", search::page(&made_up::search_start())),
        ("folders", folders::page(&made_up::folders())),
        ("folders-known", folders::page(&made_up::folders_known())),
        ("folders-none", folders::page(&made_up::folders_none())),
        ("folders-imported", folders::page(&made_up::folders_imported())),
        ("inbox", inbox::page(&made_up::inbox())),
        ("login", login::page(&made_up::login())),
        ("offline", offline::page(&made_up::offline())),
        ("problem", problem::page(&made_up::problem())),
    ];
    for (name, html) in pages {
        for theme in ["light", "dark"] {
            let html = html
                .replace("<link rel=\"stylesheet\" href=\"\">", &format!("<style>{css}</style>"))
                .replace("data-theme=\"system\"", &format!("data-theme=\"{theme}\""));
            fs::write(format!("target/pages/{name}-{theme}.html"), html)?;
        }
    }
    Ok(())
}
