internal import Synchronization
internal import ThrongCredentials
internal import ThrongDelivery
internal import ThrongIntake
internal import ThrongPlan
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongTraces
internal import ThrongWire

/// The daemon's figures about itself: health, never values. Labels come from closed lists.
final class Telemetry: Sendable {
    /// The outcome of a request for counting.
    enum BatchOutcome: Int, CaseIterable {
        case accepted, duplicate, refused, optedOut, consentOutdated, overloaded

        var label: String {
            switch self {
            case .optedOut: "opted_out"
            case .consentOutdated: "consent_outdated"
            case .accepted, .duplicate, .refused, .overloaded: "\(self)"
            }
        }
    }

    struct Counts {
        /// The batches by outcome, in the order of its cases.
        var batches = Array(repeating: 0, count: BatchOutcome.allCases.count)
        var acceptedEvents = 0
        var refusedEvents: [RefusalReason: Int] = [:]
        var refusedBatches: [String: Int] = [:]
        var unreadableClients = 0
        var flushes = 0
        var flushFailures = 0
        var flushSeconds = 0.0
        var flushedCells = 0
        var redirected = 0
        var isDatabaseUp = false
        var setBacks = 0
        var damagedFiles = 0
        var keptBytes = 0
        var reveals: [RevealOutcome: Int] = [:]
        var droppedHashes = 0
        /// The requests for credentials by ``CredentialRefusal/code``, or `given`.
        var credentials: [String: Int] = [:]
        /// The number of known labels by the labels of the metric, which are names from plans.
        var knownLabels: [String: Int] = [:]
    }

    /// The figures that other parts know at the moment of asking.
    struct Gauges {
        var journalBytes = 0
        var journalLag: UInt64 = 0
        var pendingCells = 0
        var openPairs = 0
        var saturations = 0
        var bodyBytes = 0
        var windowBytes = 0
        var refusalBytes = 0
    }

    /// The disk that holds the data directory. Unit: bytes.
    struct Disk {
        let free: Int
        let size: Int
    }

    /// The outcomes of the daemon's rounds.
    let rounds: RoundHealth
    /// The figures of the schedule and of the deliveries, each in its own place.
    let schedule: ScheduleHealth
    let deliveries = DeliveryHealth()
    /// The standings of this daemon's plans against those in force.
    let plans = PlanStandings()
    /// The queue of spans; nil if there are none.
    private let spans: SpanQueue?
    private let counts = Mutex(Counts())

    init(spans: SpanQueue? = nil, rounds: RoundHealth = RoundHealth()) {
        self.spans = spans
        self.rounds = rounds
        schedule = ScheduleHealth(rounds: rounds)
    }

    /// The counts, as of now.
    var snapshot: Counts { counts.withLock { $0 } }

    func answered(_ outcome: BatchOutcome, _ answer: BatchAnswer? = nil) {
        counts.withLock { counts in
            counts.batches[outcome.rawValue] += 1
            // A duplicate's events were counted when it came first.
            guard outcome != .duplicate, let answer else { return }
            counts.acceptedEvents += answer.accepted
            for refusal in answer.refused { counts.refusedEvents[refusal.reason, default: 0] += 1 }
        }
    }

    func refused(_ error: IntakeError) {
        counts.withLock { counts in
            counts.batches[BatchOutcome.refused.rawValue] += 1
            counts.refusedBatches[error.code, default: 0] += 1
        }
    }

    func clientWasUnreadable() { counts.withLock { $0.unreadableClients += 1 } }

    func flushed(seconds: Double, cells: Int, redirected: Int) {
        counts.withLock { counts in
            counts.flushes += 1
            counts.flushSeconds += seconds
            counts.flushedCells += cells
            counts.redirected += redirected
            counts.isDatabaseUp = true
        }
    }

    func flushFailed() {
        counts.withLock { counts in
            counts.flushFailures += 1
            counts.isDatabaseUp = false
        }
    }

