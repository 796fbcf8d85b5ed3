internal import Foundation
internal import Hummingbird
internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// The view of the operator's page.
struct OperatorView {
    struct Panel {
        let panelAnchor: String
        let panelTitle: String
        let hasFacts: Bool
        let facts: [DaemonHealth.Fact]
        let tables: [Table]
        var empties: [String]
        /// Numbers that somebody misses.
        var asked: [TemplateView] = []
    }

    struct Table {
        let tableTitle: String
        let headings: [String]
        let tableRows: [Row]
    }

    struct Row {
        /// The row's first cells, which tell screen readers what the row is about.
        let rowHeads: [String]
        let tableCells: [String]
    }

    let frame: PageFrame
    let headline: String
    let lede: String
    let panels: [Panel]

    /// The number of last releases and runs that are shown, and the time before a metric's end at which it is worth a
    /// word. Unit of the latter: days.
    static let (last, soon) = (12, 30)

    /// - Parameter runs: those that began last, and each report's of its latest period.
    init(
        _ health: DaemonHealth, released: [ReleaseNote], pending: [(app: AppName, release: PendingRelease)] = [],
        runs: [ReportRun], faults: [ReportRunName: [String]] = [:], unsigned: [ReportRun] = [],
        readings: [LastReading] = [], asked: [AskedQuestion] = [], members: [EnrolledMember] = [],
        registry: OperatorRegistry = OperatorRegistry(), plans: [Plan], now: UnixSeconds, frame: PageFrame
    ) {
        self.frame = frame
        let troubled = Self.troubled(runs, plans: plans)
        let alarms =
            health.panels.flatMap(\.facts).filter(\.isAlarm).count + troubled.count + health.waitsFor.count
            + registry.behind(among: members).count
        headline = alarms == 0 ? "All is well" : alarms == 1 ? "One thing needs a look" : "\(alarms) things need a look"
        lede = "This daemon, as of now. Health only: no number of what is counted is here."
        panels =
            health.panels.map { panel in
                Panel(
                    panelAnchor: Self.anchor(panel.title), panelTitle: panel.title, hasFacts: !panel.facts.isEmpty,
                    facts: panel.facts, tables: [], empties: [])
            } + [
                Self.panel(
                    "Refusals", "Events and batches by why they were refused, since the start",
                    ["Reason", "Times", "For example"],
                    health.refusals.map { [$0.reason, Wording.english.number($0.count), $0.example] },
                    nothing: "Nothing was refused since the start."),
                Self.upcoming(pending, health, plans: plans, now: now), Self.releases(released, plans: plans),
                Self.reports(runs, troubled, faults, plans: plans), Self.unsigned(unsigned, plans: plans),
                Self.readings(readings), Self.asked(asked, plans: plans), Self.expiries(plans, now: now),
                Self.members(members, registry, health), Self.plans(registry, health), Self.versions(health.versions),
            ]
    }

    /// - Parameter heads: how many cells of a row say what it is about.
    static func panel(
        _ title: String, _ caption: String, _ headings: [String], _ rows: [[String]], heads: Int = 1, nothing: String
    ) -> Panel {
        let cells = rows.map { Row(rowHeads: Array($0.prefix(heads)), tableCells: Array($0.dropFirst(heads))) }
        return Panel(
            panelAnchor: anchor(title), panelTitle: title, hasFacts: false, facts: [],
            tables: rows.isEmpty ? [] : [Table(tableTitle: caption, headings: headings, tableRows: cells)],
            empties: rows.isEmpty ? [nothing] : [])
    }

    static func anchor(_ title: String) -> String { title.lowercased().replacing(" ", with: "-") }

    static func calendar(of app: AppName, _ plans: [Plan]) -> PeriodCalendar {
        plans.first { $0.app.name == app }.flatMap { PeriodCalendar(timeZone: $0.app.timeZone) } ?? .utc
    }

    private static func releases(_ released: [ReleaseNote], plans: [Plan]) -> Panel {
        panel(
            "Last releases", "The last releases", ["App", "Metric", "Period", "Made"],
            released.map { release in
                [
                    release.app.text, release.metric.text, calendar(of: release.app, plans).label(of: release.period),
                    Instant.text(release.madeAt),
                ]
            }, heads: 2, nothing: "Nothing was released yet.")
    }

