internal import Crypto

/// What became of drawn margins: whole numbers that add up, and how far off each may be.
package struct ConsistentNumbers: Sendable, Hashable {
    /// By margin, a number a cell.
    package let values: [[Int64]]
    /// By margin: 19 of 20 of its numbers lie within this of what was counted. Unit: the measure's.
    package let margins: [Int64]
}

extension ConsistentTable {
    /// Makes drawn margins consistent with a total that is settled already, and says how far off they may be now.
    ///
    /// **Why the margins hold.** Let x be a counted number, z its estimate by least squares without bounds, and p what is
    /// published. z is linear in what was drawn, so z − x is the same combination of noises whatever was counted: q, within
    /// which 19 of 20 of them lie, is found by drawing noise alone. Bounds and whole numbers move p away from max(0, z) by at
    /// most s in this release, which is seen. As x is not negative, |p − x| ≤ |max(0, z) − x| + s ≤ |z − x| + s, so that
    /// |p − x| exceeds q + s no more often than |z − x| exceeds q. No step looks at x. q is an average over a margin's cells.
    /// - Parameters:
    ///   - drawn: one number a cell of each margin.
    ///   - total: what the numbers of each margin will add up to; not negative where they are not.
    ///   - drawnTotal: the same before it was kept from being negative.
    ///   - errors: what ``errors(total:)`` gives for the total's noise.
    ///   - isNonNegative: whether no counted number can be negative.
    package func consistent(
        _ drawn: [[Int64]], total: Int64, drawnTotal: Int64, errors: [Double], isNonNegative: Bool
    ) -> ConsistentNumbers {
        let numbers = drawn.map { $0.map { Double($0) } }
        let best = fit(numbers, total: Double(drawnTotal))
        let table = isNonNegative ? fitNonNegative(numbers, total: Double(total), from: best) : best
        let values = sums(rounded(table, total: total, isNonNegative: isNonNegative))
        let estimates = isSimulated ? sums(best) : numbers
        let margins = groupings.indices.map { place in
            let moved = zip(values[place], estimates[place]).map { value, estimate in
                abs(Double(value) - (isNonNegative ? max(0, estimate) : estimate))
            }
            return Int64(exactly: (errors[place] + (moved.max() ?? 0)).rounded(.up)) ?? .max
        }
        return ConsistentNumbers(values: values, margins: margins)
    }

    /// Whether the table is small enough for its noise to be drawn a hundred times over. Larger ones are compared with what was
    /// drawn, whose margin is known exactly.
    private var isSimulated: Bool { cells * groupings.count <= 100_000 }

    /// Within what 19 of 20 errors of least squares without bounds lie, by margin: from draws of noise alone.
    ///
    /// The share is taken higher by two standard errors of as many independent draws as there were runs, so that too small a
    /// number is improbable.
    /// - Parameter noise: of the total.
    /// - Throws: ``NoiseError``.
    package func errors(total noise: NoiseDistribution) throws(NoiseError) -> [Double] {
        guard isSimulated else {
            var margins: [Double] = []
            for grouping in groupings {
                margins.append(Double(try grouping.noise.margin(missing: NoiseDistribution.oneInTwenty)))
            }
            return margins
        }
        let runs = max(100, min(1000, 200_000 / (cells * groupings.count)))
        // Everybody may know these draws: they are of nobody.
        var bits = RandomBits(KeyedGenerator(key: SymmetricKey(data: Array(repeating: 0 as UInt8, count: 32))))
        var errors: [[Double]] = Array(repeating: [], count: groupings.count)
        for _ in 0..<runs {
            let drawn = groupings.map { grouping in
                (0..<grouping.cells).map { _ in Double(grouping.noise.sample(using: &bits)) }
            }
            let table = fit(drawn, total: Double(noise.sample(using: &bits)))
            for (place, sums) in sums(table).enumerated() { errors[place] += sums.map { abs($0) } }
        }
        let share = 0.95 + 2 * (0.05 * 0.95 / Double(runs)).squareRoot()
        return errors.map { all in
            all.sorted()[min(all.count - 1, Int((share * Double(all.count)).rounded(.up)))]
        }
    }
}
