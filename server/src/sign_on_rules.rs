//! Which accounts of a provider are let in, and with which role.

use api::people::PersonRole;
use serde_json::{Map, Value};
use std::str::FromStr;

/// A rule of who is let in: `groups=agents:member`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rule {
    claim: String,
    value: String,
    role: PersonRole,
}

impl FromStr for Rule {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = || "it is like `groups=agents:member`".to_owned();
        let (claim, rest) = text.split_once('=').ok_or_else(form)?;
        let (value, role) = rest.rsplit_once(':').ok_or_else(form)?;
        let role = PersonRole::parse(role).ok_or("the role is `viewer`, `member` or `owner`")?;
        if claim.is_empty() || value.is_empty() {
            return Err(form());
        }
        Ok(Self { claim: claim.to_owned(), value: value.to_owned(), role })
    }
}

impl Rule {
    /// Returns true if what the provider says fits. Addresses that it didn't check prove nothing.
    fn fits(&self, claims: &Map<String, Value>) -> bool {
        if self.claim == "email" && claims.get("email_verified") != Some(&Value::Bool(true)) {
            return false;
        }
        let is_value = |given: &Value| match given {
            Value::String(given) if self.claim == "email" => given.eq_ignore_ascii_case(&self.value),
            Value::String(given) => *given == self.value,
            Value::Bool(given) => given.to_string() == self.value,
            _ => false,
        };
        match claims.get(&self.claim) {
            Some(Value::Array(all)) => all.iter().any(is_value),
            Some(one) => is_value(one),
            None => false,
        }
    }
}

/// Returns the highest role that the rules give.
pub fn role(rules: &[Rule], claims: &Map<String, Value>) -> Option<PersonRole> {
    let given = rules.iter().filter(|rule| rule.fits(claims)).map(|rule| rule.role);
    given.max_by_key(|role| PersonRole::ALL.iter().position(|one| one == role))
}

#[cfg(test)]
mod tests {
    use super::{Rule, role};
    use api::people::PersonRole::{Member, Owner, Viewer};
    use serde_json::json;

    #[test]
    fn the_highest_role_that_fits_counts() {
        let rules: Vec<Rule> =
            ["groups=agents:member", "groups=a:b:owner", "email=Ada@example.org:viewer", "admin=true:owner"]
                .iter()
                .map(|rule| rule.parse().unwrap())
                .collect();
        for (claims, expected) in [
            (json!({}), None),
            (json!({ "groups": ["agents"] }), Some(Member)),
            (json!({ "groups": "agents" }), Some(Member)),
            (json!({ "groups": ["agents", "a:b"] }), Some(Owner)),
            (json!({ "groups": ["Agents"] }), None),
            (json!({ "email": "ada@example.org", "email_verified": true }), Some(Viewer)),
            (json!({ "email": "ada@example.org" }), None),
            (json!({ "email": "ada@example.org", "email_verified": false }), None),
            (json!({ "admin": true }), Some(Owner)),
            (json!({ "admin": 1 }), None),
        ] {
            assert_eq!(role(&rules, claims.as_object().unwrap()), expected, "{claims}");
        }
    }

    #[test]
    fn a_rule_that_is_none_says_how_one_looks() {
        for text in ["groups", "groups=agents", "=a:member", "groups=:member", "groups=a:chief"] {
            assert!(text.parse::<Rule>().is_err(), "{text}");
        }
    }
}
