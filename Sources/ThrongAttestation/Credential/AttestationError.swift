internal import Crypto
internal import Foundation

/// The reason why bytes are no part of a credential, or none can be made of them. No case holds any of the bytes.
package enum AttestationError: Error, Sendable, Hashable, CustomStringConvertible {
    case length(of: AttestationForm, found: Int)
    case point(in: AttestationForm, field: String)
    /// 32 bytes are no number below the group's order, or are 0 if that is not allowed.
    case scalar(in: AttestationForm, field: String)
    case version(of: AttestationForm, found: UInt8)
    /// The stored bytes are not what was written: their digest differs, or their parts do not belong to each other.
    case damaged(AttestationForm)
    case unproved
    /// The response makes a credential that would show nothing.
    case empty
    /// A part of a presentation context is longer than its length may say.
    case contextPart(found: Int)

    /// Bytes that one part of a presentation context may have.
    package static let longestContextPart = 65_535

    package var description: String {
        switch self {
        case .length(let form, let found):
            "a \(form.rawValue) has \(form.byteCount) bytes, not \(found). Check that it came whole. \(Self.advice(form))"
        case .point(let form, let field):
            "\(field) of a \(form.rawValue) is no point of P-256: "
                + "allowed are 33 bytes that begin with 2 or 3 and have an x that is on the curve. \(Self.advice(form))"
        case .scalar(let form, let field):
            "\(field) of a \(form.rawValue) is no number that is allowed: "
                + "32 bytes, below the group's order, and a secret is not 0. \(Self.advice(form))"
        case .version(let form, let found):
            "a \(form.rawValue) has version \(found); this program reads version \(StoredBytes.version). "
                + "A newer program may have written it. \(Self.advice(form))"
        case .damaged(let form):
            "a \(form.rawValue) is not what was written: its digest does not fit. \(Self.advice(form))"
        case .unproved:
            "the response's proof does not hold for this request and this issuer key. "
                + "The daemon may have another key by now: fetch the key again, and ask with a new request."
        case .empty:
            "the response makes a credential of the identity element, which shows nothing. Ask with a new request."
        case .contextPart(let found):
            "a part of a presentation context has \(found) bytes; allowed are \(Self.longestContextPart). "
                + "Shorten the name or the bucket's label in the plan."
        }
    }

    private static func advice(_ form: AttestationForm) -> String {
        switch form {
        case .issuerKey: "Fetch the key again."
        case .request, .presentation: "Refuse it; its sender makes a new one."
        case .issuerSecrets: "Take them from a backup, or begin a new epoch."
        case .response: "Send the same request again."
        case .precredential, .credential: "Forget it, and ask for a new credential."
        }
    }
}

/// A form of bytes that a credential is made with. Each of them has a fixed length.
package enum AttestationForm: String, Sendable, Hashable {
    /// ``IssuerKey``: what the daemon publishes.
    case issuerKey = "public key"
    /// ``CredentialRequest``: from the device to the daemon.
    case request = "credential request"
    /// ``CredentialResponse``: from the daemon to the device.
    case response = "credential response"
    /// ``Presentation``: from the device to the daemon, in each window.
    case presentation = "presentation"
    /// ``IssuerSecrets``: kept by the daemon.
    case issuerSecrets = "private key"
    /// ``Precredential``: stored on the device until the response is there.
    case precredential = "stored precredential"
    /// ``Credential``: stored on the device.
    case credential = "stored credential"

    package var byteCount: Int {
        switch self {
        case .issuerKey: 3 * Point.byteCount
        case .request: 2 * Point.byteCount + 5 * Scalar.byteCount
        case .response: 6 * Point.byteCount + 8 * Scalar.byteCount
        case .presentation: 4 * Point.byteCount + 5 * Scalar.byteCount
        case .issuerSecrets: 4 * Scalar.byteCount
        case .precredential: 1 + 4 * Scalar.byteCount + 3 * Point.byteCount + Self.request.byteCount + 32
        case .credential: 1 + Scalar.byteCount + 3 * Point.byteCount + 32
        }
    }
}

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
