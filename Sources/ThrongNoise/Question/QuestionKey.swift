internal import Crypto
internal import Foundation

/// The key that a question's noise is drawn by: the SHA-256 of all that the question means, as one canonical text.
///
/// The text holds events, buckets, sampling and instants by extension, and no name of a metric or a partner. Two texts
/// are the same question only if they are the same bytes, so code that writes them sorts first.
package struct QuestionKey: Hashable, Sendable {
    /// The digest: 32 bytes.
    package let bytes: [UInt8]

    package init(of canonicalText: String) {
        bytes = Array(SHA256.hash(data: Data(canonicalText.utf8)))
    }

    var hex: String { bytes.lowerHex }
}

/// A counted table as the fresh layer sees it: equal tables have equal digests, and only the secret can tell which table it was.
package struct CountedDigest: Hashable, Sendable {
    /// The digest: 32 bytes.
    package let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    var hex: String { bytes.lowerHex }
}

extension [UInt8] {
    fileprivate var lowerHex: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
