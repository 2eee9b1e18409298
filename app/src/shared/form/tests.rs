use super::{As, Field, Method, Problem, Request, Then, Value, Wrong, refusal, request};
use serde_json::json;

fn field(name: &str, kind: Option<As>, text: &str) -> Field {
    Field { name: name.to_owned(), kind, text: text.to_owned(), ..Field::default() }
}

fn box_of(kind: As, text: &str, is_on: bool) -> Field {
    Field { is_on, ..field("types", Some(kind), text) }
}

fn sent(address: &str, body: Option<Value>, fields: &[Field]) -> Result<Request, Wrong> {
    request(address, body, fields, |days| format!("in {days} days"))
}

/// The body of one field.
fn body(kind: As, text: &str) -> Result<Value, Wrong> {
    sent("POST /x/x", None, &[field("it", Some(kind), text)]).map(|request| request.body)
}

fn wrong<T>(words: &str) -> Result<T, Wrong> {
    Err(Wrong { field: "it".to_owned(), words: words.to_owned() })
}

#[test]
fn a_button_sends_what_it_says() {
    let request = sent("PATCH /x/channels/c1", Some(json!({ "paused": true })), &[]);
    let (method, path) = (Method::Patch, "/x/channels/c1".to_owned());
    assert_eq!(request, Ok(Request { method, path, body: json!({ "paused": true }) }));
}

#[test]
fn what_sends_nothing_sends_an_empty_object() {
    assert_eq!(sent("DELETE /x/x", None, &[]).map(|request| request.body), Ok(json!({})));
}

#[test]
fn a_text_is_sent_as_it_was_typed() {
    let fields = [field("editor", None, " x "), field("name", None, "")];
    assert_eq!(
        sent("PATCH /x/x", None, &fields).map(|request| request.body),
        Ok(json!({ "editor": " x ", "name": "" }))
    );
}

#[test]
fn a_given_text_is_trimmed_and_left_out_if_it_is_empty() {
    assert_eq!([body(As::Given, " Ada "), body(As::Given, " \n")], [Ok(json!({ "it": "Ada" })), Ok(json!({}))]);
}

#[test]
fn a_number_is_whole() {
    assert_eq!([body(As::Number, "12"), body(As::Number, "12.9")], [Ok(json!({ "it": 12 })), Ok(json!({ "it": 12 }))]);
}

#[test]
fn megabytes_are_sent_as_bytes() {
    assert_eq!(body(As::Megabytes, "1.5"), Ok(json!({ "it": 1_500_000 })));
}

#[test]
fn days_are_sent_as_the_moment_when_they_are_over() {
    assert_eq!([body(As::Days, "30"), body(As::Days, "")], [Ok(json!({ "it": "in 30 days" })), Ok(json!({}))]);
    assert_eq!(body(As::Days, "soon"), wrong("This should be a number of days"));
}

#[test]
fn lines_are_a_list_without_empty_ones() {
    assert_eq!(body(As::Lines, " a \n\nb\n"), Ok(json!({ "it": ["a", "b"] })));
}

#[test]
fn no_lines_are_left_out_unless_an_empty_list_means_something() {
    let empty = Field { may_be_empty: true, ..field("it", Some(As::Lines), "\n") };
    assert_eq!(body(As::Lines, "\n"), Ok(json!({})));
    assert_eq!(sent("PUT /x/x", None, &[empty]).map(|request| request.body), Ok(json!({ "it": [] })));
}

#[test]
fn pairs_are_an_object() {
    assert_eq!(
        body(As::Pairs, "@ada:x = Ada\n\n@bob:x=Bob = B"),
        Ok(json!({ "it": { "@ada:x": "Ada", "@bob:x": "Bob = B" } }))
    );
    assert_eq!(body(As::Pairs, ""), Ok(json!({ "it": {} })));
}

#[test]
fn a_pair_without_a_name_is_wrong() {
    assert_eq!(body(As::Pairs, "@ada:x = Ada\n@bob"), wrong("\u{201c}@bob\u{201d} should be an address, = and a name"));
}

#[test]
fn ticked_boxes_are_a_list() {
    let boxes = [box_of(As::Ticked, "a", true), box_of(As::Ticked, "b", false), box_of(As::Ticked, "c", true)];
    assert_eq!(sent("POST /x/x", None, &boxes).map(|request| request.body), Ok(json!({ "types": ["a", "c"] })));
}

#[test]
fn switches_that_are_off_are_a_list() {
    let boxes = [box_of(As::Unticked, "a", true), box_of(As::Unticked, "b", false)];
    assert_eq!(sent("POST /x/x", None, &boxes).map(|request| request.body), Ok(json!({ "types": ["b"] })));
}

