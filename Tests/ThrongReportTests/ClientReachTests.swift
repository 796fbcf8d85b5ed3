import Foundation
import Testing
import ThrongPlan

@testable import ThrongReport

@Suite("What devices say themselves is reported as that, and withheld like everything else")
struct ClientReachTests {
    private func rows(_ name: InsightName, _ kitchen: Kitchen) throws -> [String: [Int64]?] {
        let answer = try #require(try kitchen.document.answers.first { $0.insight.name == name }?.answered)
        return Dictionary(
            uniqueKeysWithValues: answer.table.rows.map { row in
                (row.buckets.map(\.text).joined(separator: " "), row.figure.terms)
            })
    }

    @Test("where only week 0 is published, nobody is said to have come back")
    func weekZero() throws {
        var kitchen = try Kitchen()
        kitchen.back[2] = [1200, nil, nil, nil]
        let answer = try #require(try kitchen.document.answers.first { $0.insight.name == "back" })
        #expect(answer.sentence == "Every number of those who came back is \(Withheld.wording).")
    }

    @Test("reach by clients' firsts is their number, not that of a window, and says so in every format")
    func firsts() throws {
        let kitchen = try Kitchen()
        #expect(try rows("cooks", kitchen) == ["": [2400]])
        #expect(try rows("cooks_by_system", kitchen) == ["iOS": [1500], "Android": [900], "other": nil])
        #expect(
            try rows("share_by_system", kitchen) == ["iOS": [1500, 2400], "Android": [900, 2400], "other": nil])
        let document = try kitchen.document
        #expect(
            document.csv.contains(
                "cooks,2026-W47,,,,,2400,devices,\"devices: as clients say, each at its first event of the period\",20,"
            ))
        #expect(document.json.contains(#""devices": "client_firsts""#))
        let page = try document.html()
        #expect(page.contains("About 2,400 devices, as they say themselves; off by at most 15 in 19 of 20 cases."))
        #expect(page.contains("Counts devices as they say themselves, once in the period"))
        #expect(!page.contains("seen within one window"), "that is another number")
    }

    @Test("a retention is each week's devices as a share of week 0's, by system too; a withheld side withholds it")
    func retention() throws {
        var kitchen = try Kitchen()
        #expect(
            try rows("back", kitchen) == [
                "0": [1200, 1200], "1": [300, 1200], "2": [175, 1200], "3": [60, 1200], "other": nil,
            ])
        let bySystem = try rows("back_by_system", kitchen)
        #expect(bySystem["iOS 1"] == [240, 800])
        #expect(bySystem["Android 2"] == [55, 400])
        for withheld in ["iOS 3", "Android 1", "other 0"] { #expect(bySystem[withheld] == .some(nil), "\(withheld)") }
        kitchen.back[2][0] = nil
        #expect(try rows("back", kitchen).values.allSatisfy { $0 == nil }, "nothing to divide by")
    }

    @Test("a frequency is the devices of each band, of all that answered, with the rest of what is withheld")
    func frequency() throws {
        let kitchen = try Kitchen()
        #expect(
            try rows("often", kitchen) == ["<1": nil, "1-2": [900], "2-5": [410], ">=5": [75], "other": nil])
        let answer = try #require(try kitchen.document.answers.first { $0.insight.name == "often" }?.answered)
        #expect(answer.table.whole == .published(.drawn(1400, of: .devices, within: 15)))
        #expect(answer.table.rest?.quantity == nil, "fifteen are fewer than k")
        #expect(answer.basis.devices == .answers)
        #expect(answer.basis.statement == "devices: as they answer by themselves, once a period")
    }

    @Test("the pages say it in sentences")
    func sentences() throws {
        let page = try Kitchen().document.html()
        #expect(page.contains("In week 3 after their first, about 60 devices came back: about "))
        #expect(page.contains("“once” is the most frequent, with about 900 of about 1,400 devices (64%); off by"))
    }

    @Test("the JSON is what its schema says", .enabled(if: ForeignReaderTests.has("jsonschema")))
    func schema() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let program = """
            import json, sys, jsonschema
            jsonschema.Draft202012Validator(json.load(open(sys.argv[1]))).validate(json.load(sys.stdin))
            """
        let schema = root.appending(path: "Schema/report.schema.json").path()
        #expect(try ForeignReaderTests.python(program, try Kitchen().document.json, [schema]).status == 0)
    }
}
