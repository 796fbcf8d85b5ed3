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
    /// - Parameters:
    ///   - pdf: the page as it was printed; nil leaves that format out.
    ///   - workbook: the document's sheets as a workbook; nil leaves that format out.
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in page template does not parse.
    package init(
        of document: ReportDocument, formats: [ReportFormat], pdf: [UInt8]? = nil, workbook: [UInt8]? = nil
    ) throws(ReportError) {
        var files: [ReportFile] = []
        let stem = ReportFile.stem(report: document.name.text, period: document.periodLabel)
        for format in ReportFormat.allCases where formats.contains(format) {
            let contents: [UInt8]? =
                switch format {
                case .html: Array(try document.html().utf8)
                case .pdf: pdf
                case .csv: Array(document.csv.utf8)
                case .json: Array(document.json.utf8)
                case .xlsx: workbook
                case .svg: nil
                }
            if format == .svg {
                files += try document.drawings().map { ReportFile(name: "\(stem)-\($0.insight).svg", contents: $0.svg) }
            }
            guard let contents else { continue }
            files.append(ReportFile(name: "\(stem).\(format.rawValue)", bytes: contents))
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
        let safe = name.utf8.map { byte -> UInt8 in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."):
                byte
            default: UInt8(ascii: "-")
            }
        }
        let trimmed = safe.suffix(200).drop { $0 == UInt8(ascii: ".") }
        return trimmed.isEmpty ? "report" : String(decoding: trimmed, as: UTF8.self)
    }

    package static let manifestEnding = ".manifest.json"
    package static let signatureEnding = ".manifest.sig"

    package var isManifest: Bool { name.hasSuffix(Self.manifestEnding) }

    package var mediaType: String {
        if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
        if name.hasSuffix(".csv") { return "text/csv; charset=utf-8; header=present" }
        if name.hasSuffix(".json") { return "application/json" }
        if name.hasSuffix(".svg") { return "image/svg+xml" }
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
