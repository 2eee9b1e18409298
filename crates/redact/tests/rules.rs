//! Each rule finds a text of its kind, and leaves what is none.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use proptest::prelude::*;
use redact::Redactor;
use serde_json::json;
use std::collections::BTreeSet;

/// Texts that a rule finds. `{a36}` is 36 letters and digits, `{h..}` hexadecimal digits, `{u..}` capital letters and digits,
/// `{l..}` small letters, `{d..}` digits. What stands between « and » is masked.
const FOUND: &[(&str, &str)] = &[
    ("aws-access-key-id", "id «AKIA{u16}» end"),
    ("aws-secret-access-key", "aws_secret_access_key = «{a40}»"),
    ("aws-account-id", "aws_account_id: «{d12}»"),
    ("aws-bedrock-key", "see «ABSK{a60}»"),
    ("github-token", "see «ghp_{a36}» and"),
    ("gitlab-token", "see «glpat-{a20}» and"),
    ("slack-token", "see «xoxb-{d12}-{a24}» and"),
    ("slack-webhook", "https://«hooks.slack.com/services/T{u8}/B{u8}/{a24}»"),
    ("discord-webhook", "https://«discord.com/api/webhooks/{d18}/{a68}»"),
    ("discord-bot-token", "see «M{a23}.{a6}.{a27}» and"),
    ("stripe-key", "see «sk_live_{a24}» and"),
    ("anthropic-key", "see «sk-ant-api03-{a80}» and"),
    ("openai-key", "see «sk-proj-{a48}» and"),
    ("google-api-key", "see «AIza{a35}» and"),
    ("google-oauth", "see «GOCSPX-{a28}» and"),
    ("gcp-private-key-id", "\"private_key_id\": \"«{h40}»\""),
    ("azure-storage-key", "AccountKey=«{a86}==»"),
    ("azure-storage-key-before", "«{a86}==» of azure"),
    ("azure-secret", "see «{a3}8Q~{a34}» and"),
    ("azure-sas", "https://a.example/?se=1&sig=«{a44}»"),
    ("sendgrid-key", "see «SG.{a22}.{a43}» and"),
    ("twilio-key", "see «AC{h32}» and"),
    ("mailchimp-key", "see «{h32}-us12» and"),
    ("mailgun-key", "see «key-{h32}» and"),
    ("npm-token", "see «npm_{a36}» and"),
    ("npm-auth", "//registry.example.com/:_password=«{a12}»"),
    ("pypi-token", "see «pypi-AgE{a60}» and"),
    ("rubygems-key", "see «rubygems_{h48}» and"),
    ("crates-io-token", "see «cio{a32}» and"),
    ("square-token", "see «sq0csp-{a43}» and"),
    ("shopify-token", "see «shpat_{h32}» and"),
    ("telegram-token", "see «{d10}:{a35}» and"),
    ("digitalocean-token", "see «dop_v1_{h64}» and"),
    ("databricks-token", "see «dapi{h32}» and"),
    ("docker-token", "see «dckr_pat_{a27}» and"),
    ("doppler-token", "see «dp.pt.{a43}» and"),
    ("linear-key", "see «lin_api_{a40}» and"),
    ("notion-token", "see «ntn_{a46}» and"),
    ("figma-token", "see «figd_{a40}» and"),
    ("huggingface-token", "see «hf_{a34}» and"),
    ("replicate-token", "see «r8_{a37}» and"),
    ("groq-key", "see «gsk_{a52}» and"),
    ("xai-key", "see «xai-{a80}» and"),
    ("perplexity-key", "see «pplx-{a48}» and"),
    ("langsmith-key", "see «lsv2_pt_{h32}_{h10}» and"),
    ("grafana-token", "see «glsa_{a32}_{h8}» and"),
    ("onepassword-token", "see «ops_ey{a240}» and"),
    ("atlassian-token", "see «ATATT3{a180}» and"),
    ("terraform-token", "see «{a14}.atlasv1.{a67}» and"),
    ("vault-token", "see «hvs.{a40}» and"),
    ("vault-token-old", "vault login «s.{a24}»"),
    ("sentry-token", "see «sntryu_{h64}» and"),
    ("newrelic-key", "see «NRAK-{u27}» and"),
    ("pulumi-token", "see «pul-{h40}» and"),
    ("planetscale-token", "see «pscale_tkn_{a43}» and"),
    ("supabase-key", "see «sbp_{h40}» and"),
    ("postman-key", "see «PMAK-{h24}-{h34}» and"),
    ("tailscale-key", "see «tskey-auth-{a12}-{a32}» and"),
    ("heroku-key", "see «HRKU-{h36}» and"),
    ("fly-token", "see «fo1_{a43}» and"),
    ("netlify-token", "see «nfp_{a36}» and"),
    ("vercel-token", "see «vcp_{a56}» and"),
    ("cloudflare-token", "see «cfut_{a48}» and"),
    ("dynatrace-token", "see «dt0c01.{u24}.{u64}» and"),
    ("airtable-token", "see «pat{a14}.{h64}» and"),
    ("facebook-token", "see «EAA{a120}» and"),
    ("age-key", "see «AGE-SECRET-KEY-1{u58}» and"),
    ("adafruit-key", "see «aio_{a28}» and"),
    ("intra-42", "see «s-s4t2ud-{h64}» and"),
    ("cursor-key", "see «key_{h64}» and"),
    ("artifactory-key", "jfrog «AKC{a24}» end"),
    ("softlayer-key", "--softlayer-api-key «{h64}»"),
    ("softlayer-url", "api.softlayer.com/soap/v3/«{h64}»"),
    ("ibm-cloud-key", "ibm_iam_key:= \"«{a44}»\""),
    ("cloudant-key", "cloudant_pw='«{h64}»'"),
    ("private-key", "before\n«-----BEGIN RSA PRIVATE KEY-----\n{a60}\n{a60}\n-----END RSA PRIVATE KEY-----»\nbehind"),
    ("jwt", "see «eyJ{a20}.eyJ{a40}.{a43}» and"),
    ("url-password", "postgres://ada:«lovelace1815»@db.example.com/mill"),
    ("url-token", "git+https://«{h40}:x-oauth-basic»@example.com/a.git"),
    ("authorization", "Authorization: Bearer «{a20}»"),
    ("assigned-secret", "const password = \"«m1ll-w4ter!»\";"),
    ("quoted-secret", "private_key '«m1ll-w4ter!»';"),
    ("long-random", "see «{a64}» and"),
    ("random-hex", "see «{h32}» and"),
];

