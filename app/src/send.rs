//! Requests of a page's forms and buttons: an endpoint, and JSON of its own type. `frontend::forms` reads them.

use crate::shared::attr;
use crate::shared::form::{As, Then};
use api::{Endpoint, json};
use leptos::attr::Attribute;
use leptos::attr::custom::custom_attribute;

/// Attributes of a form, a button or a switch that sends itself.
#[derive(Debug, Default)]
pub struct Send {
    address: String,
    body: Option<String>,
    done: Option<&'static str>,
    then: Option<Then>,
    confirm: Option<&'static str>,
}

/// Sends to an endpoint, with a value for each parameter of its path.
pub fn send<E: Endpoint, const N: usize>(endpoint: E, parameters: [&str; N]) -> Send {
    Send { address: address(endpoint, parameters), ..Send::default() }
}

/// Sends to an endpoint whose path has fields of the form.
pub fn send_to_field<E: Endpoint>(_: E) -> Send {
    Send { address: format!("{} {}", E::INFO.method.as_str(), E::PATH), ..Send::default() }
}

/// `PATCH /v1/keys/k1`
pub fn address<E: Endpoint, const N: usize>(endpoint: E, parameters: [&str; N]) -> String {
    format!("{} {}", E::INFO.method.as_str(), endpoint.path(parameters))
}

/// The JSON that goes along.
pub fn body(input: &impl api::endpoint::Input) -> String {
    json::write(input).unwrap_or_default()
}

impl Send {
    /// The JSON that the fields are added to.
    pub fn with(self, input: &impl api::endpoint::Input) -> Self {
        Self { body: Some(body(input)), ..self }
    }

    /// Sets the text of success, instead of "Saved".
    pub fn done(self, words: &'static str) -> Self {
        Self { done: Some(words), ..self }
    }

    /// Sets the follow-up on the page, instead of redrawing its part.
    pub fn then(self, then: Then) -> Self {
        Self { then: Some(then), ..self }
    }

    /// The dialog that asks before.
    pub fn confirm(self, dialog: &'static str) -> Self {
        Self { confirm: Some(dialog), ..self }
    }

    /// The attributes, to be spread: `{..send(RevokeKey, [&id]).attributes()}`.
    pub fn attributes(self) -> impl Attribute {
        (
            custom_attribute(attr::SEND, self.address),
            custom_attribute(attr::BODY, self.body),
            custom_attribute(attr::DONE, self.done),
            custom_attribute(attr::THEN, self.then.map(Then::name)),
            custom_attribute(attr::CONFIRM, self.confirm),
        )
    }
}

/// How a field becomes JSON.
pub fn as_(kind: As) -> impl Attribute {
    custom_attribute(attr::AS, kind.name())
}

/// Where a form says what is wrong with a field; with all of it, if `name` is empty.
pub fn problem(name: &'static str) -> impl Attribute {
    custom_attribute(attr::PROBLEM, name)
}

/// Another attribute of a form, by its constant.
pub fn attribute(name: &'static str, value: impl Into<String>) -> impl Attribute {
    custom_attribute(name, value.into())
}
