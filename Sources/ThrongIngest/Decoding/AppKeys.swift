internal import Crypto
internal import Foundation
internal import Synchronization
package import ThrongPlan
package import ThrongSystem

/// The keys of apps' clients, which are no secret, and the hashes of backends' secrets.
package struct AppKeys: Sendable, Hashable {
    /// The name and version of the file's format.
    package static let format = "throng-app-keys/1"
    /// The most secrets of one name that are valid at a time: the next one exists before the former goes.
    package static let mostSecrets = 2

    /// The keys and secrets, in the order in which they were made.
    package private(set) var entries: [Entry] = []

    /// A key or a secret.
    package struct Entry: Sendable, Hashable {
        /// The name in commands: eight hexadecimal digits.
        package let id: String
        /// The app whose batches it is for.
        package let app: AppName
        /// The operator's name for it, such as `ios`.
        package let name: String
        /// The part that is stored.
        package let kept: Kept
        package let made: UnixSeconds
        /// The time from which on it is invalid; nil while it is valid.
        package fileprivate(set) var revoked: UnixSeconds?
    }

    /// The stored part of a key or a secret.
    package enum Kept: Sendable, Hashable {
        /// A client's key, as it is sent.
        case key(String)
        /// SHA-256 of a backend's secret: 32 bytes.
        case secretHash([UInt8])
    }

    package init() {}

    /// Adds a key for an app's clients: 128 random bits, which everybody who has the client may read.
    ///
    /// - Returns: the key, as clients send it.
    package mutating func addKey(of app: AppName, name: String, now: UnixSeconds) -> String {
        let key = "ak_" + Self.random(bytes: 16)
        add(app, name, .key(key), now)
        return key
    }

    /// Adds a secret for a backend: 256 random bits, of which only a hash is stored.
    ///
    /// - Returns: the secret, as the backend presents it; nil if that name has ``mostSecrets`` valid ones already.
    package mutating func addSecret(of app: AppName, name: String, now: UnixSeconds) -> String? {
        let good = entries.count { entry in
            guard case .secretHash = entry.kept else { return false }
            return entry.app == app && entry.name == name && entry.revoked == nil
        }
        guard good < Self.mostSecrets else { return nil }
        let secret = "as_" + Self.random(bytes: 32)
        add(app, name, .secretHash(Self.hash(of: secret)), now)
        return secret
    }

    private mutating func add(_ app: AppName, _ name: String, _ kept: Kept, _ now: UnixSeconds) {
        entries.append(Entry(id: Self.random(bytes: 4), app: app, name: name, kept: kept, made: now))
    }

    /// Revokes a key or a secret: from then on nothing counts that comes with it.
    ///
    /// - Returns: false if the app has none of that id.
    package mutating func revoke(_ id: String, of app: AppName, now: UnixSeconds) -> Bool {
        guard let place = entries.firstIndex(where: { $0.id == id && $0.app == app }) else { return false }
        if entries[place].revoked == nil { entries[place].revoked = now }
        return true
    }

    package mutating func forget(_ app: AppName) { entries.removeAll { $0.app == app } }

    /// Returns the SHA-256 of a secret. It has 256 random bits, so nobody finds it from its hash, and no salt is needed.
    static func hash(of secret: String) -> [UInt8] { Array(SHA256.hash(data: Array(secret.utf8))) }

    private static func random(bytes: Int) -> String {
        var random = SystemRandomNumberGenerator()
        return (0..<bytes).map { _ in UInt8.random(in: .min ... .max, using: &random) }.lowerHex
    }

    /// Returns the file's bytes: JSON.
    package func json() throws -> [UInt8] {
        let file = File(format: Self.format, keys: entries.map(File.Key.init))
        return Array(try JSONEncoder.stable(.prettyPrinted).encode(file)) + [0x0A]
    }

    /// Reads the file's bytes; nil if they are not such a file.
    package init?(json: [UInt8]) {
        let file: File
        do { file = try JSONDecoder().decode(File.self, from: Data(json)) } catch { return nil }
        guard file.format == Self.format else { return nil }
        for key in file.keys {
            guard let entry = key.entry, !entries.contains(where: { $0.id == entry.id }) else { return nil }
            entries.append(entry)
        }
    }

    private struct File: Codable {
        let format: String
        let keys: [Key]

        struct Key: Codable {
            let id, app, name: String
            let key, secret_sha256: String?
            /// Unit: seconds since 1970.
            let made: Int64
            let revoked: Int64?

            init(_ entry: Entry) {
                (id, app, name) = (entry.id, entry.app.text, entry.name)
                switch entry.kept {
                case .key(let text): (key, secret_sha256) = (text, nil)
                case .secretHash(let hash): (key, secret_sha256) = (nil, hash.lowerHex)
                }
                (made, revoked) = (entry.made.value, entry.revoked?.value)
            }

            var entry: Entry? {
                let kept: Kept
                switch (key, secret_sha256.map { [UInt8](hex: $0) }) {
                case (let key?, nil) where !key.isEmpty: kept = .key(key)
                case (nil, let hash??) where hash.count == 32: kept = .secretHash(hash)
                default: return nil
                }
                return Entry(
                    id: id, app: AppName(app), name: name, kept: kept, made: UnixSeconds(made),
                    revoked: revoked.map { UnixSeconds($0) })
            }
        }
    }
}

