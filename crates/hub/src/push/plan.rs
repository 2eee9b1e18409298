//! What a browser is to show and to close: the difference between what waits and what it shows.

use api::push::PushSettings;
use model::Micros;
use std::collections::{HashMap, HashSet};
use store::{OpenAsk, PushKind, PushNotice, PushState, PushSubject};

/// Notifications of one kind in a minute. More requests than that become one notification.
const FEW: usize = 5;
const MINUTE: i64 = 60 * Micros::SECOND;
/// The notification about many requests counts anew so often.
const COUNT_EVERY: i64 = 30 * Micros::SECOND;
/// How long it is known that the end of a turn was told.
const DAY: i64 = 24 * 60 * MINUTE;

/// One thing to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Job {
    /// Show a notification, or show it anew.
    Tell { subject: PushSubject, before: Option<PushNotice>, count: i64 },
    /// Leave a request to the notification about many.
    Sum { subject: PushSubject, before: Option<PushNotice> },
    /// Close a notification.
    Close(PushNotice),
    /// Drop what isn't shown.
    Forget(PushSubject),
}

/// What to do, and when to look again.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Plan {
    pub jobs: Vec<Job>,
    pub next: Option<Micros>,
}

/// The situation of a browser.
pub struct Situation<'a> {
    pub settings: &'a PushSettings,
    /// When the quiet hours end, if it is quiet.
    pub quiet_until: Option<Micros>,
    /// Requests up to this number aren't told.
    pub from_rid: i64,
    /// All open requests.
    pub open: &'a [OpenAsk],
    /// Turns that ended since the last look, and what mentions the person.
    pub ended: &'a [PushSubject],
    /// What the browser shows.
    pub notices: &'a [PushNotice],
}

/// Returns the subject of a request.
pub fn subject(ask: &OpenAsk) -> PushSubject {
    PushSubject { kind: PushKind::Ask, session: ask.session.to_string(), seq: ask.seq }
}

/// The subject of the notification about many requests.
pub fn many() -> PushSubject {
    PushSubject { kind: PushKind::Asks, session: String::new(), seq: 0 }
}

impl Plan {
    /// Makes the plan.
    pub fn of(situation: &Situation<'_>, now: Micros) -> Self {
        let mut plan = Self::default();
        let open: HashSet<PushSubject> = situation.open.iter().map(subject).collect();
        let known: HashMap<&PushSubject, &PushNotice> =
            situation.notices.iter().map(|notice| (&notice.subject, notice)).collect();
        for notice in situation.notices {
            plan.close(notice, &open, now);
        }
        if let Some(end) = situation.quiet_until {
            plan.wake(end);
            return plan;
        }
        if situation.settings.needs_you {
            plan.requests(situation, &known, &open, now);
        }
        plan.turns(situation, &known, now);
        plan
    }

    fn wake(&mut self, at: Micros) {
        self.next = Some(self.next.map_or(at, |next| next.min(at)));
    }

    /// Closes what waits no longer.
    fn close(&mut self, notice: &PushNotice, open: &HashSet<PushSubject>, now: Micros) {
        let is_over = notice.subject.kind == PushKind::Ask && !open.contains(&notice.subject);
        match notice.state {
            PushState::Shown if is_over => self.jobs.push(Job::Close(notice.clone())),
            PushState::Due | PushState::Summed if is_over => self.jobs.push(Job::Forget(notice.subject.clone())),
            PushState::Closing if notice.next_at <= now => self.jobs.push(Job::Close(notice.clone())),
            PushState::Due | PushState::Closing if notice.next_at > now => self.wake(notice.next_at),
            PushState::Shown if is_end(notice) && !is_within(notice.told_at, DAY, now) => {
                self.jobs.push(Job::Forget(notice.subject.clone()));
            }
            _ => {}
        }
    }

