//! A store that fails under a running hub.

use crate::support::{House, Talk};
use insta::assert_snapshot;
use std::io::Write as _;

/// Overwritten from outside: the answer says so, and what to do.
#[tokio::test]
async fn a_damaged_database() {
    let house = House::with(&Talk::new("mill").user("One")).await;
    for name in ["data/verbatim.db", "data/verbatim.db-wal"] {
        let mut file = std::fs::File::options().write(true).open(house.path(name)).unwrap();
        let size = file.metadata().unwrap().len() as usize;
        file.write_all(&vec![0xa5; size]).unwrap();
    }
    assert_snapshot!(house.shown(&house.get("/v1/sessions").await));
}
