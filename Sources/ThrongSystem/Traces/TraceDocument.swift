internal import Foundation

/// Spans as OTLP has them in JSON (opentelemetry-proto 1.x, `ExportTraceServiceRequest`): identifiers in hexadecimal,
/// 64-bit numbers as texts.
struct TraceDocument: Encodable {
    struct Resources: Encodable {
        let resource: Facts
        let scopeSpans: [Scope]
    }

    struct Facts: Encodable { let attributes: [Attribute] }

    struct Scope: Encodable {
        struct Name: Encodable { let name: String }

        let scope: Name
        let spans: [Span]
    }

    struct Attribute: Encodable {
        struct Value: Encodable {
            var stringValue: String?
            var intValue: String?
        }

        let key: String
        let value: Value
    }

    struct Span: Encodable {
        struct Status: Encodable { let code: Int }

        let traceId: String
        let spanId: String
        let name: String
        let kind: Int
        let startTimeUnixNano: String
        let endTimeUnixNano: String
        let attributes: [Attribute]
        let status: Status?

        init(_ span: FinishedSpan) {
            traceId = Self.hexadecimal(span.trace.0) + Self.hexadecimal(span.trace.1)
            spanId = Self.hexadecimal(span.span)
            name = span.name.rawValue
            kind = span.name.kind
            startTimeUnixNano = "\(span.began)"
            endTimeUnixNano = "\(span.ended)"
            attributes = span.facts.sorted { $0.key.rawValue < $1.key.rawValue }.map { fact, value in
                switch value {
                case .number(let number): Attribute(key: fact.rawValue, value: .init(intValue: "\(number)"))
                case .text(let text): Attribute(key: fact.rawValue, value: .init(stringValue: text))
                }
            }
            status = span.isFailed ? Status(code: 2) : nil
        }

        private static func hexadecimal(_ number: UInt64) -> String {
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }
    }

    let resourceSpans: [Resources]

    init(_ spans: [FinishedSpan]) {
        // No host, no process: whoever runs the collector knows them.
        let service = Attribute(key: "service.name", value: .init(stringValue: "throng"))
        resourceSpans = [
            Resources(
                resource: Facts(attributes: [service]),
                scopeSpans: [Scope(scope: .init(name: "throng"), spans: spans.map(Span.init))])
        ]
    }

    func bytes() throws -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return Array(try encoder.encode(self))
    }
}
