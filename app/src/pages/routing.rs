//! Which messages wake an agent: the form of the workspace, which the settings have, and the page of a session.

use crate::names::title;
use crate::part::{Part, part};
use crate::render::render;
use crate::send::{as_, attribute, problem, send};
use crate::shared::attr;
use crate::shared::form::As;
use crate::shared::{fragments_href, session_href};
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData};
use crate::visible;
use api::channels::{BindSession, Channel, Channels};
use api::contract::{BindSessionEndpoint, SetRouting, SetSessionRouting, UnbindSession};
use api::routing::Routing;
use leptos::prelude::*;
use model::Session;
use model::routing::{DirectCommands, Ignored, MentionEnd, NAME, Trigger, bare};

/// A session's routing, and the channels that show it.
pub struct RoutingPage {
    pub session: Session,
    pub routing: Routing,
    pub channels: Channels,
    pub shell: ShellData,
}

/// The whole page.
pub fn page(data: &RoutingPage) -> String {
    let heading = format!("Routing of {}", title(&data.session.title));
    shell::page(&data.shell, || Frame {
        title: &heading,
        place: NavItem::Nowhere,
        skip: ("#settings", "Skip to the routing"),
        session: None,
        rail: Rail::Recent { open: None },
        content: content(data),
        layout: Layout::Main,
    })
}

/// The inner HTML of `#settings`.
pub fn inner(data: &RoutingPage) -> String {
    render(|| parts(data))
}

fn content(data: &RoutingPage) -> Part {
    let id = data.session.id.as_str();
    let from = format!("{}/routing", fragments_href(id));
    part! {
        <main class="main" id="main"><div class="scroll" tabindex="-1"><div class="page settings">
            <div class="pagehead"><h1>"Routing"</h1>
                <p><a class="link" dir="auto" href=session_href(id)>{title(&data.session.title)}</a></p></div>
            <div id="settings" tabindex="-1" data-from=from>{parts(data)}</div>
        </div></div></main>
    }
}

fn parts(data: &RoutingPage) -> Part {
    let id = data.session.id.as_str();
    part! {
        <section id="routing" aria-labelledby="routing-heading">
            <div class="pagehead"><h2 id="routing-heading">"Which messages wake the agent"</h2>
                <p>"For this session. Settings that aren't set here follow the workspace. "<a class="link" href="/settings#routing">"Routing of the workspace"</a></p></div>
            {form(&data.routing, Some(id))}
        </section>
        <section id="shown-in" aria-labelledby="shown-in-heading">
            <div class="pagehead"><h2 id="shown-in-heading">"Channels"</h2>
                <p>"Channels in which this session is also shown, from its next message on."</p></div>
            {channels(&data.channels.channels, id)}
        </section>
    }
}

/// The routing of the workspace, as a part of the settings.
pub fn section(routing: &Routing) -> Part {
    part! {
        <section id="routing" aria-labelledby="routing-heading">
            <div class="pagehead"><h2 id="routing-heading">"Routing"</h2>
                <p>"Which messages wake an agent. In rooms, where people also talk to each other, only those that begin with its name. A session's own routing, in its menu, overrides this."</p></div>
            {form(routing, None)}
        </section>
    }
}

