import Crypto
import Foundation
import Testing

@testable import ThrongWire

@Suite("Oblivious HTTP: RFC 9458")
struct EncapsulationTests {
    @Test("appendix A, byte for byte: key configuration, request and response, in both directions")
    func published() throws {
        let key = try #require(GatewayKey(id: 1, mechanism: .x25519, secret: PublishedMessages.gatewaySecret))
        #expect(key.configuration.rawRepresentation == PublishedMessages.configuration)
        let list = [0, UInt8(PublishedMessages.configuration.count)] + PublishedMessages.configuration
        #expect(try KeyConfiguration.list(list) == [key.configuration])
        #expect(KeyConfiguration.encoded([key.configuration]) == list)

        let sealed = try SealedRequest(
            PublishedMessages.shortRequest, EncapsulationHeader(id: 1, mechanism: .x25519, sealing: .aes128), .aes128,
            KeyMechanism.x25519.ciphersuite(with: .aes128),
            to: FixedPublicKey(PublishedMessages.configuration[3..<35], kem: .Curve25519_HKDF_SHA256))
        #expect(sealed.bytes == PublishedMessages.sealedRequest)

        let opened = try OpenedRequest(PublishedMessages.sealedRequest[...], by: [key])
        #expect(opened.message == PublishedMessages.shortRequest)
        let response = try opened.seal(
            response: PublishedMessages.shortResponse, nonce: PublishedMessages.responseNonce)
        #expect(response == PublishedMessages.sealedResponse)
        #expect(try sealed.open(response: PublishedMessages.sealedResponse) == PublishedMessages.shortResponse)
    }

    @Test("what one side seals the other opens", arguments: KeyMechanism.allCases, Sealing.allCases)
    func roundTrip(mechanism: KeyMechanism, sealing: Sealing) throws {
        let keys = [GatewayKey(id: 7, mechanism: mechanism), GatewayKey(id: 8, mechanism: mechanism)]
        for count in [0, 1, 1024, 70_000] {
            let (message, answer) = (Bytes.random(count), Bytes.random(count))
            let sealed = try SealedRequest(message, for: keys[1].configuration, by: sealing)
            #expect(sealed.bytes.count <= count + OpenedRequest.overheadBytes)
            let opened = try OpenedRequest(sealed.bytes[...], by: keys)
            #expect(opened.message == message)
            #expect(try sealed.open(response: opened.seal(response: answer)) == answer)
        }
        // The same message never looks the same, nor does its response.
        let twice = try (0..<2).map { _ in try SealedRequest([1], for: keys[0].configuration, by: sealing) }
        #expect(twice[0].bytes != twice[1].bytes)
        let opened = try OpenedRequest(twice[0].bytes[...], by: keys)
        #expect(try opened.seal(response: [1]) != opened.seal(response: [1]))
        #expect(throws: ObliviousError.unopened) { try twice[1].open(response: opened.seal(response: [1])) }
    }

