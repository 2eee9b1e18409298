use super::super::window::Window;
use super::{Anchor, Extent, Goal, HashTarget, Scroll, Scrolled, moved, seq_beyond, step_offset};

/// A view of 500 pixels over 2,000.
fn extent(top: i32) -> Extent {
    Extent { top, height: 2_000, view: 500 }
}

fn row(seq: i64, offset: f64) -> Anchor {
    Anchor::Row { seq, offset }
}

fn at_row() -> Scroll {
    let scroll = Scroll::new(extent(700));
    scroll.set_anchor(row(30, 12.0));
    scroll
}

#[test]
fn a_page_opens_at_the_end() {
    assert!(Scroll::new(extent(0)).is_at_end());
}

#[test]
fn what_was_written_is_not_the_readers_scroll() {
    let scroll = at_row();
    scroll.placed(700, extent(900));
    assert_eq!(scroll.scrolled(extent(900), 5_000.0), Scrolled::Known);
}

#[test]
fn what_was_written_counts_once() {
    let scroll = at_row();
    scroll.placed(700, extent(900));
    scroll.scrolled(extent(900), 0.0);
    assert_eq!(scroll.scrolled(extent(850), 5_000.0), Scrolled::ByReader);
    scroll.capture(extent(850), false, || row(40, 0.0));
    assert_eq!(scroll.scrolled(extent(900), 5_000.0), Scrolled::ByReader);
}

#[test]
fn a_place_that_stayed_is_not_written() {
    let scroll = at_row();
    scroll.placed(700, extent(700));
    assert_eq!(scroll.scrolled(extent(640), 5_000.0), Scrolled::ByReader);
}

#[test]
fn what_grows_at_the_end_pushes_the_reader_who_stays() {
    let scroll = Scroll::new(extent(1_500));
    let grown = Extent { top: 1_500, height: 2_400, view: 500 };
    assert_eq!(scroll.scrolled(grown, 5_000.0), Scrolled::Pushed);
}

#[test]
fn at_the_end_nothing_is_pushed_while_the_height_is_the_same() {
    let scroll = Scroll::new(extent(1_500));
    assert_eq!(scroll.scrolled(extent(1_400), 5_000.0), Scrolled::ByReader);
}

#[test]
fn a_reader_on_the_way_up_is_not_pushed_back() {
    let scroll = Scroll::new(extent(1_500));
    scroll.start(true, 0.0);
    let grown = Extent { top: 1_450, height: 2_400, view: 500 };
    assert_eq!(scroll.scrolled(grown, 5_000.0), Scrolled::ByReader);
}

#[test]
fn a_reader_who_moves_is_not_pushed_back() {
    let scroll = Scroll::new(extent(1_500));
    scroll.start(false, 4_500.0);
    let grown = Extent { top: 1_450, height: 2_400, view: 500 };
    assert_eq!(scroll.scrolled(grown, 5_000.0), Scrolled::ByReader);
}

#[test]
fn a_scroll_that_is_told_of_late_is_known() {
    let scroll = at_row();
    assert_eq!(scroll.scrolled(extent(700), 5_000.0), Scrolled::Known);
}

#[test]
fn a_fling_goes_on_as_long_as_it_likes() {
    let scroll = at_row();
    scroll.start(false, 0.0);
    assert_eq!(scroll.scrolled(extent(800), 900.0), Scrolled::ByReader);
    assert!(!scroll.is_leaving(1_000, 1_800.0));
    // Its place went along: it moved still, 900 ms after the last event.
    assert_eq!(scroll.anchor(), row(30, 12.0 - 300.0));
}

#[test]
fn a_move_of_the_scroll_bar_upward_leaves_the_end() {
    let scroll = Scroll::new(extent(1_500));
    assert_eq!(scroll.scrolled(extent(1_450), 5_000.0), Scrolled::ByReader);
    assert!(!scroll.capture(extent(1_450), false, || row(90, 3.0)));
    assert_eq!(scroll.anchor(), row(90, 3.0));
}

#[test]
fn near_the_end_is_at_the_end() {
    let scroll = at_row();
    assert!(scroll.capture(extent(1_420), false, || row(90, 3.0)));
}

#[test]
fn further_than_that_is_a_row() {
    let scroll = at_row();
    assert!(!scroll.capture(extent(1_419), false, || row(90, 3.0)));
}

#[test]
fn who_selects_near_the_end_holds_a_row() {
    let scroll = at_row();
    assert!(!scroll.capture(extent(1_500), true, || row(90, 3.0)));
}

