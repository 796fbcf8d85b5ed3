import ArgumentParser
import Foundation
import ThrongClient

/// Runs what needs a process of its own: the full simulation, and a client that is to be killed.
struct ClientProbe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "client", abstract: "Exercises ThrongClient in a process of its own.",
        subcommands: [Simulate.self, Cook.self, Hold.self])
}

/// Simulates a crowd and compares the daemon's counters with the truth.
struct Simulate: AsyncParsableCommand {
    @Option(help: "How many devices live through the days.")
    var devices = 10_000
    @Option(help: "How many days.")
    var days = 30
    @Option(help: "Which crowd.")
    var seed: UInt64 = 1

    func run() async throws {
        let simulation = try Simulation(days: days)
        let started = ContinuousClock.now
        let outcome = try await simulation.run(devices: devices, seed: seed)
        let passed = ContinuousClock.now - started
        let report = simulation.compare(outcome)
        print(report.text)
        print("took \(passed)")
        if !report.isEqual { throw ExitCode(1) }
    }
}

/// Records events one after another and says which ones are on disk, until it is killed.
struct Cook: AsyncParsableCommand {
    @Argument(help: "The directory of the client's storage.")
    var storage: String
    @Argument(help: "The file to which every batch that the daemon got is appended.")
    var received: String
    @Argument(help: "The number of the first event.")
    var first: Int
    @Option(help: "Who else uses the directory.")
    var company = DoomedCook.Company.alone
    @Option(help: "Since when the clock has hurried, in Unix seconds.")
    var since: Int64?

    func run() async throws {
        let clock: any ClientClock = since.map { HurriedClock(since: $0) } ?? SystemClock()
        try await DoomedCook(storage: storage, received: received, company: company, clock: clock).run(from: first)
    }
}

extension DoomedCook.Company: ExpressibleByArgument {}

/// Begins a turn with a shared directory and never ends it.
struct Hold: AsyncParsableCommand {
    @Argument(help: "The directory of the client's storage.")
    var storage: String

    func run() async throws {
        let directory = try DirectoryStorage(URL(fileURLWithPath: storage, isDirectory: true), isShared: true)
        _ = try directory.beginTurn()
        print("held")
        fflush(nil)
        try await Task.sleep(for: .seconds(3600))
        directory.close()
    }
}