    func revealed(_ outcome: RevealOutcome) { counts.withLock { $0.reveals[outcome, default: 0] += 1 } }
    func credentialWasGiven() { counts.withLock { $0.credentials["given", default: 0] += 1 } }
    func credentialWasRefused(_ refusal: CredentialRefusal) {
        counts.withLock { $0.credentials[refusal.code, default: 0] += 1 }
    }
    func hashWasDropped() { counts.withLock { $0.droppedHashes += 1 } }
    func labelsAreKnown(_ count: Int, of dimension: DimensionName, app: AppName) {
        counts.withLock { $0.knownLabels["app=\"\(app)\",dimension=\"\(dimension)\""] = count }
    }

    func fileIsDamaged() { counts.withLock { $0.damagedFiles += 1 } }
    func databaseWasSetBack() { counts.withLock { $0.setBacks += 1 } }
    func kept(bytes: Int) { counts.withLock { $0.keptBytes = bytes } }
    func databaseIsAway() { counts.withLock { $0.isDatabaseUp = false } }
    func databaseIsUp() { counts.withLock { $0.isDatabaseUp = true } }
    /// Returns the figures in the Prometheus text exposition format, version 0.0.4.
    ///
    /// - Parameters:
    ///   - certificateEnd: the certificate's end; nil without TLS.
    ///   - coarse: makes numbers from which no single event follows; nil if only this machine can read them.
    func text(
        _ gauges: Gauges, disk: Disk?, certificateEnd: UnixSeconds? = nil, coarse: CoarseFigures? = nil
    ) -> String {
        let counts = snapshot
        let schedule = schedule.snapshot
        let deliveries = deliveries.snapshot
        var page = ExpositionPage(coarse)
        page.counter("throng_batches_received_total", "Requests for counting.", [("", counts.batches.reduce(0, +))])
        page.counter(
            "throng_batches_total", "Requests for counting by how they ended.",
            BatchOutcome.allCases.map { ("outcome=\"\($0.label)\"", counts.batches[$0.rawValue]) })
        page.counter("throng_events_accepted_total", "Events that changed a counter.", [("", counts.acceptedEvents)])
        page.counter(
            "throng_events_refused_total", "Events that changed no counter, by reason.",
            RefusalReason.allCases.map { ("reason=\"\($0.rawValue)\"", counts.refusedEvents[$0] ?? 0) })
        page.counter(
            "throng_batches_refused_total", "Batches refused as a whole, by reason.",
            IntakeError.codes.map { ("reason=\"\($0)\"", counts.refusedBatches[$0] ?? 0) })
        page.counter(
            "throng_unreadable_clients_total", "Batches of listed proxies that did not say where the client is.",
            [("", counts.unreadableClients)])
        page.counter(
            "throng_connections_refused_total", "Connections that could not be taken, by reason.",
            OpenFiles.Refusal.allCases.map { ("reason=\"\($0)\"", OpenFiles.refused($0)) })
        page.gauge("throng_journal_bytes", "Bytes of the journal on disk.", Double(gauges.journalBytes))
        page.gauge(
            "throng_journal_lag_batches", "Batches that PostgreSQL does not have yet.", Double(gauges.journalLag))
        page.gauge("throng_pending_cells", "Touched counters not flushed yet.", Double(gauges.pendingCells))
        page.gauge("throng_open_pairs", "Identifier and cell pairs in open windows.", Double(gauges.openPairs))
        page.gauge("throng_window_bytes", "Memory of open windows, about.", Double(gauges.windowBytes))
        page.gauge(
            "throng_refusal_bytes", "Memory of refusals that repeated batches are told again.",
            Double(gauges.refusalBytes))
        page.gauge("throng_body_bytes", "Memory of bodies that are still arriving.", Double(gauges.bodyBytes))
        page.counter("throng_flushes_total", "Flushes into PostgreSQL.", [("", counts.flushes)])
        page.counter(
            "throng_flush_failures_total", "Flushes that failed and were tried again.", [("", counts.flushFailures)])
        page.counter("throng_flushed_cells_total", "Cells written by flushes.", [("", counts.flushedCells)])
        page.counter("throng_late_cells_total", "Cells moved to the open period.", [("", counts.redirected)])
        page.summary("throng_flush_seconds", "Time spent flushing.", sum: counts.flushSeconds, count: counts.flushes)
        page.gauge("throng_database_up", "1 while PostgreSQL answers.", counts.isDatabaseUp ? 1 : 0)
        page.gauge(
            "throng_clock_doubted", "1 while the time of day is not believed, so that nothing is released or deleted.",
            schedule.isClockDoubted ? 1 : 0)
        page.counter(
            "throng_database_set_backs_total", "Times that PostgreSQL had lost flushes and got them again.",
            [("", counts.setBacks)])
        page.counter(
            "throng_damaged_files_total", "Files of the data directory that were damaged, and are done without.",
            [("", counts.damagedFiles)])
        page.gauge(
            "throng_kept_bytes", "Bytes of flushes kept in case PostgreSQL loses them.", Double(counts.keptBytes))
        page.counter(
            "throng_saturations_total", "Counters that reached their bounds: an alarm.", [("", gauges.saturations)])
        page.counter(
            "throng_reveals_total", "Values that clients revealed, by what became of them.",
            RevealOutcome.allCases.map { ("outcome=\"\($0.rawValue)\"", counts.reveals[$0] ?? 0) })
        page.counter(
            "throng_revealed_hashes_dropped_total", "Hashes of values that there was no room to remember.",
            [("", counts.droppedHashes)])
        page.gauges("throng_revealed_labels", "Values that were learned and are counted by name.", counts.knownLabels)
        page.counter(
            "throng_credentials_total", "Requests for credentials, by what became of them.",
            (["given"] + CredentialRefusal.codes).map { ("outcome=\"\($0)\"", counts.credentials[$0] ?? 0) })
        page.counter("throng_releases_total", "Releases made.", [("", schedule.releases)])
        page.counter("throng_reports_total", "Reports made.", [("", schedule.reports)])
        page.counter("throng_deliveries_total", "Reports that arrived where they go.", [("", deliveries.deliveries)])
        page.counter(
            "throng_delivery_failures_total", "Tries of deliveries that failed.", [("", deliveries.failures)])
        page.counter(
            "throng_schedule_failures_total", "Releases and reports that failed.", [("", schedule.failures)])
        page.counter("throng_report_failures_total", "Reports that failed.", [("", schedule.reportFailures)])
        page.gauge(
            "throng_last_release_timestamp_seconds", "When this process made a release last; 0 before.",
            Double(schedule.lastRelease.value))
        page.gauge(
            "throng_last_report_timestamp_seconds", "When this process made a report last; 0 before.",
            Double(schedule.lastReport.value))
        page.gauges(
            "throng_release_due_timestamp_seconds", "When the next release is due; overdue if past, 0 is none.",
            Dictionary(
                uniqueKeysWithValues: schedule.releaseDue.map { ("app=\"\($0.key)\"", Int($0.value.value)) }))
        page.gauges(
            "throng_retention_deadline_timestamp_seconds",
            "By when what goes next by its age should be gone; overdue if past, 0 is nothing left.",
            Dictionary(
                uniqueKeysWithValues: schedule.retentionDeadline.map { ("app=\"\($0.key)\"", Int($0.value.value)) }))
        page.gauges(
            "throng_retention_overdue_steps", "Steps of promises that should have been taken and were not.",
            Dictionary(uniqueKeysWithValues: schedule.retentionOverdue.map { ("app=\"\($0.key)\"", $0.value) }))
        addRounds(to: &page)
        page.gauges(
            "throng_plan_in_force", "1 while this daemon counts by the plan in force, 0 while another one is.",
            Dictionary(uniqueKeysWithValues: plans.all.map { ("app=\"\($0.app)\"", $0.isInForce ? 1 : 0) }))
        page.gauge(
            "throng_certificate_end_timestamp_seconds",
            "When the certificate's time is over; 0 where TLS is not spoken.", Double(certificateEnd?.value ?? 0))
        if let spans = spans?.counts {
            page.counter(
                "throng_spans_total", "Spans of traces, by what became of them.",
                [
                    ("outcome=\"exported\"", spans.exported), ("outcome=\"dropped\"", spans.dropped),
                    ("outcome=\"failed\"", spans.failed),
                ])
        }
        if let disk {
            page.gauge("throng_disk_free_bytes", "Free on the data directory's disk.", Double(disk.free))
            page.gauge("throng_disk_bytes", "Size of the data directory's disk.", Double(disk.size))
        }
        return page.text
    }

