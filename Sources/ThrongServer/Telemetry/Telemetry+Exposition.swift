internal import ThrongCredentials
internal import ThrongIngest
internal import ThrongSchedule
internal import ThrongStore
internal import ThrongSystem
internal import ThrongWire

/// The page that Prometheus reads.
extension Telemetry {
    /// Returns the figures in the Prometheus text exposition format, version 0.0.4; coarse ones, from which no single
    /// event follows, unless only this machine can read them. The disk is the data directory's; the certificate has no
    /// end without TLS.
    func text(
        _ gauges: Gauges, disk: (free: Int, size: Int)?, certificateEnd: UnixSeconds? = nil,
        coarse: CoarseFigures? = nil
    ) -> String {
        let counts = snapshot
        let schedule = schedule.snapshot
        var page = ExpositionPage(coarse)
        page.addIntake(counts)
        page.addMemory(gauges)
        page.addFlushes(counts, gauges, schedule)
        page.addReveals(counts)
        page.addWork(schedule, deliveries.snapshot)
        page.addDeadlines(schedule)
        addRounds(to: &page)
        page.gauges(
            "throng_plan_in_force", "1 while this daemon counts by the plan in force, 0 while another one is.",
            plans.all.map { ("app=\"\($0.app)\"", $0.isInForce ? 1 : 0) })
        page.gauge(
            "throng_certificate_end_timestamp_seconds",
            "When the certificate's time is over; 0 where TLS is not spoken.", Double(certificateEnd?.value ?? 0))
        if let spans { page.addSpans(spans.counts) }
        if let disk { page.addDisk(disk) }
        return page.text
    }

