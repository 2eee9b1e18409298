//! The frame of every page: the rail on the left, the tab bar on phones, the skip link, the shortcut sheet.

pub(crate) mod places;
mod sheet;
mod tab_bar;

pub use places::NavItem;
pub(crate) use sheet::kbds;

use crate::clock::Clock;
use crate::figures;
use crate::icon::{Glyph, Icon, Motion, Size};
use crate::islands::palette::CommandPalette;
use crate::look::{Look, theme_words};
use crate::names::{project_name, title};
use crate::page::{Assets, Document, Script, document};
use crate::part::{Part, part};
use crate::render::render;
use crate::send::attribute;
use crate::shared::attr;
use crate::shared::keymap;
use crate::shared::page_action::PageAction;
use crate::shared::page_path;
use crate::shared::session_href;
use crate::visible;
use api::account::Condition;
use api::people::PersonRole;
use api::preferences::Preferences;
use api::sessions::{Facet, Facets};
use leptos::prelude::*;
use model::{Micros, Session, SessionState};
use places::{PLACES, Place};

/// Folders that wait for consent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Waiting {
    pub folders: i64,
    pub bytes: i64,
}

/// Data for every page.
#[derive(Debug, Clone)]
pub struct ShellData {
    pub look: Look,
    pub preferences: Preferences,
    pub build: String,
    pub assets: Assets,
    pub clock: Clock,
    /// Sessions there are.
    pub sessions: i64,
    pub waiting: Waiting,
    /// The latest sessions, newest first, a dozen or two; then older ones that wait for the reader.
    pub recent: Vec<Session>,
    /// Open requests: `<session>/<seq>` of every open approval and question.
    pub asks: Vec<String>,
    /// The projects of all sessions: a project is called by what tells it from the others.
    pub projects: Vec<Facet>,
    /// Where the event stream continues from what this page shows.
    pub cursor: String,
    /// The role of whoever looks.
    pub role: PersonRole,
    /// The reason why the server refuses writes.
    pub condition: Option<Condition>,
}

impl ShellData {
    /// Commands with other keys than usual.
    pub fn changed_keys(&self) -> keymap::Changed {
        self.preferences.keys.iter().map(|(id, keys)| (id.clone(), keys.clone())).collect()
    }

    /// Returns true if the reader may write, decide and start agents.
    pub fn may_drive(&self) -> bool {
        self.role >= PersonRole::Member
    }

    /// Returns the pages that the reader may open.
    pub fn places(&self) -> impl Iterator<Item = &'static Place> + use<> {
        let role = self.role;
        PLACES.iter().filter(move |place| place.role <= role)
    }

    /// Approvals and questions that wait for the reader.
    pub fn needs_you(&self) -> usize {
        self.asks.len()
    }
}

/// Content of the rail below its links.
pub enum Rail<'a> {
    Recent {
        open: Option<&'a str>,
    },
    Facets(&'a Facets),
    /// A long page's parts: headings, each with its links.
    Contents(&'a [(String, Vec<Link>)]),
    /// The parts of the page: anchor, icon, words.
    Parts(&'static str, &'static [(&'static str, Glyph, &'static str)]),
}

/// A link to a part of the page.
pub struct Link {
    pub href: String,
    pub words: String,
    /// A short word before it, or nothing.
    pub mark: &'static str,
}

/// A page to be put into its surroundings.
pub struct Frame<'a> {
    pub title: &'a str,
    pub place: NavItem,
    /// Target and words of the skip link.
    pub skip: (&'static str, &'static str),
    /// The session that the page is about, if it is about one.
    pub session: Option<String>,
    pub rail: Rail<'a>,
    /// Whole content of the page beside the rail: `main`, and `aside` if there is one.
    pub content: Part,
    pub layout: Layout,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    Main,
    /// The rail has icons alone, unless there is much room.
    Slim,
    MainAndPanel {
        open: bool,
    },
}

