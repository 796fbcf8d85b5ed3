internal import Foundation

/// Tells addresses of the public internet from all others: a partner's name must not lead to a machine inside.
///
/// Source: IANA's special-purpose address registries (RFC 6890 and its updates).
package enum PublicAddress {
    /// Ranges of IPv4 that are not public: the address's first bits.
    private static let special4: [(network: [UInt8], bits: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 3),
    ]

    /// Ranges within 2000::/3 that are not public, or that lead on to an IPv4 address.
    private static let special6: [(network: [UInt8], bits: Int)] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
    ]

    /// True if a text is the address of a machine on the public internet.
    package static func holds(_ text: String) -> Bool {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            let bytes = withUnsafeBytes(of: &four) { Array($0) }
            return !special4.contains { starts(bytes, with: $0.network, bits: $0.bits) }
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        return starts(bytes, with: [0x20], bits: 3)
            && !special6.contains { starts(bytes, with: $0.network, bits: $0.bits) }
    }

    private static func starts(_ bytes: [UInt8], with network: [UInt8], bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            let wanted = bit / 8 < network.count ? network[bit / 8] : 0
            return (bytes[bit / 8] ^ wanted) & 0x80 >> UInt8(bit % 8) == 0
        }
    }
}
