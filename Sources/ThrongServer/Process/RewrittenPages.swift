internal import ThrongFiles
internal import ThrongJournal
internal import ThrongStore

/// Has what age took out of a private cluster's pages, too, once a round took something, also where the process ended in between.
struct RewrittenPages: Sendable {
    let pages: AgedPages
    let dataPath: String

    /// A ``KeptFile`` with the place of the last deletion of which no page has anything, as digits and a line break.
    private var path: String { dataPath + "/pages.rewritten" }

    /// Rewrites tables where something was deleted since that was done last.
    func rewriteIfDue() async throws {
        let last = try await pages.lastDeletion()
        // None, or one that can't be read, means that it is done once more.
        let (known, done) = (try? SystemDisk.shared.kept(at: path, as: .rewrittenPages), Array("\(last)\n".utf8))
        guard last > 0, known != done else { return }
        try await pages.rewrite()
        try SystemDisk.shared.keep(done, at: path, as: .rewrittenPages)
    }
}
