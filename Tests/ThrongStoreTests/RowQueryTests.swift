import TestCluster
import Testing

@testable import ThrongStore

@Suite("A row is read as what its query says, or not at all")
struct RowQueryTests {
    /// Answers as many rows of three columns as one likes, of which as many are read as one likes.
    private static func odd(
        _ count: Int64 = 1, _ read: @escaping @Sendable (inout RowReader) throws -> String
    ) -> RowQuery<String> {
        RowQuery(
            "odd.select", Array("select 7::bigint, null::text, 'a'::text from generate_series(1, $1::integer)".utf8),
            .integer(count), row: read)
    }

    @Test("all columns in their order make a row; one too few, one too many, a null or another type make none")
    func shapes() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        func read(_ read: @escaping @Sendable (inout RowReader) throws -> String) async throws -> [String] {
            try await connection.run { try $0.run(Self.odd(1, read)) }
        }
        let all = try await read { "\(try $0.integer()) \(try $0.optionalText() ?? "null") \(try $0.text())" }
        #expect(all == ["7 null a"])
        let wrong: [@Sendable (inout RowReader) throws -> String] = [
            { "\(try $0.integer())" },
            { "\(try $0.integer()) \(try $0.optionalText() ?? "null")" },
            { "\(try $0.integer()) \(try $0.optionalText() ?? "null") \(try $0.text()) \(try $0.text())" },
            {
                "\(try $0.integer()) \(try $0.optionalText() ?? "null") \(try $0.text()) \(try $0.optionalText() ?? "")"
            },
            { "\(try $0.flag()) \(try $0.optionalText() ?? "null") \(try $0.text())" },
            { "\(try $0.integer()) \(try $0.optionalText() ?? "null") \(try $0.value { $0 == "b" ? $0 : nil })" },
        ]
        await #expect(throws: PostgresError.unexpectedNull(query: "odd.select", column: 2, name: "text")) {
            try await read { "\(try $0.integer()) \(try $0.text()) \(try $0.text())" }
        }
        for reader in wrong {
            await #expect(throws: PostgresError.unexpectedAnswer(query: "odd.select")) { try await read(reader) }
        }
    }

    @Test("one row where one is asked for: none and two are not that")
    func one() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        @Sendable func odd(_ count: Int64) -> RowQuery<String> {
            Self.odd(count) { "\(try $0.integer()) \(try $0.optionalText() ?? "null") \(try $0.text())" }
        }
        #expect(try await connection.run { try $0.first(odd(0)) } == nil)
        #expect(try await connection.run { try $0.one(odd(1)) } == "7 null a")
        #expect(try await connection.run { try $0.run(odd(2)) }.count == 2)
        for count in [Int64(0), 2] {
            await #expect(throws: PostgresError.unexpectedAnswer(query: "odd.select")) {
                try await connection.run { try $0.one(odd(count)) }
            }
        }
        await #expect(throws: PostgresError.unexpectedAnswer(query: "odd.select")) {
            try await connection.run { try $0.first(odd(2)) }
        }
    }
}
