package import ThrongWire

/// The context of a presentation, as bytes that can't be read in two ways: see ``ContextParts``.
///
/// The parts of a window are `throng-arc-1`, `window`, app, purpose and the window's number. Those of a first are
/// `throng-arc-1`, `first`, app, metric, what the public plan calls the metric's layout, the period's kind and its
/// first second, and then dimension and bucket for each of the grouping, in the order of the dimensions' names. Names
/// are UTF-8; numbers are eight bytes, the highest first, in two's complement.
package struct PresentationContext: Sendable, Hashable {
    /// The bytes that go into ``Credential/present(for:)``, and into the daemon's check.
    package let bytes: [UInt8]

    /// Returns the context of a purpose's window, in which a credential has one identifier.
    package static func window(
        _ window: WindowNumber, of purpose: PurposeName, app: AppName
    ) throws(AttestationError) -> PresentationContext {
        PresentationContext(bytes: try ContextParts.bytes(["window", app.text, purpose.text], window.value))
    }

    /// Returns the context in which a device proves, once, that it is in a cell of a metric's grouping in a period. The
    /// cell is the dimensions with their buckets, none of which partitions devices; the layout is the public plan's.
    package static func first(
        in cell: [DimensionName: BucketLabel], of metric: MetricName, layout: String, period: Period,
        app: AppName
    ) throws(AttestationError) -> PresentationContext {
        let buckets = cell.sorted { $0.key < $1.key }.flatMap { [$0.key.text, $0.value.text] }
        return PresentationContext(
            bytes: try ContextParts.bytes(
                ["first", app.text, metric.text, layout, period.kind.rawValue], period.start.value, buckets))
    }
}