/// The whole document of a page. `build` makes the frame inside the rendering.
pub fn page<'a>(shell: &'a ShellData, build: impl FnOnce() -> Frame<'a>) -> String {
    let mut title = String::new();
    let body = render(|| {
        let frame = build();
        title = match shell.needs_you() {
            0 => frame.title.to_owned(),
            n => format!("({n}!) {}", frame.title),
        };
        surroundings(shell, frame)
    });
    document(Document {
        title: &title,
        look: shell.look,
        build: &shell.build,
        assets: &shell.assets,
        script: Script::Islands,
        body,
    })
}

fn surroundings(shell: &ShellData, frame: Frame<'_>) -> Part {
    let class = match frame.layout {
        Layout::MainAndPanel { open: true } => "app has-panel",
        Layout::Slim => "app slim",
        Layout::Main | Layout::MainAndPanel { open: false } => "app",
    };
    let (target, words) = frame.skip;
    let tabs = tab_bar::tab_bar(shell, frame.place, frame.session.as_deref());
    let editor = Some(shell.preferences.editor.clone()).filter(|editor| !editor.is_empty());
    let changed = shell.changed_keys();
    let hints = keymap::hints(shell.preferences.single_keys, &changed);
    let hints = hints.map(|(name, keys)| format!("{name}:{keys}")).collect::<Vec<_>>().join(";");
    let single = (!shell.preferences.single_keys).then_some("off");
    let keys = Some(keymap::written(&changed)).filter(|keys| !keys.is_empty());
    let condition = shell.condition.as_ref().map(|condition| {
        let (title, hint) =
            (visible::phrase(&condition.title).into_view(), visible::phrase(&condition.hint).into_view());
        part! { <p class="condition" role="alert" data-code=condition.code.clone()><b>{title}</b>". "{hint}"."</p> }
    });
    let rail = rail(shell, &frame);
    let app = part! {
        <div class=class id="app" {..attribute(attr::MAY, shell.role.as_str())} data-editor=editor data-single-keys=single data-keys=keys style=hints>
            {rail}
            {frame.content}
            {tabs}
        </div>
    };
    let app = match condition {
        Some(condition) => part! { <div class="warned">{condition}{app}</div> },
        None => app,
    };
    part! {
        <a class="skip" href=target>{words}</a>
        {read_only()}
        {signed_out()}
        {arrival()}
        {app}
        <p class="link-notice" id="link-notice" role="status" hidden></p>
        <div class="notices" id="notices" role="status"></div>
        <p class="sr" role="status" id="announcer"></p>
        <p class="sr" role="alert" id="alerter"></p>
        <div class="toasts" id="toasts" role="status"></div>
        {drawn_later()}
        {sheet::sheet(&changed)}
        <CommandPalette/>
    }
}

/// Templates that the browser shows when needed: a toast, and a notice of an open request.
fn drawn_later() -> Part {
    part! {
        <template id="toast-drawn"><div class="toast"><p></p><button type="button" class="btn tiny" data-do="undo">"Undo"</button>
            <button type="button" class="btn quiet tiny icon" aria-label="Close">{small_icon(Glyph::X)}</button></div></template>
        <template id="notice-drawn"><div class="notice"><span class="state">"Needs you"</span><a class="cut"></a>
            <button type="button" class="btn tiny" data-do="notify">"Notify on the desktop"</button>
            <button type="button" class="btn quiet tiny" data-do="close">"Close"</button></div></template>
    }
}

/// For a log-in without its secret. `secret.js` shows it: the server can't see what the browser keeps.
fn read_only() -> Part {
    part! {
        <p class="condition read-only" id="read-only" role="alert" hidden>
            <b>"You can read here, but not change anything"</b>
            ". A part of this browser's sign-in is missing, because it was cleared or is older than an update. Run "
            <code>"verbatim open"</code>" and open its link, or "
            <a class="link" href="/login#again" target="_blank">"sign in again"</a>" with its code. Your text stays here."
        </p>
    }
}

/// For a page whose log-in has ended. `secret.js` shows it, and leads back to the page.
fn signed_out() -> Part {
    part! {
        <p class="condition read-only" id="signed-out" role="alert" hidden>
            <b>"You are signed out"</b>
            ". Run "<code>"verbatim open"</code>" and open its link, or "<a class="link" href="/login#again">"sign in"</a>
            " with its code. Then you return to this page. Your text stays here."
        </p>
    }
}

