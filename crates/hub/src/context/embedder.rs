//! Vectors of texts, as somebody makes them for us.
use futures::future::BoxFuture;

/// Makes vectors of texts.
pub trait Embedder: std::fmt::Debug + Send + Sync {
    /// Names the model: vectors of different models can't be compared.
    fn model(&self) -> &str;
    /// Returns a vector for each text, in their order. The error says why there are none.
    fn embed(&self, texts: Vec<String>) -> BoxFuture<'_, Result<Vec<Vec<f32>>, String>>;
}
