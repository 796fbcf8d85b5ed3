import ArgumentParser
import Foundation
import ThrongCrowd
import ThrongPlan
import ThrongSystem

struct PlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Writes a plan, checks it, or prints what it means for people.",
        subcommands: [
            PlanNewCommand.self, PlanCheckCommand.self, PlanDiffCommand.self, PlanApplyCommand.self,
            PlanLabelCommand.self,
        ])
}

struct PlanCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Says what is wrong with a plan, and what could be better.",
        discussion: """
            Problems go to standard output, one a line, as file:line:column: message. Advice follows on standard error, and \
            lines of "margin:" that say how far off numbers will be. With --simulate a crowd comes for some days, is counted \
            and released in memory, and tables on standard output say how well devices hide, what each grouping would show, \
            and which bounds would do.

            With --suggest each metric is released by many groupings instead. Those that would show nine tenths of its events go \
            to standard output as YAML: paste each metric's margins into the plan, in place of those that are there. Leave out \
            what nobody reads: each grouping adds to what is told of a device.

            EXIT CODES
              0  the plan is valid (there may be advice)
              1  the file can't be read
              2  the plan has problems
            """)

    @Argument(help: "The plan's file.")
    var file: String

    @Flag(help: "Also tries the plan on days of a crowd. For operators only: it tells what is small.")
    var simulate = false

    @Flag(help: "Proposes groupings that will publish. For operators only, too.")
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
            The label is in plain language, for a privacy policy: what is counted, how coarsely, why, for how long, for whom.

            The record is for the house and its supervisory authority, in the order of Article 30(1) GDPR: who answers, purposes \
            and what the plan says of their legal basis, people and data, recipients, erasure with what each step leaves, and \
            what Throng does by itself. What no plan can say is marked "To decide". The same plan makes the same bytes.

            EXIT CODES
              0  it was written
              1  the file can't be read
              2  the plan has problems (with --record)
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
