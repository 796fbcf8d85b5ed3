import Foundation
import Testing
import ThrongWire

@Suite("A hash goes over the wire as # and 32 hexadecimal digits, and as nothing else")
struct RevealedHashTests {
    @Test("it reads back what it writes, in either case")
    func roundTrip() throws {
        let hash = RevealedHash(authenticationCode: UInt8(0)..<32)
        #expect(hash.description == "#000102030405060708090a0b0c0d0e0f")
        #expect(RevealedHash(wire: Array(hash.description.utf8)) == hash)
        #expect(RevealedHash(wire: Array(hash.description.uppercased().utf8)) == hash)
        let json = try JSONEncoder().encode([hash])
        #expect(String(decoding: json, as: UTF8.self) == "[\"#000102030405060708090a0b0c0d0e0f\"]")
        #expect(try JSONDecoder().decode([RevealedHash].self, from: json) == [hash])
    }

    @Test(
        "anything else is none",
        arguments: [
            "", "#", "pie", "000102030405060708090a0b0c0d0e0f", "#000102030405060708090a0b0c0d0e0",
            "#000102030405060708090a0b0c0d0e0f0", "#000102030405060708090a0b0c0d0e0g",
            " #000102030405060708090a0b0c0d0e0f",
            "##00102030405060708090a0b0c0d0e0f",
        ])
    func malformed(text: String) {
        #expect(RevealedHash(wire: Array(text.utf8)) == nil)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([RevealedHash].self, from: Data("[\"\(text)\"]".utf8))
        }
    }

    @Test("the key's text tells apps, purposes, dimensions and windows apart")
    func keyText() {
        func text(_ app: AppName, _ purpose: PurposeName, _ dimension: DimensionName, _ window: Int64) -> String {
            String(
                decoding: RevealedHash.keyText(
                    app: app, purpose: purpose, dimension: dimension, window: WindowNumber(window)), as: UTF8.self)
        }
        #expect(text("shop", "product", "query", 20778) == "throng revealed\0shop\0product\0query\u{0}20778")
        #expect(text("a", "b", "c", 1) != text("a", "b", "c", 2))
        #expect(text("a", "bc", "d", 1) != text("ab", "c", "d", 1))
    }
}
