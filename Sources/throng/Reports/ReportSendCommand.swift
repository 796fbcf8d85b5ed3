import ArgumentParser
import ThrongPostgres
import ThrongStore
import ThrongWire

struct ReportSendCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "send",
        abstract: "Lets a run's deliveries be tried again: those that were given up, and folders.",
        discussion: """
            The files are the ones that were made, the idempotency keys those of the first tries. What arrived over HTTPS is \
            not sent again. `throng serve` does it at its next look at what is due.
            """)

    @Argument(help: "What `throng report list` begins its lines with, such as weekly_shop-2026-W47.")
    var id: String

    @OptionGroup var place: Place

    func run() async throws {
        try await DatabaseAccess.use(place) { settings in
            let connection = Connection.reporting(settings)
            defer { connection.close() }
            let run = try await ReportRecord.find(id, in: RunStore(connection))
            try await DeliveryStore(connection).reopenDeliveries(of: run.name, now: UnixClock.system.now)
        }
        Terminal.talk("`throng serve` delivers \(id) at its next look at what is due.")
    }
}
