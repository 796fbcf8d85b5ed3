internal import Crypto

/// The suite P256-SHA256 of RFC 9497 in its verifiable mode: the domains of its hashes (sections 3.1, 3.3.2 and 4.3).
///
/// swift-crypto has a VOPRF, too, and this is not it: that one stops the process at answers that a lying evaluator can make,
/// answers one value at a time, and would bring BoringSSL into apps.
enum EvaluationSuite {
    /// contextString: its mode is 1.
    private static let context = Array("OPRFV1-\u{1}-P256-SHA256".utf8)
    private static let groupDomain = Array("HashToGroup-".utf8) + context
    private static let scalarDomain = Array("HashToScalar-".utf8) + context
    private static let keyDomain = Array("DeriveKeyPair".utf8) + context
    /// The domain of the seed from which the weights of a proof's composites come.
    static let seedDomain = Array("Seed-".utf8) + context

    /// HashToGroup of an input. No input is known that leads to the identity, and nobody could find one.
    static func point(of input: [UInt8]) -> Point { Point(hashing: input, domain: groupDomain) }

    /// HashToScalar.
    static func scalar(of transcript: [UInt8]) -> Scalar { Scalar(hashing: transcript, domain: scalarDomain) }

    /// The secret key of a seed (section 3.2.1). A number that comes out as 0, which one of 2²⁵⁶ does, is drawn again.
    static func secret(of seed: [UInt8], info: [UInt8]) -> Scalar {
        for counter in UInt8.min...UInt8.max {
            let secret = Scalar(hashing: seed + part(info) + [counter], domain: keyDomain)
            if !secret.isZero { return secret }
        }
        // The RFC gives up here; so does nothing that was ever seen.
        return .one
    }

    /// Returns what Finalize makes of an input and its evaluated point without the blinding (section 3.3.2).
    static func output(of input: [UInt8], evaluated: Point) -> [UInt8] {
        Array(SHA256.hash(data: part(input) + part(evaluated.compressed) + Array("Finalize".utf8)))
    }

    /// Bytes, 65,535 at most, after their number, two bytes.
    static func part(_ bytes: [UInt8]) -> [UInt8] {
        precondition(bytes.count <= longestInput, "RFC 9497 allows 65,535 bytes")
        return [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xff)] + bytes
    }

    static let longestInput = 65_535
}
