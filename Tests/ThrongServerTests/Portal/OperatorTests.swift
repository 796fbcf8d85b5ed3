import Foundation
import Testing
import ThrongPlan
import ThrongSchedule

@testable import ThrongServer
@testable import ThrongStore

@Suite("The operator's page says what needs a look, and only that")
struct OperatorTests {
    private static let now = UnixSeconds(1_795_219_200)
    private static let day: Int64 = 86_400

    private static func run(
        _ report: ReportName, daysAgo days: Int64, _ outcome: ReportRun.Outcome, app: AppName = "shop"
    ) -> ReportRun {
        let period = PeriodCalendar.utc.period(.day, containing: now - days * day)
        return ReportRun(
            app: app, label: nil, report: report, partner: "bank", period: period, attempt: 1, startedAt: period.end,
            finishedAt: nil, outcome: outcome, detail: nil)
    }

    private static func view(_ runs: [ReportRun], now: UnixSeconds = now) throws -> OperatorView {
        OperatorView(
            DaemonHealth(panels: [], refusals: []), released: [], runs: runs, plans: [try PortalPlan.read()], now: now,
            frame: PageFrame(language: .english))
    }

    @Test("a delivery that was given up needs a look, and so does a report that could not be made")
    func troubles() throws {
        #expect(try Self.view([Self.run("pulse", daysAgo: 1, .undelivered)]).headline == "One thing needs a look")
        #expect(
            try Self.view([
                Self.run("pulse", daysAgo: 1, .undelivered), Self.run("other", daysAgo: 1, .failed),
            ]).headline == "2 things need a look")
        #expect(
            try Self.view([Self.run("pulse", daysAgo: 1, .delivered), Self.run("other", daysAgo: 1, .made)]).headline
                == "All is well")
    }

    @Test("a mail that was refused for good stands beside its report, by its place in the plan and without its address")
    func bounce() throws {
        let run = Self.run("pulse", daysAgo: 1, .undelivered)
        let words = "mail address 1 at bank.example: \(DeliveryFault.mailRefused(status: 550))"
        let view = OperatorView(
            DaemonHealth(panels: [], refusals: []), released: [], runs: [run], faults: [run.name: [words]],
            plans: [try PortalPlan.read()], now: Self.now,
            frame: PageFrame(language: .english))
        let cell = try #require(Self.rows(of: "Last reports", in: view).first?.last)
        #expect(
            cell.hasPrefix("made, a delivery was given up: mail address 1 at bank.example: ") && cell.contains("(550)"))
    }

    @Test("a failure of long ago is no alarm once a later period went well, nor of a report that is no more")
    func past() throws {
        let old = Self.run("pulse", daysAgo: 90, .failed)
        #expect(try Self.view([old, Self.run("pulse", daysAgo: 1, .delivered)]).headline == "All is well")
        #expect(try Self.view([Self.run("gone", daysAgo: 90, .failed)]).headline == "All is well")
        #expect(try Self.view([Self.run("pulse", daysAgo: 1, .failed, app: "other")]).headline == "All is well")
    }

    @Test("what needs a look is on the page, however long ago it began")
    func shown() throws {
        let runs =
            [Self.run("pulse", daysAgo: 90, .undelivered)]
            + (1...20).map {
                Self.run("other", daysAgo: $0, .delivered)
            }
        let view = try Self.view(runs)
        let table = try #require(view.panels.first { $0.panelTitle == "Last reports" }?.tables.first)
        #expect(table.tableRows.count == OperatorView.last + 1)
        #expect(table.tableRows.last?.rowHeads == ["shop", "pulse"])
    }

    @Test("on the date in its plan a metric is over, the day before it ends soon")
    func expiry() throws {
        func word(_ date: String) throws -> String? {
            let day = try #require(CalendarDate(date))
            let view = try Self.view([], now: PeriodCalendar.utc.midnight(of: day) + 3600)
            let table = view.panels.first { $0.panelTitle == "Expiring metrics" }?.tables.first
            #expect(table == nil || table?.headings[2] == "Ends on")
            return table?.tableRows.first?.tableCells.last
        }
        #expect(try word("2027-06-29") == "soon")
        #expect(try word("2027-06-30") == "over")
        #expect(try word("2027-05-01") == nil)
    }

    private static func rows(of title: String, in view: OperatorView) -> [[String]] {
        view.panels.first { $0.panelTitle == title }?.tables.first?.tableRows.map { $0.rowHeads + $0.tableCells } ?? []
    }

    private static func view(
        pending: [PendingRelease] = [], members: [EnrolledMember] = [], unsigned: [ReportRun] = [],
        registry: OperatorRegistry = OperatorRegistry(), _ change: (inout DaemonHealth) -> Void = { _ in }
    ) throws -> OperatorView {
        var health = DaemonHealth(panels: [], refusals: [])
        change(&health)
        return OperatorView(
            health, released: [], pending: pending.map { ("shop", $0) }, runs: [], unsigned: unsigned, members: members,
            registry: registry, plans: [try PortalPlan.read()], now: now,
            frame: PageFrame(language: .english))
    }

    /// Of a period that began so many days ago, a day long unless told otherwise; the grace is a day.
    private static func pending(_ metric: MetricName, daysAgo days: Int64, _ kind: PeriodKind = .day) -> PendingRelease
    {
        let period = PeriodCalendar.utc.period(kind, containing: now - days * day)
        return PendingRelease(metric: metric, period: period, due: period.end + day)
    }

    @Test("each metric has its next release, what that waits for, and how many periods are open")
    func upcoming() throws {
        func obstacle(
            _ pending: [PendingRelease], _ change: (inout DaemonHealth) -> Void = { _ in }
        ) throws -> [String] {
            let rows = Self.rows(of: "Next releases", in: try Self.view(pending: pending, change))
            #expect(rows.count == 1 && rows.first?.prefix(2) == ["shop", "visits"])
            return Array(try #require(rows.first).dropFirst(4))
        }
        let (under, over, due) = (
            Self.pending("visits", daysAgo: 0), Self.pending("visits", daysAgo: 1), Self.pending("visits", daysAgo: 4)
        )
        #expect(try obstacle([under]) == ["the end of the period", "1"])
        #expect(try obstacle([under, over]) == ["the grace, for what comes late", "2"])
        #expect(try obstacle([under, over, due]) == ["the next look, or the log says why", "3"])
        #expect(
            try obstacle([due]) { $0.isClockDoubted = true } == ["a time of day that is believed: throng doctor", "1"])
        #expect(
            try obstacle([due]) { $0.waitsFor = ["0123456789ab"] } == ["daemon 01234567, which is silent", "1"])
        // A month whose days are open waits for these, even where it is due first.
        let month = PendingRelease(
            metric: "visits", period: PeriodCalendar.utc.period(.month, containing: due.period.start - 30 * Self.day),
            due: due.due - 1)
        let part = PendingRelease(
            metric: "visits", period: PeriodCalendar.utc.period(.day, containing: month.period.start), due: due.due)
        #expect(try obstacle([month, part]) == ["the releases of its parts", "2"])
    }

    @Test("metrics stand by what is due first, each once")
    func metrics() throws {
        let pending = [
            Self.pending("visits", daysAgo: 0), Self.pending("orders", daysAgo: 1), Self.pending("orders", daysAgo: 0),
        ]
        let rows = Self.rows(of: "Next releases", in: try Self.view(pending: pending))
        #expect(rows.map { $0[1] } == ["orders", "visits"])
        #expect(rows.map { $0[5] } == ["2", "1"])
    }

    @Test("a daemon that releases wait for needs a look; one that has stopped in order does not")
    func members() throws {
        let (one, two, three, four) = (DaemonID(UUID()), DaemonID(UUID()), DaemonID(UUID()), DaemonID(UUID()))
        let members = [
            EnrolledMember(daemon: one, shard: 0, silence: 3, hasLeft: false),
            EnrolledMember(daemon: two, shard: 1, silence: 7300, hasLeft: false),
            EnrolledMember(daemon: three, shard: 2, silence: 1_000_000, hasLeft: true),
            EnrolledMember(
                daemon: four, shard: 3, silence: 60, hasLeft: false, owesFrom: UnixSeconds(1_800_000_000)),
        ]
        let view = try Self.view(members: members) {
            $0.daemon = one.description
            $0.waitsFor = [two.description]
        }
        #expect(view.headline == "One thing needs a look")
        let rows = Self.rows(of: "Members", in: view)
        let names = [one, two, three, four].map { String($0.description.prefix(8)) }
        #expect(rows.map { $0[0] } == [names[0] + ", this one"] + names[1...])
        #expect(rows.map { $0[1] } == ["3 seconds ago", "2 hours ago", "11 days ago", "60 seconds ago"])
        #expect(
            rows.map { $0[2] } == [
                "takes part", "silent, and releases wait for it", "has stopped, and left nothing behind",
                "has stopped, and releases wait for it from 2027-01-15T08:00:00Z on",
            ])
        #expect(try Self.view(members: [members[0], members[2], members[3]]).headline == "All is well")
    }

    @Test("a daemon that counts by another plan than the one in force needs a look, one that has stopped does not")
    func plans() throws {
        let (one, two, three) = (DaemonID(UUID()), DaemonID(UUID()), DaemonID(UUID()))
        let members = [one, two, three].enumerated().map { place, daemon in
            EnrolledMember(daemon: daemon, shard: Int16(place), silence: 3, hasLeft: place == 2)
        }
        let (new, old) = (PlanVersion(hex: "1b2c3d4e5f60718293"), PlanVersion(hex: "0a"))
        let registry = OperatorRegistry(
            inForce: [RegisteredPlan(app: "shop", plan: new, since: Self.now, daemon: one, arrival: .edited)],
            members: [
                MemberPlan(daemon: one, app: "shop", plan: new, hasStopped: false),
                MemberPlan(daemon: two, app: "shop", plan: old, hasStopped: false),
                MemberPlan(daemon: two, app: "kiosk", plan: old, hasStopped: false),
                MemberPlan(daemon: three, app: "shop", plan: old, hasStopped: true),
            ])
        let view = try Self.view(members: members, registry: registry) { $0.plansBehind = ["this daemon is behind"] }
        #expect(view.headline == "One thing needs a look")
        #expect(
            Self.rows(of: "Members", in: view).map { $0[2] } == [
                "takes part", "counts for shop by another plan than the one in force",
                "has stopped, and left nothing behind",
            ])
        let panel = try #require(view.panels.first { $0.panelTitle == "Plans in force" })
        #expect(panel.empties == ["This daemon is behind."])
        #expect(Self.rows(of: "Plans in force", in: view).map { $0[1] } == ["1b2c3d4e5f607182"])
        #expect(try Self.view(members: [members[0], members[2]], registry: registry).headline == "All is well")
        #expect(try Self.view().panels.first { $0.panelTitle == "Plans in force" }?.empties.count == 1)
    }

    @Test("reports without a signature, and the versions of what runs, are on the page")
    func standing() throws {
        let view = try Self.view(unsigned: [Self.run("pulse", daysAgo: 1, .delivered)]) {
            $0.versions = [("throng", "1.2.3"), ("plan of shop", "abc")]
        }
        #expect(view.headline == "All is well")
        #expect(Self.rows(of: "Reports without a signature", in: view).map { $0[1] } == ["pulse"])
        #expect(Self.rows(of: "Versions", in: view) == [["throng", "1.2.3"], ["plan of shop", "abc"]])
    }
}
