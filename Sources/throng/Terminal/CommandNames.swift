import ArgumentParser
import ThrongPlan

/// The names of commands, to say which one somebody meant.
enum CommandNames {
    /// The problem with the words behind the program's name, where one of them should be a command and is none; nil otherwise.
    static func problem(in words: some Collection<String>, of root: any ParsableCommand.Type) -> String? {
        var command = root
        var path = [root._commandName]
        for word in words {
            let children = command.configuration.subcommands
            guard !children.isEmpty, command.configuration.defaultSubcommand == nil, !word.hasPrefix("-"),
                word != "help"
            else { return nil }
            let named = children.map { ($0._commandName, $0) }
            guard let (name, child) = named.first(where: { $0.0 == word }) else {
                let nearest = NearestName.nearest(to: word, among: named.map(\.0))
                let meant = nearest.map { "; did you mean `\((path + [$0]).joined(separator: " "))`?" } ?? "."
                return
                    "There is no command '\(word.prefix(60))'\(meant) `\(path.joined(separator: " ")) --help` lists all."
            }
            command = child
            path.append(name)
        }
        return nil
    }
}
