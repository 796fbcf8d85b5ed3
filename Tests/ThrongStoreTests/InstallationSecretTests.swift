import Foundation
import TestCluster
import Testing
import ThrongNoise
import ThrongPlan
import ThrongRelease

@testable import ThrongPostgres
@testable import ThrongStore

@Suite("A restored database repeats its draws, from a secret that it does not hold")
struct InstallationSecretTests {
    private static func folder() throws -> String {
        let path = FileManager.default.temporaryDirectory.path + "/throng-secret-\(UUID().uuidString)"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        return path
    }

    private static func released(_ secret: InstallationSecret?) async throws -> [Int64] {
        // Another database in which the same was counted: what a restore from before the draw comes to.
        let house = try await NoiseStoreTests.House(epsilon: 1)
        let store = NoiseStore(ReleaseStore(house.settings), secret: secret)
        guard case .released(let release) = try await store.release(house.request()) else { return [] }
        return release.cells.map(\.count)
    }

    @Test("the same counters are drawn the same again; without the secret, or with another, they are not")
    func restored() async throws {
        let path = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let secret = try InstallationSecret.kept(inDataPath: path)
        let first = try await Self.released(secret)
        #expect(first.count == 4)
        #expect(try await Self.released(try InstallationSecret.kept(inDataPath: path)) == first)
        #expect(try await Self.released(nil) != first)
    }

    @Test("the file is made once, for its owner's eyes, and refused where others may read it or it is something else")
    func file() throws {
        let path = try Self.folder()
        defer { try? FileManager.default.removeItem(atPath: path) }
        let file = path + "/installation.secret"
        #expect(try InstallationSecret(dataPath: path) == nil)
        let secret = try InstallationSecret.kept(inDataPath: path)
        #expect(secret.bytes.count == 32 && Set(secret.bytes).count > 8)
        #expect(try InstallationSecret.kept(inDataPath: path).bytes == secret.bytes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: path) == ["installation.secret"])
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
        #expect(throws: InstallationSecretError.exposed(path: file, mode: 0o100640)) {
            try InstallationSecret.kept(inDataPath: path)
        }
        try FileManager.default.removeItem(atPath: file)
        _ = FileManager.default.createFile(
            atPath: file, contents: Data("0123\n".utf8), attributes: [.posixPermissions: 0o600])
        #expect(throws: InstallationSecretError.noSecret(path: file)) { try InstallationSecret(dataPath: path) }
    }
}
