internal import CSimdJSON
internal import CZlib

/// A parsed document as a flat run of nodes, borrowed from the parser until its next parse; texts may lie in the parsed bytes.
struct JSONDocument {
    let nodes: UnsafeBufferPointer<throng_json_node>
    /// True if a node has a flaw, which is rare.
    let isFlawed: Bool

    func kind(_ node: Int) -> throng_json_kind { throng_json_kind(nodes[node].kind) }

    func isObject(_ node: Int) -> Bool { nodes[node].kind == THRONG_JSON_OBJECT.rawValue }
    func isArray(_ node: Int) -> Bool { nodes[node].kind == THRONG_JSON_ARRAY.rawValue }
    /// True for a whole event: its bytes are its name, and its time and its fields are the nodes in it.
    func isEvent(_ node: Int) -> Bool { nodes[node].kind == THRONG_JSON_EVENT.rawValue }
    func isString(_ node: Int) -> Bool { nodes[node].kind == THRONG_JSON_STRING.rawValue }
    func isScalar(_ node: Int) -> Bool { nodes[node].kind < THRONG_JSON_ARRAY.rawValue }

    func bytes(_ node: Int) -> UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: nodes[node].value.bytes, count: Int(nodes[node].length))
    }

    /// Returns a whole number, also one that is written as 1.0 or 1e2; nil for anything else.
    func integer(_ node: Int) -> Int64? {
        switch kind(node) {
        case THRONG_JSON_INTEGER: nodes[node].value.integer
        case THRONG_JSON_NUMBER: Int64(exactly: nodes[node].value.number)
        default: nil
        }
    }

    func number(_ node: Int) -> Double? {
        switch kind(node) {
        case THRONG_JSON_INTEGER: Double(nodes[node].value.integer)
        case THRONG_JSON_NUMBER: nodes[node].value.number
        default: nil
        }
    }

    /// Returns the node after this one and its content.
    func next(_ node: Int) -> Int { Int(nodes[node].next) }

    func count(_ node: Int) -> Int { Int(nodes[node].length) }

    /// The words that may appear in a pointer; anything else is a client's own and stays out of messages.
    private static let words: Set<String> = [
        "app", "batch", "purpose", "window", "id", "proof", "key", "consent_version", "context", "events", "event",
        "at", "fields", "count", "firsts",
    ]

    /// The place of a node, as a pointer and a member's number.
    struct Place {
        /// The JSON pointer to the node, or to the nearest node around it that has a public name.
        var pointer = ""
        /// The number of the member that is or holds the node, or whose key it is; nil if the pointer names the node.
        var member: Int?
        /// The node of that member's key.
        var key: Int?
    }

    /// Returns the place of a node, relative to the document's root or to another node around it.
    func place(of target: Int, in root: Int = 0) -> Place {
        var path = Place()
        var node = root
        while node < target {
            let isObject = isObject(node)
            guard isObject || isArray(node) else { break }
            var key = node + 1
            var number = 0
            while next(isObject ? key + 1 : key) <= target {
                key = next(isObject ? key + 1 : key)
                number += 1
            }
            let step = isObject ? String(decoding: bytes(key), as: UTF8.self) : String(number)
            guard !isObject || key < target && Self.words.contains(step) else {
                return Place(pointer: path.pointer, member: number, key: key)
            }
            path.pointer += "/" + step
            node = isObject ? key + 1 : key
        }
        return path
    }

    /// Returns the first node of a range with a flaw: content that JSON allows but no request may have.
    func flaw(in nodes: Range<Int>) -> Int? {
        isFlawed ? nodes.first { self.nodes[$0].flaw != THRONG_JSON_SOUND.rawValue } : nil
    }

    /// Returns the text that names what is expected instead of a flaw.
    func expected(insteadOf flaw: Int, limits: IntakeLimits) -> String {
        switch throng_json_flaw(nodes[flaw].flaw) {
        case THRONG_JSON_TOO_DEEP: "at most \(limits.depth) levels of lists and objects in the whole body"
        case THRONG_JSON_DUPLICATE_KEY: "each member once"
        case THRONG_JSON_NUL, THRONG_JSON_SURROGATE: "a text without U+0000 and without half of a surrogate pair"
        case THRONG_JSON_NUMBER_RANGE: "a number that fits a 64-bit integer or a finite double"
        default: "at most \(limits.stringBytes) bytes of text"
        }
    }

    func error(of flaw: Int, limits: IntakeLimits) -> IntakeError {
        let pointer = place(of: flaw).pointer
        switch throng_json_flaw(nodes[flaw].flaw) {
        case THRONG_JSON_TOO_DEEP: return .tooDeep(limit: limits.depth)
        case THRONG_JSON_DUPLICATE_KEY: return .duplicateKey(pointer: pointer)
        case THRONG_JSON_NUL: return .nul(pointer: pointer)
        case THRONG_JSON_NUMBER_RANGE: return .numberOutOfRange
        case THRONG_JSON_SURROGATE:
            return .wrongShape(pointer: pointer, expected: expected(insteadOf: flaw, limits: limits))
        default: return .stringTooLong(pointer: pointer, bytes: count(flaw), limit: limits.stringBytes)
        }
    }
}

