import ArgumentParser

@main
struct StageBench: ParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Measures the stages of ingest inside one process. Deploy/bench runs it and prints its tables.",
        subcommands: [
            StagesCommand.self, MemoryCommand.self, JournalCommand.self, ReplayCommand.self, AttestationCommand.self,
            WindowCommand.self, CheckpointCommand.self,
        ])
}
