import Foundation
import Probe
import Testing
import ThrongWire

@testable import ThrongClient

@Suite("Identifiers of two purposes or windows can't be linked")
struct IdentifierTests {
    private func memory(_ seed: UInt64) -> DeviceMemory {
        var random = RandomSource.seeded(seed)
        var memory = DeviceMemory(address: "")
        memory.makeSecret(&random)
        return memory
    }

    @Test("one device has one identifier in a window of a purpose, and 128 other bits in every other")
    func property() {
        var seen: Set<String> = []
        var differing = 0
        var pairs = 0
        for seed in 0..<40 as Range<UInt64> {
            let device = memory(seed)
            var last: [UInt8]?
            for purpose in ["product", "adverts", "product2"] {
                for window in 20_000..<20_020 as Range<Int64> {
                    let text = device.identifier(purpose: purpose, window: window)
                    #expect(text == device.identifier(purpose: purpose, window: window))
                    #expect(text.count == 32)
                    #expect(seen.insert(text).inserted)
                    let bytes = Self.bytes(text)
                    if let last {
                        differing += zip(bytes, last).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
                        pairs += 1
                    }
                    last = bytes
                }
            }
        }
        // Half of the bits differ between neighbours: 2,360 pairs of 128 bits, five standard deviations.
        let mean = Double(differing) / Double(pairs)
        #expect(abs(mean - 64) < 5 * (32 / Double(pairs)).squareRoot())
    }

    @Test("names of purposes and numbers of windows can't be written so that two pairs look alike")
    func framing() {
        let device = memory(3)
        #expect(device.identifier(purpose: "a", window: 11) != device.identifier(purpose: "a1", window: 1))
        #expect(device.identifier(purpose: "a", window: -1) != device.identifier(purpose: "a-", window: 1))
    }

    @Test("who records all that the daemon gets matches devices across windows no better than by guessing")
    func recordedStream() async throws {
        let cook = try CookPlan()
        let daemon = try Daemon(cook)
        var owners: [String: Int] = [:]
        let devices = 60
        let windows = 12
        for device in 0..<devices {
            let storage = MemoryStorage()
            let world = try await World(cook, storage: storage, seed: UInt64(device) + 100, daemon: daemon)
            for window in 0..<windows {
                world.clock.set(CookPlan.monday + CookPlan.day / 2 + Int64(window) * CookPlan.day)
                world.throng.record("recipe_opened", ["category": "cake"])
                world.throng.record("arrival", ["campaign": "spring"])
                _ = await world.throng.flush()
            }
            let own = try world.line.posts.map { try JSONDecoder().decode(Batch.self, from: $0.body) }
            for batch in own { owners[try #require(batch.id)] = device }
            // The secret is on the device's disk, and nowhere in what it sent.
            let secret = try #require(Self.secret(in: storage))
            let hex = secret.map { String($0, radix: 16) }.joined()
            for post in world.line.posts {
                let body = String(decoding: post.body, as: UTF8.self)
                #expect(!body.contains(secret.base64EncodedString()) && !body.contains(hex))
            }
        }
        let batches = daemon.batches
        #expect(batches.count == devices * windows * 2)
        #expect(Set(batches.map(\.id)).count == batches.count)
        #expect(Set(batches.map(\.batch)).count == batches.count)
        // The attacker takes, for each identifier, the one in the next window, or of the other purpose, that is nearest
        // in bits, in leading characters, or arrived at the same place in the stream's order by value.
        let daily = Dictionary(grouping: batches.filter { $0.purpose == "product" }, by: \.window)
        let adverts = Dictionary(grouping: batches.filter { $0.purpose == "adverts" }, by: { $0.window / 96 })
        var hits = [0, 0, 0]
        var tries = 0
        for window in daily.keys {
            for candidates in [daily[window + 1], adverts[window]] {
                guard let candidates, let own = daily[window], candidates.count > 1 else { continue }
                let sorted = candidates.compactMap(\.id).sorted()
                for (rank, id) in own.compactMap(\.id).sorted().enumerated() {
                    tries += 1
                    let guesses = [
                        sorted.min { Self.distance($0, id) < Self.distance($1, id) },
                        sorted.max { $0.commonPrefix(with: id).count < $1.commonPrefix(with: id).count },
                        sorted[min(rank, sorted.count - 1)],
                    ]
                    for (place, guess) in guesses.enumerated() where guess.flatMap({ owners[$0] }) == owners[id] {
                        hits[place] += 1
                    }
                }
            }
        }
        // Guessing hits one in sixty: about 23 of 1,380; 60 would be eight standard deviations off.
        #expect(tries > 1000)
        for count in hits { #expect(count < 60, "\(hits) of \(tries)") }
    }

    private static func secret(in storage: MemoryStorage) -> Data? {
        struct Kept: Decodable { let secret: Data }
        return storage.read("cook-memory.json").flatMap { try? JSONDecoder().decode(Kept.self, from: $0).secret }
    }

    private static func bytes(_ hex: String) -> [UInt8] {
        var rest = Substring(hex)
        var bytes: [UInt8] = []
        while !rest.isEmpty {
            bytes.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
            rest = rest.dropFirst(2)
        }
        return bytes
    }

    private static func distance(_ left: String, _ right: String) -> Int {
        zip(bytes(left), bytes(right)).reduce(0) { $0 + ($1.0 ^ $1.1).nonzeroBitCount }
    }
}
