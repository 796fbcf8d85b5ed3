import ArgumentParser
import Crypto
import Foundation
import ThrongPlan
import ThrongReport
import ThrongSchedule
import ThrongStore
import ThrongSystem

struct ReportShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Lists the runs of reports, or shows all that is on record of one.",
        usage: "throng report show [<id>] [<options>]",
        discussion: """
            Without a run it lists all: partner, report, period, how each stands, and its deliveries. running: it is being made. \
            made: deliveries are under way. delivered: it arrived everywhere. undelivered: a delivery was given up, and `throng \
            report send` tries it again. failed: it could not be made, and is tried again up to five times.

            Of one run it shows the files with their SHA-256, the manifest, deliveries and errors. The files are kept as they \
            were made, until the first number in them may be kept no longer. The totals of the app's events are exact, and for \
            operators only.

            EXAMPLE
              throng report show weekly_shop-2026-W47 --data ./data --out ./again
            """)

    @Argument(help: "What the list begins a line with, such as weekly_shop-2026-W47.")
    var id: String?

    @OptionGroup var place: Place

    @Option(help: ArgumentHelp("Lists only this app's.", valueName: "name"))
    var app: String?

    @Option(help: ArgumentHelp("Lists only this partner's.", valueName: "name"))
    var partner: String?

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

    func validate() throws {
        guard id == nil || (app == nil && partner == nil) else {
            throw ValidationError("--app and --partner are for the list; leave them out beside a run.")
        }
        guard id != nil || out == nil else { throw ValidationError("--out takes the files of one run: name it.") }
    }

    func run() async throws {
        guard let id else { return try await list() }
        let (shown, files) = try await DatabaseAccess.connect(place, Connection.reporting) { connection in
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
