internal import Synchronization

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Where a ``Throng`` keeps its secret, its queue, its plan and its log: a few named documents.
///
/// Names are made of `a-z`, `0-9`, `_`, `-` and `.`; no two calls are made at the same time.
public protocol ClientStorage: Sendable {
    /// The document of that name; nil where there is none.
    func read(_ name: String) throws -> Data?
    /// Puts a document in place of the one of that name: after a crash there is the old one or the new one, and after
    /// this returns the new one.
    func replace(_ name: String, with data: Data) throws
    /// Removes a document, if it is there. After this returns it is gone, also after a crash.
    func remove(_ name: String) throws
    /// Gives back what it holds, such as a lock; it is not used any more. Does nothing unless a storage has something to do.
    func close()
}

extension ClientStorage {
    /// Nothing to give back.
    public func close() {}
}

/// The documents of one app in a storage: `APP-memory.json` and so on, so that a directory may serve several apps.
struct AppStorage: ClientStorage {
    /// The document that every device has.
    static let memoryName = "memory.json"

    private let storage: any ClientStorage
    private let app: String

    init(_ storage: any ClientStorage, app: String) {
        self.storage = storage
        self.app = app
    }

    func read(_ name: String) throws -> Data? { try storage.read("\(app)-\(name)") }
    func replace(_ name: String, with data: Data) throws { try storage.replace("\(app)-\(name)", with: data) }
    func remove(_ name: String) throws { try storage.remove("\(app)-\(name)") }
    func close() { storage.close() }

    /// Whether the app has run here before, also with a library that knew only one app.
    ///
    /// - Throws: where the storage can't say.
    var isUsed: Bool {
        get throws { try read(Self.memoryName) != nil || storage.read(Self.memoryName) != nil }
    }
}

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
