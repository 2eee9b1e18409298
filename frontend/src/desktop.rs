//! Notifications of an open page: one for each request, shown while no page is seen and closed when the request is
//! decided. The server's own, which come while no page is open, have the same tags, so that nothing is shown twice.
//!
//! The browser asks for its permission when a button is pressed, and never before. Where there is a service worker, it
//! shows them: phones take them from nobody else, and any tab can close them.

use crate::service_worker::{call, registration};
use crate::{message_text, push};
use app::browser::page_state::NOTIFY;
use app::browser::{dom, storage};
use js_sys::{Array, Object, Reflect};
use leptos::prelude::lazy;
use std::cell::RefCell;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use wasm_bindgen_futures::{JsFuture, spawn_local};
use web_sys::{Event, Notification, NotificationOptions, NotificationPermission};

thread_local! {
    /// Requests that a notification was or will be shown of, and what shows it where no worker does.
    static SHOWN: RefCell<Vec<(String, Option<Notification>)>> = const { RefCell::new(Vec::new()) };
}

/// Whether this device shows notifications.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The browser has none: the page came over plain HTTP.
    Impossible,
    /// The browser doesn't let this site show any.
    Refused,
    Off,
    On,
}

pub fn state() -> State {
    let has = dom::window().is_some_and(|w| Reflect::has(&w, &"Notification".into()).unwrap_or(false));
    if !has {
        return State::Impossible;
    }
    match (Notification::permission(), storage::get(NOTIFY).as_deref() == Some("1")) {
        (NotificationPermission::Denied, _) => State::Refused,
        (NotificationPermission::Granted, true) => State::On,
        _ => State::Off,
    }
}

/// Returns true if the reader has already decided about notifications.
pub fn is_settled() -> bool {
    storage::get(NOTIFY).is_some()
}

/// Switches them on or off on this device, at the press of a button. Returns what came of it.
pub async fn turn(on: bool) -> State {
    if on && state() == State::Off && Notification::permission() == NotificationPermission::Default {
        let Ok(asked) = Notification::request_permission() else { return state() };
        // The answer is read from the browser below.
        let _ = JsFuture::from(asked).await;
    }
    let is_granted = state() != State::Impossible && Notification::permission() == NotificationPermission::Granted;
    storage::set(NOTIFY, Some(if on && is_granted { "1" } else { "0" }));
    if on && is_granted {
        push::subscribe().await;
    } else if !on {
        push::unsubscribe().await;
    }
    state()
}

/// Keeps the server told where this browser takes notifications.
pub fn start() {
    if state() == State::On {
        spawn_local(push::renew());
    }
}

/// Shows a notification of a request `session/seq`, whose click opens `href`.
pub fn show(key: &str, href: String, title: String) {
    SHOWN.with_borrow_mut(|shown| shown.push((key.to_owned(), None)));
    spawn_local(show_on_desktop(key.to_owned(), href, title));
}

/// Closes the notification of a request, where there is one.
pub fn withdraw(key: &str) {
    if state() == State::On {
        SHOWN.with_borrow_mut(|shown| {
            shown.retain(|(other, notification)| {
                if other == key
                    && let Some(notification) = notification
                {
                    notification.close();
                }
                other != key
            });
        });
        spawn_local(close_on_desktop(key.to_owned()));
    }
}

#[lazy]
async fn show_on_desktop(key: String, href: String, title: String) {
    let Some((session, seq)) = key.rsplit_once('/') else { return };
    let summary = message_text::read(session, seq).await.map(|message| message.summary).unwrap_or_default();
    // It may have been decided meanwhile.
    let is_open = || SHOWN.with_borrow(|shown| shown.iter().any(|(other, _)| *other == key));
    if !is_open() {
        return;
    }
    let heading = format!("{title} needs you");
    let options = NotificationOptions::new();
    options.set_body(&summary);
    options.set_tag(&key);
    let data = Object::new();
    let _ = Reflect::set(&data, &"href".into(), &href.as_str().into());
    options.set_data(&data);
    if let Some(worker) = registration().await
        && call(&worker, "showNotification", &[heading.as_str().into(), options.clone().into()]).await.is_some()
    {
        if !is_open() {
            close_by_worker(&key).await;
        }
        return;
    }
    let Ok(notification) = Notification::new_with_options(&heading, &options) else { return };
    let clicked = notification.clone();
    let click = Closure::once_into_js(move |_: Event| {
        clicked.close();
        if let Some(window) = dom::window() {
            let _ = window.focus();
        }
        dom::go_to(&href);
    });
    notification.set_onclick(Some(click.unchecked_ref()));
    SHOWN.with_borrow_mut(|shown| match shown.iter_mut().find(|(other, _)| *other == key) {
        Some((_, place)) => *place = Some(notification),
        None => notification.close(),
    });
}

#[lazy]
async fn close_on_desktop(key: String) {
    close_by_worker(&key).await;
}

async fn close_by_worker(key: &str) {
    let Some(worker) = registration().await else { return };
    let filter = Object::new();
    let _ = Reflect::set(&filter, &"tag".into(), &key.into());
    let Some(shown) = call(&worker, "getNotifications", &[filter.into()]).await else { return };
    for notification in Array::from(&shown).iter() {
        if let Ok(notification) = notification.dyn_into::<Notification>() {
            notification.close();
        }
    }
}
