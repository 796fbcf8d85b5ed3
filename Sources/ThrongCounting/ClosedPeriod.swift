public import ThrongPlan

/// A period of a layout that has been released: late events count into the open one.
public struct ClosedPeriod: Hashable, Sendable {
    /// The layout.
    public let layout: LayoutID
    /// First second of the period. Unit: Unix seconds.
    public let periodStart: Int64

    /// Names a period of a layout.
    public init(layout: LayoutID, periodStart: Int64) {
        self.layout = layout
        self.periodStart = periodStart
    }
}
