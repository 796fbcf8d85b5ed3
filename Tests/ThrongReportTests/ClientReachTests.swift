import Foundation
import Testing
import ThrongPlan

@testable import ThrongInsight
@testable import ThrongReport

@Suite("What devices say themselves is reported as that, and withheld like everything else")
struct ClientReachTests {
    private func rows(_ name: InsightName, _ kitchen: Kitchen) throws -> [String: Figure] {
        let answer = try #require(try kitchen.document.answers.first { $0.insight.name == name }?.answered)
        return Dictionary(
            uniqueKeysWithValues: answer.table.rows.map { ($0.buckets.map(\.text).joined(separator: " "), $0.figure) })
    }

    @Test("where only week 0 is published, nobody is said to have come back")
    func weekZero() throws {
        var kitchen = try Kitchen()
        kitchen.back[2] = [1200, nil, nil, nil]
        let answer = try #require(try kitchen.document.answers.first { $0.insight.name == "back" })
        #expect(answer.sentence == "Every number of those who came back is \(Withheld.wording).")
    }

    @Test("reach by clients' firsts is their number, not the floor, and says so in every format")
    func firsts() throws {
        let kitchen = try Kitchen()
        #expect(try rows("cooks", kitchen) == ["": .published(.said(2400))])
        #expect(
            try rows("cooks_by_system", kitchen) == [
                "iOS": .published(.said(1500)), "Android": .published(.said(900)), "other": .withheld,
            ])
        #expect(
            try rows("share_by_system", kitchen) == [
                "iOS": .published(.share(part: 1500, whole: 2400)),
                "Android": .published(.share(part: 900, whole: 2400)), "other": .withheld,
            ])
        let document = try kitchen.document
        #expect(
            document.csv.contains(
                "cooks,2026-W47,,,,,2400,devices,\"devices: as clients say, each at its first event of the period\",20,"
            ))
        #expect(document.json.contains(#""devices": "client_firsts""#))
        let page = try document.html()
        #expect(page.contains("2,400 devices, as they say themselves."))
        #expect(page.contains("Counts devices: as clients say, each at its first event of the period"))
        #expect(!page.contains("seen within one window"), "no floor is shown as one")
    }

    @Test("a retention is each week's devices as a share of week 0's, by system too; a withheld side withholds it")
    func retention() throws {
        var kitchen = try Kitchen()
        #expect(
            try rows("back", kitchen) == [
                "0": .published(.settled(part: 1200, whole: 1200)), "1": .published(.share(part: 300, whole: 1200)),
                "2": .published(.share(part: 175, whole: 1200)), "3": .published(.share(part: 60, whole: 1200)),
                "other": .withheld,
            ])
        let bySystem = try rows("back_by_system", kitchen)
        #expect(bySystem["iOS 1"] == .published(.share(part: 240, whole: 800)))
        #expect(bySystem["Android 2"] == .published(.share(part: 55, whole: 400)))
        #expect(bySystem["iOS 3"] == .withheld)
        #expect(bySystem["Android 1"] == .withheld)
        #expect(bySystem["other 0"] == .withheld)
        kitchen.back[2][0] = nil
        #expect(try rows("back", kitchen).values.allSatisfy { $0 == .withheld }, "nothing to divide by")
    }

    @Test("a frequency is the devices of each band, of all that answered, with the rest of what is withheld")
    func frequency() throws {
        let kitchen = try Kitchen()
        #expect(
            try rows("often", kitchen) == [
                "<1": .withheld, "1-2": .published(.said(900)), "2-5": .published(.said(410)),
                ">=5": .published(.said(75)), "other": .withheld,
            ])
        let answer = try #require(try kitchen.document.answers.first { $0.insight.name == "often" }?.answered)
        #expect(answer.table.whole == .published(.said(1400)))
        #expect(answer.table.rest?.quantity == nil, "fifteen are fewer than k")
        #expect(answer.basis.devices == .answers)
        #expect(answer.basis.statement == "devices: as they answer by themselves, once a period")
    }

    @Test("the pages say it in sentences")
    func sentences() throws {
        let page = try Kitchen().document.html()
        #expect(page.contains("In week 3 after their first, 60 devices came back: 5.0% of the 1,200 of week 0"))
        #expect(page.contains("“once” is the fullest published band, with 900 of 1,400 devices (64.3%)."))
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
