internal import Foundation
internal import SwiftASN1
internal import ThrongWire
@_spi(FixedExpiryValidationTime) internal import X509

/// A platform's certificates, the device's first, checked up to a given root (RFC 5280, by swift-certificates).
struct CertificateChain: Sendable {
    let leaf: Certificate
    /// The serial numbers of all of them, the root's included, the highest byte first.
    let serialNumbers: [[UInt8]]

    /// Checks a chain; nil if it does not lead to a root, is not valid at that time, or can't be read.
    init?(_ chain: [[UInt8]], roots: [Certificate], at time: UnixSeconds) async {
        guard let certificates = Self.certificates(der: chain), let leaf = certificates.first else { return nil }
        let date = Date(timeIntervalSince1970: Double(time.value))
        var verifier = Verifier(rootCertificates: CertificateStore(roots)) {
            RFC5280Policy(fixedExpiryValidationTime: date)
        }
        let result = await verifier.validate(leaf: leaf, intermediates: CertificateStore(certificates.dropFirst()))
        guard case .validCertificate(let valid) = result else { return nil }
        self.leaf = leaf
        serialNumbers = valid.map { Array($0.serialNumber.bytes) }
    }

    /// Checks a chain of Android's, as Google's own library does: older devices' certificates say that they may sign none, and do,
    /// so that RFC 5280 refuses them. Each is signed by the next one and names it, up to a root, and all are valid at that time. No
    /// other than the device's own has the extension by which a key is attested: a key that is attested itself would otherwise vouch
    /// for any other.
    ///
    /// Source: Android, "Verify hardware-backed key pairs with key attestation".
    init?(
        android chain: [[UInt8]], roots: [Certificate], at time: UnixSeconds,
        attestedBy description: ASN1ObjectIdentifier
    ) {
        guard var certificates = Self.certificates(der: chain) else { return nil }
        // A root that was sent may be an older one of the same key.
        if let last = certificates.last,
            roots.contains(where: { $0.subject == last.subject && $0.publicKey == last.publicKey })
        {
            certificates.removeLast()
        }
        guard let leaf = certificates.first, let last = certificates.last,
            let root = roots.first(where: {
                $0.subject == last.issuer && $0.publicKey.isValidSignature(last.signature, for: last)
            })
        else { return nil }
        let date = Date(timeIntervalSince1970: Double(time.value))
        for (certificate, issuer) in zip(certificates, certificates.dropFirst() + [root]) {
            guard certificate.issuer == issuer.subject,
                issuer.publicKey.isValidSignature(certificate.signature, for: certificate),
                certificate.notValidBefore <= date, date <= certificate.notValidAfter,
                issuer.extensions[oid: description] == nil
            else { return nil }
        }
        guard root.notValidBefore <= date, date <= root.notValidAfter else { return nil }
        self.leaf = leaf
        serialNumbers = (certificates + [root]).map { Array($0.serialNumber.bytes) }
    }

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

    private static func certificates(der chain: [[UInt8]]) -> [Certificate]? {
        do { return try chain.map { try Certificate(derEncoded: $0) } } catch { return nil }
    }

    /// The certificates of a file in PEM; nil if there are none.
    static func certificates(pem: String) -> [Certificate]? {
        do {
            let found = try PEMDocument.parseMultiple(pemString: pem).map { try Certificate(pemDocument: $0) }
            return found.isEmpty ? nil : found
        } catch { return nil }
    }
}
