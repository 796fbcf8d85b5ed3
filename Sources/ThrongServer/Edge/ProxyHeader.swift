internal import NIOCore

/// The header that a proxy sends before the bytes of a connection that it passes on.
///
///     0   12 bytes  0D 0A 0D 0A 00 0D 0A 51 55 49 54 0A
///     12  1 byte    version 2 in the upper half; command in the lower: 0 LOCAL, the proxy's own; 1 PROXY
///     13  1 byte    family in the upper half: 1 IPv4, 2 IPv6, 3 Unix, 0 unknown; transport in the lower: 1 stream,
///                   2 datagram
///     14  2 bytes   length of what follows, big-endian
///     16            addresses of source and destination, their ports, and more that is not read
///
/// Source: the PROXY protocol, versions 1 and 2 (haproxy, proxy-protocol.txt), section 2.2.
struct ProxyHeader: Equatable {
    /// The client that the proxy speaks for; nil if it speaks for itself, or does not know.
    let client: ClientAddress?
    /// True if the proxy speaks for itself: LOCAL.
    let isOwn: Bool
    /// The length of the whole header. Unit: bytes.
    let length: Int

    /// The reason why the bytes are no such header.
    enum Problem: Error, Equatable {
        /// Something else: HTTP or TLS without a header.
        case missing
        /// Version 1, a line of text.
        case firstVersion
        /// Version, command, family or lengths are none that the protocol has.
        case malformed
        /// More follows than anybody needs. Unit: bytes.
        case tooLong(limit: Int)
    }

    static let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
    private static let fixed = 16
    /// The longest header that is taken. Proxies add some hundreds of bytes to the addresses. Unit: bytes.
    private static let largest = 4096

    /// Reads the header with which bytes begin; nil while more of it has to come.
    ///
    /// - Throws: as soon as the bytes can't become a header.
    init?(_ bytes: ByteBufferView) throws(Problem) {
        guard bytes.prefix(12).elementsEqual(Self.signature.prefix(bytes.count)) else {
            guard bytes.prefix(6).elementsEqual("PROXY ".utf8.prefix(bytes.count)) else { throw .missing }
            guard bytes.count < 6 else { throw .firstVersion }
            return nil
        }
        guard bytes.count >= Self.fixed else { return nil }
        let fields = Array(bytes.dropFirst(12).prefix(4))
        let (version, command, family, transport) = (fields[0] >> 4, fields[0] & 0xF, fields[1] >> 4, fields[1] & 0xF)
        guard version == 2, command <= 1 else { throw .malformed }
        // The addresses of a LOCAL header are ignored.
        let isProxied = command == 1
        isOwn = !isProxied
        guard !isProxied || family <= 3 && transport <= 2 else { throw .malformed }
        let rest = Int(fields[2]) << 8 | Int(fields[3])
        length = Self.fixed + rest
        guard length <= Self.largest else { throw .tooLong(limit: Self.largest) }
        // Addresses of source and destination, and two ports.
        let size = family == 1 ? 4 : 16
        let isClient = isProxied && transport == 1 && (family == 1 || family == 2)
        if isClient, rest < 2 * size + 4 { throw .malformed }
        guard bytes.count >= length else { return nil }
        client = isClient ? ClientAddress(bytes: bytes.dropFirst(Self.fixed).prefix(size)) : nil
    }
}
