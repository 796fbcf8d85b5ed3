internal import ThrongPlan

extension ReportFiles {
    /// These files with their manifest's signature and, last, their manifest: who sees the manifest has everything.
    ///
    /// - Parameters:
    ///   - coverage: how much of what arrived was counted; nil where that is unknown.
    ///   - now: Unit: Unix seconds.
    /// - Throws: what the library throws where it can't sign.
    public func signed(
        as document: ReportDocument, with key: ReportKey, coverage: CoverageStatement?, now: Int64
    ) throws -> ReportFiles {
        let manifest = ReportManifest(
            of: document, files: self, coverage: coverage, signedAt: now, key: key.publicKey.id)
        let name = ReportFile.stem(report: document.name.text, period: document.periodLabel)
        let file = ReportFile(name: name + ReportFile.manifestEnding, contents: manifest.json)
        let signature = ReportFile(
            name: name + ReportFile.signatureEnding, bytes: try key.signature(over: file.contents))
        return ReportFiles(all + [signature, file])
    }
}

extension ReportFile {
    static let manifestEnding = ".manifest.json"
    static let signatureEnding = ".manifest.sig"

    /// Whether this is a report's manifest.
    public var isManifest: Bool { name.hasSuffix(Self.manifestEnding) }

    /// What HTTP calls it.
    public var mediaType: String {
        if name.hasSuffix(".html") { return "text/html; charset=utf-8" }
        if name.hasSuffix(".csv") { return "text/csv; charset=utf-8; header=present" }
        if name.hasSuffix(".json") { return "application/json" }
        if name.hasSuffix(".pdf") { return "application/pdf" }
        return "application/octet-stream"
    }

    /// Whether a text is a name that a report's file may have.
    static func isName(_ text: String) -> Bool { !text.isEmpty && sanitized(text) == text }
}
