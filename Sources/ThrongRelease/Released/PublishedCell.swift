package import ThrongPlan

/// A number that may leave the house: it stands for at least k devices.
///
/// Only a ``Release`` makes one: by deciding, or from the ledger's rows.
package struct PublishedCell: Sendable, Hashable {
    package let margin: Margin
    package let cell: CellIndex
    /// Unit: events.
    package let count: Int64
    /// The values of the metric's sums, in their order. Unit: 10^-decimals of the sum's unit.
    package let sums: [Int64]
    /// The floor, if the metric publishes reach. Unit: devices.
    package let reach: DeviceFloor?
    /// The devices that said that this was their first, if clients are asked to. Unit: devices.
    package let firsts: Int64?
}
