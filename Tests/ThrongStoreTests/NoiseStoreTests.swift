import Synchronization
import TestCluster
import Testing
import ThrongCounting
import ThrongNoise
import ThrongPlan
import ThrongRelease

@testable import ThrongPostgres
@testable import ThrongStore

@Suite("Noise is paid before it is drawn, drawn once, and published as drawn", .serialized)
struct NoiseStoreTests {
    /// A daemon's database, in which Saturday has 7 events on Android.
    struct House {
        let settings: ConnectionSettings
        let owner: Connection
        let layout: MetricLayout
        /// For what is not a process of its own: connections are few.
        let reader: ReleaseStore

        init(epsilon: Int64 = 1000, metric: MetricName = "orders") async throws {
            settings = try await TestCluster.database()
            owner = Connection(settings)
            reader = ReleaseStore(settings)
            layout = Self.layout(metric, epsilon: Rational(epsilon))
            let counters = CounterStore(settings)
            try await counters.registerLayouts([layout])
            _ = try await counters.attach(daemon: .new)
            _ = try await counters.flush(.of(layout, after: 0, through: 1, count: 7, devices: 3), now: saturday)
            try await open(saturday + 60)
        }

        static func layout(_ metric: MetricName, epsilon: Rational) -> MetricLayout {
            MetricLayout(
                app: "shop", metric: metric, purpose: "product", rotation: .standard, period: .day, timeZone: "UTC",
                dimensions: [
                    .init(name: "os", labels: ["android", "ios", "other"], partitionsDevices: true, rule: "list")
                ],
                sums: [SumMeasure(name: "paid", field: "p", lowest: -1, highest: 5, decimals: 0, unit: "EUR")],
                contributionBound: 10, groupings: [.total, Margin(keeping: [0])],
                noise: .laplace(epsilon: epsilon), cellsBound: 2)
        }

        /// A store object of a process that has just begun.
        func store() -> NoiseStore { NoiseStore(ReleaseStore(settings)) }

        func open(_ now: UnixSeconds, _ layout: MetricLayout? = nil) async throws {
            try await NoiseStore(reader).keepCalendar(of: layout ?? self.layout, expires: .max, now: now)
        }

        func request(
            _ start: UnixSeconds = saturday, budget: Int64 = 2000, per: BudgetSpan = .month,
            _ layout: MetricLayout? = nil
        ) throws -> NoiseRequest {
            try Self.request(of: layout ?? self.layout, start, budget: budget, per: per)
        }

        static func request(
            of layout: MetricLayout, _ start: UnixSeconds = saturday, budget: Int64 = 2000, per: BudgetSpan = .month
        ) throws -> NoiseRequest {
            try #require(
                try NoiseRequest(
                    layout: layout, period: .day(start), plan: PlanVersion(hex: "ab"),
                    groupings: [.total, Margin(keeping: [0])], sampling: 1,
                    budget: try PrivacyBudget(total: .epsilon(Rational(budget)), per: per)))
        }

        func released() async throws -> [Release] {
            try await reader.releases(
                app: "shop", metric: layout.metric, periodKind: .day, from: .epoch, to: .max)
        }

        func open() async throws -> [Period] {
            try await reader.openPeriods(app: "shop").map(\.period)
        }

