import ArgumentParser
import Foundation
import ThrongPlan
import Yams

/// A file of settings: YAML, a mapping whose keys are those of ``Setting``, a level a dot.
///
///     plan: [/etc/throng/shop.yaml]
///     listen: unix:/run/throng/clients
///     intake:
///       idle-seconds: 90
///       origins: [https://shop.example, https://www.shop.example]
///
/// Its faults are told all at once, each with its line.
struct SettingsFile: Sendable {
    struct Entry: Sendable, Hashable {
        let texts: [String]
        let line: Int
    }

    let path: String
    let entries: [String: Entry]
    /// The parts of it that can't be used, a sentence each.
    let problems: [String]

    /// The path at which it is looked for if nobody names one.
    static let standardPath = "/etc/throng/throng.yaml"
    /// The variable that names one, also to the commands that have no `--config`.
    static let variable = "THRONG_CONFIG"
    /// Unit: bytes.
    private static let longest = 1 << 20

    /// The file that an option names, else the environment, else the one of the machine if it is there.
    ///
    /// - Parameter option: what `--config` says.
    /// - Throws: `ValidationError` for one that is named and can't be read.
    static func find(_ option: String?, environment: [String: String]) throws -> SettingsFile? {
        guard let path = option ?? environment[variable] else {
            return FileManager.default.fileExists(atPath: standardPath) ? try SettingsFile(path: standardPath) : nil
        }
        return try SettingsFile(path: path)
    }

    /// Reads a file.
    ///
    /// - Throws: `ValidationError` where it can't be read, or is no text of at most 1 MiB.
    init(path: String) throws {
        let bytes: Data
        do {
            // Also of a device: /dev/null is a file that says nothing.
            let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
            bytes = try file.read(upToCount: Self.longest + 1) ?? Data()
        } catch {
            throw ValidationError(
                "\(path): there is no such file, or this user can't read it. --config or \(Self.variable) names another."
            )
        }
        guard bytes.count <= Self.longest, let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("\(path) is no text of at most 1 MiB in UTF-8.")
        }
        self.init(text, path: path)
    }

    init(_ text: String, path: String) {
        self.path = path
        var reading = Reading(path: path)
        do {
            // Anchors are the parser's.
            let parser = try Parser(yaml: text, resolver: .basic)
            try withExtendedLifetime(parser) { if let root = try parser.singleRoot() { reading.read(root, below: "") } }
        } catch YamlError.duplicatedKeysInMapping(let names, let context) {
            reading.refuse(context.mark.line, "", "\(names.first ?? "a key") is written twice; keep one")
        } catch YamlError.scanner(_, let problem, let mark, _), YamlError.parser(_, let problem, let mark, _) {
            reading.refuse(mark.line, "", "this is no YAML: \(problem)")
        } catch { reading.refuse(1, "", "this is no YAML that can be read") }
        entries = reading.entries
        problems = reading.problems
    }

    private struct Reading {
        let path: String
        var entries: [String: Entry] = [:]
        var problems: [String] = []

        mutating func refuse(_ line: Int, _ key: String, _ words: String) {
            let end = words.hasSuffix("?") ? "" : "."
            problems.append("\(path):\(line): " + (key.isEmpty ? "" : "\(key): ") + words + end)
        }

        mutating func read(_ node: Node, below parent: String) {
            let line = node.mark?.line ?? 1
            // A file of comments alone says nothing.
            if parent.isEmpty, node.scalar?.string.isEmpty == true { return }
            guard let mapping = node.mapping else {
                return refuse(
                    line, parent, "found \(Self.name(node)); keys with values are allowed here, such as listen: :8080")
            }
            for (keyNode, value) in mapping {
                let line = keyNode.mark?.line ?? line
                guard let name = keyNode.scalar?.string else {
                    refuse(line, parent, "a key is a name")
                    continue
                }
                let key = parent.isEmpty ? name : "\(parent).\(name)"
                if let setting = Setting.named(key) {
                    take(value, setting, line)
                } else if Setting.all.contains(where: { $0.key.hasPrefix(key + ".") }) {
                    read(value, below: key)
                } else {
                    refuse(line, key, Self.unknown(key, below: parent))
                }
            }
        }

        private static func unknown(_ key: String, below parent: String) -> String {
            if let near = NearestName.nearest(to: key, among: Setting.all.map(\.key)) {
                return "there is no such setting; did you mean \(near)?"
            }
            let prefix = parent.isEmpty ? "" : parent + "."
            var names: [String] = []
            for setting in Setting.all where setting.key.hasPrefix(prefix) {
                let name = String(setting.key.dropFirst(prefix.count).prefix { $0 != "." })
                if !names.contains(name) { names.append(name) }
            }
            return "there is no such setting; allowed here: \(names.joined(separator: ", "))"
        }

        private mutating func take(_ node: Node, _ setting: Setting, _ line: Int) {
            let scalar = node.scalar?.string
            let (texts, allowed): ([String?], String) =
                switch setting.kind {
                case .number(let unit, let lowest, let highest):
                    (
                        [scalar.flatMap { Int($0) }.map { (lowest...highest).contains($0) } == true ? scalar : nil],
                        "a whole number of \(unit) from \(lowest) to \(highest)"
                    )
                case .choice(let known): ([known.first { $0 == scalar }], "one of \(known.joined(separator: ", "))")
                case .text, .path, .connection: ([Self.text(node)], "a text on one line")
                case .paths, .words:
                    (node.sequence.map { $0.map(Self.text) } ?? [Self.text(node)], "a text, or a list of texts,")
                }
            let found = texts.compactMap { $0 }
            guard !found.isEmpty, found.count == texts.count else {
                // A value that may hold a password is not repeated.
                let isSecret = if case .connection = setting.kind { true } else { false }
                let name = isSecret ? "something else" : Self.name(node)
                return refuse(line, setting.key, "found \(name); \(allowed) is allowed here")
            }
            entries[setting.key] = Entry(texts: found, line: line)
        }

        private static func text(_ node: Node) -> String? {
            guard let text = node.scalar?.string, !text.isEmpty, !text.contains(where: \.isNewline) else { return nil }
            return text
        }

        private static func name(_ node: Node) -> String {
            if let text = node.scalar?.string {
                return text.isEmpty ? "nothing" : "'\(AddressText.shown(text).prefix(60))'"
            }
            return node.sequence == nil ? "a mapping" : "a list"
        }
    }
}
