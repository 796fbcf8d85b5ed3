import Testing
import ThrongAudit
import ThrongFaults
import ThrongPlan
import ThrongRelease

/// A protection that is switched off lets one of the attacks through, and the audit finds it in what was published; with
/// the protection on it finds nothing.
@Suite("Promise 5: what a protection is for, the audit finds without it", .serialized)
struct SwitchedOffTests {
    private typealias People = PlanTown.People

    private static let country = "country: {title: Country, field: country, list: [AT, DE, CH], partitions: devices}"

    private static func at(_ country: String, _ devices: Int64, _ events: [String: Int64]) -> PlanTown.People {
        PlanTown.People(devices: devices, values: ["country": country], events: events)
    }

    @Test("18c: kinds of a total, released apart, give the last kind away")
    func kinds() throws {
        let plan = try PlanTown.plan(
            Self.country,
            PlanTown.metric("all", "view, click", "country") + PlanTown.metric("views", "view", "country")
                + PlanTown.metric("clicks", "click", "country"))
        let people = [
            Self.at("AT", 300, ["view": 1]), Self.at("AT", 7, ["click": 1]), Self.at("DE", 400, ["view": 1]),
            Self.at("DE", 90, ["click": 1]), Self.at("CH", 100, ["view": 1]), Self.at("CH", 80, ["click": 1]),
        ]
        let report = try PlanTown.audit(plan, people, without: [.releaseApart])
        #expect(report.pins.contains { $0.upper == 7 && $0.lower == 7 }, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("27: of two coarsenings of one field, released apart, what lies between them is given away")
    func coarsenings() throws {
        let plan = try PlanTown.plan(
            """
            near: {title: Near, field: country, list: {Near: [AT, DE]}, partitions: devices}
            wide: {title: Wide, field: country, list: {Wide: [AT, DE, LI, LU]}, partitions: devices}
            """, PlanTown.metric("north", "visit", "near") + PlanTown.metric("south", "visit", "wide"))
        let people = [("AT", 120), ("DE", 80), ("LI", 3), ("LU", 2), ("FR", 400)].map {
            Self.at($0.0, $0.1, ["visit": 1])
        }
        let report = try PlanTown.audit(plan, people, without: [.releaseApart])
        #expect(report.pins.contains { $0.lower == 5 && $0.upper == 5 }, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("28: a bucket by event's name, released apart from a metric of one of its events, gives the other away")
    func eventDimension() throws {
        let plan = try PlanTown.plan(
            "page: {title: Page, field: event, list: {Home: [home], Search: [search, find]}}",
            PlanTown.metric("pages", "home, search, find", "page") + PlanTown.metric("searches", "search", ""))
        let people = [("home", 900), ("search", 300), ("find", 3)].map { event, devices in
            People(devices: devices, values: [:], events: [event: 1])
        }
        let report = try PlanTown.audit(plan, people, without: [.releaseApart])
        #expect(report.pins.contains { $0.lower == 3 && $0.upper == 3 }, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("31: all actions less safe ones, released apart, are one device's 60")
    func lessActions() throws {
        let plan = try PlanTown.plan(
            Self.country, PlanTown.metric("actions", "safe, risky", "") + PlanTown.metric("safe", "safe", ""))
        let people = [Self.at("AT", 1000, ["safe": 1]), Self.at("DE", 1, ["risky": 60])]
        let report = try PlanTown.audit(plan, people, without: [.releaseApart])
        #expect(report.pin(.uncounted, "actions")?.lower == 60, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("38: two releases of the same numbers give away what either hides, unless one secret draws for both")
    func twoRuns() throws {
        let plan = try PlanTown.plan(Self.country, PlanTown.metric("visits", "visit", "country"))
        let people = [("AT", 7), ("DE", 90), ("CH", 90)].map { Self.at($0.0, $0.1, ["visit": 1]) }
        func town(_ seed: UInt64) throws -> PlanTown {
            var town = PlanTown(plan, people, seed: seed)
            try town.release()
            #expect(town.audit().holds && !town.published.isEmpty)
            return town
        }
        let first = try town(1)
        let reports = try (2...12).map { first.audit(and: try town($0).releases) }
        #expect(reports.contains { $0.pin(.bounded, "country=AT")?.upper == 7 }, "each draws the same")
        let again = try first.audit(and: town(1).releases)
        #expect(again.holds, "\(again.text)")
    }

    @Test("39: one rule under two names, released apart, is one dimension all the same")
    func twoNames() throws {
        let plan = try PlanTown.plan(
            Self.country + "\nland: {title: Land, field: country, list: [AT, DE, CH], partitions: devices}",
            PlanTown.metric("all", "view, click", "country", bound: 1)
                + PlanTown.metric("views", "view", "land", bound: 1))
        let people = [
            Self.at("AT", 300, ["view": 1]), Self.at("AT", 7, ["click": 1]), Self.at("DE", 400, ["view": 1]),
            Self.at("DE", 90, ["click": 1]), Self.at("CH", 100, ["view": 1]), Self.at("CH", 80, ["click": 1]),
        ]
        let report = try PlanTown.audit(plan, people, without: [.releaseApart])
        #expect(report.pins.contains { $0.lower == 7 && $0.upper == 7 }, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("40: all clients less those that agreed, released apart, are the three that refused")
    func consent() throws {
        let plan = try PlanTown.plan(
            Self.country,
            PlanTown.metric("all", "visit", "") + PlanTown.metric("agreed", "visit", "", purpose: "asked"),
            purposes: "asked: {explanation: To see., consent: required, rotation: 1 day, retention: 300 days}")
        var refused = Self.at("AT", 3, ["visit": 1])
        refused.agree = false
        let people = [Self.at("AT", 200, ["visit": 1]), refused]
        let report = try PlanTown.audit(plan, people, without: [.releaseApart])
        #expect(report.pins.contains { $0.lower == 3 && $0.upper == 3 }, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("29: eight devices counted under k = 20 and released under k = 5")
    func terms() throws {
        let plan = try PlanTown.plan(Self.country, PlanTown.metric("all", "click", "country"))
        let edited = try PlanTown.plan(Self.country, PlanTown.metric("all", "click", "country"), threshold: 5)
        let people = [
            Self.at("AT", 8, ["click": 1]), Self.at("DE", 400, ["click": 1]), Self.at("CH", 90, ["click": 1]),
        ]
        let versions = [KnownPlan(plan), KnownPlan(edited, since: PlanTown.day(1).start + 3600)]
        let terms = plan.metrics.first.map(plan.releaseTerms)
        let report = try PlanTown.audit(edited, people, without: [.forgetTerms], terms: terms, knowing: versions)
        #expect(report.pin(.belowThreshold, "country=AT") != nil, "\(report.text)")
        // Under the edited plan alone it is nothing worth a word.
        #expect(try PlanTown.audit(edited, people, without: [.forgetTerms]).holds)
        let ours = try PlanTown.audit(edited, people, without: [], terms: terms, knowing: versions)
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("32: days less their hours, released apart, are the one device that came too late for its hour")
    func lateHour() throws {
        let plan = try PlanTown.plan(
            Self.country,
            PlanTown.metric("hourly", "visit", "country", period: .hour)
                + PlanTown.metric("daily", "visit", "country", period: .day))
        // Two hours that make up a day: the town sleeps for the others.
        let hours = [0, 12, 24, 36].map { hour in
            Period(
                kind: .hour, start: PlanTown.monday + hour * 3600, end: PlanTown.monday + (hour + 12) * 3600)
        }
        let days = [PlanTown.day(0), PlanTown.day(1)]
        func people(_ country: String, _ devices: Int64, _ hour: Int, _ days: Range<Int> = 0..<2) -> PlanTown.People {
            People(devices: devices, values: ["country": country], events: ["visit": 1], days: days, hour: hour)
        }
        // It came on the second day, when the first one's hours were over and the day was not.
        var late = [people("AT", 1, 3, 0..<1), people("AT", 1, 3, 1..<2)]
        late[0].tooLateFor = .hour
        late[1].tooLateFor = .day
        let town = [0, 12].flatMap { [people("AT", 100, $0), people("DE", 200, $0), people("CH", 90, $0)] } + late
        let report = try PlanTown.audit(plan, town, without: [.releaseApart], hours + days)
        let pins = report.pins.filter { $0.kind == .exact && $0.upper == 1 }.map(\.target)
        #expect(pins.contains { $0.contains("daily of country=AT") && $0.hasSuffix("less 2 numbers of hourly") })
        #expect(pins.contains { $0.hasPrefix("2 numbers of hourly less daily of country=AT") }, "\(report.text)")
        let ours = try PlanTown.audit(plan, town, without: [], hours + days)
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("33: of 219 events 200 may be one device's")
    func dominance() throws {
        let plan = try PlanTown.plan(
            Self.country, PlanTown.metric("taps", "tap", "country", bound: 200, more: ", measures: {reach: true}"))
        let people = [Self.at("AT", 1, ["tap": 200]), Self.at("AT", 19, ["tap": 1]), Self.at("DE", 400, ["tap": 1])]
        let report = try PlanTown.audit(plan, people, without: [.allowDominance])
        #expect(report.pin(.dominance, "AT") != nil, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("33: three of forty have the one of two values")
    func flags() throws {
        let plan = try PlanTown.plan(
            Self.country,
            PlanTown.metric(
                "visits", "visit", "country", bound: 1,
                more: ", measures: {sums: {sick: {field: sick, from: 0, to: 1, decimals: 0}}}"))
        func people(_ sick: String, _ devices: Int64, _ country: String) -> PlanTown.People {
            People(devices: devices, values: ["country": country, "sick": sick], events: ["visit": 1])
        }
        let town = [
            people("1", 3, "AT"), people("0", 37, "AT"), people("1", 60, "DE"), people("0", 90, "DE"),
            people("1", 70, "CH"), people("0", 80, "CH"),
        ]
        let report = try PlanTown.audit(plan, town, without: [.forgetFlags])
        #expect(report.pin(.flag, "AT")?.upper == 3, "\(report.text)")
        let ours = try PlanTown.audit(plan, town, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("43: devices of a whole, less those of a part: three of 173 did not see the home page")
    func absent() throws {
        let plan = try PlanTown.plan(
            "page: {title: Page, field: event, list: {Home: [home], Help: [help]}}",
            PlanTown.metric("pages", "home, help", "page", more: ", measures: {reach: true}"))
        let people = [(["home": Int64(1), "help": 1], 140), (["help": 40], 3), (["home": 1], 30)].map {
            People(devices: $0.1, values: [:], events: $0.0)
        }
        let report = try PlanTown.audit(plan, people, without: [.countAbsent])
        #expect(report.pins.contains { $0.measure == .reach && $0.lower == 3 && $0.upper == 3 }, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("43, beside events: 43 devices that all sent one kind leave twelve of their 55 events for the others")
    func besideEvents() throws {
        let plan = try PlanTown.plan(
            Self.country + "\nkind: {title: Kind, field: event, list: [a, b]}",
            PlanTown.metric("visits", "a, b, c", "kind, country", more: ", measures: {reach: true}"))
        let town = [
            Self.at("DE", 20, ["b": 1, "c": 3]), Self.at("AT", 40, ["b": 1]),
            Self.at("AT", 3, ["a": 1, "b": 3, "c": 1]),
        ]
        let report = try PlanTown.audit(plan, town, without: [.countAbsent])
        #expect(report.pin(.bounded, "country=AT") != nil, "\(report.text)")
        let ours = try PlanTown.audit(plan, town, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("43, between metrics: devices of all actions, less those of safe ones")
    func absentOfTied() throws {
        let plan = try PlanTown.plan(
            Self.country,
            PlanTown.metric("actions", "safe, risky", "", bound: 50, more: ", measures: {reach: true}")
                + PlanTown.metric("safe", "safe", "", bound: 50, more: ", measures: {reach: true}"))
        let people = [Self.at("AT", 1000, ["safe": 1, "risky": 1]), Self.at("DE", 3, ["risky": 1])]
        let report = try PlanTown.audit(plan, people, without: [.releaseApart])
        #expect(report.pins.contains { $0.measure == .reach && $0.lower == 3 && $0.upper == 3 }, "\(report.text)")
        let ours = try PlanTown.audit(plan, people, without: [])
        #expect(ours.holds, "\(ours.text)")
    }

    @Test("41: four weeks that make up a February give its four days' late-comers away")
    func weeks() throws {
        let plan = try PlanTown.plan(
            Self.country,
            PlanTown.metric("weekly", "visit", "country", period: .week)
                + PlanTown.metric("monthly", "visit", "country", period: .month))
        // 2027-02-01 is the Monday 77 days later.
        let first = PlanTown.monday + 77 * 86_400
        let weeks = (0..<4).map { week in
            Period(kind: .week, start: first + Int64(week) * 604_800, end: first + Int64(week + 1) * 604_800)
        }
        let month = Period(kind: .month, start: first, end: first + 28 * 86_400)
        func people(_ country: String, _ devices: Int64, week: Int) -> PlanTown.People {
            People(
                devices: devices, values: ["country": country], events: ["visit": 1],
                days: 77 + 7 * week..<78 + 7 * week)
        }
        let town =
            (0..<3).flatMap { [people("AT", 100, week: $0), people("DE", 200, week: $0), people("CH", 90, week: $0)] }
            + [people("AT", 6, week: 3), people("DE", 200, week: 3), people("CH", 90, week: 3)]
        let report = try PlanTown.audit(plan, town, without: [.forgetTiling, .ignoreColumns], weeks + [month])
        #expect(report.pins.contains { $0.upper == 6 && $0.lower == 6 }, "\(report.text)")
        let ours = try PlanTown.audit(plan, town, without: [], weeks + [month])
        #expect(ours.holds, "\(ours.text)")
    }
}
