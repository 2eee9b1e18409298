//! Names, rates, bills and meters, through what the crate shows to others.

use cost::meter::{Meter, measure};
use cost::{Bill, Prices, Unpriced};
use model::Usage;

/// Micro-dollars: whole numbers compare.
fn micros(prices: &Prices, model: &str, bill: &Bill) -> Result<i64, String> {
    prices.cost(Some(model), bill).map(|usd| (usd * 1e6).round() as i64).map_err(|why| why.reason())
}

fn request(usage: Usage) -> Bill {
    Bill::of_request("2026-11-22".to_owned(), usage, 0)
}

#[test]
fn names_of_transcripts_are_models_of_the_table() {
    let prices = Prices::built_in();
    let of = |name: &str| prices.model(name).map_or_else(|| "-".to_owned(), |model| model.name.clone());
    let pairs = [
        ("claude-opus-4-6", "claude-opus-4-6"),
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("claude-haiku-4-5-20251001", "claude-haiku-4-5"),
        ("claude-sonnet-4-20250514", "claude-sonnet-4"),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5"),
        ("claude-sonnet-4.6", "claude-sonnet-4-6"),
        ("claude-4.5-sonnet-thinking", "claude-sonnet-4-5"),
        ("claude-3-5-haiku-20241022", "claude-3-5-haiku"),
        ("us.anthropic.claude-opus-4-1-20250805-v1:0", "claude-opus-4-1"),
        ("claude-opus-4@20250514", "claude-opus-4"),
        ("claude-opus-4-0", "claude-opus-4"),
        ("openrouter/anthropic/claude-haiku-4.5", "claude-haiku-4-5"),
        ("claude-fable-5", "claude-fable-5"),
        ("gpt-5.5", "gpt-5.5"),
        ("gpt-5.6-sol", "gpt-5.6-sol"),
        ("gpt-5-2025-08-07", "gpt-5"),
        ("gpt-5-codex-high", "gpt-5-codex"),
        ("gpt-5.1-codex-max", "gpt-5.1-codex-max"),
        ("gpt-5.2-chat-latest", "gpt-5.2"),
        ("gpt-4o-mini-2024-07-18", "gpt-4o-mini"),
        ("o4-mini", "o4-mini"),
        ("models/gemini-2.5-flash-preview-09-2025", "gemini-2.5-flash"),
        ("gemini-3-flash-preview", "gemini-3-flash-preview"),
        ("moonshot-ai/kimi-k2.7-code", "kimi-k2.7-code"),
        ("litellm_proxy/minimax-m2.7", "minimax-m2.7"),
        ("MiniMax-M3", "minimax-m3"),
        ("grok-code-fast-1-0825", "grok-code-fast-1"),
        ("gpt-5.5-mini", "-"),
        ("gpt-99", "-"),
        ("opus", "-"),
        ("", "-"),
    ];
    for (name, expected) in pairs {
        assert_eq!((name, of(name)), (name, expected.to_owned()));
    }
}

#[test]
fn each_kind_of_token_has_its_price() {
    let prices = Prices::built_in();
    let usage = Usage { input: 1_000, output: 2_000, cache_read: 100_000, cache_write: 10_000 };
    // 1,000 x 5 + 2,000 x 25 + 100,000 x 0.5 + 10,000 x 6.25, a million of which are dollars.
    assert_eq!(micros(&prices, "claude-opus-4-5", &request(usage)), Ok(167_500));
    // The same with 4,000 tokens that are kept for an hour, at 10 each.
    let hour = Bill { cache_write_1h: 4_000, ..request(usage) };
    assert_eq!(micros(&prices, "claude-opus-4-5", &hour), Ok(182_500));
    // Without a known price of its own, what goes into the cache costs as much as input.
    assert_eq!(micros(&prices, "gpt-5.5", &request(Usage { cache_write: 10, ..Usage::default() })), Ok(50));
    assert_eq!(micros(&prices, "<synthetic>", &request(usage)), Ok(0));
}

#[test]
fn a_long_input_and_a_later_day_have_their_rates() {
    let prices = Prices::built_in();
    let of = |input: i64| micros(&prices, "gpt-5.5", &request(Usage { input, ..Usage::default() }));
    assert_eq!((of(272_000), of(272_001)), (Ok(1_360_000), Ok(2_720_010)));
    let on = |day: &str, input: i64| {
        let usage = Usage { input, output: 10, ..Usage::default() };
        micros(&prices, "gpt-5.6-sol", &Bill::of_request(day.to_owned(), usage, 0))
    };
    assert_eq!((on("2026-08-20", 10), on("2026-08-21", 10)), (Ok(350), Ok(240)));
    assert_eq!((on("2026-08-20", 300_000), on("2026-08-21", 300_000)), (Ok(3_000_450), Ok(2_400_300)));
    assert!(prices.steps().contains(&272_000));
}

#[test]
fn what_has_no_price_says_why() {
    let prices = Prices::built_in();
    let bill = request(Usage { input: 1, ..Usage::default() });
    assert_eq!(prices.cost(None, &bill), Err(Unpriced::NoModel));
    let written = request(Usage { output: 1, ..Usage::default() });
    assert_eq!(prices.cost(Some("gpt-5.5"), &written), Err(Unpriced::NoInput));
    assert_eq!(
        micros(&prices, "opus", &bill),
        Err("No cost: `opus` isn't a model's name, and the transcript has no other".to_owned())
    );
    assert_eq!(micros(&prices, "gpt-99", &bill), Err("No cost: `gpt-99` isn't in the price table".to_owned()));
}