fn form(routing: &Routing, session: Option<&str>) -> Part {
    let (own, applies) = (&routing.settings, &routing.applies);
    let inherited = if session.is_some() { "Same as the workspace" } else { "Default" };
    let select = |field: Select, own, applies| field.draw(inherited, own, applies);
    let set = || session.map_or_else(|| send(SetRouting, []), |id| send(SetSessionRouting, [id]));
    let is_set = *own != model::routing::Settings::default();
    let reset = is_set.then(|| {
        let words = if session.is_some() { "Same as the workspace" } else { "Back to the defaults" };
        part! { <button type="button" class="btn quiet" {..set().with(&model::routing::Settings::default()).done("Saved").attributes()} {..attribute(attr::DONE_TOAST, "")}>{words}</button> }
    });
    part! {
        <form class="answer routing" {..set().done("Saved").attributes()} {..attribute(attr::DONE_TOAST, "")} autocomplete="off" novalidate>
            {name(routing, session.is_some())}
            {(Lines { name: "aliases", label: "Other names", help: "One a line.", none: "ghost", empty: "None" }).draw(own.aliases.as_deref(), applies.aliases.as_deref())}
            {select(trigger(), own.trigger.map(Trigger::as_str), applies.trigger.map(Trigger::as_str))}
            {select(mention_end(), own.mention_end.map(MentionEnd::as_str), applies.mention_end.map(MentionEnd::as_str))}
            {select(ignored(), own.ignored.map(Ignored::as_str), applies.ignored.map(Ignored::as_str))}
            {(Lines { name: "senders", label: "Allowed senders in rooms", help: "One address per line, such as matrix:@ada:example.org. Messages of others aren't stored.", none: "Everybody", empty: "Nobody" }).draw(own.senders.as_deref(), applies.senders.as_deref())}
            {select(direct_commands(), own.direct_commands.map(DirectCommands::as_str), applies.direct_commands.map(DirectCommands::as_str))}
            {(Lines { name: "remembered_tools", label: "Tools whose output is remembered", help: "One a line.", none: "None", empty: "None" }).draw(own.remembered_tools.as_deref(), applies.remembered_tools.as_deref())}
            <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
            <div class="actions"><button type="submit" class="btn primary">"Save"</button>{reset}</div>
        </form>
    }
}

/// The name of the assistant: that of the workspace is set in the general settings.
fn name(routing: &Routing, of_session: bool) -> Part {
    let (own, applies) = (routing.settings.name.clone(), routing.applies.name.as_deref());
    let applies = visible::line(applies.map_or(NAME, bare));
    if of_session {
        return field(
            "name",
            "Name of the assistant",
            "In this session. It is called by @ and the name, at the beginning of a message.",
            part! {
                <input id="routing-name" name="name" {..as_(As::Given)} maxlength="64" dir="auto" aria-describedby="routing-name-help routing-name-problem"
                    placeholder=applies value=own.unwrap_or_default()/>
            },
        );
    }
    part! {
        <p id="routing-name">"The assistant is called by "<b dir="auto">{format!("@{applies}")}</b>", at the beginning of a message. "
            <a class="link" href="/settings#general">"Change its name"</a></p>
    }
}

/// A labelled input with its help, and room for what is wrong with it.
fn field(name: &'static str, label: &'static str, help: &'static str, input: Part) -> Part {
    let id = format!("routing-{name}");
    part! {
        <div class="answer-field"><label for=id.clone()>{label}</label>{input}
            <p class="cap" id=format!("{id}-help")>{help}</p>
            <p class="cap fg-err" id=format!("{id}-problem") {..problem(name)} role="alert" hidden></p></div>
    }
}

/// A list with one entry a line.
struct Lines {
    name: &'static str,
    label: &'static str,
    help: &'static str,
    /// Text of the default value.
    none: &'static str,
    /// Text of an empty list.
    empty: &'static str,
}

impl Lines {
    fn draw(&self, own: Option<&[String]>, applies: Option<&[String]>) -> Part {
        let said = |list: &[String]| if list.is_empty() { self.empty.to_owned() } else { list.join("\n") };
        let placeholder = applies.map_or_else(|| self.none.to_owned(), said);
        let id = format!("routing-{}", self.name);
        // An empty list, as the API can set it, is another thing than none.
        let is_empty = own.is_some_and(<[String]>::is_empty).then_some("");
        let text = own.map(|list| list.join("\n")).unwrap_or_default();
        field(
            self.name,
            self.label,
            self.help,
            part! {
                <textarea id=id.clone() name=self.name rows="2" dir="auto" spellcheck="false" {..as_(As::Lines)} {..leptos::attr::custom::custom_attribute(attr::EMPTY, is_empty)} placeholder=placeholder
                    aria-describedby=format!("{id}-help {id}-problem")>{format!("\n{text}")}</textarea>
            },
        )
    }
}

/// A choice between two values, and none.
struct Select {
    name: &'static str,
    label: &'static str,
    help: &'static str,
    values: [(&'static str, &'static str); 2],
    /// Text of the default value.
    none: &'static str,
}

