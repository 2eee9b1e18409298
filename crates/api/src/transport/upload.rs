//! Uploads a file of the browser by `XMLHttpRequest`, which reports progress, unlike fetch.

use super::{Answer, fetch};
use crate::Problem;
use crate::account::SECRET_HEADER;
use js_sys::{Promise, Uint8Array};
use wasm_bindgen::{JsCast as _, JsValue, closure::Closure};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Blob, ProgressEvent, XmlHttpRequest, XmlHttpRequestResponseType};

/// One upload. The file isn't read into memory.
#[derive(Debug, Clone)]
pub struct Upload(XmlHttpRequest);

impl Upload {
    /// Makes an upload, which [`Upload::send`] starts.
    pub fn new() -> Result<Self, Problem> {
        XmlHttpRequest::new().map(Self).map_err(lost)
    }

    /// Aborts the upload. [`Upload::send`] returns a problem with the status 0.
    pub fn abort(&self) {
        let _ = self.0.abort();
    }

    /// Sends the file with POST. `progress` is called with the uploaded percentage, 0 to 100.
    pub async fn send(&self, path: &str, file: &Blob, progress: impl Fn(u8) + 'static) -> Result<Answer, Problem> {
        let Self(request) = self;
        let secret = fetch::secret().await;
        request.open_with_async("POST", &fetch::at(path), true).map_err(lost)?;
        request.set_response_type(XmlHttpRequestResponseType::Arraybuffer);
        let mime = Some(file.type_()).filter(|mime| !mime.is_empty());
        let mime = mime.unwrap_or_else(|| "application/octet-stream".to_owned());
        request.set_request_header("content-type", &mime).map_err(lost)?;
        if let Some(secret) = secret {
            request.set_request_header(SECRET_HEADER, &secret).map_err(lost)?;
        }
        let progress = Closure::<dyn Fn(ProgressEvent)>::new(move |event: ProgressEvent| {
            if event.length_computable() && event.total() > 0.0 {
                progress((event.loaded() * 100.0 / event.total()) as u8);
            }
        });
        request.upload().map_err(lost)?.set_onprogress(Some(progress.as_ref().unchecked_ref()));
        let ended = Promise::new(&mut |resolve, _| request.set_onloadend(Some(&resolve)));
        request.send_with_opt_blob(Some(file)).map_err(lost)?;
        JsFuture::from(ended).await.map_err(lost)?;
        let status = request.status().unwrap_or(0);
        if status == 0 {
            return Err(lost(JsValue::NULL));
        }
        let body = Uint8Array::new(&request.response().map_err(lost)?).to_vec();
        let retry_after = request.get_response_header("retry-after").ok().flatten();
        let retry_after = retry_after.and_then(|seconds| seconds.parse().ok());
        Ok(fetch::noticed(Answer { status, retry_after, body }))
    }
}

fn lost(_: JsValue) -> Problem {
    Problem::transport("The server can't be reached")
}
