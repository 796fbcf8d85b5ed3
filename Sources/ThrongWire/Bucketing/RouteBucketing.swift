/// A URL or a path to the first route template that matches; a path that is a template letter for letter is that one.
///
/// - Complexity: O(templates · length) on values that are no label.
struct RouteBucketing: Bucketing {
    private let buckets: LabelTable
    private let templates: [RouteTemplate]

    init(templates texts: [String]) throws(BucketingProblem) {
        buckets = try LabelTable(texts)
        var templates: [RouteTemplate] = []
        for text in texts { templates.append(try RouteTemplate(text)) }
        self.templates = templates
    }

    var labels: [BucketLabel] { buckets.labels }

    func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        if let bucket = buckets[text.bytes] { return bucket }
        let address = WebAddress(text.bytes)
        // "https://example.org" is the root; "cart", "mailto:a@example.org" and an empty text are no paths.
        guard address.isAbsolute || !address.path.isEmpty else { return buckets.other }
        return templates.firstIndex { $0.matches(address.path) } ?? buckets.other
    }
}
