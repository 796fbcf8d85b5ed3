import ArgumentParser
import ThrongPlan

/// Refuses an address where the command line takes a path: taken for a folder of that name, it would be made here.
enum LocalPaths {
    /// Options whose values may be addresses, or anybody's words.
    private static let others: Set = ["--database", "--advertise", "--note", "--name"]
    /// Commands whose `--to` is a daemon's address, and one that takes the words of another program.
    private static let (senders, runners) = (Set(["replay", "bench"]), Set(["conform"]))

    static func problem(in words: some Collection<String>) -> String? {
        let command = words.first ?? ""
        guard !runners.contains(command) else { return nil }
        var option: String?
        for word in words {
            var (place, value) = (option, word[...])
            option = nil
            if word.hasPrefix("--") {
                guard let sign = word.firstIndex(of: "=") else {
                    option = word
                    continue
                }
                (place, value) = (String(word[..<sign]), word[word.index(after: sign)...])
            }
            if let place, others.contains(place) || place == "--to" && senders.contains(command) { continue }
            if let problem = AddressText.problem(ofPath: value) { return "\(place ?? "The command line"): \(problem)." }
        }
        return nil
    }
}

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
