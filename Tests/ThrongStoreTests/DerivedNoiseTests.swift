import TestCluster
import Testing
import ThrongChance
import ThrongNoise
import ThrongPlan
import ThrongRelease

@testable import ThrongPostgres
@testable import ThrongStore

@Suite("A restored database repeats its draws, from a secret that it does not hold")
struct DerivedNoiseTests {
    private static func released(_ secret: DrawSecret?) async throws -> [Int64] {
        // Another database in which the same was counted: what a restore from before the draw comes to.
        let house = try await NoiseStoreTests.House(epsilon: 1)
        let store = NoiseStore(ReleaseStore(house.settings), secret: secret)
        guard case .released(let release) = try await store.release(house.request()) else { return [] }
        return release.cells.map(\.count)
    }

    @Test("the same counters are drawn the same again; without the secret, or with another, they are not")
    func restored() async throws {
        let secret = DrawSecret(bytes: TieSecret().bytes)
        let first = try await Self.released(secret)
        #expect(first.count == 4)
        #expect(try await Self.released(secret) == first)
        #expect(try await Self.released(nil) != first)
        #expect(try await Self.released(DrawSecret(bytes: TieSecret().bytes)) != first)
    }
}
