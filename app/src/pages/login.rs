//! Where a browser without a log-in ends up. A link's code sits in the URL's fragment; `login.js` trades it for a
//! cookie.

use crate::icon::Glyph;
use crate::look::Look;
use crate::page::{Assets, Document, Script, document};
use crate::part::part;
use crate::render::render;
use crate::shell::{icon, small_icon};
use leptos::prelude::*;

pub struct LoginPage {
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
        part! {
            <main class="gate" id="main"><div class="gate-box">
                <p class="gate-brand">{icon(Glyph::MARK)}"Verbatim"</p>
                <h1>"Sign in"</h1>
                <p class="mut">"to "<b>{data.host.clone()}</b></p>
                <p class="gate-say" id="login-state" role="status">"Open the link that this command prints"</p>
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
                <noscript><p class="mut">"Signing in requires JavaScript, because only a script can read the code in the link."</p></noscript>
                <p class="cap gate-foot">{small_icon(Glyph::LOCK)}"Links work once. Agents can't sign in here."</p>
            </div></main>
        }
    });
    let (look, build, assets) = (data.look, &*data.build, &data.assets);
    document(Document { title: "Sign in", look, build, assets, script: Script::LogIn(&data.script), body })
}
