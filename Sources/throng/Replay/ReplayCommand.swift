import ArgumentParser
import Foundation
import ThrongCrowd
import ThrongSystem

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Posts recorded batches or events to a daemon.",
        usage: "throng replay --to <url> <file> [<options>]",
        discussion: """
            FILE has one JSON object a line. A line with "events" is a batch and is sent as it is. Any other line is an \
            event: {"event":"home","at":"2026-11-21T10:02:11Z","device":"a","fields":{},"context":{}}. Events need \
            --app and --purpose; those that follow each other with the same device become one batch under one random \
            identifier, which is the device's for this run.

            A batch that gets 503 is sent again after the time that the server names, one that gets no answer after a \
            growing pause; both under the same batch id, so that each counts once. It ends with 2 where something was refused.

            EXAMPLE
              throng replay --to http://127.0.0.1:8080 --app shop --purpose product events.ndjson
            """)

    @Option(name: .customLong("to"), help: ArgumentHelp("The daemon.", valueName: "url"))
    var server: String

    @Option(help: ArgumentHelp("The app of the events.", valueName: "name"))
    var app: String?

    @Option(help: ArgumentHelp("The purpose of the events.", valueName: "name"))
    var purpose: String?

    @Option(help: "How many batches may be under way at once.")
    var connections: Int = 8

    @Option(help: "Seconds after which an unanswered batch ends the run.")
    var patience: Int = 60

    @Flag(help: "Sends batches in the window that is open now, whatever window they were recorded in.")
    var now = false

    @Flag(help: "Prints the count as JSON.")
    var json = false

    @Argument(help: ArgumentHelp("NDJSON; - is standard input.", valueName: "file"))
    var file: String

    func validate() throws {
        guard connections >= 1, connections <= 1024 else { throw ValidationError("--connections takes 1 to 1024.") }
        guard patience >= 1 else { throw ValidationError("--patience takes at least 1 second.") }
    }

    func run() async throws {
        let sender = try BatchSender(to: server, patience: .seconds(patience), connections: connections)
        let windows = RotationLookup(server: server)
        let parcels = try await Recording(app: app, purpose: purpose, reopens: now, windows: windows).parcels(
            from: lines())
        let progress = ProgressBar("replay", total: parcels.reduce(0) { $0 + $1.events }, unit: "events")
        let tally = try await sender.send(parcels, progress: progress)
        progress.finish()
        if json {
            try Terminal.json(tally)
        } else {
            var rows = [
                ("sent", "\(Terminal.grouped(tally.sent)) events in \(Terminal.grouped(tally.batches)) batches"),
                ("accepted", Terminal.grouped(tally.accepted)), ("refused", Terminal.grouped(tally.refused)),
                ("retried", "\(Terminal.grouped(tally.retried)) times"),
            ]
            for (prefix, found) in [("  ", tally.refusals), ("  whole batches: ", tally.refusedBatches)] {
                rows += found.sorted { $0.key < $1.key }.map { (prefix + $0.key, Terminal.grouped($0.value)) }
            }
            Terminal.data(Terminal.table(rows))
        }
        if tally.refused > 0 { throw ExitCode(2) }
    }

    private func lines() throws -> [Substring] {
        let bytes: Data
        if file == "-" {
            bytes = FileHandle.standardInput.readDataToEndOfFile()
        } else if let contents = FileManager.default.contents(atPath: file) {
            bytes = contents
        } else {
            throw CommandFailure("\(file): there is no such file, or it can't be read.")
        }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.allSatisfy(\.isWhitespace) }
    }
}
