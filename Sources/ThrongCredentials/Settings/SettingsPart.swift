internal import Yams

/// A value of an operator's file, with where it stands.
struct SettingsPart {
    private let node: Node
    private let path: String
    /// The name that messages call it by.
    private let name: String

    init(_ node: Node, path: String, name: String) { (self.node, self.path, self.name) = (node, path, name) }

    func problem(_ words: String) -> CredentialSettingsError {
        .wrong(path: path, line: node.mark?.line ?? 1, part: name, words: words)
    }

    /// The members of a mapping, in the order of the text.
    func members() throws(CredentialSettingsError) -> [(String, SettingsPart)] {
        guard let mapping = node.mapping else { throw problem("a mapping is allowed here") }
        var found: [(String, SettingsPart)] = []
        for (key, value) in mapping {
            guard let name = key.string else { throw problem("keys are names") }
            found.append((name, SettingsPart(value, path: path, name: name)))
        }
        return found
    }

    /// The members of a mapping that has these keys and no others.
    func members(of known: [String]) throws(CredentialSettingsError) -> [String: SettingsPart] {
        var found: [String: SettingsPart] = [:]
        for (name, part) in try members() {
            guard known.contains(name) else {
                throw part.problem("no such key; allowed: \(known.joined(separator: ", "))")
            }
            found[name] = part
        }
        return found
    }

    func text() throws(CredentialSettingsError) -> String {
        guard let text = node.scalar?.string, !text.isEmpty else { throw problem("a text is allowed here") }
        return text
    }

    func texts() throws(CredentialSettingsError) -> [String] {
        guard let sequence = node.sequence, !sequence.isEmpty else { throw problem("a list of texts is allowed here") }
        var texts: [String] = []
        for node in sequence { texts.append(try SettingsPart(node, path: path, name: name).text()) }
        return texts
    }

    func file(in folder: String) throws(CredentialSettingsError) -> String {
        let text = try text()
        guard !text.contains("/"), !text.hasPrefix(".") else {
            throw problem("\(name) takes the name of a file in \(folder)")
        }
        return "\(folder)/\(text)"
    }

    func number(_ range: ClosedRange<Int>) throws(CredentialSettingsError) -> Int {
        guard let text = node.scalar?.string, let number = Int(text), range.contains(number) else {
            throw problem("a whole number from \(range.lowerBound) to \(range.upperBound) is allowed here")
        }
        return number
    }
}

/// The reason why a file does not say who vouches for devices.
package enum CredentialSettingsError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreadable(path: String)
    case notYAML(path: String)
    case wrong(path: String, line: Int, part: String, words: String)

    package var description: String {
        switch self {
        case .unreadable(let path): "\(path) can't be read, or is no text of at most 1 MiB"
        case .notYAML(let path): "\(path) is no YAML in which each key stands once"
        case .wrong(let path, let line, let part, let words): "\(path):\(line): \(part): \(words)"
        }
    }
}
