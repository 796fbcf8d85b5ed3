import ArgumentParser
import Foundation
import ThrongJournal
import ThrongPlan
import ThrongStore
import ThrongSystem

/// The plans that a command works with.
struct PlanFiles: ParsableArguments {
    @Option(name: .customLong("plan"), help: ArgumentHelp("A plan; give it once for each app.", valueName: "file"))
    var files: [String] = []

    func read() throws -> [Plan] { try Self.sources(files).map(\.plan) }

    static func sources(_ files: [String]) throws -> [RunningPlan] {
        guard !files.isEmpty else {
            throw ValidationError("Name at least one plan: --plan FILE. Deploy/sample/shop.yaml is an example.")
        }
        var sources: [RunningPlan] = []
        for file in files {
            let source = try source(file)
            guard !sources.contains(where: { $0.plan.app.name == source.plan.app.name }) else {
                throw CommandFailure(
                    "\(file): there is already a plan for the app \(source.plan.app.name); keep one of the two.")
            }
            sources.append(source)
        }
        return sources
    }

    static func read(_ file: String) throws -> Plan { try source(file).plan }

    static func source(_ file: String) throws -> RunningPlan {
        guard let bytes = FileManager.default.contents(atPath: file) else {
            throw CommandFailure("\(file): there is no such file, or it can't be read.")
        }
        return RunningPlan(plan: try Plan(bytes: bytes, file: file), bytes: Array(bytes), path: Place.absolute(file))
    }

    /// Runs what reads plans; says the problems of a plan that has any, and ends with 2.
    static func sayingProblems<Value>(
        by say: (String) -> Void = { Terminal.data($0) }, _ work: () throws -> Value
    ) throws -> Value {
        do { return try work() } catch let problems as PlanProblems {
            for problem in problems.all { say(problem.description) }
            throw ExitCode(2)
        }
    }

    static func sayWhatIsNotInForce(_ plans: [Plan], _ connection: Connection) async throws {
        for known in try await PlanRegistry(connection).inForce() {
            guard let plan = plans.first(where: { $0.app.name == known.app }), plan.version != known.plan else {
                continue
            }
            Terminal.talk(
                """
                warning: this is plan \(plan.version.short) of \(known.app), and plan \(known.plan.short) is in force since \
                \(Terminal.instant(known.since)). Daemons release and report by that one; what is released is what both allow.
                """)
        }
    }
}

struct PeriodOption: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A day, month, week or hour of the app's calendar: 2026-11-20, 2026-11, 2026-W47, 2026-11-20T10:00.",
            valueName: "period")) var period: String?

    func period(of plan: Plan) throws -> Period? { try period.map { try Self.period($0, of: plan) } }

    /// The period of an app's calendar that a text names.
    static func period(_ period: String, of plan: Plan) throws -> Period {
        guard let calendar = PeriodCalendar(timeZone: plan.app.timeZone), let found = calendar.period(labelled: period)
        else {
            throw ValidationError(
                "'\(period)' is no period: write 2026-11-20 (a day), 2026-11 (a month), 2026-W47 (a week) or "
                    + "2026-11-20T10:00 (an hour).")
        }
        return found
    }
}
