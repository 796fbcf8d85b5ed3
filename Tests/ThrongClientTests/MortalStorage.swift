import Foundation
import Probe
import Synchronization
import ThrongClient

/// A disk whose machine stops at some write: that one and all later ones do not happen. As a client sends nothing that it
/// could not write down first, failing is as good as standing still.
final class MortalStorage: ClientStorage {
    private let left: Mutex<Int>
    private let inner = MemoryStorage()

    init(writes: Int) { left = Mutex(writes) }

    /// What is there after the stop.
    var saved: MemoryStorage { inner }
    var isAlive: Bool { left.withLock { $0 > 0 } }

    func read(_ name: String) -> Data? { inner.read(name) }
    func replace(_ name: String, with data: Data) throws {
        try survive()
        inner.replace(name, with: data)
    }
    func remove(_ name: String) throws {
        try survive()
        inner.remove(name)
    }

    private func survive() throws {
        let isAlive = left.withLock { left in
            if left > 0 { left -= 1 }
            return left > 0
        }
        if !isAlive { throw ThrongError.storage("stopped") }
    }
}
