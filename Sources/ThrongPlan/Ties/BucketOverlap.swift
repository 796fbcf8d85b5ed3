import ThrongWire

/// Which buckets of two dimensions can hold the same value.
///
/// Where it is known that some can't, numbers of the one dimension bound those of the other: AT+DE lies within AT+DE+LI.
package struct BucketOverlap: Sendable, Hashable {
    /// By bucket of the first: the buckets of the second that it meets, ascending.
    package let partners: [[Int]]

    /// Every bucket meets its namesake only.
    package init(same count: Int) { self.init(partners: (0..<count).map { [$0] }) }

    /// Nil where they look at different fields, or where as far as is known any bucket may meet any other: then they say
    /// nothing of each other.
    ///
    /// Both rules are tried on the values at which either changes its bucket. What can't be tried, as what a list leaves over
    /// against numbers, is taken to meet everything.
    /// - Complexity: O(values of both rules).
    package init?(of first: DimensionOrigin, and second: DimensionOrigin) {
        guard first.field == second.field, let mine = Samples(first.rule), let its = Samples(second.rule) else {
            return nil
        }
        if first.rule == second.rule {
            self.init(same: mine.labels)
            return
        }
        var pairs = Array(repeating: Set<Int>(), count: mine.labels)
        func note(_ samples: Samples) {
            samples.each { value in pairs[mine.bucketing.bucket(value)].insert(its.bucketing.bucket(value)) }
        }
        switch (mine.family, its.family) {
        case (let left, let right) where left == right && left != .unlike:
            note(mine)
            note(its)
        case (.values, _) where its.isOpen:
            note(mine)
            pairs[mine.labels - 1].formUnion(0..<its.labels)
        case (_, .values) where mine.isOpen:
            note(its)
            for bucket in pairs.indices { pairs[bucket].insert(its.labels - 1) }
        default:
            return nil
        }
        guard pairs.contains(where: { $0.count < its.labels }) else { return nil }
        self.init(partners: pairs.map { $0.sorted() })
    }

    /// The same seen from the second dimension.
    ///
    /// - Parameter count: its buckets.
    package func reversed(count: Int) -> BucketOverlap {
        var back = Array(repeating: [Int](), count: count)
        for (bucket, others) in partners.enumerated() {
            for other in others { back[other].append(bucket) }
        }
        return BucketOverlap(partners: back)
    }

    /// What is in one bucket of each dimension and is no bucket of either, where the numbers of both say exactly what it is;
    /// by the first's buckets, then the second's.
    ///
    /// Buckets that meet are joined. Where no joined ones go round in a circle, the numbers of both leave one solution: at an
    /// end a bucket lies in one other, which has the rest beside it.
    ///
    /// - Parameter count: the second dimension's buckets.
    package func followingPieces(count: Int) -> [(first: Int, second: Int)] {
        let back = reversed(count: count).partners
        var partners = self.partners.map { Set($0) }
        var others = back.map { Set($0) }
        var found: [(first: Int, second: Int)] = []
        var isLooking = true
        while isLooking {
            isLooking = false
            for first in partners.indices {
                for second in partners[first].sorted()
                where partners[first].count == 1 || others[second].count == 1 {
                    partners[first].remove(second)
                    others[second].remove(first)
                    isLooking = true
                    if self.partners[first].count > 1 && back[second].count > 1 { found.append((first, second)) }
                }
            }
        }
        return found.sorted { ($0.first, $0.second) < ($1.first, $1.second) }
    }

    private init(partners: [[Int]]) { self.partners = partners }
}

/// A rule, with values on both sides of wherever it changes its bucket.
private struct Samples {
    let bucketing: any Bucketing
    let family: Family
    private let texts: [String]
    private let numbers: [Double]

    /// Rules of one family are told apart by trying values.
    enum Family: Equatable {
        case values, numbers, version, screen, browser, operatingSystem, language, host, unlike
    }

    init?(_ rule: BucketingRule) {
        // Every plan's rules compiled when it was read; of one that does not any more, nothing is known.
        guard let bucketing = try? rule.bucketingByLabel else { return nil }
        let labels = bucketing.labels.map(\.text)
        // A group's label is in its own bucket, but nobody has it as a value: only a device that coarsens sends it.
        var texts: [String] = []
        var edges: [Double] = []
        switch rule {
        case .list(let groups), .region(let groups):
            family = .values
            texts = groups.flatMap { $0.values.isEmpty ? [$0.label.text] : $0.values }
        case .bands(let known):
            family = .numbers
            edges = known
        case .powers(let base, let lowest, let highest):
            family = .numbers
            edges = (lowest...highest).map { Self.power(base, $0) }
        case .significantFigures:
            family = .numbers
            let steps = labels.compactMap { Double($0) }
            edges = zip(steps, steps.dropFirst()).map { ($0 + $1) / 2 }
        case .version:
            family = .version
            texts = labels + labels.map { "\($0).999" }
        case .screen(let mediumFrom, let largeFrom):
            family = .screen
            texts = [mediumFrom, largeFrom].flatMap { ["\($0 - 1)x\($0 - 1)", "\($0)x\($0)"] }
        case .browser, .operatingSystem, .language, .host:
            family = Self.named(rule)
            texts = labels
        case .deviceClass, .utcOffset, .time, .route, .fileType, .revealed: family = .unlike
        }
        self.bucketing = bucketing
        self.texts = texts + ["what nobody lists"]
        numbers = edges
    }

    private static func named(_ rule: BucketingRule) -> Family {
        switch rule {
        case .browser: .browser
        case .operatingSystem: .operatingSystem
        case .language: .language
        case .host: .host
        default: .unlike
        }
    }

    var labels: Int { bucketing.labels.count }

    /// Whether any value that is listed somewhere can be tried on it.
    var isOpen: Bool {
        switch family {
        case .numbers, .version, .language, .host: true
        case .values, .screen, .browser, .operatingSystem, .unlike: false
        }
    }

    func each(_ body: (FieldValue) -> Void) {
        body(.missing)
        for text in texts { text.withFieldValue(body) }
        guard let first = numbers.first, let last = numbers.last else { return }
        let width = max(1, abs(first), abs(last))
        let between = zip(numbers, numbers.dropFirst()).map { ($0 + $1) / 2 }
        for number in [first - width] + numbers + between + [last + width] { body(.number(number)) }
    }

    private static func power(_ base: Int, _ exponent: Int) -> Double {
        let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * Double(base) }
        return exponent < 0 ? 1 / power : power
    }
}
