//! Which messages of a transcript are shown, by type and by role: in the address of its page, and in requests.

use api::endpoint::segment;
use model::Role;

/// Takes messages of any of these types and of any of these roles. An empty list takes all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MessageFilter {
    pub types: Vec<String>,
    pub roles: Vec<Role>,
}

impl MessageFilter {
    /// Reads the parameters `type` and `role` of a page: values between commas.
    ///
    /// # Errors
    ///
    /// The first word that is no role.
    pub fn parse(types: Option<&str>, roles: Option<&str>) -> Result<Self, String> {
        let roles = words(roles).map(|word| Role::parse(word).ok_or_else(|| word.to_owned()));
        Ok(Self { types: words(types).map(str::to_owned).collect(), roles: roles.collect::<Result<_, _>>()? })
    }

    pub fn is_empty(&self) -> bool {
        self.types.is_empty() && self.roles.is_empty()
    }

    /// Returns true if the filter matches messages of this type and role.
    pub fn takes(&self, message_type: &str, role: Role) -> bool {
        self.takes_type(message_type) && self.takes_role(role)
    }

    pub fn takes_type(&self, message_type: &str) -> bool {
        self.types.is_empty() || self.types.iter().any(|tag| tag == message_type)
    }

    pub fn takes_role(&self, role: Role) -> bool {
        self.roles.is_empty() || self.roles.contains(&role)
    }

    /// Returns it as a page takes it: `&type=CODE_EDIT,TODO&role=assistant`.
    /// Empty without a filter.
    pub fn page_query(&self) -> String {
        let types: Vec<String> = self.types.iter().map(|tag| segment(tag)).collect();
        let roles: Vec<&str> = self.roles.iter().map(|role| role.as_str()).collect();
        let parameter = |name: &str, values: String| {
            if values.is_empty() { String::new() } else { format!("&{name}={values}") }
        };
        parameter("type", types.join(",")) + &parameter("role", roles.join(","))
    }

    /// Returns what it takes: `CODE_EDIT, TODO by assistant`. Empty without a filter.
    pub fn words(&self) -> String {
        let roles: Vec<&str> = self.roles.iter().map(|role| role.as_str()).collect();
        match (self.types.join(", "), roles.join(", ")) {
            (types, roles) if roles.is_empty() => types,
            (types, roles) if types.is_empty() => format!("by {roles}"),
            (types, roles) => format!("{types} by {roles}"),
        }
    }

    /// Returns it as the API takes it: `&type=CODE_EDIT&type=TODO&role=assistant`. Empty without a filter.
    pub fn api_query(&self) -> String {
        let types = self.types.iter().map(|tag| format!("&type={}", segment(tag)));
        types.chain(self.roles.iter().map(|role| format!("&role={}", role.as_str()))).collect()
    }
}

fn words(text: Option<&str>) -> impl Iterator<Item = &str> {
    text.unwrap_or_default().split(',').filter(|word| !word.is_empty())
}
