#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

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
