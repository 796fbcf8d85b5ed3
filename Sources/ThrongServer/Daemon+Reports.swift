internal import Logging
internal import ThrongJournal
internal import ThrongPlan
internal import ThrongReport
internal import ThrongSchedule
internal import ThrongStore

extension Daemon {
    /// - Throws: `ReportKeyError` if there is a key that can't be used: better now than at the first report.
    func sayWhoSigns(_ reports: ReportScheduler) throws {
        guard options.plans.contains(where: { !$0.reports.isEmpty }) else { return }
        if let key = try reports.signing.current() {
            logger.info("reports are signed", metadata: ["key": "\(key.publicKey.id)"])
        } else {
            logger.notice("reports are not signed: `throng key new` makes a key")
        }
    }

    func health(of parts: DaemonParts) -> @Sendable () -> DaemonHealth {
        let backups = BackupMarks(dataPath: options.dataPath)
        let name = DaemonID(parts.data.daemon).description
        let plans = options.plans.sorted { $0.app.name < $1.app.name }.map {
            (name: "plan of \($0.app.name)", version: String($0.version.hex.prefix(16)))
        }
        return { [clock, options, telemetry = parts.telemetry, ingestion = parts.ingestion] in
            var health = telemetry.health(
                ingestion.gauges, journalCap: options.journal.capBytes, backups: backups, now: clock.now)
            health.daemon = name
            health.plansBehind = telemetry.plans.behind.map(\.advice)
            health.versions = options.versions + plans
            return health
        }
    }

    func sayWhoPrints() {
        guard options.plans.contains(where: { $0.reports.contains { $0.formats.contains(.pdf) } }) else { return }
        do throws(PrintError) {
            let program = try options.reports.printer.program()
            logger.info("reports are printed", metadata: ["program": "\(program)"])
        } catch {
            logger.warning("reports go without their PDF", metadata: ["error": "\(error)"])
        }
    }
}
