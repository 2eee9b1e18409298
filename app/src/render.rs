//! A view becomes a string: synchronously, in an owner of its own, without scripts.

use crate::html::Html;
use hydration_context::SsrSharedContext;
use leptos::prelude::*;
use std::sync::Arc;

/// Renders a view on the server. Islands in it are marked so that the browser can bring them to life.
pub fn render<V: IntoView>(view: impl FnOnce() -> V) -> String {
    let owner = Owner::new_root(Some(Arc::new(SsrSharedContext::new_islands())));
    let html = owner.with(|| view().into_view().to_html());
    owner.unset_with_forced_cleanup();
    html
}

/// Like [`render`], to be put into other HTML.
pub fn render_part<V: IntoView>(view: impl FnOnce() -> V) -> Html {
    Html::rendered(render(view))
}
