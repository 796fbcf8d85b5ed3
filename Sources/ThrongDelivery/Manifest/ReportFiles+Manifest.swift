internal import ThrongPlan
package import ThrongReport

extension ReportFiles {
    /// These files with their manifest's signature and, last, their manifest: who sees the manifest has everything.
    ///
    /// - Parameters:
    ///   - coverage: how much of what arrived was counted; nil where that is unknown.
    ///   - now: Unit: Unix seconds.
    /// - Throws: what the library throws where it can't sign.
    package func signed(
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
