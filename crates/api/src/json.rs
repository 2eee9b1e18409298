//! Reads and writes JSON. Browsers use their own parser: `serde_json`'s handling of numbers would be a tenth of the
//! WebAssembly.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// Deserializes a value from JSON.
///
/// # Errors
///
/// Returns a message for people if the text isn't JSON, or has another shape.
#[cfg(not(feature = "fetch"))]
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|e| e.to_string())
}

/// Serializes a value as JSON.
///
/// # Errors
///
/// Returns a message if the value has no JSON form, such as a map whose keys aren't strings.
#[cfg(not(feature = "fetch"))]
pub fn write(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|e| e.to_string())
}

/// Deserializes a value from JSON.
///
/// # Errors
///
/// Returns a message for people if the text isn't JSON, or has another shape.
#[cfg(feature = "fetch")]
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it isn't text")?;
    let value = js_sys::JSON::parse(text).map_err(|_| "it isn't JSON")?;
    serde_wasm_bindgen::from_value(value).map_err(|e| e.to_string())
}

/// JSON whose fields are read one by one. For replies that every page reads, this takes less code than a typed
/// deserializer with its error messages.
#[cfg(feature = "fetch")]
pub struct Json(wasm_bindgen::JsValue);

#[cfg(feature = "fetch")]
impl Json {
    /// Parses a string; None if it isn't JSON.
    pub fn read(text: &str) -> Option<Self> {
        js_sys::JSON::parse(text).ok().map(Self)
    }

    /// Parses bytes; None if they aren't UTF-8 or JSON.
    pub fn of_bytes(text: &[u8]) -> Option<Self> {
        Self::read(std::str::from_utf8(text).ok()?)
    }

    /// Returns a field; None if it is absent or null.
    pub fn field(&self, name: &str) -> Option<Self> {
        let value = js_sys::Reflect::get(&self.0, &name.into()).ok()?;
        (!value.is_undefined() && !value.is_null()).then_some(Self(value))
    }

    /// Returns a string field; None for any other value.
    pub fn text(&self, name: &str) -> Option<String> {
        self.field(name)?.0.as_string()
    }

    /// Returns a number field without its fraction; None for any other value. The API's numbers are small enough for a
    /// double.
    pub fn number(&self, name: &str) -> Option<i64> {
        self.field(name)?.0.as_f64().map(|number| number as i64)
    }

    /// Returns a boolean field; None for any other value.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.field(name)?.0.as_bool()
    }

    /// Returns the items of an array field; empty for any other value.
    pub fn list(&self, name: &str) -> Vec<Self> {
        let list = self.field(name).and_then(|list| wasm_bindgen::JsCast::dyn_into::<js_sys::Array>(list.0).ok());
        list.into_iter().flat_map(|list| list.iter().map(Self).collect::<Vec<_>>()).collect()
    }
}

/// Serializes a value as JSON.
///
/// # Errors
///
/// Returns a message if the value has no JSON form, such as a map whose keys aren't strings.
#[cfg(feature = "fetch")]
pub fn write(value: &impl Serialize) -> Result<String, String> {
    let value = value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(|e| e.to_string())?;
    let text = js_sys::JSON::stringify(&value).map_err(|_| "it has no end")?;
    Ok(text.into())
}
