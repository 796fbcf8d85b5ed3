import ArgumentParser

/// Runs parts of Throng in a process of their own: for tests that kill them, or ask them from another language, and for histories
/// of a daemon whose disk, clock and PostgreSQL are made up.
@main
struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Probe", abstract: "Runs parts of Throng in a process of their own, for tests.",
        subcommands: [
            ClientProbe.self, ConformProbe.self, CredentialProbe.self, HistoryProbe.self, ProvingProbe.self,
            RevealProbe.self,
        ])
}