/// The keys and secrets that are valid now. They may change while batches come.
package final class AppKeyRing: Sendable {
    private struct Tables {
        /// The keys of clients, by app, each with whether it was revoked.
        var keys: [AppName: [String: Bool]] = [:]
        /// The hashes of valid secrets, by app. An app that ever had one has an entry.
        var secrets: [AppName: [[UInt8]]] = [:]
    }

    private let tables: Mutex<Tables>

    package init(_ keys: AppKeys = AppKeys()) { tables = Mutex(Self.tables(of: keys)) }

    package func use(_ keys: AppKeys) {
        let new = Self.tables(of: keys)
        tables.withLock { $0 = new }
    }

    private static func tables(of keys: AppKeys) -> Tables {
        var tables = Tables()
        for entry in keys.entries {
            switch entry.kept {
            case .key(let key): tables.keys[entry.app, default: [:]][key] = entry.revoked != nil
            case .secretHash(let hash): tables.secrets[entry.app, default: []] += entry.revoked == nil ? [hash] : []
            }
        }
        return tables
    }

    /// Checks a request's key and secret.
    ///
    /// - Returns: true if a backend sent it.
    /// - Throws: ``IntakeError`` for an unknown or revoked key, for an invalid secret, and for a missing one that the
    ///   plan requires.
    func admit(_ shown: ShownKeys, to purpose: Purpose, of app: AppTables) throws(IntakeError) -> Bool {
        // Most requests have neither key nor secret.
        let isBackend = try shown.key == nil && shown.bearer == nil ? false : hasSecret(shown, of: app.name)
        guard shown.isCounted, !isBackend else { return isBackend }
        if purpose.senders == .backends { throw shown.bearer == nil ? .secretRequired : .unknownSecret }
        if app.needsKey, shown.key == nil { throw .keyRequired }
        return false
    }

    private func hasSecret(_ shown: ShownKeys, of app: AppName) throws(IntakeError) -> Bool {
        let known = tables.withLock { tables in
            (key: shown.key.map { tables.keys[app]?[$0] }, secrets: shown.bearer == nil ? nil : tables.secrets[app])
        }
        switch known.key {
        case .some(.none): throw .unknownKey
        case .some(.some(true)): throw .revokedKey
        case .some(.some(false)), nil: break
        }
        // An app without secrets may get a header that is meant for something in front of the daemon.
        guard let bearer = shown.bearer, let secrets = known.secrets else { return false }
        guard Self.isGood(bearer, among: secrets) else { throw .unknownSecret }
        return true
    }

    /// Compares with every hash, in the same time whichever of them matches.
    private static func isGood(_ secret: String, among hashes: [[UInt8]]) -> Bool {
        let digest = SHA256.hash(data: Array(secret.utf8))
        var isGood = false
        // swift-crypto compares a digest in constant time.
        for hash in hashes where digest == hash { isGood = true }
        return isGood
    }
}