    fn requests(
        &mut self,
        situation: &Situation<'_>,
        known: &HashMap<&PushSubject, &PushNotice>,
        open: &HashSet<PushSubject>,
        now: Micros,
    ) {
        let is_told = |ask: &&OpenAsk| ask.rid > situation.from_rid && now.since(ask.last_at) <= api::messages::LATELY;
        let fresh: Vec<(PushSubject, Option<PushNotice>)> = (situation.open.iter().filter(is_told))
            .map(|ask| (subject(ask), known.get(&subject(ask)).map(|notice| (*notice).clone())))
            .filter(|(_, before)| before.as_ref().is_none_or(|before| is_due(before, now)))
            .collect();
        let asks = || situation.notices.iter().filter(|notice| notice.subject.kind == PushKind::Ask);
        let lately = asks().filter(|notice| is_within(notice.told_at, MINUTE, now)).count();
        let many = known.get(&many()).map(|notice| (*notice).clone());
        let is_summed = many.as_ref().is_some_and(|many| many.state != PushState::Closing);
        if !is_summed && fresh.len() + lately <= FEW {
            let tell = |(subject, before)| Job::Tell { subject, before, count: 0 };
            self.jobs.extend(fresh.into_iter().map(tell));
            return;
        }
        let summed =
            asks().filter(|notice| notice.state == PushState::Summed && open.contains(&notice.subject)).count();
        let count = i64::try_from(summed + fresh.len()).unwrap_or(i64::MAX);
        self.jobs.extend(fresh.into_iter().map(|(subject, before)| Job::Sum { subject, before }));
        self.sum(many, count, now);
    }

    /// Shows, counts anew or closes the notification about many requests.
    fn sum(&mut self, many: Option<PushNotice>, count: i64, now: Micros) {
        let Some(before) = many else {
            return self.jobs.push(Job::Tell { subject: self::many(), before: None, count });
        };
        let is_shown = before.state == PushState::Shown;
        if count == 0 && is_shown {
            return self.jobs.push(Job::Close(before));
        }
        // It is being closed, or tried again later.
        if !(is_due(&before, now) || (is_shown && count != before.count)) {
            return;
        }
        match before.told_at.map(|at| Micros(at.0 + COUNT_EVERY)).filter(|at| *at > now) {
            Some(later) => self.wake(later),
            None => self.jobs.push(Job::Tell { subject: self::many(), before: Some(before), count }),
        }
    }

    fn turns(&mut self, situation: &Situation<'_>, known: &HashMap<&PushSubject, &PushNotice>, now: Micros) {
        let again = situation.notices.iter().filter(|notice| is_end(notice) && is_due(notice, now));
        self.jobs.extend(again.map(|notice| Job::Tell {
            subject: notice.subject.clone(),
            before: Some(notice.clone()),
            count: 0,
        }));
        let is_wanted = |subject: &&PushSubject| match subject.kind {
            PushKind::Failed => situation.settings.failed,
            PushKind::Finished => situation.settings.finished,
            PushKind::Mention => situation.settings.mentions,
            PushKind::Ask | PushKind::Asks => false,
        };
        let ended = situation.notices.iter().filter(|notice| is_end(notice));
        let lately = ended.filter(|notice| is_within(notice.told_at, MINUTE, now)).count();
        let fresh = situation.ended.iter().filter(is_wanted).filter(|subject| !known.contains_key(subject));
        let tell = |subject: &PushSubject| Job::Tell { subject: subject.clone(), before: None, count: 0 };
        self.jobs.extend(fresh.take(FEW.saturating_sub(lately)).map(tell));
    }
}

/// Returns true for what nobody decides: the end of a turn, or a mention.
fn is_end(notice: &PushNotice) -> bool {
    matches!(notice.subject.kind, PushKind::Failed | PushKind::Finished | PushKind::Mention)
}

/// Returns true if it is to be shown, and no server is at it.
fn is_due(notice: &PushNotice, now: Micros) -> bool {
    notice.state == PushState::Due && notice.next_at <= now
}