#[test]
fn another_tier_or_speed_never_has_the_standard_price() {
    use model::run::of_tier;
    let prices = Prices::built_in();
    let bill = request(Usage { input: 100_000, output: 10_000, ..Usage::default() });
    let of = |name: &str, tier: Option<&str>| micros(&prices, &of_tier(name, tier), &bill).ok();
    assert_eq!(of("claude-opus-4-6", Some("fast")), Some(4_500_000));
    assert_eq!(of("claude-opus-4-6-20260205", Some("fast")), Some(4_500_000));
    for standard in [None, Some("standard"), Some("default")] {
        assert_eq!(of("claude-opus-4-6", standard), Some(750_000));
    }
    for (name, tier) in [("claude-opus-4-5", "fast"), ("claude-opus-4-6", "batch"), ("gpt-5.5", "priority")] {
        assert_eq!(of(name, Some(tier)), None);
        let why = format!("No cost: `{name}-{tier}` isn't in the price table");
        assert_eq!(micros(&prices, &of_tier(name, Some(tier)), &bill), Err(why));
        assert_eq!(prices.context(&of_tier(name, Some(tier))), prices.context(name));
    }
}

#[test]
fn a_table_of_ones_own_replaces_models_by_name() {
    let own = r#"
        [[vendor]]
        name = "Here"
        source = "https://example.com/prices"
        checked = "2026-11-01"
        [vendor.models]
        "claude-opus-4.5" = { context = 100_000, rates = [{ input = 1, output = 2 }] }
        "mill-1" = { context = 8_000, rates = [{ input = 0, output = 0 }] }
    "#;
    let prices = Prices::built_in().with(Prices::parse(own).expect("a table"));
    let bill = request(Usage { input: 10, output: 10, ..Usage::default() });
    let of = |model: &str| (micros(&prices, model, &bill), prices.context(model));
    assert_eq!(of("claude-opus-4-5-20251101"), (Ok(30), Some(100_000)));
    assert_eq!(of("mill-1"), (Ok(0), Some(8_000)));
    assert_eq!(prices.context("claude-sonnet-4-5[1m]"), Some(1_000_000));
    assert_eq!(prices.model("mill-1").map(|model| model.vendor.source.as_str()), Some("https://example.com/prices"));
}

#[test]
fn a_wrong_table_is_refused_with_the_rule() {
    let of = |model: &str| {
        let text =
            format!("[[vendor]]\nname = 'a'\nsource = 'b'\nchecked = '2026-11-01'\n[vendor.models]\nm = {model}");
        Prices::parse(&text).map(|prices| prices.len()).map_err(|error| error.to_string())
    };
    assert_eq!(of("{ context = 1, rates = [{ input = 1, output = 1 }] }"), Ok(1));
    let wrong = [
        ("{ context = 0, rates = [{ input = 1, output = 1 }] }", "`m`: `context`: expected a number of tokens above 0"),
        ("{ context = 1, rates = [] }", "`m`: `rates`: expected one without `since`"),
        ("{ context = 1, rates = [{ input = -1, output = 1 }] }", "`m`: `rates`: expected prices of 0 or more"),
        (
            "{ context = 1, rates = [{ input = 1, output = 1 }, { since = 'May', input = 1, output = 1 }] }",
            "`m`: `since`: expected a day like `2026-07-30`",
        ),
        (
            "{ context = 1, rates = [{ above = 5, input = 1, output = 1 }] }",
            "`m`: `rates`: expected one without `above` for each `since`",
        ),
    ];
    for (model, rule) in wrong {
        assert_eq!(of(model), Err(rule.to_owned()));
    }
    let unknown = of("{ context = 1, rates = [{ input = 1, output = 1, tax = 1 }] }");
    assert!(unknown.is_err_and(|error| error.contains("unknown field `tax`")));
}

#[test]
fn every_price_has_a_page_and_a_day() {
    let prices = Prices::built_in();
    assert!(prices.len() > 100, "{} models", prices.len());
    for name in
        ["claude-opus-5-5", "gpt-6.1-sol", "gemini-2.5-pro", "grok-4.7", "deepseek-v4-pro", "glm-5.3", "devstral-small"]
    {
        let vendor = &prices.model(name).expect(name).vendor;
        assert!(vendor.source.starts_with("https://") && vendor.checked.len() == 10, "{name}: {vendor:?}");
    }
}

#[test]
fn a_meter_forecasts_by_what_came_since_the_last_compaction() {
    let meter = |used, requests_left| Some(Meter { used, limit: 200_000, requests_left });
    let of = |sizes: &[i64]| measure(sizes, Some(200_000));
    assert_eq!(of(&[]), None);
    assert_eq!(measure(&[5], None), None);
    assert_eq!(of(&[20_000]), meter(20_000, None));
    assert_eq!(of(&[20_000, 30_000, 40_000]), meter(40_000, Some(16)));
    assert_eq!(of(&[20_000, 180_000, 30_000, 40_000, 50_000]), meter(50_000, Some(15)));
    assert_eq!(of(&[40_000, 39_000]), meter(39_000, None));
    assert_eq!(of(&[190_000, 210_000]), meter(210_000, Some(0)));
}
