//! The line above the first message of an answer: which request to the model it came of.

use crate::html::Html;
use crate::message::view_options::TranscriptOptions;
use crate::names::model_name;
use crate::request_figures;
use crate::shared::attr;
use crate::shared::context_href;
use api::cost::ModelRequest;

/// The number, the model, tokens, cost and times of a request, and the way to its context.
pub(super) fn head(html: &mut Html, request: &ModelRequest, options: &TranscriptOptions) {
    html.tag("<p class=\"req\" data-request").attr(attr::NUMBER, &request.number.to_string()).tag("><b>Request ");
    html.number(request.number).tag("</b>");
    if let Some(model) = &request.model {
        html.tag("<span").attr("title", model).tag(">").text(&model_name(model)).tag("</span>");
    }
    for figure in request_figures::of(request) {
        html.tag("<span class=\"num\">").text(&figure).tag("</span>");
    }
    if let Some(seq) = request.seq {
        let to = context_href(options.session_id.as_str(), seq);
        html.tag("<a class=\"link\"").attr("href", &to).tag(">Context</a>");
    }
    html.tag("</p>");
}
