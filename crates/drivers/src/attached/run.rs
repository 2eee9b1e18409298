//! A driver on a socket: reads, writes, and connects again.

use super::socket::{Connection, ControlSocket};
use crate::JoinError;
use crate::codex::Codex;
use crate::driver::{Command, Driver, Effects};
use crate::event::{Event, Exit, Reason};
use crate::run::{COMMANDS, EVENTS, Handle, Limits, Order};
use std::time::Duration;
use tokio::sync::mpsc;
use tokio::time::{Instant, sleep_until};

/// Time between two attempts to connect again: the first and the longest.
const SOON: Duration = Duration::from_millis(200);
const LATE: Duration = Duration::from_secs(5);
/// How long it is tried.
const TRIES: Duration = Duration::from_mins(1);
/// Time without news of the session after which an idle agent isn't followed until it does something.
const REST: Duration = Duration::from_mins(1);

/// Joins a thread of Codex that is open in a terminal. Its events end with [`Event::Ended`], which says that we left it, or why we had to.
///
/// # Errors
///
/// It can't be reached, or may not be used.
pub async fn join(
    socket: ControlSocket,
    thread: &str,
    limits: Limits,
) -> Result<(Handle, mpsc::Receiver<Event>), JoinError> {
    let connection = socket.connect().await?;
    let (send_event, events) = mpsc::channel(EVENTS);
    let (send_order, orders) = mpsc::channel(COMMANDS);
    let joined = Joined {
        driver: Box::new(Codex::joining(socket.home(), thread)),
        socket,
        limits,
        events: send_event,
        end: None,
        sent: Vec::new(),
        heard: Instant::now(),
        used: Instant::now(),
        was_silent: false,
    };
    tokio::spawn(joined.run(connection, orders));
    Ok((Handle::without_process(send_order), events))
}

struct Joined {
    driver: Box<dyn Driver>,
    socket: ControlSocket,
    limits: Limits,
    events: mpsc::Sender<Event>,
    /// Why it is to be left.
    end: Option<Reason>,
    /// Messages to be sent.
    sent: Vec<Vec<u8>>,
    /// When the server wrote last, or something was asked of it.
    heard: Instant,
    /// When something happened in the session.
    used: Instant,
    was_silent: bool,
}

impl Joined {
    async fn run(mut self, connection: Connection, mut orders: mpsc::Receiver<Order>) {
        let mut connection = Some(connection);
        while let Some(open) = connection.take() {
            self.stay(open, &mut orders).await;
            if self.end.is_some() {
                break;
            }
            let mut effects = Effects::default();
            self.driver.lost(&mut effects);
            self.carry_out(effects).await;
            self.sent.clear();
            match self.connect_again(&mut orders).await {
                Ok(open) => connection = Some(open),
                Err(error) => {
                    self.emit(Event::Notice(format!("Codex can't be joined: {error}"))).await;
                    self.end.get_or_insert(Reason::Itself);
                }
            }
        }
        self.finish().await;
    }

    /// Talks on one connection until it is lost, or the agent is to be left.
    async fn stay(&mut self, mut connection: Connection, orders: &mut mpsc::Receiver<Order>) {
        let mut effects = Effects::default();
        self.driver.begin(&mut effects);
        self.carry_out(effects).await;
        (self.heard, self.was_silent) = (Instant::now(), false);
        loop {
            for message in std::mem::take(&mut self.sent) {
                if connection.send(&message).await.is_err() {
                    return;
                }
            }
            if self.end.is_some() {
                return;
            }
            let quiet = self.quiet_until();
            let mut effects = Effects::default();
            tokio::select! {
                message = connection.next() => match message {
                    Some(message) => {
                        (self.heard, self.was_silent) = (Instant::now(), false);
                        self.driver.line(&message, &mut effects);
                    }
                    None => return,
                },
                order = orders.recv() => {
                    self.order(order, &mut effects);
                    (self.heard, self.used) = (Instant::now(), Instant::now());
                }
                () = sleep_until(quiet) => self.look(&mut effects),
            }
            if !effects.events.is_empty() {
                self.used = Instant::now();
            }
            self.carry_out(effects).await;
        }
    }

    /// Tries to connect for a while. Meanwhile prompts wait in the driver.
    async fn connect_again(&mut self, orders: &mut mpsc::Receiver<Order>) -> Result<Connection, JoinError> {
        let until = Instant::now() + TRIES;
        let (mut pause, mut next) = (SOON, Instant::now() + SOON);
        loop {
            let mut effects = Effects::default();
            tokio::select! {
                order = orders.recv() => self.order(order, &mut effects),
                () = sleep_until(next) => match self.socket.connect().await {
                    Err(error) if error.may_pass() && next < until => {
                        pause = (pause * 2).min(LATE);
                        next = Instant::now() + pause;
                    }
                    connected => return connected,
                },
            }
            self.carry_out(effects).await;
            if self.end.is_some() {
                return Err(JoinError::Lost);
            }
        }
    }

    fn order(&mut self, order: Option<Order>, effects: &mut Effects) {
        let Some(order) = order else {
            // Nobody holds it any more.
            let _ = self.driver.command(Command::End, effects);
            self.end = Some(Reason::Asked);
            return;
        };
        let ends = order.command == Command::End;
        let result = self.driver.command(order.command, effects);
        if ends {
            self.end = Some(Reason::Asked);
        }
        // Whoever asked may be gone.
        let _ = order.done.send(result);
    }

    /// When something is due if the agent says nothing until then.
    fn quiet_until(&self) -> Instant {
        let owes = self.driver.awaits().is_some() && !self.was_silent;
        if owes { self.heard + self.limits.silence } else { self.used + REST }
    }

    fn look(&mut self, effects: &mut Effects) {
        self.used = Instant::now();
        match self.driver.awaits() {
            Some(_) if !self.driver.has_begun() => {
                effects.emit(Event::Notice("Codex can't be joined: its background server doesn't answer".to_owned()));
                effects.close();
            }
            Some(awaits) if !self.was_silent => {
                self.was_silent = true;
                effects.emit(Event::Silent { awaits });
            }
            _ => self.driver.rest(effects),
        }
    }

    async fn carry_out(&mut self, effects: Effects) {
        let Effects { send, events, close, .. } = effects;
        self.sent.extend(send);
        for event in events {
            self.emit(event).await;
        }
        if close {
            self.end.get_or_insert(Reason::Itself);
        }
    }

    async fn emit(&mut self, event: Event) {
        // Nobody takes them: its handles are dropped with them.
        if self.events.send(event).await.is_err() {
            self.end = Some(Reason::Asked);
        }
    }

    async fn finish(mut self) {
        for request in self.driver.open_requests() {
            self.emit(Event::Withdrawn { request }).await;
        }
        let reason = self.end.unwrap_or(Reason::Itself);
        self.emit(Event::Ended(Exit { code: None, reason, stderr: String::new() })).await;
    }
}
