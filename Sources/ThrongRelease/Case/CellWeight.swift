package import ThrongPlan

/// What it is worth to publish a number: of several that could protect a small one, the cheapest is withheld.
package struct CellWeight: Sendable, Hashable, Comparable {
    /// Unit: none; numbers of one release are compared.
    package let value: Int64

    /// Weighs a number as a release does.
    ///
    /// - Parameters:
    ///   - margin: the dimensions that it is split by.
    ///   - events: that it counts.
    ///   - isPreferred: whether a report shows its grouping.
    ///   - isRest: whether it is of what has no bucket of its own.
    ///   - wasPublished: whether it was published of the period before; nil where nothing was.
    package init(of margin: Margin, events: Int64, isPreferred: Bool, isRest: Bool, wasPublished: Bool?) {
        value = CaseTable.usefulness(
            of: margin, events: events, isPreferred: isPreferred, isRest: isRest, wasPublished: wasPublished)
    }

    /// Orders by worth.
    package static func < (left: Self, right: Self) -> Bool { left.value < right.value }
}