        func spent() async throws -> [String] {
            try await owner.texts(
                "select spent_numerator || '/' || spent_denominator from throng.noise_budget order by slot_start")
        }
    }

    private struct PowerLoss: Error {}

    /// Every draw that a test has seen, whatever became of it.
    private final class Draws: Sendable {
        private let seen = Mutex<[NoiseDraw]>([])
        var all: [NoiseDraw] { seen.withLock { $0 } }

        /// Notes draws, and dies at a step.
        func dying(at cut: Int?) -> @Sendable (NoiseStep) throws -> Void {
            { step in
                if case .drawn(let draw) = step { self.seen.withLock { $0.append(draw) } }
                if step.ordinal == cut { throw PowerLoss() }
            }
        }
    }

    @Test("every declared cell gets a number, the empty ones too; the counted ones stand behind them")
    func whole() async throws {
        let house = try await House()
        guard case .released(let release) = try await house.store().release(house.request()) else {
            Issue.record("nothing was released")
            return
        }
        // At epsilon 1000 another number than the counted one has a chance of about e^-25.
        #expect(release.cells.map(\.count) == [7, 7, 0, 0])
        #expect(release.cells.map(\.margin.bits) == [0, 1, 1, 1])
        #expect(release.cells.allSatisfy { $0.sums.count == 1 && $0.reach == nil })
        #expect(release.header.noise?.cells == 4)
        #expect(try await house.released() == [release])
        #expect(try await house.open().isEmpty)
        #expect(try await house.owner.integer("select count(*) from throng.noise_cell") == 0)
        #expect(try await house.owner.integer("select count(*) from throng.distinct_count") == 0)
        #expect(try await house.spent() == ["1000/1"])
    }

    @Test("power lost at each step: never a second draw, and what was stored is what is published", arguments: 0..<5)
    func powerLoss(cut: Int) async throws {
        let house = try await House(epsilon: 1)
        let draws = Draws()
        let request = try house.request()
        await #expect(throws: PowerLoss.self) {
            _ = try await house.store().release(request, reaching: draws.dying(at: cut))
        }
        var outcomes: [NoiseOutcome] = []
        for _ in 0..<2 {
            outcomes.append(try await house.store().release(request, reaching: draws.dying(at: nil)))
        }
        let releases = try await house.released()
        // Columns of the release as they were drawn.
        let published = releases.map { release in
            NoiseDraw(release: request.id, values: [release.cells.map(\.count), release.cells.map { $0.sums[0] }])
        }
        switch cut {
        case 0:
            // Closed, not paid: goes on.
            #expect(draws.all.count == 1)
            #expect(published == draws.all)
        case 1, 2:
            // Paid; drawn or not: lost, and it stays paid.
            #expect(draws.all.count == cut - 1)
            #expect(releases.isEmpty)
            guard case .missing(.lost) = outcomes[0], case .missing(.lost) = outcomes[1] else {
                Issue.record("\(outcomes)")
                return
            }
            #expect(try await house.owner.texts("select stage::text from throng.noise_draw") == ["0"])
        default:
            // Stored or out: exactly those values.
            #expect(draws.all.count == 1)
            #expect(published == draws.all)
            #expect(try await house.owner.texts("select stage::text from throng.noise_draw") == ["2"])
        }
        #expect(try await house.spent() == ["1/1"])
        #expect(try await house.open().isEmpty)
    }

    @Test("a connection that dies with the values in memory loses the release and keeps the payment")
    func killedBackend() async throws {
        let house = try await House(epsilon: 1)
        let draws = Draws()
        let request = try house.request()
        // Ends the server's side of the connection from another one, while the first holds its lock.
        let killer = house.owner
        let running = Task {
            try await house.store().release(request) { step in
                try draws.dying(at: nil)(step)
                guard case .drawn = step else { return }
                let flag = Flag()
                Task {
                    try await killer.execute(
                        """
                        select pg_terminate_backend(l.pid) from pg_locks l join pg_database d on d.oid = l.database
                        where l.locktype = 'advisory' and d.datname = current_database()
                        """)
                    flag.isDone.store(true, ordering: .releasing)
                }
                while !flag.isDone.load(ordering: .acquiring) {}
            }
        }
        await #expect(throws: PostgresError.self) { _ = try await running.value }
        guard case .missing(.lost) = try await house.store().release(request, reaching: draws.dying(at: nil)) else {
            Issue.record("what was drawn and not stored must be lost")
            return
        }
        #expect(draws.all.count == 1)
        #expect(try await house.released().isEmpty)
        #expect(try await house.spent() == ["1/1"])
    }

    @Test("of processes that release at once, one draws")
    func atOnce() async throws {
        let house = try await House(epsilon: 1)
        let draws = Draws()
        let request = try house.request()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask { _ = try await house.store().release(request, reaching: draws.dying(at: nil)) }
            }
            try await group.waitForAll()
        }
        #expect(draws.all.count == 1)
        #expect(try await house.released().count == 1)
        #expect(try await house.spent() == ["1/1"])
    }

    @Test("periods open by the calendar, not by what is counted; the empty ones are released and paid alike")
    func calendar() async throws {
        let house = try await House(epsilon: 1)
        try await house.open(saturday + 3 * day + 5)
        try await house.open(saturday + 3 * day + 6)
        let days = (0...3).map { Period.day(saturday + $0 * day) }
        #expect(try await house.open() == days)
        for period in days.dropLast() {
            guard case .released(let release) = try await house.store().release(house.request(period.start, budget: 3))
            else {
                Issue.record("\(period.start)")
                return
            }
            #expect(release.cells.count == 4)
        }
        #expect(try await house.spent() == ["3/1"])
        // The fourth finds the month's budget spent: a hole for good, without any draw.
        guard
            case .missing(.unpaid(.spent)) = try await house.store().release(
                house.request(saturday + 3 * day, budget: 3))
        else {
            Issue.record("the budget was overspent")
            return
        }
        #expect(try await house.owner.integer("select count(*) from throng.noise_draw") == 3)
        #expect(try await house.open().isEmpty)
    }

    @Test("a budget that changes its span does not forget what was spent")
    func changedSpan() async throws {
        let house = try await House(epsilon: 1)
        let other = House.layout("visits", epsilon: Rational(1))
        try await CounterStore(house.settings).registerLayouts([other])
        try await house.open(saturday + 60, other)
        _ = try await house.store().release(house.request(budget: 1, per: .month))
        let second = try await house.store().release(house.request(budget: 1, per: .day, other))
        guard case .missing(.unpaid(.spent(_, let remaining, _))) = second else {
            Issue.record("\(second)")
            return
        }
        #expect(remaining == .zero)
    }

    @Test("a period is exact or noisy for ever, whatever a program does")
    func neverBoth() async throws {
        let house = try await House(epsilon: 1)
        let exact = MetricLayout.sample()
        let counters = CounterStore(house.settings)
        try await counters.registerLayouts([exact])
        _ = try await counters.attach(daemon: .new)
        _ = try await counters.flush(.of(exact, after: 0, through: 1, count: 50, devices: 25), now: saturday)
        let open = OpenPeriod(layout: exact, period: .day(saturday))
        #expect(try await NoiseStore(house.reader).standing(of: open) == .displaced)
        await #expect(throws: PostgresError.self) {
            _ = try await ReleaseStore(house.settings).release(exact, .day(saturday)) { cube in
                try ReleaseCase(header: exact.header(cube.period, groupings: [.total]), parts: [cube]).decide()
            }
        }
        try await house.store().discard(open)
        #expect(try await house.open() == [.day(saturday)])
        guard case .released = try await house.store().release(house.request()) else {
            Issue.record("the noisy one stays")
            return
        }

        // The other way round: an exact layout counted on Sunday, so Sunday stays exact.
        let sunday = saturday + day
        _ = try await counters.flush(.of(exact, after: 1, through: 2, at: sunday, count: 50, devices: 25), now: sunday)
        try await house.open(sunday + day)
        #expect(
            try await NoiseStore(house.reader).standing(of: OpenPeriod(layout: exact, period: .day(sunday))) == .exact)
        #expect(
            try await NoiseStore(house.reader).standing(of: OpenPeriod(layout: house.layout, period: .day(sunday)))
                == .displaced)
        _ = try await ReleaseStore(house.settings).release(exact, .day(sunday)) { cube in
            try ReleaseCase(header: exact.header(cube.period, groupings: [.total]), parts: [cube]).decide()
        }
        #expect(
            try await house.owner.texts(
                "select kind::text from throng.release_kind where metric = 'orders' order by period_start")
                == ["1", "0", "1"])
    }

    @Test("nobody takes back a payment, changes a drawn value or forgets a draw")
    func nothingGoesBack() async throws {
        let house = try await House(epsilon: 1)
        let draws = Draws()
        _ = try? await house.store().release(house.request(), reaching: draws.dying(at: 3))
        for sql in [
            "update throng.noise_budget set spent_numerator = 0",
            "delete from throng.noise_budget", "delete from throng.noise_draw", "truncate throng.noise_cell",
            "update throng.noise_cell set value = 0", "delete from throng.noise_cell",
            "update throng.noise_draw set stage = 0", "update throng.noise_draw set stage = 2, cost_numerator = 2",
            "update throng.noise_budget set spent_numerator = 3000",
            "delete from throng.release_kind", "update throng.release_kind set kind = 0, metric_id = null",
        ] {
            // As the owner of the tables, whom no missing privilege stops.
            await #expect(throws: PostgresError.self, "\(sql)") { try await house.owner.execute(sql) }
        }
        #expect(try await house.owner.integer("select count(*) from throng.noise_cell") == 8)
    }

    @Test("an analyst sees the noisy numbers, that they are noisy, and nothing behind them")
    func analyst() async throws {
        let house = try await House()
        _ = try await house.store().release(house.request())
        let analyst = Connection(house.settings.acting(as: .analyst))
        #expect(
            try await analyst.texts("select concat_ws(' ', os, events) from analyst.shop_orders order by 1")
                == ["(all) 7", "android 7", "ios 0", "other 0"])
        #expect(
            try await analyst.texts("select concat_ws(' ', metric, mechanism, epsilon, cells) from analyst.noise")
                == ["orders laplace 1000 4"])
        #expect(
            try await analyst.texts("select obj_description('analyst.shop_orders'::regclass)")[0]
                .hasPrefix("Noisy numbers of metric orders"))
        for table in ["release_kind", "noise_budget", "noise_draw", "noise_cell"] {
            await #expect(throws: PostgresError.self) { try await analyst.execute("select * from throng.\(table)") }
        }
    }
}

/// Holds what can't be copied, for closures.
private final class Flag: Sendable {
    let isDone = Atomic(false)
}

extension NoiseStep {
    var ordinal: Int {
        switch self {
        case .closed: 0
        case .reserved: 1
        case .drawn: 2
        case .stored: 3
        case .published: 4
        }
    }
}