    private func addRounds(to page: inout ExpositionPage) {
        let known = rounds.snapshot.map { (labels: "round=\"\($0.rawValue)\"", round: $0, standing: $1) }
            .sorted { $0.labels < $1.labels }
        func gauge(_ name: String, _ help: String, _ value: (Round, RoundHealth.Standing) -> Int) {
            page.gauges(name, help, known.map { ($0.labels, value($0.round, $0.standing)) })
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

    mutating func counter(_ name: String, _ help: String, _ value: Int) { counter(name, help, [("", value)]) }

    mutating func gauge(_ name: String, _ help: String, _ value: Double) {
        head(name, help, "gauge")
        text += "\(name) \(coarse?.gauge(name, value) ?? value)\n"
    }

    mutating func gauges(_ name: String, _ help: String, _ samples: [(labels: String, value: Int)]) {
        guard !samples.isEmpty else { return }
        head(name, help, "gauge")
        for sample in samples.sorted(by: { $0.labels < $1.labels }) {
            text += "\(name){\(sample.labels)} \(sample.value)\n"
        }
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

extension ExpositionPage {
    mutating func addIntake(_ counts: Telemetry.Counts) {
        counter("throng_batches_received_total", "Requests for counting.", counts.batches.reduce(0, +))
        counter(
            "throng_batches_total", "Requests for counting by how they ended.",
            Telemetry.BatchKind.allCases.map { ("outcome=\"\($0.label)\"", counts.batches[$0.rawValue]) })
        counter("throng_events_accepted_total", "Events that changed a counter.", counts.acceptedEvents)
        counter(
            "throng_events_refused_total", "Events that changed no counter, by reason.",
            RefusalReason.allCases.map { ("reason=\"\($0.rawValue)\"", counts.refusedEvents[$0] ?? 0) })
        counter(
            "throng_batches_refused_total", "Batches refused as a whole, by reason.",
            IntakeError.codes.map { ("reason=\"\($0)\"", counts.refusedBatches[$0] ?? 0) })
        counter(
            "throng_unreadable_clients_total", "Batches of listed proxies that did not say where the client is.",
            counts.unreadableClients)
        counter(
            "throng_connections_refused_total", "Connections that could not be taken, by reason.",
            OpenFiles.Refusal.allCases.map { ("reason=\"\($0)\"", OpenFiles.refused($0)) })
    }

    mutating func addMemory(_ gauges: Telemetry.Gauges) {
        gauge("throng_journal_bytes", "Bytes of the journal on disk.", Double(gauges.journalBytes))
        gauge("throng_journal_lag_batches", "Batches that PostgreSQL does not have yet.", Double(gauges.journalLag))
        gauge("throng_pending_cells", "Touched counters not flushed yet.", Double(gauges.pendingCells))
        gauge("throng_open_pairs", "Identifier and cell pairs in open windows.", Double(gauges.openPairs))
        gauge("throng_window_bytes", "Memory of open windows, about.", Double(gauges.windowBytes))
        gauge(
            "throng_refusal_bytes", "Memory of refusals that repeated batches are told again.",
            Double(gauges.refusalBytes))
        gauge("throng_body_bytes", "Memory of bodies that are still arriving.", Double(gauges.bodyBytes))
    }

    mutating func addFlushes(
        _ counts: Telemetry.Counts, _ gauges: Telemetry.Gauges, _ schedule: ScheduleHealth.Counts
    ) {
        counter("throng_flushes_total", "Flushes into PostgreSQL.", counts.flushes)
        counter("throng_flush_failures_total", "Flushes that failed and were tried again.", counts.flushFailures)
        counter("throng_flushed_cells_total", "Cells written by flushes.", counts.flushedCells)
        counter("throng_late_cells_total", "Cells moved to the open period.", counts.redirected)
        summary("throng_flush_seconds", "Time spent flushing.", sum: counts.flushSeconds, count: counts.flushes)
        gauge("throng_database_up", "1 while PostgreSQL answers.", counts.isDatabaseUp ? 1 : 0)
        gauge(
            "throng_clock_doubted", "1 while the time of day is not believed, so that nothing is released or deleted.",
            schedule.isClockDoubted ? 1 : 0)
        counter(
            "throng_database_set_backs_total", "Times that PostgreSQL had lost flushes and got them again.",
            counts.setBacks)
        counter(
            "throng_damaged_files_total", "Files of the data directory that were damaged, and are done without.",
            counts.damagedFiles)
        gauge("throng_kept_bytes", "Bytes of flushes kept in case PostgreSQL loses them.", Double(counts.keptBytes))
        counter("throng_saturations_total", "Counters that reached their bounds: an alarm.", gauges.saturations)
    }

    mutating func addReveals(_ counts: Telemetry.Counts) {
        counter(
            "throng_reveals_total", "Values that clients revealed, by what became of them.",
            RevealOutcome.allCases.map { ("outcome=\"\($0.rawValue)\"", counts.reveals[$0] ?? 0) })
        counter(
            "throng_revealed_hashes_dropped_total", "Hashes of values that there was no room to remember.",
            counts.droppedHashes)
        gauges(
            "throng_revealed_labels", "Values that were learned and are counted by name.",
            counts.knownLabels.map { ($0.key, $0.value) })
        counter(
            "throng_credentials_total", "Requests for credentials, by what became of them.",
            (["given"] + CredentialRefusal.codes).map { ("outcome=\"\($0)\"", counts.credentials[$0] ?? 0) })
    }

    mutating func addWork(_ schedule: ScheduleHealth.Counts, _ deliveries: DeliveryHealth.Counts) {
        counter("throng_releases_total", "Releases made.", schedule.releases)
        counter("throng_reports_total", "Reports made.", schedule.reports)
        counter("throng_deliveries_total", "Reports that arrived where they go.", deliveries.deliveries)
        counter("throng_delivery_failures_total", "Tries of deliveries that failed.", deliveries.failures)
        counter("throng_schedule_failures_total", "Releases and reports that failed.", schedule.failures)
        counter("throng_report_failures_total", "Reports that failed.", schedule.reportFailures)
        gauge(
            "throng_last_release_timestamp_seconds", "When this process made a release last; 0 before.",
            Double(schedule.lastRelease.value))
        gauge(
            "throng_last_report_timestamp_seconds", "When this process made a report last; 0 before.",
            Double(schedule.lastReport.value))
    }

    mutating func addDeadlines(_ schedule: ScheduleHealth.Counts) {
        gauges(
            "throng_release_due_timestamp_seconds", "When the next release is due; overdue if past, 0 is none.",
            schedule.releaseDue.map { ("app=\"\($0.key)\"", Int($0.value.value)) })
        gauges(
            "throng_retention_deadline_timestamp_seconds",
            "By when what goes next by its age should be gone; overdue if past, 0 is nothing left.",
            schedule.retentionDeadline.map { ("app=\"\($0.key)\"", Int($0.value.value)) })
        gauges(
            "throng_retention_overdue_steps", "Steps of promises that should have been taken and were not.",
            schedule.retentionOverdue.map { ("app=\"\($0.key)\"", $0.value) })
    }

    mutating func addSpans(_ spans: SpanQueue.Counts) {
        counter(
            "throng_spans_total", "Spans of traces, by what became of them.",
            [
                ("outcome=\"exported\"", spans.exported), ("outcome=\"dropped\"", spans.dropped),
                ("outcome=\"failed\"", spans.failed),
            ])
    }

    mutating func addDisk(_ disk: (free: Int, size: Int)) {
        gauge("throng_disk_free_bytes", "Free on the data directory's disk.", Double(disk.free))
        gauge("throng_disk_bytes", "Size of the data directory's disk.", Double(disk.size))
    }
}
