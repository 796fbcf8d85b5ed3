import Foundation
import Testing

@Suite("Every query says what it does, what it takes and what comes back")
struct QueryHeaderTests {
    @Test("every file in Schema/queries has a header that names each parameter with its type, and what comes back")
    func headers() throws {
        let files = try QueryFile.all()
        #expect(files.count > 100)
        for file in files { #expect(file.faults.isEmpty, "\(file.name): \(file.faults.joined(separator: "; "))") }
    }

    @Test(
        "a header that lacks a sentence, a parameter, a type or what comes back is found",
        arguments: [
            "select $1;", "-- Reads.\nselect $1;", "-- Reads.\n-- $1 app: text.\nselect $1;",
            "-- Reads.\n-- Returns: app.\nselect $1;", "-- Reads.\n-- $1 app.\n-- Returns: app.\nselect $1;",
            "-- Reads.\n-- $1 app: text.\n-- $2 now: bigint.\n-- Returns: app.\nselect $1;",
            "-- Reads.\n-- $2 app: text.\n-- Returns: app.\nselect $2;",
            "-- $1 app: text.\n-- Returns: app.\nselect $1;",
        ])
    func control(text: String) {
        #expect(!QueryFile(name: "broken", text: text).faults.isEmpty)
    }

    @Test("every file in Schema/queries is a query of the program")
    func used() throws {
        #expect(try QueryFile.used().sorted() == QueryFile.all().map(\.name))
    }
}
