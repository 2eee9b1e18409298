//! Links: list, create, revoke.

use super::PATH;
use crate::account::login::{hash, secret};
use crate::basics::line::is_line;
use crate::basics::{clock, hex, problem};
use crate::context::Scoped;
use crate::may::session;
use crate::upkeep::trash::DAY;
use api::sessions::SessionPath;
use api::shares::{NewShare, Share, ShareMade, SharePath, Shares};
use api::{Problem, ProblemCode};
use model::Micros;
use store::Share as Stored;

const DAYS: i64 = 7;
const MOST_DAYS: i64 = 365;
const LABEL_CHARS: usize = 200;
/// The owner who has no name, as readers of a link see them.
const OWNER: &str = "the owner of this server";
/// Links that open, at a time.
const MOST: usize = 1_000;
/// Days for which a link that ended is listed.
const LISTED_DAYS: i64 = 90;

pub async fn list_shares(scoped: &Scoped) -> Result<Shares, Problem> {
    let stored = scoped.hub.workspace.shares().await.map_err(problem)?;
    let forgotten = Micros(clock::now().0 - LISTED_DAYS * DAY);
    let is_listed = |share: &Stored| share.revoked_at.unwrap_or(share.expires_at).min(share.expires_at) >= forgotten;
    let listed = stored.into_iter().filter(|(share, _)| is_listed(share));
    Ok(Shares { shares: listed.map(|(share, title)| shown(share, title)).collect() })
}

pub async fn create_share(scoped: &Scoped, input: NewShare) -> Result<ShareMade, Problem> {
    let name = input.session.trim();
    if name.is_empty() {
        return Err(Problem::field("/session", "the id of a session, or a unique prefix of it"));
    }
    let found = session(scoped, &SessionPath { session: name.to_owned() }).await;
    let session = found.map_err(|problem| Problem { field: Some("/session".to_owned()), ..problem })?;
    let last = session.last_seq;
    if last == 0 {
        return Err(Problem::field("/session", "a session with messages"));
    }
    let (from, to) = (input.from.unwrap_or(1), input.to.unwrap_or(last));
    if !(1..=last).contains(&from) {
        return Err(Problem::field("/from", &format!("a `seq` from 1 to {last}")));
    }
    if !(from..=last).contains(&to) {
        return Err(Problem::field("/to", &format!("a `seq` from {from} to {last}")));
    }
    let days = input.days.unwrap_or(DAYS);
    if !(1..=MOST_DAYS).contains(&days) {
        return Err(Problem::field("/days", &format!("a number from 1 to {MOST_DAYS}")));
    }
    let label = input.label.as_deref().unwrap_or_default().trim();
    if !label.is_empty() && !is_line(label, LABEL_CHARS) {
        return Err(Problem::field("/label", &format!("one line of at most {LABEL_CHARS} characters")));
    }
    let now = clock::now();
    let open = list_shares(scoped).await?.shares.into_iter().filter(|share| share.is_open(now)).count();
    if open >= MOST {
        let title = format!("The maximum of {MOST} links is reached");
        return Err(Problem::new(ProblemCode::TooManyShares, title).hint("Revoke links that nobody needs"));
    }
    let workspace = &scoped.hub.workspace;
    let secret = secret()?;
    let share = Stored {
        id: uuid::Uuid::now_v7().to_string(),
        revisions: workspace.changed_revisions(&session.id, from, to).await.map_err(problem)?,
        session: session.id,
        from,
        to,
        redacted: input.redacted.unwrap_or(true),
        label: label.to_owned(),
        shared_by: scoped.author().unwrap_or(OWNER).to_owned(),
        created_at: now,
        expires_at: Micros(now.0 + days * DAY),
        revoked_at: None,
        opened: 0,
        last_opened_at: None,
    };
    let forgotten = Micros(now.0 - LISTED_DAYS * DAY);
    scoped.signed().await.put_share(&share, &hex(&hash(&secret)), forgotten).await.map_err(problem)?;
    let url = format!("{}{PATH}{secret}", scoped.hub.settings.base_url);
    Ok(ShareMade { url, share: shown(share, Some(session.title)) })
}

pub async fn revoke_share(scoped: &Scoped, path: &SharePath) -> Result<Shares, Problem> {
    if !scoped.signed().await.revoke_share(&path.share, clock::now()).await.map_err(problem)? {
        return Err(Problem::not_found("valid link"));
    }
    list_shares(scoped).await
}

fn shown(share: Stored, session_title: Option<String>) -> Share {
    Share {
        id: share.id,
        session: share.session.to_string(),
        session_title,
        from: share.from,
        to: share.to,
        redacted: share.redacted,
        label: share.label,
        shared_by: share.shared_by,
        created_at: share.created_at,
        expires_at: share.expires_at,
        revoked_at: share.revoked_at,
        opened: share.opened,
        last_opened_at: share.last_opened_at,
    }
}
