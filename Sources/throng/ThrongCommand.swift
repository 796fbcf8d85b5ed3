import ArgumentParser

@main
struct ThrongCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "throng",
        abstract: "Counts what a crowd does and cannot tell what one person did.",
        discussion: """
            Clients post events to `throng serve`. It coarsens them as the plan says, adds them to counters in \
            PostgreSQL and forgets them. `throng release` publishes numbers that stand for enough devices, \
            `throng report` turns them into reports for partners.

            Try it: throng demo --plan Deploy/sample/shop.yaml --crowd Deploy/sample

            EXIT CODES
              0   done
              1   it could not be done; the message says why and what to do
              2   done, but something was refused or is missing (plan check: problems; replay: refusals)
              64  the command line is wrong

            Standard output is data, standard error is talk. `throng serve` takes its settings from options, the \
            environment and a file: `throng config show` prints them.
            """,
        version: Versions.text,
        subcommands: [
            ServeCommand.self, ConfigCommand.self, PlanCommand.self, ReplayCommand.self, ReleaseCommand.self,
            ReportCommand.self, KeyCommand.self, VerifyCommand.self, TokenCommand.self, DaemonCommand.self,
            DatabaseCommand.self, SuppressCommand.self, ClockCommand.self, RetentionCommand.self, AppCommand.self,
            BackupCommand.self, RestoreCommand.self,
            AuditCommand.self, DemoCommand.self, BenchCommand.self, ConformCommand.self, EvaluatorCommand.self,
        ])

    static func main() async {
        if let problem = LocalPaths.problem(in: CommandLine.arguments.dropFirst()) {
            exit(withError: ValidationError(problem))
        }
        await main(nil)
    }
}
