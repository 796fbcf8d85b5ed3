package import ThrongWire

/// A grouping of a metric: the set of dimensions that are kept, while the others are summed out.
///
/// Bit i stands for the metric's dimension i.
package struct Margin: Hashable, Sendable, Codable, Comparable {
    package let bits: UInt32

    package init(bits: UInt32) { self.bits = bits }

    /// The grand total: no dimension is kept.
    package static let total = Margin(bits: 0)

    package init(keeping places: some Sequence<Int>) { bits = places.reduce(0) { $0 | (1 << UInt32($1)) } }

    package func keeps(_ place: Int) -> Bool { bits & (1 << UInt32(place)) != 0 }

    package func union(_ other: Margin) -> Margin { Margin(bits: bits | other.bits) }

    /// True if this keeps all that the other keeps; see ``MetricLayout/refines(_:_:)`` for dimensions made of others.
    package func refines(_ other: Margin) -> Bool { bits & other.bits == other.bits }

    package static func < (left: Self, right: Self) -> Bool { left.bits < right.bits }
}

/// One cell of one margin of one metric: mixed radix over the kept dimensions, the last one running fastest.
@usableFromInline package struct CellIndex: Hashable, Sendable, Comparable, Codable {
    /// 0 to the margin's size, at most 10^6.
    @usableFromInline package let value: UInt32
    package init(_ value: UInt32) { self.value = value }
    @inlinable package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
    /// Compares indices. It is written out so that loops over events in other modules can inline it.
    @inlinable package static func == (left: Self, right: Self) -> Bool { left.value == right.value }
}

/// Some cells of one margin, a bit each.
package struct CellSet: Sendable, Hashable {
    private var words: [UInt64]

    /// Creates an empty set for a margin of `count` cells.
    package init(count: Int) { words = Array(repeating: 0, count: (count + 63) / 64) }

    package mutating func insert(_ cell: CellIndex) { words[Int(cell.value >> 6)] |= 1 << UInt64(cell.value & 63) }

    package func contains(_ cell: CellIndex) -> Bool { words[Int(cell.value >> 6)] & 1 << UInt64(cell.value & 63) != 0 }
}

/// The place of a counter in a cell: 0 is the count of events, i + 1 is the metric's sum i; firsts follow.
package struct MeasureIndex: Hashable, Sendable, Comparable, Codable {
    /// 0 to the number of sums and firsts, and one more if events of proved identifiers are counted apart.
    package let value: Int16
    package init(_ value: Int16) { self.value = value }
    package static let count = MeasureIndex(0)
    package static func sum(_ place: Int) -> MeasureIndex { MeasureIndex(Int16(place) + 1) }
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}

/// The mapping of one margin's cells to those of a coarser one: divisions, weights and one small table.
///
/// - Complexity: O(kept dimensions) a cell, without allocation.
package struct CellProjection: Sendable {
    private let steps: [Step]
    /// The bucket of a coarser dimension for each bucket of its base dimension; the dimensions follow one another.
    private let table: [UInt32]
    private let isIdentity: Bool

    private struct Step: Sendable {
        /// The number of cells of the finer margin from one bucket to the next.
        let stride: UInt32
        let size: UInt32
        /// The number of cells of the coarser margin from one bucket to the next.
        let weight: UInt32
        /// The start of the step's part of the table; nil if a bucket stays what it is.
        let translation: Int?
    }

    init(_ dimensions: [MetricLayout.DimensionLayout], from finer: Margin, to coarser: Margin, keepsCells: Bool) {
        isIdentity = keepsCells
        var strides: [UInt32] = Array(repeating: 0, count: dimensions.count)
        var stride: UInt32 = 1
        for place in dimensions.indices.reversed() where finer.keeps(place) {
            strides[place] = stride
            stride *= UInt32(dimensions[place].labels.count)
        }
        var steps: [Step] = []
        var table: [UInt32] = []
        var weight: UInt32 = 1
        for place in dimensions.indices.reversed() where coarser.keeps(place) {
            let dimension = dimensions[place]
            var source = place
            var translation: Int?
            if !finer.keeps(place), let coarsening = dimension.coarsening {
                source = coarsening.place
                translation = table.count
                table += coarsening.buckets.map { UInt32($0) }
            }
            precondition(finer.keeps(source), "a margin can't be projected to one that keeps more")
            let size = UInt32(dimensions[source].labels.count)
            steps.append(Step(stride: strides[source], size: size, weight: weight, translation: translation))
            weight *= UInt32(dimension.labels.count)
        }
        self.steps = steps
        self.table = table
    }

    /// Returns the coarser margin's cell that holds a cell of the finer one.
    package func callAsFunction(_ cell: CellIndex) -> CellIndex {
        if isIdentity { return cell }
        var result: UInt32 = 0
        // By places: an iterator would count a reference to the steps, which all threads share.
        for place in steps.indices {
            let step = steps[place]
            let bucket = cell.value / step.stride % step.size
            result += (step.translation.map { table[$0 + Int(bucket)] } ?? bucket) * step.weight
        }
        return CellIndex(result)
    }
}

