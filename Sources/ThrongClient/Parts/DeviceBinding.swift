internal import Crypto
public import Foundation

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
