package import ThrongPlan

/// What leaves the house, and why the rest stays.
package struct ReleaseDecision: Sendable {
    /// What leaves.
    package let release: Release
    /// The occupied cells of the release's groupings that stay, by margin, then by cell. For operators only: it tells
    /// small cells from empty ones.
    package let withheld: [WithheldCell]
    /// What the work came to.
    package internal(set) var summary: Summary

    /// Figures of one decision.
    package struct Summary: Sendable, Hashable {
        /// Cells of the whole universe that must not become known.
        package let sensitive: Int
        /// Cells of the release's groupings that are withheld for another cell's sake.
        package let complementary: Int
        /// Sensitive cells with a proof that they may be k or more, before anything was coarsened.
        package let proved: Int
        /// Cells that what was published before gives away; nothing decided now could protect them.
        package let givenAway: Int
        /// What is published of the numbers that could be, by how many dimensions they are split by. For operators only: with
        /// the number of withheld ones it says how many of these are small.
        package let levels: [Level]
        /// What the verification did not look at a second time.
        package let unexamined: Unexamined
        /// How often the verification refused what was decided; then finer groupings were left out.
        package internal(set) var refusals = 0
        /// What the decision took. Unit: seconds.
        package let seconds: Double

        /// A release with margins: no cell is withheld for another's sake, and nothing is proved.
        static let none = Summary(
            sensitive: 0, complementary: 0, proved: 0, givenAway: 0, levels: [], unexamined: Unexamined(), seconds: 0)
    }
}

extension ReleaseDecision {
    /// What the verification did not look at a second time, for want of time or because it was too much: the search before it
    /// had looked, or withheld what it had no time for.
    package struct Unexamined: Sendable, Hashable, Encodable {
        /// Published numbers, tied metrics' among them, not held against all others.
        package var numbers = 0
        /// Independent parts of the table in which not all unions of small leaves were gone through.
        package var parts = 0
        /// Bounds of sensitive cells by bands and a sum together, of which no table in whole fractions was found.
        package var bounds = 0

        /// Nothing.
        package init() {}

        /// Whether all was looked at.
        package var isEmpty: Bool { self == Unexamined() }
    }

    /// The publishable numbers that are split by so many dimensions: those of no small or dominated cell.
    package struct Level: Sendable, Hashable, Encodable {
        /// By how many dimensions; 0 is the total.
        package let dimensions: Int
        /// Numbers that are published, or withheld for another's sake.
        package fileprivate(set) var publishable = 0
        /// Of these, published.
        package fileprivate(set) var published = 0
        /// Of the publishable numbers together; an event is in several of them.
        package fileprivate(set) var publishableEvents: Int64 = 0
        /// Of the published ones.
        package fileprivate(set) var publishedEvents: Int64 = 0

        /// Counts nothing yet.
        package init(dimensions: Int) { self.dimensions = dimensions }

        /// Counts a publishable number in.
        mutating func add(events: Int64, isPublished: Bool) {
            publishable += 1
            publishableEvents = publishableEvents.addedClamped(events)
            guard isPublished else { return }
            published += 1
            publishedEvents = publishedEvents.addedClamped(events)
        }
    }
}

/// A number that stays in the house.
package struct WithheldCell: Sendable, Hashable {
    /// Which dimensions are kept.
    package let margin: Margin
    /// Which cell of that margin.
    package let cell: CellIndex
    /// Why.
    package let reason: WithholdingReason

    /// Puts one together.
    package init(margin: Margin, cell: CellIndex, reason: WithholdingReason) {
        self.margin = margin
        self.cell = cell
        self.reason = reason
    }
}

/// Why a number stays in the house.
package enum WithholdingReason: Sendable, Hashable {
    /// Fewer than k devices are proved behind it.
    case small(floor: DeviceFloor)
    /// It has k devices or more, and the number that was drawn for them is less than its margin above k.
    case nearThreshold
    /// Fewer than k devices say that they are in it, though its floor reaches k. Unit: devices.
    case fewFirsts(Int64)
    /// One or two devices make up too much of its events or of one of its sums, or one kind of two that a sum tells apart
    /// is that of too few.
    case dominated
    /// With numbers that are more useful it would let this cell be computed.
    case reveals(CellAddress)
    /// With numbers that are more useful it would prove a cell to be small.
    case bounds(CellAddress?)
    /// With it, what is unknown below this cell would stand for fewer than k devices.
    case leavesSmallRest(CellAddress)
    /// It would relate cells of single devices, each of which knows its own part.
    case relatesSingleDevices
    /// Its number of devices would give away another cell's.
    case revealsDevices
    /// With what metrics that count the same events published, it would give a cell of theirs or of its own away.
    case revealsTied
    /// No proof was found in time for a cell that it touches.
    case coarsened
    /// Hardly any of its grouping's events are in cells that could be published, or the verification refused what was chosen
    /// of it, so none of it is.
    case leftOut
}
