#![expect(clippy::float_cmp, reason = "sums of whole pixels are exact")]

use super::{Plan, Segment, View, Window, chunk_of, chunks};
use crate::shared::sorted::Set;

fn window(heights: &[f64]) -> Window {
    let mut window = Window::new(heights.len());
    for (chunk, px) in heights.iter().enumerate() {
        window.measure(chunk, *px, 100);
    }
    window
}

/// Room enough for all.
const ROOM: usize = usize::MAX;

fn set(chunks: &[usize]) -> Set<usize> {
    chunks.iter().copied().collect()
}

#[test]
fn a_seq_knows_its_chunk() {
    assert_eq!([-3, 0, 1, 20, 21, 40, 10_000].map(chunk_of), [0, 0, 0, 0, 1, 1, 499]);
    assert_eq!([-1, 0, 1, 20, 21, 10_000].map(chunks), [0, 0, 1, 1, 2, 500]);
}

#[test]
fn unknown_heights_are_the_mean_of_the_known_ones() {
    let mut window = Window::new(4);
    assert_eq!(window.top(2), 2_400.0);
    window.measure(1, 100.0, 0);
    window.measure(3, 300.0, 0);
    assert_eq!([0, 1, 2, 3, 4].map(|chunk| window.top(chunk)), [0.0, 200.0, 300.0, 500.0, 800.0]);
    window.measure(9, 1.0, 0);
    window.forget();
    assert_eq!(window.height(1), 1_200.0);
}

#[test]
fn a_distance_leads_to_a_chunk_and_back() {
    let window = window(&[100.0, 50.0, 200.0]);
    assert_eq!(
        [-10.0, 0.0, 99.0, 100.0, 151.0, 900.0].map(|y| window.at(y)),
        [(0, 0.0), (0, 0.0), (0, 99.0), (1, 0.0), (2, 1.0), (2, 750.0)]
    );
    assert_eq!(Window::new(0).at(5.0), (0, 0.0));
}

#[test]
fn near_chunks_come_nearest_first_and_far_ones_go() {
    let window = window(&[100.0; 12]);
    let view = View { top: 600.0, height: 100.0 };
    assert_eq!(window.plan(view, &set(&[]), &set(&[]), ROOM), Plan { load: vec![5, 6, 7, 4, 8], unload: vec![] });
    assert_eq!(
        window.plan(view, &set(&[0, 3, 6, 11]), &set(&[]), ROOM),
        Plan { load: vec![5, 7, 4, 8], unload: vec![0, 11] }
    );
    assert_eq!(window.plan(view, &set(&[0, 11]), &set(&[0]), ROOM).unload, [11]);
}

#[test]
fn a_chunk_between_near_and_far_neither_comes_nor_goes() {
    let window = window(&[100.0; 12]);
    let view = View { top: 600.0, height: 100.0 };
    let plan = window.plan(view, &set(&[3, 4, 5, 6, 7, 8, 9]), &set(&[]), ROOM);
    assert_eq!(plan, Plan::default());
}

#[test]
fn what_is_rich_leaves_less_room_for_what_cannot_be_seen() {
    let window = window(&[100.0; 12]);
    let view = View { top: 600.0, height: 200.0 };
    // 6 and 7 are seen, 5 and 8 touch the view: they come whatever they cost.
    assert_eq!(window.plan(view, &set(&[]), &set(&[]), 0), Plan { load: vec![5, 6, 7, 8], unload: vec![] });
    assert_eq!(window.plan(view, &set(&[5, 6, 7, 8]), &set(&[]), 500), Plan { load: vec![4], unload: vec![] });
    // Beyond the room the furthest leave first, and don't come back at once.
    let plan = window.plan(view, &set(&[3, 4, 5, 6, 7, 8, 9, 10]), &set(&[]), 500);
    assert_eq!(plan, Plan { load: vec![], unload: vec![10, 3, 9] });
    assert_eq!(window.plan(view, &set(&[4, 5, 6, 7, 8]), &set(&[]), 500), Plan::default());
    assert_eq!(window.plan(view, &set(&[3, 4, 5, 6, 7, 8]), &set(&[3]), 500).unload, [4]);
}

#[test]
fn gaps_stand_for_what_is_missing() {
    let window = window(&[10.0, 20.0, 30.0, 40.0, 50.0]);
    assert_eq!(
        window.segments(&set(&[1, 2])),
        [
            Segment::Gap { from: 0, to: 1, px: 10.0 },
            Segment::Chunk(1),
            Segment::Chunk(2),
            Segment::Gap { from: 3, to: 5, px: 90.0 },
        ]
    );
    assert_eq!(window.segments(&set(&[])), [Segment::Gap { from: 0, to: 5, px: 150.0 }]);
    assert_eq!(window.segments(&set(&[0, 1, 2, 3, 4, 7])).len(), 5);
    assert_eq!(Window::new(0).segments(&set(&[0])), []);
}

/// A walk through ten thousand messages: the whole height never depends on what is in the document, and no more than
/// the view's surroundings are.
#[test]
fn the_document_stays_small_and_the_column_as_high() {
    let mut window = Window::new(chunks(10_000));
    let mut mounted = Set::default();
    for step in 0..400 {
        let view = View { top: f64::from(step) * 1_300.0, height: 800.0 };
        let plan = window.plan(view, &mounted, &set(&[]), ROOM);
        mounted.take(|chunk| plan.unload.contains(chunk));
        for chunk in plan.load {
            window.measure(chunk, 1_000.0 + (chunk % 7) as f64 * 300.0, 100);
            mounted.insert(chunk);
        }
        assert!(mounted.iter().len() <= 8, "{} chunks at step {step}", mounted.iter().len());
        let shown: f64 = window
            .segments(&mounted)
            .iter()
            .map(|segment| match segment {
                Segment::Chunk(chunk) => window.height(*chunk),
                Segment::Gap { px, .. } => *px,
            })
            .sum();
        assert!((shown - window.top(window.len())).abs() < 0.001);
    }
}

#[test]
fn a_session_grows_and_never_shrinks() {
    let mut window = window(&[100.0, 100.0]);
    window.grow(3);
    window.grow(1);
    assert_eq!(window.len(), 3);
    assert_eq!(window.top(3), 300.0);
    assert!(!window.is_empty());
}
