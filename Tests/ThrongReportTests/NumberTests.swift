import Foundation
import Testing
import ThrongPlan

@testable import ThrongReport

/// Every number of every format against sums over the drawn cells that this file makes by itself.
@Suite("a report's numbers equal an independent computation; pages round them to their margins")
struct NumberTests {
    /// One number as this file computes it; nil is withheld.
    struct Expected {
        let insight: String
        let labels: [String]
        let csv: String?
        let html: String?
        var status: String { csv == nil ? "withheld" : "published" }
    }

    /// By insight, what its withheld rows hold together, as CSV and HTML have it; the others withhold nothing, or too little.
    static var rests: [String: (csv: String, html: String)] {
        let both = whole { row, column in shop.views[row][column].devices < k }.events
        let all = whole { _, _ in true }.events
        // Of baskets, nine are left: fewer than k are no line.
        let words = "about \(shown(both)) of about \(shown(all)) actions (\(share(both, all).1))"
        return ["views_by_both": ("\(both)", words)]
    }

    /// The wholes of what is split and adds up to one.
    static var wholes: [String: String] {
        let baskets = baskets { _, _ in true }
        let europe = whole { $1 == 0 }.events
        return [
            "mean_basket": rounded(Decimal(baskets.cents) / 100 / Decimal(baskets.events), 2),
            "views_by_device": "\(whole { _, _ in true }.events)", "views_by_both": "\(whole { _, _ in true }.events)",
            "phone_share_by_region": share(whole { row, _ in row == 0 }.events, whole { _, _ in true }.events).0,
            "europe": "\(europe)", "basket_spread": "\(baskets.events)",
        ]
    }

    static let shop = Shop()
    static let k: Int64 = 20

    static func whole(_ pick: (Int, Int) -> Bool) -> (events: Int64, devices: Int64) {
        var events: Int64 = 0
        var devices: Int64 = 0
        for (row, cells) in shop.views.enumerated() {
            for (column, cell) in cells.enumerated() where pick(row, column) {
                events += cell.events
                devices += cell.devices
            }
        }
        return (events, devices)
    }

    static func baskets(_ pick: (Int, Int) -> Bool) -> (events: Int64, cents: Int64, devices: Int64) {
        var result: (events: Int64, cents: Int64, devices: Int64) = (0, 0, 0)
        for (row, cells) in shop.checkouts.enumerated() {
            for (column, cell) in cells.enumerated() where pick(row, column) {
                result.events += cell.events
                result.cents += cell.cents
                // The tracked margin of this fixture counts devices by device; a band's floor is the sum over devices.
                result.devices += cell.devices
            }
        }
        return result
    }

    static func grouped(_ number: Int64) -> String { number.formatted(.number.locale(Locale(identifier: "en_US"))) }

    /// To tens, as margins of 28 events and 15 devices have it; half to even.
    static func shown(_ number: Int64) -> String {
        let tens = number / 10
        let rest = number % 10
        return grouped((rest > 5 || rest == 5 && tens % 2 == 1 ? tens + 1 : tens) * 10)
    }

    static func count(_ cell: (events: Int64, devices: Int64)) -> (String?, String?) {
        cell.devices >= k ? ("\(cell.events)", shown(cell.events)) : (nil, nil)
    }

    static func share(_ part: Int64, _ whole: Int64) -> (String, String) {
        let fraction = Decimal(part) / Decimal(whole)
        return (rounded(fraction, 6), rounded(fraction * 100, 1) + "%")
    }

    static func rounded(_ value: Decimal, _ places: Int) -> String {
        var value = value
        var result = Decimal()
        NSDecimalRound(&result, &value, places, .bankers)
        return String(format: "%.\(places)f", NSDecimalNumber(decimal: result).doubleValue)
    }

