import Foundation
import TestCluster
import Testing
import ThrongPlan
import ThrongWire

@testable import ThrongStore

@Suite("One plan of an app is in force, whatever plans daemons have")
struct PlanRegistryTests {
    private let settings: ConnectionSettings
    private let admin: Connection
    private let a = DaemonID(UUID())
    private let b = DaemonID(UUID())
    private let c = DaemonID(UUID())
    /// Plans, in the order in which they were written.
    private let old = PlanVersion(hex: String(repeating: "0a", count: 32))
    private let new = PlanVersion(hex: String(repeating: "1b", count: 32))
    private let newer = PlanVersion(hex: String(repeating: "2c", count: 32))
    private let layout = MetricLayout.sample()

    init() async throws {
        settings = try await TestCluster.database()
        admin = Connection(settings)
    }

    private static func terms(_ k: Int64) -> ReleaseTerms {
        ReleaseTerms(
            threshold: Threshold(devices: k), expiry: [DecayStep(after: .seconds(k * 86_400), action: .delete)])
    }

    /// A daemon starts with a plan, or says again that it counts by it.
    @discardableResult
    private func announce(_ plan: PlanVersion, _ daemon: DaemonID, isApplied: Bool = false) async throws -> PlanStanding
    {
        let claim = PlanClaim(daemon: daemon, plans: ["shop": plan], applied: isApplied ? ["shop"] : [])
        return try #require(try await CounterStore(settings).announce(claim).first)
    }

    /// A daemon that has its place, so that it can be retired.
    private func enroll(_ daemon: DaemonID) async throws {
        _ = try await admin.run { try $0.run(Query.enrollMember(daemon: daemon, address: nil, takesBatches: true)) }
    }

    private func retire(_ daemon: DaemonID) async throws {
        try await admin.execute("update throng.member set retired_at = now() where daemon = '\(daemon)'")
    }

    private func stop(_ daemon: DaemonID) async throws {
        _ = try await admin.run { try $0.run(Query.stopPlans(daemon: daemon, kept: [])) }
    }

    @Test("the first plan is in force; a daemon that has it too changes nothing, and one that has another is behind")
    func first() async throws {
        let standing = try await announce(old, a)
        #expect(standing.isInForce && standing.hasArrived && standing.arrival == .first && standing.isEverywhere)
        #expect(try await !announce(old, b).hasArrived)
        let behind = try await announce(new, c)
        #expect(!behind.isInForce && behind.inForce == old && behind.daemon == a && !behind.isEverywhere)
        #expect(try await !announce(new, c).isInForce, "saying it again brings nothing into force")
    }

    @Test("an edit goes from daemon to daemon: the first brings it into force, and from the last on all count by it")
    func rolling() async throws {
        for daemon in [a, b, c] { try await announce(old, daemon) }
        let edited = try await announce(new, a)
        #expect(edited.isInForce && edited.hasArrived && edited.arrival == .edited && !edited.isEverywhere)
        #expect(try await !announce(old, b).isInForce, "who has not got it yet is behind")
        #expect(try await !announce(new, b).isEverywhere)
        let last = try await announce(new, c)
        #expect(last.isInForce && !last.hasArrived && last.isEverywhere)
        #expect(last.daemon == a)
    }

    @Test(
        "a daemon that was forgotten does not turn the plan back, however often it starts, also when all were stopped")
    func forgotten() async throws {
        for daemon in [a, b, c] { try await announce(old, daemon) }
        for daemon in [a, b] { try await announce(new, daemon) }
        #expect(try await !announce(old, c).isInForce)
        for daemon in [a, b, c] { try await stop(daemon) }
        #expect(try await announce(old, c).inForce == new)
        #expect(try await announce(new, a).isInForce)
    }

    @Test("an edit that was made from an older plan does not come into force by itself")
    func fork() async throws {
        for daemon in [a, b, c] { try await announce(old, daemon) }
        try await announce(new, a)
        #expect(try await announce(newer, c).inForce == new)
        // The same edit of what is in force does, and takes the other one along.
        #expect(try await announce(newer, a).isInForce)
        #expect(try await announce(newer, c).isInForce)
    }

    @Test("an edit can be taken back where it was made, and not where it never arrived")
    func takenBack() async throws {
        for daemon in [a, b] { try await announce(old, daemon) }
        try await announce(new, a)
        let back = try await announce(old, a)
        #expect(back.isInForce && back.arrival == .edited && back.isEverywhere)
    }

