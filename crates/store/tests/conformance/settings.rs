//! Projects, log-ins and small values.

use crate::support::{NOW, ago, batch, engines, message, session};
use store::{Batch, DeclaredType, Following, Login, Permission, Project, StoreError};

#[tokio::test]
async fn projects_keep_the_last_decision() {
    for engine in engines().await {
        let project =
            |path: &str, following| Project { path: path.to_owned(), following, leads_to: None, updated_at: NOW };
        let (a, b) = (project("/a", Following::Waiting), project("/b", Following::Paused));
        for put in [&b, &a, &project("/a", Following::Excluded), &project("/a", Following::Following)] {
            engine.workspace.put_project(put).await.unwrap();
        }
        let followed = project("/a", Following::Following);
        assert_eq!(engine.workspace.projects().await.unwrap(), [followed, b]);
    }
}

#[tokio::test]
async fn each_version_of_a_declared_type_is_kept_once() {
    for engine in engines().await {
        let document = |version: i64, sha256: &str| DeclaredType {
            message_type: "acme/plan".to_owned(),
            version,
            sha256: sha256.to_owned(),
            document: r#"{"title": "Plan"}"#.to_owned(),
            key_id: (version > 1).then(|| "k1".to_owned()),
            declared_by: "bot".to_owned(),
            declared_at: NOW,
        };
        for put in [document(1, "a"), document(2, "b"), document(1, "c")] {
            engine.workspace.put_declared_type(&put).await.unwrap();
        }
        assert_eq!(engine.workspace.declared_types().await.unwrap(), [document(2, "b"), document(1, "c")]);
        assert!(engine.workspace.delete_declared_type("acme/plan").await.unwrap());
        assert!(!engine.workspace.delete_declared_type("acme/plan").await.unwrap());
        assert_eq!(engine.workspace.declared_types().await.unwrap(), []);
    }
}

/// A row of a folder that isn't followed any more would stay after the folder was forgotten, so it isn't written.
#[tokio::test]
async fn the_word_on_a_folder_holds_for_what_is_being_written() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let write = async |id: &str, unless_said| {
            let permission = Permission { folder: "/a".to_owned(), leads_to: None, unless_said };
            let batch = batch(vec![session("s")], vec![message("s", id, "x")]);
            workspace.write_batch(Batch { permissions: vec![permission], ..batch }).await
        };
        let refused = |written| matches!(written, Err(StoreError::NotFollowed(folder)) if folder == "/a");
        assert!(refused(write("one", Following::Waiting).await));
        assert_eq!(write("two", Following::Following).await.unwrap().messages_added, 1);
        let say = async |following| {
            let project = Project { path: "/a".to_owned(), following, leads_to: None, updated_at: NOW };
            workspace.put_project(&project).await.unwrap();
        };
        say(Following::Excluded).await;
        assert!(refused(write("three", Following::Following).await));
        say(Following::Following).await;
        assert_eq!(write("four", Following::Waiting).await.unwrap().messages_added, 1);
    }
}

/// Agreement to a folder that is a link is agreement to the place that it led to, and to no other.
#[tokio::test]
async fn the_word_on_a_link_is_about_the_place_that_it_leads_to() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let to = |place: &str| (!place.is_empty()).then(|| place.to_owned());
        let say = async |following, place: &str| {
            let project = Project { path: "/a".to_owned(), following, leads_to: to(place), updated_at: NOW };
            workspace.put_project(&project).await.unwrap();
            assert_eq!(workspace.projects().await.unwrap(), [project]);
        };
        let may = async |place: &str, unless_said| {
            let permission = Permission { folder: "/a".to_owned(), leads_to: to(place), unless_said };
            let batch = batch(vec![session("s")], vec![message("s", "one", "x")]);
            workspace.write_batch(Batch { permissions: vec![permission], ..batch }).await.is_ok()
        };
        say(Following::Following, "/x").await;
        assert!(may("/x", Following::Waiting).await);
        assert!(!may("/y", Following::Waiting).await && !may("", Following::Waiting).await);
        assert!(may("/y", Following::Following).await, "nobody spoke of it");
        say(Following::Following, "").await;
        assert!(!may("/x", Following::Waiting).await && may("", Following::Waiting).await);
        say(Following::Excluded, "/x").await;
        assert!(!may("/x", Following::Following).await && !may("/y", Following::Following).await);
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
            secret_hash: (hash != "cc").then(|| format!("5ec{hash}")),
            person: "owner".to_owned(),
        };
        workspace.put_login(&login("aa", NOW)).await.unwrap();
        workspace.put_login(&login("bb", ago(-50))).await.unwrap();
        workspace.put_login(&login("cc", ago(-50))).await.unwrap();
        workspace.touch_login("bb", ago(5)).await.unwrap();
        let touched = Login { last_used_at: ago(5), ..login("bb", ago(-50)) };
        assert_eq!(workspace.login("bb").await.unwrap(), Some(touched));
        // As one from before there were such secrets.
        assert_eq!(workspace.login("cc").await.unwrap(), Some(login("cc", ago(-50))));
        let hashes = async || workspace.logins().await.unwrap().into_iter().map(|login| login.hash).collect::<Vec<_>>();
        assert_eq!(hashes().await, ["bb", "aa", "cc"]);
        assert_eq!(workspace.delete_expired_logins(NOW).await.unwrap(), 1);
        workspace.delete_login("cc").await.unwrap();
        assert_eq!(hashes().await, ["bb"]);
        assert_eq!(workspace.login("aa").await.unwrap(), None);
        assert_eq!(engine.store.workspace("other").login("bb").await.unwrap(), None);
        // One that ends while another one begins is noticed too.
        let before = workspace.credentials().await.unwrap();
        workspace.delete_login("bb").await.unwrap();
        workspace.put_login(&Login { created_at: ago(1), ..login("dd", ago(-50)) }).await.unwrap();
        assert_ne!(workspace.credentials().await.unwrap(), before);
    }
}

#[tokio::test]
async fn small_values_are_changed_one_after_the_other() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        assert_eq!(workspace.meta("views").await.unwrap(), None);
        let add = |word: &'static str| {
            workspace.change_meta("views", NOW, move |stored| (Some(stored.unwrap_or_default() + word), None))
        };
        let together = tokio::join!(add("a"), add("a"), add("a"), add("a"));
        for done in [together.0, together.1, together.2, together.3] {
            assert!(done.unwrap().is_some());
        }
        assert_eq!(workspace.meta("views").await.unwrap().as_deref(), Some("aaaa"));
        assert_eq!(workspace.change_meta("views", NOW, |_| (None, None)).await.unwrap(), None);
        assert_eq!(workspace.meta("views").await.unwrap().as_deref(), Some("aaaa"));
    }
}
