internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Documents in memory, for tests.
public final class MemoryStorage: ClientStorage {
    private let documents = Mutex<[String: Data]>([:])

    /// Starts empty.
    public init() {}

    /// The document of that name.
    public func read(_ name: String) -> Data? { documents.withLock { $0[name] } }
    /// Puts a document in place of another.
    public func replace(_ name: String, with data: Data) { documents.withLock { $0[name] = data } }
    /// Removes a document.
    public func remove(_ name: String) { documents.withLock { $0[name] = nil } }

    /// The names of all documents, sorted.
    public var names: [String] { documents.withLock { $0.keys.sorted() } }
}
