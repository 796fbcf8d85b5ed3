import ArgumentParser

/// Runs parts of Throng in a process of their own: for tests that kill them, or ask them from another language.
@main
struct Probe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "Probe", abstract: "Runs parts of Throng in a process of their own, for tests.",
        subcommands: [
            ClientProbe.self, ConformProbe.self, CredentialProbe.self, ProvingProbe.self, RevealProbe.self,
        ])
}
