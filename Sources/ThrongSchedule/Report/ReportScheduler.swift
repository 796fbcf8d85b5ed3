package import ThrongPlan
package import ThrongRelease
package import ThrongReport
package import ThrongStore
package import ThrongSystem

/// Makes reports from released numbers, signs them and delivers them.
package struct ReportScheduler: Sendable {
    let store: ReleaseStore
    private let runs: RunStore
    private let rules: UserAgentRules
    private let printer: PagePrinter
    package let signing: ReportKeyFolder
    package let deliveries: DeliveryQueue
    private let traces: Traces

    /// The age up to which a missed report is still made. Unit: seconds.
    private static let horizon: Int64 = 32 * 86_400

    /// Relative delivery paths begin in the folder, whose `signing/key.pem` signs unless another is named.
    package init(
        store: ReleaseStore, rules: UserAgentRules, folder: String, signing: ReportKeyFolder? = nil,
        delivery: DeliveryOptions? = nil, printer: PagePrinter = PagePrinter(), traces: Traces = .off
    ) {
        self.traces = traces
        self.store = store
        runs = RunStore(store.connection)
        self.rules = rules
        self.printer = printer
        self.signing = signing ?? ReportKeyFolder(dataPath: folder)
        var deliveries = DeliveryQueue(
            store: DeliveryStore(store.connection), folder: folder,
            options: delivery ?? DeliveryOptions(dataPath: folder))
        deliveries.traces = traces
        self.deliveries = deliveries
    }

    /// Returns the document of a report for a period, as it is made at `now`; throws ``ReportSchedulerError``.
    package func document(
        of report: Report, plan: Plan, period: Period, now: UnixSeconds
    ) async throws -> ReportDocument {
        let found = try await releases(for: report, plan: plan, period: period)
        guard !found.isEmpty else { throw try await absence(of: report, plan: plan, period: period) }
        let promised = try await recipients(report, plan: plan)
        func isNamed(_ release: Release) -> Bool { promised.name(report.partner, in: release.header) }
        let own = found.filter { isNamed($0.release) }
        guard !own.isEmpty else {
            throw ReportSchedulerError.unnamed(
                report: report.name, period: plan.calendar.label(of: period), partner: report.partner)
        }
        if report.split == .hold, let split = own.filter(\.isSplit).map(\.release.header.layout.metric).min() {
            throw ReportSchedulerError.held(report: report.name, period: plan.calendar.label(of: period), metric: split)
        }
        let earlier = try await earlier(for: report, plan: plan, period: period, besides: own.map(\.release))
        let parts = try await parts(of: own + earlier.releases.map { Own(release: $0, isSplit: false) }, plan)
        let releases = own.map(\.release) + earlier.releases.filter(isNamed)
        let others = found.map(\.release).filter { !isNamed($0) } + earlier.releases.filter { !isNamed($0) }
        let ends = releases.map(\.header).map { header in
            let metric = plan.metric(header.layout.metric)
            return header.period.end
                + (metric.map { plan.seconds(keeping: report, with: $0, at: now - header.period.end) } ?? 0)
        }
        return ReportDocument(
            plan: plan, report: report, period: period, releases: releases, began: earlier.began, parts: parts,
            deleteBy: ends.min() ?? period.end,
            unnamed: Dictionary(grouping: others, by: \.header.layout.metric).mapValues { Set($0.map(\.header.period)) }
        )
    }

    /// Returns the part of its period that each release covers, if that is not all of it.
    private func parts(of releases: [Own], _ plan: Plan) async throws -> [ReleaseDigest: PartOfPeriod] {
        var parts: [ReleaseDigest: PartOfPeriod] = [:]
        for (layout, own) in Dictionary(grouping: releases, by: \.release.header.layout) {
            let (from, until) = try await CalendarStore(store.connection).counted(layout)
            let end = plan.metric(layout.metric).map { plan.calendar.midnight(of: $0.expires) } ?? UnixSeconds(.max)
            for (release, isSplit) in own.map({ ($0.release, $0.isSplit) }) {
                parts[release.digest] = PartOfPeriod(
                    of: release.header.period, from: from, until: min(until ?? end, end), isSplit: isSplit)
            }
        }
        return parts
    }

    private func absence(of report: Report, plan: Plan, period: Period) async throws -> ReportSchedulerError {
        let label = plan.calendar.label(of: period)
        let released = try await CalendarStore(store.connection).releasedStarts(
            app: plan.app.name, periodKind: period.kind, from: period.start)
        if released.contains(period.start) { return .aged(report: report.name, period: label) }
        return .notReleased(report: report.name, period: label, due: period.end + plan.app.grace.components.seconds)
    }

    /// Returns the releases that a report compares with: those of earlier periods that had been made when its own were.
    /// Later ones are never read, so that a report that is made again says the same.
    private func earlier(
        for report: Report, plan: Plan, period: Period, besides own: [Release]
    ) async throws -> (releases: [Release], began: [MetricName: UnixSeconds]) {
        var releases: [Release] = []
        var began: [MetricName: UnixSeconds] = [:]
        for metric in own.map(\.header.layout.metric) {
            let asked = report.insights.compactMap { plan.insight($0) }.filter { $0.metric == metric }
                .flatMap { report.earlierPeriods(of: period, for: $0, in: plan.calendar) }
            guard let first = asked.map(\.start).min() else { continue }
            let known = try await store.releases(app: plan.app.name, metric: metric, knownWith: period, from: first)
            releases += known.releases.filter { asked.contains($0.header.period) }
            began[metric] = known.began
        }
        return (releases, began)
    }

    /// Makes a report's files, with a signed manifest where there is a key, and writes them into a folder; nothing is
    /// delivered and nothing goes on record.
    package func write(
        _ report: Report, plan: Plan, period: Period, now: UnixSeconds, to out: String,
        lacking: (PrintLack) -> Void = { _ in }
    ) async throws -> [String] {
        let made = try await made(report, plan: plan, period: period, now: now)
        if let lack = made.lack { lacking(lack) }
        return try await onOwnThread { try ReportFolder(path: out).deliver(made.files) }
    }

    /// Makes a report unless it was made, and delivers it where it has not arrived, and to folders again.
    ///
    /// - Throws: ``ReportSchedulerError/notComplete(report:period:due:)`` while a release of the app within the period
    ///   is still due, and ``ReportSchedulerError/notReleased(report:period:due:)`` if nothing is released: neither
    ///   leaves a run on record; ``ReportSchedulerError/notDelivered(report:period:reasons:)``.
    package func deliver(
        _ report: Report, plan: Plan, period: Period, now: UnixSeconds, lacking: (PrintLack) -> Void = { _ in }
    ) async throws -> [String] {
        let label = plan.calendar.label(of: period)
        let run = ReportRunName(app: plan.app.name, report: report.name, period: period)
        let waiting = try await store.pending(of: plan).filter {
            period.start <= $0.period.start && $0.period.end <= period.end
        }
        // A layout that a former plan had may be due later than the plan's grace says.
        if let due = waiting.map(\.due).max() {
            throw ReportSchedulerError.notComplete(report: report.name, period: label, due: due)
        }
        // Age may have taken the numbers of a report that was made.
        let made = try await runs.madeStarts(
            app: plan.app.name, report: report.name, periodKind: period.kind, from: period.start)
        if !made.contains(period.start), try await releases(for: report, plan: plan, period: period).isEmpty {
            throw try await absence(of: report, plan: plan, period: period)
        }
        let claim = try await runs.claimRun(
            app: plan.app.name, report: report.name, partner: report.partner, period: period, now: now,
            tries: Int(Int32.max))
        if let claim {
            do {
                let isMade = try await make(claim, report, plan: plan, period: period, now: now, lacking: lacking)
                if !isMade, report.alert != nil { throw ReportSchedulerError.quiet(report: report.name, period: label) }
            } catch {
                // A run that is over stays as it is.
                try await runs.finishRun(claim, .failed, detail: Self.detail(of: error), now: now)
                throw error
            }
        } else {
            try await deliveries.store.reopenDeliveries(of: run, now: now)
        }
        var paths: [String] = []
        var faults: [String] = []
        try await deliveries.work(
            plan, run: run, foldersOnly: false, now: { now },
            over: { outcome in
                paths += outcome.arrived
                if let fault = outcome.fault { faults.append("\(outcome.claim.target): \(fault)") }
            })
        guard faults.isEmpty else {
            throw ReportSchedulerError.notDelivered(report: report.name, period: label, reasons: faults)
        }
        return paths
    }

    /// A report's files, and those that could not be printed, if there are some.
    private struct Made {
        var files: ReportFiles
        /// The words that go with them by mail; nil where nobody gets one.
        var letter: ReportFile?
        /// True if it is an alert whose number is as it should be.
        let isQuiet: Bool
        let label: String
        let lack: PrintLack?
        /// The time at which the first number in them expires.
        let until: UnixSeconds
    }

    private func made(_ report: Report, plan: Plan, period: Period, now: UnixSeconds) async throws -> Made {
        let document = try await document(of: report, plan: plan, period: period, now: now)
        let (printed, lack) = try await printer.files(of: document, as: report.formats)
        let workbook = report.formats.contains(.xlsx) ? [try document.workbook()] : []
        let files = try ReportFiles(of: document, formats: report.formats, made: printed + workbook)
        var made = Made(
            files: files, isQuiet: report.alert != nil && document.alert == nil, label: document.periodLabel,
            lack: lack, until: document.deleteBy ?? period.end)
        if let key = try signing.current() {
            made.files = try files.signed(
                as: document, with: key, losses: try await losses(of: plan, within: period), now: now)
        }
        if report.deliveries.contains(where: { if case .mail = $0 { true } else { false } }) {
            let name = ReportFile.stem(report: document.name.text, period: document.periodLabel)
            let letter = try ReportLetter(of: document, with: made.files).json()
            made.letter = ReportFile(name: name + ReportFile.letterEnding, bytes: letter)
        }
        return made
    }

    /// Returns the losses of a period by daemons that were lost.
    ///
    /// Windows open when a loss began had begun up to three rotations earlier; events came until the grace was over.
    private func losses(of plan: Plan, within period: Period) async throws -> [ReportManifest.Loss] {
        let longest = plan.purposes.map(\.rotation.seconds).max() ?? 0
        let later = max(Int64(3 * longest), plan.app.grace.components.seconds)
        let reached = Period(kind: period.kind, start: period.start, end: period.end + later)
        return try await CoverageStore(store.connection).losses(within: reached).map {
            ReportManifest.Loss(from: $0.from, until: $0.until, slots: $0.slots)
        }
    }

    /// Makes a claimed run's files and records their deliveries; returns false if another process did so meanwhile, and
    /// for an alert whose number is as it should be.
    private func make(
        _ claim: ReportRunClaim, _ report: Report, plan: Plan, period: Period, now: UnixSeconds,
        lacking: (PrintLack) -> Void
    ) async throws -> Bool {
        let made = try await made(report, plan: plan, period: period, now: now)
        guard !made.isQuiet else {
            try await runs.finishRun(claim, .delivered, detail: "no alert: its number is as it should be", now: now)
            return false
        }
        if let lack = made.lack { lacking(lack) }
        let stored = (made.files.all + [made.letter].compactMap { $0 }).enumerated().map {
            StoredReportFile(place: $0.offset, name: $0.element.name, contents: $0.element.contents)
        }
        return try await runs.keep(
            stored, of: claim, label: made.label,
            detail: made.lack.map {
                "\($0) `throng report make --partner \(report.partner) --period \(made.label) --out DIR` makes all files."
            }, until: made.until, deliveries: report.deliveries, now: now)
    }

    private static func detail(of error: any Error) -> String {
        (error as? ReportSchedulerError)?.detail ?? "\(type(of: error))"
    }

    private func openPeriods(_ plan: Plan) async throws -> [Period] {
        try await store.openPeriods(app: plan.app.name).map(\.period)
            + store.openRollups(app: plan.app.name).map(\.period)
    }

    /// Makes the scheduled reports that are due and were not made yet, each once, even with many daemons.
    ///
    /// A period's report is due at the first time of its schedule after the period's end and the app's grace, and once
    /// every release of the app within the period is made, rollups too. Missed reports are made later, each once.
    /// Folders get theirs at once; deliveries over the network are left to the delivery service.
    package func deliverDue(of plan: Plan, now: UnixSeconds, failed: (Report, any Error) -> Void) async throws -> Int {
        let open = try await openPeriods(plan)
        var delivered = 0
        for report in plan.reports where report.schedule != nil {
            // One query per report: there are hundreds of periods, and most were made, or are from before the app. No
            // period is longer than the horizon, so each report that is still to be made starts within twice of it.
            let first = now - 2 * Self.horizon
            let made = try await runs.madeStarts(
                app: plan.app.name, report: report.name, periodKind: report.period, from: first)
            let released = try await CalendarStore(store.connection).releasedStarts(
                app: plan.app.name, periodKind: report.period, from: first)
            let due = due(report, of: plan, now: now)
            // An alert about what is long over helps nobody.
            let waiting = due.suffix(report.alert == nil ? due.count : 1).filter { period in
                !made.contains(period.start) && released.contains(period.start)
                    && !open.contains(where: { period.start <= $0.start && $0.end <= period.end })
            }
            guard !waiting.isEmpty else { continue }
            let promised = try await recipients(report, plan: plan)
            // A partner that no plan has named for the period is passed over, again at each look within the horizon.
            for period in waiting where promised.values.contains(where: { $0.name(report.partner, in: period) }) {
                // An app that was not there yet has nothing to report.
                let found = try await releases(for: report, plan: plan, period: period)
                guard found.contains(where: { promised.name(report.partner, in: $0.release.header) }) else { continue }
                if try await deliverOnce(report, plan: plan, period: period, now: now, failed: failed) {
                    delivered += 1
                }
            }
        }
        return delivered
    }

    private func deliverOnce(
        _ report: Report, plan: Plan, period: Period, now: UnixSeconds, failed: (Report, any Error) -> Void
    ) async throws -> Bool {
        let claim = try await runs.claimRun(
            app: plan.app.name, report: report.name, partner: report.partner, period: period, now: now)
        guard let claim else { return false }
        do {
            let isMade = try await traces.span(.report) { span in
                span?.say(.app, plan.app.name.text)
                span?.say(.report, report.name.text)
                span?.say(.period, plan.calendar.label(of: period))
                return try await make(
                    claim, report, plan: plan, period: period, now: now, lacking: { failed(report, $0) })
            }
            guard isMade else { return false }
            try await deliveries.work(
                plan, run: claim.run, foldersOnly: true, now: { now },
                over: { outcome in
                    guard let fault = outcome.fault else { return }
                    failed(
                        report,
                        ReportSchedulerError.notDelivered(
                            report: report.name, period: "\(period.start)",
                            reasons: ["\(outcome.claim.target): \(fault)"]))
                })
            return true
        } catch {
            failed(report, error)
            try await runs.finishRun(claim, .failed, detail: Self.detail(of: error), now: now)
            return false
        }
    }

    /// The release of a metric in the report's own period.
    private struct Own {
        let release: Release
        /// True if the period has another release, which counts something else.
        let isSplit: Bool
    }

    /// Returns one release per metric. If a metric's layout changed within the period, it is that of the plan in force:
    /// the two count different things and can't be added.
    private func releases(for report: Report, plan: Plan, period: Period) async throws -> [Own] {
        let names = Set(report.insights.compactMap { plan.insight($0)?.metric })
        var chosen: [Own] = []
        for metric in plan.metrics where names.contains(metric.name) {
            let layout = try plan.layout(of: metric, rules: rules)
            let found = try await store.releases(
                app: plan.app.name, metric: metric.name, periodKind: period.kind, from: period.start,
                to: period.start + 1)
            if let release = found.first(where: { $0.header.layout.counted == layout }) ?? found.last {
                let isSplit = found.contains { $0.header.layout.counted != release.header.layout.counted }
                chosen.append(Own(release: release, isSplit: isSplit))
            }
        }
        return chosen
    }

    /// Returns the periods within the horizon whose report is due by now, oldest first.
    private func due(_ report: Report, of plan: Plan, now: UnixSeconds) -> [Period] {
        guard let schedule = report.schedule else { return [] }
        let calendar = plan.calendar
        func before(_ period: Period) -> Period { calendar.period(report.period, containing: period.start - 1) }
        var periods: [Period] = []
        var period = before(calendar.period(report.period, containing: now))
        while period.end > now - Self.horizon {
            let ready = period.end + plan.app.grace.components.seconds
            if let fires = schedule.next(after: ready - 1, in: calendar), fires <= now { periods.append(period) }
            period = before(period)
        }
        return periods.reversed()
    }

    private func recipients(_ report: Report, plan: Plan) async throws -> [MetricName: PromisedRecipients] {
        var promised: [MetricName: PromisedRecipients] = [:]
        for metric in Set(report.insights.compactMap { plan.insight($0)?.metric }) {
            promised[metric] = try await store.recipients(of: metric, app: plan.app.name)
        }
        return promised
    }

    /// Returns the document of a report about a period that is still open, from numbers that were decided for a trial, and
    /// what was released before. Nothing is delivered, and nothing goes on record.
    package func trial(
        of report: Report, plan: Plan, period: Period, by decided: [Release]
    ) async throws -> ReportDocument {
        let insights = report.insights.compactMap { plan.insight($0) }
        var releases = decided.filter { $0.header.period == period }
        for metric in Set(insights.map(\.metric)).sorted() {
            let asked = insights.filter { $0.metric == metric }.flatMap {
                report.earlierPeriods(of: period, for: $0, in: plan.calendar)
            }
            guard let first = asked.map(\.start).min() else { continue }
            releases += try await store.releases(
                app: plan.app.name, metric: metric, periodKind: period.kind, from: first, to: period.start
            ).filter { asked.contains($0.header.period) }
        }
        return ReportDocument(plan: plan, report: report, period: period, releases: releases)
    }
}

extension [MetricName: PromisedRecipients] {
    /// Returns true if the plans in force when a release's numbers were counted named a partner as a recipient.
    func name(_ partner: PartnerName, in header: ReleaseHeader) -> Bool {
        self[header.layout.metric]?.name(partner, in: header.period) ?? true
    }
}