/// Text that programs and people write around secrets, without a secret.
const LEFT: &[&str] = &[
    "const password = process.env.PASSWORD;",
    "password: ${link}",
    "login(username=username, password=password)",
    "my_password = \"\"",
    "let token = next_token();",
    "api_key: string",
    "\"secret\": \"your-secret-here\"",
    "https://example.com:8080/a@b",
    "git clone git@github.com:ada/mill.git",
    "commit 9fceb02d0ae598e95dc970b74767f19372d61af8",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "The token is read from the environment.",
    "tokens: 1234567, secret: true",
];

/// Returns a made-up secret: the same letters for each length, and other ones for another.
fn made_up(kind: char, len: usize) -> String {
    let letters = match kind {
        'h' => "0a1b2c3d4e5f6789",
        'u' => "Q7W2E9R4T1Y6U3I8",
        'l' => "qwertyuiopasdfgh",
        'd' => "9182736450918273",
        _ => "q7Wx2Ez9Rb4Tn1Yk6Um3Ij8Op5",
    };
    let letters: Vec<char> = letters.chars().collect();
    (0..len).map(|n| letters[(n * 7 + n / letters.len() * 3 + len) % letters.len()]).collect()
}

fn expand(template: &str) -> String {
    let mut text = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (slot, behind) = after.split_once('}').unwrap();
        text.push_str(before);
        text.push_str(&made_up(slot.chars().next().unwrap(), slot[1..].parse().unwrap()));
        rest = behind;
    }
    text + rest
}

