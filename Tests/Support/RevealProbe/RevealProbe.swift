import Foundation
import ThrongClient

/// One device that looks for something, once a line of standard input: what left it is printed as a line of JSON.
///
/// Its arguments are the plan's address and a folder.
@main
struct RevealProbe {
    static func main() async throws {
        guard CommandLine.arguments.count == 3, let plan = URL(string: CommandLine.arguments[1]) else {
            throw ThrongError.planAddress
        }
        var options = ThrongOptions()
        options.sendsByItself = false
        options.gap = 0
        let throng = try await Throng(
            plan: plan, storage: URL(fileURLWithPath: CommandLine.arguments[2]), options: options)
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
