internal import Foundation

/// The value of the header Authorization in an operator's file: one line of printable ASCII that only its owner may
/// read.
package enum HeaderSecret {
    /// The bytes of a file that only its owner may read.
    package static func contents(_ path: String) throws(HeaderSecretFault) -> [UInt8] {
        let mode: Int
        do {
            mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int ?? 0o777
        } catch {
            throw .missing
        }
        guard mode & 0o077 == 0 else { throw .exposed }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw .missing }
        return Array(bytes)
    }

    package static func read(_ path: String) throws(HeaderSecretFault) -> String {
        let bytes = try contents(path)
        let text = String(decoding: bytes, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { throw .malformed }
        return text
    }
}

/// The reason why there is no such value.
package enum HeaderSecretFault: Error, Hashable, CustomStringConvertible {
    case missing
    case exposed
    case malformed

    /// The words behind the file's path.
    package var description: String {
        switch self {
        case .missing: "is missing or can't be read"
        case .exposed: "may be read by others than its owner; chmod 600 it"
        case .malformed: "is not one line of printable ASCII"
        }
    }
}
