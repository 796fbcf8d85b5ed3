package import ThrongPlan

/// The files of one report, in the order of its formats.
///
/// Names are `<report>-<period>.<format>`, so that a repeated run writes the same files with the same bytes.
package struct ReportFiles: Sendable, Hashable {
    package let all: [ReportFile]

    /// Creates a report's files from files that were made earlier, in the order in which they are delivered.
    package init(_ files: [ReportFile]) { all = files }

    /// Writes a document in every format that is asked for, each once.
    ///
    /// - Parameter made: the files of formats that are made elsewhere: a PDF, pictures, a workbook.
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in page template does not parse.
    package init(
        of document: ReportDocument, formats: [ReportFormat], made: [ReportFile] = []
    ) throws(ReportError) {
        var files: [ReportFile] = []
        let stem = ReportFile.stem(report: document.name.text, period: document.periodLabel)
        for format in ReportFormat.allCases where formats.contains(format) {
            let ending = ".\(format.rawValue)"
            switch format {
            case .html: files.append(ReportFile(name: stem + ending, contents: try document.html()))
            case .csv: files.append(ReportFile(name: stem + ending, contents: document.csv))
            case .json: files.append(ReportFile(name: stem + ending, contents: document.json))
            case .svg:
                files += try document.drawings().map { ReportFile(name: $0.fileName(stem, .svg), contents: $0.svg) }
            case .pdf, .xlsx, .png: files += made.filter { $0.name.hasSuffix(ending) }
            }
        }
        all = files
    }
}

package struct ReportFile: Sendable, Hashable {
    /// Its name without a folder: `weekly_shop-2026-W47.html`.
    ///
    /// - Shape: `A-Z`, `a-z`, `0-9`, `_`, `-` and `.`, not starting with a dot, at most 200 characters.
    package let name: String
    package let contents: [UInt8]

    /// Creates a file from a text; whatever a name may not hold becomes a hyphen.
    package init(name: String, contents: String) {
        (self.name, self.contents) = (Self.sanitized(name), Array(contents.utf8))
    }

    /// Creates a file from bytes; whatever a name may not hold becomes a hyphen.
    package init(name: String, bytes: [UInt8]) { (self.name, contents) = (Self.sanitized(name), bytes) }

    /// Returns the beginning of the names of a report's files of one period: `weekly_shop-2026-W47`,
    /// `pulse-2026-11-21T10-00`.
    ///
    /// - Parameter period: as ``PeriodCalendar/label(of:)`` writes it.
    package static func stem(report: String, period: String) -> String { sanitized("\(report)-\(period)") }

    package static func sanitized(_ name: String) -> String {
        let safe = name.utf8.map { $0.isASCIILetter || $0.isDigit || "_.".utf8.contains($0) ? $0 : UInt8(ascii: "-") }
        let trimmed = safe.suffix(200).drop { $0 == UInt8(ascii: ".") }
        return trimmed.isEmpty ? "report" : String(decoding: trimmed, as: UTF8.self)
    }

    /// Returns the insight that a file shows by a drawing, behind the stem of a report's names; nil for other files.
    package static func insight(in name: String, behind stem: String) -> InsightName? {
        guard name.hasPrefix(stem + "-"), [".svg", ".png"].contains(where: name.hasSuffix) else { return nil }
        let insight = String(name.dropFirst(stem.count + 1).dropLast(4))
        // Names have no hyphen: of a month, the drawings of its days are none.
        return insight.isEmpty || insight.contains("-") ? nil : InsightName(insight)
    }

    package static let manifestEnding = ".manifest.json"
    package static let signatureEnding = ".manifest.sig"

    package var isManifest: Bool { name.hasSuffix(Self.manifestEnding) }

    package var mediaType: String {
        if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
        if name.hasSuffix(".csv") { return "text/csv; charset=utf-8; header=present" }
        if name.hasSuffix(".json") { return "application/json" }
        if name.hasSuffix(".svg") { return "image/svg+xml" }
        if name.hasSuffix(".png") { return "image/png" }
        if name.hasSuffix(".pdf") { return "application/pdf" }
        if name.hasSuffix(".xlsx") { return "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" }
        return "application/octet-stream"
    }

    package static func isName(_ text: String) -> Bool { !text.isEmpty && sanitized(text) == text }
}

package enum ReportError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A page template of this program does not parse.
    case template(name: String, reason: String)
    case workbook(call: String, file: String, reason: String)
    case system(call: String, path: String, code: Int32)

    package var description: String {
        switch self {
        case .template(let name, let reason):
            "the built-in template \(name) does not parse (\(reason)). This is a fault of the program: please report it."
        case .workbook(let call, let file, let reason):
            "\(call) failed on the workbook \(file): \(reason). Check that there is memory, and room for temporary files."
        case .system(let call, let path, let code):
            """
            \(call) failed on \(path) with error \(code). Check that the folder exists, has room and may be written by \
            this user; delivery may then be repeated without harm.
            """
        }
    }
}
