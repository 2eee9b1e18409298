//! JSON as text, and back. Browsers do it themselves: to read and write numbers alone would be a tenth of the WebAssembly.

use serde::Serialize;
use serde::de::DeserializeOwned;

#[cfg(not(feature = "fetch"))]
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    serde_json::from_slice(text).map_err(|e| e.to_string())
}

#[cfg(not(feature = "fetch"))]
pub fn write(value: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(value).map_err(|e| e.to_string())
}

#[cfg(feature = "fetch")]
pub fn read<T: DeserializeOwned>(text: &[u8]) -> Result<T, String> {
    let text = std::str::from_utf8(text).map_err(|_| "it isn't text")?;
    let value = js_sys::JSON::parse(text).map_err(|_| "it isn't JSON")?;
    serde_wasm_bindgen::from_value(value).map_err(|e| e.to_string())
}

#[cfg(feature = "fetch")]
pub fn write(value: &impl Serialize) -> Result<String, String> {
    let value = value.serialize(&serde_wasm_bindgen::Serializer::json_compatible()).map_err(|e| e.to_string())?;
    let text = js_sys::JSON::stringify(&value).map_err(|_| "it has no end")?;
    Ok(text.into())
}
