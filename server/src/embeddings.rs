//! Vectors from an endpoint in the form of `OpenAI`'s API: `POST URL/embeddings` with `{"model", "input": [...]}`.

use futures::FutureExt as _;
use futures::future::BoxFuture;
use hub::Embedder;
use serde::Deserialize;
use serde_json::json;
use std::time::Duration;

/// A request takes at most so long.
const TIMEOUT: Duration = Duration::from_mins(1);
/// Characters of an error that are shown.
const ERROR_CHARS: usize = 300;

/// An endpoint and its model.
#[derive(Debug)]
pub struct Endpoint {
    client: reqwest::Client,
    url: String,
    model: String,
    key: Option<Key>,
}

/// Isn't shown by `Debug`.
struct Key(String);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("[key]")
    }
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    index: usize,
    embedding: Vec<f32>,
}

impl Endpoint {
    /// Takes the base of the API, as `http://127.0.0.1:11434/v1`.
    pub fn new(url: &str, model: String, key: Option<String>) -> Result<Self, reqwest::Error> {
        let client = reqwest::Client::builder().timeout(TIMEOUT).redirect(reqwest::redirect::Policy::none()).build()?;
        let url = format!("{}/embeddings", url.trim_end_matches('/'));
        Ok(Self { client, url, model, key: key.map(Key) })
    }

    async fn ask(&self, texts: Vec<String>) -> Result<Vec<Vec<f32>>, String> {
        let many = texts.len();
        let mut request = self.client.post(&self.url).json(&json!({ "model": self.model, "input": texts }));
        if let Some(Key(key)) = &self.key {
            request = request.bearer_auth(key);
        }
        let answer = request.send().await.map_err(|error| said(&error))?;
        let status = answer.status();
        if !status.is_success() {
            let words = answer.text().await.unwrap_or_default();
            return Err(format!("the endpoint answered {status}: {}", model::text::one_line(&words, ERROR_CHARS)));
        }
        let mut answer: Answer = answer.json().await.map_err(|error| said(&error))?;
        answer.data.sort_by_key(|item| item.index);
        let is_whole = answer.data.iter().enumerate().all(|(place, item)| item.index == place);
        if answer.data.len() != many || !is_whole {
            return Err(format!("the endpoint gave {} vectors for {many} texts", answer.data.len()));
        }
        Ok(answer.data.into_iter().map(|item| item.embedding).collect())
    }
}

impl Embedder for Endpoint {
    fn model(&self) -> &str {
        &self.model
    }

    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>> {
        self.ask(texts).boxed()
    }
}

/// An error with what is behind it: `reqwest` alone says that a request failed.
fn said(error: &reqwest::Error) -> String {
    let mut words = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(behind) = source {
        words = format!("{words}: {behind}");
        source = behind.source();
    }
    model::text::one_line(&words, ERROR_CHARS)
}
