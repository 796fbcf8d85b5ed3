package import ThrongPlan

/// The files of one report, in the order of its formats.
///
/// Names are `<report>-<period>.<format>`, so that a repeated run writes the same files with the same bytes.
package struct ReportFiles: Sendable, Hashable {
    /// The files.
    package let all: [ReportFile]

    /// Puts files together that were made earlier, in the order in which they are delivered.
    package init(_ files: [ReportFile]) { all = files }

    /// Writes a document in every format that is asked for, each once.
    ///
    /// - Parameter pdf: the page as it was printed; nil leaves that format out.
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in page template does not parse.
    package init(of document: ReportDocument, formats: [ReportFormat], pdf: [UInt8]? = nil) throws(ReportError) {
        var files: [ReportFile] = []
        for format in ReportFormat.allCases where formats.contains(format) {
            let contents: [UInt8]? =
                switch format {
                case .html: Array(try document.html().utf8)
                case .pdf: pdf
                case .csv: Array(document.csv.utf8)
                case .json: Array(document.json.utf8)
                }
            guard let contents else { continue }
            let stem = ReportFile.stem(report: document.name.text, period: document.periodLabel)
            files.append(ReportFile(name: "\(stem).\(format.rawValue)", bytes: contents))
        }
        all = files
    }
}
