public import ThrongPlan

/// The files of one report, in the order of its formats.
///
/// Names are `<report>-<period>.<format>`, so that a repeated run writes the same files with the same bytes.
public struct ReportFiles: Sendable, Hashable {
    /// The files.
    public let all: [ReportFile]

    /// Puts files together that were made earlier, in the order in which they are delivered.
    public init(_ files: [ReportFile]) { all = files }

    /// Writes a document in every format that is asked for, each once.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in page template does not parse.
    public init(of document: ReportDocument, formats: [ReportFormat]) throws(ReportError) {
        var files: [ReportFile] = []
        for format in ReportFormat.allCases where formats.contains(format) {
            let contents =
                switch format {
                case .html: try document.html()
                case .csv: document.csv
                case .json: document.json
                }
            files.append(
                ReportFile(name: "\(document.name)-\(document.periodLabel).\(format.rawValue)", contents: contents))
        }
        all = files
    }
}
