package import ThrongWire

/// The context of a presentation, as bytes that can't be read in two ways: each part follows its length, two bytes, the
/// highest first.
///
/// The parts of a window are `throng-arc-1`, `window`, app, purpose and the window's number. Those of a first are
/// `throng-arc-1`, `first`, app, metric, what the public plan calls the metric's layout, the period's kind and its
/// first second, and then dimension and bucket for each of the grouping, in the order of the dimensions' names. Names
/// are UTF-8; numbers are eight bytes, the highest first, in two's complement.
package struct PresentationContext: Sendable, Hashable {
    /// The bytes that go into ``Credential/present(for:)``, and into the daemon's check.
    package let bytes: [UInt8]

    /// Returns the context of a purpose's window, in which a credential has one identifier.
    ///
    /// - Throws: ``AttestationError/contextPart(found:)`` for a name of more than 65,535 bytes.
    package static func window(
        _ window: WindowNumber, of purpose: PurposeName, app: AppName
    ) throws(AttestationError) -> PresentationContext {
        try PresentationContext(
            parts: [text(name), text("window"), text(app.text), text(purpose.text), number(window.value)])
    }

    /// Returns the context in which a device proves, once, that it is in a cell of a metric's grouping in a period.
    ///
    /// - Parameters:
    ///   - cell: the grouping's dimensions, each with its bucket; empty for the total. None of them partitions devices.
    ///   - layout: as the public plan has it: a plan that counts anything else has another one.
    /// - Throws: ``AttestationError/contextPart(found:)`` for a name or a bucket of more than 65,535 bytes.
    package static func first(
        in cell: [DimensionName: BucketLabel], of metric: MetricName, layout: String, period: Period,
        app: AppName
    ) throws(AttestationError) -> PresentationContext {
        var parts = [text(name), text("first"), text(app.text), text(metric.text), text(layout)]
        parts += [text(period.kind.rawValue), number(period.start.value)]
        for (dimension, bucket) in cell.sorted(by: { $0.key < $1.key }) {
            parts += [text(dimension.text), text(bucket.text)]
        }
        return try PresentationContext(parts: parts)
    }

    private init(parts: [[UInt8]]) throws(AttestationError) { bytes = try ContextParts.bytes(parts) }

    private static let name = ContextParts.name

    private static func text(_ text: String) -> [UInt8] { ContextParts.text(text) }

    private static func number(_ value: Int64) -> [UInt8] { ContextParts.number(value) }
}