    @Test(
        "each changed byte of a request or a response is refused, and each that is cut off",
        arguments: KeyMechanism.allCases,
        Sealing.allCases)
    func changed(mechanism: KeyMechanism, sealing: Sealing) throws {
        let key = GatewayKey(id: 7, mechanism: mechanism)
        let sealed = try SealedRequest(Bytes.random(20), for: key.configuration, by: sealing)
        let response = try OpenedRequest(sealed.bytes[...], by: [key]).seal(response: Bytes.random(20))
        _ = try sealed.open(response: response)
        for mask: UInt8 in [0x01, 0x80] {
            for place in sealed.bytes.indices {
                // The highest bit of an X25519 key is not looked at, RFC 7748; HPKE binds the bytes as they were sent.
                #expect(throws: ObliviousError.self, "byte \(place) of the request") {
                    try OpenedRequest(Bytes.changed(sealed.bytes, at: place, by: mask)[...], by: [key])
                }
            }
            for place in response.indices {
                #expect(throws: ObliviousError.unopened, "byte \(place) of the response") {
                    try sealed.open(response: Bytes.changed(response, at: place, by: mask))
                }
            }
        }
        for count in sealed.bytes.indices {
            #expect(throws: ObliviousError.self) { try OpenedRequest(sealed.bytes.prefix(count), by: [key]) }
        }
        for count in response.indices {
            #expect(throws: ObliviousError.self) { try sealed.open(response: response.prefix(count)) }
        }
        #expect(throws: ObliviousError.unopened) { try OpenedRequest(sealed.bytes + [0], by: [key]) }
    }

    @Test("it is said why a request can't be opened")
    func reasons() throws {
        let key = GatewayKey(id: 7, mechanism: .x25519)
        let sealed = try SealedRequest([1, 2, 3], for: key.configuration).bytes
        func refusal(_ bytes: [UInt8], by keys: [GatewayKey]) -> ObliviousError? {
            do throws(ObliviousError) {
                _ = try OpenedRequest(bytes[...], by: keys)
                return nil
            } catch {
                return error
            }
        }
        #expect(refusal(sealed, by: [key]) == nil)
        #expect(refusal(sealed, by: []) == .unknownKey(id: 7))
        #expect(refusal(sealed, by: [GatewayKey(id: 8, mechanism: .x25519)]) == .unknownKey(id: 7))
        #expect(refusal(sealed, by: [GatewayKey(id: 7, mechanism: .x25519)]) == .unopened)
        #expect(
            refusal(sealed, by: [GatewayKey(id: 7, mechanism: .p256)])
                == .unknownSuite(mechanism: 0x20, derivation: 1, sealing: 1))
        let aes256 = Bytes.changed(sealed, at: 6, by: 3)
        #expect(refusal(aes256, by: [key]) == .unknownSuite(mechanism: 0x20, derivation: 1, sealing: 2))
        #expect(refusal(Array(sealed.prefix(6)), by: [key]) == .tooShort(found: 6, least: 7))
        #expect(refusal(Array(sealed.prefix(54)), by: [key]) == .tooShort(found: 54, least: 55))
        for error in [ObliviousError.unopened, .unknownKey(id: 7), .noUsableKey, .configuration(at: 3)] {
            #expect(error.description.last == ".")
        }
    }

    @Test("of a list of key configurations those are taken that are known here; what is none is refused")
    func configurations() throws {
        let keys = [GatewayKey(id: 1, mechanism: .x25519), GatewayKey(id: 2, mechanism: .p256)]
        let known = keys.map(\.configuration)
        let list = KeyConfiguration.encoded(known)
        #expect(try KeyConfiguration.list(list) == known)
        #expect(known.map { $0.rawRepresentation.count } == [45, 78])

        // X-Wing, whose keys have 1216 bytes; and a key that is only used with AES-256-GCM.
        let xWing = [9, 0x64, 0x7a] + Bytes.random(1216) + [0, 4, 0, 1, 0, 1]
        let aes256 = [8, 0, 0x20] + Bytes.random(32) + [0, 4, 0, 1, 0, 2]
        let strange = [xWing, aes256].flatMap { [UInt8($0.count >> 8), UInt8($0.count & 0xff)] + $0 }
        #expect(try KeyConfiguration.list(strange + list) == known)
        #expect(throws: ObliviousError.noUsableKey) { try KeyConfiguration.list(strange) }
        #expect(throws: ObliviousError.noUsableKey) { try KeyConfiguration.list([]) }

        // Only what a whole configuration ends with may be cut off.
        for count in 1..<list.count where count != 47 {
            #expect(throws: ObliviousError.self, "\(count) bytes") { try KeyConfiguration.list(list.prefix(count)) }
        }
        let noPoint = [0, 78, 1, 0, 0x10] + [UInt8](repeating: 4, count: 65) + list.suffix(10)
        #expect(throws: ObliviousError.configuration(at: 5)) { try KeyConfiguration.list(noPoint) }
        #expect(throws: ObliviousError.configuration(at: 37)) {
            try KeyConfiguration.list(Bytes.changed(Array(list.prefix(47)), at: 38, by: 1))
        }
        for _ in 0..<20_000 {
            let bytes = Bytes.changed(list, at: .random(in: list.indices), by: .random(in: 1...255))
            do {
                #expect(try KeyConfiguration.list(bytes) != known)
            } catch {
                #expect(error != .unopened)
            }
        }
    }

    @Test("a key that was kept opens what was sealed before", arguments: KeyMechanism.allCases)
    func kept(mechanism: KeyMechanism) throws {
        let key = GatewayKey(id: 255, mechanism: mechanism)
        #expect(key.secretRepresentation.count == GatewayKey.secretBytes)
        let again = try #require(GatewayKey(id: 255, mechanism: mechanism, secret: key.secretRepresentation))
        #expect(again.configuration == key.configuration)
        let sealed = try SealedRequest([1, 2, 3], for: key.configuration)
        #expect(try OpenedRequest(sealed.bytes[...], by: [again]).message == [1, 2, 3])
        #expect(GatewayKey(id: 1, mechanism: mechanism, secret: Bytes.random(31)) == nil)
    }

    @Test("only what a configuration offers is sealed with, and a key that everybody could open is none")
    func offered() throws {
        let key = GatewayKey(id: 1, mechanism: .x25519).configuration
        let bare = KeyConfiguration(id: 1, mechanism: .x25519, publicKey: key.publicKey, sealings: [.aes128])
        #expect(throws: ObliviousError.unknownSuite(mechanism: 0x20, derivation: 1, sealing: 3)) {
            try SealedRequest([1], for: bare, by: .chaCha)
        }
    }

    @Test(
        "a key of small order, by which everybody knows the secret, is none: neither a gateway's nor an ephemeral one")
    func smallOrder() throws {
        let key = GatewayKey(id: 1, mechanism: .x25519)
        let orders = [
            "0000000000000000000000000000000000000000000000000000000000000000",
            "0100000000000000000000000000000000000000000000000000000000000000",
            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        ].map(Bytes.of)
        for small in orders {
            let everybodys = KeyConfiguration(id: 1, mechanism: .x25519, publicKey: small, sealings: [.aes128])
            #expect(throws: ObliviousError.configuration(at: 3)) { try SealedRequest([1], for: everybodys) }

            // Sealed as who does not look would seal it, for a key whose secret with this one is zero, too.
            let forged = try SmallPublicKey.$shown.withValue(small) {
                try SealedRequest(
                    [1], EncapsulationHeader(id: 1, mechanism: .x25519, sealing: .aes128), .aes128,
                    KeyMechanism.x25519.ciphersuite(with: .aes128),
                    to: SmallPublicKey(
                        try Curve25519.KeyAgreement.PublicKey(rawRepresentation: key.configuration.publicKey)))
            }
            #expect(Array(forged.bytes[7..<39]) == small)
            #expect(throws: ObliviousError.unopened) { try OpenedRequest(forged.bytes[...], by: [key]) }
            // The control: swift-crypto's own key opens it.
            var unchecked = try HPKE.Recipient(
                privateKey: Curve25519.KeyAgreement.PrivateKey(rawRepresentation: key.secretRepresentation),
                ciphersuite: KeyMechanism.x25519.ciphersuite(with: .aes128),
                info: EncapsulationHeader(id: 1, mechanism: .x25519, sealing: .aes128).info,
                encapsulatedKey: Data(small))
            #expect(try Array(unchecked.open(forged.bytes[39...])) == [1])
        }
    }
}