/// The credentials of a request's sender.
struct ShownKeys {
    /// The `key` of the body.
    let key: String?
    /// The secret in `Authorization: Bearer`.
    let bearer: String?
    /// True if the request leads to counts or to new knowledge, which a preview does not.
    let isCounted: Bool
}

/// The file of app keys in a data directory: `app-keys`, a ``KeptFile`` of JSON that only its owner may read.
///
/// Commands change it, one after another, each as a whole; a running daemon checks it regularly.
package struct AppKeyFile: Sendable, Hashable {
    /// The file's name in a data directory.
    package static let name = "app-keys"

    package let path: String
    private let folder: String

    package init(dataPath: String) {
        folder = dataPath
        path = dataPath + "/" + Self.name
    }

    /// Returns the keys in the file; none if there is no file.
    package func read() throws(AppKeyError) -> AppKeys {
        guard KeptFile.isThere(path) else { return AppKeys() }
        let content: [UInt8]
        do throws(FileDamage) { content = try KeptFile.content(at: path, as: .appKeys) } catch { throw .damaged(error) }
        guard let keys = AppKeys(json: content) else {
            throw .damaged(FileDamage(path: path, kind: .appKeys, flaw: .content))
        }
        return keys
    }

    /// Changes the keys in the file under a lock that keeps other writers out, who take milliseconds.
    package func change<Value>(
        within patience: Duration = .seconds(5), _ body: (inout AppKeys) -> Value
    ) throws(AppKeyError) -> Value {
        let held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard held >= 0 else { throw .noFolder(path: folder, code: errno) }
        defer { close(held) }
        let end = ContinuousClock.now + patience
        while flock(held, LOCK_EX | LOCK_NB) != 0 {
            guard errno == EWOULDBLOCK, ContinuousClock.now < end else { throw .locked(path: folder, code: errno) }
            usleep(5_000)
        }
        var keys = try read()
        let former = keys
        let value = body(&keys)
        guard keys != former else { return value }
        let bytes: [UInt8]
        do { bytes = KeptFile.bytes(try keys.json(), as: .appKeys) } catch {
            throw .unwritable(path: path, code: EINVAL)
        }
        do throws(FileFault) {
            let file = try NewFile(path)
            try file.write(bytes)
            try file.giveToOwnerOfFolder()
            try file.finish(replacing: true)
        } catch { throw .unwritable(path: path, code: error.parts.code) }
        return value
    }

    /// The facts about a file by which a change of it is noticed.
    package struct Standing: Sendable, Hashable {
        private let inode: UInt64
        private let size: Int64
        private let seconds: Int
        private let nanoseconds: Int

        /// Returns nil if there is no such file.
        package init?(of path: String) {
            var facts = stat()
            guard stat(path, &facts) == 0 else { return nil }
            inode = UInt64(facts.st_ino)
            size = Int64(facts.st_size)
            (seconds, nanoseconds) = (facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec)
        }
    }
}

/// The reason why keys of apps can't be read or changed.
package enum AppKeyError: Error, Sendable, Hashable, CustomStringConvertible {
    case noFolder(path: String, code: Int32)
    case damaged(FileDamage)
    case unwritable(path: String, code: Int32)
    case locked(path: String, code: Int32)

    package var description: String {
        switch self {
        case .noFolder(let path, let code):
            "\(path) can't be used as a data directory (\(String(cString: strerror(code)))). Name that of a `throng "
                + "serve` with --data."
        case .damaged(let damage): damage.description
        case .unwritable(let path, let code):
            "\(path) can't be written (\(String(cString: strerror(code)))). Check the folder's owner, permissions and room."
        case .locked(let path, let code):
            "\(path) can't be locked (\(String(cString: strerror(code)))). End what `fuser \(path)` names, and run this again."
        }
    }
}
