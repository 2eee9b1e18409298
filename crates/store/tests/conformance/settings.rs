//! Projects, log-ins and small values.

use crate::support::{NOW, ago, engines};
use store::{Following, Login, Project};

#[tokio::test]
async fn projects_keep_the_last_decision() {
    for engine in engines().await {
        let project = |path: &str, following| Project { path: path.to_owned(), following, updated_at: NOW };
        let (a, b) = (project("/a", Following::Waiting), project("/b", Following::Paused));
        for put in [&b, &a, &project("/a", Following::Excluded), &project("/a", Following::Following)] {
            engine.workspace.put_project(put).await.unwrap();
        }
        let followed = project("/a", Following::Following);
        assert_eq!(engine.workspace.projects().await.unwrap(), [followed.clone(), b]);
        assert_eq!(engine.workspace.project("/a").await.unwrap(), Some(followed));
        assert_eq!(engine.workspace.project("/c").await.unwrap(), None);
    }
}

#[tokio::test]
async fn log_ins_are_touched_listed_and_deleted() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let login = |hash: &str, expires_at| Login {
            hash: hash.to_owned(),
            created_at: ago(50),
            expires_at,
            last_used_at: ago(50),
            label: "Firefox".to_owned(),
        };
        workspace.put_login(&login("aa", NOW)).await.unwrap();
        workspace.put_login(&login("bb", ago(-50))).await.unwrap();
        workspace.put_login(&login("cc", ago(-50))).await.unwrap();
        workspace.touch_login("bb", ago(5)).await.unwrap();
        assert_eq!(workspace.login("bb").await.unwrap().unwrap().last_used_at, ago(5));
        let hashes = async || workspace.logins().await.unwrap().into_iter().map(|login| login.hash).collect::<Vec<_>>();
        assert_eq!(hashes().await, ["bb", "aa", "cc"]);
        assert_eq!(workspace.delete_expired_logins(NOW).await.unwrap(), 1);
        workspace.delete_login("cc").await.unwrap();
        assert_eq!(hashes().await, ["bb"]);
        assert_eq!(workspace.login("aa").await.unwrap(), None);
        assert_eq!(engine.store.workspace("other").login("bb").await.unwrap(), None);
    }
}

#[tokio::test]
async fn small_values_are_replaced() {
    for engine in engines().await {
        assert_eq!(engine.workspace.meta("theme").await.unwrap(), None);
        engine.workspace.put_meta("theme", "dark").await.unwrap();
        engine.workspace.put_meta("theme", "light").await.unwrap();
        assert_eq!(engine.workspace.meta("theme").await.unwrap().as_deref(), Some("light"));
    }
}