#[test]
fn boxes_of_which_none_counts_are_an_empty_list() {
    let boxes = [box_of(As::Ticked, "a", false), box_of(As::Ticked, "b", false)];
    assert_eq!(sent("POST /x/x", None, &boxes).map(|request| request.body), Ok(json!({ "types": [] })));
}

#[test]
fn a_switch_is_true_or_false() {
    let switch = |is_on| Field { is_on, ..field("on", Some(As::Switch), "on") };
    let bodies = [true, false].map(|is_on| sent("PUT /x/x", None, &[switch(is_on)]).map(|request| request.body));
    assert_eq!(bodies, [Ok(json!({ "on": true })), Ok(json!({ "on": false }))]);
}

#[test]
fn a_channel_without_a_session_shows_every_one() {
    assert_eq!(body(As::Sessions, ""), Ok(json!({ "every_session": true, "it": [] })));
    assert_eq!(body(As::Sessions, "s1"), Ok(json!({ "every_session": false, "it": ["s1"] })));
}

#[test]
fn a_document_is_the_whole_body() {
    let fields = [field("document", Some(As::Document), "{\"type\": \"a/b\"}")];
    let request = sent("PUT /x/types/{type}", None, &fields);
    assert_eq!(
        request.map(|request| (request.path, request.body)),
        Ok(("/x/types/a%2Fb".to_owned(), json!({ "type": "a/b" })))
    );
}

#[test]
fn a_document_that_is_no_object_is_wrong() {
    assert_eq!(
        [body(As::Document, "[1]"), body(As::Document, "{")],
        [wrong("This isn't a JSON object"), wrong("This isn't a JSON object")]
    );
}

#[test]
fn a_document_that_lacks_its_address_is_wrong() {
    let fields = [field("document", Some(As::Document), "{\"type\": 3}")];
    let wrong = Wrong { field: "type".to_owned(), words: "`/type` is missing".to_owned() };
    assert_eq!(sent("PUT /x/types/{type}", None, &fields), Err(wrong));
}

#[test]
fn a_field_of_the_address_is_no_part_of_the_body() {
    let fields = [field("notice", Some(As::Address), " No deploys "), field("value", None, "Fridays")];
    let request = sent("PUT /x/notices/{notice}", None, &fields);
    assert_eq!(
        request.map(|request| (request.path, request.body)),
        Ok(("/x/notices/No%20deploys".to_owned(), json!({ "value": "Fridays" })))
    );
}

#[test]
fn fields_are_added_to_what_the_form_says() {
    let fields = [field("quota/messages", Some(As::Number), "5"), field("quota/bytes", Some(As::Megabytes), "1")];
    let request = sent("PATCH /x/x", Some(json!({ "on": true })), &fields);
    assert_eq!(
        request.map(|request| request.body),
        Ok(json!({ "on": true, "quota": { "messages": 5, "bytes": 1_000_000 } }))
    );
}

fn refused(pointer: &str, places: &[&str]) -> (String, String) {
    let names = ["aliases", "name", "quota/bytes"].map(str::to_owned);
    let Wrong { field, words } = refusal(&Problem::field(pointer, "at most 9"), &names, |name| places.contains(&name));
    (field, words)
}

fn says(field: &str, words: &str) -> (String, String) {
    (field.to_owned(), words.to_owned())
}

#[test]
fn a_field_with_a_place_says_what_it_should_be() {
    assert_eq!(refused("/name", &["name"]), says("name", "This should be at most 9"));
    assert_eq!(refused("/quota/bytes", &["quota/bytes"]), says("quota/bytes", "This should be at most 9"));
}

#[test]
fn a_line_of_a_list_is_counted_from_one() {
    assert_eq!(refused("/aliases/2", &["aliases"]), says("aliases", "Line 3 should be at most 9"));
}

#[test]
fn a_field_without_a_place_is_named() {
    let (field, words) = refused("/name", &[]);
    assert_eq!(field, "name");
    assert!(words.contains("`/name` should be at most 9"), "{words}");
}

#[test]
fn what_is_about_no_field_of_the_form_is_about_all_of_it() {
    let (field, words) = refused("/other", &["", "name"]);
    assert_eq!(field, "");
    assert!(words.contains("`/other`"), "{words}");
    assert_eq!(refusal(&Problem::outside(409, "changed", "Changed"), &["name".to_owned()], |_| true).field, "");
}

#[test]
fn words_are_read_as_they_are_written() {
    assert_eq!([As::parse(As::Pairs.name()), As::parse("other")], [Some(As::Pairs), None]);
    assert_eq!(Then::parse(Then::TakeRow.name()), Some(Then::TakeRow));
}
