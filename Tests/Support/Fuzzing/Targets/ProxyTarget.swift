import NIOCore

@testable import ThrongServer

/// A proxy's header, as it comes byte by byte: it is there once it is whole, and what follows changes nothing.
struct ProxyTarget: FuzzTarget {
    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        let whole = Self.reading(bytes)
        // Bytes are decided upon at some length, and from there on in one way.
        for count in [1, 6, 12, 15, 16, 17, 27, 28, 52, bytes.count - 1] where (0..<bytes.count).contains(count) {
            let part = Self.reading(Array(bytes.prefix(count)))
            if case .success(nil) = part { continue }
            try FuzzFinding.check(part == whole, .twoReadings(what: "a header and its beginning"))
        }
        guard case .success(let header?) = whole else { return }
        try FuzzFinding.check(
            header.length <= bytes.count && header.length >= 16, .mismatch(what: "a header and its length"))
        try FuzzFinding.check(
            Self.reading(Array(bytes.prefix(header.length))) == whole, .twoReadings(what: "a header and what follows"))
        try FuzzFinding.check(
            Self.reading(Array(bytes.prefix(header.length - 1))) == .success(nil),
            .twoReadings(what: "a header before its end"))
    }

    private static func reading(_ bytes: [UInt8]) -> Result<ProxyHeader?, ProxyHeader.Problem> {
        let buffer = ByteBuffer(bytes: bytes)
        do throws(ProxyHeader.Problem) {
            return .success(try ProxyHeader(buffer.readableBytesView))
        } catch {
            return .failure(error)
        }
    }
}
