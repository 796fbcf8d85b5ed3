import ArgumentParser
import Foundation
import ThrongPlan

struct PlanDiffCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "diff",
        abstract: "Says what a new plan does in a former one's place.",
        discussion: """
            One line a change, those that ask for most first:

              unasked   people agreed to less than this, and clients go on counting them: raise consent_version
              asks      people agreed to less than this, or to nothing yet: they are asked
              widens    more is counted, kept, published or handed on than people were told
              splits    counters start anew; the period under way is released in two parts
              tightens  less is
              runs      the house works otherwise
              words     words only

            EXIT CODES
              0  nothing widens, and no period is split
              1  a file can't be read
              2  a plan has problems
              3  a period is split
              4  something widens, or people have to be asked, or are not
            """)

    @Argument(help: "The plan before.")
    var old: String

    @Argument(help: "The plan after.")
    var new: String

    @Flag(help: "Prints the changes as JSON.")
    var json = false

    func run() async throws {
        let diff: PlanDiff
        do {
            let (before, after) = (try PlanFiles.read(old), try PlanFiles.read(new))
            guard before.app.name == after.app.name else {
                throw CommandFailure(
                    "\(old) is of the app \(before.app.name), \(new) of \(after.app.name): counters of two apps have nothing "
                        + "to do with each other. Keep the name, or see it as a new app.")
            }
            diff = try PlanDiff(from: before, to: after, rules: .system)
        } catch let problems as PlanProblems {
            for problem in problems.all { Terminal.data(problem.description) }
            throw ExitCode(2)
        }
        if json {
            try Terminal.json(diff.changes)
        } else {
            let width = PlanChange.Kind.allCases.map(\.rawValue.count).max() ?? 0
            for change in diff.changes {
                let kind = change.kind.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
                Terminal.data("\(kind)  \(change.subject): \(change.meaning)")
            }
            if diff.changes.isEmpty { Terminal.talk("The plans say the same.") }
        }
        if !diff.kinds.isDisjoint(with: [.unasked, .asks, .widens]) { throw ExitCode(4) }
        if diff.kinds.contains(.splits) { throw ExitCode(3) }
    }
}
