import Foundation

/// A file in Schema/queries as it lies in the tree, and what its header says.
struct QueryFile: Sendable {
    /// Its name without the ending.
    let name: String
    /// Its comment's lines, without the hyphens.
    let header: [String]
    /// What follows its comment.
    let body: String

    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    static func all() throws -> [QueryFile] {
        let folder = repository.appending(path: "Schema/queries")
        return try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().map { file in
            QueryFile(
                name: String(file.dropLast(4)),
                text: try String(contentsOf: folder.appending(path: file), encoding: .utf8))
        }
    }

    /// The names of all queries that the program has, in the order of their files in Sources/ThrongStore.
    static func used() throws -> [String] {
        let names = Dictionary(uniqueKeysWithValues: try all().map { ($0.resource, $0.name) })
        return try sources().matches(of: /(?:Statement|Query)\(\s*([a-z_]+)_sql[,)]/).map {
            names[String($0.output.1)] ?? "no file is \($0.output.1)"
        }
    }

    /// The names of those that a function asks: all but texts to copy or to run as they stand.
    static func asked() throws -> Set<String> {
        let plain = try sources().matches(of: /static let [A-Za-z]+ = Statement\(\s*([a-z_]+)_sql/)
        let resources = Set(plain.map { String($0.output.1) })
        let kept = try all().filter { !resources.contains($0.resource) }.map(\.name)
        return Set(try used()).intersection(kept)
    }

    private static func sources() throws -> String {
        let folder = repository.appending(path: "Sources/ThrongStore")
        let paths = FileManager.default.enumerator(atPath: folder.path)?.compactMap { $0 as? String } ?? []
        return try paths.filter { $0.hasSuffix(".swift") }.sorted().map {
            try String(contentsOf: folder.appending(path: $0), encoding: .utf8)
        }.joined()
    }

    init(name: String, text: String) {
        self.name = name
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let comment = lines.prefix { $0.hasPrefix("-- ") }
        header = comment.map { String($0.dropFirst(3)) }
        body = lines.dropFirst(comment.count).joined(separator: "\n")
    }

    /// The highest `$n` in the query. Unit: parameters.
    var parameters: Int { body.matches(of: /\$([0-9]+)/).compactMap { Int($0.output.1) }.max() ?? 0 }

    /// The constant that it is built in as, without the ending.
    var resource: String { name.replacing(".", with: "_") }

    /// What is wrong with its header; empty where nothing is.
    var faults: [String] {
        var faults: [String] = []
        let said = header.prefix { !$0.hasPrefix("$") && !$0.hasPrefix("Returns: ") }
        if said.isEmpty || said.last?.hasSuffix(".") != true { faults.append("begin with a sentence of what it does") }
        let rest = header.dropFirst(said.count).filter { !$0.hasPrefix("    ") }
        let named = rest.dropLast().map { String($0.prefix { $0 != " " }) }
        let used = Set(body.matches(of: /\$[0-9]+/).map { String($0.output) })
        let wanted = (1...max(parameters, 1)).map { "$\($0)" }.prefix(parameters)
        if used != Set(wanted) { faults.append("number parameters from $1 without a gap; found \(used.sorted())") }
        if named != Array(wanted) {
            faults.append("name \(wanted.joined(separator: ", ")), a line each; found \(named)")
        }
        let form =
            /\$[0-9]+ [a-z ]+: (text|integer|bigint|smallint|boolean|bytea|uuid|numeric|json|integer\[\]|bigint\[\]).*/
        for line in rest.dropLast() where line.wholeMatch(of: form) == nil {
            faults.append("'\(line)' is not '$n name: type, unit; remarks.'")
        }
        if rest.last?.hasPrefix("Returns: ") != true { faults.append("end with what comes back") }
        return faults
    }
}
