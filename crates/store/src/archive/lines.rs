//! Lines of an archive: one object each, with one key that says what the line is.

use crate::StoreError;
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

#[derive(Default)]
pub(super) struct Lines {
    bytes: Vec<u8>,
    count: u64,
}

impl Lines {
    /// Adds `{"<kind>": <value>}`.
    pub(super) fn push(&mut self, kind: &str, value: &Value) -> Result<(), StoreError> {
        self.begin(kind)?;
        self.add(value)?;
        self.end("}");
        Ok(())
    }

    /// Adds `{"<kind>": {<fields>, "<name>": <last>}}`.
    pub(super) fn push_with(
        &mut self,
        kind: &str,
        fields: Map<String, Value>,
        name: &str,
        last: &RawValue,
    ) -> Result<(), StoreError> {
        self.bytes.reserve(last.get().len() + 1024);
        self.begin(kind)?;
        self.bytes.push(b'{');
        for (name, value) in fields {
            self.add(&name)?;
            self.bytes.push(b':');
            self.add(&value)?;
            self.bytes.push(b',');
        }
        self.add(name)?;
        self.bytes.push(b':');
        self.bytes.extend_from_slice(last.get().as_bytes());
        self.end("}}");
        Ok(())
    }

    fn begin(&mut self, kind: &str) -> Result<(), StoreError> {
        self.bytes.push(b'{');
        self.add(kind)?;
        self.bytes.push(b':');
        Ok(())
    }

    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), StoreError> {
        serde_json::to_writer(&mut self.bytes, value).map_err(|error| StoreError::Corrupt(error.to_string()))
    }

    fn end(&mut self, closing: &str) {
        self.bytes.extend_from_slice(closing.as_bytes());
        self.bytes.push(b'\n');
        self.count += 1;
    }

    /// The bytes, and how many lines they are.
    pub(super) fn finish(self) -> (Vec<u8>, u64) {
        (self.bytes, self.count)
    }
}