fn masked(text: &str) -> (String, Vec<&'static str>) {
    let mut rules = Vec::new();
    let masked = Redactor::default().text(text, &mut |found| rules.push(found.rule)).into_owned();
    (masked, rules)
}

#[test]
fn each_rule_finds_its_kind() {
    let mut left: BTreeSet<&str> = redact::rules().map(|(id, ..)| id).collect();
    for (rule, template) in FOUND {
        let text = expand(template);
        let (before, rest) = text.split_once('«').unwrap();
        let (secret, behind) = rest.split_once('»').unwrap();
        let (masked, rules) = masked(&format!("{before}{secret}{behind}"));
        let (start, end) = (masked.find('[').unwrap_or(0), masked.rfind(']').map_or(0, |at| at + 1));
        assert_eq!((&masked[..start], &masked[end..]), (before, behind), "{rule}: {masked}");
        assert!((1..=2).contains(&rules.len()), "{rule}: {masked}");
        left.remove(rule);
    }
    assert_eq!(left, BTreeSet::new(), "rules without a text");
}

#[test]
fn words_and_code_stay() {
    for text in LEFT {
        assert_eq!(masked(text), ((*text).to_owned(), Vec::new()));
    }
}

#[test]
fn addresses_and_home_folders_are_masked() {
    for (text, expected) in [
        ("ada@example.com wrote", "[email] wrote"),
        ("/home/ada/mill/a.rs", "~/mill/a.rs"),
        ("cd /Users/ada && ls", "cd ~ && ls"),
        (r"C:\Users\ada\mill", r"~\mill"),
        (r#""C:\\Users\\ada\\mill""#, r#""~\\mill""#),
        ("~/.claude/projects/-home-ada-mill/x.jsonl", "~/.claude/projects/-home-~-mill/x.jsonl"),
        ("/home/ada and /home/bob/x", "~ and ~/x"),
    ] {
        assert_eq!(masked(text).0, expected);
    }
}

#[test]
fn a_field_says_what_its_string_is() {
    let mut value =
        json!({"password": "m1ll-w4ter!", "list": [{"clientSecret": "hGt7_2kd"}], "ada@example.com": 1, "n": 0.1});
    let mut found = Vec::new();
    Redactor::default().value(&mut value, &mut |it| found.push(it.example));
    let expected = json!({"password": "[assigned-secret]", "list": [{"clientSecret": "[assigned-secret]"}], "[email]": 1, "n": 0.1});
    assert_eq!(value, expected);
    assert_eq!(found, ["password: [assigned-secret]", "clientSecret: [assigned-secret]", "[email]"]);
}

#[test]
fn patterns_of_ones_own() {
    let redactor = Redactor::new(&["Mill[0-9]+".to_owned()]).unwrap();
    let mut found = Vec::new();
    assert_eq!(redactor.text("the Mill42 here", &mut |it| found.push(it)), "the [own] here");
    assert_eq!((found[0].rule, found[0].example.as_str()), ("own", "the [own] here"));
    for (pattern, reason) in [
        ("(", "expected a regular expression, got `(`: error: unclosed group"),
        ("", "expected a regular expression of 1 to 1000 bytes that matches at least one character, got ``"),
        ("a*", "expected a regular expression of 1 to 1000 bytes that matches at least one character, got `a*`"),
    ] {
        assert_eq!(Redactor::new(&[pattern.to_owned()]).unwrap_err().to_string(), reason);
    }
    assert_eq!(
        Redactor::new(&vec!["a".to_owned(); 51]).unwrap_err().to_string(),
        "expected at most 50 patterns, got 51"
    );
}

proptest! {
    /// Whatever the text, nothing is found in what was masked but what a mask makes of its surroundings, and nothing fails.
    #[test]
    fn any_text_is_masked(before in "\\PC{0,40}", behind in "\\PC{0,40}", at in 0..FOUND.len()) {
        let secret = expand(FOUND[at].1).split_once('«').unwrap().1.split_once('»').unwrap().0.to_owned();
        let text = format!("{before} {secret} {behind}");
        let (masked, _) = masked(&text);
        prop_assert!(masked.len() <= text.len() + 64 * text.len());
    }
}
