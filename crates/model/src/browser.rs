//! Names of browsers.

/// Returns a display name for a `User-Agent`, such as `Firefox on Linux`. An unknown one is returned unchanged, cut to
/// 60 characters.
pub fn name(user_agent: &str) -> String {
    const BROWSERS: [(&str, &str); 7] = [
        ("Edg/", "Edge"),
        ("OPR/", "Opera"),
        ("Firefox/", "Firefox"),
        ("HeadlessChrome/", "Chrome without a window"),
        ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
        ("curl/", "curl"),
    ];
    const SYSTEMS: [(&str, &str); 6] = [
        ("iPhone", "iPhone"),
        ("iPad", "iPad"),
        ("Android", "Android"),
        ("Windows", "Windows"),
        ("Mac OS X", "macOS"),
        ("Linux", "Linux"),
    ];
    let find = |known: &[(&str, &'static str)]| {
        known.iter().find(|(sign, _)| user_agent.contains(sign)).map(|(_, name)| *name)
    };
    match (find(&BROWSERS), find(&SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, _) if user_agent.trim().is_empty() => "A browser without a name".to_owned(),
        (None, _) => crate::text::clip(user_agent, 60).clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::name;

    #[test]
    fn browsers_by_their_own_words() {
        let said = [
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
            "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1 Version/19.0 Mobile/15E148 Safari/604.1",
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/141.0 Safari/537.36 Edg/141.0",
            "tool 1.0",
            "",
        ];
        assert_eq!(
            said.map(name),
            ["Firefox on Linux", "Safari on iPhone", "Edge on Windows", "tool 1.0", "A browser without a name"]
        );
    }
}
