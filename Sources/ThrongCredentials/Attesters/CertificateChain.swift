internal import Foundation
internal import SwiftASN1
internal import ThrongWire
@_spi(FixedExpiryValidationTime) internal import X509

/// Certificates that a platform sends, the device's first, checked up to a root that is given (RFC 5280, by
/// swift-certificates).
struct CertificateChain: Sendable {
    /// The device's own.
    let leaf: Certificate
    /// Of all of them, the root's included, the highest byte first.
    let serialNumbers: [[UInt8]]

    /// Checks a chain; nil where it does not lead to a root, is not valid at that time, or can't be read.
    init?(_ chain: [[UInt8]], roots: [Certificate], at time: UnixSeconds) async {
        var certificates: [Certificate] = []
        for bytes in chain {
            do { certificates.append(try Certificate(derEncoded: bytes)) } catch { return nil }
        }
        guard let leaf = certificates.first else { return nil }
        let date = Date(timeIntervalSince1970: Double(time.value))
        var verifier = Verifier(rootCertificates: CertificateStore(roots)) {
            RFC5280Policy(fixedExpiryValidationTime: date)
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(certificates.dropFirst()))
        guard case .validCertificate(let valid) = result else { return nil }
        self.leaf = leaf
        serialNumbers = valid.map { Array($0.serialNumber.bytes) }
    }

    /// The value of an extension of the device's certificate.
    func value(of identifier: ASN1ObjectIdentifier) -> [UInt8]? {
        leaf.extensions[oid: identifier].map { Array($0.value) }
    }

    /// The device's public key, as an uncompressed point where it is one of P-256.
    var point: [UInt8]? {
        let bytes = Array(leaf.publicKey.subjectPublicKeyInfoBytes)
        return bytes.count == 65 && bytes[0] == 4 ? bytes : nil
    }

    /// The device's public key, whatever its kind.
    var publicKey: [UInt8] { Array(leaf.publicKey.subjectPublicKeyInfoBytes) }

    /// The certificates of a file in PEM; nil where there are none.
    static func certificates(pem: String) -> [Certificate]? {
        do {
            let found = try PEMDocument.parseMultiple(pemString: pem).map { try Certificate(pemDocument: $0) }
            return found.isEmpty ? nil : found
        } catch {
            return nil
        }
    }
}
