internal import Logging
internal import ThrongDelivery
internal import ThrongPlan
internal import ThrongReport
internal import ThrongSchedule

extension Daemon {
    /// - Throws: `ReportKeyError` where there is a key that can't be used: better now than at the first report.
    func sayWhoSigns(_ reports: ReportScheduler) throws {
        guard options.plans.contains(where: { !$0.reports.isEmpty }) else { return }
        if let key = try reports.signing.current() {
            logger.info("reports are signed", metadata: ["key": "\(key.publicKey.id)"])
        } else {
            logger.notice("reports are not signed: `throng key new` makes a key")
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
