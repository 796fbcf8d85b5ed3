internal import Foundation

/// Base64 between two lines that say what it is (RFC 7468).
enum PEM {
    static func text(_ bytes: [UInt8], label: String) -> String {
        "-----BEGIN \(label)-----\n\(Data(bytes).base64EncodedString())\n-----END \(label)-----\n"
    }

    /// The bytes of the only block of a text; nil where it is not the only one, or has another label.
    static func bytes(of text: String, label: String) -> [UInt8]? {
        let lines = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        guard lines.first == "-----BEGIN \(label)-----", lines.last == "-----END \(label)-----" else { return nil }
        return Data(base64Encoded: lines.dropFirst().dropLast().joined()).map(Array.init)
    }
}
