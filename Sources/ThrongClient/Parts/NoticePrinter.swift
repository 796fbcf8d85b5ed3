internal import Foundation
internal import Synchronization

/// Writes each notice to the standard error once, in debug builds.
final class NoticePrinter: Sendable {
    /// The notices that were printed already: reasons by event, not numbers.
    private let said = Mutex<Set<ThrongNotice>>([])
    /// An app that makes up names must not fill the memory.
    private static let most = 1000

    static let shared = NoticePrinter()

    func say(_ notice: ThrongNotice) {
        var kind = notice
        if case .dropped(let event, let reason, _) = notice {
            // The plan wants these two.
            guard reason != .notSampled, reason != .contributionBound else { return }
            kind = .dropped(event: event, reason: reason, count: 0)
        }
        let isNew = said.withLock { $0.count < Self.most && $0.insert(kind).inserted }
        guard isNew else { return }
        let line = Array("Throng: \(notice)\n".utf8)
        // Nobody reads it where nothing can be written.
        _ = line.withUnsafeBytes { write(2, $0.baseAddress, $0.count) }
    }
}
