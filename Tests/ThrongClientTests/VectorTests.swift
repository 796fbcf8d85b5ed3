import Foundation
import Testing
import ThrongIngest
import ThrongPlan
import ThrongWire

@testable import ThrongClient

/// Deploy/conform/vectors.json: what the Swift client makes of a secret, and the daemon of a value.
@Suite("The vectors for clients in other languages have the Swift client's identifiers and the daemon's hashes")
struct VectorTests {
    private struct Vectors: Decodable {
        struct Identifier: Decodable {
            let secret: String
            let purpose: String
            let window: Int64
            let identifier: String
        }
        struct Hash: Decodable {
            let app: String
            let purpose: String
            let dimension: String
            let window: Int64
            let value: String
            let hash: String
        }
        let identifiers: [Identifier]
        let hashes: [Hash]
    }

    private static func vectors() throws -> Vectors {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(path: "../..")
        return try JSONDecoder().decode(
            Vectors.self, from: Data(contentsOf: root.appending(path: "Deploy/conform/vectors.json")))
    }

    /// A memory with a secret that is given in hexadecimal digits.
    private static func memory(_ secret: String) throws -> DeviceMemory {
        let digits = Array(secret)
        let bytes = stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(digits[$0...$0 + 1]), radix: 16)
        }
        let encoded = try JSONEncoder().encode(DeviceMemory(address: ""))
        var members = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        members["secret"] = Data(bytes).base64EncodedString()
        return try JSONDecoder().decode(DeviceMemory.self, from: JSONSerialization.data(withJSONObject: members))
    }

    @Test("identifiers are the client's")
    func identifiers() throws {
        let vectors = try Self.vectors().identifiers
        for each in vectors {
            let found = try Self.memory(each.secret).identifier(purpose: each.purpose, window: each.window)
            #expect(found == each.identifier)
        }
        #expect(Set(vectors.map(\.identifier)).count == 4)
    }

    @Test("hashes of revealed values are the daemon's")
    func hashes() throws {
        let vectors = try Self.vectors().hashes
        for each in vectors {
            let window = WindowID(
                app: AppName(each.app), purpose: PurposeName(each.purpose), rotation: Rotation(seconds: 86_400),
                number: WindowNumber(each.window))
            let key = RevealedKey(of: DimensionName(each.dimension), in: window)
            #expect(key.hash(BucketLabel(each.value)).description == each.hash)
        }
        #expect(vectors.first?.hash == "#78c14968923689efac0e2ae773b3cdf9")
    }
}
