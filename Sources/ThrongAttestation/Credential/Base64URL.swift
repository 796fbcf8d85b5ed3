#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// base64url without padding (RFC 4648, section 5).
package enum Base64URL {
    /// Writes bytes.
    package static func text(_ bytes: some Collection<UInt8>) -> String {
        Data(bytes).base64EncodedString().filter { $0 != "=" }.replacing("+", with: "-").replacing("/", with: "_")
    }

    /// Reads text, also in base64 and with padding, as platforms hand it out; nil where it is neither.
    package static func bytes(_ text: String) -> [UInt8]? {
        var text = text.replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        return Data(base64Encoded: text).map { Array($0) }
    }
}
