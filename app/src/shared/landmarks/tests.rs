use super::super::window::Window;
use super::{Answer, Landmarks, Mark, MarkKind, Part, Step, Stepped, lines, percent, step_from};

fn mark(seq: i64, kind: MarkKind) -> Mark {
    Mark { seq, kind, words: String::new() }
}

fn prompts(seqs: &[i64]) -> Vec<Mark> {
    seqs.iter().map(|seq| mark(*seq, MarkKind::Prompt)).collect()
}

fn answer(marks: Vec<Mark>, next: Option<i64>) -> Answer {
    Answer { marks, next, new: None }
}

fn part(after: i64) -> Part {
    Part { after, is_earlier: false }
}

/// Everything of a session of 100 messages is there.
fn with(marks: Vec<Mark>) -> Landmarks {
    let mut landmarks = Landmarks::default();
    let from = landmarks.open(100);
    landmarks.change(from);
    let part = landmarks.begin().unwrap();
    landmarks.take(part, answer(marks, None));
    landmarks.finish();
    landmarks
}

fn seqs(landmarks: &Landmarks) -> Vec<i64> {
    landmarks.marks().unwrap_or_default().iter().map(|mark| mark.seq).collect()
}

/// Ten chunks of 100 pixels.
fn window() -> Window {
    let mut window = Window::new(10);
    (0..10).for_each(|chunk| window.measure(chunk, 100.0, 20));
    window
}

#[test]
fn a_page_begins_with_the_last_part() {
    assert_eq!((Landmarks::default().open(100), Landmarks::default().open(4_500)), (1, 2_501));
}

#[test]
fn a_short_session_has_nothing_earlier() {
    assert_eq!(with(prompts(&[3])).begin(), None);
}

#[test]
fn earlier_parts_come_one_after_the_other() {
    let mut landmarks = Landmarks::default();
    landmarks.open(4_500);
    let first = landmarks.begin().unwrap();
    assert_eq!(first, Part { after: 500, is_earlier: true });
    assert_eq!(landmarks.take(first, answer(prompts(&[600, 2_600]), None)), 0);
    landmarks.finish();
    let second = landmarks.begin().unwrap();
    assert_eq!(second, Part { after: 0, is_earlier: true });
    landmarks.take(second, answer(prompts(&[5]), None));
    landmarks.finish();
    // Those behind the part were known already.
    assert_eq!((landmarks.begin(), seqs(&landmarks)), (None, vec![5, 600]));
}

#[test]
fn what_changed_comes_before_what_is_earlier() {
    let mut landmarks = Landmarks::default();
    landmarks.open(4_500);
    landmarks.change(4_490);
    landmarks.change(4_495);
    assert_eq!(landmarks.begin(), Some(part(4_489)));
}

#[test]
fn one_part_is_asked_for_at_a_time() {
    let mut landmarks = Landmarks::default();
    landmarks.change(5);
    assert!(landmarks.begin().is_some());
    landmarks.change(9);
    assert_eq!(landmarks.begin(), None);
    landmarks.finish();
    assert_eq!(landmarks.begin(), Some(part(8)));
}

#[test]
fn what_changed_takes_the_place_of_what_was_there() {
    let mut landmarks = with(prompts(&[3, 40, 60]));
    landmarks.change(40);
    let part = landmarks.begin().unwrap();
    assert_eq!(landmarks.take(part, answer(prompts(&[80, 50]), None)), 1_000);
    assert_eq!(seqs(&landmarks), [3, 50, 80]);
}

#[test]
fn a_part_that_does_not_reach_the_end_is_followed_by_the_next_one() {
    let mut landmarks = with(prompts(&[3, 40, 60, 90]));
    landmarks.change(40);
    let asked = landmarks.begin().unwrap();
    assert_eq!(landmarks.take(asked, answer(prompts(&[50, 70]), Some(65))), 0);
    landmarks.finish();
    assert_eq!(seqs(&landmarks), [3, 50, 90]);
    assert_eq!(landmarks.begin(), Some(part(65)));
}

#[test]
fn what_failed_is_asked_for_again() {
    let mut landmarks = Landmarks::default();
    landmarks.change(40);
    let asked = landmarks.begin().unwrap();
    assert_eq!(landmarks.fail(asked, 503, true), Some(1_000));
    landmarks.finish();
    assert_eq!(landmarks.begin(), Some(part(39)));
}

#[test]
fn what_was_refused_is_not_asked_for_until_the_server_is_back() {
    let mut landmarks = Landmarks::default();
    landmarks.change(40);
    let asked = landmarks.begin().unwrap();
    assert_eq!(landmarks.fail(asked, 404, true), None);
    landmarks.finish();
    assert_eq!(landmarks.begin(), None);
    landmarks.resume();
    assert_eq!(landmarks.begin(), Some(part(39)));
}

#[test]
fn a_step_goes_to_the_next_of_its_kind() {
    let mut landmarks = with(vec![mark(3, MarkKind::Prompt), mark(5, MarkKind::Error), mark(9, MarkKind::Prompt)]);
    assert_eq!(landmarks.step(Step::Prompts, 1, 3), Stepped::To(9));
    assert_eq!(landmarks.step(Step::Trouble, 1, 3), Stepped::To(5));
}

#[test]
fn a_step_back_goes_to_the_nearest_before() {
    let mut landmarks = with(prompts(&[3, 9, 20]));
    assert_eq!(landmarks.step(Step::Prompts, -1, 20), Stepped::To(9));
}

