//! Answers to the agent's questions, in every shape that they come in.

use crate::lines::{assistant, call, error, message, read_lines, result, user};
use crate::support::Last;
use model::message_type::Body;
use model::message_type::approval::{Answer, Approval, ApprovalState};
use serde_json::{Value, json};

const NAME: &str = "What shall it be called?";
const COLOURS: &str = "Which colours, and why?";

fn asked() -> Value {
    let option = |label: &str| json!({ "label": label, "description": "It is" });
    json!({ "questions": [
        { "question": NAME, "header": "Name", "multiSelect": false, "options": [option("Lark"), option("Wren")] },
        { "question": COLOURS, "header": "Colours", "multiSelect": true,
          "options": [option("Red"), option("Green"), option("Blue"), option("Blue, light")] },
    ] })
}

fn approval(last: &Last) -> Approval {
    match Body::of(message(last, "q~approval~0")) {
        Body::Approval(approval) => approval,
        other => panic!("{other:?}"),
    }
}

fn answered(input: &Value, text: &str, structured: &Value) -> Approval {
    let lines =
        [user("Ask me"), call("q", "AskUserQuestion", input), result("q", text, structured), assistant("Thanks")];
    let approval = approval(&read_lines(&lines));
    assert_eq!(approval.state, ApprovalState::Answered);
    approval
}

fn answers(text: &str, structured: &Value) -> Vec<Answer> {
    answered(&asked(), text, structured).decision.expect("a decision").answers
}

fn answer(question: &str, selected: &[&str], text: Option<&str>, note: Option<&str>) -> Answer {
    Answer {
        question: Some(question.to_owned()),
        selected: selected.iter().map(|&id| id.to_owned()).collect(),
        text: text.map(str::to_owned),
        note: note.map(str::to_owned),
    }
}

#[test]
fn each_answer_stands_under_its_question_with_what_was_typed_and_noted() {
    let structured = json!({
        "answers": { NAME: "Call it \"Kite\" = short", COLOURS: "Red, Blue, light, also violet, please" },
        "annotations": { COLOURS: { "preview": "|", "notes": "But not the mast" } },
    });
    let right = [
        answer(NAME, &[], Some("Call it \"Kite\" = short"), None),
        answer(COLOURS, &["2-1", "2-4"], Some("also violet, please"), Some("But not the mast")),
    ];
    assert_eq!(answers("Answered", &structured), right);
    let approval = answered(&asked(), "Answered", &structured);
    assert_eq!(
        approval.answer(),
        "Name: Call it \"Kite\" = short; Colours: Red, Blue, light, also violet, please (But not the mast)"
    );
}

#[test]
fn a_choice_that_only_begins_like_an_option_is_typed() {
    let of = |said: &str| answers("Answered", &json!({ "answers": { NAME: said } }));
    assert_eq!(of("Wren, but larger"), [answer(NAME, &[], Some("Wren, but larger"), None)]);
    assert_eq!(of("Wren"), [answer(NAME, &["1-2"], None, None)]);
    assert_eq!(of("Wrens"), [answer(NAME, &[], Some("Wrens"), None)]);
}

#[test]
fn answers_come_as_objects_arrays_and_strings() {
    let right = [answer(NAME, &["1-1"], None, None), answer(COLOURS, &["2-1", "2-2"], Some("pink"), None)];
    for given in [
        json!({ NAME: "Lark", COLOURS: ["Red", "Green", "pink"] }),
        json!({ NAME: { "selected": ["Lark"] }, COLOURS: { "selected": ["Red", "Green"], "other": "pink" } }),
        json!([{ "question": NAME, "answer": "Lark" }, { "question": COLOURS, "answers": ["Red", "Green", "pink"] }]),
        json!(["Lark", "Red, Green, pink"]),
        // The order is that of the questions.
        json!({ COLOURS: "Red, Green, pink", NAME: "Lark" }),
        // The question was changed a little, or is named by its header.
        json!({ "what shall it be called": "Lark", "Colours": "Red, Green, pink" }),
    ] {
        assert_eq!(answers("Answered", &json!({ "answers": given })), right, "{given}");
    }
}

#[test]
fn an_answer_to_what_nobody_asked_is_kept() {
    let given = answers("Answered", &json!({ "answers": { NAME: "Lark", "And the string?": "Long" } }));
    assert_eq!(given, [answer(NAME, &["1-1"], None, None), answer("And the string?", &[], Some("Long"), None)]);
    let one = json!({ "questions": [asked()["questions"][0]] });
    let bare = |input: &Value, structured: &Value| {
        answered(input, "Kite, please", structured).decision.expect("a decision").answers
    };
    let typed = answer(NAME, &[], Some("Kite, please"), None);
    assert_eq!(bare(&one, &Value::Null), std::slice::from_ref(&typed));
    assert_eq!(bare(&one, &json!({ "answers": "Kite, please" })), std::slice::from_ref(&typed));
    assert_eq!(bare(&asked(), &Value::Null), [Answer { question: None, ..typed }]);
}

#[test]
fn without_structure_the_answers_are_read_from_the_words() {
    let text = format!(
        "User has answered your questions: \"{NAME}\"=\"Call it \"Kite\" = short\", \"{COLOURS}\"=\"Red, Green\". \
         You can now continue with the user's answers in mind."
    );
    let right =
        [answer(NAME, &[], Some("Call it \"Kite\" = short"), None), answer(COLOURS, &["2-1", "2-2"], None, None)];
    assert_eq!(answers(&text, &Value::Null), right);
}

#[test]
fn a_question_that_was_called_off_keeps_what_was_answered() {
    let refused =
        "The user doesn't want to proceed with this tool use. To tell you how to proceed, the user said:\nLet us talk";
    let mut line = error("q", refused);
    line["toolUseResult"] = json!({ "answers": { NAME: "Lark" } });
    let approval = approval(&read_lines(&[user("Ask me"), call("q", "AskUserQuestion", &asked()), line]));
    let decision = approval.decision.expect("a decision");
    assert_eq!(approval.state, ApprovalState::Cancelled);
    assert_eq!(decision.answers, [answer(NAME, &["1-1"], None, None)]);
    assert_eq!(decision.text.as_deref(), Some("Let us talk"));
}

#[test]
fn questions_that_were_written_as_a_string_are_asked() {
    let input = json!({ "questions": asked()["questions"].to_string() });
    let approval = answered(&input, "Answered", &json!({ "answers": { NAME: "Lark" } }));
    assert_eq!(approval.questions.len(), 2);
    assert_eq!(approval.answer(), "Lark");
}