    /// The runs of reports' latest periods that failed or were not delivered. Only reports of plans count.
    private static func troubled(_ runs: [ReportRun], plans: [Plan]) -> [ReportRun] {
        plans.flatMap { plan in
            plan.reports.compactMap { report in
                runs.filter { $0.app == plan.app.name && $0.report == report.name }.max { $0.period < $1.period }
            }
        }.filter { [.failed, .undelivered].contains($0.outcome) }
    }

    private static func reports(
        _ runs: [ReportRun], _ troubled: [ReportRun], _ faults: [ReportRunName: [String]], plans: [Plan]
    ) -> Panel {
        let latest = runs.sorted { $0.startedAt > $1.startedAt }.prefix(last)
        return panel(
            "Last reports", "The last runs of reports", ["App", "Report", "Period", "Begun", "Outcome"],
            (latest + troubled.filter { !latest.contains($0) }).map { run in
                let calendar = calendar(of: run.app, plans)
                let outcome =
                    switch run.outcome {
                    case .failed: "failed, try \(run.attempt)"
                    case .running: "under way, try \(run.attempt)"
                    case .made: "made, deliveries under way"
                    case .delivered: "delivered"
                    case .undelivered: "made, a delivery was given up"
                    }
                return [
                    run.app.text, run.report.text, calendar.label(of: run.period), Instant.text(run.startedAt),
                    ([outcome] + [run.detail].compactMap { $0 } + (faults[run.name] ?? [])).joined(separator: ": "),
                ]
            }, heads: 2, nothing: "No report was made yet.")
    }

    private static func expiries(_ plans: [Plan], now: UnixSeconds) -> Panel {
        var rows: [[String]] = []
        for plan in plans {
            let calendar = PeriodCalendar(timeZone: plan.app.timeZone) ?? .utc
            let today = calendar.date(at: now)
            let limit = calendar.date(at: now + Int64(soon) * 86_400)
            for metric in plan.metrics {
                guard metric.expires <= limit else { continue }
                rows.append([
                    plan.app.name.text, metric.name.text, "\(metric.expires)",
                    metric.expires <= today ? "over" : "soon",
                ])
            }
        }
        return panel(
            "Expiring metrics", "Metrics that are over, or will be within \(soon) days",
            ["App", "Metric", "Ends on", ""], rows, heads: 2, nothing: "No metric ends within \(soon) days.")
    }
}

/// `/operator`: how the daemon is.
struct OperatorRoutes: Sendable {
    let door: Doorkeeper
    let pages: PortalPages
    let access: AccessStore
    let releases: ReleaseStore
    let plans: [Plan]
    let health: @Sendable () -> DaemonHealth

    func add(to router: Router<BasicRequestContext>) {
        router.get("/operator") { request, _ in
            guard let visitor = try await door.visitor(of: request), visitor.role == .operations else {
                return try pages.signIn(for: request, status: .unauthorized)
            }
            var pending: [(app: AppName, release: PendingRelease)] = []
            for plan in plans { pending += try await releases.pending(of: plan).map { (plan.app.name, $0) } }
            let runs = try await RunStore(releases.connection).lastRuns(OperatorView.last)
            let deliveries = DeliveryStore(releases.connection)
            var faults: [ReportRunName: [String]] = [:]
            for run in runs where run.outcome == .undelivered {
                faults[run.name] = try await deliveries.deliveries(of: run.name).filter { $0.state == .failed }.map {
                    "\($0.target): \($0.lastError ?? "")"
                }
            }
            let registry = PlanRegistry(releases.connection)
            let view = OperatorView(
                health(), released: try await access.lastReleases(OperatorView.last), pending: pending, runs: runs,
                faults: faults,
                unsigned: try await RunStore(releases.connection).unsignedRuns(
                    ending: ReportFile.signatureEnding, OperatorView.last), readings: try await access.readings(),
                asked: try await access.asked(), members: try await MemberAdmin(releases.connection).members(),
                registry: OperatorRegistry(
                    inForce: try await registry.inForce(), members: try await registry.members()), plans: plans,
                now: door.now(), frame: pages.frame("Operator", in: .english, visitor: "Operator"))
            return try pages.response(view, by: "operator")
        }
    }
}
