package import ThrongWire

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

extension MetricLayout {
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