/// Draws the question of a page that another site opened. `frontend::arrival` shows it.
fn arrival() -> Part {
    part! {
        <dialog id="arrival" class="ask" closedby="none" aria-labelledby="arrival-title" aria-describedby="arrival-words">
            <form method="dialog" data-waits="">
                <h2 id="arrival-title">"You came here from another page"</h2>
                <p id="arrival-words">"Another site or program opened this page. To prevent accidental clicks, nothing works here until you continue."</p>
                <div class="actions"><button type="submit" class="btn primary">"Continue"</button></div>
            </form>
        </dialog>
    }
}

fn rail(shell: &ShellData, frame: &Frame<'_>) -> Part {
    let current = |place: NavItem| (frame.place == place).then_some("page");
    let below = match &frame.rail {
        Rail::Facets(facets) => part! { <div id="rail-facets">{by_facet(shell, facets)}</div> },
        Rail::Contents(parts) => contents(parts),
        Rail::Parts(heading, parts) => by_part(heading, parts),
        Rail::Recent { open } => {
            let sessions = recent(&shell.clock, &shell.recent, shell.sessions, *open);
            part! { <div id="rail-recent">{sessions}</div> }
        }
    };
    let (asks, working) = (shell.asks.join(" "), working(&shell.recent));
    let waiting = (shell.waiting.folders > 0).then(|| {
        let verb = if shell.waiting.folders == 1 { "waits" } else { "wait" };
        let words = format!("{} {verb} for consent", figures::counted(shell.waiting.folders, "folder"));
        part! { <span class="badge needs" title=words>{shell.waiting.folders}</span> }
    });
    let theme = theme_words(shell.look.theme());
    let needs = (shell.needs_you() > 0).then(|| part! { <span class="badge needs">{shell.needs_you()}</span> });
    let mut badges = [
        (NavItem::Sessions, Some(part! { <span class="num">{figures::count(shell.sessions)}</span> })),
        (NavItem::NeedsYou, needs),
        (NavItem::Folders, waiting),
    ];
    let mut badge = |item| badges.iter_mut().find(|(of, _)| *of == item).and_then(|(_, badge)| badge.take());
    let links: Vec<_> = shell
        .places()
        .map(|place| {
            part! { <a href=place.path title=place.title aria-current=current(place.item)>{icon(place.glyph)}<span>{place.title}</span>{badge(place.item)}</a> }
        })
        .collect();
    part! {
        <nav class="rail" aria-label="Main">
            <div class="rail-top">{icon(Glyph::MARK)}<a href="/">"Verbatim"</a></div>
            <div class="rail-scroll" id="rail" data-asks=asks data-working=working>
                <button type="button" class="as-link" data-action=PageAction::OpenPalette.name() title="Search or jump to">
                    {icon(Glyph::SEARCH)}<span>"Search or jump to"</span><span class="num"><kbd>"Ctrl K"</kbd></span>
                </button>
                {links}
                <div class="rail-below">{below}</div>
            </div>
            <div class="rail-foot">
                <span class="state" id="live" data-state="idle" data-cursor=shell.cursor.clone() data-session=frame.session.clone()>
                    {small_icon(Glyph::PLUG)}<span>"Connecting"</span>
                </span>
                <span class="sp"></span>
                <button type="button" class="btn quiet icon" data-action=PageAction::ShowKeys.name() title="Keyboard shortcuts  ?">
                    {icon(Glyph::ASK)}<span class="sr">"Keyboard shortcuts"</span>
                </button>
                <button type="button" class="btn quiet icon" id="theme" data-action=PageAction::TurnTheme.name() title=theme.clone()>
                    {icon(Glyph::SUN)}<span class="sr">{theme.clone()}</span>
                </button>
                <a class="btn quiet icon" href=page_path::SETTINGS title="Settings" aria-current=current(NavItem::Settings)>
                    {icon(Glyph::GEAR)}<span class="sr">"Settings"</span>
                </a>
            </div>
        </nav>
    }
}