fn is_within(at: Option<Micros>, span: i64, now: Micros) -> bool {
    at.is_some_and(|at| now.since(at) < span)
}

#[cfg(test)]
mod tests {
    use super::{Job, Plan, Situation, many, subject};
    use api::push::PushSettings;
    use model::{Micros, SessionId};
    use store::{OpenAsk, PushKind, PushNotice, PushState, PushSubject};

    const NOW: Micros = Micros(1_000_000 * Micros::SECOND);

    fn ask(seq: i64) -> OpenAsk {
        OpenAsk { rid: seq, session: SessionId::parse("s1").unwrap(), seq, last_at: NOW }
    }

    fn before(seconds: i64) -> Micros {
        Micros(NOW.0 - seconds * Micros::SECOND)
    }

    fn notice(subject: PushSubject, state: PushState, told: Option<Micros>) -> PushNotice {
        PushNotice { subject, state, count: 0, attempts: 0, next_at: before(1), told_at: told }
    }

    fn shown(seq: i64, told: Micros) -> PushNotice {
        notice(subject(&ask(seq)), PushState::Shown, Some(told))
    }

    fn ended(kind: PushKind, session: &str) -> PushSubject {
        PushSubject { kind, session: session.to_owned(), seq: 9 }
    }

    struct Given {
        settings: PushSettings,
        quiet_until: Option<Micros>,
        open: Vec<OpenAsk>,
        ended: Vec<PushSubject>,
        notices: Vec<PushNotice>,
    }

    impl Given {
        fn new(open: Vec<OpenAsk>, notices: Vec<PushNotice>) -> Self {
            Self { settings: PushSettings::default(), quiet_until: None, open, ended: Vec::new(), notices }
        }

        fn plan(&self) -> Plan {
            let Self { settings, quiet_until, open, ended, notices } = self;
            let situation = Situation { settings, quiet_until: *quiet_until, from_rid: 1, open, ended, notices };
            Plan::of(&situation, NOW)
        }
    }

    fn tell(seq: i64) -> Job {
        Job::Tell { subject: subject(&ask(seq)), before: None, count: 0 }
    }

    fn jobs(jobs: Vec<Job>) -> Plan {
        Plan { jobs, next: None }
    }

    #[test]
    fn what_waits_is_told_once_and_closed_when_it_waits_no_longer() {
        // The first was there before, the second is shown already.
        let mut given = Given::new(vec![ask(1), ask(2), ask(3)], vec![shown(2, before(5))]);
        assert_eq!(given.plan(), jobs(vec![tell(3)]));
        given.open = vec![ask(1)];
        assert_eq!(given.plan(), jobs(vec![Job::Close(shown(2, before(5)))]));
        // Sessions that rest for a day are told of by nobody, and what is shown of them stays.
        given.open = [2, 3].map(|seq| OpenAsk { last_at: before(25 * 3600), ..ask(seq) }).into();
        assert_eq!(given.plan(), jobs(Vec::new()));
        given.settings.needs_you = false;
        given.open = vec![ask(3)];
        assert_eq!(given.plan(), jobs(vec![Job::Close(shown(2, before(5)))]));
    }

    #[test]
    fn what_another_server_is_at_is_left_to_it_until_its_time_is_over() {
        let at_it = PushNotice { next_at: before(-5), ..notice(subject(&ask(2)), PushState::Due, None) };
        let given = Given::new(vec![ask(2)], vec![at_it.clone()]);
        assert_eq!(given.plan(), Plan { jobs: Vec::new(), next: Some(before(-5)) });
        let late = PushNotice { next_at: before(1), ..at_it };
        let again = Job::Tell { subject: subject(&ask(2)), before: Some(late.clone()), count: 0 };
        assert_eq!(Given::new(vec![ask(2)], vec![late.clone()]).plan(), jobs(vec![again]));
        assert_eq!(Given::new(Vec::new(), vec![late.clone()]).plan(), jobs(vec![Job::Forget(late.subject)]));
        let closing = notice(subject(&ask(2)), PushState::Closing, None);
        assert_eq!(Given::new(Vec::new(), vec![closing.clone()]).plan(), jobs(vec![Job::Close(closing)]));
    }