/// Parses documents with simdjson, and reuses its buffers for the next. One thread at a time.
final class JSONParser {
    private let parser: OpaquePointer

    /// Returns nil if there is no memory for a parser.
    ///
    /// - Parameter stringBytes: the most bytes of one string.
    init?(depth: Int, stringBytes: Int = .max) {
        guard let parser = throng_json_parser_new(depth, stringBytes) else { return nil }
        self.parser = parser
    }

    deinit { throng_json_parser_free(parser) }

    /// Parses a document whose flaws the caller looks for; its nodes are valid until the next call, and
    /// no longer than `bytes`.
    func parseWithFlaws(_ bytes: UnsafeBufferPointer<UInt8>) throws(IntakeError) -> JSONDocument {
        let result = throng_json_parse(parser, bytes.baseAddress, bytes.count)
        guard result.status != THRONG_JSON_OK else {
            return JSONDocument(
                nodes: UnsafeBufferPointer(start: result.nodes, count: Int(result.count)), isFlawed: result.flaws > 0)
        }
        // The body is named by its format, not by the meaning that its first character has in JSON.
        if let found = ForeignBody(bytes) { throw .foreign(found) }
        switch result.status {
        case THRONG_JSON_NOT_UTF8: throw .notUTF8
        case THRONG_JSON_NO_MEMORY: throw .noMemory
        default: throw .notJSON
        }
    }

    /// Parses a document without flaws; its nodes are valid as those of ``parseWithFlaws(_:)``.
    func parse(_ bytes: UnsafeBufferPointer<UInt8>, limits: IntakeLimits) throws(IntakeError) -> JSONDocument {
        let document = try parseWithFlaws(bytes)
        if let flaw = document.flaw(in: document.nodes.indices) { throw document.error(of: flaw, limits: limits) }
        return document
    }
}