/// An X25519 key whose senders all take appendix A's ephemeral key.
private struct FixedPublicKey: HPKEDiffieHellmanPublicKey {
    typealias EphemeralPrivateKey = FixedPrivateKey

    let key: Curve25519.KeyAgreement.PublicKey

    init(_ key: Curve25519.KeyAgreement.PublicKey) { self.key = key }

    init<Bytes: ContiguousBytes>(_ serialization: Bytes, kem: HPKE.KEM) throws {
        key = try Curve25519.KeyAgreement.PublicKey(serialization, kem: kem)
    }

    func hpkeRepresentation(kem: HPKE.KEM) throws -> Data { try key.hpkeRepresentation(kem: kem) }
}

private struct FixedPrivateKey: HPKEDiffieHellmanPrivateKeyGeneration {
    private let key: Curve25519.KeyAgreement.PrivateKey

    init() {
        do {
            key = try Curve25519.KeyAgreement.PrivateKey(rawRepresentation: PublishedMessages.ephemeralSecret)
        } catch {
            preconditionFailure("any 32 bytes are an X25519 key")
        }
    }

    var publicKey: FixedPublicKey { FixedPublicKey(key.publicKey) }

    func sharedSecretFromKeyAgreement(with publicKeyShare: FixedPublicKey) throws -> SharedSecret {
        try key.sharedSecretFromKeyAgreement(with: publicKeyShare.key)
    }
}

/// A key with which others agree on zero, and show a key of small order for it.
private struct SmallPublicKey: HPKEDiffieHellmanPublicKey {
    typealias EphemeralPrivateKey = SmallPrivateKey

    @TaskLocal fileprivate static var shown: [UInt8] = []

    let key: Curve25519.KeyAgreement.PublicKey

    init(_ key: Curve25519.KeyAgreement.PublicKey) { self.key = key }

    init<Bytes: ContiguousBytes>(_ serialization: Bytes, kem: HPKE.KEM) throws {
        key = try Curve25519.KeyAgreement.PublicKey(serialization, kem: kem)
    }

    func hpkeRepresentation(kem: HPKE.KEM) throws -> Data { try key.hpkeRepresentation(kem: kem) }
}

private struct SmallPrivateKey: HPKEDiffieHellmanPrivateKeyGeneration {
    var publicKey: SmallPublicKey {
        do {
            return SmallPublicKey(try Curve25519.KeyAgreement.PublicKey(rawRepresentation: SmallPublicKey.shown))
        } catch {
            preconditionFailure("any 32 bytes are an X25519 key")
        }
    }

    func sharedSecretFromKeyAgreement(with publicKeyShare: SmallPublicKey) throws -> SharedSecret {
        // A random key agrees with a key of small order on zero, as any does.
        try Curve25519.KeyAgreement.PrivateKey().sharedSecretFromKeyAgreement(with: publicKey.key)
    }
}
