//! People, invitations, and the projects that some don't see.

use crate::support::{NOW, ago, engines, session_id};
use model::SessionFacts;
use model::audit::Event;
use store::{FeedKind, LiveWrite, LogInMethod, NewSession, Origin, Person, SessionFilter, Sight};

fn person(id: &str, name: &str, role: &str) -> Person {
    Person { id: id.to_owned(), name: name.to_owned(), role: role.to_owned(), added_at: NOW.0, invited_until: None }
}

#[tokio::test]
async fn people_are_added_invited_and_removed() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let put = async |person: &Person| workspace.put_person(person, Event::Unknown).await.unwrap();
        assert!(put(&person("p1", "Inés", "member")).await);
        assert!(!put(&person("p2", "INÉS", "viewer")).await, "a name is one person's, however it is written");
        assert!(put(&person("p2", "Bo", "viewer")).await);
        assert!(put(&person("p2", "bo", "owner")).await, "one's own name may be written otherwise");
        let before = workspace.credentials().await.unwrap();

        let invite = async |id: &str, hash: &str, until| {
            workspace.put_invitation(id, hash, until, Event::Unknown).await.unwrap();
        };
        invite("p1", "old", ago(-50)).await;
        invite("p1", "new", ago(-50)).await;
        invite("p2", "late", ago(1)).await;
        let invited = Person { invited_until: Some(ago(-50).0), ..person("p1", "Inés", "member") };
        let late = Person { invited_until: Some(ago(1).0), ..person("p2", "bo", "owner") };
        assert_eq!(workspace.people().await.unwrap(), [invited, late]);
        let take = async |hash: &str| workspace.take_invitation(hash, NOW).await.unwrap();
        assert_eq!((take("old").await, take("late").await), (None, None));
        assert_eq!((take("new").await.as_deref(), take("new").await), (Some("p1"), None), "it works once");

        assert_eq!(workspace.person("p1").await.unwrap(), Some(("Inés".to_owned(), "member".to_owned())));
        workspace.set_project_people("/a", Some(&["p1".to_owned()]), Event::Unknown).await.unwrap();
        workspace.remove_person("p1", NOW, Event::Unknown).await.unwrap();
        assert_eq!(workspace.person("p1").await.unwrap(), None);
        assert_eq!(workspace.person_named("inés").await.unwrap(), Some(("p1".to_owned(), true)));
        assert!(put(&person("p3", "inés", "viewer")).await, "the name is free again");
        assert_eq!(workspace.person_named("Inés").await.unwrap(), Some(("p3".to_owned(), false)));
        assert_eq!(workspace.restricted_projects().await.unwrap(), [("/a".to_owned(), Vec::new())].into());
        assert_ne!(workspace.credentials().await.unwrap(), before, "other servers hear of it");
    }
}

#[tokio::test]
async fn log_in_methods_are_of_one_person_and_go_with_them() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let method = |kind: &str, id: &str, person: &str, secret: &str| LogInMethod {
            kind: kind.to_owned(),
            id: id.to_owned(),
            person_id: person.to_owned(),
            secret: secret.to_owned(),
            label: "A label".to_owned(),
            created_at: NOW.0,
            last_used_at: None,
        };
        let put = async |method: &LogInMethod| workspace.put_login_method(method, Event::Unknown).await.unwrap();
        let of = async |person: &str| workspace.login_methods(person).await.unwrap();
        for id in ["p1", "p2"] {
            assert!(workspace.put_person(&person(id, id, "member"), Event::Unknown).await.unwrap());
        }
        assert!(!workspace.has_login_method("passkey").await.unwrap());
        let [password, passkey, account] = [
            method("password", "p1", "p1", "hash"),
            method("passkey", "key", "p1", "public.0"),
            method("single_sign_on", "https://id.example.org 7", "p1", ""),
        ];
        for one in [&password, &passkey, &account] {
            assert!(put(one).await);
        }
        assert!(!put(&method("passkey", "key", "p2", "theirs")).await, "somebody else's stays theirs");
        assert_eq!(workspace.login_method("passkey", "key").await.unwrap(), Some(passkey.clone()));
        assert!(workspace.has_login_method("passkey").await.unwrap());

        let used = LogInMethod { secret: "public.1".to_owned(), last_used_at: Some(ago(-5).0), ..passkey.clone() };
        workspace.use_login_method(&used, ago(-5)).await.unwrap();
        assert_eq!(workspace.login_method("passkey", "key").await.unwrap(), Some(used.clone()));
        assert!(put(&password).await, "a new password replaces the one before");
        assert_eq!(of("p1").await, [used, password.clone(), account.clone()]);
        assert_eq!(of("p2").await, []);

        workspace.put_invitation("p1", "code", ago(-50), Event::Unknown).await.unwrap();
        workspace.take_invitation("code", NOW).await.unwrap();
        assert_eq!(workspace.login_method("password", "p1").await.unwrap(), None, "an invitation is the recovery");
        let delete =
            async |person: &str| workspace.delete_login_method(person, "passkey", "key", Event::Unknown).await.unwrap();
        assert!(!delete("p2").await);
        assert!(delete("p1").await && !delete("p1").await);
        assert!(put(&password).await);
        workspace.remove_person("p1", NOW, Event::Unknown).await.unwrap();
        assert_eq!(of("p1").await, [account], "their account stays known as that of somebody who was removed");
    }
}

