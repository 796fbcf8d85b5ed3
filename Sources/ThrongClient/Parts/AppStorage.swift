internal import Crypto
internal import Foundation
internal import ThrongWire

/// The documents of one app in a storage, such as `APP-memory.json`. All but the plan and the person's answers are
/// sealed with the device's key, if the storage is bound to it.
struct AppStorage: ClientStorage {
    /// The document that every device has.
    static let memoryName = "memory.json"
    /// The prefix of the names of the log's documents.
    static let logPrefix = "sent-"

    private let storage: any ClientStorage
    private let app: String
    private let key: SymmetricKey?

    /// - Throws: ``ThrongError/storage(_:)`` if the device's key can't be had.
    init(_ storage: any ClientStorage, app: String) throws(ThrongError) {
        self.storage = storage
        self.app = app
        do {
            key = try storage.binding?.key(for: app).map(SymmetricKey.init(data:))
        } catch {
            throw error as? ThrongError ?? .storage("The device's key could not be had; start again later.")
        }
    }

    /// - Throws: ``SealError`` if another device has written it.
    func read(_ name: String) throws -> Data? {
        guard let data = try storage.read("\(app)-\(name)") else { return nil }
        return isSealed(name) ? try SealedDocument.open(data, named: name, with: derived("documents")) : data
    }

    func replace(_ name: String, with data: Data) throws {
        guard isSealed(name), let key = derived("documents") else {
            return try storage.replace("\(app)-\(name)", with: data)
        }
        try storage.replace("\(app)-\(name)", with: try SealedDocument.seal(data, named: name, with: key))
    }

    func remove(_ name: String) throws { try storage.remove("\(app)-\(name)") }
    func close() { storage.close() }
    var isShared: Bool { storage.isShared }
    func beginTurn() throws -> Bool { try storage.beginTurn() }
    func endTurn() { storage.endTurn() }

    /// Removes the log of a device that is not this one, or that nobody knows any more.
    func removeLog() throws {
        for name in try storage.names where name.hasPrefix("\(app)-\(Self.logPrefix)") { try storage.remove(name) }
    }

    /// The mark of this device in a document: 32 hexadecimal digits; nil if the storage is not bound.
    var mark: String? { derived("mark").map { $0.withUnsafeBytes { $0.prefix(16).lowerHex } } }

    /// True if the app has run here before.
    ///
    /// - Throws: if the storage can't say.
    var isUsed: Bool { get throws { try storage.read("\(app)-\(Self.memoryName)") != nil } }

    private func isSealed(_ name: String) -> Bool { name == Self.memoryName || name.hasPrefix(Self.logPrefix) }

    /// The device's key for one use.
    private func derived(_ use: String) -> SymmetricKey? {
        key.map { HKDF<SHA256>.deriveKey(inputKeyMaterial: $0, info: Data("throng \(use)".utf8), outputByteCount: 32) }
    }
}

/// A document that only the device can read that wrote it.
///
/// Shape, as JSON: `sealed`, in base64 AES-256-GCM's nonce, ciphertext and tag, with the document's name authenticated.
struct SealedDocument: Codable {
    private let sealed: Data

    static func seal(_ document: Data, named name: String, with key: SymmetricKey) throws -> Data {
        // A combined form always exists, with the nonce of 12 bytes that `seal` makes by itself.
        guard let sealed = try AES.GCM.seal(document, using: key, authenticating: Data(name.utf8)).combined else {
            throw ThrongError.storage("A document could not be sealed.")
        }
        return try JSONEncoder().encode(Self(sealed: sealed))
    }

    /// Opens a document. One that was never sealed is what it is: a library wrote it that did not do so yet, or a device
    /// without a key.
    ///
    /// - Throws: ``SealError`` if it was sealed by another device, or damaged since.
    static func open(_ data: Data, named name: String, with key: SymmetricKey?) throws -> Data {
        // What can't be read as such was never sealed.
        guard let document = try? JSONDecoder().decode(Self.self, from: data) else { return data }
        guard let key else { throw SealError.anotherDevice }
        do {
            return try AES.GCM.open(
                AES.GCM.SealedBox(combined: document.sealed), using: key, authenticating: Data(name.utf8))
        } catch { throw SealError.anotherDevice }
    }
}

/// The reason why a document can't be opened.
enum SealError: Error {
    /// Another device has sealed it, or it was damaged since.
    case anotherDevice
}
