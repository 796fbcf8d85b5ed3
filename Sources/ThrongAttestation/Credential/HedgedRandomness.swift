/// Random scalars that stay secret, and differ from statement to statement, even where the device's random numbers are bad.
///
/// They are hashed from 32 random bytes, from secrets of the device, and from what they are used for. With good random numbers
/// they are as good as those; with constant ones they are as in a deterministic signature (RFC 6979's idea; the hedge is
/// that of draft-irtf-cfrg-det-sigs-with-noise).
enum HedgedRandomness {
    /// Returns up to 170, for a use, from the device's secrets and all that makes this use differ from others of them.
    static func scalars(
        _ count: Int, for use: String, secrets: [Scalar], public: [UInt8],
        using generator: inout some RandomNumberGenerator
    ) -> [Scalar] {
        var message: [UInt8] = []
        for _ in 0..<4 { withUnsafeBytes(of: generator.next() as UInt64) { message.append(contentsOf: $0) } }
        message += secrets.flatMap(\.bytes) + `public`
        let bytes = MessageExpansion.expand(
            message, domain: Array("throng-arc-1 blinding \(use)".utf8), count: 48 * count)
        return (0..<count).map { Scalar(wide: bytes[(48 * $0)..<(48 * $0 + 48)]) }
    }
}
