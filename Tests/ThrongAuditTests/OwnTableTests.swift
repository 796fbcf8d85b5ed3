import Testing
import ThrongAudit

@Suite("Attacks on a table of one's own, as throng suppress writes it")
struct OwnTableTests {
    /// Two towns in the south, two in the north.
    private static let parents = [
        "rome": ["rome", "south", "All"], "nice": ["nice", "south", "All"], "oslo": ["oslo", "north", "All"],
        "turku": ["turku", "north", "All"], "south": ["south", "All"], "north": ["north", "All"],
    ]

    private static func audit(_ lines: [String]) -> AuditReport {
        var input = AuditInput()
        let text = "place,count,status\r\n" + lines.map { $0 + "\r\n" }.joined()
        input.add(table: text, name: "towns.csv", threshold: 5) { _, code in
            // What a hierarchy says of its own root is what throng's says: that nothing is above it but the total.
            parents[code] ?? [code, "Total"]
        }
        #expect(input.unread.isEmpty)
        return Town.audit(input)
    }

    @Test("a town less than its region follows from the region's total")
    func region() throws {
        let report = Self.audit([
            "nice,,withheld", "rome,30,published", "oslo,20,published", "turku,40,published", "south,33,published",
            "north,60,published", "All,93,published",
        ])
        let pin = try #require(report.pin(.exact, "place=nice"))
        #expect(pin.upper == 3 && report.pins.count == 1)
    }

    @Test("two towns withheld together are safe, and levels are not taken for parts of each other")
    func safe() {
        let report = Self.audit([
            "nice,,withheld", "rome,,withheld", "oslo,20,published", "turku,40,published", "south,33,published",
            "north,60,published", "All,93,published",
        ])
        #expect(report.holds && report.notices.isEmpty && report.cleared > 0 && report.unproved == 0)
    }

    @Test("tables over the same leaves are attacked together, each with its own total: 205 less 200")
    func linked() throws {
        func audit(_ names: [String]) -> AuditReport {
            let tables = [
                "near": "country,count,status\r\nAT,105,published\r\nDE,95,published\r\nTotal,200,published\r\n",
                "far": "country,count,status\r\nAT,105,published\r\nDE,95,published\r\nLI,,withheld\r\nLU,,withheld\r\n"
                    + "Total,204,published\r\n",
            ]
            var input = AuditInput()
            input.add(
                tables: names.map { .init(text: tables[$0] ?? "", name: $0) }, threshold: 5
            ) { _, code in [code == "Total" ? ["Total"] : [code, "Total"]] }
            #expect(input.unread.isEmpty)
            return Town.audit(input)
        }
        #expect(audit(["near"]).holds)
        #expect(!audit(["near", "far"]).holds)
    }

    @Test("a code with two parents: a region less its one place at the coast")
    func crossing() throws {
        func audit(_ coast: String) -> AuditReport {
            var input = AuditInput()
            let text =
                "place,count,status\r\na,,withheld\r\nb,,withheld\r\nc,40,published\r\nd,,withheld\r\nnorth,33,published\r\n"
                + "south,,withheld\r\ncoast,\(coast)\r\ninland,,withheld\r\nTotal,,withheld\r\n"
            let regions = ["a": "north", "b": "north", "c": "south", "d": "south"]
            let markets = ["a": "coast", "b": "inland", "c": "inland", "d": "inland"]
            input.add(tables: [.init(text: text, name: "t")], threshold: 5) { _, code in
                [regions, markets].map { tree in tree[code].map { [code, $0, "Total"] } ?? [code, "Total"] }
            }
            return Town.audit(input)
        }
        #expect(audit(",withheld").holds)
        let pin = try #require(audit("30,published").pin(.exact, "place=b"))
        #expect(pin.upper == 3)
    }

    @Test("a file that is no protected table is named as unread, with the line where it breaks")
    func unread() {
        var input = AuditInput()
        input.add(table: "place,count\nrome,3\n", name: "a.csv", threshold: 5) { _, code in [code, "Total"] }
        input.add(table: "place,count,status\nrome,3\n", name: "b.csv", threshold: 5) { _, code in [code, "Total"] }
        #expect(input.unread.count == 2 && input.unread[1].contains("line 2"))
    }
}
