internal import SwiftASN1

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

    /// Returns the weakness, which such clients refuse, of a certificate in DER; nil if there is none.
    static func weakness(of certificate: [UInt8]) throws -> Weakness? {
        let parts = try fields(of: DER.parse(certificate), least: 2)
        // The key follows the serial number, signature, issuer, validity and subject.
        let key = try fields(of: parts[0], least: 6)[5]
        if let problem = try keyProblem(fields(of: key, least: 2)) { return .key(problem) }
        let signature = try name(fields(of: parts[1], least: 1)[0])
        return signatures.contains(signature) ? nil : .signature(signature)
    }

    /// Returns the fields of a sequence, without those that have a tag of their own, such as the version.
    private static func fields(of node: ASN1Node, least: Int) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content, node.identifier == .sequence else {
            throw ASN1Error.unexpectedFieldType(node.identifier)
        }
        let fields = nodes.filter { $0.identifier.tagClass == .universal }
        guard fields.count >= least else { throw ASN1Error.invalidASN1Object(reason: "A field is missing.") }
        return fields
    }

    private static func name(_ node: ASN1Node) throws -> String { "\(try ASN1ObjectIdentifier(derEncoded: node))" }

    private static func keyProblem(_ key: [ASN1Node]) throws -> String? {
        let algorithm = try fields(of: key[0], least: 1)
        let kind = try name(algorithm[0])
        switch kind {
        case rsa:
            let numbers = try fields(of: DER.parse(ASN1BitString(derEncoded: key[1]).bytes), least: 2)
            guard case .primitive(let bytes) = numbers[0].content else { return "an RSA key without a modulus" }
            let modulus = bytes.drop { $0 == 0 }
            let size = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
            return size >= leastRSA ? nil : "an RSA key of \(size) bits"
        case elliptic:
            let curve = try name(algorithm[algorithm.count - 1])
            return curves.contains(curve) ? nil : "a key on the curve \(curve)"
        default:
            return "a key of the kind \(kind)"
        }
    }
}
