/// One route of an app: "/product/:id" matches "/product/7", "/docs/*" matches "/docs" and everything below it.
///
/// `:name` stands for one segment that is not empty, a `*` at the end for any further ones. Empty segments at the end
/// of a path don't count, so "/cart/" is "/cart".
struct RouteTemplate: Sendable {
    private enum Segment: Sendable {
        case literal([UInt8])
        case anything
    }

    private let segments: [Segment]
    private let isOpenEnded: Bool

    init(_ template: String) throws(BucketingProblem) {
        let problem = BucketingProblem.malformedRoute(template)
        guard template.hasPrefix("/"), !template.utf8.contains(where: { "?# ".utf8.contains($0) }) else {
            throw problem
        }
        var parts = template.utf8.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        if parts.last?.isEmpty == true { parts.removeLast() }
        isOpenEnded = parts.last?.elementsEqual("*".utf8) == true
        if isOpenEnded { parts.removeLast() }
        var segments: [Segment] = []
        for part in parts {
            guard !part.isEmpty, !part.contains(UInt8(ascii: "*")) else { throw problem }
            if part.first == UInt8(ascii: ":") {
                guard part.count > 1 else { throw problem }
                segments.append(.anything)
            } else {
                segments.append(.literal(Array(part)))
            }
        }
        self.segments = segments
    }

    /// Whether a path is of this route. An empty path is the root.
    func matches(_ path: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        let slash = UInt8(ascii: "/")
        var rest = path
        while rest.last == slash { rest = rest.dropLast() }
        for segment in segments {
            guard rest.first == slash else { return false }
            let part = rest.dropFirst().prefix { $0 != slash }
            switch segment {
            case .literal(let literal): if !part.elementsEqual(literal) { return false }
            case .anything: if part.isEmpty { return false }
            }
            rest = rest[part.endIndex...]
        }
        return isOpenEnded || rest.isEmpty
    }
}
