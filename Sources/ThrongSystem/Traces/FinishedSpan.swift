internal import Tracing

/// A span that is over, as far as it may be told: names and facts of the closed lists, and nothing else.
package struct FinishedSpan: Sendable {
    /// The value of a fact.
    enum Value: Sendable, Hashable {
        case number(Int64)
        case text(String)
    }

    let name: SpanName
    let trace: (UInt64, UInt64)
    let span: UInt64
    let parent: UInt64?
    /// The kind, as OTLP numbers it.
    let kind: Int
    /// Unit: nanoseconds since 1970.
    let began: UInt64
    let ended: UInt64
    /// The facts, in the order of their names.
    let facts: [(fact: SpanFact, value: Value)]
    let isFailed: Bool

    /// Longer texts are none of a plan's names.
    private static let longestText = 256

    /// Nil for a span that no list has.
    init?(
        name: String, trace: (UInt64, UInt64), span: UInt64, parent: UInt64?, kind: SpanKind, began: UInt64,
        ended: UInt64, attributes: SpanAttributes, isFailed: Bool
    ) {
        guard let name = SpanName(rawValue: name) else { return nil }
        self.name = name
        self.trace = trace
        self.span = span
        self.parent = parent
        self.kind =
            switch kind {
            case .internal: 1
            case .server: 2
            case .client: 3
            case .producer: 4
            case .consumer: 5
            }
        self.began = began
        self.ended = ended
        self.isFailed = isFailed
        var facts: [(fact: SpanFact, value: Value)] = []
        attributes.forEach { key, value in
            guard let fact = SpanFact(rawValue: key) else { return }
            switch value {
            case .int64(let number): facts.append((fact, .number(number)))
            case .string(let text) where text.utf8.count <= Self.longestText: facts.append((fact, .text(text)))
            default: break
            }
        }
        self.facts = facts.sorted { $0.fact.rawValue < $1.fact.rawValue }
    }
}
