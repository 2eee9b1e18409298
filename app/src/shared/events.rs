//! Parses events of the stream.

/// The connection to the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Link {
    Connecting,
    Live,
    /// Lost; so many attempts since.
    Reconnecting(u32),
    /// The device has no network.
    Offline,
    /// Back, and so many changes behind.
    Replaying(i64),
}

/// A change of a session: what a page reads of a [`FeedEvent`](api::events::FeedEvent).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SessionChange {
    pub pos: i64,
    pub session: String,
    pub from_seq: i64,
    pub to_seq: i64,
}

/// Splits a stream as text into its events: of each its id, which is the cursor behind it, and its data. One that lacks
/// either is left out.
pub fn read_stream(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.split("\n\n").filter_map(|block| {
        let field = |name: &str| block.lines().find_map(|line| Some(line.strip_prefix(name)?.trim_start()));
        Some((field("id:")?, field("data:")?))
    })
}

#[cfg(test)]
mod tests {
    use super::read_stream;

    #[test]
    fn events_are_read_with_their_cursors() {
        let text = "event: build\ndata: {\"build\":\"b1\"}\n\n\
                    id: c8\nevent: feed\ndata: {\"pos\":8}\n\n\
                    : a comment\n\n\
                    event: feed\nid:c9\ndata:{\"pos\":9}\n\n";
        let read: Vec<_> = read_stream(text).collect();
        assert_eq!(read, [("c8", "{\"pos\":8}"), ("c9", "{\"pos\":9}")]);
    }

    #[test]
    fn what_is_cut_off_is_left_out() {
        assert_eq!(read_stream("id: c1\nevent: feed").count(), 0);
        assert_eq!(read_stream("").count(), 0);
    }
}
