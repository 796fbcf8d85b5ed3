package import ThrongPlan

/// A period of a layout that has been released: late events count into the open one.
package struct ClosedPeriod: Hashable, Sendable {
    /// The layout.
    package let layout: LayoutID
    /// First second of the period. Unit: Unix seconds.
    package let periodStart: Int64

    /// Names a period of a layout.
    package init(layout: LayoutID, periodStart: Int64) {
        self.layout = layout
        self.periodStart = periodStart
    }
}
