import TestCluster
import Testing

@testable import ThrongStore

@Suite("A row is read as what its query says, or not at all")
struct RowQueryTests {
    /// Answers as many rows of three columns as one likes, of which as many are read as one likes.
    private static func odd<each Value: ColumnValue>(
        _ count: Int64 = 1, _ row: @escaping @Sendable (repeat each Value) throws -> String
    ) -> RowQuery<String> {
        RowQuery(
            Array("-- odd.select\nselect 7::bigint, null::text, 'a'::text from generate_series(1, $1::integer)".utf8),
            count, row: row)
    }

    private enum Other: String, ColumnValue {
        case second = "b"
    }

    @Test("all columns in their order make a row; one too few, one too many, a null or another type make none")
    func shapes() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        let all = Self.odd { (number: Int64, nothing: String?, text: String) in "\(number) \(nothing ?? "null") \(text)"
        }
        #expect(try await connection.run(all) == ["7 null a"])
        let wrong = [
            Self.odd { (_: Int64) in "" },
            Self.odd { (_: Int64, _: String?) in "" },
            Self.odd { (_: Int64, _: String?, _: String, _: String) in "" },
            Self.odd { (_: Int64, _: String?, _: String, _: String?) in "" },
            Self.odd { (_: Bool, _: String?, _: String) in "" },
            Self.odd { (_: Int64, _: String?, _: Other) in "" },
        ]
        await #expect(throws: PostgresError.unexpectedNull(query: "odd.select", column: 2, name: "text")) {
            try await connection.run(Self.odd { (_: Int64, _: String, _: String) in "" })
        }
        for query in wrong {
            await #expect(throws: PostgresError.unexpectedAnswer(query: "odd.select")) {
                try await connection.run(query)
            }
        }
    }

    @Test("one row where one is asked for: none and two are not that")
    func one() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        @Sendable func odd(_ count: Int64) -> RowQuery<String> {
            Self.odd(count) { (number: Int64, nothing: String?, text: String) in
                "\(number) \(nothing ?? "null") \(text)"
            }
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
