//! How somebody logs in besides links: a password, passkeys, accounts at providers.

use crate::clock::{Clock, moment};
use crate::icon::Glyph;
use crate::part::{Part, part};
use crate::send::{problem, send};
use crate::shared::page_action::PageAction;
use crate::shell::icon;
use crate::visible;
use api::account::{LogInMethodInfo, LogInMethodKind, LogInMethods};
use api::contract::{RemoveLogInMethod, SetPasswordEndpoint};
use leptos::prelude::*;

pub fn login_methods(methods: &LogInMethods, clock: &Clock) -> Part {
    let rows: Vec<_> = methods.methods.iter().map(|method| row(method, methods.may_change, clock)).collect();
    let table = (!rows.is_empty()).then(|| {
        part! {
            <div class="table-wrap"><table class="table">
                <thead><tr><th scope="col">"Method"</th><th scope="col" class="hide-narrow">"Since"</th><th scope="col">"Last used"</th><th><span class="sr">"Actions"</span></th></tr></thead>
                <tbody>{rows}</tbody>
            </table></div>
        }
    });
    let none = methods.methods.is_empty().then(|| {
        part! { <p class="cap none-yet">"You log in by links alone. With a password or a passkey you need none."</p> }
    });
    let has_password = methods.methods.iter().any(|method| method.kind == LogInMethodKind::Password);
    let change = if methods.may_change {
        let account = methods.provider.as_deref().map(|name| {
            part! { <div class="actions after"><button type="button" class="btn" data-action=PageAction::AddAccount.name()>{format!("Add your account at {}", visible::line(name))}</button></div> }
        });
        part! { {password(has_password)}{methods.has_passkeys.then(passkey)}{account} }
    } else {
        part! {
            <p class="cap none-yet">"To change this, show who you are: "<a href="/login?next=%2Fsettings#again">"log in again"</a>". Then you have 15 minutes."</p>
        }
    };
    part! {
        <section id="login-methods" aria-labelledby="login-methods-heading">
            <div class="pagehead"><h2 id="login-methods-heading">"How you log in"</h2>
                <p>"A link of "<code>"verbatim open"</code>" always works on this machine. If you forget your password, an owner can send you a new invitation."</p></div>
            {none}{table}
            {change}
        </section>
    }
}

fn row(method: &LogInMethodInfo, may_change: bool, clock: &Clock) -> Part {
    let label = visible::line(&method.label);
    let name = match method.kind {
        LogInMethodKind::Password => "Password".to_owned(),
        LogInMethodKind::Passkey => format!("Passkey: {label}"),
        LogInMethodKind::SingleSignOn => format!("Account at {label}"),
    };
    let used = match method.last_used_at {
        Some(at) => moment(clock, at, "num mut"),
        None => part! { <span class="mut">"never"</span> },
    };
    let remove = may_change.then(|| {
        let sends = send(RemoveLogInMethod, [method.kind.as_str(), &method.id]).attributes();
        part! { <button type="button" class="btn quiet tiny" {..sends}>"Remove"<span class="sr">{format!(" {name}")}</span></button> }
    });
    part! {
        <tr><th scope="row"><span dir="auto">{name}</span></th>
            <td class="num mut hide-narrow">{moment(clock, method.created_at, "num mut")}</td>
            <td>{used}</td>
            <td class="end">{remove}</td></tr>
    }
}

fn password(has_one: bool) -> Part {
    let words = if has_one { "Change the password" } else { "Set a password" };
    part! {
        <details class="setting"><summary class="btn tiny">{words}</summary>
            <form class="answer notice" {..send(SetPasswordEndpoint, []).attributes()}>
                <div class="answer-field"><label for="new-password">"New password"</label><input id="new-password" name="password" type="password" autocomplete="new-password" minlength="12" maxlength="200" required aria-describedby="new-password-says"/></div>
                <p class="cap" id="new-password-says">"At least 12 characters. A few words that don't belong together are good."</p>
                <p class="cap fg-err" role="alert" {..problem("")} hidden></p>
                <div class="actions"><button type="submit" class="btn primary">"Save"</button></div>
            </form>
        </details>
    }
}

fn passkey() -> Part {
    part! {
        <details class="setting"><summary class="btn tiny">"Add a passkey"</summary>
            <div class="answer notice">
                <div class="answer-field"><label for="passkey-label">"Name"</label><input id="passkey-label" maxlength="60" dir="auto" autocomplete="off" placeholder="This device"/></div>
                <p class="cap">"The browser asks where the passkey is kept: on this device, on a phone or on a security key."</p>
                <div class="actions"><button type="button" class="btn primary" data-action=PageAction::AddPasskey.name()>{icon(Glyph::KEY)}"Add the passkey"</button></div>
            </div>
        </details>
    }
}
