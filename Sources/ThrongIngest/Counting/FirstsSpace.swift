internal import ThrongPlan

/// The counting of a metric's firsts: the places of its counters, the cell of a grouping that a leaf is in, and the equality of firsts.
final class FirstsSpace: Sendable {
    let layout: FirstsLayout
    private let calendar: PeriodCalendar
    /// The projections of leaf cells, by grouping.
    private let projections: [CellProjection]
    /// A number that tells firsts apart from tracked cells and from firsts of other metrics under one identifier.
    private let seed: UInt64

    /// Returns nil if the metric counts no firsts.
    init?(_ metric: MetricLayout, _ calendar: PeriodCalendar, seed: UInt64) {
        guard let firsts = metric.firsts else { return nil }
        layout = firsts
        self.calendar = calendar
        projections = firsts.groupings.map { metric.projection(from: metric.leaf, to: $0) }
        self.seed = seed
    }

    /// Returns the hash of a first that an identifier may claim once in its window, by counter, cell of its grouping and period.
    func hash(_ place: Int, _ addition: CountedBatch.Addition, by identifier: KeyedIdentifier) -> UInt64 {
        let cell = projections[place % layout.groupings.count](addition.cell)
        let word = seed &+ UInt64(place + 1) &* 0xA24B_AED4_963E_E407 &+ UInt64(cell.value)
        return identifier.hash(with: word, UInt64(bitPattern: addition.periodStart.value))
    }

    /// Returns an event's firsts that still hold if it counts into another period: those of calendar periods that contain both.
    func kept(_ firsts: FirstSet, from start: UnixSeconds, to other: UnixSeconds) -> FirstSet {
        layout.periods.reduce(.none) { kept, kind in
            guard let places = layout.places(of: kind),
                calendar.period(kind, containing: start) == calendar.period(kind, containing: other)
            else { return kept }
            return kept.union(firsts.intersection(places))
        }
    }
}

extension OpenWindow {
    /// Adds an addition's firsts that the identifier has not claimed in this window; returns them.
    mutating func newFirsts(
        of addition: CountedBatch.Addition, in space: FirstsSpace, by identifier: KeyedIdentifier
    ) -> FirstSet {
        var new = FirstSet.none
        for place in addition.firsts where pairs.insert(space.hash(place, addition, by: identifier)) {
            new.insert(place)
        }
        return new
    }
}
