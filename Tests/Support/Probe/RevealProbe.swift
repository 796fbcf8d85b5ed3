import ArgumentParser
import Foundation
import ThrongAttestation
import ThrongClient

/// One device that looks for something, once a line of standard input: what left it is printed as a line of JSON.
struct RevealProbe: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "reveal", abstract: "Looks for each line's words, and prints what left the device.")

    @Argument(help: "The plan's address.")
    var plan: String
    @Argument(help: "The folder of the client's storage.")
    var storage: String

    @Flag(help: "Whether the device can blind values for an evaluator.")
    var blinds = false

    func run() async throws {
        guard let plan = URL(string: plan) else { throw ThrongError.planAddress }
        var options = ThrongOptions()
        options.sendsByItself = false
        options.gap = 0
        if blinds { options.blinding = ValueBlinder() }
        let throng = try await Throng(plan: plan, storage: URL(fileURLWithPath: storage), options: options)
        var printed = 0
        while let line = readLine() {
            throng.record("search", ["query": line])
            _ = await throng.flush()
            let sent = await throng.sent
            let lines = sent.dropFirst(printed).map(\.body) + ["done", ""]
            printed = sent.count
            try FileHandle.standardOutput.write(contentsOf: Data(lines.joined(separator: "\n").utf8))
        }
        await throng.close()
    }
}
