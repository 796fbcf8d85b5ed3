internal import Crypto
internal import Foundation
internal import Synchronization
internal import ThrongPlan
package import ThrongSystem

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
        do throws(FileDamage) { content = try KeptFile.content(at: path, as: .appKeys) } catch {
            throw .damaged(error)
        }
        guard let keys = AppKeys(json: content) else {
            throw .damaged(FileDamage(path: path, kind: .appKeys, flaw: .content))
        }
        return keys
    }

    /// Changes the keys in the file under a lock that keeps other writers out.
    package func change<Value>(_ body: (inout AppKeys) -> Value) throws(AppKeyError) -> Value {
        let held = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard held >= 0 else { throw .noFolder(path: folder, code: errno) }
        defer { close(held) }
        guard flock(held, LOCK_EX) == 0 else { throw .unwritable(path: path, code: errno) }
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
        } catch { throw .unwritable(path: path, code: error.code) }
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

    package var description: String {
        switch self {
        case .noFolder(let path, let code):
            "\(path) can't be used as a data directory (\(String(cString: strerror(code)))). Name that of a `throng "
                + "serve` with --data."
        case .damaged(let damage): damage.description
        case .unwritable(let path, let code):
            "\(path) can't be written (\(String(cString: strerror(code)))). Check the folder's owner, permissions and room."
        }
    }
}