#[test]
fn who_went_up_and_is_at_the_very_end_is_at_the_end() {
    let scroll = at_row();
    scroll.start(true, 0.0);
    assert!(scroll.capture(extent(1_500), false, || row(90, 3.0)));
}

#[test]
fn going_to_the_end_forgets_the_way_up() {
    let scroll = at_row();
    scroll.start(true, 0.0);
    scroll.go_to_end();
    assert!(scroll.capture(extent(1_490), false, || row(90, 3.0)));
}

#[test]
fn an_animated_scroll_takes_the_row_along() {
    let scroll = at_row();
    scroll.start(false, 0.0);
    assert!(!scroll.is_leaving(760, 500.0));
    assert_eq!(scroll.anchor(), row(30, 12.0 - 60.0));
}

#[test]
fn an_animated_scroll_takes_a_chunk_along() {
    let scroll = at_row();
    scroll.set_anchor(Anchor::Chunk { chunk: 4, offset: 10.0 });
    scroll.start(false, 0.0);
    scroll.is_leaving(760, 500.0);
    assert_eq!(scroll.anchor(), Anchor::Chunk { chunk: 4, offset: 70.0 });
}

#[test]
fn nothing_goes_along_once_the_scroll_is_over() {
    let scroll = at_row();
    scroll.start(false, 0.0);
    assert!(!scroll.is_leaving(760, 1_001.0));
    assert_eq!(scroll.anchor(), row(30, 12.0));
}

#[test]
fn who_leaves_the_end_upward_is_left_alone() {
    let scroll = Scroll::new(extent(1_500));
    scroll.start(true, 0.0);
    assert!(scroll.is_leaving(1_480, 100.0));
}

#[test]
fn who_goes_down_to_the_end_does_not_leave_it() {
    let scroll = Scroll::new(extent(1_400));
    scroll.start(false, 0.0);
    assert!(!scroll.is_leaving(1_480, 100.0));
}

#[test]
fn keys_that_scroll_say_which_way() {
    for (key, shift, upward) in
        [("PageUp", false, true), ("Home", false, true), (" ", true, true), (" ", false, false), ("End", false, false)]
    {
        let scroll = Scroll::new(extent(1_500));
        scroll.press(key, shift, 0.0);
        assert_eq!(scroll.is_leaving(1_480, 100.0), upward, "{key} {shift}");
    }
}

#[test]
fn another_key_ends_the_way_up() {
    let scroll = Scroll::new(extent(1_500));
    scroll.start(true, 0.0);
    scroll.press("x", false, 50.0);
    assert!(!scroll.is_leaving(1_480, 100.0));
}

#[test]
fn a_selection_that_begins_at_the_end_takes_the_place() {
    let scroll = Scroll::new(extent(1_500));
    assert!(scroll.select(true));
}

#[test]
fn a_selection_elsewhere_changes_nothing() {
    assert!(!at_row().select(true));
}

#[test]
fn the_end_of_a_selection_takes_the_place_once() {
    let scroll = at_row();
    scroll.select(true);
    assert!(scroll.select(false));
    assert!(!scroll.select(false));
}

#[test]
fn a_row_is_wanted_where_nothing_is_drawn_but_not_at_the_top() {
    let scroll = at_row();
    assert!(!scroll.lacks_row());
    scroll.set_anchor(Anchor::Chunk { chunk: 3, offset: 0.0 });
    assert!(scroll.lacks_row());
    scroll.set_anchor(Anchor::TOP);
    assert!(!scroll.lacks_row());
}

#[test]
fn less_than_a_pixel_is_no_way_to_go() {
    assert_eq!((moved(100, 0.9), moved(100, -0.9), moved(100, 1.6), moved(100, -30.4)), (100, 100, 102, 70));
}

#[test]
fn a_place_is_read_as_it_was_written() {
    for anchor in [Anchor::End, row(42, 17.25), row(7, -300.5)] {
        assert_eq!(anchor.written().as_deref().and_then(Anchor::read), Some(anchor));
    }
}

#[test]
fn what_is_not_in_the_document_is_not_kept() {
    assert_eq!(Anchor::TOP.written(), None);
}

#[test]
fn what_another_page_kept_is_no_place() {
    assert_eq!((Anchor::read("900 /s/1b"), Anchor::read(""), Anchor::read("x 3")), (None, None, None));
}

