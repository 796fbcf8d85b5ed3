import Foundation
import Testing
import ThrongSystem

@testable import throng_lab

@Suite("attack 38: two runs over one table hide the same cells where they have one secret")
struct SecretTests {
    /// One small cell, and four of which any may protect it.
    private static let rows = ["x,3", "y,40", "z,40", "v,40", "w,40"]

    private static func protected(_ rows: [String], _ secret: TieSecret) throws -> ProtectedTable {
        let table = try Table(csv: (["a,count"] + rows).joined(separator: "\n"), file: "t.csv", columns: .init())
        let cube = try TableCube(
            of: LinkedTables([.init(table, file: "t.csv")]), hierarchies: [:],
            rule: .init(threshold: 5, percent: nil, cost: .count), knowsContributions: false)
        let seed = secret.seed(for: "suppress", [Array("a".utf8)])
        return try ProtectedTable(cube, options: SuppressionOptions(seed: seed, attempts: 3, isStrict: true))
    }

    /// What both runs published together: the codes with their counts.
    private static func union(_ runs: [ProtectedTable]) -> [String: Int64] {
        var known: [String: Int64] = [:]
        for run in runs {
            for (place, cell) in run.cube.cells.enumerated() where run.pattern.isPublished[place] {
                known[cell.codes[0]] = cell.count
            }
        }
        return known
    }

    /// The small cell as the total less all others; nil where one of these is not known.
    private static func stolen(_ known: [String: Int64]) -> Int64? {
        let others = rows.map { String($0.prefix(1)) }.filter { $0 != "x" }.map { known[$0] }
        guard let total = known["Total"], !others.contains(nil) else { return nil }
        return total - others.compactMap(\.self).reduce(0, +)
    }

    @Test("runs with one secret, in whatever order the rows come, publish the same bytes")
    func alike() throws {
        for _ in 0..<20 {
            let secret = TieSecret()
            let runs = try [Self.rows, Self.rows.reversed(), [2, 0, 4, 1, 3].map { Self.rows[$0] }].map {
                try Self.protected($0, secret)
            }
            #expect(Set(runs.map { $0.csv() }).count == 1)
            #expect(Self.stolen(Self.union(runs)) == nil)
        }
    }

    @Test("the control: runs with secrets of their own hide different cells, and together give the small one away")
    func control() throws {
        let first = try Self.protected(Self.rows, TieSecret())
        let other = try (0..<200).lazy.map { _ in try Self.protected(Self.rows, TieSecret()) }
            .first { $0.csv() != first.csv() }
        let both = [first, try #require(other)]
        #expect(both.allSatisfy { Self.stolen(Self.union([$0])) == nil })
        #expect(Self.stolen(Self.union(both)) == 3)
    }

    @Test("a seed follows from the secret and from every part of what is decided, and from nothing else")
    func seeds() throws {
        let secret = try #require(TieSecret(hex: String(repeating: "0f", count: 32) + "\n"))
        #expect(secret.seed(for: "a", [[1], [2, 3]]) == secret.seed(for: "a", [[1], [2, 3]]))
        let seeds = [
            secret.seed(for: "a", [[1], [2, 3]]), secret.seed(for: "a", [[1, 2], [3]]),
            secret.seed(for: "b", [[1], [2, 3]]),
            secret.seed(for: "a", [[1], [2, 3], []]), TieSecret().seed(for: "a", [[1], [2, 3]]),
        ]
        #expect(Set(seeds).count == seeds.count)
        // As computed with Python's hmac.
        #expect(secret.seed(for: "a", [[1], [2, 3]]) == 0xc675f60b6c9d3b1f)
    }

    @Test(
        "what is not 64 hexadecimal digits is no secret",
        arguments: ["", "0f", String(repeating: "0", count: 63) + "g"])
    func malformed(text: String) { #expect(TieSecret(hex: text) == nil) }

    @Test("a secret's file is for its owner only, is made once, and is read by all that follow")
    func file() throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/secret"
        #expect(throws: TieSecretError.missing(path: path)) { try TieSecret(file: path, as: .suppressSecret) }
        let secret = try TieSecret.made(at: path, as: .suppressSecret)
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["secret"])
        #expect(throws: TieSecretError.exists(path: path)) { try TieSecret.made(at: path, as: .suppressSecret) }
        for kept in [
            try TieSecret(file: path, as: .suppressSecret), try TieSecret.kept(at: path, as: .suppressSecret),
        ] {
            #expect(kept.seed(for: "a", []) == secret.seed(for: "a", []))
        }
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        #expect(throws: TieSecretError.exposed(path: path, mode: 0o640)) { try TieSecret.kept(at: path) }
        try Data("secret\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        let damage = FileDamage(path: path, kind: .installationSecret, flaw: .foreign)
        #expect(throws: TieSecretError.damaged(damage)) { try TieSecret.kept(at: path) }
    }
}
