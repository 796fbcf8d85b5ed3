import Crypto
import Foundation
import Testing

@Suite("The schema: what has landed never changes, one query a file")
struct SchemaTests {
    /// SHA-256 of every migration that has landed: it is in people's databases.
    private static let landed = [
        "0001.schema.sql": "9c52d966428adc701a6ac1aefe61329b15b20923c462febd21bce2c23d9c67fd"
    ]

    private let migrations = House.files(under: "Schema").filter { !$0.contains("/queries/") && $0.hasSuffix(".sql") }
    private let queries = House.files(under: "Schema/queries")

    @Test("a migration that has landed is as it was, byte for byte")
    func checksums() throws {
        var left = Set(Self.landed.keys)
        for path in migrations {
            let name = String(path.dropFirst("Schema/".count))
            let hash = SHA256.hash(data: Data(try House.text(path).utf8)).map { byte in
                String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
            }.joined()
            left.remove(name)
            guard let known = Self.landed[name] else {
                Issue.record("a migration lands: paste \"\(name)\": \"\(hash)\",")
                continue
            }
            #expect(hash == known, "\(path) was changed after it had landed; write another migration")
        }
        #expect(left.isEmpty, "these have landed and are gone")
    }

    @Test("migrations are numbered from 1 without a gap, and the migrator knows each")
    func numbers() throws {
        let list = try House.text("Sources/ThrongStore/Migrations/Migrator.swift")
        for (place, path) in migrations.enumerated() {
            let name = path.dropFirst("Schema/".count)
            #expect(Int(name.prefix(4)) == place + 1, "\(path)")
            #expect(list.contains("\"\(name)\""), "Migrator.swift does not list \(name)")
            let lines = try House.text(path).split(separator: "\n", omittingEmptySubsequences: false).count
            #expect(lines <= 3201, "\(path) has \(lines) lines: nobody reads more")
        }
    }

    @Test("a query is one statement in a file table.verb.sql, keywords in lower case, and somebody asks it")
    func oneQuery() throws {
        #expect(queries.count > 100)
        let swift = House.sources.flatMap { $0.tokens.filter { $0.kind == .word }.map(\.text) }
        let words = Set(swift)
        for path in queries {
            let name = String(path.dropFirst("Schema/queries/".count))
            let parts = name.split(separator: ".")
            let isNamed = parts.count == 3 && parts[2] == "sql" && parts[0].allSatisfy { $0.isLowercase || $0 == "_" }
            #expect(isNamed, "\(path) is not named table.verb.sql")
            let code = Self.code(try House.text(path))
            // What makes tables makes several that belong together.
            let isOne = code.split(separator: ";").count == 1 || parts[1] == "create"
            #expect(isOne, "\(path) holds more than one statement")
            let shouted = ["SELECT", "INSERT", "UPDATE", "DELETE", "FROM", "WHERE", "VALUES", "AND", "ON"]
            let found = code.split { !$0.isLetter }.filter { shouted.contains(String($0)) }
            #expect(found.isEmpty, "\(path) shouts \(found.joined(separator: ", "))")
            #expect(words.contains(name.replacing(".", with: "_")), "nothing asks \(path)")
        }
    }

    @Test("a query collects by array(select …), which is empty where nothing is: an aggregate of no rows is null")
    func collections() throws {
        for path in queries {
            let code = Self.code(try House.text(path))
            for match in code.matches(of: /(?:string|array|jsonb?|jsonb?_object)_agg\(/) {
                // A group has a row at least.
                let isGrouped = Self.rest(of: code[match.range.upperBound...], depth: 1).contains("group by")
                #expect(isGrouped, "\(path) collects what may be nothing; use array(select …)")
            }
        }
        #expect(!Self.rest(of: "a) from b) group by c", depth: 1).contains("group by"))
        #expect(Self.rest(of: "a) from b group by c", depth: 1).contains("group by"))
    }

    /// What follows in the same select, outside of parentheses.
    private static func rest(of code: Substring, depth: Int) -> String {
        var (depth, rest) = (depth, "")
        for letter in code {
            if letter == "(" { depth += 1 }
            if letter == ")" { depth -= 1 }
            if depth < 0 { break }
            if depth == 0 { rest.append(letter) }
        }
        return rest
    }

    /// A statement without comments and what stands in quotes, trimmed.
    private static func code(_ text: String) -> String {
        let lines = text.split(separator: "\n").map { $0.split(separator: "--", omittingEmptySubsequences: false)[0] }
        let parts = lines.joined(separator: "\n").split(separator: "'", omittingEmptySubsequences: false)
        return stride(from: 0, to: parts.count, by: 2).map { parts[$0] }.joined(separator: "''")
            .trimmingCharacters(in: .whitespacesAndNewlines)
    }
}