    static var expected: [Expected] {
        var all: [Expected] = []
        func add(_ insight: String, _ labels: [BucketLabel], _ texts: (String?, String?)) {
            all.append(Expected(insight: insight, labels: labels.map(\.text), csv: texts.0, html: texts.1))
        }
        let total = whole { _, _ in true }
        add("views", [], count(total))
        add("visitors", [], ("\(total.devices)", shown(total.devices)))
        add("phone_share", [], share(whole { row, _ in row == 0 }.events, total.events))
        for (row, label) in Shop.devices.enumerated() {
            let cell = baskets { at, _ in at == row }
            let mean = rounded(Decimal(cell.cents) / 100 / Decimal(max(cell.events, 1)), 2)
            add("mean_basket", [label], cell.devices >= k ? (mean, mean) : (nil, nil))
        }
        for (row, label) in Shop.devices.enumerated() {
            add("views_by_device", [label], count(whole { at, _ in at == row }))
        }
        for (column, label) in Shop.regions.enumerated() {
            let cell = whole { _, at in at == column }
            add("region_share", [label], cell.devices >= k ? share(cell.devices, total.devices) : (nil, nil))
        }
        for (row, device) in Shop.devices.enumerated() {
            for (column, region) in Shop.regions.enumerated() {
                add("views_by_both", [device, region], count(whole { $0 == row && $1 == column }))
            }
        }
        for (column, label) in Shop.regions.enumerated() {
            let part = whole { $0 == 0 && $1 == column }
            let base = whole { $1 == column }
            let published = part.devices >= k && base.devices >= k
            add("phone_share_by_region", [label], published ? share(part.events, base.events) : (nil, nil))
        }
        for (row, label) in Shop.devices.enumerated() {
            add("europe", [label], count(whole { $0 == row && $1 == 0 }))
        }
        for (column, label) in Shop.bands.enumerated() {
            let cell = baskets { _, at in at == column }
            add("basket_spread", [label], count((cell.events, cell.devices)))
        }
        return all
    }