    /// Adds the figures of every round that is made here, even if it fails.
    private func addRounds(to page: inout ExpositionPage) {
        let known = rounds.snapshot.map { (labels: "round=\"\($0.rawValue)\"", round: $0, standing: $1) }
            .sorted { $0.labels < $1.labels }
        func gauge(_ name: String, _ help: String, _ value: (Round, RoundHealth.Standing) -> Int) {
            page.gauges(
                name, help,
                Dictionary(uniqueKeysWithValues: known.map { ($0.labels, value($0.round, $0.standing)) }))
        }
        page.counter(
            "throng_rounds_failed_total", "Rounds that did not come to their end.",
            known.map { ($0.labels, $0.standing.failures) })
        gauge("throng_round_failing", "1 while the last round did not come to its end.") { $1.isFailing ? 1 : 0 }
        gauge("throng_round_last_timestamp_seconds", "When a round came to its end last; the start before the first.") {
            Int($1.last.value)
        }
        gauge("throng_round_due_timestamp_seconds", "By when the next should have come to its end; overdue if past.") {
            Int($1.last.value + $0.promise)
        }
    }
}

/// The outcome of a client's answer to a request for a value. The list is closed: labels of a metric are made of it.
enum RevealOutcome: String, CaseIterable {
    /// The label is known now, or was known before.
    case learned
    /// The dimension has a label in every slot; the value goes on counting as `other`.
    case full
    /// The value was not asked for: too few devices, or none, have sent its hash in the window.
    case notAsked = "not_asked"
    /// It can't be a label: ``UnfitValue``.
    case unfit
    /// The request has an opt-out signal that the purpose honours.
    case optedOut = "opted_out"
    /// PostgreSQL can't be asked now, or not any more.
    case unavailable
}

