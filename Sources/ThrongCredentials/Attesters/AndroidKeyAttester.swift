internal import Foundation
internal import SwiftASN1
internal import Synchronization
package import ThrongWire
@_spi(FixedExpiryValidationTime) internal import X509

/// Android's key attestation, offline: `chain`, the certificates of a key in DER, one after the other, the key's own first.
/// The key was made with the challenge as its `attestationChallenge`.
///
/// It proves that the app of that name and signature made a key in the secure hardware of a device whose system is the
/// manufacturer's. It does not prove one device: an app can have as many keys as it likes, and what is capped are keys. A cheat
/// needs one device on which it can have the app make more, or a manufacturer's key that leaked and is not on Google's list yet.
///
/// Source: Android, "Verify hardware-backed key pairs with key attestation", and the schema of its extension.
package struct AndroidKeyAttester: Attester {
    package let name = "android-key"
    package let asksOthers = false

    private let packages: Set<String>
    /// SHA-256 of certificates that sign apps.
    private let signers: Set<[UInt8]>
    private let needsStrongBox: Bool
    private let roots: [Certificate]
    private let revoked: RevokedCertificates?
    private let clock: UnixClock

    /// 1.3.6.1.4.1.11129.2.1.17: what is attested.
    private static let description: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 11_129, 2, 1, 17]
    /// More certificates than this are no chain.
    private static let longest = 8

    /// Google's roots are in PEM, and nil comes of none; the list of revoked certificates is optional.
    package init?(
        packages: [String], signers: [[UInt8]], needsStrongBox: Bool = false, roots: String, revoked: String? = nil,
        clock: UnixClock = .system
    ) {
        guard let roots = CertificateChain.certificates(pem: roots) else { return nil }
        (self.packages, self.signers) = (Set(packages), Set(signers))
        (self.needsStrongBox, self.roots, self.clock) = (needsStrongBox, roots, clock)
        self.revoked = revoked.map { RevokedCertificates(path: $0) }
    }

    package func device(
        by evidence: Evidence, challenge: [UInt8], app: AppName
    ) async throws(AttesterError) -> [UInt8] {
        guard let certificates = Self.split(try evidence.bytes("chain")) else {
            throw .evidence(member: "chain", expected: "certificates in DER, one after the other")
        }
        guard
            let chain = CertificateChain(
                android: certificates, roots: roots, at: clock.now, attestedBy: Self.description)
        else { throw .refused(.chain) }
        if let revoked {
            guard let isRevoked = revoked.contains(any: chain.serialNumbers) else {
                throw .unavailable(reason: "the list of revoked certificates can't be read")
            }
            guard !isRevoked else { throw .refused(.revoked) }
        }
        guard let value = chain.value(of: Self.description), let key = AttestedKey(value) else {
            throw .refused(.description)
        }
        guard key.challenge == challenge else { throw .refused(.challenge) }
        guard key.level >= (needsStrongBox ? 2 : 1), key.keyLevel >= (needsStrongBox ? 2 : 1) else {
            throw .refused(.level)
        }
        guard key.isSystemVerified else { throw .refused(.system) }
        guard key.isMadeHere else { throw .refused(.key) }
        guard !key.packages.isEmpty, packages.isSuperset(of: key.packages), !key.signers.isEmpty,
            signers.isSuperset(of: key.signers)
        else { throw .refused(.app) }
        return chain.publicKey
    }

    /// Cuts values of DER that stand one after the other apart; nil if they do not end with the last.
    private static func split(_ bytes: [UInt8]) -> [[UInt8]]? {
        var certificates: [[UInt8]] = []
        var rest = bytes[...]
        while rest.count >= 4, certificates.count < longest {
            let start = rest.startIndex
            guard rest[start] == 0x30, rest[start + 1] == 0x82 else { return nil }
            let length = 4 + Int(rest[start + 2]) << 8 + Int(rest[start + 3])
            guard length <= rest.count else { return nil }
            certificates.append(Array(rest.prefix(length)))
            rest = rest.dropFirst(length)
        }
        return rest.isEmpty && !certificates.isEmpty ? certificates : nil
    }
}

/// Google's list of certificates that are not to be believed any more: JSON of `entries`, by serial number in hexadecimal. An
/// operator fetches https://android.googleapis.com/attestation/status each day and puts it in place as a whole.
final class RevokedCertificates: Sendable {
    private struct Read {
        let modified: Date
        let serials: Set<String>
    }

    private struct List: Decodable {
        struct Entry: Decodable { let status: String }
        let entries: [String: Entry]
    }

    private let path: String
    private let read = Mutex<Read?>(nil)

    init(path: String) { self.path = path }

    /// Returns whether any certificate is on the list, suspended ones included; nil if the list can't be read.
    func contains(any serials: [[UInt8]]) -> Bool? {
        do {
            let facts = try FileManager.default.attributesOfItem(atPath: path)
            let modified = facts[.modificationDate] as? Date ?? .distantPast
            let listed = try read.withLock { read in
                if let known = read, known.modified == modified { return known.serials }
                let data = try Data(contentsOf: URL(filePath: path))
                let entries = try JSONDecoder().decode(List.self, from: data).entries
                let serials = Set(entries.keys.map { Self.plain($0.lowercased()) })
                read = Read(modified: modified, serials: serials)
                return serials
            }
            return serials.contains { listed.contains(Self.plain($0.lowerHex)) }
        } catch { return nil }
    }

