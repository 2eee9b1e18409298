//! Whose voice a sender word is.

use crate::Role;

/// Sender words of the older products, and whose voice each is. A sender that isn't listed is a name.
const VOICES: [(&str, Role); 17] = [
    ("user", Role::User),
    ("tui-user", Role::User),
    ("bot", Role::Assistant),
    ("assistant", Role::Assistant),
    ("thinking", Role::Model),
    ("model", Role::Model),
    ("tool", Role::Tool),
    ("tools", Role::Tool),
    ("tool_use", Role::Tool),
    ("tool_result", Role::Tool),
    ("command_output", Role::Tool),
    ("system", Role::System),
    ("system_notice", Role::System),
    ("deploy", Role::System),
    ("host", Role::Host),
    ("result_meta", Role::Host),
    ("security", Role::Host),
];

/// Returns the role whose voice a sender word is. None for a sender that is a name.
pub fn voice(sender: &str) -> Option<Role> {
    let word = sender.trim();
    VOICES.iter().find(|(known, _)| word.eq_ignore_ascii_case(known)).map(|(_, role)| *role)
}
