//! The log of the program, on standard error. It holds no content of messages and no secret.

use crate::cli::LogFormat;
use std::io::IsTerminal as _;
use std::panic::PanicHookInfo;
use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

/// Starts logging. `RUST_LOG` sets the level; without it the text format has warnings, and JSON each request as well.
pub fn start(format: LogFormat) {
    let level = match format {
        LogFormat::Text => LevelFilter::WARN,
        LogFormat::Json => LevelFilter::INFO,
    };
    let filter = EnvFilter::builder().with_default_directive(level.into()).from_env_lossy();
    // This library logs what clients send, with their headers.
    let filter = match "rmcp=off".parse() {
        Ok(silent) => filter.add_directive(silent),
        Err(_) => filter,
    };
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    match format {
        LogFormat::Text => log.with_ansi(std::io::stderr().is_terminal()).init(),
        LogFormat::Json => log.json().flatten_event(true).with_span_list(false).init(),
    }
    std::panic::set_hook(Box::new(log_panic));
}

/// Logs where the program panicked, and not the message, which may quote content.
fn log_panic(panic: &PanicHookInfo<'_>) {
    let place = panic.location().map(ToString::to_string);
    tracing::error!(place, "panicked");
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;
    use std::sync::{Arc, Mutex};

    #[derive(Clone, Default)]
    struct Log(Arc<Mutex<Vec<u8>>>);

    impl Write for Log {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().write(bytes)
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_panic_is_logged_once_without_its_message() {
        let log = Log::default();
        let writer = log.clone();
        let subscriber =
            tracing_subscriber::fmt().json().flatten_event(true).without_time().with_writer(move || writer.clone());
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(log_panic));
        let line = line!() + 2;
        let panicked = tracing::subscriber::with_default(subscriber.finish(), || {
            std::panic::catch_unwind(|| panic!("what somebody wrote"))
        });
        std::panic::set_hook(usual);
        assert!(panicked.is_err());
        let logged = String::from_utf8(log.0.lock().unwrap().clone()).unwrap();
        let (before, column) = logged.split_once(&format!("{}:{line}:", file!())).unwrap();
        assert_eq!(before, r#"{"level":"ERROR","message":"panicked","place":""#);
        assert_eq!(column.split_once('"').unwrap().1, ",\"target\":\"verbatim::logging\"}\n");
    }
}
