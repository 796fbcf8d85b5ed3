internal import ThrongPlan
internal import ThrongReport
internal import ThrongStore

/// Panels about what waits, what lacks something, and who takes part.
extension OperatorView {
    static func upcoming(
        _ pending: [(app: AppName, release: PendingRelease)], _ health: DaemonHealth, plans: [Plan], now: UnixSeconds
    ) -> Panel {
        struct Subject: Hashable {
            let app: AppName
            let metric: MetricName
        }
        let byMetric = Dictionary(grouping: pending) { Subject(app: $0.app, metric: $0.release.metric) }
            .mapValues { $0.map(\.release).sorted { ($0.due, $0.period) < ($1.due, $1.period) } }
        let rows = byMetric.compactMap { subject, releases in
            releases.first.map { (subject: subject, next: $0, open: releases) }
        }.sorted { ($0.next.due, $0.subject.app, $0.subject.metric) < ($1.next.due, $1.subject.app, $1.subject.metric) }
        return panel(
            "Next releases", "The next release of each metric, what it waits for, and how many of its periods are open",
            ["App", "Metric", "Period", "Due", "Waits for", "Open periods"],
            rows.map { row in
                [
                    row.subject.app.text, row.subject.metric.text,
                    calendar(of: row.subject.app, plans).label(of: row.next.period),
                    row.next.due <= now ? "now" : Instant.text(row.next.due),
                    obstacle(of: row.next, among: row.open, health, now: now), Wording.english.number(row.open.count),
                ]
            }, heads: 2, nothing: "No period waits for its release.")
    }

    /// Returns the first reason why a release is not there yet.
    private static func obstacle(
        of release: PendingRelease, among open: [PendingRelease], _ health: DaemonHealth, now: UnixSeconds
    ) -> String {
        if release.period.end > now { return "the end of the period" }
        if release.due > now { return "the grace, for what comes late" }
        if health.isClockDoubted { return "a time of day that is believed: throng doctor" }
        if let daemon = health.waitsFor.first { return "daemon \(short(daemon)), which is silent" }
        let isWhole = open.contains {
            $0.period != release.period && $0.period.start >= release.period.start
                && $0.period.end <= release.period.end
        }
        return isWhole ? "the releases of its parts" : "the next look, or the log says why"
    }

    /// Reports that nobody can tell from forged ones.
    static func unsigned(_ runs: [ReportRun], plans: [Plan]) -> Panel {
        panel(
            "Reports without a signature", "The latest reports that were signed by nobody",
            ["App", "Report", "Period", "Begun"],
            runs.map { run in
                [
                    run.app.text, run.report.text, calendar(of: run.app, plans).label(of: run.period),
                    Instant.text(run.startedAt),
                ]
            }, heads: 2, nothing: "No report that is kept here lacks a signature.")
    }

    static func readings(_ readings: [LastReading]) -> Panel {
        panel(
            "Readers", "When each token last read a report, by the hour; until the token ends",
            ["App", "Report", "Partner", "Token", "Last read"],
            readings.map { [$0.app.text, $0.report.text, $0.partner.text, $0.token, Instant.text($0.hour)] }, heads: 2,
            nothing: "No partner has read a report here.")
    }

    static func asked(_ questions: [AskedQuestion], plans: [Plan]) -> Panel {
        let terms = "They go 30 days after you declined them, 180 days after they were asked."
        var found = panel(
            "Numbers asked for", "", [], [], nothing: questions.isEmpty ? "Nobody misses a number." : terms)
        found.asked = questions.map { question in
            let (known, state) = (question.read(by: plans), question.state(in: plans))
            let pairs = [("app", question.app.text), ("partner", question.partner?.text)] + (known?.asked.form ?? [])
            let told = state == "planned" ? "the plan has it" : state
            let decision = known?.asked.decision ?? ""
            let title = known.map { $0.asked.words(of: $0.plan, in: .english) } ?? "a number of no plan here"
            return [
                "askHref": "/ask?" + AddressQuery.text(pairs), "askTitle": "\(question.app): \(title)",
                "askStanding": "\(question.note ?? question.role.word), \(Instant.text(question.askedAt)): \(told)"
                    + (decision.isEmpty ? "" : "; it would decide: \(decision)"),
                "askIDs": state == "waits" ? [question.id] : [],
            ]
        }
        return found
    }

    static func members(_ members: [EnrolledMember], _ registry: OperatorRegistry, _ health: DaemonHealth) -> Panel {
        let behind = registry.behind(among: members)
        return panel(
            "Members", "The daemons that count into this database, or did", ["Daemon", "Last heard of", "Standing"],
            members.map { member in
                let name = member.daemon.description
                let standing =
                    if member.retiredAt != nil { "is lost, and others count in its place" } else if member.hasLeft {
                        "has stopped, and left nothing behind"
                    } else if let owes = member.owesFrom, !health.waitsFor.contains(name) {
                        "has stopped, and releases wait for it from \(Instant.text(owes)) on"
                    } else if health.waitsFor.contains(name) {
                        "silent, and releases wait for it"
                    } else if let plan = behind.first(where: { $0.daemon == member.daemon }) {
                        "counts for \(plan.app) by another plan than the one in force"
                    } else { "takes part" }
                return [
                    name == health.daemon ? "\(short(name)), this one" : short(name),
                    member.silence.map { Age.text($0) } ?? "never", standing,
                ]
            }, nothing: "No daemon has attached to this database yet.")
    }

    static func plans(_ registry: OperatorRegistry, _ health: DaemonHealth) -> Panel {
        let rows = registry.inForce.map { plan in
            [plan.app.text, plan.plan.short, Instant.text(plan.since), short(plan.daemon.description)]
        }
        let advice = health.plansBehind.map { $0.prefix(1).uppercased() + $0.dropFirst() + "." }
        var found = panel(
            "Plans in force",
            "The plan of each app by which all daemons are to count, by the first digits of its SHA-256",
            ["App", "Plan", "Since", "Brought by"], rows, nothing: "No daemon has said yet by which plan it counts.")
        found.empties += advice
        return found
    }

    static func versions(_ versions: [(name: String, version: String)]) -> Panel {
        panel(
            "Versions", "What runs here, by its version or digest", ["What", "Version or digest"],
            versions.map { [$0.name, $0.version] }, nothing: "Nobody says what runs here.")
    }

    /// The first digits of a name, which tell daemons apart.
    private static func short(_ daemon: String) -> String { String(daemon.prefix(8)) }
}

/// The plans in force, and the plans by which daemons count, for the operator's page.
struct OperatorRegistry {
    var inForce: [RegisteredPlan] = []
    var members: [MemberPlan] = []

    /// The plans of daemons that count by another one than the one in force.
    ///
    /// - Parameter enrolled: the daemons that ever attached. One that has stopped counts by nothing.
    func behind(among enrolled: [EnrolledMember]) -> [MemberPlan] {
        enrolled.flatMap { member in
            member.retiredAt == nil ? inForce.behind(members, of: member.daemon).filter { !$0.hasStopped } : []
        }
    }
}
