import HTTPTypes
import Testing
import ThrongPlan

@testable import ThrongServer
@testable import ThrongStore

@Suite("An address names what the catalogue has, and nothing else")
struct ExplorerChoiceTests {
    private static let saturday = UnixSeconds(1_795_219_200)

    static let metric = AnalystMetric(
        app: "shop", metric: "orders", version: 2, isCurrent: true, view: "shop_orders", timeZone: "UTC",
        dimensions: ["os", "step"], sums: ["revenue"], steps: nil, sizes: [3, 2],
        spans: [.init(kind: .day, periods: 3, start: saturday, end: saturday + 3 * 86_400)])

    static let shape = shape(counting: "events", "Events counted; null where withheld says why. Unit: events.")

    /// The same, but that it counts identifiers.
    static let identifiers = shape(counting: "identifiers", "Identifiers, each counted once. Unit: identifiers.")

    private static func shape(counting name: String, _ comment: String) -> AnalystShape {
        func measure(
            _ name: String, _ kind: AnalystColumn.Kind, _ comment: String = "", reason: String = "withheld"
        ) -> AnalystColumn {
            AnalystColumn(
                name: name, kind: kind, comment: comment, beside: .init(margin: "\(name)_margin", reason: reason))
        }
        func margin(_ columns: [String]) -> AnalystMargin {
            AnalystMargin(
                name: columns.isEmpty ? "(total)" : columns.joined(separator: ", "), columns: columns,
                view: "shop_orders_" + (columns.isEmpty ? "total" : "by_" + columns.joined(separator: "_")),
                isTold: true)
        }
        return AnalystShape(
            dimensions: [
                AnalystColumn(name: "os", kind: .dimension("os"), comment: "", buckets: ["iOS", "it's", "other"]),
                AnalystColumn(name: "step", kind: .dimension("step"), comment: "", buckets: ["cart", "other"]),
            ],
            measures: [
                measure(name, .count, comment),
                measure(
                    "revenue", .sum("revenue"),
                    "Sum of revenue, each value clipped to 0 to 500; null where withheld says why. Unit: EUR."),
                measure("devices", .devices, reason: "devices_withheld"),
            ],
            margins: [margin([]), margin(["os"]), margin(["os", "step"])],
            releases: (0..<3).map { place in
                AnalystRelease(
                    period: Period(
                        kind: .day, start: saturday + place * 86_400, end: saturday + (place + 1) * 86_400),
                    threshold: 20, sampling: "1", digest: "ab", hasDevices: true)
            })
    }

    static func choice(_ address: String, _ shape: AnalystShape = shape) throws -> ExplorerChoice {
        let query = try AddressQuery(address)
        let (metric, kind) = try ExplorerChoice.metric(in: query, of: [metric])
        return try ExplorerChoice(query, metric, kind, shape)
    }

    private static let base = "app=shop&metric=orders"

    @Test("an address of a metric alone is its last period, its events, its first dimension")
    func defaults() throws {
        let choice = try Self.choice(Self.base)
        #expect(choice.margin.name == "os" && choice.measure.kind == .count && choice.filters.isEmpty)
        #expect(choice.from == "2026-11-23" && choice.to == "2026-11-23")
    }

    @Test(
        "without a grouping the first dimension with numbers is shown, else the total; so many periods go back from the last"
    )
    func told() throws {
        let plain = Self.shape
        func shape(told: String) -> AnalystShape {
            AnalystShape(
                dimensions: plain.dimensions, measures: plain.measures,
                margins: plain.margins.map {
                    AnalystMargin(name: $0.name, columns: $0.columns, view: $0.view, isTold: $0.name == told)
                }, releases: plain.releases)
        }
        #expect(try Self.choice(Self.base, shape(told: "os")).margin.name == "os")
        #expect(try Self.choice(Self.base, shape(told: "os, step")).margin.name == "(total)")
        for (address, first) in [
            ("&last=2", "2026-11-22"), ("&last=9", "2026-11-21"), ("&last=1&to=2026-11-22", "2026-11-22"),
        ] {
            #expect(try Self.choice(Self.base + address).from == first)
        }
        let unnamed = try AddressQuery("metric=orders")
        #expect(try ExplorerChoice.metric(in: unnamed, of: [Self.metric]).0 == Self.metric)
    }

