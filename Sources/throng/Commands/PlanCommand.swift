import ArgumentParser
import Foundation
import ThrongPlan

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Checks a plan, or prints what it means for people.",
        subcommands: [PlanCheckCommand.self, PlanLabelCommand.self])
}

struct PlanCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says what is wrong with a plan, and what could be better.",
        discussion: """
            Problems go to standard output, one a line, as file:line:column: message. Advice follows on standard error, and \
            lines of "tie:" for metrics that count some of the same events: what they share, and what gives way.

            EXIT CODES
              0  the plan is valid (there may be advice)
              1  the file can't be read
              2  the plan has problems
            """)

    @Argument(help: "The plan's file.")
    var file: String

    @Option(
        help: ArgumentHelp(
            "The plan before it. Says on standard error what a change means for periods under way.", valueName: "file"))
    var former: String?

    @Flag(help: "Prints problems and advice as JSON.")
    var json = false

    private struct Finding: Encodable {
        let file: String
        let line: Int?
        let column: Int?
        let message: String

        init(_ problem: PlanProblem) {
            file = problem.file
            line = problem.line
            column = problem.column
            message = problem.message
        }
    }

    private struct Findings: Encodable {
        let problems: [Finding]
        let advice: [Finding]
        let changes: [String]?
        let noise: [String]?
        let ties: [String]?
    }

    func run() async throws {
        let problems: [PlanProblem]
        var advice: [PlanProblem] = []
        var plan: Plan?
        var changes: [String]?
        var noise: [String] = []
        var ties: [String] = []
        do {
            let read = try PlanFiles.read(file)
            changes = try former.map { try read.changes(from: PlanFiles.read($0), rules: .system) }
            advice = read.lint(today: .today)
            noise = read.noiseMargins()
            ties = read.ties()
            problems = []
            plan = read
        } catch let found as PlanProblems {
            problems = found.all
        }
        if json {
            try Terminal.json(
                Findings(
                    problems: problems.map { Finding($0) }, advice: advice.map { Finding($0) }, changes: changes,
                    noise: noise.isEmpty ? nil : noise, ties: ties.isEmpty ? nil : ties))
        } else {
            for problem in problems { Terminal.data(problem.description) }
            for piece in advice { Terminal.talk("advice: \(piece.description)") }
            for change in changes ?? [] { Terminal.talk("change: \(change)") }
            for margin in noise { Terminal.talk("noise: \(margin)") }
            for tie in ties { Terminal.talk("tie: \(tie)") }
            if let plan {
                Terminal.talk(
                    "\(file) is valid: \(Terminal.count(plan.metrics.count, "metric")), "
                        + "\(Terminal.count(plan.dimensions.count + plan.derivedDimensions.count, "dimension")), "
                        + "\(Terminal.count(plan.reports.count, "report")), k = \(plan.app.threshold.devices).")
            }
        }
        if !problems.isEmpty { throw ExitCode(2) }
    }
}

struct PlanLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Prints the public privacy label of a plan.",
        discussion:
            "In plain language, for a privacy policy: what is counted, how coarsely, why, for how long, for whom.")

    @Argument(help: "The plan's file.")
    var file: String

    func run() async throws { Terminal.data(try PlanFiles.read(file).privacyLabel(today: .today)) }
}
