/// A name from the plan, of one kind of thing: names of metrics and names of dimensions can't be mixed up.
///
/// - Shape: 1 to 63 characters of `a-z`, `0-9` and `_`, starting with a letter; the plan's reader enforces it.
public struct Name<Thing>: Hashable, Sendable, Comparable {
    /// The name as written in the plan.
    public let text: String

    /// Wraps a name that is already known to be well formed.
    public init(_ text: String) { self.text = text }

    /// Orders names by their UTF-8 bytes.
    public static func < (left: Self, right: Self) -> Bool { left.text.utf8.lexicographicallyPrecedes(right.text.utf8) }
}

extension Name: CustomStringConvertible {
    /// The bare name.
    public var description: String { text }
}

extension Name: ExpressibleByStringLiteral {
    /// A name written in source, mostly in tests.
    public init(stringLiteral value: String) { self.init(value) }
}

extension Name: Codable {
    /// Reads the bare string.
    public init(from decoder: any Decoder) throws { self.init(try String(from: decoder)) }

    /// Writes the bare string.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}

/// The name of an app.
public typealias AppName = Name<NamedThing.App>
/// The name of a purpose.
public typealias PurposeName = Name<NamedThing.Purpose>
/// The name of a dimension.
public typealias DimensionName = Name<NamedThing.Dimension>
/// The name of a metric.
public typealias MetricName = Name<NamedThing.Metric>
/// The name of a partner.
public typealias PartnerName = Name<NamedThing.Partner>
/// The name of an event, as clients send it.
public typealias EventName = Name<NamedThing.Event>
/// The name of an event's field, as clients send it.
public typealias FieldName = Name<NamedThing.Field>

/// Tags for ``Name``: the things of a plan that both sides of the wire name.
public enum NamedThing {
    /// Tags ``AppName``.
    public enum App {}
    /// Tags ``PurposeName``.
    public enum Purpose {}
    /// Tags ``DimensionName``.
    public enum Dimension {}
    /// Tags ``MetricName``.
    public enum Metric {}
    /// Tags ``PartnerName``.
    public enum Partner {}
    /// Tags ``EventName``.
    public enum Event {}
    /// Tags ``FieldName``.
    public enum Field {}
}

extension FieldName {
    /// The event's own time, which every event has.
    public static let time: FieldName = "at"

    /// The event's own name, which every event has: a dimension over it splits a metric that counts several events.
    public static let event: FieldName = "event"
}
