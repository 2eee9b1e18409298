//! Actions of a person on sessions, log-ins and preferences.

use crate::support::House;
use api::Method::{Delete, Get, Patch, Post};
use api::account::LogIn;
use hub::account::login::LogInAttempt;
use hub::{Caller, Scoped};
use serde_json::{Value, json};

/// Three sessions of an agent.
async fn house() -> House {
    let house = House::new().await;
    let agent = house.agent("nightly").await;
    for id in ["s1", "s2", "s3"] {
        let made = house.send(agent.clone(), Post, "/v1/sessions", Some(json!({"agent": "bot", "id": id}))).await;
        assert_eq!(made.status, 201, "{}", made.body);
    }
    house
}

async fn ids(house: &House, query: &str) -> Vec<String> {
    let page = house.read(&format!("/v1/sessions?sort=title&{query}")).await;
    page["sessions"].as_array().unwrap().iter().map(|session| session["id"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn many_sessions_at_once_and_back() {
    let house = house().await;
    let edit = async |body: Value| {
        let answer = house.send(Caller::owner(), Patch, "/v1/sessions", Some(body)).await;
        (answer.status, answer.body)
    };
    let archived = edit(json!({"sessions": ["s1", "nobody", "s2"], "archived": true})).await;
    assert_eq!(archived, (200, json!({"sessions": ["s1", "s2"]})));
    assert_eq!(
        (ids(&house, "").await, ids(&house, "show=archived").await),
        (vec!["s3".into()], vec!["s1".into(), "s2".into()])
    );
    edit(json!({"sessions": ["s1", "s2"], "archived": false, "pinned": true})).await;
    assert_eq!(ids(&house, "show=pinned").await, ["s1", "s2"]);
    edit(json!({"sessions": ["s1", "s2", "s3"], "deleted": true})).await;
    assert!(ids(&house, "").await.is_empty());
    edit(json!({"sessions": ["s1", "s2", "s3"], "deleted": false})).await;
    assert_eq!(ids(&house, "").await, ["s1", "s2", "s3"]);
    assert!(ids(&house, "show=needs_you").await.is_empty());
}

#[tokio::test]
async fn an_edit_of_many_says_what_is_wrong_with_it() {
    let house = house().await;
    for (body, field) in [
        (json!({"archived": true}), "/sessions"),
        (json!({"sessions": vec!["s"; 501], "archived": true}), "/sessions"),
        (json!({"sessions": ["s1", ""], "archived": true}), "/sessions/1"),
        (json!({"sessions": ["s1"]}), "/archived"),
        (json!({"sessions": ["s1"], "title": "x"}), "/title"),
    ] {
        let answer = house.send(Caller::owner(), Patch, "/v1/sessions", Some(body)).await;
        assert_eq!((answer.status, answer.body["field"].as_str()), (400, Some(field)), "{}", answer.body);
    }
    let agent = house.agent("other").await;
    let body = Some(json!({"sessions": ["s1"], "deleted": true}));
    assert_eq!(house.send(agent, Patch, "/v1/sessions", body).await.status, 403);
}

/// A session is of the folder that it says, and blanks are none.
#[tokio::test]
async fn a_project_is_the_folder_unless_it_is_said() {
    let house = House::new().await;
    let agent = house.agent("nightly").await;
    let made = async |cwd: &str, project: Option<&str>| {
        let new = json!({"agent": "bot", "cwd": cwd, "project": project});
        let session = house.send(agent.clone(), Post, "/v1/sessions", Some(new)).await.body;
        (session["project"].clone(), session["cwd"].clone())
    };
    assert_eq!(made("/work/app", None).await, (json!("/work/app"), json!("/work/app")));
    assert_eq!(made("/work/app", Some("App")).await, (json!("App"), json!("/work/app")));
    let (none, nowhere) = made(" ", Some("\t")).await;
    assert_eq!((none, nowhere), (made("", None).await.0, json!(null)));
}

#[tokio::test]
async fn preferences_are_kept_and_checked() {
    let house = house().await;
    let usual = json!({"assistant_name": "", "editor": "", "single_keys": true, "keys": {}, "views": [],
        "daily_budget": "", "monthly_budget": ""});
    assert_eq!(house.read("/v1/preferences").await, usual);
    let views = json!([{"name": "Mine", "query": "project=web"}]);
    let edit = json!({"editor": " zed://file/{path}:{line} ", "keys": {"next": "n"}, "views": views});
    let answer = house.send(Caller::owner(), Patch, "/v1/preferences", Some(edit)).await;
    let now = json!({"assistant_name": "", "editor": "zed://file/{path}:{line}", "single_keys": true,
        "keys": {"next": "n"}, "views": views, "daily_budget": "", "monthly_budget": ""});
    assert_eq!((answer.status, &answer.body), (200, &now));
    house.send(Caller::owner(), Patch, "/v1/preferences", Some(json!({"single_keys": false}))).await;
    assert_eq!(house.read("/v1/preferences").await["single_keys"], false);
    let save = async |edit: Value| house.send(Caller::owner(), Patch, "/v1/preferences", Some(edit)).await.status;
    for n in 0..20 {
        // Two tabs at once: neither takes the other's word back.
        let (keys, views) = (json!({"next": n.to_string()}), json!([{"name": n.to_string(), "query": ""}]));
        let saved = tokio::join!(save(json!({"keys": keys})), save(json!({"views": views})));
        let now = house.read("/v1/preferences").await;
        assert_eq!((saved, &now["keys"], &now["views"]), ((200, 200), &keys, &views));
    }
    for (edit, field) in [
        (json!({"editor": "javascript:alert('{path}')"}), "/editor"),
        (json!({"editor": "vscode://file"}), "/editor"),
        (json!({"assistant_name": "a\nb"}), "/assistant_name"),
        (json!({"assistant_name": "@"}), "/assistant_name"),
        (json!({"assistant_name": "x".repeat(65)}), "/assistant_name"),
        (json!({"views": [{"name": " ", "query": ""}]}), "/views/0/name"),
        (json!({"keys": {"next": "x".repeat(41)}}), "/keys/next"),
        (json!({"theme": "dark"}), "/theme"),
    ] {
        let answer = house.send(Caller::owner(), Patch, "/v1/preferences", Some(edit)).await;
        assert_eq!((answer.status, answer.body["field"].as_str()), (400, Some(field)), "{}", answer.body);
    }
}

#[tokio::test]
async fn browsers_are_logged_out_one_by_one_or_all_others() {
    let house = House::new().await;
    let log_in = async |label: &str| {
        let code = house.hub.create_code("owner", None).unwrap();
        let attempt = LogInAttempt { label: label.to_owned(), from: None };
        house.hub.log_in(&LogIn::by_code(&code), &attempt).await.unwrap().token
    };
    let (mine, theirs, third) = (log_in("Mine").await, log_in("Theirs").await, log_in("Third").await);
    let list = house.read("/v1/logins").await;
    let mut labels: Vec<_> = list["logins"].as_array().unwrap().iter().map(|l| l["label"].as_str().unwrap()).collect();
    labels.sort_unstable();
    assert_eq!(labels, ["Mine", "Theirs", "Third"]);
    assert!(!list.to_string().contains(&mine), "a token is never told");

    let path = format!("/v1/logins/{}", hub::account::login::id(&theirs));
    assert_eq!(house.send(Caller::owner(), Delete, &path, None).await.status, 200);
    assert_eq!(house.send(Caller::owner(), Delete, &path, None).await.status, 404);
    let scoped = Scoped {
        login: Some(hub::account::login::id(&mine).into()),
        ..Scoped::new(house.hub.clone(), Caller::owner())
    };
    let left = api::Api::end_other_logins(&scoped, api::Nothing {}, api::Nothing {}).await.unwrap();
    assert_eq!(left.logins.iter().map(|l| (l.label.as_str(), l.current)).collect::<Vec<_>>(), [("Mine", true)]);
    assert!(house.hub.logged_in(&mine, None).await.unwrap().is_some());
    assert!(house.hub.logged_in(&third, None).await.unwrap().is_none());
    assert_eq!(house.send(Caller::owner(), Get, "/v1/logins", None).await.body["logins"].as_array().unwrap().len(), 1);
}
