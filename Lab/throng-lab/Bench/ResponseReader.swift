internal import NIOCore

/// Reads HTTP/1.1 responses with a Content-Length, which is all that a daemon answers batches with.
///
/// A generator shares its machine with the server that it measures, so it reads no more than it needs.
struct ResponseReader {
    /// A whole response.
    struct Response: Equatable {
        var status: Int
        /// The N of `{"accepted":N,…`; 0 where the body is another.
        var acceptedEvents: Int
        var keepsAlive: Bool
    }

    /// These bytes are no such response.
    struct Malformed: Error {}

    /// A head that is longer has not come from a daemon.
    private static let longestHead = 16 << 10
    private var bytes = ByteBuffer()

    /// Takes what came.
    ///
    /// - Returns: the response, once it is whole. What comes after it would answer nothing that was asked.
    mutating func read(_ more: inout ByteBuffer) throws(Malformed) -> Response? {
        if bytes.readableBytes == 0 { bytes = more } else { bytes.writeBuffer(&more) }
        let found = bytes.withUnsafeReadableBytes { Self.response(in: $0) }
        switch found {
        case .none: throw Malformed()
        case .partial: return nil
        case .whole(let response):
            bytes.clear()
            return response
        }
    }

    private enum Found {
        case none
        case partial
        case whole(Response)
    }

    private static func response(in bytes: UnsafeRawBufferPointer) -> Found {
        guard let end = endOfHead(bytes) else { return bytes.count > longestHead ? .none : .partial }
        guard end >= 16, bytes.starts(with: "HTTP/1.1 ".utf8), let status = number(bytes[9..<12]) else { return .none }
        var length: Int?
        var keepsAlive = true
        for line in bytes[..<end].split(separator: UInt8(ascii: "\n")).dropFirst() {
            if let value = value(of: "content-length:", in: line) { length = number(value) }
            if let value = value(of: "connection:", in: line) { keepsAlive = !matches(value, "close") }
        }
        guard let length else { return .none }
        guard bytes.count >= end + length else { return .partial }
        let body = bytes[end..<end + length]
        let head = "{\"accepted\":"
        let digits = body.dropFirst(head.utf8.count).prefix(while: isDigit)
        let accepted = body.starts(with: head.utf8) ? digits : body.prefix(0)
        return .whole(
            Response(status: status, acceptedEvents: number(accepted) ?? 0, keepsAlive: keepsAlive))
    }

    /// Returns the place at which the body begins; nil where the head is not all there.
    private static func endOfHead(_ bytes: UnsafeRawBufferPointer) -> Int? {
        guard bytes.count >= 4 else { return nil }
        let (lineFeed, carriageReturn) = (UInt8(ascii: "\n"), UInt8(ascii: "\r"))
        for place in 3..<bytes.count
        where bytes[place] == lineFeed && bytes[place - 1] == carriageReturn && bytes[place - 2] == lineFeed {
            return place + 1
        }
        return nil
    }

    /// A header's value without the spaces around it, where the line is of that header.
    private static func value(
        of name: StaticString, in line: UnsafeRawBufferPointer.SubSequence
    ) -> UnsafeRawBufferPointer.SubSequence? {
        guard matches(line.prefix(name.utf8CodeUnitCount), name) else { return nil }
        let isSpace = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\r") }
        var value = line.dropFirst(name.utf8CodeUnitCount).drop(while: isSpace)
        while let last = value.last, isSpace(last) { value.removeLast() }
        return value
    }

    /// True if bytes are a word, in lower or upper case.
    private static func matches(_ bytes: UnsafeRawBufferPointer.SubSequence, _ word: StaticString) -> Bool {
        guard bytes.count == word.utf8CodeUnitCount else { return false }
        for (offset, byte) in bytes.enumerated() where byte | 0x20 != word.utf8Start[offset] | 0x20 { return false }
        return true
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private static func number(_ digits: UnsafeRawBufferPointer.SubSequence) -> Int? {
        guard (1...12).contains(digits.count), digits.allSatisfy(isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }
}
