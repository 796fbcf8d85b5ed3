/// The facts that are told of spans: a closed list of names, and the kind of value that each may have. Anything else is
/// never exported.
///
/// None of them says who asked, from where, or what was in a request. Texts come from the program and the plan only.
package enum SpanFact: String, Sendable, CaseIterable {
    /// The template, without what stands in its parameters. A text.
    case route = "http.route"
    /// GET, POST and the like; `_OTHER` for what no route takes. A text.
    case method = "http.request.method"
    /// A number.
    case status = "http.response.status_code"
    /// The size of the request's body, as it came. Unit: bytes.
    case bytes = "http.request.body.size"
    /// Records that shared a commit. A number.
    case records = "throng.records"
    /// Counters that were touched. A number.
    case cells = "throng.cells"
    /// Tries, this one counted. A number.
    case attempts = "throng.attempts"
    /// The app that a plan is of. A text.
    case app = "throng.app"
    /// Its metric. A text.
    case metric = "throng.metric"
    /// A period by its label, such as 2026-11-20. A text.
    case period = "throng.period"
    /// A report by its name. A text.
    case report = "throng.report"
}
