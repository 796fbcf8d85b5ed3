import ArgumentParser
import ThrongPlan
import ThrongStore
import ThrongSystem

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes partners' reports, and says how they stand.",
        discussion: "EXAMPLES\n  throng report --plan plan.yaml --data ./data\n  throng report show --data ./data",
        subcommands: [ReportMakeCommand.self, ReportShowCommand.self, ReportSendCommand.self],
        defaultSubcommand: ReportMakeCommand.self)
}

extension ReportShowCommand {
    func list() async throws {
        let records = try await DatabaseAccess.connect(place, Connection.reporting) { connection in
            let deliveries = DeliveryStore(connection)
            var records: [ReportRecord] = []
            for run in try await RunStore(connection).runs(app: app.map { AppName($0) })
            where partner == nil || run.partner.text == partner {
                records.append(ReportRecord(run, try await deliveries.deliveries(of: run.name)))
            }
            return records
        }
        if json { return try Terminal.json(records) }
        if records.isEmpty { return Terminal.talk("No report is on record.") }
        for record in records {
            let sent = record.deliveries.count { $0.state == "sent" }
            let deliveries = record.deliveries.isEmpty ? "" : "  \(sent) of \(record.deliveries.count) deliveries"
            Terminal.data(
                "\(record.id)  \(record.app)  \(record.partner)  \(record.outcome)  "
                    + "\(record.finishedAt ?? record.startedAt)\(deliveries)")
        }
    }
}

struct ReportSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Lets a run's deliveries be tried again: those that were given up, and folders.",
        discussion: """
            The files are the ones that were made, the idempotency keys those of the first tries. What arrived over HTTPS is \
            not sent again. `throng serve` does it at its next look at what is due.

            EXAMPLE
              throng report send weekly_shop-2026-W47 --data ./data
            """)

    @Argument(help: "What `throng report show` begins its lines with, such as weekly_shop-2026-W47.")
    var id: String

    @OptionGroup var place: Place

    func run() async throws {
        try await DatabaseAccess.connect(place, Connection.reporting) { connection in
            let run = try await ReportRecord.find(id, in: RunStore(connection))
            try await DeliveryStore(connection).reopenDeliveries(of: run.name, now: UnixClock.system.now)
        }
        Terminal.talk("`throng serve` delivers \(id) at its next look at what is due.")
    }
}
