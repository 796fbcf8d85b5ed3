import ArgumentParser

/// The program of developers and statistical offices, with nothing of the daemon. `throng bench`, `throng conform` and
/// `throng suppress` start it.
@main
struct LabCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "throng-lab", abstract: "Measures and tries daemons, clients and releases; protects tables.",
        discussion: """
            EXAMPLE
              throng-lab bench --plan plan.yaml --rate 500
            """,
        subcommands: [BenchCommand.self, ConformCommand.self, SuppressCommand.self, ReleaseBench.self])
}
