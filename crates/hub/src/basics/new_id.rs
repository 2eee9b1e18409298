//! Ids of what the hub makes.

/// Returns a UUID that sorts by the time at which it was made.
pub fn new_uuid() -> u128 {
    uuid::Uuid::now_v7().as_u128()
}
