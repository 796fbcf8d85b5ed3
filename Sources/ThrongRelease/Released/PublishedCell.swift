package import ThrongPlan

/// A number that may leave the house: it stands for at least k devices.
///
/// Only a ``Release`` makes one: by deciding, or from the ledger's rows.
package struct PublishedCell: Sendable, Hashable {
    /// Which dimensions are kept.
    package let margin: Margin
    /// Which cell of that margin.
    package let cell: CellIndex
    /// Unit: events.
    package let count: Int64
    /// One a sum of the metric. Unit: 10^-decimals of the sum's unit.
    package let sums: [Int64]
    /// The floor, where the metric publishes reach. Unit: devices.
    package let reach: DeviceFloor?
    /// The devices that said that this was their first, where clients are asked to. Unit: devices.
    package let firsts: Int64?

    init(
        margin: Margin, cell: CellIndex, count: Int64, sums: [Int64], reach: DeviceFloor?, firsts: Int64? = nil
    ) {
        self.margin = margin
        self.cell = cell
        self.count = count
        self.sums = sums
        self.reach = reach
        self.firsts = firsts
    }
}
