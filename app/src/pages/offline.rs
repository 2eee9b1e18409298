//! The page that the service worker shows if the server can't be reached and the page isn't stored: a list of stored
//! sessions.

use crate::icon::Glyph;
use crate::look::Look;
use crate::page::{Assets, Document, Script, document};
use crate::part::part;
use crate::render::render;
use crate::shell::icon;
use leptos::prelude::*;

pub struct OfflinePage {
    /// URL of `offline.js`.
    pub script: String,
    pub look: Look,
    pub build: String,
    pub assets: Assets,
}

/// The whole page. It holds nothing of anybody's: `offline.js` fills in what the worker keeps.
pub fn page(data: &OfflinePage) -> String {
    let body = render(|| {
        part! {
            <main class="gate" id="main"><div class="gate-box wide">
                <p class="gate-brand">{icon(Glyph::MARK)}"Verbatim"</p>
                <h1>"Offline"</h1>
                <p class="mut"><span id="not-kept" hidden>"This page isn't stored on this device. "</span>"The server doesn't respond. This page opens automatically as soon as it does."</p>
                <p class="actions"><a class="btn" id="again" href="/">{icon(Glyph::REFRESH)}"Try again"</a></p>
                <section id="kept" aria-labelledby="kept-heading" hidden>
                    <h2 id="kept-heading">"Recently read on this device"</h2>
                    <ul class="kept" role="list"></ul>
                </section>
                <p class="cap" id="none" hidden>"No session is stored here. The last 20 that you read on this device are stored for a week, or until you log out."</p>
                <template id="kept-row"><li><a class="cut" href="/"></a><span class="cap num"></span></li></template>
                <noscript><p class="mut">"Listing the stored sessions requires JavaScript."</p></noscript>
            </div></main>
        }
    });
    let (look, build, assets) = (data.look, &*data.build, &data.assets);
    document(Document { title: "Offline", look, build, assets, script: Script::Module(&data.script), body })
}
