internal import Foundation

/// Base64 of either alphabet, with padding or without, as platforms hand out what vouches for a device.
///
/// Our own wire has `Base64URL` instead.
package enum AnyBase64 {
    /// Reads text; nil if it is none of that.
    package static func bytes(_ text: String) -> [UInt8]? {
        var text = text.replacing("-", with: "+").replacing("_", with: "/")
        while text.utf8.count % 4 != 0 { text += "=" }
        return Data(base64Encoded: text).map { Array($0) }
    }
}
