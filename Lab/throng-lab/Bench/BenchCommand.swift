import ArgumentParser
import Foundation
import ThrongCrowd
import ThrongIngest
import ThrongLoad
import ThrongPlan
import ThrongSystem

struct BenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "bench",
        abstract: "Posts batches to a daemon at a steady rate and says how long answers took.",
        usage: "throng bench --plan <file> --rate <number> [<options>]",
        discussion: """
            Don't aim it at a daemon whose numbers matter: what it posts is counted. Bodies are made from the plan; each \
            batch has an id and an identifier of its own.

            Requests are due at instants that don't depend on answers, and an answer's time runs from when its request \
            was due. So a server that stalls is charged with what would have come meanwhile.

            It ends with 2 where requests failed or events were refused.

            EXAMPLES
              throng bench --plan plan.yaml --rate 500
              throng bench --plan plan.yaml --share 0.5 --slots 0,1,2
            """)

    @Option(name: .customLong("to"), help: ArgumentHelp("The daemon.", valueName: "url"))
    var server = "http://127.0.0.1:8080"

    @Option(help: ArgumentHelp("The daemon's plan.", valueName: "file"))
    var plan: String

    @Option(help: ArgumentHelp("The purpose (default: the first that counts).", valueName: "name"))
    var purpose: String?

    @Option(help: ArgumentHelp("Devices, as in Deploy/sample/devices.ndjson.gz.", valueName: "file"))
    var devices: String?

    @Option(help: ArgumentHelp("Requests a second.", valueName: "number"))
    var rate: Double?

    @Option(help: ArgumentHelp("Instead: a part of the most that it takes, as 0.5.", valueName: "share"))
    var share: Double?

    @Flag(help: "Instead: as fast as it is answered; times flatter.")
    var most = false

    @Flag(help: "Exponential pauses, as of many clients.")
    var poisson = false

    @Option(help: ArgumentHelp("Events of a batch.", valueName: "n"))
    var eventsPerBatch = 100

    @Flag(help: "Each event has values of its own: many counters.")
    var spread = false

    @Option(help: "Different bodies, each sent many times.")
    var bodies = 2000

    @Option(help: ArgumentHelp("Only identifiers of these slots, of 0 to 255.", valueName: "numbers"))
    var slots: String?

    @Option(help: ArgumentHelp("Connections.", valueName: "n"))
    var connections = 64

    @Option(help: "Threads of the generator.")
    var threads = 1

    @Option(help: "Seconds that it measures.")
    var seconds = 30

    @Option(help: "Seconds that it sends before.")
    var warmUp = 2

    @Flag(help: "Prints the figures as JSON.")
    var json = false

    func validate() throws {
        guard [rate != nil, share != nil, most].count(where: { $0 }) == 1 else {
            throw ValidationError("Give one of --rate, --share and --most.")
        }
        if let rate, !(rate > 0 && rate <= 10_000_000) { throw ValidationError("--rate takes more than 0 requests.") }
        if let share, !(share > 0 && share <= 2) { throw ValidationError("--share takes more than 0, and 2 at most.") }
        guard (1...100_000).contains(eventsPerBatch) else {
            throw ValidationError("--events-per-batch takes 1 to 100,000.")
        }
        guard (1...1_000_000).contains(bodies) else { throw ValidationError("--bodies takes 1 to 1,000,000.") }
        guard (1...64).contains(threads) else { throw ValidationError("--threads takes 1 to 64.") }
        guard (threads...20_000).contains(connections) else {
            throw ValidationError("--connections takes 1 a thread to 20,000.")
        }
        guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds takes 1 to 86,400.") }
        guard (0...3600).contains(warmUp) else { throw ValidationError("--warm-up takes 0 to 3,600.") }
    }

    func run() async throws {
        let (host, port) = try address()
        Terminal.talk("Making bodies: \(Terminal.grouped(bodies)), \(Terminal.count(eventsPerBatch, "event")) each.")
        var shape = PreparedBatches.Shape(events: eventsPerBatch, bodies: bodies, spreadsEvents: spread)
        shape.slots = try wantedSlots()
        let batches = try PreparedBatches(
            plan: Plan(file: plan), purpose: purpose.map { PurposeName($0) },
            devices: devices.map { try SampleDevice.all(in: $0) } ?? [], shape: shape, now: UnixClock.system.now)
        func load(_ pace: LoadGenerator.Pace, seconds: Int) async throws -> LoadTally {
            let options = LoadGenerator.Options(
                connections: connections, threads: threads, warmUp: .seconds(warmUp), duration: .seconds(seconds))
            return try await LoadGenerator(host: host, port: port, batches: batches, options: options).run(pace)
        }

        var report: BenchReport
        if let rate {
            report = BenchReport(
                try await load(.rate(rate, pauses), seconds: seconds), asked: rate, eventsPerBatch: eventsPerBatch)
        } else {
            // A third of the time tells what it takes at most well enough to halve it.
            let trial = most ? seconds : max(1, seconds / 3)
            Terminal.talk("Sending as fast as it is answered, for \(trial) seconds.")
            let first = try await load(.asFastAsAnswered, seconds: trial)
            report = BenchReport(first, asked: nil, eventsPerBatch: eventsPerBatch)
            if let share, report.failed == 0 {
                guard first.rate > 0 else {
                    throw CommandFailure("\(server) answered nothing in time; there is no share of that.")
                }
                Terminal.talk(
                    "It takes \(Terminal.grouped(Int(first.rate))) requests a second. Sending \(share) of that.")
                report = BenchReport(
                    try await load(.rate(first.rate * share, pauses), seconds: seconds), asked: first.rate * share,
                    eventsPerBatch: eventsPerBatch)
                report.most = first.rate
            }
        }
        if json { try Terminal.json(report) } else { Terminal.data(report.text) }
        if report.failed > 0 || report.refusedEvents > 0 { throw ExitCode(2) }
    }

    private var pauses: LoadSchedule.Spread { poisson ? .poisson : .even }

    private func wantedSlots() throws -> Set<Slot> {
        Set(
            try slots?.split(separator: ",").map { text in
                guard let slot = Int(text).flatMap({ Slot($0) }) else {
                    throw ValidationError("'\(text)' is no slot; --slots takes numbers from 0 to 255, with commas.")
                }
                return slot
            } ?? [])
    }

    private func address() throws -> (host: String, port: Int) {
        guard let url = URL(string: server), url.scheme == "http", let host = url.host, ["", "/"].contains(url.path)
        else {
            throw ValidationError(
                "'\(AddressText.shown(server))' is no daemon's address; write http://127.0.0.1:8080, without TLS.")
        }
        return (host, url.port ?? 80)
    }
}
