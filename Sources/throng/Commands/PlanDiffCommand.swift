import ArgumentParser
import Foundation
import ThrongJournal
import ThrongPlan
import ThrongSchedule
import ThrongStore

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
              ties      numbers tell more together with others of the same events: what is withheld so that they don't
              tightens  less is
              runs      the house works otherwise
              words     words only

            With --running NEW alone is given, and compared with the plan that the daemon of --data counts by. With --ledger \
            lines of "published:" follow on standard error: of which weeks and months under way parts are published already.

            EXIT CODES
              0  nothing widens, and no period is split
              1  a file can't be read
              2  a plan has problems
              3  a period is split
              4  something widens, or people have to be asked, or are not
            """)

    @Argument(help: ArgumentHelp("The plan before, unless --running, and the plan after.", valueName: "plan"))
    var files: [String]

    @Flag(help: "Compares with the plan that the daemon counts by, or counted by last.")
    var running = false

    @Flag(help: "With --running: also looks at what was released, in the database of --data or --database.")
    var ledger = false

    @OptionGroup(title: "Place, with --running") var place: Place

    @Flag(help: "Prints the changes as JSON.")
    var json = false

    func validate() throws {
        guard running || !ledger else { throw ValidationError("--ledger goes with --running.") }
        guard files.count == (running ? 1 : 2) else {
            throw ValidationError(
                running
                    ? "With --running name one plan: the one after."
                    : "Name two plans: the one before, and the one after.")
        }
    }

    func run() async throws {
        let diff: PlanDiff
        let before: Plan
        do {
            let after = try PlanFiles.read(files[files.count - 1])
            if running {
                before = try PlanApplyCommand.running(after.app.name, at: place.dataPath).plan
            } else {
                before = try PlanFiles.read(files[0])
            }
            guard before.app.name == after.app.name else {
                throw CommandFailure(
                    "\(files[0]) is of the app \(before.app.name), \(files[1]) of \(after.app.name): counters of two apps have "
                        + "nothing to do with each other. Keep the name, or see it as a new app.")
            }
            diff = try PlanDiff(from: before, to: after, rules: .system)
        } catch let problems as PlanProblems {
            for problem in problems.all { Terminal.data(problem.description) }
            throw ExitCode(2)
        }
        if json { try Terminal.json(diff.changes) } else { Self.say(diff) }
        if ledger {
            let lines = try await DatabaseAccess.use(place) { settings in
                let store = ReleaseStore(settings)
                defer { store.close() }
                return try await ReleaseExplainer(store: store).underWay(of: before)
            }
            for line in lines { Terminal.talk("published: \(line)") }
        }
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

    /// What somebody has to agree to; nil where nothing.
    static func exitCode(of diff: PlanDiff) -> ExitCode? {
        if !diff.kinds.isDisjoint(with: [.unasked, .asks, .widens]) { return ExitCode(4) }
        return diff.kinds.contains(.splits) ? ExitCode(3) : nil
    }
}
