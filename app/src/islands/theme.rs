//! The theme: as the device has it, light, or dark. A cookie tells the server, so that no page flashes.

use crate::icon::{Glyph, Icon};
use leptos::prelude::*;

/// Goes round: system, light, dark.
#[island]
pub fn ThemeButton(theme: String) -> impl IntoView {
    let theme = ArcRwSignal::new(theme);
    let words = {
        let theme = theme.clone();
        move || format!("Theme: {}. Switch", theme.get())
    };
    let said = words.clone();
    let switch = move |_| {
        let next = match theme.get_untracked().as_str() {
            "system" => "light",
            "light" => "dark",
            _ => "system",
        };
        theme.set(next.to_owned());
        #[cfg(feature = "hydrate")]
        crate::islands::dom::set_look("theme", next);
    };
    view! {
        <button type="button" class="btn quiet icon" id="theme" title=words on:click=switch>
            <Icon glyph=Glyph::SUN/><span class="sr">{said}</span>
        </button>
    }
}
