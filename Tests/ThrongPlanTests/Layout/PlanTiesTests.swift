import Testing
import ThrongPlan

@Suite("A plan check says which metrics count the same events, and what gives way")
struct PlanTiesTests {
    private static func ties(_ metrics: String...) throws -> [String] {
        try Plan(
            yaml: """
                app:
                  {title: Shop, name: shop, owner: Team, contact: a@example.com, audience: 1000, grace: 3 hours}
                purposes:
                  product: {explanation: To see., consent: not_required, rotation: 1 day, retention: 30 days}
                  asked: {explanation: To see., consent: required, rotation: 1 day, retention: 30 days}
                dimensions:
                  near: {title: Near, field: country, list: {near: [AT, DE]}, partitions: devices}
                  far: {title: Far, field: country, list: {far: [AT, DE, LI, LU]}, partitions: devices}
                  os: {title: System, field: system, list: [iOS, Android], partitions: devices}
                  platform: {title: Platform, field: system, list: [iOS, Android], partitions: devices}
                  page: {title: Page, field: event, list: {Home: [home], Search: [search]}}
                metrics:
                \(metrics.joined(separator: "\n"))
                """, file: "plan.yaml", today: CalendarDate(daysSince1970: 20_777)
        ).ties()
    }

    private static func metric(
        _ name: String, _ events: String = "[click]", by dimensions: String = "[]", purpose: String = "product"
    ) -> String {
        """
          \(name):
            {title: It, events: \(events), dimensions: \(dimensions), question: What?, decision: That., owner: Team,
            expires: 2027-10-31, purpose: \(purpose), period: day}
        """
    }

    @Test("of metrics of other events, nothing")
    func none() throws { #expect(try Self.ties(Self.metric("a"), Self.metric("b", "[view]")) == []) }

    @Test("two coarsenings of one field are told from one rule under two names")
    func same() throws {
        let near = try Self.ties(Self.metric("one", by: "[near]"), Self.metric("two", by: "[far]"))
        #expect(near.count == 1)
        #expect(near.first?.contains("metrics 'one' and 'two' count the same events") ?? false)
        #expect(near.first?.contains("'near' and 'far' split 'country' in two ways") ?? false)
        let names = try Self.ties(Self.metric("one", by: "[os]"), Self.metric("two", by: "[platform]"))
        #expect(names.first?.contains("'os' and 'platform' are one: the same buckets of 'system'") ?? false)
    }

    @Test("a whole and its part are named with what the whole has besides, and with what proves it")
    func part() throws {
        let actions = try Self.ties(Self.metric("actions", "[safe, risky]"), Self.metric("safe", "[safe]"))
        #expect(actions.count == 1)
        #expect(
            actions.first?.hasPrefix(
                "metric 'actions' counts all that metric 'safe' counts, and the event 'risky' besides")
                ?? false)
        #expect(actions.first?.contains("20 devices more") ?? false)
        #expect(actions.first?.contains("more than 1,900 events a window") ?? false)
    }

    @Test("whoever does not consent is what a purpose without consent has besides")
    func consent() throws {
        let found = try Self.ties(Self.metric("all"), Self.metric("asked", purpose: "asked"))
        #expect(found.count == 1 && found[0].contains("and whoever does not consent besides"))
    }

    @Test("an event that a dimension tells apart ties its metric, also where each counts something else")
    func kinds() throws {
        let held = try Self.ties(Self.metric("pages", "[home, search]", by: "[page]"), Self.metric("finds", "[search]"))
        #expect(held.count == 1 && held[0].contains("a dimension of events' names tells the part apart"))
        let across = try Self.ties(
            Self.metric("pages", "[home, search]", by: "[page]"), Self.metric("finds", "[search, find]"))
        #expect(across.count == 1 && across[0].contains("tell apart events that both count, of 'search'"))
        #expect(try Self.ties(Self.metric("pages", "[home, search]"), Self.metric("finds", "[search, find]")) == [])
    }

    @Test("of a wide plan a few of the fields are named, and how many more there are")
    func wide() throws {
        let dimensions = ["near", "far", "os", "platform"]
        let all = dimensions.enumerated().map { place, name in
            Self.metric("m\(place)", by: "[\(name), \(dimensions[(place + 1) % 4])]")
        }
        let found = try Self.ties(all[0], all[1], all[2], all[3])
        #expect(found.count == 1 && found[0].filter { $0 == ";" }.count == 6 && found[0].contains(" more)"))
    }
}
