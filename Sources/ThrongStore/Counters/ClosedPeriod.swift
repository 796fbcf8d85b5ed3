public import ThrongPlan

/// A period of one layout that was released: late events count into the next open one.
public struct ClosedPeriod: Hashable, Sendable {
    /// The layout.
    public let layout: LayoutID
    /// First second of the period. Unit: Unix seconds.
    public let periodStart: Int64

    /// Puts the pair together.
    public init(layout: LayoutID, periodStart: Int64) {
        self.layout = layout
        self.periodStart = periodStart
    }
}
