import Foundation
import Testing
import ThrongPlan
import ThrongReport

/// Readers that know nothing of Throng: Python's csv module and the jsonschema package.
@Suite("other programs read a report")
struct ForeignReaderTests {
    /// Runs a Python program with text on its standard input.
    static func python(
        _ program: String, _ input: String, _ arguments: [String] = []
    ) throws -> (status: Int32, text: String) {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["python3", "-c", program] + arguments
        let (stdin, stdout) = (Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = FileHandle.nullDevice
        try process.run()
        // Reports of the fixture are larger than a pipe's buffer: write beside reading.
        let writer = Thread {
            stdin.fileHandleForWriting.write(Data(input.utf8))
            stdin.fileHandleForWriting.closeFile()
        }
        writer.start()
        let output = stdout.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return (process.terminationStatus, String(decoding: output, as: UTF8.self))
    }

    static func has(_ module: String) -> Bool { (try? python("import \(module)", ""))?.status == 0 }

    @Test("Python's csv module finds a rectangular table with every label as it was", .enabled(if: has("csv")))
    func csv() throws {
        var shop = Shop()
        shop.devices[0] = "a,\"b\"\r\nc;d"
        shop.regions[1] = "=1+1"
        let program = """
            import csv, json, sys
            rows = list(csv.reader(sys.stdin.buffer.read().decode().splitlines(keepends=True), strict=True))
            json.dump(rows, sys.stdout)
            """
        let result = try Self.python(program, shop.document.csv)
        #expect(result.status == 0)
        let rows = try #require(try JSONSerialization.jsonObject(with: Data(result.text.utf8)) as? [[String]])
        #expect(Set(rows.map(\.count)) == [20])
        #expect(rows.contains { $0[2] == "a,\"b\"\r\nc;d" })
        #expect(rows.contains { $0[3] == "'=1+1" })
        let tables = shop.document.answers.compactMap(\.answered?.table)
        let rests = tables.count { $0.rest?.quantity != nil }
        let wholes = tables.count { $0.whole != nil }
        #expect(rows.count == 1 + tables.map(\.rows.count).reduce(0, +) + rests + wholes)
    }

    @Test("the JSON is what its schema says", .enabled(if: has("jsonschema")))
    func schema() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let schema = root.appending(path: "Schema/report.schema.json").path()
        let program = """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            jsonschema.Draft202012Validator(schema).validate(json.load(sys.stdin))
            """
        let shop = Shop()
        let empty = ReportDocument(plan: shop.plan, report: shop.report, period: Shop.period, releases: [])
        var sampled = Course()
        sampled.weeks = sampled.weeks.map { week in
            var week = week
            week?.sampling = 0.25
            return week
        }
        for json in [
            shop.document.json, empty.json, InjectionTests.shop("<\"\u{301}").document.json, Course().document.json,
            sampled.document.json, try Till().document.json,
        ] {
            #expect(try Self.python(program, json, [schema]).status == 0)
        }
        let broken = shop.document.json.replacingOccurrences(of: "\"withheld\",\n", with: "\"small\",\n")
        #expect(broken != shop.document.json)
        #expect(try Self.python(program, broken, [schema]).status != 0)
    }
}
