package import ThrongWire

package typealias InsightName = Name<Insight>

/// An agreed question that the daemon answers from released numbers only, so that nobody needs the data.
package struct Insight: Sendable, Hashable {
    package let name: InsightName
    package internal(set) var title: String
    package internal(set) var explanation: String?
    package let metric: MetricName
    package let kind: Kind
    /// The dimensions that the insight is broken down by; at most two.
    package var by: [DimensionName]
    /// The buckets that the insight is confined to: dimension and one bucket each, in the plan's order.
    package let filters: [Filter]
    package var view: View = .table

    /// A computation on the released cells.
    package enum Kind: Sendable, Hashable {
        case count
        /// Devices, by the floor.
        case reach
        /// Part over whole: each bucket's share of the cell without the split, or the share of the part's bucket.
        case share(of: Basis, part: Filter?)
        /// A clipped sum over the events.
        case mean(sum: String)
        /// Events over the bands of the metric's histogram.
        case distribution
        /// Values below which given parts of the events lie, read from the metric's histogram.
        case quantiles(at: [Quantile])
        /// Answers of devices by the week in which they came back, as parts of week 0's.
        case retention(week: DimensionName)
        /// Devices by how often they did something, as they answer, or identifiers by how often within a window.
        case frequency(band: DimensionName)
        /// Identifiers that took each step within a window, as parts of those that took the one before and the first.
        case funnel(step: DimensionName)
    }

    /// A form in which an insight's numbers are shown.
    package enum View: Sendable, Hashable {
        /// All of them, in the plan's order.
        case table
        /// The largest ones, the others together.
        case ranking(top: Int)
        /// Each beside those of earlier periods.
        case change(against: [Reference])
        /// Those of the last so many periods, this one included.
        case trend(periods: Int)
    }

    package enum Reference: String, Sendable, Hashable, CaseIterable, Codable {
        /// The period before: of Tuesday, Monday.
        case periodBefore = "period_before"
        /// The same hour or day a week before: of Tuesday, last week's Tuesday.
        case weekBefore = "week_before"
        /// 52 weeks before, on the same weekday; of a month, the same month a year before.
        case yearBefore = "year_before"
    }

    /// The things that a share counts.
    package enum Basis: String, Sendable, Hashable, CaseIterable, Codable {
        case events
        case devices
    }

    package struct Filter: Sendable, Hashable {
        package let dimension: DimensionName
        package let bucket: BucketLabel

        package init(dimension: DimensionName, bucket: BucketLabel) {
            (self.dimension, self.bucket) = (dimension, bucket)
        }
    }
}

/// The part of events that lie below a value: a half for the median.
package struct Quantile: Sendable, Hashable, Comparable, CustomStringConvertible {
    /// 1 to 999. Unit: thousandths.
    package let perMille: Int

    package static let median = Quantile(perMille: 500)

    package init(perMille: Int) { self.perMille = perMille }

    /// The part as plans and tables write it: "0.5", "0.95", "0.999".
    package var description: String {
        var digits = String(1000 + perMille).dropFirst()
        while digits.hasSuffix("0") { digits = digits.dropLast() }
        return "0.\(digits)"
    }

    package static func < (left: Self, right: Self) -> Bool { left.perMille < right.perMille }
}
