package import ThrongPlan
internal import ThrongRelease

/// What a release shows of one grouping. For operators only: how many of its withheld numbers are publishable tells how many
/// are small.
package struct GroupingYield: Sendable, Hashable {
    /// The dimensions that it keeps.
    package let dimensions: [DimensionName]
    /// Numbers that left.
    package let published: Int
    /// Of these, together. Unit: events.
    package let publishedEvents: Int64
    /// Events of the metric; nil where the total is withheld and counters have gone.
    package let events: Int64?
    /// Numbers that stand for k devices and were withheld for another's sake; nil where nobody knows any more.
    package let hidden: Int?
    /// Of these, together. Unit: events; nil where nobody knows any more.
    package let hiddenEvents: Int64?

    /// Under what share of its events a grouping costs proofs and gives nothing.
    package static let least = 0.1

    /// The share of its events that it shows; nil where nobody knows how many there are.
    package var share: Double? { Self.share(publishedEvents, of: events) }

    /// The share of its publishable events that it shows: those in numbers that stand for k devices; nil where nobody knows.
    package var publishableShare: Double? {
        Self.share(publishedEvents, of: hiddenEvents.map { publishedEvents.addedClamped($0) })
    }

    /// Whether hardly any of its events are shown.
    package var isPoor: Bool { share.map { $0 < Self.least } ?? false }

    /// Whether hardly any are shown because most are in small numbers, so that no protection is to blame.
    var isHopeless: Bool {
        guard isPoor, let events, let hiddenEvents else { return false }
        return publishedEvents.addedClamped(hiddenEvents) < events / 2
    }

    private static func share(_ part: Int64, of whole: Int64?) -> Double? {
        guard let whole, whole > 0 else { return nil }
        return Double(part) / Double(whole)
    }
}