    private static func plain(_ digits: String) -> String { String(digits.drop { $0 == "0" }) }
}

/// Android's description of a key: the extension `KeyDescription`, as far as it matters here.
package struct AttestedKey {
    /// The party that attests: 0 software, 1 a trusted environment, 2 a StrongBox.
    package let level: Int
    /// The place where the key is kept, by the same numbers.
    package let keyLevel: Int
    package let challenge: [UInt8]
    /// The app, as the system knows it.
    package let packages: Set<String>
    /// SHA-256 of the certificates that signed it.
    package let signers: Set<[UInt8]>
    /// True if the device is locked, and started a system that its manufacturer signed.
    let isSystemVerified: Bool
    /// True if the hardware made the key itself.
    let isMadeHere: Bool

    private enum Tag {
        static let origin: UInt = 702
        static let rootOfTrust: UInt = 704
        static let application: UInt = 709
    }

    /// Reads the extension; nil if it is none.
    package init?(_ value: [UInt8]) {
        do {
            self = try DER.sequence(DER.parse(value), identifier: .sequence) { nodes in
                _ = try Int64(derEncoded: &nodes)
                let level = try Self.enumerated(&nodes)
                _ = try Int64(derEncoded: &nodes)
                let keyLevel = try Self.enumerated(&nodes)
                let challenge = Array(try ASN1OctetString(derEncoded: &nodes).bytes)
                _ = try ASN1OctetString(derEncoded: &nodes)
                // The system says who asks, the hardware everything else: of the key, its word alone counts nothing.
                let software = try Self.members(&nodes)
                let hardware = try Self.members(&nodes)
                return try AttestedKey(
                    level: level, keyLevel: keyLevel, challenge: challenge, software: software, hardware: hardware)
            }
        } catch { return nil }
    }

    private init(
        level: Int, keyLevel: Int, challenge: [UInt8], software: [UInt: ASN1Node], hardware: [UInt: ASN1Node]
    ) throws {
        (self.level, self.keyLevel, self.challenge) = (level, keyLevel, challenge)
        isMadeHere = try hardware[Tag.origin].map { try Int64(derEncoded: $0) } == 0
        isSystemVerified = try hardware[Tag.rootOfTrust].map { try Self.isVerified($0) } ?? false
        guard let application = software[Tag.application] else {
            (packages, signers) = ([], [])
            return
        }
        let bytes = try ASN1OctetString(derEncoded: application).bytes
        (packages, signers) = try DER.sequence(DER.parse(bytes), identifier: .sequence) { nodes in
            let packages = try DER.set(Self.next(&nodes), identifier: .set) { infos in
                var names: Set<String> = []
                while let info = infos.next() {
                    let name = try DER.sequence(info, identifier: .sequence) { parts in
                        let name = try ASN1OctetString(derEncoded: &parts).bytes
                        _ = try Int64(derEncoded: &parts)
                        return String(decoding: name, as: UTF8.self)
                    }
                    names.insert(name)
                }
                return names
            }
            let signers = try DER.set(Self.next(&nodes), identifier: .set) { digests in
                var found: Set<[UInt8]> = []
                while let digest = digests.next() { found.insert(Array(try ASN1OctetString(derEncoded: digest).bytes)) }
                return found
            }
            return (packages, signers)
        }
    }

    private static func enumerated(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Int {
        let node = try next(&nodes)
        guard node.identifier == .enumerated, case .primitive(let bytes) = node.content,
            bytes.count == 1, let byte = bytes.first
        else { throw ASN1Error.invalidASN1Object(reason: "an enumerated of one byte") }
        return Int(byte)
    }

    private static func next(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1Node {
        guard let node = nodes.next() else { throw ASN1Error.invalidASN1Object(reason: "another value") }
        return node
    }

    /// Returns the value behind each tag of a list of authorizations; a tag that stands there twice makes it no list.
    private static func members(_ nodes: inout ASN1NodeCollection.Iterator) throws -> [UInt: ASN1Node] {
        try DER.sequence(next(&nodes), identifier: .sequence) { nodes in
            var found: [UInt: ASN1Node] = [:]
            while let node = nodes.next() {
                guard node.identifier.tagClass == .contextSpecific, case .constructed(let inside) = node.content else {
                    throw ASN1Error.invalidASN1Object(reason: "an explicit tag")
                }
                var iterator = inside.makeIterator()
                guard let value = iterator.next(), iterator.next() == nil,
                    found.updateValue(value, forKey: node.identifier.tagNumber) == nil
                else { throw ASN1Error.invalidASN1Object(reason: "one value a tag") }
            }
            return found
        }
    }

    private static func isVerified(_ node: ASN1Node) throws -> Bool {
        try DER.sequence(node, identifier: .sequence) { nodes in
            _ = try ASN1OctetString(derEncoded: &nodes)
            let isLocked = try Bool(derEncoded: &nodes)
            let state = try enumerated(&nodes)
            // A hash of what was started follows in later versions.
            while nodes.next() != nil {}
            return isLocked && state == 0
        }
    }
}

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
