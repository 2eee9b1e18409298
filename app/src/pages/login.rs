//! Where a browser without a log-in ends up. A link's code sits in the URL's fragment; `login.js` trades it, a password
//! or a passkey's answer for a cookie.

use crate::icon::Glyph;
use crate::look::Look;
use crate::page::{Assets, Document, Script, document};
use crate::part::{Part, part};
use crate::render::render;
use crate::send::attribute;
use crate::shared::{attr, page_path};
use crate::shell::{icon, small_icon};
use crate::visible;
use leptos::prelude::*;

/// What the server gives the page with it.
#[derive(Debug, Default)]
pub struct Arriving {
    /// Message that is shown first, such as an error.
    pub said: Option<String>,
    /// Code with which the page logs in at once.
    pub code: Option<String>,
    /// Page to go on to. Absent: the one that the address names.
    pub next: Option<String>,
}

#[derive(Default)]
pub struct LoginPage {
    pub arriving: Arriving,
    /// Name of the provider of single sign-on, if there is one.
    pub provider: Option<String>,
    /// Whether anybody logs in by a passkey.
    pub has_passkeys: bool,
    /// Whether anybody logs in by a password.
    pub has_passwords: bool,
    /// Host and port under which the server is reached.
    pub host: String,
    /// URL of `login.js`.
    pub script: String,
    pub look: Look,
    pub build: String,
    pub assets: Assets,
}

/// The whole page.
pub fn page(data: &LoginPage) -> String {
    let body = render(|| {
        let has_others = data.has_passkeys || data.has_passwords || data.provider.is_some();
        let provider = data.provider.as_deref().map(|name| {
            part! { <a class="btn tall gate-way" id="login-provider" href=page_path::SIGN_ON>{format!("Sign in with {}", visible::line(name))}</a> }
        });
        let Arriving { said, code, next } = &data.arriving;
        let said = said.clone().or_else(|| (!has_others).then(|| "Open the link that this command prints".to_owned()));
        let passkey = data.has_passkeys.then(passkey);
        let password = data.has_passwords.then(password);
        let by_link = if has_others {
            part! { <details class="gate-more"><summary class="btn quiet tiny">"Sign in with a link"</summary><p class="mut">"Open the link that this command prints"</p>{by_link()}</details> }
        } else {
            by_link()
        };
        part! {
            <main class="gate" id="main"><div class="gate-box">
                <p class="gate-brand">{icon(Glyph::MARK)}"Verbatim"</p>
                <h1>"Sign in"</h1>
                <p class="mut">"to "<b>{data.host.clone()}</b></p>
                <p class="gate-say" id="login-state" role="status" {..attribute(attr::LOG_IN, code.clone().unwrap_or_default())} {..attribute(attr::NEXT, next.clone().unwrap_or_default())}>{said}</p>
                {provider}
                {passkey}
                {password}
                {by_link}
                <noscript><p class="mut">"Signing in requires JavaScript, because only a script can read the code in the link."</p></noscript>
                <p class="cap gate-foot">{small_icon(Glyph::LOCK)}"Links work once. Agents can't sign in here."</p>
            </div></main>
        }
    });
    let (look, build, assets) = (data.look, &*data.build, &data.assets);
    document(Document { title: "Sign in", look, build, assets, script: Script::LogIn(&data.script), body })
}

fn passkey() -> Part {
    part! { <button type="button" class="btn tall gate-way" id="login-passkey" hidden>{icon(Glyph::KEY)}"Sign in with a passkey"</button> }
}

fn password() -> Part {
    part! {
        <form id="login-password" class="gate-form" hidden>
            <label class="label">"Name"
                <span class="field large"><input name="name" autocomplete="username" autocapitalize="none" required dir="auto"/></span></label>
            <label class="label">"Password"
                <span class="field large"><input name="password" type="password" autocomplete="current-password" required/></span></label>
            <button type="submit" class="btn primary tall">"Sign in"</button>
        </form>
    }
}

fn by_link() -> Part {
    part! {
        <div class="copyline"><code>"verbatim open"</code>
            <button type="button" class="btn quiet tiny" id="login-copy" hidden>{icon(Glyph::COPY)}"Copy"</button>
        </div>
        <form id="login-form" class="gate-form" hidden>
            <label class="label">"Sign-in code"
                <span class="field large"><input class="mono" name="code" id="login-code" autocomplete="one-time-code" required/></span>
                <small>"The part of the link after "<code>"#c="</code>". It works once, for 15 minutes."</small>
            </label>
            <button type="submit" class="btn primary tall">"Sign in"</button>
        </form>
    }
}
