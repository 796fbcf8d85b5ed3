internal import Crypto
public import Foundation

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
