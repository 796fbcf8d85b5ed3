// throng: the command line, and no more than that: what a command does lies in the target that knows it.
//
//   Commands   most commands, a file each; ServeCommand starts the daemon (Daemon in ThrongServer)
//   Settings   the daemon's settings: options, the environment and a file, read once (DaemonSettings)
//   Options    what several commands take (PlanFiles, LogOptions); Terminal has progress bars and versions
//   Audit, Backup, Doctor, Keys, Replay, Reports, Try
//              a folder for commands that take several files
//
// Start here, then Commands/ServeCommand.swift and Settings/DaemonSettings.swift.

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

            Try it: throng try, or throng try plan.yaml

            EXIT CODES
              0   done
              1   it could not be done; the message says why and what to do
              2   done, but something was refused or is missing (plan check: problems; replay: refusals)
              64  the command line is wrong

            Standard output is data, standard error is talk. `throng serve` takes its settings from options, the \
            environment and a file: `throng doctor --show` prints them.
            """,
        version: Versions.text,
        subcommands: [
            ServeCommand.self, DoctorCommand.self, PlanCommand.self, ReplayCommand.self, ReleaseCommand.self,
            ReportCommand.self, KeyCommand.self, VerifyCommand.self, TokenCommand.self, DaemonCommand.self,
            DatabaseCommand.self, LabCommands.Suppress.self, RetentionCommand.self, AppCommand.self,
            BackupCommand.self, RestoreCommand.self,
            AuditCommand.self, TryCommand.self, LabCommands.Bench.self, LabCommands.Conform.self,
            EvaluatorCommand.self,
        ])

    static func main() async {
        if let problem = LocalPaths.problem(in: CommandLine.arguments.dropFirst()) {
            exit(withError: ValidationError(problem))
        }
        if let problem = CommandNames.problem(in: CommandLine.arguments.dropFirst(), of: Self.self) {
            exit(withError: ValidationError(problem))
        }
        await main(nil)
    }
}
