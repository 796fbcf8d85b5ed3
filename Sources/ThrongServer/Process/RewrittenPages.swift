internal import ThrongJournal
internal import ThrongStore
internal import ThrongSystem

/// Removes deleted rows from a private cluster's pages, too, after a round that deleted something, or the next start.
struct RewrittenPages: Sendable {
    let pages: AgedPages
    let dataPath: String

    /// A ``KeptFile`` with the number of the last deletion that was removed from all pages, as digits and a line break.
    private var path: String { dataPath + "/pages.rewritten" }

    func rewriteIfDue() async throws {
        let last = try await pages.lastDeletion()
        // The pages are rewritten once more if there is no readable file.
        let (known, done) = (try? SystemDisk.shared.kept(at: path, as: .rewrittenPages), Array("\(last)\n".utf8))
        guard last > 0, known != done else { return }
        try await pages.rewrite()
        try SystemDisk.shared.keep(done, at: path, as: .rewrittenPages)
    }
}
