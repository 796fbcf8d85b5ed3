import ArgumentParser
import Foundation
import ThrongSystem

// throng: the command line, and no more than that: what a command does lies in the target that knows it.
//
//   Commands   most commands, a file each; ServeCommand starts the daemon (Daemon in ThrongServer)
//   Settings   the daemon's settings: options, the environment and a file, read once (DaemonSettings)
//   Options    what several commands take (PlanFiles, Place), and the versions
//   Audit, Backup, Doctor, Keys, Replay, Reports, Try
//              a folder for commands that take several files
//
// Start here, then Commands/ServeCommand.swift and Settings/DaemonSettings.swift.

@main struct ThrongCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "throng", abstract: "Counts what a crowd does and cannot tell what one person did.",
        discussion: """
            Standard output is data, standard error is talk. Exit codes: 0 done, 1 not done, 2 done but something is \
            refused or missing, 64 the command line is wrong; some commands have more.

            EXAMPLES
              throng try              # a minute, and a page to look at
              throng plan new         # then: throng serve --plan plan.yaml
            """, version: Versions.text,
        subcommands: [
            TryCommand.self, PlanCommand.self, ServeCommand.self, DoctorCommand.self, ReleaseCommand.self,
            ReportCommand.self, KeyCommand.self, VerifyCommand.self, AuditCommand.self, TokenCommand.self,
            AppCommand.self, RetentionCommand.self, BackupCommand.self, RestoreCommand.self, DatabaseCommand.self,
            DaemonCommand.self, EvaluatorCommand.self, ReplayCommand.self, LabCommands.Bench.self,
            LabCommands.Conform.self, LabCommands.Suppress.self,
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

/// A command of `throng-lab`, the program beside this one, which takes its place.
protocol LabOptions: ParsableCommand { var words: [String] { get } }

enum LabCommands {
    struct Bench: LabOptions {
        static let configuration = CommandConfiguration(
            commandName: "bench", abstract: "Posts batches at a steady rate, and times answers.", helpNames: [])

        @Argument(parsing: .captureForPassthrough) var words: [String] = []
    }

    struct Conform: LabOptions {
        static let configuration = CommandConfiguration(
            commandName: "conform", abstract: "Tries whether a client keeps to the wire protocol.", helpNames: [])

        @Argument(parsing: .captureForPassthrough) var words: [String] = []
    }

    struct Suppress: LabOptions {
        static let configuration = CommandConfiguration(
            commandName: "suppress", abstract: "Withholds a table's small cells, and what tells them.", helpNames: [])

        @Argument(parsing: .captureForPassthrough) var words: [String] = []
    }
}

extension LabOptions {
    func run() throws {
        let command = Self._commandName
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let lab = (own as NSString).deletingLastPathComponent + "/throng-lab"
        // What takes all words for another program's takes these, too.
        let isAsked = words.first == "--help" || words.first == "-h"
        var arguments = ([lab] + (isAsked ? ["help", command] : [command] + words)).map { strdup($0) }
        arguments.append(nil)
        execv(lab, &arguments)
        throw CommandFailure(
            "\(lab), which has throng \(command), can't be run (\(String(cString: strerror(errno)))). "
                + "Deploy/build throng-lab builds it beside this program; the package brings both.")
    }
}
