//! The terminal: taken over, and given back however it ends.

use crate::app::App;
use crate::ask::{Ask, Server, Told};
use crate::screens::draw;
use api::ProblemCode;
use api::sessions::ListSessions;
use crossterm::event::{DisableBracketedPaste, EnableBracketedPaste, Event, EventStream, KeyEventKind};
use crossterm::execute;
use futures::StreamExt as _;
use ratatui::DefaultTerminal;
use sdk::{Error, Watch};
use std::time::Duration;
use tokio::sync::mpsc;

/// Changes that come within so long are read together.
const TOGETHER: Duration = Duration::from_millis(40);

/// Why the terminal interface ended.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// The terminal can't be read or written.
    #[error("the terminal can't be used: {0}")]
    Terminal(#[from] std::io::Error),
    /// The server refused what nothing works without.
    #[error(transparent)]
    Server(Box<Error>),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Server(Box::new(error))
    }
}

/// Runs until the person leaves, the terminal is closed, or the credential holds no more. Gives the terminal back also when
/// the program panics.
///
/// # Errors
///
/// [`Failure`] says what broke.
pub async fn run(app: App, server: Server, session: Option<String>) -> Result<(), Failure> {
    let terminal = ratatui::try_init()?;
    // `ratatui` puts back what it changed; pastes are ours.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let _ = execute!(std::io::stdout(), DisableBracketedPaste);
        hook(info);
    }));
    let began = execute!(std::io::stdout(), EnableBracketedPaste);
    let ended = match began {
        Ok(()) => Loop::new(app, server).run(terminal, session).await,
        Err(error) => Err(error.into()),
    };
    let _ = execute!(std::io::stdout(), DisableBracketedPaste);
    ratatui::restore();
    ended
}

struct Loop {
    app: App,
    server: Server,
    replies: mpsc::UnboundedReceiver<Told>,
    reply: mpsc::UnboundedSender<Told>,
}

impl Loop {
    fn new(app: App, server: Server) -> Self {
        let (reply, replies) = mpsc::unbounded_channel();
        Self { app, server, replies, reply }
    }

    fn ask(&self, asks: Vec<Ask>) {
        for ask in asks {
            let (server, reply) = (self.server.clone(), self.reply.clone());
            tokio::spawn(async move {
                // The receiver is gone when the person has left.
                let _ = reply.send(server.perform(ask).await);
            });
        }
    }

    async fn run(mut self, mut terminal: DefaultTerminal, session: Option<String>) -> Result<(), Failure> {
        let mut keys = EventStream::new();
        // The stream goes on from before anything is read: nothing lies between the two.
        let first = ListSessions { limit: Some(1), ..ListSessions::default() };
        let cursor = self.server.verbatim.sessions(first).await?.cursor;
        let mut changes: Watch = self.server.verbatim.watch(None, Some(cursor));
        self.ask(self.app.begin(session.as_deref()));
        let mut refreshes = None;
        let mut ends = std::pin::pin!(terminated());
        while !self.app.is_over() {
            terminal.draw(|frame| draw(&mut self.app, frame))?;
            if self.app.is_stale() && refreshes.is_none() {
                refreshes = Some(Box::pin(tokio::time::sleep(TOGETHER)));
            }
            let due = async {
                match &mut refreshes {
                    Some(sleep) => sleep.await,
                    None => std::future::pending().await,
                }
            };
            let asks = tokio::select! {
                event = keys.next() => match event {
                    Some(Ok(Event::Key(key))) if key.kind != KeyEventKind::Release => self.app.pressed(key),
                    Some(Ok(Event::Paste(text))) => {
                        self.app.pasted(&text);
                        Vec::new()
                    }
                    Some(Ok(_)) => Vec::new(),
                    Some(Err(error)) => return Err(error.into()),
                    None => return Ok(()),
                },
                Some(told) = self.replies.recv() => self.app.told(told),
                Some(change) = changes.next() => match change {
                    Ok(event) => {
                        self.app.changed(&event.change);
                        Vec::new()
                    }
                    Err(error) if error.problem().is_some_and(|problem| problem.is(ProblemCode::CursorGone)) => self.app.restart(),
                    Err(error) => return Err(error.into()),
                },
                () = &mut ends => return Ok(()),
                () = due => {
                    refreshes = None;
                    self.app.refresh()
                }
            };
            self.ask(asks);
        }
        Ok(())
    }
}

/// Ends when the system asks the program to end, or the terminal is closed.
async fn terminated() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let (Ok(mut asked), Ok(mut closed)) = (signal(SignalKind::terminate()), signal(SignalKind::hangup())) {
            tokio::select! {
                _ = asked.recv() => return,
                _ = closed.recv() => return,
            }
        }
    }
    std::future::pending::<()>().await;
}
