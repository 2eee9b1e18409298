//! The notifications of this device: a switch, and a form for their kinds and the quiet hours.

use crate::part::{Part, part};
use crate::send::{as_, problem, send};
use crate::shared::form::{As, Then};
use api::contract::{PutPush, TestPush};
use api::push::{Push, PushDevice, PushSettings};
use leptos::prelude::*;

/// `zone` is the time zone of the reader.
pub fn notifications(push: &Push, zone: &str) -> Part {
    let form = push.device.as_ref().map(|device| form(device, zone));
    part! {
        <section id="notifications" aria-labelledby="notifications-heading">
            <div class="pagehead"><h2 id="notifications-heading">"Notifications"</h2>
                <p>"On this device. A click on one opens what it is about: nothing is decided by it."</p></div>
            <div class="setting"><label class="switch"><input type="checkbox" role="switch" id="notify-me"/>"Notify me when something needs me"</label>
                <p class="cap" id="notify-say"></p></div>
            {form}
        </section>
    }
}

fn form(device: &PushDevice, zone: &str) -> Part {
    let PushSettings { needs_you, failed, finished, mentions, details, quiet_from, quiet_until, .. } =
        device.settings.clone();
    let refused = device.error.as_ref().map(|error| {
        let words = format!("{} didn't take the last notification: {error}", device.service);
        part! { <p class="callout" data-state="failed">{words}</p> }
    });
    part! {
        <form class="answer notice setting" id="push" {..send(PutPush, []).attributes()} aria-label="What this device is told" autocomplete="off">
            {refused}
            {tick("needs_you", "Requests that wait for me", needs_you)}
            {tick("failed", "Turns that fail", failed)}
            {tick("finished", "Turns that are over", finished)}
            {tick("mentions", "Messages in which somebody mentions me, as @Ines", mentions)}
            {tick("details", "Show what a request is about. Otherwise only the names of session and project are shown", details)}
            <div class="answer-field"><label for="quiet-from">"Quiet from"</label><input id="quiet-from" name="quiet_from" type="time" value=quiet_from/></div>
            <p class="cap fg-err" role="alert" {..problem("quiet_from")} hidden></p>
            <div class="answer-field"><label for="quiet-until">"Quiet until"</label><input id="quiet-until" name="quiet_until" type="time" value=quiet_until/></div>
            <p class="cap fg-err" role="alert" {..problem("quiet_until")} hidden></p>
            <input type="hidden" name="zone" value=zone.to_owned()/>
            <p class="cap">"Requests that still wait when the quiet hours end are told then. More than five in a minute become one notification."</p>
            <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
            <div class="actions"><button type="submit" class="btn">"Save"</button>
                <button type="button" class="btn quiet" {..send(TestPush, []).done("Sent").then(Then::Stay).attributes()}>"Send one to try it"</button></div>
        </form>
    }
}

fn tick(name: &'static str, label: &'static str, is_on: bool) -> Part {
    part! { <label class="check"><input type="checkbox" class="tick" {..as_(As::Switch)} name=name checked=is_on/><span>{label}</span></label> }
}
