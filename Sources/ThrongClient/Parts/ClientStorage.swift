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
