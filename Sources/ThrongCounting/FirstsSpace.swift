internal import ThrongPlan

/// How a metric's firsts are counted: where its counters lie, which cell of a grouping a leaf is in, and which firsts
/// are the same.
final class FirstsSpace: Sendable {
    let layout: FirstsLayout
    private let calendar: PeriodCalendar
    /// By grouping.
    private let projections: [CellProjection]
    /// Tells firsts apart from tracked cells and from those of other metrics under one identifier.
    private let seed: UInt64

    /// Nil where the metric counts no firsts.
    init?(_ metric: MetricLayout, seed: UInt64) {
        guard let firsts = metric.firsts else { return nil }
        layout = firsts
        calendar = PeriodCalendar(timeZone: metric.timeZone) ?? .utc
        projections = firsts.groupings.map { metric.projection(from: metric.leaf, to: $0) }
        self.seed = seed
    }

    /// What an identifier says once in its window: a first of this counter, in this cell of its grouping and period.
    func hash(_ place: Int, _ addition: CountedBatch.Addition, by identifier: KeyedIdentifier) -> UInt64 {
        let cell = projections[place % layout.groupings.count](addition.cell)
        let word = seed &+ UInt64(place + 1) &* 0xA24B_AED4_963E_E407 &+ UInt64(cell.value)
        return identifier.hash(with: word, UInt64(bitPattern: addition.periodStart.value))
    }

    /// What is left of an event's firsts when it counts into another period: those of lengths of time that hold both.
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
    /// The firsts that an identifier has not said yet in this window; says them.
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
