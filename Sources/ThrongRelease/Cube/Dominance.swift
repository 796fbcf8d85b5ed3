internal import ThrongFaults
internal import ThrongPlan
internal import ThrongSuppression

/// How much of a margin's sums one device, and two devices, can have contributed at most.
///
/// Identifiers rotate, so nobody knows what one device added over a whole period. But in each window it added at most
/// the largest contribution, and two devices at most the two largest; the sums of these over all windows are upper
/// bounds. The p % rule with upper bounds in the place of the true contributions passes only where the true one does
/// (Hundepool et al., Statistical Disclosure Control, 2012, chapter 4, and the disclosure rules for rotating
/// identifiers).
///
/// Within a window a device is in one bucket of a dimension that partitions devices: there the two largest of a union
/// are the two largest among its parts' pairs. Along other dimensions it may be in several, and the parts' pairs are
/// added; this is done only for margins without a count of their own.
struct Dominance {
    /// X1: by sum, then by cell of the margin. `Int64.max` where nothing is known.
    ///
    /// Unit: 10^-decimals of the sum's unit, ``SumMeasure/contributionShift`` per event included.
    private(set) var largest: [[Int64]]
    /// X12: as ``largest``, of two devices together.
    private(set) var twoLargest: [[Int64]]
    private let sums: [SumMeasure]

    /// Takes the bounds of one margin from the contributions in a cube.
    ///
    /// A cell of which devices were counted in a window without their contributions is known nothing of.
    /// - Complexity: O(contributions × tracked margins).
    init(of stored: StoredCube, margin: Margin) {
        let layout = stored.layout
        sums = layout.sums
        let unknown = Array(repeating: Array(repeating: Int64.max, count: layout.size(of: margin)), count: sums.count)
        largest = unknown
        twoLargest = unknown
        let exact = layout.trackedMargin(for: margin)
        let sources =
            layout.trackedMargins.contains(exact) ? [exact] : layout.trackedMargins.filter { layout.refines($0, exact) }
        for source in sources {
            let bounds = Self.bounds(of: margin, by: exact, from: source, in: stored)
            for (place, cells) in bounds.enumerated() {
                for (cell, bound) in cells.enumerated() {
                    largest[place][cell] = min(largest[place][cell], bound.one)
                    twoLargest[place][cell] = min(twoLargest[place][cell], bound.two)
                }
            }
        }
    }

    /// Whether a cell's sum may stand: no device, and no two, make up so much of it that the rest hides the largest
    /// contribution by less than p %.
    ///
    /// - Parameters:
    ///   - place: which sum of the layout.
    ///   - total: the cell's sum. Unit: 10^-decimals of its unit.
    ///   - count: the cell's events.
    ///   - percent: p.
    func passes(sum place: Int, cell: CellIndex, total: Int64, count: Int64, percent: Int64) -> Bool {
        let (shift, overflow) = sums[place].contributionShift.multipliedReportingOverflow(by: count)
        return Self.passes(
            total: total.addedClamped(overflow ? .max : shift),
            x1: largest[place][Int(cell.value)],
            x12: twoLargest[place][Int(cell.value)],
            percent: percent)
    }

    /// The p % rule: T − X12 ≥ p/100 · X1, exactly; never passes where a bound is saturated or unknown.
    ///
    /// - Parameter total: T, from the lowest value on, as the bounds are.
    static func passes(total: Int64, x1: Int64, x12: Int64, percent: Int64) -> Bool {
        if Fault.allowDominance.isOn { return true }
        guard x1 < .max, x12 < .max else { return false }
        // 100 · 2^64 and 2^63 · 2^63 fit 128 bits.
        return 100 * (Int128(total) - Int128(x12)) >= Int128(percent) * Int128(x1)
    }
}

extension Dominance {
    private struct Bound {
        var one: Int64 = 0
        var two: Int64 = 0
    }

    /// A sum of a cell in a window.
    private struct Place: Hashable {
        let measure: MeasureIndex
        let cell: CellIndex
        let window: WindowNumber
    }

