import Foundation
import Probe
import Testing
import ThrongPlan
import ThrongWire

@testable import ThrongClient

@Suite("Only bucket labels leave the device")
struct CoarseningTests {
    @Test("raw values are neither on disk nor in a batch")
    func labelsOnly() async throws {
        let storage = MemoryStorage()
        let world = try await World(storage: storage)
        world.throng.record("recipe_opened", ["category": "roast"])
        world.throng.record("recipe_opened", ["category": "grandmother's secret"])
        world.throng.record("purchase", ["app_version": "2.1.7-beta3", "amount": 24.98765])
        world.throng.record("purchase", ["app_version": "2.1.7-beta3", "amount": 1e9])
        await world.throng.save()
        let disk = String(decoding: try #require(storage.read("cook-memory.json")), as: UTF8.self)
        _ = await world.throng.flush()
        for text in [disk] + world.daemon.bodies {
            for raw in ["roast", "grandmother", "beta", "24.987", "1000000000"] { #expect(!text.contains(raw)) }
        }
        let fields = world.daemon.batches.flatMap(\.events).map(\.fields)
        #expect(fields.contains(["category": .text("main"), "os": .text("ios")]))
        #expect(fields.contains(["app_version": .text("2.1"), "amount": .number(24.99)]))
        #expect(fields.contains(["app_version": .text("2.1"), "amount": .integer(100)]))
        #expect(world.daemon.sums.values.reduce(0, +) == 12_499)
    }

    @Test("a time says no more than the day or hour that is counted, also when it is sent days later")
    func times() async throws {
        let world = try await World()
        world.clock.set(CookPlan.monday + 9 * 3600 + 1234)
        world.throng.record("recipe_opened", ["category": "cake"])
        world.throng.record("purchase", ["amount": 1])
        world.clock.set(CookPlan.monday + CookPlan.day + 50_000)
        _ = await world.throng.flush()
        // The day's last second and the hour's, in UTC, an hour behind Vienna.
        let times = Dictionary(
            world.daemon.batches.flatMap(\.events).map { ($0.event, $0.at) }, uniquingKeysWith: { first, _ in first })
        #expect(times == ["recipe_opened": "2026-11-02T22:59:59Z", "purchase": "2026-11-02T08:59:59Z"])
        #expect(world.daemon.cells.keys.contains { $0.metric == "purchases" && $0.labels[1] == "09" })
    }

    @Test("what the daemon makes of the label is what it would have made of the raw value", arguments: Self.rules)
    func sameBuckets(rule: BucketingRule) throws {
        var document = try JSONDecoder().decode(JSONValue.self, from: try CookPlan().document)
        let encoder = JSONEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        let written = try JSONDecoder().decode(JSONValue.self, from: try encoder.encode(rule))
        document.edit(["dimensions"]) { dimension in
            if dimension["name"]?.text == "category" { dimension["rule"] = written }
        }
        let plan = try PlanSource.read(try JSONEncoder().encode(document))
        let event = try #require(plan.purpose("product")?.events["recipe_opened"])
        let coarsening = try #require(event.fields["category"])
        let daemon = try rule.compiled(rules: .system)
        var random = RandomSource.seeded(5)
        for _ in 0..<500 {
            let raw = Self.value(&random)
            let sent = try coarsening(raw)
            let own = raw.withFieldValue { daemon.bucket($0) }
            #expect((sent ?? .null).withFieldValue { daemon.bucket($0) } == own, "\(raw)")
            if let sent { #expect(sent == .text(daemon.labels[own].text)) }
        }
    }

    @Test("one field may be read by several dimensions as long as one label says it all")
    func severalDimensions() throws {
        let twice = CookPlan.yaml
            .replacing(
                "  hour:\n",
                with:
                    "  major:\n    title: Major\n    field: app_version\n    version: {level: major, known: [\"2\"]}\n  hour:\n"
            )
            .replacing("dimensions: [version, hour]", with: "dimensions: [version, major, hour]")
        let plan = try PlanSource.read(try CookPlan(twice).document)
        let coarsening = try #require(plan.purpose("product")?.events["purchase"]?.fields["app_version"])
        #expect(try coarsening("2.2.1") == .text("2.2"))
        #expect(try coarsening("3.1") == nil)
        // "2" alone would be version 2.0 to the other dimension: better not counted than counted wrongly.
        #expect(throws: DropReason.ambiguousField) { try coarsening("2.9.1") }
    }

    @Test("an event without the field that is summed is dropped on the device")
    func missingSum() async throws {
        let world = try await World()
        world.throng.record("purchase")
        world.throng.record("purchase", ["amount": "a lot"])
        world.throng.record("purchase", ["amount": Double.nan])
        #expect(await world.throng.status.dropped == [.invalidValue: 3])
    }

    @Test("events and fields that the plan does not have never leave, and neither do answers that apps make up")
    func unplanned() async throws {
        let world = try await World()
        world.throng.record("login", ["user": "alice@example.org"])
        world.throng.record("recipe_opened", ["user": "alice@example.org"])
        world.throng.record("week_return", ["week": "3"])
        #expect(await world.throng.flush() == FlushResult())
        #expect(await world.throng.status.dropped == [.unknownEvent: 2, .unknownField: 1])
        #expect(world.line.posts.isEmpty)
    }

    @Test("a preview is the tuple that the daemon counts")
    func preview() async throws {
        let world = try await World()
        let fields: [String: EventValue] = ["app_version": "2.2.9", "amount": 250]
        let preview = await world.throng.preview("purchase", fields)
        let tuple = try #require(preview.counted.first)
        #expect(preview.refused == nil && preview.counted.count == 1)
        #expect(tuple.metric == "purchases" && tuple.buckets == ["version": "2.2", "hour": "12"])
        #expect(tuple.sums == ["revenue": 100] && tuple.period == "2026-11-02" && tuple.isAllowed)
        #expect(world.line.posts.isEmpty)
        world.throng.record("purchase", fields)
        _ = await world.throng.flush()
        #expect(world.daemon.cells == [.init(metric: "purchases", period: "2026-11-02", labels: ["2.2", "12"]): 1])
        #expect(await world.throng.preview("purchase").refused == .invalidValue)
        #expect(await world.throng.preview("nothing").refused == .unknownEvent)
    }

    @Test("only the plan's share of events is sent")
    func sampling() async throws {
        let sampled = CookPlan.yaml.replacing(
            "contribution_bound: 20", with: "contribution_bound: 100000\n    sampling: 0.25")
        let world = try await World(try CookPlan(sampled))
        for _ in 0..<4000 { world.throng.record("recipe_opened", ["category": "cake"]) }
        let counted = Double(await world.throng.flush().counted)
        // A binomial of 4,000 at 1/4: five standard deviations are 137.
        #expect(abs(counted - 1000) < 137)
        #expect(await world.throng.status.dropped == [.notSampled: 4000 - Int(counted)])
    }

    static let rules: [BucketingRule] = [
        .list([BucketGroup(label: "sweet", values: ["cake", "ice"]), BucketGroup(label: "true", values: ["12"])]),
        .bands(edges: [-5, 0, 10, 50]), .significantFigures(digits: 2, lowest: 1, highest: 1e6),
        .powers(base: 10, lowestExponent: 0, highestExponent: 6), .version(level: .major, known: ["1", "12", "17"]),
        .version(level: .minor, known: ["1.0", "12.5"]), .screen(mediumFrom: 600, largeFrom: 900),
        .language(known: ["de", "en"]), .utcOffset(bandHours: 3), .region(BucketingRule.unRegions),
        .host(known: ["www.example.org"]), .route(templates: ["/", "/product/:id", "/docs/*"]), .fileType,
    ]

    private static func value(_ random: inout RandomSource) -> EventValue {
        let texts = [
            "cake", "ice", "sweet", "12", "1.0.3", "12.5", "17-beta", "390x844", "1200X800", "de-AT", "EN_us", "fr",
            "Europe/Vienna", "Asia/Kolkata", "AT", "us", "https://www.example.org/product/7?x=1", "/docs/a/b", "",
            "holiday.JPG", "main.swift", "\u{1F600}", "a,b", "<5", "5-10", ">=50", "other", " ", "-0", "1e400",
        ]
        switch random.next() % 5 {
        case 0: return .number(Double.random(in: -100...2e6, using: &random))
        case 1: return .integer(Int64.random(in: -20...1_000_000, using: &random))
        case 2: return .flag(random.next() % 2 == 0)
        default: return .text(texts.randomElement(using: &random) ?? "")
        }
    }
}
