import Foundation
import Testing
import ThrongPlan
import ThrongReport

@Suite("golden files of a report")
struct GoldenTests {
    /// Set to 1 to write the golden files anew; look at the difference before it is kept.
    static let regenerates = ProcessInfo.processInfo.environment["THRONG_REGENERATE_GOLDEN"] == "1"
    static let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Golden")

    @Test(
        "every format is what the golden file says, to the byte",
        arguments: ["weekly_shop", "weekly_kitchen", "weekly_course", "weekly_till"],
        ReportFormat.standard)
    func golden(report: String, format: ReportFormat) throws {
        let document =
            switch report {
            case "weekly_shop": Shop().document
            case "weekly_kitchen": try Kitchen().document
            case "weekly_till": try Till().document
            default: Course().document
            }
        try compare(document, with: report, format)
    }

    @Test("the page of extremes, which browsers are shown, is what the golden file says, to the byte")
    func extremes() throws { try compare(Extremes.document, with: "weekly_extremes", .html) }

    private func compare(_ document: ReportDocument, with report: String, _ format: ReportFormat) throws {
        let files = try ReportFiles(of: document, formats: [format])
        let file = try #require(files.all.first)
        #expect(files.all.count == 1)
        #expect(file.name == "\(report)-2026-W47.\(format.rawValue)")
        let golden = Self.folder.appending(path: file.name)
        if Self.regenerates { try Data(file.contents).write(to: golden) }
        let expected = try Data(contentsOf: golden)
        #expect(
            Data(file.contents) == expected, "differs from \(file.name); set THRONG_REGENERATE_GOLDEN=1 to renew it")
    }

    @Test("two runs over the same releases write the same bytes")
    func deterministic() throws {
        let formats = ReportFormat.allCases
        let first = try ReportFiles(of: Shop().document, formats: formats)
        let second = try ReportFiles(of: Shop().document, formats: formats)
        #expect(first == second)
    }
}
