internal import Crypto
internal import Foundation
internal import Synchronization
internal import ThrongPlan

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
            (
                key: shown.key.map { tables.keys[app]?[$0] },
                secrets: shown.bearer == nil ? nil : tables.secrets[app]
            )
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
