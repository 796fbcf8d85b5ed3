internal import Foundation

/// A request of HTTP/1.1 that we make.
package struct OutgoingRequest: Sendable {
    package enum Method: String, Sendable {
        case get = "GET"
        case post = "POST"
        case put = "PUT"
        case options = "OPTIONS"
    }

    package var method: Method
    /// `http` or `https`, as far as the connection's rules allow.
    package var url: String
    /// Sent in this order, and nothing beside them but Host and Content-Length.
    package var headers: [(name: String, value: String)]
    /// Nothing with GET.
    package var body: [UInt8]

    package init(
        _ method: Method = .get, _ url: String, headers: [(name: String, value: String)] = [], body: [UInt8] = []
    ) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }

    /// The first header that can't be sent as it is: its bytes would begin another line, or its name is none.
    var malformedHeader: String? {
        headers.first { name, value in
            name.isEmpty || !name.utf8.allSatisfy { 0x21...0x7E ~= $0 && $0 != UInt8(ascii: ":") }
                || value.utf8.contains { $0 < 0x20 && $0 != UInt8(ascii: "\t") || $0 == 0x7F }
        }?.name
    }
}

package struct ReceivedAnswer: Sendable {
    /// 200 to 599, where the server keeps to HTTP.
    package internal(set) var status: Int
    /// The headers, in the order in which they came; names in lower case.
    package internal(set) var headers: [(name: String, value: String)]
    /// Empty where only the head was asked for.
    package internal(set) var body: [UInt8]

    /// The value of the first header of a name, which is in lower case.
    package func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

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