    /// One source's bounds: parts are added up to `exact`, and its cells united to `margin`.
    private static func bounds(
        of margin: Margin, by exact: Margin, from source: Margin, in stored: StoredCube
    ) -> [[Bound]] {
        let layout = stored.layout
        var known: Set<Place> = []
        var added: [Place: Pair] = [:]
        for row in stored.top where row.margin == source && layout.sums.indices.contains(Int(row.measure.value) - 1) {
            known.insert(Place(measure: row.measure, cell: row.cell, window: row.window))
            let cell = layout.project(row.cell, from: source, to: exact)
            added[Place(measure: row.measure, cell: cell, window: row.window), default: Pair()]
                .add(Pair(largest: row.largest, second: row.second))
        }
        var united: [Place: Pair] = [:]
        for (place, pair) in added {
            let cell = layout.project(place.cell, from: exact, to: margin)
            united[Place(measure: place.measure, cell: cell, window: place.window), default: Pair()].unite(pair)
        }
        var bounds = Array(
            repeating: Array(repeating: Bound(), count: layout.size(of: margin)), count: layout.sums.count)
        for (place, pair) in united {
            let (sum, cell) = (Int(place.measure.value) - 1, Int(place.cell.value))
            bounds[sum][cell].one = bounds[sum][cell].one.addedClamped(pair.largest)
            bounds[sum][cell].two = bounds[sum][cell].two.addedClamped(pair.largest).addedClamped(pair.second)
        }
        for row in stored.distinct where row.margin == source {
            let cell = Int(layout.project(row.cell, from: source, to: margin).value)
            for sum in layout.sums.indices
            where !known.contains(Place(measure: .sum(sum), cell: row.cell, window: row.window)) {
                bounds[sum][cell] = Bound(one: .max, two: .max)
            }
        }
        return bounds
    }

    /// The two largest of a crowd's contributions, or bounds on them.
    private struct Pair {
        var largest: Int64 = 0
        var second: Int64 = 0

        /// Of a crowd that may be partly the same.
        mutating func add(_ other: Pair) {
            largest = largest.addedClamped(other.largest)
            second = second.addedClamped(other.second)
        }

        /// Of a crowd that is another.
        mutating func unite(_ other: Pair) {
            second = max(min(largest, other.largest), second, other.second)
            largest = max(largest, other.largest)
        }
    }
}

/// The p % rule over the cells of a slab: whether their events and each of their sums may stand (disclosure, section 4).
///
/// A sum of two values is a dimension in disguise: k devices have to be proved on either side of it.
struct SumRule {
    private let isPassed: [Bool]

    /// Looks at every cell, its events and every sum. Where floors count proved devices, what these added has to stand, and so has
    /// what all added: a forger knows the difference, and everybody else does not.
    init(_ frame: ReleaseFrame, slab: CubeSlab, protection: Protection, threshold: Threshold) {
        let counted = Self.passed(frame, frame.measures, frame.parts, slab, protection, threshold)
        isPassed =
            frame.everybody.isEmpty
            ? counted
            : zip(
                counted,
                Self.passed(frame, frame.everybody, frame.parts.flatMap(\.everybody), slab, protection, threshold)
            ).map { $0 && $1 }
    }

    private static func passed(
        _ frame: ReleaseFrame, _ measures: [[Int64]], _ cubes: [StoredCube], _ slab: CubeSlab,
        _ protection: Protection, _ threshold: Threshold
    ) -> [Bool] {
        let sums = frame.layout.sums
        // Windows of different parts are different windows: their bounds are added like all others.
        let parts = sums.isEmpty ? [] : slab.span.map { Dominance(of: cubes[$0], margin: slab.margin) }
        return slab.cells.indices.map { place in
            let cell = Int(slab.cells[place].value)
            let events = slab.leaves[place].reduce(Int64(0)) { $0.addedClamped(measures[0][Int($1)]) }
            let rule = CountRule(
                events: events, devices: slab.devices[place], bound: frame.layout.contributionBound)
            guard rule.passes(protection) else { return false }
            return sums.indices.allSatisfy { sum in
                let above = slab.leaves[place].reduce(Int64(0)) { $0.addedClamped(measures[sum + 1][Int($1)]) }
                let x1 = parts.reduce(Int64(0)) { $0.addedClamped($1.largest[sum][cell]) }
                if sums[sum].isFlag, !Fault.forgetFlags.isOn {
                    return rule.isReached(threshold, by: above, limit: x1)
                        && rule.isReached(threshold, by: events.subtractedClamped(above))
                }
                // Contributions are measured from zero, or from the lowest value where that is below zero.
                let raised = max(0, sums[sum].quantum(of: sums[sum].lowest)).multipliedClamped(by: events)
                return Dominance.passes(
                    total: above.addedClamped(raised), x1: x1,
                    x12: parts.reduce(Int64(0)) { $0.addedClamped($1.twoLargest[sum][cell]) },
                    percent: protection.percent)
            }
        }
    }

    /// Whether the cell at a place passes.
    func passes(_ place: Int) -> Bool { isPassed[place] }
}
