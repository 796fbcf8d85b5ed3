internal import ThrongWire

/// The values that a bucket holds, in a form that is the same for every rule that puts the same values into one.
///
/// Questions compare extents: a bucket of another name, of a list in another order, of a coarser dimension, or beside
/// other buckets is the same bucket if it holds the same values.
enum Extent: Hashable {
    /// These values, of that kind.
    case values(String, Set<String>)
    /// All values of that kind but these.
    case rest(String, Set<String>)
    /// Numbers of that kind from the first on and below the second; nil is no bound.
    case numbers(String, Double?, Double?)
    /// A bucket whose values only its rule tells.
    case told(String)

    /// Returns the extent of several buckets together; nil if it has no form of its own.
    static func union(_ parts: [Extent]) -> Extent? {
        guard var sum = parts.first else { return nil }
        for part in parts.dropFirst() {
            guard let joined = sum.joined(with: part) else { return nil }
            sum = joined
        }
        return sum
    }

    private func joined(with other: Extent) -> Extent? {
        switch (self, other) {
        case (.values(let kind, let mine), .values(let its, let more)):
            return kind == its ? .values(kind, mine.union(more)) : nil
        case (.rest(let kind, let listed), .values(let its, let held)),
            (.values(let its, let held), .rest(let kind, let listed)):
            return kind == its ? .rest(kind, listed.subtracting(held)) : nil
        case (.numbers(let kind, let low, let end), .numbers(let its, let start, let high)):
            guard kind == its else { return nil }
            if let end, end == start { return .numbers(kind, low, high) }
            return low != nil && low == high ? .numbers(kind, start, end) : nil
        default: return nil
        }
    }

    /// True if the extent is known to hold nothing that the other does not.
    func lies(within other: Extent) -> Bool {
        switch (self, other) {
        case (.values(let kind, let mine), .values(let its, let all)): kind == its && mine.isSubset(of: all)
        case (.values(let kind, let mine), .rest(let its, let listed)): kind == its && mine.isDisjoint(with: listed)
        case (.rest(let kind, let mine), .rest(let its, let listed)): kind == its && listed.isSubset(of: mine)
        case (.numbers(let kind, let low, let high), .numbers(let its, let from, let end)):
            kind == its && (from ?? -.infinity) <= (low ?? -.infinity) && (high ?? .infinity) <= (end ?? .infinity)
        default: self == other
        }
    }

    /// The extent as one line, which no other extent has.
    var text: String {
        switch self {
        case .values(let kind, let values): "\(kind) in \(Self.list(values))"
        case .rest(let kind, let values): "\(kind) none of \(Self.list(values))"
        case .numbers(let kind, let low, let high):
            "\(kind) from \(low.map { "\($0)" } ?? "-") to \(high.map { "\($0)" } ?? "-")"
        case .told(let text): text
        }
    }

    /// Returns the values with their lengths, so that no two sets have the same text.
    private static func list(_ values: Set<String>) -> String {
        values.sortedByBytes().map { "\($0.utf8.count) \($0)" }.joined(separator: ", ")
    }
}

extension BucketingRule {
    /// Returns the values that each bucket holds.
    ///
    /// - Parameters:
    ///   - labels: the rule's buckets.
    ///   - fingerprint: the rule's fingerprint; see ``fingerprint(rules:)``.
    func extents(of labels: [BucketLabel], fingerprint: String) -> [Extent] {
        switch self {
        case .list(let groups), .region(let groups):
            let named = groups.filter { $0.label != .other }.map { $0.values.isEmpty ? [$0.label.text] : $0.values }
            return Self.extents(named, of: labels, as: "value")
        case .version(let level, let known):
            return Self.extents(known.map { [$0] }, of: labels, as: "\(level.rawValue) version")
        case .language(let known):
            return Self.extents(known.map { [$0] }, of: labels, as: "language")
        case .host(let known):
            return Self.extents(known.map { [$0] }, of: labels, as: "host")
        case .bands(let edges):
            return Self.extents(edges, of: labels)
        case .powers(let base, let lowest, let highest):
            return Self.extents((lowest...highest).map { Self.power(base, $0) }, of: labels)
        case .significantFigures, .screen, .browser, .operatingSystem, .deviceClass, .utcOffset, .time, .route,
            .fileType,
            .revealed:
            return labels.map { .told("\(fingerprint) \($0.text.utf8.count) \($0.text)") }
        }
    }

    /// True if each bucket of another rule is known to lie in a bucket of this rule.
    func isCoarser(than other: BucketingRule) -> Bool {
        // Every plan's rules compiled when it was read; of one that does not any more, nothing is known.
        guard let mine = try? bucketingByLabel.labels, let its = try? other.bucketingByLabel.labels else {
            return false
        }
        // Two rules that have no form of their own are alike only if they are the same.
        let buckets = extents(of: mine, fingerprint: "now")
        return self == other
            || other.extents(of: its, fingerprint: "before").allSatisfy { bucket in
                buckets.contains { bucket.lies(within: $0) }
            }
    }

    /// Returns the groups of values, then what none of them holds.
    private static func extents(_ groups: [[String]], of labels: [BucketLabel], as kind: String) -> [Extent] {
        let rest = Extent.rest(kind, Set(groups.joined()))
        return labels.indices.map { bucket in
            if bucket < groups.count { return .values(kind, Set(groups[bucket])) }
            return bucket == groups.count ? rest : .told("\(rest.text), \(labels[bucket].text)")
        }
    }

    /// Returns the ranges between edges, open at both ends; a further bucket is for what is no number.
    private static func extents(_ edges: [Double], of labels: [BucketLabel]) -> [Extent] {
        let ends = [nil] + edges.map { $0 } + [nil]
        return labels.indices.map { bucket in
            bucket + 1 < ends.count
                ? .numbers("number", ends[bucket], ends[bucket + 1]) : .told("no number \(labels[bucket].text)")
        }
    }

    private static func power(_ base: Int, _ exponent: Int) -> Double {
        let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * Double(base) }
        return exponent < 0 ? 1 / power : power
    }
}
