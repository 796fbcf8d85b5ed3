package import ThrongPlan

/// The margins of error of a release's numbers, and their cost.
package struct ReleaseMargins: Sendable, Hashable, Codable {
    /// The ρ of zero-concentrated differential privacy: the most that one device adds to everything that was drawn for
    /// the release; for a purpose without identifiers, the most that one event adds. A decimal number, rounded up.
    package let cost: String
    /// The margins in the release's order of groupings.
    package let groupings: [Grouping]
    /// The squares of the noise's widths by measure, the count first and devices last. A sum over a longer period needs
    /// them to draw the same noise again. Unit: devices, squared.
    let squares: [Int64]
    /// Each event's senders and time in the period, kept for the same reason; nil if nobody kept that.
    package let events: [String: String]?

    /// Half-widths: 19 of 20 published numbers of a grouping lie within them.
    package struct Grouping: Sendable, Hashable, Codable {
        /// The half-width of the count. Unit: events.
        package let count: Int64
        /// The half-widths of the sums, in their order. Unit: 10^-decimals of the sum's unit.
        package let sums: [Int64]
        /// The half-width of numbers of devices; nil without identifiers. Unit: devices.
        package let devices: Int64?

        package init(count: Int64, sums: [Int64], devices: Int64?) {
            (self.count, self.sums, self.devices) = (count, sums, devices)
        }
    }

    package init(cost: String, groupings: [Grouping]) {
        self.init(cost: cost, groupings: groupings, squares: [], events: nil)
    }

    init(cost: String, groupings: [Grouping], squares: [Int64], events: [String: String]?) {
        (self.cost, self.groupings, self.squares, self.events) = (cost, groupings, squares, events)
    }

    /// Returns the same margins without the groupings that age took.
    func keeping(_ kept: [Bool]) -> ReleaseMargins {
        ReleaseMargins(
            cost: cost, groupings: zip(groupings, kept).filter(\.1).map(\.0), squares: squares, events: events)
    }
}

extension ReleaseHeader {
    /// Returns the half-width within which 19 of 20 numbers of a grouping lie; nil if they are exact. Unit: the
    /// measure's.
    ///
    /// - Parameter measure: 0 is the count; then the sums.
    package func margin(of grouping: Margin, measure: Int = 0) -> Int64? {
        guard let stated = margins(of: grouping) else { return nil }
        return measure == 0 ? stated.count : stated.sums[measure - 1]
    }

    /// Returns the half-width of a grouping's numbers of devices; nil if they are exact. Unit: devices.
    package func deviceMargin(of grouping: Margin) -> Int64? { margins(of: grouping)?.devices }

    private func margins(of grouping: Margin) -> ReleaseMargins.Grouping? {
        groupings.firstIndex(of: grouping).flatMap { margins?.groupings[$0] }
    }
}
