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
        switch result.status {
        case THRONG_JSON_OK: return document
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
