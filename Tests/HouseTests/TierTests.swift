import Foundation
import Testing

@Suite("Tests have tiers, and the first one sees every promise")
struct TierTests {
    /// A test that only `Deploy/test --all` runs.
    private struct Entry {
        let line: String
        /// Such as `EndToEndTests.EdgeTests/contract`.
        let name: String
        let reason: String

        init(_ line: Substring) {
            let words = line.split(separator: " ", maxSplits: 1)
            self.line = String(line)
            name = String(words.first ?? "")
            reason = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : ""
        }
    }

    private static func secondTier() throws -> [Entry] {
        try House.text("Tests/second-tier").split(separator: "\n").filter { !$0.hasPrefix("#") }.map(Entry.init)
    }

    /// The tests that see a promise of the design's first page with a whole daemon, by the promise's number.
    private static let witnesses: [(promise: Int, tests: [String])] = [
        (1, ["NoPersonAtRestTests/canary"]),
        (2, ["EdgeTests/contract"]),
        (3, ["EndToEndTests/firstLight", "FaultTests/crash", "FaultTests/powerLoss", "FaultTests/database"]),
        (4, ["EndToEndTests/firstLight", "EdgeTests/attested"]),
        (5, ["MarginAttackTests/attack"]),
        (6, ["EndToEndTests/proved", "EndToEndTests/deleted"]),
        (7, ["OutsideTests/readme", "OutsideTests/panel"]),
        (8, ["EdgeTests/oblivious", "OutsideTests/senders", "EdgeTests/attested"]),
        (9, ["OutsideTests/deliveries", "OutsideTests/explorer"]),
    ]

    @Test("each test of the second tier exists, stands there once, and says why it can wait")
    func entries() throws {
        let entries = try Self.secondTier()
        #expect(!entries.isEmpty)
        for entry in entries {
            #expect(exists(entry.name), "Tests/second-tier: there is no test '\(entry.name)'")
            #expect(entry.reason.count > 10, "Tests/second-tier: no reason in '\(entry.line)'")
        }
        let names = entries.map(\.name)
        #expect(names.count == Set(names).count, "a test stands there twice")
        #expect(names == names.sorted(), "the lines are not sorted")
    }

    @Test(
        "a name that is no test is found out",
        arguments: ["EndToEndTests.EdgeTests/contrac", "EndToEndTests.NoTests/contract", ""])
    func wrongName(name: String) { #expect(!exists(name)) }

    @Test("every promise has a whole daemon that sees it in the first tier", arguments: 1...9)
    func promises(number: Int) throws {
        let tests = try #require(Self.witnesses.first { $0.promise == number }?.tests)
        let later = Set(try Self.secondTier().map(\.name))
        for test in tests {
            #expect(exists("EndToEndTests.\(test)"), "there is no test EndToEndTests.\(test)")
            #expect(
                !later.contains("EndToEndTests.\(test)"), "\(test) sees promise \(number), and is in the second tier")
        }
    }

    /// Whether a target has a suite with such a function.
    private func exists(_ name: String) -> Bool {
        let parts = name.split { $0 == "." || $0 == "/" }.map(String.init)
        guard parts.count == 3 else { return false }
        return House.tests.contains { file in
            file.path.hasPrefix("Tests/\(parts[0])/")
                && (file.declarations.contains { $0.name == parts[1] } || file.extended.contains(parts[1]))
                && zip(file.tokens, file.tokens.dropFirst()).contains { $0.isWord("func") && $1.isWord(parts[2]) }
        }
    }
}