    @Test("the address of a choice leads to the same choice")
    func addresses() throws {
        let all = [
            "", "&from=2026-11-21", "&to=2026-11-22", "&grouping=os,%20step&measure=revenue&at.os=it%27s",
            "&grouping=(total)",
            "&sort=revenue", "&last=2", "&over=visits&measure=devices",
            "&layout=2&kind=day&from=2026-11-21&to=2026-11-23&at.os=iOS", "&part=3&measure=revenue",
        ]
        for address in all {
            let choice = try Self.choice(Self.base + address)
            let written = choice.address()
            #expect(written.hasPrefix("/explore?") && written.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != 39 })
            let again = try Self.choice(String(written.dropFirst("/explore?".count)))
            #expect(again.address() == written)
            #expect(again.question.sql == choice.question.sql)
        }
        let split = try Self.choice(Self.base + "&grouping=os,%20step&at.os=iOS&at.step=cart")
        // Another margin has other rows, another number has not.
        let third = try Self.choice(Self.base + "&part=3")
        #expect(!third.address { $0.margin = Self.shape.margins[0] }.contains("part"))
        #expect(!third.address { $0.order = Self.shape.measures[1] }.contains("part"))
        #expect(third.address { $0.measure = Self.shape.measures[1] }.hasSuffix("&part=3"))
        #expect(
            third.numbers(format: "csv")
                == "/v1/numbers/orders?app=shop&layout=2&kind=day&grouping=os&measure=events&from=2026-11-23"
                + "&to=2026-11-23&part=3&format=csv")
        #expect(!AddressQuery.text(third.carried).contains("part"))
        // A margin without the dimension has no filter by it.
        let os = split.address { $0.margin = Self.shape.margins[1] }
        #expect(!os.contains("at.step") && os.contains("at.os=iOS"))
    }

    @Test("what the catalogue does not have is refused, says what it has, and never what was asked")
    func unknown() {
        let refused = [
            ("app=shop&metric=nothing", "metric=orders"), ("app=shop", "metric=orders"), ("layout=1", "2"),
            ("kind=hour", "day"),
            ("grouping=step", "os, step"), ("measure=throng.counter", "revenue"), ("from=2026-11-20", "2026-11-21"),
            ("from=2026-11-23&to=2026-11-21", ""), ("last=0", ""), ("last=2&from=2026-11-21", ""),
            ("sort=os", "revenue"), ("at.os=Windows", "it's"), ("at.step=cart", "os"),
            ("at.secret=x", "at.os"), ("part=0", "1"), ("part=-1", "1"), ("part=02", "1"), ("part=1000000", "1"),
            ("part=x", "1"),
            ("secret=evil", "measure"),
        ]
        for (address, possible) in refused {
            do {
                _ = try Self.choice(address.hasPrefix("app") ? address : "\(Self.base)&\(address)")
                Issue.record("taken: \(address)")
            } catch let problem as ExplorerProblem {
                #expect(problem.status == .badRequest || problem.status == .notFound)
                #expect(
                    possible.isEmpty || problem.allowed(in: .english).contains { $0.contains(possible) }, "\(address)")
                for word in ["nothing", "throng.counter", "Windows", "secret=", "evil"] {
                    #expect(
                        !(problem.text(in: .english) + problem.allowed(in: .english).joined()).contains(word),
                        "\(address)")
                }
            } catch {
                Issue.record("\(address): \(error)")
            }
        }
    }

    @Test("the whole of rows is the margin of their filters, where that is shown")
    func wholes() throws {
        #expect(try Self.choice(Self.base).whole?.margin.name == "(total)")
        #expect(try Self.choice(Self.base + "&grouping=os,%20step&at.os=iOS").whole?.margin.name == "os")
        // Nothing shows steps of all systems.
        #expect(try Self.choice(Self.base + "&grouping=os,%20step&at.step=cart").whole == nil)
        #expect(try Self.choice(Self.base + "&grouping=(total)").whole == nil)
    }

    @Test("sums of days leave out a week between two others that is sampled in two ways")
    func gaps() throws {
        let monday = UnixSeconds(1_794_182_400)
        let days = (0..<28).map { place in
            AnalystRelease(
                period: Period(kind: .day, start: monday + place * 86_400, end: monday + (place + 1) * 86_400),
                threshold: 20, sampling: place < 10 ? "1" : "0.5", digest: "ab", hasDevices: true)
        }
        let shape = AnalystShape(
            dimensions: [], measures: Self.shape.measures, margins: Self.shape.margins, releases: days
        ).summed(by: .week, .utc)
        let starts = shape.releases.map(\.period.start)
        #expect(starts == [0, 14, 21].map { monday + $0 * 86_400 })
        func sql(from first: Int64) -> String {
            AnalystQuestion(
                margin: shape.margins[0], measures: [], starts: monday + first * 86_400...monday + 28 * 86_400 - 1,
                filters: [], shape: shape
            ).sql
        }
        let gap = "and period_start not between \((monday + 7 * 86_400).iso8601)"
        #expect(sql(from: 0).replacing("'", with: "").contains(gap) && !sql(from: 14).contains("not between"))
    }

    @Test("a change is from the row a period before, also where that is in another part")
    func before() throws {
        let rows = [ExplorerAnswerTests.row(["iOS"], 60, day: 1), ExplorerAnswerTests.row(["iOS"], 60, day: 2)]
        func starts(_ address: String, _ isWhole: Bool) throws -> [Int64] {
            let found = try Self.choice(Self.base + address).before(rows, isWhole: isWhole)?.starts
            return found.map { [$0.lowerBound, $0.upperBound].map { ($0 - Self.saturday) / 86_400 } } ?? []
        }
        let span = "&from=2026-11-21&to=2026-11-23"
        #expect(try starts(span, true) == [0, 0] && starts(span, false) == [0, 1])
        #expect(try starts(span + "&sort=events", false) == [0, 2])
    }

    @Test("units and meanings are those of the columns' comments")
    func comments() {
        #expect(Self.shape.measures.map(\.unit) == ["events", "EUR", ""])
        #expect(
            Self.shape.measures.map(\.meaning)
                == ["Events counted", "Sum of revenue, each value clipped to 0 to 500", ""])
    }

    @Test("a file's name holds letters, digits, hyphens and underscores")
    func fileNames() throws {
        #expect(
            try Self.choice(Self.base + "&grouping=os,%20step&from=2026-11-21").fileName(nil, "csv")
                == "shop-orders-os-step-2026-11-21-2026-11-23.csv")
    }
}