    #[test]
    fn more_than_a_few_in_a_minute_become_one() {
        let told: Vec<PushNotice> = (2..6).map(|seq| shown(seq, before(30))).collect();
        let open = |last: i64| (2..=last).map(ask).collect::<Vec<_>>();
        assert_eq!(Given::new(open(6), told.clone()).plan(), jobs(vec![tell(6)]));
        let sum = |seq| Job::Sum { subject: subject(&ask(seq)), before: None };
        let first = Job::Tell { subject: many(), before: None, count: 2 };
        assert_eq!(Given::new(open(7), told.clone()).plan(), jobs(vec![sum(6), sum(7), first]));

        // From then on it counts all, twice in a minute at most.
        let summed = |seq| notice(subject(&ask(seq)), PushState::Summed, None);
        let one = |told| PushNotice { count: 2, ..notice(many(), PushState::Shown, Some(told)) };
        let rows = |told| [summed(6), summed(7), one(told)].to_vec();
        assert_eq!(Given::new(open(8), rows(before(29))).plan(), {
            Plan { jobs: [2, 3, 4, 5, 8].map(sum).into(), next: Some(before(-1)) }
        });
        let anew = |count| Job::Tell { subject: many(), before: Some(one(before(30))), count };
        let open = |seqs: &[i64]| seqs.iter().copied().map(ask).collect::<Vec<_>>();
        assert_eq!(Given::new(open(&[6, 7, 8]), rows(before(30))).plan(), jobs(vec![sum(8), anew(3)]));
        let forget = |seq| Job::Forget(subject(&ask(seq)));
        assert_eq!(Given::new(open(&[7]), rows(before(30))).plan(), jobs(vec![forget(6), anew(1)]));
        let over = jobs(vec![forget(6), forget(7), Job::Close(one(before(5)))]);
        assert_eq!(Given::new(Vec::new(), rows(before(5))).plan(), over);
    }

    #[test]
    fn in_quiet_hours_notifications_are_only_closed() {
        let mut given = Given::new(vec![ask(3)], vec![shown(2, before(5))]);
        given.quiet_until = Some(before(-60));
        given.ended = vec![ended(PushKind::Failed, "s2")];
        let close = Job::Close(shown(2, before(5)));
        assert_eq!(given.plan(), Plan { jobs: vec![close], next: Some(before(-60)) });
    }

    #[test]
    fn ends_of_turns_are_told_to_who_wants_them() {
        let mut given = Given::new(Vec::new(), Vec::new());
        given.ended = vec![ended(PushKind::Failed, "s2"), ended(PushKind::Finished, "s3")];
        let tell = |subject: PushSubject| Job::Tell { subject, before: None, count: 0 };
        assert_eq!(given.plan(), jobs(vec![tell(ended(PushKind::Failed, "s2"))]));
        given.settings.finished = true;
        given.settings.failed = false;
        assert_eq!(given.plan(), jobs(vec![tell(ended(PushKind::Finished, "s3"))]));
        // What was told isn't told again, and is forgotten after a day.
        given.notices = vec![notice(ended(PushKind::Finished, "s3"), PushState::Shown, Some(before(70)))];
        assert_eq!(given.plan(), jobs(Vec::new()));
        given.ended.clear();
        given.notices[0].told_at = Some(before(24 * 3600));
        assert_eq!(given.plan(), jobs(vec![Job::Forget(ended(PushKind::Finished, "s3"))]));
        // At most five in a minute.
        given.notices.clear();
        given.ended = (0..9).map(|n| ended(PushKind::Finished, &format!("t{n}"))).collect();
        assert_eq!(given.plan().jobs.len(), 5);
    }
}
