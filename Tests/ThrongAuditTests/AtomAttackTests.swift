import Testing
import ThrongAudit
import ThrongPlan

/// Numbers of several metrics, as a house publishes them that looks at each alone, and what an attacker makes of them who
/// has read the plan. k = 20.
@Suite("Attacks on metrics that have events, fields or time in common")
struct AtomAttackTests {
    private static let day = AuditPeriod(start: 0, end: 86_400)
    private static let noon = UnixSeconds(43_200)

    private static func metric(
        _ name: String, _ events: Set<String>, _ dimensions: [KnownDimension] = [],
        clients: KnownMetric.Clients = .init(), bound: Int64 = 10, threshold: Int64 = 20, sums: [KnownSum] = []
    ) -> KnownMetric {
        KnownMetric(
            name: name, events: events, clients: clients, purpose: "product", bound: bound, threshold: threshold,
            dimensions: dimensions, sums: sums)
    }

    private static func list(_ name: String, _ field: String, _ groups: [String: [String]]) -> KnownDimension {
        KnownDimension(
            name: name, field: field,
            rule: .values(
                groups.sorted { $0.key < $1.key }.map { .init(label: $0.key, values: $0.value) }, rest: "other",
                folds: false), partitionsDevices: true)
    }

    /// What was published: by metric, by bucket of its one dimension or "" for all, events; nil is withheld.
    private static func attacked(
        _ plans: [KnownPlan], _ published: [(metric: String, dimension: String, cells: [(String, Int64?)])],
        knowing: Bool = true
    ) -> AuditReport {
        var input = AuditInput()
        for (metric, dimension, cells) in published {
            let labels = cells.map(\.0).filter { !$0.isEmpty }
            let known = plans.flatMap(\.metrics).last { $0.name == metric }
            let declared = known?.dimensions.first { $0.name == dimension }?.labels ?? labels
            if !declared.isEmpty, !dimension.isEmpty {
                input.declare(.init(name: dimension, elements: declared, partitionsDevices: true))
            }
            let axes: [[AuditFamily.Axis]] =
                [[]]
                + (dimension.isEmpty ? [] : [[.init(dimension: dimension, alternatives: declared.map { [$0] })]])
            for axes in axes {
                input.families.append(
                    AuditFamily(
                        source: metric, app: "town", metric: metric, measures: [.count], period: day,
                        threshold: known?.threshold ?? 20,
                        axes: axes))
            }
            for case (let label, let value?) in cells {
                input.statements.append(
                    AuditStatement(
                        source: metric, app: "town", metric: metric,
                        region: AuditRegion(period: day, buckets: label.isEmpty ? [:] : [dimension: label]),
                        value: value)
                )
            }
        }
        var options = AuditOptions()
        options.seconds = 20
        return Auditor(options: options).audit(input, knowing: knowing ? plans : [])
    }

