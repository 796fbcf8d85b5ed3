import ArgumentParser
import ThrongSystem

struct ConformCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "conform",
        abstract: "Tries whether a client keeps the rules of the wire protocol.",
        usage: "throng conform <command> ...",
        discussion: """
            It starts the command once and again, as the program that drives the client under test, and plays scenarios: \
            lost answers, 503, kill -9, refusals, consent that comes, goes and is outdated, opt-outs, wrong clocks. A daemon in \
            memory, with the counting of `throng serve`, sees what the client does. PostgreSQL is not needed.

            The program reads a step a line as JSON, does it, and answers with the line ok: start (url, app, directory, now, \
            signals), now (now), consent (purpose, given, version), signals (signals), record (event, fields), send. What \
            is kept over a start lies in the directory, and the client's clock says what `now` said last.

            Exit code 0 where every requirement is kept, 1 where one is not or the program fails.

            EXAMPLE
              throng conform python3 Deploy/clients/python/conform.py
            """)

    @Argument(
        parsing: .captureForPassthrough, help: ArgumentHelp("The program and its arguments.", valueName: "command"))
    var command: [String]

    func run() async throws {
        let command = command.first == "--" ? Array(command.dropFirst()) : command
        guard !command.isEmpty else { throw ValidationError("Name the program that drives the client.") }
        let verdicts = try await Conformance.run(command) { done, all in
            Terminal.talk("scenario \(done) of \(all)")
        }
        for verdict in verdicts {
            let (name, words) = (verdict.requirement.rawValue, verdict.requirement.words)
            Terminal.data("\(verdict.broken.isEmpty ? "kept  " : "BROKEN") \(name): \(words)")
            for words in verdict.broken { Terminal.data("       \(words)") }
        }
        guard verdicts.allSatisfy(\.broken.isEmpty) else { throw ExitCode(1) }
    }
}
