internal import Crypto
internal import Foundation
package import ThrongPlan
internal import ThrongWire

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
}

extension AppKeys {
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
            let id: String
            let app: String
            let name: String
            let key: String?
            let secret_sha256: String?
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
