package import ThrongPlan

/// How far off the numbers of a release may be, and what they cost.
package struct ReleaseMargins: Sendable, Hashable, Codable {
    /// ρ of zero-concentrated differential privacy: what one device adds to everything that was drawn for the release, at most; of
    /// a purpose without identifiers, one event. A decimal number, rounded up.
    package let cost: String
    /// In the release's order of groupings.
    package let groupings: [Grouping]
    /// By measure, the count first, then of devices: the squares of the widths of noise, so that a sum over a longer period draws the
    /// same again. Unit: devices, squared.
    let squares: [Int64]
    /// By event, of whom and when it was counted, for the same purpose; nil where nobody kept that.
    package let events: [String: String]?

    /// Half-widths: 19 of 20 published numbers of a grouping lie within them.
    package struct Grouping: Sendable, Hashable, Codable {
        /// Unit: events.
        package let count: Int64
        /// One a sum. Unit: 10^-decimals of the sum's unit.
        package let sums: [Int64]
        /// Nil without identifiers. Unit: devices.
        package let devices: Int64?

        /// States margins.
        package init(count: Int64, sums: [Int64], devices: Int64?) {
            (self.count, self.sums, self.devices) = (count, sums, devices)
        }
    }

    /// States the margins of a release.
    package init(cost: String, groupings: [Grouping]) {
        self.init(cost: cost, groupings: groupings, squares: [], events: nil)
    }

    init(cost: String, groupings: [Grouping], squares: [Int64], events: [String: String]?) {
        (self.cost, self.groupings, self.squares, self.events) = (cost, groupings, squares, events)
    }

    /// The same without groupings that age took.
    func keeping(_ kept: [Bool]) -> ReleaseMargins {
        ReleaseMargins(
            cost: cost, groupings: zip(groupings, kept).filter(\.1).map(\.0), squares: squares, events: events)
    }
}

extension ReleaseHeader {
    /// The half-width within which 19 of 20 numbers of a grouping lie; nil where they are exact. Unit: the measure's.
    ///
    /// - Parameter measure: 0 is the count; then the sums.
    package func margin(of grouping: Margin, measure: Int = 0) -> Int64? {
        guard let stated = margins(of: grouping) else { return nil }
        return measure == 0 ? stated.count : stated.sums[measure - 1]
    }

    /// The half-width of a grouping's numbers of devices; nil where they are exact. Unit: devices.
    package func deviceMargin(of grouping: Margin) -> Int64? { margins(of: grouping)?.devices }

    private func margins(of grouping: Margin) -> ReleaseMargins.Grouping? {
        groupings.firstIndex(of: grouping).flatMap { margins?.groupings[$0] }
    }
}
