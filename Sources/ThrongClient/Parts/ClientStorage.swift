internal import Crypto
public import Foundation
internal import Synchronization
internal import ThrongWire

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
        } catch { throw error as? ThrongError ?? .storage("The device's key could not be had; start again later.") }
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

#if canImport(Security)
    internal import Security
#endif

/// A secret that only this device has, so that documents that are restored or copied to another one can't be read
/// there.
public protocol DeviceBinding: Sendable {
    /// A key of 32 bytes for an app: the same at each start on this device, and another one on any other.
    ///
    /// - Parameter app: the app's name in its plan.
    /// - Returns: nil if the system has nothing that tells devices apart; documents are bound to none then.
    /// - Throws: if it can't be had now, as before a phone is unlocked for the first time. Nothing starts then: going
    ///   on without it would make this another device.
    func key(for app: String) throws -> Data?
}

/// The installation of the system, as Linux knows it by `/etc/machine-id`.
///
/// A key is HMAC-SHA-256(machine's identifier, app), in the manner of `sd_id128_get_machine_app_specific(3)`: two apps can't
/// see by their keys that they are on one machine. A whole system that is restored or cloned with that file is the same one.
public struct MachineBinding: DeviceBinding {
    private let file: String

    /// Takes the machine's identifier from a file.
    ///
    /// - Parameter file: 32 hexadecimal digits; see `machine-id(5)`.
    public init(file: String = "/etc/machine-id") { self.file = file }

    /// The key of this machine; nil if it has no identifier, as in many containers.
    public func key(for app: String) -> Data? {
        guard let found = FileManager.default.contents(atPath: file) else { return nil }
        let text = String(decoding: found.prefix(64), as: UTF8.self).prefix { $0 != "\n" }
        guard text.utf8.count == 32, text.allSatisfy(\.isHexDigit), text.contains(where: { $0 != "0" })
        else { return nil }
        let code = HMAC<SHA256>.authenticationCode(
            for: Data("throng device\u{1f}\(app)".utf8), using: SymmetricKey(data: Data(text.lowercased().utf8)))
        return Data(code)
    }
}

#if canImport(Security)
    /// A random key in the system's keychain that is in no backup that another device could open, and not synchronized
    /// (`kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly`).
    public struct KeychainBinding: DeviceBinding {
        private let accessGroup: String?

        /// Keeps its key in the app's keychain.
        ///
        /// - Parameter accessGroup: the group of an app and its extensions, where they share a directory; each has a keychain
        ///   of its own otherwise.
        public init(accessGroup: String? = nil) { self.accessGroup = accessGroup }

        /// The device's key, which is made if there is none. Nil if the program may not use the keychain, as
        /// command-line tools without an entitlement may not.
        ///
        /// - Throws: ``ThrongError/storage(_:)`` if the keychain does not answer, as before the first unlock.
        public func key(for app: String) throws -> Data? {
            var item = query(for: app)
            item[kSecValueData] = SymmetricKey(size: .bits256).withUnsafeBytes { Data($0) }
            item[kSecAttrAccessible] = kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly
            let added = SecItemAdd(item as CFDictionary, nil)
            switch added {
            // Read back, whoever made it: a process of the same group may have been faster.
            case errSecSuccess, errSecDuplicateItem: return try stored(for: app)
            case errSecMissingEntitlement: return nil
            default: throw Self.failure(added)
            }
        }

        private func stored(for app: String) throws -> Data {
            var query = query(for: app)
            query[kSecReturnData] = true
            query[kSecMatchLimit] = kSecMatchLimitOne
            var found: CFTypeRef?
            let status = SecItemCopyMatching(query as CFDictionary, &found)
            guard status == errSecSuccess, let key = found as? Data, key.count == 32 else { throw Self.failure(status) }
            return key
        }

        private func query(for app: String) -> [CFString: Any] {
            var query: [CFString: Any] = [
                kSecClass: kSecClassGenericPassword, kSecAttrService: "throng.device", kSecAttrAccount: app,
                kSecAttrSynchronizable: false, kSecUseDataProtectionKeychain: true,
            ]
            if let accessGroup { query[kSecAttrAccessGroup] = accessGroup }
            return query
        }

        private static func failure(_ status: OSStatus) -> ThrongError {
            .storage("The keychain did not give the device's key (error \(status)); start after the first unlock.")
        }
    }
#endif

/// The source of a ``Throng``'s time.
public protocol ClientClock: Sendable {
    /// Seconds since 1970-01-01T00:00:00Z.
    var unixSeconds: Int64 { get }
    /// Waits; throws where the task is cancelled.
    func sleep(seconds: Double) async throws
}

/// The device's own clock.
public struct SystemClock: ClientClock {
    /// Needs nothing.
    public init() {}

    /// Seconds since 1970 as the device has them, from 1970 to 9999.
    public var unixSeconds: Int64 { Int64(min(max(Date().timeIntervalSince1970, 0), 253_402_214_400)) }

    /// Waits on the continuous clock.
    public func sleep(seconds: Double) async throws {
        try await Task.sleep(for: .seconds(min(max(seconds, 0), 86_400)), clock: .continuous)
    }
}

/// The source of a ``Throng``'s secrets, batch names, samples and jitter.
public struct RandomSource: RandomNumberGenerator, Sendable {
    private let source: @Sendable () -> UInt64

    /// Takes any source of 64 random bits; for anything but tests it must be a cryptographic one.
    public init(_ source: @escaping @Sendable () -> UInt64) { self.source = source }

    /// The system's cryptographic generator.
    public static let system = RandomSource {
        var generator = SystemRandomNumberGenerator()
        return generator.next()
    }

    /// 64 random bits.
    public func next() -> UInt64 { source() }
}