/// Writes metrics in the Prometheus text format.
private struct ExpositionPage {
    private(set) var text = ""
    private let coarse: CoarseFigures?

    init(_ coarse: CoarseFigures?) { self.coarse = coarse }

    mutating func counter(_ name: String, _ help: String, _ samples: [(labels: String, value: Int)]) {
        head(name, help, "counter")
        for sample in samples {
            let value = coarse?.counter(name, labels: sample.labels, sample.value) ?? sample.value
            text += sample.labels.isEmpty ? "\(name) \(value)\n" : "\(name){\(sample.labels)} \(value)\n"
        }
    }

    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        head(name, help, "gauge")
        text += "\(name) \(coarse?.gauge(name, value) ?? value)\n"
    }

    mutating func gauges(_ name: String, _ help: String, _ samples: [String: Int]) {
        guard !samples.isEmpty else { return }
        head(name, help, "gauge")
        for sample in samples.sorted(by: { $0.key < $1.key }) { text += "\(name){\(sample.key)} \(sample.value)\n" }
    }

    mutating func summary(_ name: String, _ help: String, sum: Double, count: Int) {
        head(name, help, "summary")
        guard let coarse else {
            text += "\(name)_sum \(sum)\n\(name)_count \(count)\n"
            return
        }
        // The unit is milliseconds: the step is a second, so that one flush shows in few cases.
        let milliseconds = coarse.counter(name, labels: "sum", Int(sum * 1000), step: 1000)
        text += "\(name)_sum \(Double(milliseconds) / 1000)\n"
        text += "\(name)_count \(coarse.counter(name, labels: "count", count))\n"
    }

    private mutating func head(_ name: String, _ help: String, _ type: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    }
}
