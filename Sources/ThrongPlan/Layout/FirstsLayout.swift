/// Which firsts a metric counts (`reach: client`): one more counter of its leaf cells a length of time and grouping.
///
/// Clients say of an event for which groupings it is the device's first in an hour, day, week or month. A device has one
/// first a period, grouping and cell of it, in whichever leaf it happened to begin; so the firsts of a grouping's cell,
/// added over its leaves and the periods that a longer one is made of, are the devices of that cell.
package struct FirstsLayout: Hashable, Sendable, Codable {
    /// The metric's own period, then its rollups.
    package let periods: [PeriodKind]
    /// The groupings that a release shows, ascending.
    package let groupings: [Margin]

    /// Puts a layout of firsts together.
    package init(periods: [PeriodKind], groupings: [Margin]) {
        self.periods = periods
        self.groupings = groupings
    }

    /// How many counters of a leaf cell that makes; at most ``FirstSet/most``.
    package var count: Int { periods.count * groupings.count }

    /// The counter of a length of time (by its place in ``periods``) and a grouping (by its place in ``groupings``).
    package func place(period: Int, grouping: Int) -> Int { period * groupings.count + grouping }

    /// Where the counters of a length of time lie, a grouping each; nil where its firsts are not counted.
    package func places(of period: PeriodKind) -> Range<Int>? {
        periods.firstIndex(of: period).map { $0 * groupings.count..<($0 + 1) * groupings.count }
    }
}
