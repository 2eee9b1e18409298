//! Requests of agents by hooks, and rules that always allow them.

use crate::support::{NOW, engines};
use model::session::{Live, LiveState};
use model::{MessageId, Micros, SessionFacts, SessionId, SessionState};
use store::{AgentKey, AgentSession, AllowRule, LiveEdit, LiveWrite, NewSession, Origin, Usage};

fn rule(id: &str, made_at: i64) -> AllowRule {
    AllowRule {
        id: id.to_owned(),
        agent: "claude_code".to_owned(),
        folder: "/home/ada/mill".to_owned(),
        rule: "Bash(ls)".to_owned(),
        made_at: Micros(made_at),
        used_at: None,
        uses: 0,
    }
}

#[tokio::test]
async fn rules_are_listed_counted_and_deleted() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let (first, second) = (rule("r1", 1), rule("r2", 2));
        workspace.put_allow_rule(&first).await.unwrap();
        workspace.put_allow_rule(&second).await.unwrap();
        assert!(workspace.use_allow_rule("r1", NOW).await.unwrap());
        assert!(!workspace.use_allow_rule("r3", NOW).await.unwrap());
        let used = AllowRule { used_at: Some(NOW), uses: 1, ..first.clone() };
        assert_eq!(workspace.allow_rules().await.unwrap(), [second.clone(), used]);
        assert!(workspace.delete_allow_rule(&first).await.unwrap());
        assert!(!workspace.delete_allow_rule(&first).await.unwrap());
        assert_eq!(workspace.allow_rules().await.unwrap(), [second]);
    }
}

#[tokio::test]
async fn requests_are_known_until_they_end() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let session = SessionId::parse("s1").unwrap();
        let [one, two] = ["m1", "m2"].map(|id| MessageId::parse(id).unwrap());
        workspace.begin_hook_request(&session, &one, Micros(20)).await.unwrap();
        workspace.begin_hook_request(&session, &two, Micros(10)).await.unwrap();
        let waiting = |id: &MessageId, until| (session.clone(), id.clone(), Micros(until));
        assert_eq!(workspace.hook_requests().await.unwrap(), [waiting(&two, 10), waiting(&one, 20)]);
        workspace.end_hook_request(&session, &two, NOW).await.unwrap();
        assert_eq!(workspace.hook_requests().await.unwrap(), [waiting(&one, 20)]);
        workspace.begin_hook_request(&session, &two, Micros(30)).await.unwrap();
        assert_eq!(workspace.hook_requests().await.unwrap(), [waiting(&one, 20), waiting(&two, 30)]);
    }
}

#[tokio::test]
async fn a_session_has_the_state_that_its_hooks_report() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let id = SessionId::parse("s1").unwrap();
        let new = NewSession {
            id: id.clone(),
            agent: "claude_code".to_owned(),
            key: "mill".to_owned(),
            parent_key: None,
            facts: SessionFacts::default(),
            key_id: None,
            create_hash: None,
            origin: Origin::Posts,
            machine: None,
        };
        workspace.write_live(&[LiveWrite::Create(Box::new(new))], NOW).await.unwrap();
        let known = AgentSession {
            id: id.clone(),
            is_deleted: false,
            key_id: None,
            hook_key_id: None,
            live: None,
            machine: None,
        };
        assert_eq!(workspace.session_of_agent("claude_code", "mill").await.unwrap(), Some(known.clone()));
        // No key has this id: it holds no more than one that was revoked.
        assert!(workspace.own_hooks(&id, "gone", NOW).await.unwrap());
        assert!(workspace.own_hooks(&id, "gone too", NOW).await.unwrap());
        let owned = AgentSession { hook_key_id: Some("gone too".to_owned()), ..known };
        assert_eq!(workspace.session_of_agent("claude_code", "mill").await.unwrap(), Some(owned));
        assert_eq!(workspace.session_of_agent("codex", "mill").await.unwrap(), None);
        let live = Live { state: LiveState::Waiting, reason: "Asks".to_owned(), at: NOW };
        let mut edit = LiveEdit::new(id.clone());
        edit.live = Some(live.clone());
        workspace.write_live(&[LiveWrite::Edit(Box::new(edit))], NOW).await.unwrap();
        let session = workspace.session(&id, NOW).await.unwrap().unwrap();
        assert_eq!((session.state, session.live, session.registered), (SessionState::NeedsYou, Some(live), false));
    }
}

#[tokio::test]
async fn the_key_of_a_sessions_hooks_changes_once_it_holds_no_more() {
    for engine in engines().await {
        let workspace = &engine.workspace;
        let session = SessionId::parse("s1").unwrap();
        let key = |id: &str, expires_at| AgentKey {
            id: id.to_owned(),
            name: id.to_owned(),
            hash: "00".to_owned(),
            scopes: vec!["hooks".to_owned()],
            created_at: NOW,
            expires_at,
            last_used_at: None,
            revoked_at: None,
            posted: Usage::default(),
            quota: Usage { messages: 1, bytes: 1 },
        };
        let end = Micros(NOW.0 + 10);
        for key in [key("one", Some(end)), key("two", None), key("three", None)] {
            workspace.put_agent_key(&key).await.unwrap();
        }
        let owns = async |key: &str, at| workspace.own_hooks(&session, key, at).await.unwrap();
        assert!(owns("one", NOW).await);
        assert!(!owns("two", Micros(end.0 - 1)).await);
        assert!(owns("one", Micros(end.0 - 1)).await);
        assert!(owns("two", end).await);
        assert!(!owns("three", end).await);
        workspace.revoke_agent_key("two", end).await.unwrap();
        assert!(owns("three", end).await);
        assert!(!owns("one", end).await);
    }
}
