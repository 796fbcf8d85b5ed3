/// The address of a relay: `https://HOST` or `https://HOST:PORT`, without a path; `http` only for the same machine.
///
/// Sealed requests go to `/v1/ohttp` there, and the keys for sealing are at `/v1/ohttp-keys`.
public struct RelayAddress: Sendable, Hashable, Codable {
    /// The address without a slash at its end.
    public let text: String
    /// Its host, without brackets and port.
    public let host: String

    private static let longest = 300

    /// Reads an address; nil for anything else.
    public init?(_ text: String) {
        let isSecure = text.hasPrefix("https://")
        guard isSecure || text.hasPrefix("http://"), text.utf8.count <= Self.longest else { return nil }
        let authority = text.dropFirst(isSecure ? 8 : 7)
        guard !authority.isEmpty, authority.utf8.allSatisfy(Self.isAllowed) else { return nil }
        var name = authority
        if let colon = authority.lastIndex(of: ":"), !authority.hasSuffix("]") {
            let digits = authority[authority.index(after: colon)...]
            guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = Int(digits),
                (1...65_535).contains(port)
            else { return nil }
            name = authority[..<colon]
        }
        if name.hasPrefix("["), name.hasSuffix("]"), name.contains(":") {
            name = name.dropFirst().dropLast()
        } else if name.contains(where: { ":[]".contains($0) }) {
            return nil
        }
        guard !name.isEmpty, isSecure || Self.isLoopback(String(name)) else { return nil }
        self.text = text
        host = String(name)
    }

    /// True if traffic to a host stays on the machine: 127.0.0.0/8, ::1 and localhost, in their usual spellings.
    public static func isLoopback(_ host: String) -> Bool {
        if ["localhost", "::1", "[::1]"].contains(host.lowercased()) { return true }
        let parts = host.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count == 4 && parts[0] == "127" && parts.allSatisfy { UInt8($0) != nil }
    }

    /// True for the bytes of a host and a port: small letters, digits, and the signs between them.
    private static func isAllowed(_ byte: UInt8) -> Bool {
        (0x61...0x7a).contains(byte) || (0x30...0x39).contains(byte) || "-.:[]".utf8.contains(byte)
    }

    /// Reads its text.
    ///
    /// - Throws: `DecodingError` if it is no such address.
    public init(from decoder: any Decoder) throws {
        self = try decoder.value("no relay's address; https://HOST[:PORT] is allowed") {
            RelayAddress(String(decoding: $0, as: UTF8.self))
        }
    }

    /// Writes its text.
    public func encode(to encoder: any Encoder) throws { try text.encode(to: encoder) }
}
