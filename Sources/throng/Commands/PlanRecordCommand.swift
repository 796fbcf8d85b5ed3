import ArgumentParser
import ThrongPlan

struct PlanRecordCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "record",
        abstract: "Writes the record of processing of a plan.",
        discussion: """
            For the house and its supervisory authority, in the order of Article 30(1) GDPR: who answers, purposes and what the \
            plan says of their legal basis, people and data, recipients, erasure with what each step leaves, and what Throng does \
            by itself. What no plan can say is marked "To decide". The same plan makes the same bytes.

            EXIT CODES
              0  the record was written
              1  the file can't be read
              2  the plan has problems
            """)

    enum Format: String, ExpressibleByArgument, CaseIterable { case markdown, json }

    @Argument(help: "The plan's file.")
    var file: String

    @Option(help: "As what it is written.")
    var format = Format.markdown

    func run() async throws {
        let record: ProcessingRecord
        do {
            record = ProcessingRecord(of: try PlanFiles.read(file))
        } catch let problems as PlanProblems {
            for problem in problems.all { Terminal.data(problem.description) }
            throw ExitCode(2)
        }
        switch format {
        case .markdown: Terminal.data(record.markdown)
        case .json: Terminal.data(String(decoding: try record.json(), as: UTF8.self))
        }
    }
}
