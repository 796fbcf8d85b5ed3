#if canImport(Security)
    internal import Crypto
    public import Foundation
    internal import Security

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
