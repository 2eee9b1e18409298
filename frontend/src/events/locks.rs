//! The Web Locks API, by name: the bindings for it count as unstable.

use app::browser::dom;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortController;

/// A lock that this tab holds or waits for.
pub struct Lock {
    waits: AbortController,
}

impl Lock {
    /// Waits no longer. A lock that is held is given back by the function that came with it.
    pub fn forget(&self) {
        self.waits.abort();
    }
}

/// Asks for a lock. `granted` is told once, with the function that gives it back. None where the browser has no locks:
/// outside of secure contexts.
pub fn request(name: &str, granted: impl FnOnce(Function) + 'static) -> Option<Lock> {
    let navigator = dom::window()?.navigator();
    let locks = Reflect::get(&navigator, &"locks".into()).ok().filter(JsValue::is_object)?;
    let request: Function = Reflect::get(&locks, &"request".into()).ok()?.dyn_into().ok()?;
    let waits = AbortController::new().ok()?;
    let options = Object::new();
    Reflect::set(&options, &"signal".into(), &waits.signal()).ok()?;
    let held = Closure::once_into_js(move |_: JsValue| {
        let mut granted = Some(granted);
        // Held until the promise is settled.
        Promise::new(&mut |resolve, _| {
            if let Some(granted) = granted.take() {
                granted(resolve);
            }
        })
    });
    let asked: Promise = request.call3(&locks, &name.into(), &options, &held).ok()?.dyn_into().ok()?;
    wasm_bindgen_futures::spawn_local(async move {
        // A wait that was given up is an error to the browser alone.
        let _ = JsFuture::from(asked).await;
    });
    Some(Lock { waits })
}
