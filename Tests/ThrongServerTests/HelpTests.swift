import ArgumentParser
import Foundation
import Testing

@testable import throng

@Suite("Help fits a screen, and shows how")
struct HelpTests {
    private struct Page {
        let words: [String]
        let command: any ParsableCommand.Type

        var name: String { words.joined(separator: " ") }

        /// The examples at the end of its help, each as the words of a command line.
        var examples: [[String]] {
            let lines = command.configuration.discussion.replacing("\\\n", with: "").split(separator: "\n")
            guard let heading = lines.lastIndex(where: { $0 == "EXAMPLE" || $0 == "EXAMPLES" }) else { return [] }
            return lines[(heading + 1)...].map { Self.words(of: $0) }
        }

        /// A shell's words, where only double quotation marks quote and # comments.
        private static func words(of line: Substring) -> [String] {
            var words = [""]
            var isQuoted = false
            for character in line {
                switch character {
                case "\"": isQuoted.toggle()
                case "#" where !isQuoted && words.last == "": return words.filter { !$0.isEmpty }
                case " " where !isQuoted: words.append("")
                default: words[words.count - 1].append(character)
                }
            }
            return words.filter { !$0.isEmpty }
        }
    }

    /// Every command of the tree but those of `throng-lab`, which print their own help.
    private static let pages = pages(of: ThrongCommand.self, below: [])

    private static func pages(of command: any ParsableCommand.Type, below words: [String]) -> [Page] {
        let page = Page(words: words + [command._commandName], command: command)
        let others = ["bench", "conform", "suppress"]
        return [page]
            + command.configuration.subcommands.filter { !others.contains($0._commandName) }
            .flatMap { pages(of: $0, below: page.words) }
    }

    @Test("each command's help has at most 40 lines of at most 100 columns, also where the terminal has 80")
    func fits() {
        #expect(Self.pages.count > 40)
        for page in Self.pages {
            let text = ThrongCommand.helpMessage(for: page.command, columns: 80).trimmingCharacters(in: .newlines)
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            #expect(lines.count <= 40, "\(page.name) --help has \(lines.count) lines")
            for line in lines where line.count > 100 { Issue.record("\(page.name) --help has the line \(line)") }
        }
    }

    @Test("each command's help ends with examples, which are command lines of that command")
    func examples() {
        for page in Self.pages {
            #expect(!page.examples.isEmpty, "\(page.name) --help ends without EXAMPLES")
            for words in page.examples {
                let isItsOwn = words.starts(with: page.words)
                #expect(isItsOwn, "\(page.name) --help has the example of another command: \(words)")
                do {
                    let parsed = try ThrongCommand.parseAsRoot(Array(words.dropFirst()))
                    // It may be one of a command of this command.
                    let found = type(of: parsed)
                    #expect(
                        Self.pages.contains { $0.command == found && $0.words.starts(with: page.words) },
                        "\(words) is an example of \(found)")
                } catch {
                    Issue.record("\(page.name) --help: \(words): \(ThrongCommand.message(for: error))")
                }
            }
        }
    }

    @Test("the help of serve names each of its settings, or where they are")
    func settings() {
        let text = ThrongCommand.helpMessage(for: ServeCommand.self, columns: 80).replacing("\n", with: " ")
        for setting in Setting.all {
            let isNamed = setting.option.map { text.contains($0) } ?? text.contains("`throng doctor --show`")
            #expect(isNamed, "\(setting.key)")
        }
    }
}
