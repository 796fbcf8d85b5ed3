internal import Crypto
internal import Foundation

/// Takes a form's fields off its bytes, one after the other. Its length is checked first, so that no field is short.
struct ByteReader {
    private let form: AttestationForm
    private var rest: ArraySlice<UInt8>

    init(_ bytes: some Collection<UInt8>, of form: AttestationForm) throws(AttestationError) {
        guard bytes.count == form.byteCount else { throw .length(of: form, found: bytes.count) }
        self.form = form
        rest = ArraySlice(Array(bytes))
    }

    mutating func point(_ field: String) throws(AttestationError) -> Point {
        guard let point = Point(compressed: bytes(Point.byteCount)) else { throw .point(in: form, field: field) }
        return point
    }

    mutating func scalar(_ field: String) throws(AttestationError) -> Scalar {
        guard let scalar = Scalar(canonical: bytes(Scalar.byteCount)) else { throw .scalar(in: form, field: field) }
        return scalar
    }

    /// A scalar that is not 0.
    mutating func secret(_ field: String) throws(AttestationError) -> Scalar {
        let scalar = try scalar(field)
        guard !scalar.isZero else { throw .scalar(in: form, field: field) }
        return scalar
    }

    mutating func proof(ofSecrets secrets: Int) throws(AttestationError) -> Proof {
        let challenge = try scalar("the proof's challenge")
        var responses: [Scalar] = []
        for number in 1...secrets { responses.append(try scalar("the proof's response \(number)")) }
        return Proof(challenge: challenge, responses: responses)
    }

    mutating func bytes(_ count: Int) -> ArraySlice<UInt8> {
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }
}

/// The frame of what a device stores: byte 0 is the version, the last 32 bytes are a SHA-256 of a label and of all before them.
///
/// The digest finds what broke or was cut off. It keeps nobody out: whoever can write there can write another digest.
enum StoredBytes {
    static let version: UInt8 = 1

    static func wrap(_ fields: [UInt8], as form: AttestationForm) -> [UInt8] {
        let bytes = [version] + fields
        return bytes + digest(bytes, form)
    }

    static func open(_ bytes: some Collection<UInt8>, as form: AttestationForm) throws(AttestationError) -> ByteReader {
        // The version comes first: a later one may have another length.
        if let found = bytes.first, found != version { throw .version(of: form, found: found) }
        var reader = try ByteReader(bytes, of: form)
        guard digest(Array(bytes.dropLast(32)), form).elementsEqual(bytes.suffix(32)) else { throw .damaged(form) }
        _ = reader.bytes(1)
        return reader
    }

    private static func digest(_ bytes: [UInt8], _ form: AttestationForm) -> [UInt8] {
        Array(SHA256.hash(data: Array("throng-arc-1 \(form.rawValue)".utf8) + bytes))
    }
}

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
