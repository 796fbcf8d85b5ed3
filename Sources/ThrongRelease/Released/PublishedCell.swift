public import ThrongPlan

/// A number that may leave the house: it stands for at least k devices.
///
/// Only a ``Release`` makes one.
public struct PublishedCell: Sendable, Hashable {
    /// Which dimensions are kept.
    public let margin: Margin
    /// Which cell of that margin.
    public let cell: CellIndex
    /// Unit: events.
    public let count: Int64
    /// One a sum of the metric. Unit: 10^-decimals of the sum's unit.
    public let sums: [Int64]
    /// The floor, where the metric publishes reach. Unit: devices.
    public let reach: DeviceFloor?
    /// The devices that said that this was their first, where clients are asked to. Unit: devices.
    public let firsts: Int64?

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
