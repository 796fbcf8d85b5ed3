import Foundation
import Testing
import ThrongPlan
import ThrongSchedule

@testable import ThrongReport

@Suite("a workbook has the numbers of the JSON as numbers, and labels as texts")
struct WorkbookTests {
    /// A workbook as Python's zipfile and ElementTree read it.
    struct Read: Decodable {
        let name: String
        let isRightToLeft: Bool
        let frozen: Int
        let rows: [[Cell]]

        /// One of the two, or none.
        struct Cell: Decodable, Equatable {
            var text: String?
            var number: Double?
            let format: String

            var isEmpty: Bool { text == nil && number == nil }
        }
    }

    private static let reader = """
        import base64, io, json, re, sys, zipfile
        from xml.etree import ElementTree
        M = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
        book = zipfile.ZipFile(io.BytesIO(base64.b64decode(sys.stdin.read())))
        part = lambda name: ElementTree.fromstring(book.read(name))
        texts = ["".join(t.text or "" for t in s.iter(M + "t")) for s in part("xl/sharedStrings.xml")]
        styles = part("xl/styles.xml")
        own = {f.get("numFmtId"): f.get("formatCode") for f in styles.iter(M + "numFmt")}
        formats = [own.get(x.get("numFmtId"), x.get("numFmtId")) for x in styles.find(M + "cellXfs")]
        column = lambda place: sum(26 ** i * (ord(c) - 64) for i, c in enumerate(reversed(re.match("[A-Z]+", place)[0])))
        sheets = []
        for number, sheet in enumerate(part("xl/workbook.xml").iter(M + "sheet"), 1):
            page = part(f"xl/worksheets/sheet{number}.xml")
            rows = []
            for row in page.iter(M + "row"):
                while len(rows) < int(row.get("r")): rows.append([])
                for cell in row:
                    while len(rows[-1]) < column(cell.get("r")): rows[-1].append({"format": ""})
                    assert cell.find(M + "f") is None
                    value, found = cell.find(M + "v"), {"format": formats[int(cell.get("s", 0))]}
                    if value is not None:
                        found |= {"text": texts[int(value.text)]} if cell.get("t") == "s" else {"number": float(value.text)}
                    rows[-1][-1] = found
            pane = page.find(f".//{M}pane")
            sheets.append({"name": sheet.get("name"), "rows": rows, "frozen": 0 if pane is None else int(pane.get("ySplit")),
                "isRightToLeft": page.find(f".//{M}sheetView").get("rightToLeft") == "1"})
        json.dump(sheets, sys.stdout)
        """

    static func read(_ workbook: [UInt8]) throws -> [Read] {
        let result = try ForeignReaderTests.python(reader, Data(workbook).base64EncodedString())
        try #require(result.status == 0)
        return try JSONDecoder().decode([Read].self, from: Data(result.text.utf8))
    }

    private static func document(_ name: String) throws -> ReportDocument {
        switch name {
        case "shop": Shop().document
        case "course": Course().document
        case "till": try Till().document
        default: try Kitchen().document
        }
    }

    /// All numbers that JSON has under some keys, in no order.
    private static func numbers(_ value: Any?, _ keys: Set<String>) -> [Double] {
        switch value {
        case let object as [String: Any]:
            object.flatMap { key, value in
                keys.contains(key) ? [(value as? NSNumber)?.doubleValue].compactMap { $0 } : numbers(value, keys)
            }
        case let array as [Any]: array.flatMap { numbers($0, keys) }
        default: []
        }
    }