    @Test("an operator's word brings any plan into force, once")
    func applied() async throws {
        for daemon in [a, b] { try await announce(old, daemon) }
        try await announce(new, a)
        let applied = try await announce(newer, b, isApplied: true)
        #expect(applied.isInForce && applied.arrival == .applied)
        #expect(try await !announce(new, a).isInForce)
        let rows = try await admin.texts(
            "select place || ' ' || arrival || case when until is null then '' else ' over' end "
                + "from throng.plan_in_force order by place")
        #expect(rows == ["1 first over", "2 edited over", "3 applied"])
    }

    @Test("nothing waits for a daemon that was retired: another plan is inherited by the next that says its own")
    func inherited() async throws {
        for daemon in [a, b] {
            try await enroll(daemon)
            try await announce(old, daemon)
        }
        try await announce(new, a)
        #expect(try await !announce(old, b).isInForce)
        try await retire(a)
        let heir = try await announce(old, b)
        #expect(heir.isInForce && heir.arrival == .inherited && heir.isEverywhere)
        #expect(try await announce(new, a).inForce == old, "one that was retired brings nothing")
    }

    @Test(
        "who is new in the place of a daemon that has stopped goes on by its own plan; beside one that runs it does not"
    )
    func successor() async throws {
        try await announce(old, a)
        #expect(try await !announce(new, b).isInForce)
        for daemon in [a, b] { try await stop(daemon) }
        let heir = try await announce(newer, c)
        #expect(heir.isInForce && heir.arrival == .inherited)
    }

    @Test("a daemon that serves an app no more counts for it by nothing")
    func dropped() async throws {
        let counters = CounterStore(settings)
        _ = try await counters.announce(PlanClaim(daemon: a, plans: ["shop": old, "kiosk": old]))
        _ = try await counters.announce(PlanClaim(daemon: b, plans: ["shop": old, "kiosk": old]))
        let edited = try await counters.announce(PlanClaim(daemon: a, plans: ["shop": old, "kiosk": new]))
        #expect(edited.map(\.isEverywhere) == [false, true], "by app: kiosk, shop")
        _ = try await counters.announce(PlanClaim(daemon: b, plans: ["shop": old]))
        let later = try await counters.announce(PlanClaim(daemon: a, plans: ["shop": old, "kiosk": new]))
        #expect(later.map(\.isEverywhere) == [true, true])
        let members = try await PlanRegistry(admin).members().filter { $0.daemon == b }
        #expect(members.map(\.hasStopped) == [true, false])
    }

