/// Checks that a certificate is strong enough for clients that insist on it, such as Apple's App Transport Security.
///
/// Source: Apple, Information Property List, NSAppTransportSecurity: "signed with SHA-256 or greater … either a
/// 2048-bit or greater RSA key, or a 256-bit or greater elliptic-curve key"; RFC 5280, section 4.1 (the certificate);
/// RFC 8017, appendix A.1.1.
enum CertificateStrength {
    enum Weakness: Equatable {
        case key(String)
        case signature(String)
    }

    /// RSA and ECDSA with SHA-256, SHA-384 and SHA-512; RSA-PSS, which no authority uses with less.
    private static let signatures: Set = [
        "1.2.840.113549.1.1.11", "1.2.840.113549.1.1.12", "1.2.840.113549.1.1.13", "1.2.840.113549.1.1.10",
        "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3", "1.2.840.10045.4.3.4",
    ]
    private static let rsa = "1.2.840.113549.1.1.1"
    private static let elliptic = "1.2.840.10045.2.1"
    /// P-256, P-384 and P-521.
    private static let curves: Set = ["1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35"]
    private static let leastRSA = 2048
    private static let sequence: UInt8 = 0x30
    private static let identifier: UInt8 = 0x06
    private static let bits: UInt8 = 0x03
    private static let integer: UInt8 = 0x02
    private static let version: UInt8 = 0xA0

    /// Returns the weakness of a certificate that such clients refuse; nil if there is none.
    ///
    /// - Parameter certificate: DER.
    static func weakness(of certificate: [UInt8]) -> Weakness? {
        var outer = DERReader(certificate)
        var parts = DERReader(outer.content(sequence) ?? [])
        let signed = parts.content(sequence) ?? []
        return keyProblem(key(in: signed)).map(Weakness.key)
            ?? signatureProblem(parts.content(sequence) ?? []).map(Weakness.signature)
    }

    /// Returns the key's part of a certificate. It follows the version, if there is one, serial number, signature,
    /// issuer, validity and subject.
    private static func key(in signed: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var parts = DERReader(signed)
        if parts.next()?.tag == version { _ = parts.next() }
        for _ in 0..<4 { _ = parts.next() }
        return parts.content(sequence) ?? []
    }

    private static func signatureProblem(_ algorithm: ArraySlice<UInt8>) -> String? {
        var words = DERReader(algorithm)
        let name = DERReader.name(of: words.content(identifier) ?? [])
        return signatures.contains(name) ? nil : name
    }

    private static func keyProblem(_ key: ArraySlice<UInt8>) -> String? {
        var parts = DERReader(key)
        var algorithm = DERReader(parts.content(sequence) ?? [])
        let name = DERReader.name(of: algorithm.content(identifier) ?? [])
        switch name {
        case rsa:
            // The number of unused bits is followed by a sequence of the modulus and the exponent.
            var content = DERReader((parts.content(bits) ?? []).dropFirst())
            var numbers = DERReader(content.content(sequence) ?? [])
            let modulus = (numbers.content(integer) ?? []).drop { $0 == 0 }
            let size = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
            return size >= leastRSA ? nil : "an RSA key of \(size) bits"
        case elliptic:
            let curve = DERReader.name(of: algorithm.content(identifier) ?? [])
            return curves.contains(curve) ? nil : "a key on the curve \(curve)"
        default:
            return "a key of the kind \(name)"
        }
    }
}
