import ArgumentParser
import Foundation
import ThrongClient
import ThrongWire

/// Drives the Swift client for `throng conform Probe conform`: a step a line, as JSON, each answered with ok.
struct ConformProbe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform", abstract: "Drives the client for throng conform.")

    /// A step of a scenario; each kind has some of the members.
    private struct Step: Decodable {
        let `do`: String
        let url: String?
        let app: String?
        let directory: String?
        let now: Int64?
        let signals: [String]?
        let purpose: String?
        let given: Bool?
        let version: Int?
        let event: String?
        let fields: [String: Batch.Scalar]?
    }

    func run() async throws {
        let clock = TestClock(.epoch)
        var client: Throng?
        while let line = readLine() {
            let step = try JSONDecoder().decode(Step.self, from: Data(line.utf8))
            if let now = step.now { clock.set(UnixSeconds(now)) }
            if step.do == "start" { client = try await Self.start(step, clock) }
            guard let client else { throw ValidationError("The first step starts the client.") }
            try await Self.act(step, client)
            try FileHandle.standardOutput.write(contentsOf: Data("ok\n".utf8))
        }
    }

    private static func start(_ step: Step, _ clock: TestClock) async throws -> Throng {
        guard let plan = URL(string: "\(step.url ?? "")/v1/plan/\(step.app ?? "")") else {
            throw ThrongError.planAddress
        }
        var options = ThrongOptions(signals: signals(of: step))
        options.sendsByItself = false
        options.gap = 0
        let folder = URL(fileURLWithPath: step.directory ?? "", isDirectory: true)
        return try await Throng(plan: plan, storage: DirectoryStorage(folder), clock: clock, options: options)
    }

    private static func act(_ step: Step, _ client: Throng) async throws {
        switch step.do {
        case "consent":
            try await client.setConsent(
                step.given == true ? .authorized : .denied, for: step.purpose ?? "", version: step.version)
        case "signals": await client.setSignals(signals(of: step))
        case "record":
            client.record(step.event ?? "", (step.fields ?? [:]).compactMapValues(value))
            // What is recorded is on disk a second later; no scenario waits for that.
            await client.save()
        case "send":
            // An app that sends by its own hand asks for the plan by its own hand.
            await client.refreshPlan()
            _ = await client.flush()
        default: break
        }
    }

    private static func signals(of step: Step) -> Set<OptOutSignal> {
        Set((step.signals ?? []).compactMap { OptOutSignal(rawValue: $0) })
    }

    private static func value(_ scalar: Batch.Scalar) -> EventValue? {
        switch scalar {
        case .text(let text): .text(text)
        case .integer(let integer): .integer(integer)
        case .number(let number): .number(number)
        case .flag(let flag): .flag(flag)
        case .null: nil
        }
    }
}
