import Foundation
import Testing
import ThrongPlan

@_spi(Ledger) @testable import ThrongRelease

@Suite("A published number is made by deciding, or by the ledger, which checks it; by nothing else")
struct SealTests {
    /// What may ask for the ledger's ways to a release: reading back.
    private static let ledger: Set<String> = ["ThrongStore/Releases/ReleaseStore+Ledger.swift"]
    private static let sources = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: "Sources")

    /// The product's Swift files, by their path below Sources.
    private static func files() throws -> [String: String] {
        let all = try #require(FileManager.default.enumerator(atPath: sources.path))
        var texts: [String: String] = [:]
        for case let path as String in all where path.hasSuffix(".swift") {
            texts[path] = try String(contentsOf: sources.appending(path: path), encoding: .utf8)
        }
        return texts
    }

    @Test("the ledger's ways to a release are asked for in one file of the store and nowhere else")
    func imports() throws {
        let files = try Self.files()
        #expect(files.count > 300, "the sources were not found")
        let found = files.filter { $0.value.contains("@_spi(Ledger)") && !$0.key.hasPrefix("ThrongRelease/") }
        #expect(Set(found.keys) == Self.ledger)
        for (path, text) in files { #expect(!text.contains("@testable import"), "\(path)") }
    }

    @Test(
        "every way to a release or a published number that other targets see is the ledger's, but for deciding on a case"
    )
    func initializers() throws {
        let files = try Self.files()
        var open: [String] = []
        for name in ["Released/PublishedCell", "Released/Release"] {
            let text = try #require(files["ThrongRelease/\(name).swift"])
            let lines = text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
            open += zip(lines, lines.dropFirst()).filter {
                $0.0.hasPrefix("package init") || $0.0.hasPrefix("public init")
            }
            .map { "\(name): \($0) \($1)" }
        }
        #expect(open == [], "\(open)")
        // Written out by name only where it is decided, and where the ledger's rows are taken.
        let makers = files.filter { $0.value.contains("PublishedCell(") }.keys.sorted()
        #expect(
            makers == ["ThrongRelease/Decision/MarginCase.swift", "ThrongRelease/Released/Release.swift"])
    }

    private static let town = Town([Town.dimension("os", ["ios", "android"])], groupings: [[], [0]])
    private static let header = town.header(Town.day(0), groupings: [[], [0]])

    private static func row(
        _ cell: UInt32, margin: Margin = Margin(keeping: [0]), sums: [Int64] = [], reach: Int64? = nil,
        firsts: Int64? = nil
    ) -> Release.Row {
        Release.Row(
            margin: margin, cell: CellIndex(cell), count: 500, sums: sums,
            reach: reach.map { DeviceFloor(devices: $0) }, firsts: firsts)
    }

    @Test("what age left is read back where it fits what was released, and refused where a row can't have been in it")
    func decayed() throws {
        let k = Self.header.threshold.devices
        let good = [Self.row(0, reach: k), Self.row(1, firsts: k)]
        #expect(try Release(decayed: Self.header, dropped: [], cells: good).cells.count == 2)
        let size = UInt32(Self.town.layout.size(of: Margin(keeping: [0])))
        let bad: [String: Release.Row] = [
            "a cell twice": Self.row(0), "a cell that the layout has not": Self.row(size),
            "a sum": Self.row(1, sums: [1]),
            "too few devices": Self.row(1, reach: k - 1), "too few firsts": Self.row(1, firsts: k - 1),
        ]
        for (name, row) in bad {
            #expect(throws: ReleaseError.altered(metric: Self.header.layout.metric, period: Town.day(0)), "\(name)") {
                try Release(decayed: Self.header, dropped: [], cells: [Self.row(0), row])
            }
        }
    }
}
