//! One agent per session: whoever resumes it, at whichever server, and whatever an earlier server left.
#![cfg(unix)]

use crate::driving::{AGENT, asked, file, house, owner, refusal, started, until};
use crate::support::in_time;
use api::Method::{Delete, Get, Post};
use hub::driving;
use hub::driving::Driving;
use serde_json::{Value, json};
use store::{Driven, DrivenState};

#[tokio::test]
async fn a_server_that_starts_marks_what_ran() {
    let house = house().await;
    let session = started(&house, json!({"prompt": "Ask for a permission"})).await;
    let (card, shown) = asked(&house, &session).await;
    let running = house.hub.state::<Driving>().of(&model::SessionId::parse(session.clone()).unwrap()).unwrap();
    assert_eq!(running.folder, house.path("work").display().to_string());
    // As the next server finds it.
    let house = house.restarted().await;
    driving::mark_interrupted(&house.hub).await.unwrap();
    let agent = owner(&house, Get, &format!("/v1/sessions/{session}/agent"), Value::Null).await.body;
    assert_eq!(
        (&agent["state"], &agent["reason"]),
        (&json!("interrupted"), &json!("The server ended while the agent ran"))
    );
    let path = format!("/v1/sessions/{session}/messages/{card}/decision");
    let late = owner(&house, Post, &path, json!({"selected": ["allow"], "shown_sha256": shown})).await;
    assert_eq!(refusal(&late), (409, "decided", None, "It is closed: The agent ended before it was decided"));
    let stored: Driven =
        house.hub.workspace.driven(&model::SessionId::parse(session.clone()).unwrap()).await.unwrap().unwrap();
    assert_eq!(stored.state, DrivenState::Interrupted);
    assert_eq!(owner(&house, Delete, &format!("/v1/sessions/{session}"), json!({})).await.status, 200);
}

/// One process, and every other one who asks is told why not. A start that fails gives the session free.
#[tokio::test]
async fn a_session_has_one_agent_however_many_resume_it() {
    let house = house().await;
    let session = started(&house, json!({})).await;
    let tell = format!("/v1/sessions/{session}/agent/tell");
    assert_eq!(owner(&house, Post, &tell, json!({"action": "end"})).await.status, 200);
    until(&house, &session, "ended").await;
    let resume = format!("/v1/sessions/{session}/agent/resume");
    let (a, b, c) = tokio::join!(
        owner(&house, Post, &resume, json!({})),
        owner(&house, Post, &resume, json!({})),
        owner(&house, Post, &resume, json!({})),
    );
    let mut answers = [a, b, c].map(|answer| (answer.status, answer.body["code"].clone()));
    answers.sort_by_key(|(status, _)| *status);
    assert_eq!(answers[0], (201, Value::Null));
    for (status, code) in &answers[1..] {
        assert!(*status == 409 && (code == "agent_starts" || code == "agent_runs"), "{answers:?}");
    }
    assert_eq!(file(&house, "arguments").len(), 2, "the first start, and one resume");

    assert_eq!(owner(&house, Post, &tell, json!({"action": "end"})).await.status, 200);
    until(&house, &session, "ended").await;
    house.write("bin/claude", "#!/bin/sh\nexit 3\n");
    assert_eq!(owner(&house, Post, &resume, json!({})).await.status, 502);
    house.write("bin/claude", AGENT);
    let again = owner(&house, Post, &resume, json!({})).await;
    assert_eq!(again.status, 201, "{}", again.body);
}

/// A start that takes long is shown where its session goes on, and can be given up.
#[tokio::test]
async fn a_start_is_shown_and_can_be_cancelled() {
    let house = house().await;
    let session = started(&house, json!({})).await;
    let tell = format!("/v1/sessions/{session}/agent/tell");
    assert_eq!(owner(&house, Post, &tell, json!({"action": "end"})).await.status, 200);
    until(&house, &session, "ended").await;
    house.write("bin/claude", "#!/bin/sh\nread line\nexec sleep 600\n");
    let resume = format!("/v1/sessions/{session}/agent/resume");
    let path = format!("/v1/sessions/{session}/agent");
    let cancelled = async {
        until(&house, &session, "starting").await;
        let busy = owner(&house, Post, &resume, json!({})).await;
        assert_eq!(refusal(&busy), (409, "agent_starts", None, "The agent of this session is starting"));
        assert_eq!(owner(&house, Post, &tell, json!({"action": "end"})).await.body["state"], "starting");
    };
    let (started, ()) = tokio::join!(owner(&house, Post, &resume, json!({})), cancelled);
    assert_eq!(refusal(&started), (409, "start_cancelled", None, "The start was cancelled"));
    assert_eq!(owner(&house, Get, &path, Value::Null).await.body["state"], "ended");
    house.write("bin/claude", AGENT);
    in_time(async { while owner(&house, Post, &resume, json!({})).await.status != 201 {} }).await;
}

