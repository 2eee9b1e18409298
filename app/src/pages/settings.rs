//! The settings: keys of agents, browsers that are logged in, channels, rooms, routing, declared message types, the
//! audit log, how pages look, what keys do.

pub mod audit;
pub mod channels;
mod credentials;
mod general;
mod login_methods;
mod machines;
mod notices;
mod notifications;
mod people;
mod question;
mod retention;
mod rooms;
mod rules;
mod shares;
mod shortcuts;
mod type_settings;
mod types;

use crate::icon::Glyph;
use crate::pages::routing;
use crate::part::{Part, part};
use crate::render::render;
use crate::shared::page_action::PageAction;
use crate::shell::{self, Frame, Layout, NavItem, Rail, ShellData, icon, install_button};
use api::account::{LogInMethods, LogIns};
use api::hooks::AllowRules;
use api::keys::Keys;
use api::machines::Machines;
use api::notices::RunNotices;
use api::people::People;
use api::push::Push;
use api::retention::RetentionRules;
use api::routing::{Rooms, Routing};
use api::shares::Shares;
use api::type_settings::TypeSettings;
use api::types::Types;
use leptos::prelude::*;

pub struct SettingsPage {
    pub logins: LogIns,
    pub methods: LogInMethods,
    pub push: Push,
    /// Other devices reach the server.
    pub is_public: bool,
    /// What owners alone see and change.
    pub workspace: Option<WorkspaceSettings>,
    pub shell: ShellData,
}

/// The settings of the whole workspace.
pub struct WorkspaceSettings {
    pub keys: Keys,
    pub people: People,
    pub machines: Machines,
    pub shares: Shares,
    pub rules: AllowRules,
    pub channels: channels::ChannelsData,
    pub rooms: Rooms,
    pub routing: Routing,
    pub notices: RunNotices,
    pub retention: RetentionRules,
    pub types: Types,
    pub audit: audit::Audit,
    pub type_settings: TypeSettings,
    /// Folders that are followed.
    pub followed: i64,
}

/// The parts of the page, as the rail lists them to who isn't an owner.
const OWN_PARTS: &[(&str, Glyph, &str)] = &[
    ("devices", Glyph::LOCK, "Devices"),
    ("login-methods", Glyph::KEY, "How you log in"),
    ("notifications", Glyph::PHONE, "Notifications"),
    ("look", Glyph::SUN, "Appearance"),
    ("shortcuts", Glyph::KBD, "Shortcuts"),
    ("general", Glyph::GEAR, "General"),
];

/// The parts of the page, as the rail lists them to owners.
const PARTS: &[(&str, Glyph, &str)] = &[
    ("agent-keys", Glyph::KEY, "Agent keys"),
    ("devices", Glyph::LOCK, "Devices"),
    ("shares", Glyph::LINK, "Shared links"),
    ("notifications", Glyph::PHONE, "Notifications"),
    ("people", Glyph::USER, "People"),
    ("machines", Glyph::GLOBE, "Machines"),
    ("channels", Glyph::COMMENT, "Channels"),
    ("rooms", Glyph::HOME, "Rooms"),
    ("routing", Glyph::BRANCH, "Routing"),
    ("notices", Glyph::BELL, "Notices of runs"),
    ("retention", Glyph::TRASH, "Retention"),
    ("rules", Glyph::CHECK, "Always allowed"),
    ("message-types", Glyph::BRACES, "Message types"),
    ("audit", Glyph::CLOCK, "Audit log"),
    ("look", Glyph::SUN, "Appearance"),
    ("shortcuts", Glyph::KBD, "Shortcuts"),
    ("type-settings", Glyph::LAYERS, "Cards and checks"),
    ("general", Glyph::GEAR, "General"),
    ("sources", Glyph::FOLDER, "Sources"),
];

/// The whole page.
pub fn page(data: &SettingsPage) -> String {
    shell::page(&data.shell, || Frame {
        title: "Settings",
        place: NavItem::Settings,
        skip: ("#settings", "Skip to the settings"),
        session: None,
        rail: Rail::Parts("Settings", if data.workspace.is_some() { PARTS } else { OWN_PARTS }),
        content: content(data),
        layout: Layout::Main,
    })
}

/// The inner HTML of `#settings`.
pub fn inner(data: &SettingsPage) -> String {
    render(|| parts(data))
}

fn content(data: &SettingsPage) -> Part {
    part! {
        <main class="main" id="main">
            <header class="bar"><div class="bar-title"><h1>"Settings"</h1></div>
                {install_button()}
                <button type="button" class="btn quiet" data-action=PageAction::LogOut.name()>{icon(Glyph::EXIT)}"Log out"</button>
            </header>
            <div class="scroll" tabindex="-1"><div class="page settings">
                <p id="settings-problem" class="callout" data-state="failed" role="alert" hidden></p>
                {credentials::made()}
                {credentials::paired()}
                {people::invited()}
                {types::removed()}
                {notices::removed()}
                {retention::removed()}
                {channels::notices()}
                <div id="settings" tabindex="-1">{parts(data)}</div>
            </div></div>
            {credentials::new_key_dialog()}
            {credentials::pair_dialog()}
            {credentials::quota_dialog()}
            {credentials::revoke_dialog()}
            {people::remove_dialog()}
            {machines::remove_dialog()}
            {shares::revoke_dialog()}
            {credentials::log_out_dialog()}
        </main>
    }
}

fn parts(data: &SettingsPage) -> Part {
    let clock = &data.shell.clock;
    let devices = || {
        let is_alone = data.workspace.as_ref().is_some_and(|workspace| workspace.people.people.len() == 1);
        // Who is alone at this machine needs no more than its links.
        let methods = (data.is_public || !is_alone || !data.methods.methods.is_empty())
            .then(|| login_methods::login_methods(&data.methods, clock));
        part! { {credentials::devices(&data.logins, data.is_public, clock)}{methods} }
    };
    let notifications = || notifications::notifications(&data.push, clock.zone.iana_name().unwrap_or("UTC"));
    let Some(workspace) = &data.workspace else {
        return part! {
            {devices()}
            {notifications()}
            {general::look(data.shell.look)}
            {shortcuts::shortcuts(&data.shell)}
            {general::general(&data.shell.preferences, None)}
        };
    };
    part! {
        {credentials::keys(&workspace.keys, clock)}
        {devices()}
        {notifications()}
        {shares::shares(&workspace.shares, clock)}
        {people::people(&workspace.people, &data.shell.projects, clock)}
        {machines::machines(&workspace.machines, clock)}
        {channels::channels(&workspace.channels, &data.shell.recent, clock)}
        {rooms::rooms(&workspace.rooms, &workspace.channels.channels.channels, &data.shell.recent, clock)}
        {routing::section(&workspace.routing)}
        {notices::notices(&workspace.notices)}
        {retention::retention(&workspace.retention)}
        {rules::rules(&workspace.rules, clock)}
        {types::types(&workspace.types, clock)}
        {audit::audit(&workspace.audit, clock)}
        {general::look(data.shell.look)}
        {shortcuts::shortcuts(&data.shell)}
        {type_settings::type_settings(&workspace.type_settings)}
        {general::general(&data.shell.preferences, Some(&workspace.routing))}
        {general::sources(workspace.followed, data.shell.waiting.folders)}
    }
}