#[test]
fn edits_are_no_trouble_and_approvals_are() {
    let mut landmarks = with(vec![mark(4, MarkKind::Edit), mark(8, MarkKind::Approval)]);
    assert_eq!(landmarks.step(Step::Trouble, 1, 0), Stepped::To(8));
}

#[test]
fn behind_the_last_landmark_is_nothing() {
    let mut landmarks = with(prompts(&[3]));
    assert_eq!(landmarks.step(Step::Prompts, 1, 3), Stepped::Nowhere);
    assert_eq!(landmarks.step(Step::Prompts, -1, 3), Stepped::Nowhere);
}

#[test]
fn a_step_waits_for_the_landmarks() {
    let mut landmarks = Landmarks::default();
    assert_eq!(landmarks.step(Step::Trouble, -1, 50), Stepped::Waits);
    assert_eq!((landmarks.take_waiting(), landmarks.take_waiting()), (Some((Step::Trouble, -1)), None));
}

#[test]
fn a_step_back_waits_while_earlier_landmarks_are_missing() {
    let mut landmarks = Landmarks::default();
    landmarks.open(4_500);
    landmarks.change(2_501);
    let asked = landmarks.begin().unwrap();
    landmarks.take(asked, answer(prompts(&[3_000]), None));
    assert_eq!(landmarks.step(Step::Prompts, -1, 3_500), Stepped::To(3_000));
    assert_eq!(landmarks.step(Step::Prompts, -1, 3_000), Stepped::Waits);
    // Forward from before what is there, something may lie between.
    assert_eq!(landmarks.step(Step::Prompts, 1, 100), Stepped::Waits);
}

#[test]
fn only_open_approvals_say_what_they_ask() {
    let open = Mark { words: "Run `ls`".to_owned(), ..mark(9, MarkKind::Approval) };
    let prompt = Mark { words: "Do it".to_owned(), ..mark(3, MarkKind::Prompt) };
    let landmarks = with(vec![prompt, mark(5, MarkKind::Approval), open.clone()]);
    assert_eq!(landmarks.open_approvals(), [open]);
}

#[test]
fn the_prompt_of_the_turn_sticks_to_the_top() {
    let mut landmarks = with(prompts(&[3, 9]));
    assert_eq!(landmarks.stick(Some(7)).map(|mark| mark.map(|mark| mark.seq)), Some(Some(3)));
    assert_eq!(landmarks.sticky(), Some(3));
    assert_eq!(landmarks.stick(Some(8)), None);
}

#[test]
fn a_prompt_at_the_top_does_not_stick_above_itself() {
    let mut landmarks = with(prompts(&[3, 9]));
    landmarks.stick(Some(7));
    assert_eq!(landmarks.stick(Some(9)), Some(None));
}

#[test]
fn nothing_sticks_at_the_end_or_before_the_first_prompt() {
    let mut landmarks = with(prompts(&[3]));
    assert_eq!(landmarks.stick(Some(2)), None);
    landmarks.stick(Some(7));
    assert_eq!(landmarks.stick(None), Some(None));
}

#[test]
fn marks_are_drawn_for_each_height_and_for_each_change() {
    let mut landmarks = with(prompts(&[3]));
    assert_eq!([1_000.2, 1_000.7, 1_200.0].map(|all| landmarks.is_drawn_anew(all)), [true, false, true]);
    landmarks.change(50);
    let asked = landmarks.begin().unwrap();
    landmarks.take(asked, Answer::default());
    assert!(landmarks.is_drawn_anew(1_200.0));
}

#[test]
fn marks_lie_on_the_rail_by_the_heights_of_the_chunks() {
    let drawn = lines(&window(), &prompts(&[1, 101]), MarkKind::Prompt, "M0 {y}h10");
    assert_eq!(drawn, "M0 0h10M0 500h10");
}

#[test]
fn marks_of_other_kinds_are_drawn_elsewhere() {
    let marks = [mark(1, MarkKind::Error), mark(101, MarkKind::Prompt)];
    assert_eq!(lines(&window(), &marks, MarkKind::Error, "{y};"), "0;");
}

#[test]
fn marks_that_would_lie_on_each_other_are_one() {
    let mut window = Window::new(1_000);
    (0..1_000).for_each(|chunk| window.measure(chunk, 100.0, 20));
    assert_eq!(lines(&window, &prompts(&[1, 2, 3, 60]), MarkKind::Prompt, "{y};"), "0;2;");
}

#[test]
fn the_pointer_names_a_mark_that_is_near() {
    let landmarks = with(vec![mark(101, MarkKind::Edit)]);
    assert_eq!(landmarks.point(&window(), 0.495), (101, "Code edit".to_owned()));
}

#[test]
fn elsewhere_the_pointer_means_the_message_of_that_height() {
    let landmarks = with(vec![mark(101, MarkKind::Edit)]);
    assert_eq!(landmarks.point(&window(), 0.3), (61, String::new()));
}

#[test]
fn percentages_have_two_digits_and_an_end() {
    assert_eq!(percent(5.0, 1_000.0), "0.50%");
    assert_eq!((percent(-4.0, 10.0).as_str(), percent(99.0, 10.0).as_str()), ("0.00%", "100.00%"));
}

#[test]
fn a_step_begins_at_the_row_in_view() {
    assert_eq!((step_from(30, 12.0, 1), step_from(30, 12.0, -1), step_from(30, -1.0, -1)), (29, 30, 31));
}
