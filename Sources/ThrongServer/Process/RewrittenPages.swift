internal import Foundation
internal import ThrongStore

/// Has what age took out of a private cluster's pages, too, once a round took something, also where the process ended in between.
struct RewrittenPages: Sendable {
    let pages: AgedPages
    let dataPath: String

    /// Holds the place of the last deletion of which no page has anything.
    private var path: String { dataPath + "/pages.rewritten" }

    /// Rewrites tables where something was deleted since that was done last.
    func rewriteIfDue() async throws {
        let last = try await pages.lastDeletion()
        // None, or one that can't be read, means that it is done once more.
        let known = try? String(contentsOfFile: path, encoding: .utf8)
        guard last > 0, known != "\(last)\n" else { return }
        try await pages.rewrite()
        try Data("\(last)\n".utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
    }
}
