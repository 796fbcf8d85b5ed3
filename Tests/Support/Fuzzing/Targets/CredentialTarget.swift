import ThrongAttestation
import ThrongPlan

/// What credentials are made with. What was read is written as it came; what no issuer made proves nothing.
struct CredentialTarget: FuzzTarget {
    private let issuer: IssuerSecrets
    private let precredential: Precredential?

    /// The base point of P-256, three times: a key, though nobody knows its secrets.
    private static let key: [UInt8] = {
        let x: [UInt8] = [
            0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8, 0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2,
            0x77, 0x03, 0x7d, 0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8, 0x98, 0xc2, 0x96,
        ]
        return Array([[3], x, [3], x, [3], x].joined())
    }()
    private static let context = Array("fuzz".utf8)

    init() throws {
        // The numbers from 1 to 4, of 32 bytes each.
        let zeros = [UInt8](repeating: 0, count: 31)
        let secrets = (1...4).flatMap { zeros + [UInt8($0)] }
        issuer = try IssuerSecrets(rawRepresentation: secrets)
        precredential = Precredential(for: try IssuerKey(rawRepresentation: Self.key), requestContext: Self.context)
    }

    func read(_ bytes: [UInt8]) throws(FuzzFinding) {
        // Lengths tell forms apart, so that all of them may be tried.
        if let key = Self.tried({ () throws(AttestationError) in try IssuerKey(rawRepresentation: bytes) }) {
            try Self.check(key.rawRepresentation, is: bytes, .issuerKey)
        }
        if let request = Self.tried({ () throws(AttestationError) in
            try CredentialRequest(rawRepresentation: bytes)
        }) {
            try Self.check(request.rawRepresentation, is: bytes, .request)
            _ = request.isProved
        }
        if let response = Self.tried({ () throws(AttestationError) in
            try CredentialResponse(rawRepresentation: bytes)
        }) {
            let credential = Self.tried { () throws(AttestationError) in try precredential?.finalize(response) }
            try FuzzFinding.check(credential == nil, .mismatch(what: "a response that no issuer made"))
        }
        if let presentation = Self.tried({ () throws(AttestationError) in
            try Presentation(rawRepresentation: bytes)
        }) {
            try Self.check(presentation.rawRepresentation, is: bytes, .presentation)
            try FuzzFinding.check(
                !presentation.isProved(for: Self.context, requestContext: Self.context, by: issuer),
                .mismatch(what: "a presentation of no credential"))
        }
        _ = Self.tried { () throws(AttestationError) in try IssuerSecrets(rawRepresentation: bytes) }
        if let stored = Self.tried({ () throws(AttestationError) in try Credential(rawRepresentation: bytes) }) {
            try Self.check(stored.rawRepresentation, is: bytes, .credential)
            _ = stored.tag(for: Self.context)
        }
        if let stored = Self.tried({ () throws(AttestationError) in try Precredential(rawRepresentation: bytes) }) {
            try Self.check(stored.rawRepresentation, is: bytes, .precredential)
        }
    }

    private static func check(
        _ written: [UInt8], is bytes: [UInt8], _ form: AttestationForm
    ) throws(FuzzFinding) {
        try FuzzFinding.check(written == bytes, .written(what: "a \(form.rawValue)"))
    }

    /// Nil where it is refused: why is no matter here.
    private static func tried<Value>(_ work: () throws(AttestationError) -> Value?) -> Value? {
        do throws(AttestationError) { return try work() } catch { return nil }
    }
}
