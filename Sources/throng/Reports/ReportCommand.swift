import ArgumentParser

struct ReportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "report",
        abstract: "Makes partners' reports from what was released, and says how they stand.",
        discussion: "Without a subcommand it makes reports.",
        subcommands: [
            ReportMakeCommand.self, ReportListCommand.self, ReportShowCommand.self, ReportSendCommand.self,
        ],
        defaultSubcommand: ReportMakeCommand.self)
}
