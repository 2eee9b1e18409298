//! The endpoints of a browser's notifications.

use crate::basics::{clock, problem};
use crate::context::Scoped;
use crate::push::text::PushText;
use crate::push::{Push as State, http, is_gone, key, quiet, send, settings};
use ::channels::PushAddress;
use api::push::{EditPush, Push, PushDevice, PushSettings};
use api::{Problem, ProblemCode};
use model::Micros;
use store::PushDevice as Stored;

/// Open requests that are counted: what waits already isn't told.
const MOST: u32 = 1_000;

pub async fn get_push(scoped: &Scoped) -> Result<Push, Problem> {
    let device = device(scoped).await?;
    shown(scoped, device).await
}

pub async fn put_push(scoped: &Scoped, input: EditPush) -> Result<Push, Problem> {
    let known = device(scoped).await?;
    let mut settings = known.as_ref().map(settings).unwrap_or_default();
    edit(&mut settings, &input);
    quiet::check(&mut settings)?;
    let mut device = match (&input.endpoint, &input.p256dh, &input.auth) {
        (None, None, None) => known.ok_or_else(no_subscription)?,
        (Some(endpoint), Some(receiver), Some(secret)) => {
            PushAddress::read(http(&scoped.hub)?, endpoint, receiver, secret)
                .and_then(|address| address.check())
                .map_err(|error| Problem::field(&format!("/{}", error.field), &error.expected))?;
            let subscribed = subscribed(scoped, known).await?;
            Stored {
                endpoint: endpoint.trim().to_owned(),
                receiver: receiver.trim().to_owned(),
                secret: secret.trim().to_owned(),
                error: None,
                ..subscribed
            }
        }
        _ => return Err(Problem::field("/endpoint", "given together with `p256dh` and `auth`")),
    };
    device.settings = serde_json::to_string(&settings).map_err(|_| Problem::internal())?;
    scoped.hub.workspace.put_push_device(&device).await.map_err(problem)?;
    scoped.hub.state::<State>().ring();
    shown(scoped, Some(device)).await
}

pub async fn delete_push(scoped: &Scoped) -> Result<Push, Problem> {
    scoped.hub.workspace.delete_push_device(login(scoped)?).await.map_err(problem)?;
    scoped.hub.state::<State>().ring();
    shown(scoped, None).await
}

pub async fn test_push(scoped: &Scoped) -> Result<Push, Problem> {
    let device = device(scoped).await?.ok_or_else(no_subscription)?;
    let text = PushText {
        tag: "test".to_owned(),
        title: "Notifications reach this device".to_owned(),
        body: "This one was sent to try it.".to_owned(),
        href: "/settings#notifications".to_owned(),
        renotify: true,
        ..PushText::default()
    };
    let workspace = &scoped.hub.workspace;
    match send(&scoped.hub, &device, &text, true).await {
        Ok(()) => {
            workspace.note_push_error(&device.login, None).await.map_err(problem)?;
            shown(scoped, Some(Stored { error: None, ..device })).await
        }
        Err(failure) => {
            let title = format!("The push service {} didn't take the notification: {failure}", service(&device));
            if is_gone(&failure) {
                workspace.delete_push_device(&device.login).await.map_err(problem)?;
            } else {
                workspace.note_push_error(&device.login, Some(&failure.to_string())).await.map_err(problem)?;
            }
            let hint = "Switch notifications of this device off and on again";
            Err(Problem::new(ProblemCode::PushFailed, title).hint(hint))
        }
    }
}

/// The id of the caller's log-in.
fn login(scoped: &Scoped) -> Result<&str, Problem> {
    scoped.login.as_deref().ok_or_else(no_subscription)
}

async fn device(scoped: &Scoped) -> Result<Option<Stored>, Problem> {
    // Commands of this machine are no browser.
    let Some(login) = scoped.login.as_deref() else { return Ok(None) };
    let devices = scoped.hub.workspace.push_devices().await.map_err(problem)?;
    Ok(devices.into_iter().find(|device| device.login == login))
}

/// A browser that was known, or one that begins with what is open now.
async fn subscribed(scoped: &Scoped, known: Option<Stored>) -> Result<Stored, Problem> {
    if let Some(known) = known {
        return Ok(known);
    }
    let open = scoped.hub.workspace.open_asks(&scoped.caller.sight(), 0, MOST).await.map_err(problem)?;
    Ok(Stored {
        login: login(scoped)?.to_owned(),
        endpoint: String::new(),
        receiver: String::new(),
        secret: String::new(),
        settings: String::new(),
        from_rid: open.last().map_or(0, |ask| ask.rid),
        created_at: clock::now().0,
        error: None,
    })
}

fn edit(settings: &mut PushSettings, input: &EditPush) {
    fn set<T: Clone>(place: &mut T, value: Option<&T>) {
        if let Some(value) = value {
            place.clone_from(value);
        }
    }
    set(&mut settings.needs_you, input.needs_you.as_ref());
    set(&mut settings.failed, input.failed.as_ref());
    set(&mut settings.finished, input.finished.as_ref());
    set(&mut settings.mentions, input.mentions.as_ref());
    set(&mut settings.details, input.details.as_ref());
    set(&mut settings.quiet_from, input.quiet_from.as_ref());
    set(&mut settings.quiet_until, input.quiet_until.as_ref());
    set(&mut settings.zone, input.zone.as_ref());
}

async fn shown(scoped: &Scoped, device: Option<Stored>) -> Result<Push, Problem> {
    let key = key(&scoped.hub).await?.public();
    let device = device.map(|device| PushDevice {
        service: service(&device),
        created_at: Micros(device.created_at),
        settings: settings(&device),
        error: device.error,
    });
    Ok(Push { key, device })
}

/// The name of a browser's push service.
fn service(device: &Stored) -> String {
    let rest = device.endpoint.split_once("://").map_or(device.endpoint.as_str(), |(_, rest)| rest);
    rest.split('/').next().unwrap_or_default().to_owned()
}

fn no_subscription() -> Problem {
    Problem::new(ProblemCode::NoSubscription, "This browser takes no notifications")
        .hint("Switch them on in the settings of this device")
}
