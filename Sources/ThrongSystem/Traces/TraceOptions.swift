/// The options for spans: where they go, and how many are made.
package struct TraceOptions: Sendable, Hashable {
    package enum Place: Sendable, Hashable {
        /// A collector on this machine, by OTLP over HTTP with JSON.
        case collector(Collector)
        /// A file, a document of OTLP's JSON a line. It is made with mode 0600 and only ever grows.
        case file(String)
    }

    /// The address of a collector, which is on this machine.
    package struct Collector: Sendable, Hashable {
        package let url: String

        /// Takes `http://127.0.0.1:4318/v1/traces`, the same with `localhost` or `[::1]`; nil for anything else.
        package init?(_ text: String) {
            guard
                let match = text.wholeMatch(
                    of: /http:\/\/(?:127\.0\.0\.1|localhost|\[::1\]):([0-9]{1,5})(\/[\x21-\x7E]*)?/),
                let port = Int(match.1), (1...65_535).contains(port)
            else { return nil }
            url = match.2 == nil ? text + "/v1/traces" : text
        }
    }

    /// Nil makes no spans at all.
    package var place: Place?
    /// The part of requests and of the journal's commits for which spans are made; for everything else they always are.
    /// Unit: percent.
    package var percent = 1

    package init() {}
}
