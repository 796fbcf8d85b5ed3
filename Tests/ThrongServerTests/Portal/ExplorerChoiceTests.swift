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
        dimensions: ["os", "step"], sums: ["revenue"],
        spans: [.init(kind: .day, periods: 3, start: saturday, end: saturday + 3 * 86_400)])

    static let shape = AnalystShape(
        dimensions: [
            .init(
                name: "os", kind: .dimension("os"), comment: "", buckets: ["iOS", "it's", "other"], isLearned: false),
            .init(name: "step", kind: .dimension("step"), comment: "", buckets: ["cart", "other"], isLearned: false),
        ],
        measures: [
            .init(
                name: "events", kind: .count, comment: "Events counted; null where withheld says why. Unit: events.",
                buckets: [], isLearned: false),
            .init(
                name: "revenue", kind: .sum("revenue"),
                comment: "Sum of revenue, each value clipped to 0 to 500; null where withheld says why. Unit: EUR.",
                buckets: [], isLearned: false),
            .init(name: "devices", kind: .devices, comment: "", buckets: [], isLearned: false),
        ],
        margins: [
            AnalystMargin(name: "(total)", columns: []), AnalystMargin(name: "os", columns: ["os"]),
            AnalystMargin(name: "os, step", columns: ["os", "step"]),
        ],
        releases: (0..<3).map { place in
            AnalystRelease(
                period: Period(
                    kind: .day, start: saturday + place * 86_400, end: saturday + (place + 1) * 86_400),
                threshold: 20, sampling: "1", digest: "ab", cost: "0.98", margin: 12, sumMargins: [340],
                deviceMargin: 7)
        })

    /// The same, but that it counts identifiers.
    static let identifiers = AnalystShape(
        dimensions: shape.dimensions,
        measures: [
            .init(
                name: "identifiers", kind: .count, comment: "Identifiers, each counted once. Unit: identifiers.",
                buckets: [], isLearned: false)
        ] + shape.measures.dropFirst(),
        margins: shape.margins, releases: shape.releases)

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

    @Test("the address of a choice leads to the same choice")
    func addresses() throws {
        let all = [
            "", "&from=2026-11-21", "&to=2026-11-22", "&margin=os,%20step&measure=revenue&at.os=it%27s",
            "&margin=(total)",
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
        let split = try Self.choice(Self.base + "&margin=os,%20step&at.os=iOS&at.step=cart")
        // Another margin has other rows, another number has not.
        let third = try Self.choice(Self.base + "&part=3")
        #expect(!third.address(margin: Self.shape.margins[0]).contains("part"))
        #expect(third.address(measure: Self.shape.measures[1]).hasSuffix("&part=3"))
        #expect(!AddressQuery.text(third.carried).contains("part"))
        // A margin without the dimension has no filter by it.
        #expect(!split.address(margin: AnalystMargin(name: "os", columns: ["os"])).contains("at.step"))
        #expect(split.address(margin: AnalystMargin(name: "os", columns: ["os"])).contains("at.os=iOS"))
    }

    @Test("what the catalogue does not have is refused, says what it has, and never what was asked")
    func unknown() {
        let refused = [
            ("app=shop&metric=nothing", "metric=orders"), ("app=shop", "metric=orders"), ("layout=1", "2"),
            ("kind=hour", "day"),
            ("margin=step", "os, step"), ("measure=throng.counter", "revenue"), ("from=2026-11-20", "2026-11-21"),
            ("from=2026-11-23&to=2026-11-21", ""), ("at.os=Windows", "it's"), ("at.step=cart", "os"),
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
                #expect(possible.isEmpty || problem.allowed.contains { $0.contains(possible) }, "\(address)")
                for word in ["nothing", "throng.counter", "Windows", "secret=", "evil"] {
                    #expect(!(problem.text + problem.allowed.joined()).contains(word), "\(address)")
                }
            } catch {
                Issue.record("\(address): \(error)")
            }
        }
    }

    @Test("the whole of rows is the margin of their filters, where that is shown")
    func wholes() throws {
        #expect(try Self.choice(Self.base).whole?.margin.name == "(total)")
        #expect(try Self.choice(Self.base + "&margin=os,%20step&at.os=iOS").whole?.margin.name == "os")
        // Nothing shows steps of all systems.
        #expect(try Self.choice(Self.base + "&margin=os,%20step&at.step=cart").whole == nil)
        #expect(try Self.choice(Self.base + "&margin=(total)").whole == nil)
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
            try Self.choice(Self.base + "&margin=os,%20step&from=2026-11-21").fileName(nil)
                == "shop-orders-os-step-2026-11-21-2026-11-23.csv")
    }
}