    @Test("a process whose place another one has taken says nothing any more")
    func fenced() async throws {
        let (former, successor) = (CounterStore(settings), CounterStore(settings))
        _ = try await former.attach(daemon: a)
        _ = try await former.announce(PlanClaim(daemon: a, plans: ["shop": old]))
        let known = try await former.watermark(of: a)
        _ = try await successor.attach(daemon: a, replacing: known, fence: 1000)
        _ = try await successor.announce(PlanClaim(daemon: a, plans: ["shop": new]))
        await #expect(throws: StoreError.fenced(daemon: a)) {
            try await former.announce(PlanClaim(daemon: a, plans: ["shop": old]))
        }
        #expect(try await PlanRegistry(admin).inForce().map(\.plan) == [new])
    }

    // MARK: What plans ask

    /// What is asked of the layout's releases, and until when: place, k, whether it is over; and the same of promises, in days.
    private func held() async throws -> [[String]] {
        var found: [[String]] = []
        for column in ["layout_terms order by place", "layout_promise order by place"] {
            let value = column.hasPrefix("layout_terms") ? "threshold" : "ages[1] / 86400"
            found.append(
                try await admin.texts(
                    "select \(value) || case when until is null then '' else ' over' end from throng.\(column)"))
        }
        return found
    }

    private func start(_ plan: PlanVersion, _ k: Int64, _ daemon: DaemonID) async throws -> PlanRegistration {
        try await CounterStore(settings).register(
            [layout], terms: [layout: Self.terms(k)], by: PlanClaim(daemon: daemon, plans: ["shop": plan]))
    }

    @Test("what a plan asks and promises holds until the last daemon that counts by it has gone over")
    func terms() async throws {
        for daemon in [a, b, c] { #expect(try await start(old, 50, daemon).edited.isEmpty) }
        #expect(try await start(new, 20, a).edited == ["orders"])
        #expect(try await held() == [["50", "20"], ["50", "20"]])
        #expect(try await start(new, 20, b).edited.isEmpty)
        #expect(try await start(old, 50, c).standings.map(\.isInForce) == [false])
        #expect(
            try await held() == [["50", "20"], ["50", "20"]], "one that starts again with the old one changes nothing")
        #expect(try await start(new, 20, c).standings.map(\.isEverywhere) == [true])
        #expect(try await held() == [["50 over", "20"], ["50 over", "20"]])
    }

    @Test("who comes back with an old plan brings what that asks back, and not the plan")
    func back() async throws {
        for daemon in [a, c] { _ = try await start(old, 50, daemon) }
        try await stop(c)
        #expect(try await start(new, 20, a).standings.map(\.isEverywhere) == [true])
        #expect(try await held() == [["50 over", "20"], ["50 over", "20"]])
        #expect(try await start(old, 50, c).standings.map(\.isInForce) == [false])
        #expect(try await held() == [["50 over", "20", "50"], ["50 over", "20", "50"]])
        try await stop(c)
        #expect(try await start(new, 20, a).edited.isEmpty)
        #expect(try await held() == [["50 over", "20", "50 over"], ["50 over", "20", "50 over"]])
    }

    @Test("daemons start, and bring an edit, while a release is on its way", .timeLimit(.minutes(40)))
    func besideRelease() async throws {
        _ = try await start(old, 50, a)
        let release = Connection(
            ConnectionSettings(connectionString: settings.connectionString, statementTimeoutSeconds: 7200))
        defer { release.close() }
        let (hasBegun, isOver) = (AsyncStream<Void>.makeStream(), DispatchSemaphore(value: 0))
        async let made: Void = release.run { session in
            try session.transaction {
                // What a release writes refers to its layout, whose row is held until the release is over.
                try session.execute(
                    script: """
                        insert into throng.closed_period select metric_id, 'epoch', now() from throng.metric_layout
                        """, name: "test")
                hasBegun.continuation.finish()
                isOver.wait()
            }
        }
        defer { isOver.signal() }
        for await _ in hasBegun.stream {}
        #expect(try await start(old, 50, b).edited.isEmpty)
        #expect(try await start(new, 20, a).edited == ["orders"])
        #expect(try await held() == [["50", "20"], ["50", "20"]])
        isOver.signal()
        try await made
    }

    @Test("layouts and views are the plan's in force, whoever starts last")
    func views() async throws {
        let other = MetricLayout.sample(steps: ["other"])
        func start(_ plan: PlanVersion, _ layout: MetricLayout, _ daemon: DaemonID) async throws {
            _ = try await CounterStore(settings).register(
                [layout], terms: [layout: Self.terms(20)], by: PlanClaim(daemon: daemon, plans: ["shop": plan]))
        }
        let current = "select encode(layout_id, 'hex') from throng.metric_layout where is_current"
        for daemon in [a, b] { try await start(old, layout, daemon) }
        try await start(new, other, a)
        try await start(old, layout, b)
        #expect(try await admin.texts(current) == ["\(other.id)"])
        let open = "select count(*) from throng.layout_terms where until is null"
        #expect(try await admin.integer(open) == 2, "both are counted")
        try await start(new, other, b)
        #expect(try await admin.integer(open) == 1)
    }

    @Test("of two that bring different edits at once, one is in force", .timeLimit(.minutes(40)))
    func race() async throws {
        for _ in 0..<8 {
            let plan = PlanVersion(
                hex: (0..<32).map { _ in UInt8.random(in: 0...255) }.lowerHex)
            let other = PlanVersion(hex: (0..<32).map { _ in UInt8.random(in: 0...255) }.lowerHex)
            let now = try #require(try await PlanRegistry(admin).inForce().first?.plan ?? old)
            for daemon in [a, b] { try await announce(now, daemon) }
            async let one = announce(plan, a)
            async let two = announce(other, b)
            let standings = try await [one, two]
            #expect(standings.count(where: \.hasArrived) == 1)
            #expect(try await PlanRegistry(admin).inForce().count == 1)
        }
    }
}
