import TestCluster
import Testing

@testable import ThrongStore

@Suite("A pasted query says what the query with parameters says")
struct PastedStatementTests {
    static let hostile = [
        "", "'", "''", "\"", "\\", "\\'", "'; drop schema analyst cascade; --", "$1", "$$", "E'\\''", "%s %I", "{a,b}",
        "{\"a\"}",
        "NULL", "null", "a\nb", "tab\t", "\u{202e}evil", "\u{1}", "日本 Ümläut", "🎉", "e\u{301}", "--", "/* */",
        "\u{feff}=1",
        "<script>", "&amp;", "U&'\\0041'", " ", "\\u0041", "\u{e000}",
    ]

    @Test(
        "any text comes back from PostgreSQL as it went in, as a parameter, a literal, and an array's element",
        arguments: ["on", "off"])
    func values(standard: String) async throws {
        let settings = try await TestCluster.emptyDatabase()
        let connection = Connection(settings)
        try await connection.execute("set standard_conforming_strings = \(standard)")
        for text in Self.hostile {
            let array = PastedStatement.array([text, "other"])
            let query: PastedStatement =
                "select concat_ws('|', \(text, as: "text"), array_position(\(array, as: "text[]"), \(text, as: "text")))"
            let pasted = query.pasted
            #expect(!pasted.contains("\n") && !pasted.contains("\u{202e}"))
            #expect(try await connection.texts(pasted) == ["\(text)|1"])
            let found = try await connection.run { session in
                try session.query(query.statement("test.value")).text(0, 0)
            }
            #expect(found == "\(text)|1")
        }
    }

    @Test("any name is a name")
    func names() async throws {
        let connection = Connection(try await TestCluster.emptyDatabase())
        for name in ["a", "Select", "a b", "\"", "a\"; drop table x; --", "'", "日本", "$1", "*", "a.b"] {
            let query: PastedStatement =
                "select \(name: name) from (select \("seen", as: "text") as \(name: name)) as t"
            #expect(try await connection.texts(query.pasted) == ["seen"])
            #expect(query.statement("test.name").parameters == [.text("seen")])
            #expect(query.statement("test.name").sql.contains(PastedStatement.quoted(name: name)))
        }
    }
}