fn contents(parts: &[(String, Vec<Link>)]) -> Part {
    let parts: Vec<_> = parts
        .iter()
        .map(|(heading, links)| {
            let rows: Vec<_> = links
                .iter()
                .map(|link| {
                    let mark = (!link.mark.is_empty()).then(|| part! { <span class="num">{link.mark}</span> });
                    part! { <a href=link.href.clone() title=link.words.clone()><span class="cut">{link.words.clone()}</span>{mark}</a> }
                })
                .collect();
            part! { <h2>{heading.clone()}</h2>{rows} }
        })
        .collect();
    part! { {parts} }
}

/// Where the page's parts are.
fn by_part(heading: &'static str, parts: &'static [(&'static str, Glyph, &'static str)]) -> Part {
    let rows: Vec<_> = parts
        .iter()
        .map(|(anchor, symbol, words)| part! { <a href=format!("#{anchor}")>{small_icon(*symbol)}<span>{*words}</span></a> })
        .collect();
    part! { <h2>{heading}</h2>{rows} }
}

/// The views that the person keeps.
fn saved_views(shell: &ShellData) -> Option<Part> {
    let rows: Vec<_> = shell
        .preferences
        .views
        .iter()
        .map(|view| {
            let to = if view.query.is_empty() { page_path::SESSIONS.to_owned() } else { format!("{}?{}", page_path::SESSIONS, view.query) };
            part! { <a href=to title=view.name.clone()>{small_icon(Glyph::FILTER)}<span class="cut">{view.name.clone()}</span></a> }
        })
        .collect();
    (!rows.is_empty()).then(|| part! { <h2>"Saved views"</h2>{rows} })
}

pub(crate) fn by_facet(shell: &ShellData, facets: &Facets) -> Part {
    let rows = |heading: &'static str, name: &'static str, symbol: Glyph, facets: &[Facet]| {
        let rows: Vec<_> = facets
            .iter()
            .take(8)
            .map(|facet| {
                let query = serde_html_form::to_string([(name, &facet.value)]).unwrap_or_default();
                let label = if name == "agent" { agent_name(&facet.value) } else { project_name(&facet.value, facets) };
                part! {
                    <a href=format!("{}?{query}", page_path::SESSIONS) title=facet.value.clone()>
                        {small_icon(symbol)}<span class="cut">{label}</span>
                        <span class="num">{figures::count(facet.sessions)}</span>
                    </a>
                }
            })
            .collect();
        (!rows.is_empty()).then(|| part! { <h2>{heading}</h2>{rows} })
    };
    part! {
        {saved_views(shell)}
        {rows("Projects", "project", Glyph::FOLDER, &facets.projects)}
        {rows("Agents", "agent", Glyph::TERM, &facets.agents)}
    }
}

/// The latest sessions as the rail of every page lists them, what waits for the reader, and how many work: what follows
/// the stream.
pub fn recent_sessions(clock: &Clock, sessions: &[Session], all: i64, asks: &[String]) -> String {
    render(|| {
        part! { <div data-asks=asks.join(" ") data-working=working(sessions) data-sessions=figures::count(all)>{recent(clock, sessions, all, None)}</div> }
    })
}

/// How many sessions work.
fn working(sessions: &[Session]) -> usize {
    sessions.iter().filter(|session| session.state == SessionState::Working).count()
}

fn recent(clock: &Clock, sessions: &[Session], all: i64, open: Option<&str>) -> Part {
    let today = clock.day(clock.now);
    let group = |session: &Session| match session.state {
        SessionState::NeedsYou => "Needs you",
        SessionState::Working => "Working",
        _ if clock.day(session.last_activity_at) == today => "Today",
        _ => "Earlier",
    };
    let groups: Vec<_> = ["Needs you", "Working", "Today", "Earlier"]
        .into_iter()
        .filter_map(|heading| {
            let sessions = sessions.iter().filter(|session| group(session) == heading);
            let rows: Vec<_> = sessions.map(|session| recent_row(clock, session, open)).collect();
            (!rows.is_empty()).then(|| part! { <h2>{heading}</h2>{rows} })
        })
        .collect();
    let none = sessions.is_empty().then(|| part! { <h2>"Sessions"</h2><p class="cap none">"None yet"</p> });
    let more = (all > sessions.len() as i64).then(|| {
        let words = format!("All {}", figures::counted(all, "session"));
        part! { <a class="all" href=page_path::SESSIONS>{words}</a> }
    });
    part! { {groups}{more}{none} }
}

