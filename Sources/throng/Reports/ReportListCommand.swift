import ArgumentParser
import ThrongPlan
import ThrongPostgres
import ThrongStore

struct ReportListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists the runs of reports: partner, report, period, how each stands, and its deliveries.",
        discussion: """
            running: it is being made. made: deliveries are under way. delivered: it arrived everywhere. undelivered: a \
            delivery was given up, and `throng report send` tries it again. failed: it could not be made, and is tried again \
            up to five times.
            """)

    @OptionGroup var place: Place

    @Option(help: ArgumentHelp("Only this app's.", valueName: "name"))
    var app: String?

    @Option(help: ArgumentHelp("Only this partner's.", valueName: "name"))
    var partner: String?

    @Flag(help: "Prints the list as JSON.")
    var json = false

    func run() async throws {
        let records = try await DatabaseAccess.use(place) { settings in
            let connection = Connection.reporting(settings)
            defer { connection.close() }
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
