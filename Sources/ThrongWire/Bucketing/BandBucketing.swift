/// Numeric bands between ascending edges: "<10", "10-20", ">=20".
///
/// A lower edge belongs to its band, an upper edge to the next one. Text that is a number counts as the number.
struct BandBucketing: TabledBucketing {
    let buckets: LabelTable
    private let edges: [Double]

    init(edges: [Double]) throws(BucketingProblem) {
        guard let first = edges.first, let last = edges.last else { throw .noBuckets }
        for edge in edges where !edge.isFinite { throw .unorderedEdges(edge, edge) }
        for (left, right) in zip(edges, edges.dropFirst()) where left >= right { throw .unorderedEdges(left, right) }
        // "-10--5" would read badly, and a spreadsheet takes a leading minus for a formula.
        let inner = zip(edges, edges.dropFirst()).map { left, right in
            first < 0
                ? "from \(left.shortestDecimal) to \(right.shortestDecimal)"
                : "\(left.shortestDecimal)-\(right.shortestDecimal)"
        }
        buckets = try LabelTable(["<\(first.shortestDecimal)"] + inner + [">=\(last.shortestDecimal)"])
        self.edges = edges
    }

    /// Bands at the powers of a base, from one exponent to the other.
    init(powersOf base: Int, from lowest: Int, to highest: Int) throws(BucketingProblem) {
        try self.init(edges: try Self.edges(powersOf: base, from: lowest, to: highest))
    }

    /// The powers of a base, from one exponent to the other.
    static func edges(powersOf base: Int, from lowest: Int, to highest: Int) throws(BucketingProblem) -> [Double] {
        let problem = BucketingProblem.malformedPowers(base: base, lowestExponent: lowest, highestExponent: highest)
        guard (2...1000).contains(base), lowest < highest, lowest >= -30, highest <= 50 else { throw problem }
        let edges = (lowest...highest).map { BucketingRule.power(base, $0) }
        guard let first = edges.first, let last = edges.last, first >= 1e-9, last <= 1e15 else { throw problem }
        return edges
    }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        guard let number = value.numeric else { return buckets.other }
        // The number of edges at or below the value.
        return edges.partitioningIndex { !($0 <= number) }
    }
}

extension BucketingRule {
    /// Returns a power of a base, as bands of powers have it for an edge.
    package static func power(_ base: Int, _ exponent: Int) -> Double {
        let power = (0..<exponent.magnitude).reduce(1.0) { power, _ in power * Double(base) }
        return exponent < 0 ? 1 / power : power
    }
}

extension RandomAccessCollection {
    /// Returns the first place from which on a test holds, which holds for none before; the end where it holds nowhere.
    ///
    /// - Complexity: O(log count) tests.
    @inlinable package func partitioningIndex(where holds: (Element) -> Bool) -> Index {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = index(low, offsetBy: distance(from: low, to: high) / 2)
            if holds(self[middle]) { high = middle } else { low = index(after: middle) }
        }
        return low
    }
}

/// A screen such as "390x844" to small, medium or large by its short side, whichever way it is held.
///
/// Unit: CSS pixels. A bare number is taken for the short side.
struct ScreenBucketing: TabledBucketing {
    let buckets: LabelTable
    private let mediumFrom: Double
    private let largeFrom: Double

    init(mediumFrom: Int, largeFrom: Int) throws(BucketingProblem) {
        guard 0 < mediumFrom, mediumFrom < largeFrom else {
            throw .malformedScreen(mediumFrom: mediumFrom, largeFrom: largeFrom)
        }
        buckets = try LabelTable(["small", "medium", "large"])
        self.mediumFrom = Double(mediumFrom)
        self.largeFrom = Double(largeFrom)
    }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        guard let side = shortSide(value), side > 0 else { return buckets.other }
        return side < mediumFrom ? 0 : side < largeFrom ? 1 : 2
    }

    private func shortSide(_ value: FieldValue) -> Double? {
        guard case .text(let text) = value else { return value.numeric }
        let all = Slice(base: text.bytes, bounds: text.bytes.indices)
        guard let cross = all.firstIndex(where: { $0.lowercasedASCII == UInt8(ascii: "x") }) else { return all.decimal }
        guard let width = all[..<cross].decimal, let height = all[(cross + 1)...].decimal else { return nil }
        return Swift.min(width, height)
    }
}
