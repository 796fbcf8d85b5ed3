internal import Crypto
internal import Foundation
internal import Synchronization
internal import ThrongPlan

/// The keys and secrets that are good now. They change while batches come.
package final class AppKeyRing: Sendable {
    private struct Tables {
        /// By app, whether each client's key was revoked.
        var keys: [AppName: [String: Bool]] = [:]
        /// By app, the hashes of secrets that are good. An app that ever had one has an entry.
        var secrets: [AppName: [[UInt8]]] = [:]
    }

    private let tables: Mutex<Tables>

    /// Holds these.
    package init(_ keys: AppKeys = AppKeys()) { tables = Mutex(Self.tables(of: keys)) }

    /// Holds these from now on.
    package func use(_ keys: AppKeys) {
        let new = Self.tables(of: keys)
        tables.withLock { $0 = new }
    }

    private static func tables(of keys: AppKeys) -> Tables {
        var tables = Tables()
        for entry in keys.entries {
            switch entry.kept {
            case .key(let key): tables.keys[entry.app, default: [:]][key] = entry.revoked != nil
            case .secretHash(let hash):
                tables.secrets[entry.app, default: []] += entry.revoked == nil ? [hash] : []
            }
        }
        return tables
    }

    /// Looks at what a request shows.
    ///
    /// - Returns: whether it is a backend's.
    /// - Throws: ``IntakeError`` for a key that nobody made or that was revoked, for a secret that is not good, and where the plan
    ///   wants what is not shown.
    func admit(_ shown: ShownKeys, to terms: SenderTerms) throws(IntakeError) -> Bool {
        let known = tables.withLock { tables in
            (
                key: shown.key.map { tables.keys[terms.app]?[$0] },
                secrets: shown.bearer == nil ? nil : tables.secrets[terms.app]
            )
        }
        switch known.key {
        case .some(.none): throw .unknownKey
        case .some(.some(true)): throw .revokedKey
        case .some(.some(false)), nil: break
        }
        var isBackend = false
        // What an app that has no secrets is sent may be meant for something in front of it.
        if let bearer = shown.bearer, let secrets = known.secrets {
            guard Self.isGood(bearer, among: secrets) else { throw .unknownSecret }
            isBackend = true
        }
        guard shown.isCounted, !isBackend else { return isBackend }
        if terms.backendsOnly { throw shown.bearer == nil ? .secretRequired : .unknownSecret }
        if terms.needsKey, shown.key == nil { throw .keyRequired }
        return false
    }

    /// Takes as long for each secret, whichever of them it is.
    private static func isGood(_ secret: String, among hashes: [[UInt8]]) -> Bool {
        let digest = SHA256.hash(data: Array(secret.utf8))
        var isGood = false
        // swift-crypto compares a digest in constant time.
        for hash in hashes where digest == hash { isGood = true }
        return isGood
    }
}

/// What a request shows of who sends it.
struct ShownKeys {
    /// The body's `key`.
    let key: String?
    /// Of `Authorization: Bearer`.
    let bearer: String?
    /// Whether anything comes to be counted or known by it.
    let isCounted: Bool
}

/// What a plan wants to be shown.
struct SenderTerms {
    let app: AppName
    /// Whether clients need a key.
    let needsKey: Bool
    /// Whether only backends may send.
    let backendsOnly: Bool
}