#[tokio::test]
async fn sessions_of_hidden_projects_and_their_sub_agents_are_not_seen() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let new = |id: &str, parent: Option<&str>, project: Option<&str>| {
            LiveWrite::Create(Box::new(NewSession {
                id: session_id(id),
                agent: "bot".to_owned(),
                key: id.to_owned(),
                parent_key: parent.map(str::to_owned),
                facts: SessionFacts { project: project.map(str::to_owned), ..SessionFacts::default() },
                key_id: None,
                create_hash: Some(vec![1; 32]),
                origin: Origin::Posts,
                machine: None,
            }))
        };
        let sessions = [
            new("none", None, None),
            new("seen", None, Some("/garden")),
            new("hidden", None, Some("/payroll")),
            new("child", Some("hidden"), Some("/worktree")),
        ];
        for session in sessions {
            workspace.write_live(&[session], NOW).await.unwrap();
        }
        assert_eq!(workspace.hidden_projects("p1").await.unwrap(), Vec::<String>::new());
        workspace.set_project_people("/payroll", Some(&["p1".to_owned()]), Event::Unknown).await.unwrap();
        assert_eq!(workspace.hidden_projects("p1").await.unwrap(), Vec::<String>::new());
        let hidden = workspace.hidden_projects("p2").await.unwrap();
        assert_eq!(hidden, ["/payroll"]);

        let sight = Sight::Without(hidden.into());
        let filter = SessionFilter { sight: sight.clone(), ..SessionFilter::new(NOW, 10) };
        let page = workspace.sessions(&filter).await.unwrap();
        let mut ids: Vec<&str> = page.items.iter().map(|session| session.id.as_str()).collect();
        ids.sort_unstable();
        assert_eq!((ids, page.total), (vec!["none", "seen"], 2));
        let projects = workspace.facets(&sight).await.unwrap().projects;
        assert_eq!(projects.iter().map(|facet| facet.value.as_str()).collect::<Vec<_>>(), ["/garden"]);
        for (id, found) in [("none", 1), ("seen", 1), ("hidden", 0), ("child", 0)] {
            assert_eq!(workspace.find_sessions(id, &sight, 3, NOW).await.unwrap().len(), found, "{id}");
        }
        assert_eq!(workspace.children(&session_id("hidden"), &sight, NOW).await.unwrap(), []);
        let seen: Vec<(String, bool)> = workspace
            .feed_after(0, 100)
            .await
            .unwrap()
            .into_iter()
            .filter(|entry| entry.row.kind == FeedKind::Session)
            .map(|entry| {
                let [own, parent] = &entry.projects;
                (entry.row.session_id.to_string(), sight.sees([own.as_deref(), parent.as_deref()]))
            })
            .collect();
        for (id, is_seen) in [("none", true), ("seen", true), ("hidden", false), ("child", false)] {
            assert!(
                seen.iter().filter(|(session, _)| session == id).all(|(_, seen)| *seen == is_seen),
                "{id}: {seen:?}"
            );
        }
        assert!(seen.len() >= 4);
        workspace.set_project_people("/payroll", None, Event::Unknown).await.unwrap();
        assert_eq!(workspace.hidden_projects("p2").await.unwrap(), Vec::<String>::new());
    }
}