impl Select {
    fn draw(&self, inherited: &str, own: Option<&str>, applies: Option<&str>) -> Part {
        let words =
            |value: &str| self.values.iter().find(|(it, _)| *it == value).map_or(self.none, |(_, words)| *words);
        // A session's own value hides the workspace's, which isn't loaded here.
        let inherited = match own {
            Some(_) => inherited.to_owned(),
            None => format!("{inherited}: {}", applies.map_or(self.none, words)),
        };
        let options = self.values.iter().map(|(value, words)| {
            let is_chosen = own == Some(*value);
            part! { <option value=*value selected=is_chosen>{*words}</option> }
        });
        let id = format!("routing-{}", self.name);
        field(
            self.name,
            self.label,
            self.help,
            part! {
                <select id=id.clone() name=self.name {..as_(As::Given)} aria-describedby=format!("{id}-help {id}-problem")><option value="">{inherited}</option>{options.collect::<Vec<_>>()}</select>
            },
        )
    }
}

fn trigger() -> Select {
    Select {
        name: "trigger",
        label: "What wakes the agent",
        help: "By default, every message in your own session does.",
        values: [
            (Trigger::Mention.as_str(), "Messages that begin with its name"),
            (Trigger::Always.as_str(), "Every message"),
        ],
        none: "In rooms, messages that begin with its name",
    }
}

fn mention_end() -> Select {
    Select {
        name: "mention_end",
        label: "What ends the name",
        help: "With the strict end, @pynchy-dev doesn't call an assistant named Pynchy.",
        values: [
            (MentionEnd::Word.as_str(), "Anything but a letter, a digit or _"),
            (MentionEnd::Strict.as_str(), "Strict: the end, a space or one of ,:;.!?'"),
        ],
        none: "Anything but a letter, a digit or _",
    }
}

fn ignored() -> Select {
    Select {
        name: "ignored",
        label: "Other messages",
        help: "They are stored and shown in either case.",
        values: [
            (Ignored::Drop.as_str(), "No agent reads them"),
            (Ignored::Accumulate.as_str(), "Read together with the next message that wakes the agent"),
        ],
        none: "No agent reads them",
    }
}

fn direct_commands() -> Select {
    Select {
        name: "direct_commands",
        label: "Direct commands",
        help: "Only for people who are logged in, never for people in rooms.",
        values: [
            (DirectCommands::Off.as_str(), "Off: !command is an ordinary message"),
            (DirectCommands::On.as_str(), "On: !command runs in the session's folder, as the server's user"),
        ],
        none: "Off: !command is an ordinary message",
    }
}

/// The channels, and whether each shows the session.
fn channels(channels: &[Channel], session: &str) -> Part {
    if channels.is_empty() {
        return part! { <p class="cap none-yet">"No channel yet. "<a class="link" href="/settings#channels">"Add one in the settings"</a></p> };
    }
    let rows: Vec<_> = channels.iter().map(|channel| row(channel, session)).collect();
    part! {
        <div class="table-wrap"><table class="table">
            <thead><tr><th scope="col">"Channel"</th><th scope="col">"This session"</th><th><span class="sr">"Actions"</span></th></tr></thead>
            <tbody>{rows}</tbody>
        </table></div>
    }
}

fn row(channel: &Channel, session: &str) -> Part {
    let name = visible::line(&channel.name);
    let found = channel.sessions.iter().find(|it| it.session.as_str() == session);
    let is_bound = found.is_some_and(|it| it.bound);
    let shown = match (is_bound, channel.every_session) {
        (true, _) => "Shown",
        (false, true) => "Shown, like every session",
        (false, false) => "Not shown",
    };
    let place = found.and_then(|it| it.place.as_deref()).filter(|_| is_bound || channel.every_session);
    let place = place.map(|place| part! { <br/><small class="mut">{visible::line(place)}</small> });
    let bind = BindSession { session: session.to_owned(), place: None };
    let (words, change) = if is_bound {
        ("Hide", send(UnbindSession, [&channel.id, session]))
    } else {
        ("Show here", send(BindSessionEndpoint, [&channel.id]).with(&bind))
    };
    // A channel of every session has no button.
    let button = (is_bound || !channel.every_session).then(|| {
        part! {
            <button type="button" class="btn quiet tiny" {..change.attributes()}>
                {words}<span class="sr">{format!(": {name}")}</span></button>
        }
    });
    part! {
        <tr><th scope="row"><span class="name">{name.clone()}</span></th><td>{shown}{place}</td><td class="end">{button}</td></tr>
    }
}
