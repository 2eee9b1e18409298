//! Fields of queries.

use api::Problem;

/// A filter that says something: forms send their empty fields too.
pub fn given(text: Option<String>) -> Option<String> {
    text.filter(|t| !t.trim().is_empty())
}

/// The values of a repeated filter that say something.
pub fn any_of(values: Vec<String>) -> Vec<String> {
    values.into_iter().filter(|value| !value.is_empty()).collect()
}

/// A page size within its bounds.
pub fn limit(given: Option<u32>, default: u32, max: u32) -> Result<u32, Problem> {
    match given {
        None => Ok(default),
        Some(n) if (1..=max).contains(&n) => Ok(n),
        Some(_) => Err(Problem::field("limit", &format!("a number from 1 to {max}"))),
    }
}
