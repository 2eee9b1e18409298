//! What some commands need of the page: a composer, an open request with the focus.

use app::browser::dom;
use web_sys::HtmlElement;

/// Returns the ids of such commands whose need is met, with commas between them.
pub fn possible() -> String {
    let needs = [
        ("write", composer().is_some()),
        ("approve", decision(".allow").is_some()),
        ("approve_always", decision(".always").is_some()),
        ("deny", decision(".deny").is_some()),
    ];
    needs.into_iter().filter_map(|(id, has)| has.then_some(id)).collect::<Vec<_>>().join(",")
}

/// Returns the field of the composer.
pub fn composer() -> Option<HtmlElement> {
    dom::html(&dom::by_id("say")?).cloned()
}

/// Returns the button of the request that has the focus.
pub fn decision(button: &str) -> Option<HtmlElement> {
    let active = dom::active()?;
    let within = active.closest(".approval").ok().flatten();
    // A row that holds one open request, and that the keys walked to, is as good.
    let card = within
        .or_else(|| active.matches("article").ok().filter(|is| *is).and_then(|_| dom::find(&active, ".approval")));
    dom::html(&dom::find(&card?, &format!("form[data-decide] {button}"))?).cloned()
}
