//! Measures the time to draw a growing text, all its pieces together: `cargo run --release -p app --example growing`.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it measures and prints")]

use app::markdown::{Breaks, Settled};
use std::time::Instant;

/// Letters of a piece, as models send them.
const PIECE: usize = 20;
const SIZES: [usize; 3] = [20_480, 40_960, 81_920];
const RUNS: usize = 25;

fn main() {
    println!("{:>8} {:>8} {:>10} {:>10}", "bytes", "pieces", "median", "each");
    for size in SIZES {
        let text = text(size);
        let mut times: Vec<f64> = (0..RUNS).map(|_| all_pieces(&text)).collect();
        times.sort_by(f64::total_cmp);
        let pieces = size.div_ceil(PIECE);
        let median = times[RUNS / 2] * 1e3;
        println!("{size:>8} {pieces:>8} {median:>7.2} ms {:>7.2} µs", median * 1e3 / pieces as f64);
    }
}

/// Seconds.
fn all_pieces(text: &str) -> f64 {
    let start = Instant::now();
    let mut settled = Settled::default();
    let mut end = 0;
    while end < text.len() {
        end = (end + PIECE).min(text.len());
        std::hint::black_box(settled.grow(&text[..end], Breaks::Soft, "1", usize::MAX));
    }
    start.elapsed().as_secs_f64()
}

/// Returns Markdown like that of agents: headings, paragraphs, lists and code.
fn text(size: usize) -> String {
    let step = |n: usize| {
        let long = "It rises slowly, **twice**, as `rest` says. ".repeat(6);
        format!(
            "## Step {n}\n\nKnead the **dough** for {n} minutes. {long}\n\n{long}\n\n- flour\n- water\n- salt\n\n\
             ```rust\nfn bake() -> u32 {{\n    {n}\n}}\n```\n\n"
        )
    };
    let mut text: String = (0..)
        .map(step)
        .scan(0, |bytes, step| {
            *bytes += step.len();
            (*bytes < size + step.len()).then_some(step)
        })
        .collect();
    text.truncate(size);
    text
}
