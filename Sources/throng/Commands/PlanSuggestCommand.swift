import ArgumentParser
import ThrongForecast
import ThrongPlan

struct PlanSuggestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Proposes groupings that will publish.",
        discussion: """
            A crowd comes for some days, and each metric is released by many groupings. Those that would show nine tenths of \
            its events go to standard output as YAML: paste each metric's margins into the plan, in place of those that are \
            there. Leave out what nobody reads: each grouping adds to what is told of a device. For operators only: it \
            tells what is small.

            EXIT CODES
              0  done
              1  a file can't be read
              2  the plan has problems
            """)

    @Argument(help: "The plan's file.")
    var file: String

    @OptionGroup var crowd: CrowdOptions

    @Flag(help: "Prints the groupings as JSON.")
    var json = false

    func run() async throws {
        let plan: Plan
        do {
            plan = try PlanFiles.read(file)
        } catch let problems as PlanProblems {
            for problem in problems.all { Terminal.data(problem.description) }
            throw ExitCode(2)
        }
        let advice = try crowd.tried(plan) {
            try GroupingAdvice.all(of: plan, crowd: $0, $1, progress: $2)
        }
        guard !advice.isEmpty else {
            throw CommandFailure(
                "\(crowd.crowd) has no event of \(file)'s metrics; name a folder with sessions of your own by --crowd.")
        }
        if json { return try Terminal.json(advice) }
        for line in advice.yaml { Terminal.data(line) }
    }
}