    @Test("CSV: every number, in order, and nothing else")
    func csv() throws {
        let lines = Self.shop.document.csv.components(separatedBy: "\r\n").dropLast().map { line in
            line.components(separatedBy: ",").map { $0.replacingOccurrences(of: "\"", with: "") }
        }
        let head = try #require(lines.first)
        #expect(
            head == [
                "insight", "period", "device", "region", "basket_value", "part", "value", "unit", "basis", "k",
                "sampling", "withheld_share", "status", "row", "numerator", "denominator", "low", "high", "margin",
                "rho",
            ])
        let derived = lines.filter { $0[12] == "derived" }
        #expect(derived.map { "\($0[0]) \($0[6])" }.sorted() == Self.rests.map { "\($0.key) \($0.value.csv)" }.sorted())
        #expect(derived.allSatisfy { $0[2...5].allSatisfy(\.isEmpty) })
        let expected = Self.expected
        #expect(derived.allSatisfy { $0[13] == "rest" })
        let wholes = lines.filter { $0[13] == "whole" }
        #expect(wholes.allSatisfy { $0[2...4].allSatisfy(\.isEmpty) || $0[0] == "europe" })
        #expect(Dictionary(uniqueKeysWithValues: wholes.map { ($0[0], $0[6]) }) == Self.wholes)
        let mean = try #require(wholes.first { $0[0] == "mean_basket" })
        let baskets = Self.baskets { _, _ in true }
        #expect(Array(mean[14...15]) == [Self.rounded(Decimal(baskets.cents) / 100, 2), "\(baskets.events)"])
        let own = lines.dropFirst().filter { $0[13] == "group" }
        try #require(own.count == expected.count)
        for (line, wanted) in zip(own, expected) {
            #expect(line[0] == wanted.insight)
            #expect(line[6] == (wanted.csv ?? ""), "\(wanted)")
            #expect(line[12] == wanted.status, "\(wanted)")
            #expect(wanted.labels.allSatisfy { line[2...4].contains($0) })
            #expect(line[9] == "20" && line[19] == "0.98")
            #expect(line[18] == (["visitors", "region_share"].contains(wanted.insight) ? "15" : "28"), "\(wanted)")
        }
    }

    @Test("JSON: every number, in order, and nothing else")
    func json() throws {
        let object = try JSONSerialization.jsonObject(with: Data(Self.shop.document.json.utf8))
        let report = try #require(object as? [String: Any])
        let insights = try #require(report["insights"] as? [[String: Any]])
        var found: [(insight: String, labels: [String], value: Double?)] = []
        for insight in insights {
            let name = try #require(insight["name"] as? String)
            let rest = insight["rest"] as? [String: Any]
            #expect((rest?["value"] as? NSNumber)?.doubleValue == Self.rests[name].flatMap { Double($0.csv) })
            #expect(rest == nil || rest?["status"] as? String == "derived")
            for row in try #require(insight["rows"] as? [[String: Any]]) {
                let labels = try #require(row["buckets"] as? [String])
                found.append((name, labels, (row["value"] as? NSNumber)?.doubleValue))
                #expect((row["status"] as? String == "withheld") == (row["value"] is NSNull))
            }
        }
        try #require(found.count == Self.expected.count)
        for (number, wanted) in zip(found, Self.expected) {
            #expect(number.insight == wanted.insight)
            #expect(number.labels == wanted.labels)
            #expect(number.value == wanted.csv.flatMap(Double.init))
        }
    }

    @Test("HTML: every count of every table, in order, rounded, and nothing else; quotients where there are some")
    func html() throws {
        let page = try PagePieces(Self.shop.document.html())
        var expected = Self.expected
        for (place, insight) in Self.shop.insights.enumerated() {
            var rows = try page.table(section: place + 1)
            let mine = expected.prefix { $0.insight == insight.name.text }
            expected.removeFirst(mine.count)
            if insight.by.count == 2 {
                rows.removeFirst(2)
                if let rest = Self.rests[insight.name.text] {
                    #expect(rows.removeLast() == ["Withheld, together", rest.html])
                }
                #expect(rows.flatMap { $0.dropFirst() } == mine.map { $0.html ?? "withheld" })
                continue
            }
            rows.removeFirst()
            if rows.count > mine.count { #expect(rows.removeLast().first == "All") }
            if let rest = Self.rests[insight.name.text] {
                #expect(rows.removeLast().prefix(2) == ["Withheld, together", rest.html])
            }
            #expect(rows.count == mine.count)
            let isCount = ["views", "visitors", "views_by_device", "europe", "basket_spread"].contains(
                insight.name.text)
            for (row, wanted) in zip(rows, mine) {
                let label = wanted.labels.first.map { Language.english.band($0, unit: "EUR") ?? $0 }
                #expect(row[0] == label ?? "All")
                #expect((row[1] == "withheld") == (wanted.html == nil))
                if isCount { #expect(row[1] == wanted.html ?? "withheld") }
                #expect(wanted.html != nil || row.count == 2)
            }
        }
        #expect(expected.isEmpty)
    }

    @Test("the withheld share is what the published parts leave of the published whole")
    func withheldShare() throws {
        let answers = Self.shop.document.answers
        for (name, published) in [("views_by_both", 24_500), ("mean_basket", 1322)] as [(InsightName, Int64)] {
            let answer = try #require(answers.first { $0.insight.name == name }?.answered)
            let views = Self.whole { _, _ in true }.events
            let whole = name == "views_by_both" ? views : Self.baskets { _, _ in true }.events
            let left = whole - published
            #expect(answer.table.rest?.known == (left > 28 ? left : nil))
            #expect(answer.table.rest?.whole == whole)
        }
    }

    @Test("a quotient is rounded half to even, without floating point")
    func rounding() {
        #expect(Decimals(1, over: 8, places: 2).description == "0.12")
        #expect(Decimals(3, over: 8, places: 2).description == "0.38")
        #expect(Decimals(-1, over: 8, places: 2).description == "-0.12")
        #expect(Decimals(-7, over: 2, places: 0).description == "-4")
        #expect(Decimals(.max, over: 1, places: 6).description == "9223372036854775807.000000")
        #expect(Language.english.text(Decimals(123_456_789, shiftedBy: 2, over: 1, places: 2)) == "1,234,567.89")
        #expect(Language.english.percent(1, of: 100_000) == "<0.1%")
        #expect(Language.english.percent(99_999, of: 100_000) == ">99.9%")
        #expect(Language.english.percent(1, of: 3) == "33.3%")
    }
}
