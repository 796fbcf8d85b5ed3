internal import ThrongFaults
internal import ThrongPlan
internal import ThrongSuppression

/// The leaves that a release and everything released before it are sums of: occupied leaf cells, a period each.
///
/// A day has one part, itself; a week over days has up to seven.
struct ReleaseFrame {
    /// What the cells mean.
    let layout: MetricLayout
    /// The stored periods, by start.
    let parts: [StoredCube]
    /// By part, then by cell.
    let leaves: [Leaf]
    /// By measure, by leaf: events first, then each sum above its lowest possible value. Never negative.
    let measures: [[Int64]]
    /// The same of all identifiers, where ``measures`` are of proved ones; else empty.
    let everybody: [[Int64]]
    /// By shown grouping, by leaf: the devices that said that this was their first in the release's period.
    let firsts: [Margin: [Int64]]
    /// By part, where its leaves begin; one entry more than there are parts.
    let starts: [Int]
    /// By part and margin, the distinct counts.
    let distinct: [[Margin: [StoredDistinct]]]
    /// The devices that proved to be in cells of the parts, by the periods for which they did.
    let proved: [ProvedSpan]

    /// One leaf.
    struct Leaf {
        /// The cell of the leaf margin.
        let cell: CellIndex
        /// False for a leaf that is empty and that nobody outside can tell to be so; see ``ConcentratedCells``.
        let isOccupied: Bool
    }

    /// Puts stored periods together.
    ///
    /// - Parameters:
    ///   - parts: all of one layout.
    ///   - firsts: by shown grouping, the counter of its firsts.
    ///   - proved: the devices that proved to be in cells.
    ///   - unknown: by part, empty leaf cells that take part because readers can't know that they are empty.
    /// - Complexity: O(counters · log counters).
    init(
        _ parts: [StoredCube], layout: MetricLayout, firsts counters: [Margin: MeasureIndex] = [:],
        proved: [ProvedDevices] = [], unknown: [Set<CellIndex>] = []
    ) {
        self.layout = layout
        self.parts = parts
        var leaves: [Leaf] = []
        var measures = Array(repeating: [Int64](), count: 1 + layout.sums.count)
        var everybody = measures
        var starts = [0]
        let margins = counters.keys.sorted()
        var firsts = Array(repeating: [Int64](), count: margins.count)
        for (place, part) in parts.enumerated() {
            let values = Self.values(of: part)
            let all = part.everybody.first.map { Self.values(of: $0) }
            let inside = part.occupied
            let occupied = values.filter { inside.contains($0.key) }
            let empty = place < unknown.count ? unknown[place].filter { occupied[$0] == nil } : []
            for cell in (Array(occupied.keys) + empty).sorted() {
                let value = occupied[cell]
                leaves.append(Leaf(cell: cell, isOccupied: value != nil))
                for measure in measures.indices { measures[measure].append(value?[measure] ?? 0) }
                if let all { for measure in everybody.indices { everybody[measure].append(all[cell]?[measure] ?? 0) } }
                for (place, margin) in margins.enumerated() {
                    let counter = counters[margin].map { Int($0.value) }
                    firsts[place].append(counter.flatMap { value?[$0] } ?? 0)
                }
            }
            starts.append(leaves.count)
        }
        self.leaves = leaves
        self.measures = Self.aboveLowest(measures, layout)
        let areProved = !parts.isEmpty && parts.allSatisfy { !$0.everybody.isEmpty }
        self.everybody = areProved ? Self.aboveLowest(everybody, layout) : []
        self.firsts = Dictionary(uniqueKeysWithValues: zip(margins, firsts))
        self.starts = starts
        distinct = parts.map { Dictionary(grouping: $0.distinct, by: \.margin) }
        self.proved = proved.compactMap { devices in
            let span = Self.span(of: devices.period, in: parts)
            return span.isEmpty ? nil : ProvedSpan(devices, span: span, of: parts[span], layout)
        }
    }

    /// By cell, all of its counters.
    private static func values(of part: StoredCube) -> [CellIndex: [Int64]] {
        var values: [CellIndex: [Int64]] = [:]
        for counter in part.counters {
            values[counter.cell, default: Array(repeating: 0, count: part.layout.countersPerCell)][
                Int(counter.measure.value)] = counter.value
        }
        return values
    }

    /// Counts, and sums above the lowest that so many events can have: everybody knows that n events sum to n times the lowest
    /// value or more, so what is above is what is hidden.
    private static func aboveLowest(_ measures: [[Int64]], _ layout: MetricLayout) -> [[Int64]] {
        var measures = measures
        for (place, sum) in layout.sums.enumerated() {
            let lowest = sum.quantum(of: sum.lowest)
            for leaf in measures[0].indices {
                let least = lowest.multipliedClamped(by: measures[0][leaf])
                measures[place + 1][leaf] = max(0, measures[place + 1][leaf].subtractedClamped(least))
            }
        }
        return measures
    }

    /// The leaves of some consecutive parts.
    func leaves(of span: Range<Int>) -> Range<Int> { starts[span.lowerBound]..<starts[span.upperBound] }

    /// The events of some leaves.
    func events(in leaves: some Sequence<UInt32>) -> Int64 {
        leaves.reduce(0) { $0.addedClamped(measures[0][Int($1)]) }
    }

    /// The events of all identifiers in some leaves, where ``events(in:)`` are of proved ones.
    func everybodysEvents(in leaves: some Sequence<UInt32>) -> Int64 {
        leaves.reduce(0) { $0.addedClamped(everybodys[0][Int($1)]) }
    }

    /// By measure, by leaf: what all identifiers added.
    var everybodys: [[Int64]] { everybody.isEmpty || Fault.overlookUnproved.isOn ? measures : everybody }

    /// By cell of a slab, the devices that said that this was their first; nil where its grouping's are not counted.
    ///
    /// - Precondition: the slab is the release's own.
    func firsts(of slab: CubeSlab) -> [Int64]? {
        firsts[slab.margin].map { said in
            slab.cells.indices.map { place in slab.leaves[place].reduce(0) { $0.addedClamped(said[Int($1)]) } }
        }
    }

    /// The parts that a period covers; empty where it covers none.
    func span(of period: Period) -> Range<Int> { Self.span(of: period, in: parts) }

    private static func span(of period: Period, in parts: [StoredCube]) -> Range<Int> {
        let first = parts.firstIndex { $0.period.start >= period.start } ?? parts.endIndex
        let end = parts.firstIndex { $0.period.start >= period.end } ?? parts.endIndex
        return first..<max(first, end)
    }
}

extension Int64 {
    /// The product, or the nearest bound where it does not fit.
    func multipliedClamped(by other: Int64) -> Int64 {
        let (product, overflow) = multipliedReportingOverflow(by: other)
        return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
    }

    /// The difference, or the nearest bound where it does not fit.
    func subtractedClamped(_ other: Int64) -> Int64 {
        let (difference, overflow) = subtractingReportingOverflow(other)
        return overflow ? (other < 0 ? .max : .min) : difference
    }

    /// The sum, or the nearest bound where it does not fit.
    package func addedClamped(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? (other > 0 ? .max : .min) : sum
    }
}