extension MetricLayout {
    /// The margin that keeps every base dimension; counters are kept for its cells.
    package var leaf: Margin { trackedMargins[0] }

    /// The base dimensions that partition devices.
    package var partition: Margin { dimensions.partition }

    /// Returns the margin whose distinct identifiers prove the floors of a grouping: it keeps the partition, too, and
    /// of dimensions made of each other the finer one.
    package func trackedMargin(for grouping: Margin) -> Margin { dimensions.trackedMargin(for: grouping) }

    /// True if every cell of `finer` lies within one cell of `coarser`; a base dimension refines those made of it.
    package func refines(_ finer: Margin, _ coarser: Margin) -> Bool {
        dimensions.indices.allSatisfy { place in
            guard coarser.keeps(place), !finer.keeps(place) else { return true }
            return dimensions[place].coarsening.map { finer.keeps($0.place) } ?? false
        }
    }

    package func size(of margin: Margin) -> Int {
        dimensions.indices.reduce(1) { margin.keeps($1) ? $0 * dimensions[$1].labels.count : $0 }
    }

    /// Returns the mapping of a margin's cells to those of a coarser one. The cells of a leaf's rungs are one cell.
    ///
    /// - Precondition: `refines(finer, coarser)`.
    package func projection(from finer: Margin, to coarser: Margin) -> CellProjection {
        CellProjection(dimensions, from: finer, to: coarser, keepsCells: finer == coarser && rungs == nil)
    }

    /// Returns the buckets of a cell, one per kept dimension, as indices into their labels.
    package func buckets(of cell: CellIndex, in margin: Margin) -> [Int] {
        var rest = Int(cell.value)
        var result: [Int] = []
        for place in dimensions.indices.reversed() where margin.keeps(place) {
            let size = dimensions[place].labels.count
            result.append(rest % size)
            rest /= size
        }
        return result.reversed()
    }

    /// Returns the cell that these buckets name, one per kept dimension.
    package func cell(buckets: [Int], in margin: Margin) -> CellIndex {
        var result = 0
        var next = 0
        for place in dimensions.indices where margin.keeps(place) {
            result = result * dimensions[place].labels.count + buckets[next]
            next += 1
        }
        return CellIndex(UInt32(result))
    }

    /// Returns the instant at which a period is due for its release: its end and the grace are over and, where
    /// identifiers are counted, its windows are closed. Those of an earlier plan may be longer than the grace.
    ///
    /// - Parameter end: the instant at which the period is over.
    package func due(periodEnding end: UnixSeconds, grace: Duration) -> UnixSeconds {
        let due = end + grace.components.seconds
        guard within != nil else { return due }
        let last = rotation.start(of: rotation.window(at: end - 1))
        return max(due, last + 2 * rotation.seconds + Plan.closingSlack.components.seconds)
    }

    /// Returns the periods that the metric counts by within a longer one, in their order.
    package func periods(in longer: Period) -> [Period] {
        guard let calendar = PeriodCalendar(timeZone: timeZone) else { return [] }
        var found: [Period] = []
        var next = calendar.period(period, containing: longer.start)
        while next.end <= longer.end {
            found.append(next)
            next = calendar.period(period, containing: next.end)
        }
        return found
    }
}

extension [MetricLayout.DimensionLayout] {
    fileprivate var partition: Margin {
        Margin(keeping: indices.filter { self[$0].partitionsDevices && self[$0].coarsening == nil })
    }

    /// Returns ``MetricLayout/trackedMargin(for:)``, for a layout that is not complete yet.
    func trackedMargin(for grouping: Margin) -> Margin {
        let all = grouping.union(partition)
        return Margin(
            keeping: indices.filter { place in
                all.keeps(place) && !(self[place].coarsening.map { all.keeps($0.place) } ?? false)
            })
    }
}
