//! Extractors of path and query for the routes outside the table, which refuse as the table does.

use super::pages::refusal;
use super::{Shared, Site};
use api::{Problem, ProblemCode};
use axum::extract::{FromRequestParts, Path};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use serde::de::DeserializeOwned;

/// Extracts the query.
pub struct Asked<T>(pub T);

/// Extracts the parameters of the path.
pub struct Named<T>(pub T);

/// Like [`Named`], for a page: a refusal is a page.
pub struct PageOf<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        api::serve::read_query(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

impl<T: DeserializeOwned + Send, S: Send + Sync> FromRequestParts<S> for Named<T> {
    type Rejection = Problem;
    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let named = Path::from_request_parts(parts, state).await;
        named.map(|Path(named)| Self(named)).map_err(|e| Problem::new(ProblemCode::InvalidPath, e.body_text()))
    }
}

impl<T: DeserializeOwned + Send> FromRequestParts<Shared> for PageOf<T> {
    type Rejection = Response;
    async fn from_request_parts(parts: &mut Parts, site: &Shared) -> Result<Self, Response> {
        if let Ok(Named(named)) = Named::from_request_parts(parts, site).await {
            return Ok(Self(named));
        }
        let site = Site::from_request_parts(parts, site).await.map_err(IntoResponse::into_response)?;
        Err(refusal(&site, &parts.headers, &Problem::not_found("page")).await)
    }
}