/// The kind of a body that is not a JSON document, as far as its first bytes tell: a wrong tool, or a missing header.
package enum ForeignBody: Sendable, Hashable, CaseIterable {
    case empty, multipart, form, markup, gzip, wideText

    /// Returns nil if the first bytes are not known.
    init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        let first = bytes.prefix(2)
        if first.elementsEqual([0x1F, 0x8B]) {
            self = .gzip
        } else if first.elementsEqual([0xFE, 0xFF]) || first.elementsEqual([0xFF, 0xFE])
            || first.count == 2 && first.contains(0)
        {
            self = .wideText
        } else {
            let text = bytes.drop { $0 == 0x20 || (0x09...0x0D).contains($0) }.prefix(256)
            switch text.first {
            case nil: self = .empty
            case UInt8(ascii: "<"): self = .markup
            // A number has one sign at most.
            case UInt8(ascii: "-") where text.dropFirst().first == UInt8(ascii: "-"): self = .multipart
            default:
                let name = text.prefix { Self.isInName($0) }
                guard !name.isEmpty, text.dropFirst(name.count).first == UInt8(ascii: "=") else { return nil }
                self = .form
            }
        }
    }

    private static func isInName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "%+-._*[]".utf8.contains(byte)
        }
    }

    /// True if it is in another format, and not a document that is compressed, in another encoding, or missing.
    var isOtherFormat: Bool {
        switch self {
        case .multipart, .form, .markup: true
        case .empty, .gzip, .wideText: false
        }
    }

    /// The kind that was found, and the one that is allowed.
    var message: String {
        switch self {
        case .empty: "The body is empty; send one JSON document."
        case .multipart: "The body is multipart, as forms with files are; send one JSON document."
        case .form: "The body is a form's, NAME=VALUE; send one JSON document."
        case .markup: "The body is XML or HTML; send one JSON document."
        case .gzip: "The body is packed by gzip and does not say so; send Content-Encoding: gzip."
        case .wideText: "The body is UTF-16 or UTF-32; send one JSON document in UTF-8."
        }
    }
}

/// Decompresses gzip bodies (RFC 1952) with a limit on the output, and compresses bytes.
package enum Gzip {
    /// Returns the decompressed bytes.
    ///
    /// - Throws: ``IntakeError/notGzip``, or ``IntakeError/bodyTooLarge(limit:)`` as soon as the limit is passed.
    package static func unpacked(_ bytes: UnsafeBufferPointer<UInt8>, limit: Int) throws(IntakeError) -> [UInt8] {
        var stream = z_stream()
        // 15 bits of window; 16 more ask for the gzip wrapper.
        guard inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .noMemory
        }
        defer { inflateEnd(&stream) }
        stream.next_in = UnsafeMutablePointer(mutating: bytes.baseAddress)
        stream.avail_in = UInt32(bytes.count)
        var output: [UInt8] = []
        var filled = 0
        let step = min(max(4 * bytes.count, 4096), limit + 1)
        while true {
            let start = filled
            if start == output.count {
                output.append(contentsOf: repeatElement(0, count: min(step, limit + 1 - start)))
            }
            let room = output.count - start
            let status = output.withUnsafeMutableBufferPointer { buffer in
                stream.next_out = buffer.baseAddress.map { $0 + start }
                stream.avail_out = UInt32(room)
                return inflate(&stream, Z_NO_FLUSH)
            }
            filled = output.count - Int(stream.avail_out)
            if filled > limit { throw .bodyTooLarge(limit: limit) }
            switch status {
            case Z_STREAM_END where stream.avail_in == 0:
                output.removeLast(output.count - filled)
                return output
            case Z_STREAM_END:
                // Another member follows (RFC 1952, section 2.2).
                guard inflateReset(&stream) == Z_OK else { throw .notGzip }
            case Z_OK where filled > start: continue
            default: throw .notGzip
            }
        }
    }

    /// Returns the bytes as a gzip member, as small as zlib makes them; nil if there is no memory.
    package static func packed(_ bytes: [UInt8]) -> [UInt8]? {
        var stream = z_stream()
        // 15 bits of window; 16 more ask for the gzip wrapper; 9 is zlib's most memory.
        guard
            deflateInit2_(
                &stream, Z_BEST_COMPRESSION, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                Int32(MemoryLayout<z_stream>.size)) == Z_OK
        else { return nil }
        defer { deflateEnd(&stream) }
        var input = bytes
        var output = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
        let status = input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                stream.next_in = input.baseAddress
                stream.avail_in = UInt32(input.count)
                stream.next_out = output.baseAddress
                stream.avail_out = UInt32(output.count)
                return deflate(&stream, Z_FINISH)
            }
        }
        guard status == Z_STREAM_END else { return nil }
        output.removeLast(Int(stream.avail_out))
        return output
    }
}
