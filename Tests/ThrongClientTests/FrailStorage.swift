import Foundation
import Probe
import Synchronization
import ThrongClient

/// A disk that can be full, read-only or unreadable, and that counts what is written.
final class FrailStorage: ClientStorage {
    struct State {
        var isFull = false
        var isReadOnly = false
        /// Writes, and says that it could not.
        var failsLate = false
        var unreadable: Set<String> = []
        var writes: [String: Int] = [:]
        var bytes = 0
    }

    let state = Mutex(State())
    let inner = MemoryStorage()

    /// How often a document was written.
    func writes(_ name: String) -> Int { state.withLock { $0.writes[name] ?? 0 } }

    func read(_ name: String) throws -> Data? {
        if state.withLock({ $0.unreadable.contains(name) }) { throw ThrongError.storage("input or output error") }
        return inner.read(name)
    }

    func replace(_ name: String, with data: Data) throws {
        let isWritable = state.withLock { state in
            state.writes[name, default: 0] += 1
            state.bytes += data.count
            return !state.isFull && !state.isReadOnly
        }
        guard isWritable else { throw ThrongError.storage("no space left on device") }
        inner.replace(name, with: data)
        if state.withLock({ $0.failsLate }) { throw ThrongError.storage("input or output error") }
    }

    func remove(_ name: String) throws {
        if state.withLock({ $0.isReadOnly }) { throw ThrongError.storage("read-only file system") }
        inner.remove(name)
    }
}