/// Two servers on one database: the second one starts no agent while the first one gives signs of life.
#[tokio::test]
async fn a_session_whose_agent_another_server_runs_is_not_resumed() {
    let mut house = house().await;
    house.renew(|settings| settings.server = Some("north".to_owned())).await;
    let session = started(&house, json!({})).await;
    let north = house.hub.clone();
    house.renew(|settings| settings.server = Some("south".to_owned())).await;
    let resume = format!("/v1/sessions/{session}/agent/resume");
    let refused = owner(&house, Post, &resume, json!({})).await;
    assert_eq!(refusal(&refused), (409, "agent_runs", None, "Another server is running the agent of this session"));

    // As after the end of a server that never comes back. What it left on this machine is ended first.
    let id = model::SessionId::parse(session.clone()).unwrap();
    let run = north.workspace.agent_run(&id).await.unwrap().unwrap();
    let process = run.process.clone().unwrap().id.to_string();
    assert!(north.workspace.put_agent_run(&store::AgentRun { leased_until: model::Micros(1), ..run }).await.unwrap());
    let taken = owner(&house, Post, &resume, json!({})).await;
    assert_eq!(taken.status, 201, "{}", taken.body);
    #[cfg(target_os = "linux")]
    assert!(!std::fs::read(format!("/proc/{process}/cmdline")).is_ok_and(|arguments| !arguments.is_empty()));
    let _ = process;
    // The first one's end changes nothing here any more.
    in_time(async { while north.state::<Driving>().of(&id).is_some() {} }).await;
    until(&house, &session, "idle").await;
}

/// Whoever can't end what still runs starts nothing beside it.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_session_whose_agent_cannot_be_ended_is_not_resumed() {
    let house = house().await;
    let session = started(&house, json!({})).await;
    let id = model::SessionId::parse(session.clone()).unwrap();
    // A process of which nobody can say that it is the agent: it has no mark.
    let mut child = tokio::process::Command::new("sleep").arg("600").env_clear().kill_on_drop(true).spawn().unwrap();
    let other = i32::try_from(child.id().unwrap()).unwrap();
    let stat = std::fs::read_to_string(format!("/proc/{other}/stat")).unwrap();
    let ticks = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap().to_owned();
    let boot = std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let process = store::AgentProcess { mark: "1".to_owned(), id: other, started: format!("{}/{ticks}", boot.trim()) };
    let run = house.hub.workspace.agent_run(&id).await.unwrap().unwrap();
    let run = store::AgentRun { process: Some(process), ..run };
    assert!(house.hub.workspace.put_agent_run(&run).await.unwrap());

    let house = house.restarted().await;
    driving::mark_interrupted(&house.hub).await.unwrap();
    let agent = owner(&house, Get, &format!("/v1/sessions/{session}/agent"), Value::Null).await.body;
    let why = format!(
        "The server ended while the agent waited for a prompt. Its process {other} still runs and can't be ended from here"
    );
    assert_eq!((&agent["state"], &agent["reason"]), (&json!("ended"), &json!(why)));
    let resume = format!("/v1/sessions/{session}/agent/resume");
    let refused = owner(&house, Post, &resume, json!({})).await;
    let title = format!("The agent of this session is still running since before the server stopped: process {other}");
    assert_eq!(refusal(&refused), (409, "agent_left", None, &*title));
    assert_eq!(child.try_wait().unwrap(), None, "it wasn't touched");
    child.kill().await.unwrap();
    let resumed = owner(&house, Post, &resume, json!({})).await;
    assert_eq!(resumed.status, 201, "{}", resumed.body);
}
