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

/// Numbers rounded to one, two or three significant figures, clipped to a range of positive numbers.
///
/// Bucket i is i steps above the lowest: within one power of ten the steps are even, 9·10^(digits-1) of them. Zero and
/// negative numbers go to the lowest bucket. Halves round to even, as sums do.
struct SignificantFiguresBucketing: TabledBucketing {
    let buckets: LabelTable
    private let digits: Int
    private let lowestStep: Int

    init(digits: Int, lowest: Double, highest: Double) throws(BucketingProblem) {
        guard (1...3).contains(digits) else { throw .malformedDigits(digits) }
        guard lowest >= 1e-9, lowest < highest, highest <= 1e15 else {
            throw .malformedRange(lowest: lowest, highest: highest)
        }
        self.digits = digits
        let first = Self.step(lowest, digits: digits)
        let last = Self.step(highest, digits: digits)
        lowestStep = first
        buckets = try LabelTable((first...last).map { Self.text(step: $0, digits: digits) })
    }

    func bucket(_ value: FieldValue) -> Int {
        if let bucket = buckets[value] { return bucket }
        guard let number = value.numeric else { return buckets.other }
        guard number > 1e-12 else { return 0 }
        let step = Self.step(Swift.min(number, 1e18), digits: digits) - lowestStep
        return Swift.min(Swift.max(step, 0), buckets.other - 1)
    }

    /// Steps in one power of ten: 9, 90 or 900.
    private static func stepsPerDecade(_ digits: Int) -> Int { 9 * smallestMantissa(digits) }

    /// 1, 10 or 100.
    private static func smallestMantissa(_ digits: Int) -> Int { [1, 10, 100][digits - 1] }

    /// mantissa · 10^exponent, numbered over all exponents, for a number from 10^-12 to 10^18.
    private static func step(_ number: Double, digits: Int) -> Int {
        let smallest = smallestMantissa(digits)
        var exponent = -12
        // Up to 30 rounds; a logarithm would be off by one beside powers of ten.
        while exponent < 18, number >= 1.0.scaled(byPowerOfTen: exponent + 1) { exponent += 1 }
        exponent -= digits - 1
        var mantissa = Int(number.scaled(byPowerOfTen: -exponent).rounded(.toNearestOrEven))
        if mantissa >= smallest * 10 {
            mantissa = smallest
            exponent += 1
        }
        return exponent * stepsPerDecade(digits) + Swift.max(mantissa, smallest) - smallest
    }

    /// The rounded number of a step, in decimal, built from its digits.
    private static func text(step: Int, digits: Int) -> String {
        let perDecade = stepsPerDecade(digits)
        let exponent = Int(Int64(step).flooredQuotient(by: Int64(perDecade)))
        var mantissa = String(step - exponent * perDecade + smallestMantissa(digits))
        if exponent >= 0 { return mantissa + String(repeating: "0", count: exponent) }
        let missing = -exponent + 1 - mantissa.count
        if missing > 0 { mantissa = String(repeating: "0", count: missing) + mantissa }
        let whole = mantissa.dropLast(-exponent)
        var fraction = mantissa.suffix(-exponent)
        while fraction.last == "0" { fraction = fraction.dropLast() }
        return fraction.isEmpty ? String(whole) : "\(whole).\(fraction)"
    }
}
