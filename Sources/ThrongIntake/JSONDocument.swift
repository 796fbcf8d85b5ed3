internal import CSimdJSON

/// A parsed document as a flat run of nodes, borrowed from the parser until its next parse.
struct JSONDocument {
    let nodes: UnsafeBufferPointer<throng_json_node>

    func kind(_ node: Int) -> throng_json_kind { throng_json_kind(nodes[node].kind) }

    func isObject(_ node: Int) -> Bool { nodes[node].kind == THRONG_JSON_OBJECT.rawValue }
    func isArray(_ node: Int) -> Bool { nodes[node].kind == THRONG_JSON_ARRAY.rawValue }
    func isString(_ node: Int) -> Bool { nodes[node].kind == THRONG_JSON_STRING.rawValue }
    func isScalar(_ node: Int) -> Bool { nodes[node].kind < THRONG_JSON_ARRAY.rawValue }

    /// The bytes of a string.
    func bytes(_ node: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: nodes[node].value.bytes, count: Int(nodes[node].length))
    }

    func integer(_ node: Int) -> Int64? {
        nodes[node].kind == THRONG_JSON_INTEGER.rawValue ? nodes[node].value.integer : nil
    }

    func number(_ node: Int) -> Double? {
        switch kind(node) {
        case THRONG_JSON_INTEGER: Double(nodes[node].value.integer)
        case THRONG_JSON_NUMBER: nodes[node].value.number
        default: nil
        }
    }

    /// The node after this one and everything in it.
    func next(_ node: Int) -> Int { Int(nodes[node].next) }

    func count(_ node: Int) -> Int { Int(nodes[node].length) }
}

/// Parses documents with simdjson, keeping its buffers from one to the next. One thread at a time.
final class JSONParser {
    private let parser: OpaquePointer

    /// Nil where there is no memory for a parser.
    init?(depth: Int) {
        guard let parser = throng_json_parser_new(depth) else { return nil }
        self.parser = parser
    }

    deinit { throng_json_parser_free(parser) }

    /// Parses a document; its nodes are valid until the next call.
    func parse(_ bytes: UnsafeBufferPointer<UInt8>, limits: IntakeLimits) throws(IntakeError) -> JSONDocument {
        let result = throng_json_parse(parser, bytes.baseAddress, bytes.count)
        let document = JSONDocument(nodes: UnsafeBufferPointer(start: result.nodes, count: Int(result.count)))
        guard result.status != THRONG_JSON_OK else { return document }
        // By its kind, and not by what its first sign happens to be in JSON.
        if let found = ForeignBody(bytes) { throw .foreign(found) }
        switch result.status {
        case THRONG_JSON_TOO_DEEP: throw .tooDeep(limit: limits.depth)
        case THRONG_JSON_NOT_UTF8: throw .notUTF8
        case THRONG_JSON_NUMBER_RANGE: throw .numberOutOfRange
        case THRONG_JSON_NO_MEMORY: throw .noMemory
        case THRONG_JSON_DUPLICATE_KEY: throw .duplicateKey(pointer: document.pointer(inUnfinished: Int(result.node)))
        case THRONG_JSON_NUL: throw .nul(pointer: document.pointer(inUnfinished: Int(result.node)))
        default: throw .notJSON
        }
    }
}

extension JSONDocument {
    /// The words that may appear in a pointer; anything else is a client's own and stays out of messages.
    private static let words: Set<String> = [
        "app", "batch", "purpose", "window", "id", "context", "events", "event", "at", "fields", "count",
        "firsts",
    ]

    /// The JSON pointer to a node of a finished document, or to the nearest thing around it that has a public name.
    func pointer(to target: Int) -> String { pointer(to: target, isUnfinished: false) }

    /// The same while the parser has stopped in the middle: containers around the end have no `next` yet.
    func pointer(inUnfinished target: Int) -> String { pointer(to: target, isUnfinished: true) }

    private func pointer(to target: Int, isUnfinished: Bool) -> String {
        var path = ""
        var node = 0
        while node < target {
            let container = node
            let isObject = isObject(container)
            guard isObject || isArray(container) else { break }
            var child = container + 1
            var place = 0
            var found: (step: String, node: Int)?
            while child <= target, child < nodes.count {
                let value = isObject ? child + 1 : child
                if isObject, child == target || value >= nodes.count { return path }
                let end = Int(nodes[value].next)
                // A container that was not finished has no end yet: it is the one that holds the target.
                let holds = value == target || (value < target && (end > target || (isUnfinished && end == 0)))
                if holds {
                    let step = isObject ? String(decoding: bytes(child), as: UTF8.self) : String(place)
                    if isObject, !Self.words.contains(step) { return path }
                    found = (step, value)
                    break
                }
                child = end
                place += 1
            }
            guard let found else { return path }
            path += "/" + found.step
            node = found.node
        }
        return path
    }
}