    @Test(
        "every number that the page's table shows is that of the JSON, and no other is there but margins and shares",
        arguments: ["shop", "course", "till", "kitchen"])
    func numbers(name: String) throws {
        let document = try Self.document(name)
        let json = try #require(
            try JSONSerialization.jsonObject(with: Data(document.json.utf8)) as? [String: Any])
        let insights = try #require(json["insights"] as? [[String: Any]])
        let read = try Self.read(document.workbook().contents)
        #expect(read.map(\.name) == document.sheets.map(\.name) && read.count == insights.count + 1)
        for (sheet, (insight, answer)) in zip(read.dropFirst(), zip(insights, document.answers)) {
            guard let answered = answer.answered else { continue }
            let parts: [String] =
                switch answered.view {
                case .table, .ranking: ["rows", "rest", "whole"]
                case .change: ["rows", "comparisons"]
                case .funnel: ["rows"]
                case .trend: ["points"]
                }
            let shown = parts.map { insight[$0] ?? [] }
            // A share's change is told in points alone.
            let keys: Set = ["value", "difference", "low", "high", answer.unit == "share" ? "value" : "relative"]
            var expected = Self.numbers(shown, keys)
            let terms = Self.numbers(shown, ["numerator", "denominator"])
            let heads = sheet.rows[sheet.frozen - 1].map { $0.text ?? "" }
            let rows = sheet.rows.dropFirst(sheet.frozen)
            for (head, cell) in rows.flatMap({ zip(heads, $0) }) where !head.hasSuffix("within") {
                guard let number = cell.number else { continue }
                if let place = expected.firstIndex(of: number) {
                    expected.remove(at: place)
                } else {
                    #expect(terms.contains(number) || head == "Share", "\(sheet.name), \(head): \(number)")
                }
            }
            #expect(expected.isEmpty, "\(sheet.name) lacks \(expected)")
            let withheld = rows.joined().count { $0.text == Withheld.marker }
            #expect(withheld > 0 || answered.table.withheldRows == 0 || answered.view.isRanking)
        }
    }

    @Test("labels that spreadsheets take for dates, numbers and formulas stay texts, and a withheld number is a word")
    func texts() throws {
        var shop = Shop()
        let labels: [BucketLabel] = ["17.10", "4-8", "00012", "1E5", "=1+1"]
        shop.devices = labels
        shop.views[4] = [(9, 4), (2, 1), (0, 0), (1, 1), (0, 0)]
        let document = shop.document
        let sheet = try #require(Self.read(document.workbook().contents).first { $0.name == "Product views by device" })
        let table = sheet.rows.dropFirst(sheet.frozen)
        let firsts = table.prefix(labels.count).map { $0.first }
        #expect(firsts.map { $0?.text } == labels.map(\.text) && firsts.allSatisfy { $0?.format == "@" })
        #expect(sheet.rows[sheet.frozen - 1].map(\.text) == ["Device", "Actions", "Share", "19 of 20 within"])
        let figures = try #require(document.answers.first { $0.insight.name == "views_by_device" }?.answered).table.rows
        #expect(figures.contains { $0.figure == .withheld } && figures.contains { $0.figure.quantity != nil })
        for (row, figure) in zip(table, figures.map(\.figure)) {
            let cells = row.dropFirst()
            guard let quantity = figure.quantity else {
                #expect(cells.first?.text == Withheld.marker && cells.allSatisfy { $0.number == nil })
                continue
            }
            #expect(cells.first?.number == quantity.approximate && cells.last?.number == 28)
        }
    }

    @Test("two runs make the same bytes, and no time is in them but the period's end")
    func sameBytes() throws {
        let first = try Shop().document.workbook()
        #expect(try Shop().document.workbook() == first)
        let program = """
            import base64, io, sys, zipfile
            book = zipfile.ZipFile(io.BytesIO(base64.b64decode(sys.stdin.read())))
            assert {file.date_time for file in book.infolist()} == {(1980, 1, 1, 0, 0, 0)}
            assert book.read("docProps/core.xml").decode().count(f">{sys.argv[1]}<") == 2
            """
        let end = Instant.text(Shop.period.end)
        #expect(try ForeignReaderTests.python(program, Data(first.contents).base64EncodedString(), [end]).status == 0)
        let files = try ReportFiles(of: Shop().document, formats: [.xlsx], made: [first]).all
        #expect(
            files.map(\.name) == ["weekly_shop-2026-W47.xlsx"] && files[0].mediaType.hasSuffix("spreadsheetml.sheet"))
    }

    @Test("Excel takes every sheet's name, whatever the plan says, and no text is more than a text")
    func hostile() throws {
        let faces = String(repeating: "\u{1f600}", count: 40)
        let titles = ["", "'", "History", "about", "a[b]:c*?/\\d", "\u{7}\u{202e}", faces, "x", "X"]
        let long = String(repeating: "Views ", count: 9)
        let sheets = ([long, long] + titles + InjectionTests.hostile).map { title in
            Sheet(
                name: title, isRightToLeft: title == "x", lines: [title], heads: [title], rows: [[.text(title)]],
                notes: [title])
        }.named
        let names = sheets.map(\.name)
        #expect(Set(names.map { $0.lowercased() }).count == names.count && !names.contains("History"))
        for name in names {
            #expect((1...31).contains(name.utf16.count) && !name.contains { "[]:*?/\\".contains($0) }, "\(name)")
            #expect(!name.hasPrefix("'") && !name.hasSuffix("'"), "\(name)")
        }
        let read = try Self.read(Workbook.bytes(of: sheets, created: UnixSeconds(0), file: "t.xlsx"))
        #expect(read.map(\.name) == names && read.filter(\.isRightToLeft).map(\.name) == ["x"])
        #expect(read.last?.rows[2].first?.text == InjectionTests.hostile.last)
        #expect(read.allSatisfy { $0.frozen == 3 })
    }

    @Test("what Excel has no room for is an error that names the call and the file")
    func tooLong() {
        let sheet = Sheet(
            name: "x", isRightToLeft: false, lines: [String(repeating: "x", count: 40_000)], heads: [], rows: [],
            notes: [])
        #expect {
            try Workbook.bytes(of: [sheet], created: UnixSeconds(0), file: "weekly.xlsx")
        } throws: { error in
            "\(error)".hasPrefix("worksheet_write_string failed on the workbook weekly.xlsx: ")
        }
    }
}

extension AnswerView {
    fileprivate var isRanking: Bool { if case .ranking = self { true } else { false } }
}