/// Three chunks, the first two of which are 400 pixels high.
fn window() -> Window {
    let mut window = Window::new(3);
    window.measure(0, 400.0, 20);
    window.measure(1, 400.0, 20);
    window
}

#[test]
fn a_chunk_is_gone_to_by_the_heights_above_it() {
    let anchor = Anchor::Chunk { chunk: 2, offset: 5.0 };
    // The first chunk is 100 pixels above the view.
    assert_eq!(anchor.computed_target(&window(), -100.0, 100), Some(805));
}

#[test]
fn a_row_that_is_not_there_is_gone_to_by_its_chunk() {
    assert_eq!(row(21, 72.0).computed_target(&window(), -100.0, 100), Some(400 - 72));
}

#[test]
fn the_top_is_the_very_top_with_its_padding() {
    assert_eq!(Anchor::TOP.computed_target(&window(), 24.0, 0), Some(0));
    assert_eq!(Anchor::Chunk { chunk: 0, offset: 3.0 }.computed_target(&window(), 24.0, 0), Some(27));
}

#[test]
fn the_end_has_no_computed_place() {
    assert_eq!(Anchor::End.computed_target(&window(), 0.0, 0), None);
}

#[test]
fn a_row_that_can_be_seen_stays_where_it_is() {
    assert_eq!(step_offset(40.0, 500.0, 500.0).to_bits(), 40.0_f64.to_bits());
}

#[test]
fn a_row_behind_the_sticky_prompt_comes_below_it() {
    assert_eq!(step_offset(39.0, 139.0, 500.0).to_bits(), 72.0_f64.to_bits());
}

#[test]
fn a_high_row_begins_below_what_covers_the_top() {
    assert_eq!(step_offset(300.0, 900.0, 500.0).to_bits(), 40.0_f64.to_bits());
}

#[test]
fn a_row_that_just_fits_ends_at_the_bottom() {
    assert_eq!(step_offset(300.0, 750.0, 500.0).to_bits(), 50.0_f64.to_bits());
}

#[test]
fn walking_down_goes_on_behind_what_the_last_row_stands_for() {
    assert_eq!(seq_beyond(1, 0, true, 100), Some(41));
    assert_eq!(seq_beyond(1, 57, true, 100), Some(58));
}

#[test]
fn walking_up_goes_on_before_the_first_chunk() {
    assert_eq!(seq_beyond(1, 57, false, 100), Some(20));
}

#[test]
fn nothing_lies_beyond_the_session() {
    assert_eq!((seq_beyond(0, 0, false, 100), seq_beyond(4, 0, true, 100)), (None, None));
}

#[test]
fn the_hash_names_a_message_by_number_or_id() {
    assert_eq!(HashTarget::read("m42"), Some(HashTarget::Seq(42)));
    assert_eq!(HashTarget::read("m=a/b"), Some(HashTarget::Id("a/b".to_owned())));
}

#[test]
fn another_hash_names_no_message() {
    assert_eq!((HashTarget::read(""), HashTarget::read("files"), HashTarget::read("mx")), (None, None, None));
}

#[test]
fn a_goal_is_within_the_session() {
    let goal = Goal::default();
    assert_eq!(goal.aim(900, 50), Anchor::Chunk { chunk: 2, offset: 0.0 });
    assert_eq!(goal.seq(), Some(50));
    goal.aim(-3, 50);
    assert_eq!(goal.seq(), Some(1));
}

#[test]
fn a_goal_that_is_reached_stands_below_the_top_and_is_chosen() {
    let goal = Goal::default();
    goal.aim(30, 50);
    assert_eq!(goal.reach(), Some((row(30, 72.0), true)));
    assert_eq!(goal.reach(), None);
}

#[test]
fn who_comes_back_to_a_message_finds_it_where_it_was() {
    let goal = Goal::default();
    goal.aim(30, 50);
    goal.come_back(-8.5);
    assert_eq!(goal.reach(), Some((row(30, -8.5), false)));
}

#[test]
fn a_goal_that_was_given_up_is_not_reached() {
    let goal = Goal::default();
    goal.aim(30, 50);
    goal.come_back(3.0);
    goal.give_up();
    assert_eq!(goal.reach(), None);
}

#[test]
fn the_newest_message_is_waited_for_until_it_comes() {
    let goal = Goal::default();
    goal.wait_for_newest(Some(50));
    goal.give_up();
    assert_eq!([&[48, 49], &[49, 50], &[49, 50]].map(|came| goal.take_newest(came)), [false, true, false]);
}
