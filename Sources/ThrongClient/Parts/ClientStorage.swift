public import Foundation
internal import Synchronization

/// The place where a ``Throng`` keeps its secret, its queue, its plan and its log: a few named documents.
///
/// Names are made of `a-z`, `0-9`, `_`, `-` and `.`; no two calls are made at the same time. Several processes that
/// share the documents make all calls in turns.
public protocol ClientStorage: Sendable {
    /// The device's secret that the documents are bound to, so that they are of no use on another device; nil for
    /// nothing, which is the default.
    var binding: (any DeviceBinding)? { get }
    /// The documents that are there, in any order, as far as the storage knows: what is left of another device is removed.
    var names: [String] { get throws }
    /// The document of that name; nil if there is none.
    func read(_ name: String) throws -> Data?
    /// Replaces the document of that name, or adds it: after a crash there is the old one or the new one, and after
    /// this returns the new one.
    func replace(_ name: String, with data: Data) throws
    /// Removes a document, if it is there. After this returns it is gone, also after a crash.
    func remove(_ name: String) throws
    /// True if several processes keep their documents here, each in turn.
    var isShared: Bool { get }
    /// Begins a turn, in which nobody else reads or writes. Turns may be nested. Only called where it is shared.
    ///
    /// - Returns: whether somebody else has written since this one's last turn.
    /// - Throws: if somebody else's turn does not end.
    func beginTurn() throws -> Bool
    func endTurn()
    /// Gives back what it holds, such as a lock; it is not used any more. Does nothing unless a storage has something to do.
    func close()
}

extension ClientStorage {
    /// Bound to nothing.
    public var binding: (any DeviceBinding)? { nil }
    /// Unknown.
    public var names: [String] { [] }
    /// One process's alone.
    public var isShared: Bool { false }
    /// Nobody else is there.
    public func beginTurn() -> Bool { false }
    /// Nobody else is there.
    public func endTurn() {}
    /// Nothing to give back.
    public func close() {}
}

/// Documents in memory, for tests.
public final class MemoryStorage: ClientStorage {
    private let documents = Mutex<[String: Data]>([:])

    /// Starts empty.
    public init() {}

    /// The document of that name.
    public func read(_ name: String) -> Data? { documents.withLock { $0[name] } }
    /// Replaces the document of that name, or adds it.
    public func replace(_ name: String, with data: Data) { documents.withLock { $0[name] = data } }
    /// Removes a document.
    public func remove(_ name: String) { documents.withLock { $0[name] = nil } }

    /// The names of all documents, sorted.
    public var names: [String] { documents.withLock { $0.keys.sorted() } }
}
