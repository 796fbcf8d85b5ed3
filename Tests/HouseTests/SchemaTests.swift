import Crypto
import Foundation
import Testing

@Suite("The schema: what has landed never changes, one query a file")
struct SchemaTests {
    /// SHA-256 of every migration that has landed: it is in people's databases.
    private static let landed = [
        "0001.initial.sql": "90bdc09ecc3f20ec474e8a37b9814fdbc96a426f73daf226376068297e668508",
        "0002.functions.sql": "72f3f5e0c2de2a54f9aa107392e3de8f60f6bce5043c1b0b2cee15b7bba409d0",
        "0003.top_contribution.sql": "c0f32b35b3ed077a6121592fb2cfe028454dd72d3859cbb8a1d889ded8673703",
        "0004.ledger.sql": "c89fe433d2340ee27f91d8baad3c8a45190d1203be60f789b5d3ec5977b9e551",
        "0005.noise.sql": "1c20baa640a76423581e37ebcf385e500a0cfb8af9f9c5e0963ad36efc87ae79",
        "0006.tied.sql": "47a1cff3ffddfd6ef880d3fcd45e1c5195cd543a2604d97d3f80b584fe45a3d0",
        "0007.fence.sql": "5227e1fea6b638fd12ef7a1b42479d91c852df0ae917644a32415a3ff9754b66",
        "0008.firsts.sql": "7bc01f0a91ae84e12a881396c6676f886d5f7abf2f69d9d7700e3100c8d5df0b",
        "0009.revealed.sql": "8de7703e15e603ed4683de773deb4c86d25596532ac0cbdacb520d30ccf4ffb2",
        "0010.analysts.sql": "b0cb7c5d222545e71fa7e61f4c3c90260a38a53d679b8b9d3f0100d0a5b17c85",
        "0011.delivery.sql": "3c66429554f332b11a31e0acebb943c1987d80023eb01569363c12d4cd80c12e",
        "0012.portal.sql": "4d65d4ae82fdaac54a9422248c71952076d7cfef7759e0141ece99672a0455e1",
        "0013.explorer.sql": "92bd9061d5a6ec236b2ea75eafacca3531273ca5b1699997c54bc75dfaaaf322",
        "0014.identifiers.sql": "fba6e3a0af91c279067d64a73f1db0a1afce92d61dd6a9fabea7e2b466188f4c",
        "0015.terms_and_kinds.sql": "854d592d80f31867a71298def886649e49fc3afac18ec034f0cea621d58bb708",
        "0016.lease.sql": "ab86f830e1cbb84ce9824d7432d0e6c9534ec647f763558ee2cae6af5244de6f",
        "0017.clock_age_settling.sql": "7170a70d64498cef00b78584fe19189442a29dca07f2c88b3560a8534a9d4a6a",
        "0018.window_closing.sql": "e30850efe50aaf99f6fcd06ac572a1b8187a0ba14a1dd5a6ebc0b5f830989b38",
        "0019.frozen_terms.sql": "656412911e52f358f4d66dd31d9ad7405f129830fea22b2fa2872ab093bd8fe4",
        "0020.origins.sql": "7560a6a29edc302b4cdd830d46ddbab2b5bedc55bb7dbb4ccc6602ff9106a110",
        "0021.shown_rows.sql": "a05bf779953bcf7f49228624940ead8ef1b4f9d0eaeafdab026133f02108982d",
        "0022.left_out.sql": "c0936b8bc5c5e6572b4661b50a1c8522edc19bf9c9ae15d8fedf460cb59255c8",
        "0023.promises.sql": "6b53e18609eff27e11df535cc7c78e7739e99ddaa0b8253df4d806918a7c4180",
        "0024.removals.sql": "70638a864cc59d48c315f2784601269a351c220ff6ec557f9e9755d88e22d8a4",
        "0025.app_deletion.sql": "8452021f694fb324732d81ba91f8967fda8653b63847cb5fecf073a3c31e1699",
        "0026.backup_keys.sql": "a4cead502cd4fc8de24de2781dd5b7218bdcfb6932f44e940a6b31e05dfabdc8",
        "0027.recipients_and_copies.sql": "41a0c3941ab819d99b5611c3ce0ecc310dc48d6733f7f4872620bad98527b9ae",
        "0028.pruning.sql": "d3e96898271ad87e0ce210ca703d858ecec8388cc544d1405bcf9ef51952015e",
        "0029.proved_firsts.sql": "83849744bd25d08258ac62d9d6be3228bd7ae8f351a8bf7e9bebbf54bd31de70",
        "0030.evaluated.sql": "dd2a747d109358c6575bd0e62cd91b100369abcbd60ea1083215a3a50edfaad8",
        "0031.members.sql": "fe048dd39c843c1c253d3e754db249ad9aaf5de06c8d93217e21cbc3229c9a2f",
        "0032.distributed.sql": "25d28f2e799fc509f879c3e6778abb1d2b4537980c6fef8f9299f6f57c5f2ec5",
        "0033.plan_in_force.sql": "623a2cc9e7dfe35bf516643e78a4a013f3386bd737a9218e0b05b599994c8cad",
        "0034.owing.sql": "452aadb316036c1641a274141c06b7fef99eef0b64d5e1bac4f98a0347924b30",
        "0035.owed_until.sql": "9837817c1fbbe8855983078c218814df247322afb373d6a311993aaad4767057",
        "0036.margins.sql": "54b8df4e5b4143ec5aedb4f34727569d3b8e514e0c24f77dd8651695cc9b45a0",
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
        let list = try House.text("Sources/ThrongStore/Migrations/Migration.swift")
        for (place, path) in migrations.enumerated() {
            let name = path.dropFirst("Schema/".count)
            #expect(Int(name.prefix(4)) == place + 1, "\(path)")
            #expect(list.contains("\"\(name)\""), "Migration.swift does not list \(name)")
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
        var seen = 0
        for path in queries {
            let code = Self.code(try House.text(path))
            for match in code.matches(of: /(?:string|array|jsonb?|jsonb?_object)_agg\(/) {
                seen += 1
                // A group has a row at least.
                let isGrouped = Self.rest(of: code[match.range.upperBound...], depth: 1).contains("group by")
                #expect(isGrouped, "\(path) collects what may be nothing; use array(select …)")
            }
        }
        #expect(seen > 0 && !Self.rest(of: "a) from b) group by c", depth: 1).contains("group by"))
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
