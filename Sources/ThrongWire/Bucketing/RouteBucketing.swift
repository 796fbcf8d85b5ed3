/// A URL or a path to its route template: the one equal to the path letter for letter, else the first that matches.
///
/// - Complexity: O(templates · length) on values that equal no template letter for letter.
struct RouteBucketing: TabledBucketing {
    let buckets: LabelTable
    private let templates: [RouteTemplate]
    /// The index of each template, by its path; for paths that equal a template letter for letter.
    private let places: ByteTable

    init(templates texts: [String]) throws(BucketingProblem) {
        buckets = try LabelTable(texts)
        var templates: [RouteTemplate] = []
        var places = ByteTable()
        for text in texts {
            let template = try RouteTemplate(text)
            if let first = templates.firstIndex(of: template) { throw .repeatedAddress(text, first: texts[first]) }
            places.insert(template.path, templates.count)
            templates.append(template)
        }
        (self.templates, self.places) = (templates, places)
    }

    func bucket(_ value: FieldValue) -> Int {
        guard case .text(let text) = value else { return buckets.other }
        if let bucket = buckets[text.bytes] { return bucket }
        if AddressSpelling.isPlain(text.bytes) {
            let address = WebAddress(text.bytes)
            let path = address.path.last == UInt8(ascii: "/") ? address.path.dropLast() : address.path
            return address.isPage ? bucket(UnsafeBufferPointer(rebasing: path)) : buckets.other
        }
        let address = AddressSpelling(text.bytes)
        return address.isPage ? address.path.withUnsafeBufferPointer { bucket($0) } : buckets.other
    }

    private func bucket(_ path: UnsafeBufferPointer<UInt8>) -> Int {
        places[path] ?? templates.firstIndex { $0.matches(path) } ?? buckets.other
    }
}

/// One route of an app: "/product/:id" matches "/product/7", "/docs/*" matches "/docs" and everything below it.
///
/// `:name` stands for one segment that is not empty, a `*` at the end for any further ones. Two templates are equal if
/// no path could tell them apart.
struct RouteTemplate: Sendable, Equatable {
    private enum Segment: Sendable, Equatable {
        case literal([UInt8])
        case anything
    }

    /// The template spelled as an address (``AddressSpelling``).
    let path: String
    private let segments: [Segment]
    private let isOpenEnded: Bool

    init(_ template: String) throws(BucketingProblem) {
        let problem = BucketingProblem.malformedRoute(template)
        let slash = UInt8(ascii: "/")
        let written = template.utf8.dropFirst().split(separator: slash, omittingEmptySubsequences: false)
        guard template.hasPrefix("/"), !template.utf8.contains(where: { "?# ".utf8.contains($0) }),
            !written.dropLast().contains(where: \.isEmpty),
            let path = AddressSpelling.text(AddressSpelling.path(template.utf8))
        else { throw problem }
        self.path = path
        var parts = path.utf8.split(separator: slash)
        isOpenEnded = parts.last?.elementsEqual("*".utf8) == true
        if isOpenEnded { parts.removeLast() }
        var segments: [Segment] = []
        for part in parts {
            guard !part.contains(UInt8(ascii: "*")) else { throw problem }
            if part.first == UInt8(ascii: ":") {
                guard part.count > 1 else { throw problem }
                segments.append(.anything)
            } else {
                segments.append(.literal(Array(part)))
            }
        }
        self.segments = segments
    }

    static func == (left: Self, right: Self) -> Bool {
        left.segments == right.segments && left.isOpenEnded == right.isOpenEnded
    }

    /// True if the path, spelled as ``AddressSpelling`` does, is of this route.
    func matches(_ path: UnsafeBufferPointer<UInt8>) -> Bool {
        let slash = UInt8(ascii: "/")
        var rest = Slice(base: path, bounds: path.indices)
        for segment in segments {
            guard rest.first == slash else { return false }
            let part = rest.dropFirst().prefix { $0 != slash }
            if case .literal(let literal) = segment, !part.elementsEqual(literal) { return false }
            rest = rest[part.endIndex...]
        }
        return isOpenEnded || rest.isEmpty
    }
}
