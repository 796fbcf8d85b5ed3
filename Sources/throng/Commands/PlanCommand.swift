import ArgumentParser
import Foundation
import ThrongCrowd
import ThrongPlan
import ThrongSystem

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Writes a plan, checks it, says what it means.",
        discussion: """
            EXAMPLES
              throng plan new
              throng plan check plan.yaml
            """,
        subcommands: [
            PlanNewCommand.self, PlanCheckCommand.self, PlanDiffCommand.self, PlanApplyCommand.self,
            PlanLabelCommand.self,
        ])
}

struct PlanCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says what is wrong with a plan, and what could be better.",
        usage: "throng plan check <file> [<options>]",
        discussion: """
            Problems go to standard output as file:line:column: message, and it ends with 2; advice, margins of numbers and \
            the first reports' dates go to standard error. --simulate says how well a crowd's devices hide, and what each \
            grouping would show.

            --suggest tries many groupings of each metric, and prints those that show nine tenths of its events: paste them \
            into the plan as its margins, but for what nobody reads.

            EXAMPLES
              throng plan check plan.yaml
              throng plan check plan.yaml --simulate --audience 500 --days 2
            """)

    @Argument(help: "The plan's file.")
    var file: String

    @Flag(help: "Tries it on a crowd; for operators only.")
    var simulate = false

    @Flag(help: "Proposes groupings that publish; for operators only.")
    var suggest = false

    @OptionGroup(title: "Crowd, with --simulate or --suggest") var crowd: CrowdOptions

    @Flag(help: "Prints what it finds as JSON.")
    var json = false

    private struct Findings: Encodable {
        let problems: [PlanProblem]
        let advice: [PlanProblem]
        let margins: [String]?
        let first: [String]?
        let forecast: Forecast?
    }

    func validate() throws {
        guard !simulate || !suggest else { throw ValidationError("Name --simulate or --suggest, not both.") }
    }

    func run() async throws {
        if suggest { return try proposeGroupings() }
        var problems: [PlanProblem] = []
        var advice: [PlanProblem] = []
        var plan: Plan?
        var margins: [String] = []
        var forecast: Forecast?
        do {
            let read = try PlanFiles.read(file)
            problems = read.expired()
            advice = read.lint(rules: .system)
            margins = read.marginLines()
            plan = read
            if simulate { forecast = try crowd.tried(read) { try Forecast(of: read, crowd: $0, $1, progress: $2) } }
        } catch let found as PlanProblems {
            problems = found.all
        }
        if json {
            try Terminal.json(
                Findings(
                    problems: problems, advice: advice, margins: margins.isEmpty ? nil : margins,
                    first: plan?.firstLines(now: UnixClock.system.now), forecast: forecast))
        } else {
            for problem in problems { Terminal.data(problem.description) }
            for piece in advice { Terminal.talk("advice: \(piece.description)") }
            for margin in margins { Terminal.talk("margin: \(margin)") }
            for line in plan?.firstLines(now: UnixClock.system.now) ?? [] { Terminal.talk("first: \(line)") }
            for line in forecast?.lines ?? [] { Terminal.data(line) }
            if let plan, problems.isEmpty {
                Terminal.talk(
                    "\(file) is valid: \(Terminal.count(plan.metrics.count, "metric")), "
                        + "\(Terminal.count(plan.dimensions.count + plan.derivedDimensions.count, "dimension")), "
                        + "\(Terminal.count(plan.reports.count, "report")), k = \(plan.app.threshold.devices).")
            }
        }
        if !problems.isEmpty { throw ExitCode(2) }
    }

    private func proposeGroupings() throws {
        let plan = try PlanFiles.sayingProblems { try PlanFiles.read(file) }
        let advice = try crowd.tried(plan) { try GroupingAdvice.all(of: plan, crowd: $0, $1, progress: $2) }
        guard !advice.isEmpty else {
            throw CommandFailure(
                "The crowd has no event of \(file)'s metrics; leave --crowd out, and one is made up from the plan.")
        }
        if json { return try Terminal.json(advice) }
        for line in advice.yaml { Terminal.data(line) }
    }
}

struct PlanLabelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "label",
        abstract: "Prints the public privacy label of a plan, or its record of processing.",
        discussion: """
            The label is in plain language, for a privacy policy.

            The record is for the house and its supervisory authority, in the order of Article 30(1) GDPR: who answers, purposes \
            and what the plan says of their legal basis, people and data, recipients, erasure with what each step leaves, and \
            what Throng does by itself. What no plan can say is marked "To decide". The same plan makes the same bytes.

            EXAMPLES
              throng plan label plan.yaml --language de
              throng plan label plan.yaml --record
            """)

    @Argument(help: "The plan's file.")
    var file: String

    @Option(help: "Takes the plan's texts in this language, such as de, where they are there in several.")
    var language: String?

    @Flag(help: "Writes the record of processing instead, as Markdown.")
    var record = false

    @Flag(help: "With --record: writes it as JSON.")
    var json = false

    func validate() throws {
        guard record || !json else { throw ValidationError("--json goes with --record.") }
        guard !record || language == nil else { throw ValidationError("--language is for the label.") }
    }

    func run() async throws {
        if record { return try writeRecord() }
        let plan = try PlanFiles.read(file)
        guard let language else { return Terminal.data(plan.privacyLabel(today: .today)) }
        guard let tag = LanguageTag(language) else {
            throw ValidationError("'\(language)' is no language tag; a tag of BCP 47 is allowed, such as de or pt-BR.")
        }
        guard let best = plan.language(for: [tag]) else {
            let known = plan.translations.languages.map(\.text).joined(separator: ", ")
            throw ValidationError(
                known.isEmpty
                    ? "The plan's texts are there once, in no language that it names; leave --language out."
                    : "The plan has no text in '\(tag)'; it has \(known).")
        }
        Terminal.data(plan.translated(into: best).privacyLabel(today: .today))
    }

    private func writeRecord() throws {
        let written = try PlanFiles.sayingProblems { ProcessingRecord(of: try PlanFiles.read(file)) }
        if json { return Terminal.data(String(decoding: try written.json(), as: UTF8.self)) }
        Terminal.data(written.markdown)
    }
}
