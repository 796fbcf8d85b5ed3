import ArgumentParser
import Foundation
import Testing

@testable import throng_lab

@Suite("Help of the lab's commands fits a screen, and shows how")
struct LabHelpTests {
    /// The commands that people are told of, which `throng` passes on.
    private static let commands: [any ParsableCommand.Type] =
        [LabCommand.self] + LabCommand.configuration.subcommands.filter { $0.configuration.shouldDisplay }

    @Test("each help has at most 40 lines of at most 100 columns, where the terminal has 80")
    func fits() {
        #expect(Self.commands.count == 4)
        for command in Self.commands {
            let text = LabCommand.helpMessage(for: command, columns: 80).trimmingCharacters(in: .newlines)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 40, "\(command._commandName) --help has \(lines.count) lines")
            for line in lines where line.count > 100 { Issue.record("\(command._commandName) --help: \(line)") }
        }
    }

    @Test("each help ends with examples, which are command lines of its command or of one below")
    func examples() throws {
        for command in Self.commands {
            let lines = command.configuration.discussion.split(separator: "\n")
            let heading = try #require(
                lines.lastIndex { $0 == "EXAMPLE" || $0 == "EXAMPLES" }, "\(command._commandName) has no example")
            #expect(heading < lines.count - 1)
            for line in lines[(heading + 1)...] {
                let words = line.split(separator: " ").map(String.init)
                #expect(["throng", "throng-lab"].contains(words[0]))
                let found = type(of: try LabCommand.parseAsRoot(Array(words.dropFirst())))
                #expect(command == LabCommand.self || found == command, "\(line) is an example of \(found)")
            }
        }
    }
}
