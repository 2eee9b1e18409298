//! Runs UI actions from the queue, each by its owner.

use crate::{actions, keyboard, session_actions, toasts};
use app::browser::dispatch::{self, UiAction};
use leptos::prelude::lazy;

pub fn start() {
    dispatch::start(|| wasm_bindgen_futures::spawn_local(run_queued()));
}

#[lazy]
async fn run_queued() {
    while let Some(action) = dispatch::next() {
        run(action);
    }
}

fn run(action: UiAction) {
    match action {
        UiAction::Command(command) => {
            keyboard::act(command);
        }
        UiAction::Escape => keyboard::escape(),
        UiAction::Button(action, button) => {
            if session_actions::act(action, &button) {
                session_actions::close_menu(&button);
            } else {
                actions::act(action, &button);
            }
        }
        UiAction::OpenRowMenu(button) => session_actions::aim(&button),
        UiAction::Select(row) => session_actions::select(&row),
        UiAction::SelectTo(row) => session_actions::select_to(&row),
        UiAction::DrawToasts => toasts::draw(),
        UiAction::Undo(undo) => session_actions::take_back(undo),
        UiAction::ToastButton(button) => toasts::press(&button),
    }
}