    @Test("27: of two coarsenings of one field, one to each of two partners, what lies between them is pinned")
    func coarsenings() throws {
        let plan = KnownPlan(
            app: "town",
            metrics: [
                Self.metric("north", ["visit"], [Self.list("near", "country", ["Near": ["AT", "DE"]])]),
                Self.metric("south", ["visit"], [Self.list("wide", "country", ["Wide": ["AT", "DE", "LI", "LU"]])]),
            ])
        let naive = Self.attacked(
            [plan], [("north", "near", [("Near", 200)]), ("south", "wide", [("Wide", 205)])])
        let pin = try #require(naive.pins.first { $0.lower == 5 && $0.upper == 5 })
        #expect(pin.arithmetic == ["-1×200", "1×205"])
        // Whoever goes by names of dimensions finds nothing.
        #expect(
            Self.attacked(
                [plan], [("north", "near", [("Near", 200)]), ("south", "wide", [("Wide", 205)])], knowing: false
            ).holds)
        let safe = Self.attacked(
            [plan], [("north", "near", [("Near", 200)]), ("south", "wide", [("Wide", 600)])])
        #expect(safe.holds, "\(safe.text)")
    }

    @Test("a field that is split in two ways is subtracted once, by whichever way leaves least")
    func twoSplits() throws {
        let plan = KnownPlan(
            app: "town",
            metrics: [
                Self.metric(
                    "visits", ["visit"],
                    [
                        Self.list("country", "country", ["AT": ["AT"], "DE": ["DE"], "LI": ["LI"]]),
                        Self.list("near", "country", ["Near": ["AT", "DE"]]),
                    ]),
                Self.metric("pages", ["visit", "search"]),
            ])
        func audit(total: Int64, country: [(String, Int64?)]) -> AuditReport {
            Self.attacked(
                [plan],
                [
                    ("pages", "", [("", 2000)]), ("visits", "", [("", total)]), ("visits", "country", country),
                    ("visits", "near", [("Near", 160)]),
                ])
        }
        // 330 − 100 − 60 − 160 is nobody's number: the last is the two before it.
        let safe = audit(total: 330, country: [("AT", 100), ("DE", 60)])
        #expect(safe.holds, "\(safe.text)")
        // Austria's part of it is no part of what is left, and neither is Germany's.
        let naive = audit(total: 265, country: [("AT", 100), ("DE", nil), ("LI", 90)])
        #expect(naive.pins.contains { $0.lower == 15 && $0.upper == 15 }, "\(naive.text)")
    }

    @Test("28: a metric of one event less its bucket in a dimension by event's name is pinned, and the other way round")
    func eventDimension() throws {
        let plan = KnownPlan(
            app: "town",
            metrics: [
                Self.metric(
                    "pages", ["home", "search", "find"],
                    [Self.list("page", "event", ["Home": ["home"], "Search": ["search", "find"]])]),
                Self.metric("searches", ["search"]),
            ])
        let naive = Self.attacked(
            [plan], [("pages", "page", [("Home", 900), ("Search", 303)]), ("searches", "", [("", 300)])])
        #expect(naive.pins.contains { $0.upper == 3 && $0.lower == 3 }, "\(naive.text)")
        // Where the bucket is the event, it is one number with two names, and a withheld one is no secret.
        let same = KnownPlan(
            app: "town",
            metrics: [
                Self.metric(
                    "pages", ["home", "search"],
                    [Self.list("page", "event", ["Home": ["home"], "Search": ["search"]])]),
                Self.metric("searches", ["search"]),
            ])
        let twice = Self.attacked(
            [same], [("pages", "page", [("", 1003), ("Home", nil), ("Search", nil)]), ("searches", "", [("", 1000)])])
        #expect(twice.pins.contains { $0.upper == 3 }, "\(twice.text)")
        let safe = Self.attacked(
            [same], [("pages", "page", [("", 1300), ("Home", nil), ("Search", nil)]), ("searches", "", [("", 1000)])])
        #expect(safe.holds, "\(safe.text)")
    }

    @Test("29: a metric that was renamed at noon is what its former name withheld")
    func renamed() throws {
        let country = Self.list("country", "country", ["AT": ["AT"], "DE": ["DE"]])
        func plan(_ name: String, _ since: UnixSeconds?) -> KnownPlan {
            KnownPlan(
                app: "town", since: since,
                metrics: [
                    Self.metric("all", ["click"], [country]), Self.metric(name, ["click"], [country]),
                ])
        }
        let published: [(metric: String, dimension: String, cells: [(String, Int64?)])] = [
            ("all", "country", [("", 605), ("AT", 205), ("DE", 400)]),
            ("safe", "country", [("", 105), ("AT", nil), ("DE", 100)]),
            ("sure", "country", [("", 500), ("AT", 200), ("DE", 300)]),
        ]
        let naive = Self.attacked([plan("safe", nil), plan("sure", Self.noon)], published)
        #expect(naive.pins.contains { $0.metric == "safe" && $0.upper == 5 && $0.lower == 5 }, "\(naive.text)")
        // Nor is it one where nobody can say what is small: all of the parts are k or more.
        let safe = Self.attacked(
            [plan("safe", nil), plan("sure", Self.noon)],
            [
                ("all", "country", [("", 635), ("AT", 235), ("DE", 400)]),
                ("safe", "country", [("", 135), ("AT", nil), ("DE", nil)]),
                ("sure", "country", [("", 500), ("AT", 200), ("DE", 300)]),
            ])
        #expect(safe.pins.isEmpty, "\(safe.text)")
    }

    @Test("29: a number that was counted under k = 20 is not released under k = 8")
    func lowered() {
        let country = Self.list("country", "country", ["AT": ["AT"], "DE": ["DE"]])
        func plan(_ k: Int64, _ since: UnixSeconds?) -> KnownPlan {
            KnownPlan(
                app: "town", since: since, metrics: [Self.metric("all", ["click"], [country], threshold: k)])
        }
        let published: [(metric: String, dimension: String, cells: [(String, Int64?)])] = [
            ("all", "country", [("", 408), ("AT", 8), ("DE", 400)])
        ]
        func report(_ plans: [KnownPlan]) -> AuditReport { Self.attacked(plans, published) }
        #expect(report([plan(20, nil), plan(8, UnixSeconds(90_000))]).pin(.belowThreshold, "country=AT") != nil)
        #expect(report([plan(8, nil)]).pins.isEmpty)
        #expect(report([plan(20, nil), plan(8, UnixSeconds(0))]).pins.isEmpty)
    }

    @Test("31: all actions less the safe ones are one device's 60, and nobody counted how many devices they are")
    func lessActions() throws {
        func plan(bound: Int64) -> KnownPlan {
            KnownPlan(
                app: "town",
                metrics: [
                    Self.metric("actions", ["safe", "risky"], bound: bound),
                    Self.metric("safe", ["safe"], bound: bound),
                ])
        }
        let published: [(metric: String, dimension: String, cells: [(String, Int64?)])] = [
            ("actions", "", [("", 1060)]), ("safe", "", [("", 1000)]),
        ]
        let pin = try #require(Self.attacked([plan(bound: 100)], published).pin(.uncounted, "actions"))
        #expect(pin.lower == 60 && pin.arithmetic == ["-1×1000", "1×1060"])
        // Where one device adds 3 at most, 60 events are 20 devices.
        #expect(Self.attacked([plan(bound: 3)], published).holds)
        #expect(!Self.attacked([plan(bound: 4)], published).holds)
    }

    @Test("39: one rule under two names is one dimension")
    func twoNames() throws {
        let groups = ["AT": ["AT"], "DE": ["DE"]]
        let plan = KnownPlan(
            app: "town",
            metrics: [
                Self.metric("visits", ["visit"], [Self.list("country", "country", groups)]),
                Self.metric("looks", ["visit"], [Self.list("land", "country", groups)]),
            ])
        let naive = Self.attacked(
            [plan],
            [
                ("visits", "country", [("", 500), ("AT", nil), ("DE", nil), ("other", nil)]),
                ("looks", "land", [("AT", 300), ("DE", 193)]),
            ])
        #expect(naive.pins.contains { $0.metric == "visits" && $0.target.contains("other") && $0.upper == 7 })
    }

    @Test("40: of all clients and of those that agreed, the three that refused are pinned")
    func consent() throws {
        let plan = KnownPlan(
            app: "town",
            metrics: [
                Self.metric("all", ["visit"]),
                Self.metric("agreed", ["visit"], clients: .init(haveAgreed: true)),
                Self.metric("unwatched", ["visit"], clients: .init(refusedBy: ["gpc"])),
            ])
        let naive = Self.attacked([plan], [("all", "", [("", 203)]), ("agreed", "", [("", 200)])])
        #expect(naive.pins.contains { $0.lower == 3 && $0.upper == 3 }, "\(naive.text)")
        let signal = Self.attacked([plan], [("all", "", [("", 203)]), ("unwatched", "", [("", 199)])])
        #expect(signal.pins.contains { $0.lower == 4 && $0.upper == 4 }, "\(signal.text)")
        // Neither of these two is in the other.
        #expect(Self.attacked([plan], [("agreed", "", [("", 203)]), ("unwatched", "", [("", 200)])]).holds)
    }
}