fn recent_row(clock: &Clock, session: &Session, open: Option<&str>) -> Part {
    let state = StateLook::of(session.state);
    let current = (open == Some(session.id.as_str())).then_some("page");
    let at = session.last_activity_at;
    part! {
        <a href=session_href(session.id.as_str()) data-state=state.tag aria-current=current title=title(&session.title)>
            {small_icon(state.icon)}<span class="sr">{state.word}</span>
            <span class="cut" dir="auto">{title(&session.title)}</span>
            {crate::clock::moment(clock, at, "num")}
        </a>
    }
}

/// How a state of a session looks: an icon's shape, a word, and the token that gives the colour.
pub struct StateLook {
    pub tag: &'static str,
    pub icon: Glyph,
    pub word: &'static str,
    /// Advice for a person, if it isn't obvious.
    pub hint: Option<&'static str>,
}

impl StateLook {
    pub fn of(state: SessionState) -> Self {
        let (tag, icon, word) = match state {
            SessionState::NeedsYou => ("needs", Glyph::NEEDS, "Needs you"),
            SessionState::Working => ("working", Glyph::WORK, "Working"),
            SessionState::Lost => ("lost", Glyph::LOST, "Lost"),
            SessionState::Quiet => ("idle", Glyph::CLOCK, "No news"),
            SessionState::Failed => ("failed", Glyph::FAIL, "Failed"),
            SessionState::Done => ("done", Glyph::DONE, "Done"),
            SessionState::Idle => ("idle", Glyph::IDLE, "Idle"),
        };
        let hint = match state {
            SessionState::Lost => Some("It stopped responding during a turn. Restart its agent, or archive it"),
            SessionState::Quiet => Some("It was interrupted during a turn"),
            _ => None,
        };
        Self { tag, icon, word, hint }
    }

    /// Returns the state of a session. If its transcript was recently interrupted, the hint has a possible reason.
    pub fn of_session(session: &Session, now: Micros) -> Self {
        const LATELY: i64 = 24 * 60 * 60 * Micros::SECOND;
        let look = Self::of(session.state);
        let lately = now.since(session.last_activity_at) < LATELY && session.last_activity_at.0 > 0;
        let hint = match (session.state, lately) {
            (SessionState::Quiet, true) if session.registered => {
                Some("It sends no heartbeats: it may be working, or have ended")
            }
            (SessionState::Quiet, true) => Some("It may be waiting for you in its terminal"),
            (SessionState::Quiet, false) => None,
            _ => look.hint,
        };
        Self { hint, ..look }
    }
}

/// An agent's name as its makers write it; an unknown one as it came.
pub fn agent_name(agent: &str) -> String {
    agents::agent(agent).map_or(agent, |known| known.title).to_owned()
}

/// The button that installs the page as an app. `boot.js` shows it where the browser can.
pub fn install_button() -> Part {
    part! { <button type="button" class="btn quiet" id="install" hidden>{icon(Glyph::DN)}"Install the app"</button> }
}

/// An icon beside its word.
pub fn icon(glyph: Glyph) -> Part {
    part! { <Icon glyph/> }
}

/// An icon beside its word, in 14 px.
pub fn small_icon(glyph: Glyph) -> Part {
    part! { <Icon glyph size=Size::Small/> }
}

/// Draws the mark before a summary, which turns when it is unfolded.
pub fn fold_mark() -> Part {
    part! { <Icon glyph=Glyph::CHEV size=Size::Small motion=Motion::Unfolds/> }
}
