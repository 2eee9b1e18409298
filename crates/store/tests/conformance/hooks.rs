//! What agents ask by hooks, and what is always allowed.

use crate::support::{NOW, engines};
use model::session::{Live, LiveState};
use model::{MessageId, Micros, SessionFacts, SessionId, SessionState};
use store::{AllowRule, LiveEdit, LiveWrite, NewSession};

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
        };
        workspace.write_live(&[LiveWrite::Create(Box::new(new))], NOW).await.unwrap();
        assert_eq!(workspace.session_of_agent("claude_code", "mill").await.unwrap(), Some((id.clone(), false)));
        assert_eq!(workspace.session_of_agent("codex", "mill").await.unwrap(), None);
        let live = Live { state: LiveState::Waiting, reason: "Asks".to_owned(), at: NOW };
        let mut edit = LiveEdit::new(id.clone());
        edit.live = Some(live.clone());
        workspace.write_live(&[LiveWrite::Edit(Box::new(edit))], NOW).await.unwrap();
        let session = workspace.session(&id, NOW).await.unwrap().unwrap();
        assert_eq!((session.state, session.live, session.registered), (SessionState::NeedsYou, Some(live), false));
    }
}
