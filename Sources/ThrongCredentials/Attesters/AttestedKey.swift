internal import SwiftASN1

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
        } catch {
            return nil
        }
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
