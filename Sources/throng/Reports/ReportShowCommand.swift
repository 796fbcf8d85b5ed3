import ArgumentParser
import Crypto
import Foundation
import ThrongDelivery
import ThrongPlan
import ThrongPostgres
import ThrongReport
import ThrongStore
import ThrongWire

struct ReportShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Shows all that is on record of a run: files with their SHA-256, the manifest, deliveries, errors.",
        discussion: """
            The files are kept as they were made, until the first number in them may be kept no longer. The totals of the app's events \
            are exact, and for operators only.
            """)

    @Argument(help: "What `throng report list` begins its lines with, such as weekly_shop-2026-W47.")
    var id: String

    @OptionGroup var place: Place

    @Option(help: ArgumentHelp("A folder that gets the files once more, as they were made.", valueName: "dir"))
    var out: String?

    @Flag(help: "Prints it as JSON.")
    var json = false

    private struct Shown: Encodable {
        let run: ReportRecord
        let files: [FileLine]
        /// The counts by what became of events. Unit: events.
        let coverage: [String: Int64]
        let manifest: String?

        struct FileLine: Encodable {
            let name: String
            let size: Int
            let sha256: String
        }
    }

    func run() async throws {
        let (shown, files) = try await DatabaseAccess.use(place) { settings in
            let connection = Connection.reporting(settings)
            defer { connection.close() }
            let kept = DeliveryStore(connection)
            let run = try await ReportRecord.find(id, in: RunStore(connection))
            let files = try await kept.files(of: run.name)
            let deliveries = try await kept.deliveries(of: run.name)
            let manifest = files.first { $0.name.hasSuffix(".manifest.json") }
            return (
                Shown(
                    run: ReportRecord(run, deliveries),
                    files: files.map {
                        .init(
                            name: $0.name, size: $0.contents.count,
                            sha256: SHA256.hash(data: $0.contents).lowerHex)
                    },
                    coverage: try await CoverageStore(connection).totals(app: run.app, period: run.period),
                    manifest: manifest.map { String(decoding: $0.contents, as: UTF8.self) }),
                files
            )
        }
        if let out {
            let kept = ReportFiles(files.map { ReportFile(name: $0.name, bytes: $0.contents) })
            for path in try ReportFolder(path: out).deliver(kept) { Terminal.talk("wrote \(path.printable)") }
        }
        if json { return try Terminal.json(shown) }
        Terminal.data(Self.text(shown))
    }

    private static func text(_ shown: Shown) -> String {
        let run = shown.run
        var parts = [
            Terminal.table([
                ("report", run.id), ("app", run.app), ("partner", run.partner), ("period", run.period),
                ("outcome", run.outcome + (run.detail.map { ": \($0.printable)" } ?? "")), ("tries", "\(run.tries)"),
                ("began", run.startedAt), ("ended", run.finishedAt ?? "not yet"),
            ])
        ]
        if !shown.files.isEmpty {
            parts.append(
                "Files\n"
                    + shown.files.map { "  \($0.sha256)  \(Terminal.grouped($0.size)) bytes  \($0.name)" }
                    .joined(separator: "\n"))
        }
        for delivery in run.deliveries {
            var rows = [
                ("state", delivery.state), ("tries", "\(delivery.tries)"), ("files arrived", "\(delivery.files)"),
                ("idempotency key", delivery.idempotencyKey),
            ]
            if let next = delivery.nextTryAt { rows.append(("next try", next)) }
            if let ended = delivery.finishedAt { rows.append(("ended", ended)) }
            if let error = delivery.lastError { rows.append(("last error", error.printable)) }
            parts.append("Delivery to \(delivery.target.printable)\n" + Terminal.table(rows))
        }
        if !shown.coverage.isEmpty {
            let rows = shown.coverage.sorted { $0.key < $1.key }.map { ($0.key, Terminal.grouped(Int($0.value))) }
            let title = "Events of the app in the period, and windows by their largest network"
            parts.append(title + "\n" + Terminal.table(rows))
        }
        if let manifest = shown.manifest { parts.append("Manifest\n" + manifest.trimmingCharacters(in: .newlines)) }
        return parts.joined(separator: "\n\n")
    }
}
