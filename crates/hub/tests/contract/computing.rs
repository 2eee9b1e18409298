//! Work on people's texts may take long: its threads are bounded, and serve nobody else.

use crate::limits::{edit, edits, shuffled};
use crate::live::Talk;
use crate::support::{Answer, in_time};
use api::Method::{Get, Patch, Post};
use api::Problem;
use futures::future::BoxFuture;
use hub::Hub;
use hub::compute::Lane;
use insta::assert_snapshot;
use serde_json::{Value, json};
use std::sync::mpsc;

type Waiting<'h> = BoxFuture<'h, Result<(), Problem>>;

/// Jobs that wait to be let go, as many as a lane takes: one more is refused.
async fn fill(hub: &Hub, lane: Lane) -> (Vec<Waiting<'_>>, Vec<mpsc::Sender<()>>, Problem) {
    let (mut jobs, mut holds) = (Vec::new(), Vec::new());
    loop {
        let (hold, held) = mpsc::channel::<()>();
        let mut job: Waiting<'_> = Box::pin(hub.compute.run(lane, move |_| {
            let _ = held.recv();
        }));
        match futures::poll!(&mut job) {
            std::task::Poll::Pending => jobs.push(job),
            std::task::Poll::Ready(refused) => return (jobs, holds, refused.unwrap_err()),
        }
        holds.push(hold);
    }
}

#[tokio::test]
async fn agents_that_let_much_be_computed_stop_neither_small_posts_nor_people() {
    let talk = Talk::new().await;
    let large = || edits(&[edit("a.txt", &shuffled(1_000, 1), &shuffled(1_000, 2))]);
    assert_eq!(talk.agent(Post, "/messages", large()).await.status, 201);

    let (jobs, holds, refused) = fill(&talk.house.hub, Lane::Agents).await;
    assert_eq!((refused.status, refused.code.as_str()), (503, "busy"));
    let mut seen = String::new();
    let mut note = |what: &str, answer: &Answer| seen += &format!("{what}: {}\n", talk.house.shown(answer));
    note("a large edit", &talk.agent(Post, "/messages", large()).await);
    note("an update of one", &talk.agent(Patch, "/messages/1", json!({"status": "retracted"})).await);
    assert_snapshot!(seen);
    assert_eq!(talk.agent(Post, "/messages", json!({"content": "small"})).await.status, 201);
    let small = edits(&[edit("b.txt", "a\n", "b\n")]);
    assert_eq!(talk.agent(Post, "/messages", small).await.status, 201);
    let changes = talk.owner(Get, "/changes/net", Value::Null).await;
    assert_eq!((changes.status, changes.body["files"].as_array().unwrap().len()), (200, 2), "{}", changes.body);

    drop(holds);
    assert!(in_time(futures::future::join_all(jobs)).await.into_iter().all(|done| done.is_ok()));
    assert_eq!(talk.agent(Post, "/messages", large()).await.status, 201);
    let taken_back = talk.agent(Patch, "/messages/1", json!({"status": "retracted"})).await;
    assert_eq!((taken_back.status, &taken_back.body["status"]), (200, &json!("retracted")), "{}", taken_back.body);
}

/// A thread isn't held by work that nobody waits for.
#[tokio::test]
async fn a_job_ends_when_its_client_has_gone() {
    let talk = Talk::new().await;
    let (begun, mut begins) = tokio::sync::mpsc::unbounded_channel();
    let (ended, mut ends) = tokio::sync::mpsc::unbounded_channel();
    let job = talk.house.hub.compute.run(Lane::People, move |job| {
        let _ = begun.send(());
        while !job.is_over() {
            std::thread::yield_now();
        }
        let _ = ended.send(job.goes_on().unwrap_err().status);
    });
    let client = async {
        tokio::select! {
            _ = job => unreachable!("it works until nobody waits"),
            _ = begins.recv() => {}
        }
    };
    in_time(client).await;
    assert_eq!(in_time(ends.recv()).await, Some(503));
}

#[tokio::test]
async fn a_job_that_panics_is_an_error_and_its_thread_is_free_again() {
    let talk = Talk::new().await;
    let compute = &talk.house.hub.compute;
    for _ in 0..100 {
        let failed = compute.run(Lane::Agents, |_| panic!("of one job")).await;
        assert_eq!(failed.map(|(): ()| 0).unwrap_err().status, 500);
    }
    assert_eq!(compute.run(Lane::Agents, |_| 7).await, Ok(7));
}
