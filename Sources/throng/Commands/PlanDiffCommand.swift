import ArgumentParser
import Foundation
import ThrongJournal
import ThrongPlan
import ThrongSystem

struct PlanDiffCommand: ParsableCommand {
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

            With --running NEW alone is given, and compared with the plan that the daemon of --data counts by.

            It ends with 3 where a period is split, with 4 where something widens, or people are to be asked, or are not.

            EXAMPLES
              throng plan diff before.yaml plan.yaml
              throng plan diff --running plan.yaml --data ./data
            """)

    @Argument(help: ArgumentHelp("The plan before, unless --running, and the plan after.", valueName: "plan"))
    var files: [String]

    @Flag(help: "Compares with the plan that the daemon counts by, or counted by last.")
    var running = false

    @Option(
        help: ArgumentHelp("With --running: the data directory (default: \(Place.standardData)).", valueName: "dir"))
    var data: String?

    @Flag(help: "Prints the changes as JSON.")
    var json = false

    func validate() throws {
        guard files.count == (running ? 1 : 2) else {
            throw ValidationError(
                running
                    ? "With --running name one plan: the one after."
                    : "Name two plans: the one before, and the one after.")
        }
    }

    func run() throws {
        let diff = try PlanFiles.sayingProblems {
            let after = try PlanFiles.read(files[files.count - 1])
            let before =
                running
                ? try PlanApplyCommand.running(
                    after.app.name, at: Place.absolute(data ?? Place.standardData)
                ).plan
                : try PlanFiles.read(files[0])
            guard before.app.name == after.app.name else {
                throw CommandFailure(
                    "\(files[0]) is of the app \(before.app.name), \(files[1]) of \(after.app.name): counters of two apps have "
                        + "nothing to do with each other. Keep the name, or see it as a new app.")
            }
            return try PlanDiff(from: before, to: after, rules: .system)
        }
        if json { try Terminal.json(diff.changes) } else { Self.say(diff) }
        if let code = Self.exitCode(of: diff) { throw code }
    }

    /// A line a change.
    static func say(_ diff: PlanDiff) {
        let width = PlanChange.Kind.allCases.map(\.rawValue.count).max() ?? 0
        for change in diff.changes {
            let kind = change.kind.rawValue.padding(toLength: width, withPad: " ", startingAt: 0)
            Terminal.data("\(kind)  \(change.subject): \(change.meaning)")
        }
        if diff.changes.isEmpty { Terminal.talk("The plans say the same.") }
    }

    /// Returns the exit code for what somebody has to agree to; nil where there is nothing.
    static func exitCode(of diff: PlanDiff) -> ExitCode? {
        if !diff.kinds.isDisjoint(with: [.unasked, .asks, .widens]) { return ExitCode(4) }
        return diff.kinds.contains(.splits) ? ExitCode(3) : nil
    }
}
