//! Runs one target. Without settings from outside it takes as many inputs as a test may take time for, the same in each
//! run.

use crate::support::fixture;
use proptest::strategy::{BoxedStrategy, Strategy as _};
use proptest::test_runner::{Config, RngAlgorithm, TestError, TestRng, TestRunner};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind, set_hook, take_hook};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

/// Random inputs of a test.
const USUAL: u64 = 200;
/// Longest input in bytes; what comes after is cut off.
const LONGEST: usize = 64 * 1024;
/// An input that takes longer has no end. The slowest machine takes less for all that is bounded.
const ENDLESS: Duration = Duration::from_mins(2);
/// How long a failing input is made smaller, in milliseconds.
const SHRINKING: u32 = 60_000;

/// How long to go on, and from which seed.
struct Plan {
    /// None: [`USUAL`] inputs.
    seconds: Option<f64>,
    seed: u64,
}

impl Plan {
    #[expect(clippy::disallowed_methods, reason = "how much is tested is said from outside")]
    fn read() -> Self {
        let said = |name: &str| std::env::var(name).ok();
        Self {
            seconds: said("VERBATIM_FUZZ_SECONDS").map(|seconds| seconds.parse().unwrap()),
            seed: said("VERBATIM_FUZZ_SEED").map_or(0, |seed| seed.parse().unwrap()),
        }
    }

    fn goes_on(&self, begun: Instant, inputs: u64) -> bool {
        self.seconds.map_or(inputs < USUAL, |seconds| begun.elapsed().as_secs_f64() < seconds)
    }
}

/// Calls `check` with the stored inputs of a target, and with random ones. It panics where something doesn't hold.
#[expect(clippy::disallowed_methods, reason = "the clock says when it is enough, and which input is slow")]
pub fn run(target: &str, inputs: BoxedStrategy<Vec<u8>>, check: impl Fn(&[u8])) {
    let watched = Watched::start(target);
    let inputs = inputs.prop_map(|mut input| {
        input.truncate(LONGEST);
        input
    });
    let check = |input: &[u8]| watched.during(input, || check(input));
    for path in stored(target) {
        let input = std::fs::read(&path).unwrap();
        if let Err(cause) = catch_unwind(AssertUnwindSafe(|| check(&input))) {
            eprintln!("{target}: {} fails", path.display());
            resume_unwind(cause);
        }
    }
    let plan = Plan::read();
    let config = Config {
        failure_persistence: None,
        max_shrink_iters: u32::MAX,
        max_shrink_time: SHRINKING,
        ..Config::default()
    };
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&plan.seed.to_le_bytes());
    let mut runner = TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &seed));
    let (begun, mut count, mut slowest) = (Instant::now(), 0, (Duration::ZERO, 0));
    while plan.goes_on(begun, count) {
        let tree = inputs.new_tree(&mut runner).unwrap();
        let slow = Mutex::new((Duration::ZERO, 0));
        let outcome = runner.run_one(tree, |input| {
            let begun = Instant::now();
            if let Err(cause) = catch_unwind(AssertUnwindSafe(|| check(&input))) {
                // Those that are tried to make it smaller needn't tell.
                set_hook(Box::new(|_| ()));
                resume_unwind(cause);
            }
            *slow.lock().unwrap() = (begun.elapsed(), input.len());
            Ok(())
        });
        match outcome {
            Ok(_) => {}
            Err(TestError::Abort(reason)) => panic!("{target}: {reason}"),
            Err(TestError::Fail(reason, input)) => {
                drop(take_hook());
                store(target, &input);
                eprintln!("seed {}, input {}, of {} bytes: {reason}", plan.seed, count + 1, input.len());
                eprintln!("{}", String::from_utf8_lossy(&input).escape_debug());
                // Once more, so that it says where.
                check(&input);
                panic!("{target}: it failed once, and holds now: {reason}");
            }
        }
        count += 1;
        slowest = slowest.max(slow.into_inner().unwrap());
    }
    if plan.seconds.is_some() {
        let taken = begun.elapsed().as_secs_f64();
        eprintln!(
            "{target:10} {count:9} inputs in {taken:6.1} s, {:8.0}/s; the slowest one of {:6} bytes took {:5} ms",
            count as f64 / taken.max(f64::MIN_POSITIVE),
            slowest.1,
            slowest.0.as_millis(),
        );
    }
}

fn folder(target: &str) -> PathBuf {
    fixture("fuzz").join(target)
}

/// The inputs that failed once, and those that no transcript or message of ours holds.
fn stored(target: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder(target)).into_iter().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

/// Writes a failing input where it will be read from now on, and says how to repeat it.
fn store(target: &str, input: &[u8]) {
    let hash = input
        .iter()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3));
    let path = folder(target).join(format!("{hash:016x}"));
    std::fs::create_dir_all(folder(target)).unwrap();
    std::fs::write(&path, input).unwrap();
    eprintln!("{target}: stored as {}", path.display());
    eprintln!("repeat it with `cargo xtask fuzz {target} --minutes 0`");
}

/// Ends the process when an input takes too long: nothing else ends a loop.
struct Watched {
    input: Arc<Mutex<Vec<u8>>>,
    steps: mpsc::Sender<Step>,
}

#[derive(PartialEq)]
enum Step {
    Begun,
    Ended,
}

impl Watched {
    fn start(target: &str) -> Self {
        let (steps, receive) = mpsc::channel();
        let (input, target) = (Arc::new(Mutex::new(Vec::new())), target.to_owned());
        let watched = Arc::clone(&input);
        std::thread::spawn(move || {
            while let Ok(step) = receive.recv() {
                if let Step::Begun = step
                    && receive.recv_timeout(ENDLESS) == Err(mpsc::RecvTimeoutError::Timeout)
                {
                    store(&target, &watched.lock().unwrap());
                    eprintln!("{target}: it doesn't end within {} s", ENDLESS.as_secs());
                    std::process::exit(1);
                }
            }
        });
        Self { input, steps }
    }

    fn during<T>(&self, input: &[u8], work: impl FnOnce() -> T) -> T {
        input.clone_into(&mut self.input.lock().unwrap());
        self.steps.send(Step::Begun).unwrap();
        let _ended = Ended(&self.steps);
        work()
    }
}

/// Says that an input was read, or failed.
struct Ended<'w>(&'w mpsc::Sender<Step>);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        let _ = self.0.send(Step::Ended);
    }
}
