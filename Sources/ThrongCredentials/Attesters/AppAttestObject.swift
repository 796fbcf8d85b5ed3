internal import SwiftASN1

/// An attestation object, as `attestKey` gives it: CBOR of `fmt`, `attStmt` with the certificates and a receipt, and `authData`.
package struct AppAttestObject {
    package let certificates: [[UInt8]]
    package let authenticatorData: [UInt8]

    /// Reads an object; nil for anything else.
    package init?(_ bytes: [UInt8]) {
        var reader = CBORReader(bytes)
        guard case .map(let object) = reader.next(), reader.isAtEnd,
            object[.text("fmt")] == .text("apple-appattest"), case .map(let statement) = object[.text("attStmt")],
            case .array(let chain) = statement[.text("x5c")], (1...8).contains(chain.count),
            case .bytes(let data) = object[.text("authData")]
        else { return nil }
        var certificates: [[UInt8]] = []
        for case .bytes(let certificate) in chain { certificates.append(certificate) }
        guard certificates.count == chain.count else { return nil }
        // SHA-256 of the app's identifier 32, flags 1, counter 4, environment 16, length 2, key's identifier 32; then its key.
        guard data.count >= 87, data[53] == 0, data[54] == 32 else { return nil }
        (self.certificates, authenticatorData) = (certificates, data)
    }

    package var app: [UInt8] { Array(authenticatorData[..<32]) }
    package var counter: UInt32 { authenticatorData[33..<37].reduce(0) { $0 << 8 | UInt32($1) } }
    package var environment: [UInt8] { Array(authenticatorData[37..<53]) }
    package var credential: [UInt8] { Array(authenticatorData[55..<87]) }

    /// Returns the nonce that its first certificate holds for the request: the only octet string of
    /// `SEQUENCE { [1] OCTET STRING }`; nil for anything else.
    package static func nonce(in value: [UInt8]) -> [UInt8]? {
        do {
            return try DER.sequence(DER.parse(value), identifier: .sequence) { nodes in
                try DER.explicitlyTagged(&nodes, tagNumber: 1, tagClass: .contextSpecific) { node in
                    Array(try ASN1OctetString(derEncoded: node).bytes)
                }
            }
        } catch {
            return nil
        }
    }
}
