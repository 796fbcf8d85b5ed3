internal import Logging
internal import SwiftASN1
internal import Synchronization
internal import ThrongReport
internal import ThrongWire

/// The daemon's certificate, from the last version of its files that could be used.
final class Certificates: Sendable {
    /// The certificate in use, and its number, counted from 1.
    struct InForce: Sendable {
        let certificate: ServerCertificate
        let number: Int
    }

    private struct State {
        var inForce: InForce?
        /// The contents that were read last, usable or not: the log names each problem once.
        var tried: TLSFiles.Contents?
        var problem: TLSError?
        var warned = ContinuousClock.now
    }

    private let files: TLSFiles
    private let clock: UnixClock
    private let logger: Logger
    private let state = Mutex(State())

    /// The time before a certificate's end from which the log warns that nobody renewed it. Unit: seconds.
    private static let late: Int64 = 14 * 86_400
    /// The time between two warnings of a certificate that ends soon.
    private static let warnings = Duration.seconds(86_400)

    init(_ files: TLSFiles, clock: UnixClock, logger: Logger) {
        (self.files, self.clock, self.logger) = (files, clock, logger)
    }

    /// The certificate in use; nil before ``load()``.
    var inForce: InForce? { state.withLock { $0.inForce } }

    /// Reads the files for the first time; the daemon can't start without a certificate.
    func load() throws(TLSError) {
        let contents = try files.read()
        let certificate = try ServerCertificate(contents, of: files, now: clock.now)
        state.withLock { $0 = State(inForce: InForce(certificate: certificate, number: 1), tried: contents) }
        if let mode = files.looseKeyMode {
            logger.warning(
                "others than the key's owner may use it, or change it; take that from them: chmod 0600",
                metadata: ["key": "\(files.key)", "mode": "\(String(mode, radix: 8))"])
        }
        say(certificate)
    }

    /// Reads the files again, and uses them if they have changed. If they can't be used, the log says so once, and the
    /// former certificate stays in force.
    ///
    /// - Parameter isAsked: true if somebody waits for an answer in the log.
    /// - Returns: the reason why the files can't be used; nil if they are in force.
    @discardableResult func reload(isAsked: Bool = false) -> TLSError? {
        do throws(TLSError) {
            let contents = try files.read()
            let (isNew, problem) = state.withLock { state in
                defer { state.tried = contents }
                return (state.tried != contents || isAsked && state.problem != nil, state.problem)
            }
            guard isNew else {
                if isAsked, problem == nil { logger.notice("SIGHUP: the certificate's files say what they said") }
                return problem
            }
            let certificate = try ServerCertificate(contents, of: files, now: clock.now)
            state.withLock { state in
                state.inForce = InForce(certificate: certificate, number: (state.inForce?.number ?? 0) + 1)
                state.problem = nil
            }
            logger.notice("the certificate was read anew; new connections get it")
            say(certificate)
            return nil
        } catch {
            let isKnown = state.withLock { state in
                defer { state.problem = error }
                return state.problem == error
            }
            if isAsked || !isKnown {
                logger.error(
                    "the certificate can't be read anew, and the former one stays in force",
                    metadata: ["error": "\(error)"])
            }
            return error
        }
    }

    /// Looks whether the files have changed, as certbot and lego change them; warns once a day of an end that is near.
    func look() throws(TLSError) {
        let problem = reload()
        let isDue = state.withLock { state in
            guard .now >= state.warned + Self.warnings else { return false }
            state.warned = .now
            return true
        }
        if isDue { sayIfLate() }
        if let problem { throw problem }
    }

    private func sayIfLate() {
        guard let end = inForce?.certificate.end, end - clock.now < Self.late else { return }
        logger.warning(
            "the certificate ends soon, and nobody has renewed it", metadata: ["end": "\(Instant.text(end))"])
    }

    private func say(_ certificate: ServerCertificate) {
        logger.info("speaking TLS", metadata: ["certificate_until": "\(Instant.text(certificate.end))"])
        sayIfLate()
    }
}

/// Checks that a certificate is strong enough for clients that insist on it, such as Apple's App Transport Security.
///
/// Source: Apple, Information Property List, NSAppTransportSecurity: "signed with SHA-256 or greater … either a
/// 2048-bit or greater RSA key, or a 256-bit or greater elliptic-curve key"; RFC 5280, section 4.1 (the certificate);
/// RFC 8017, appendix A.1.1.
enum CertificateStrength {
    enum Weakness: Equatable {
        case key(String)
        case signature(String)
    }

    /// RSA and ECDSA with SHA-256, SHA-384 and SHA-512; RSA-PSS, which no authority uses with less.
    private static let signatures: Set = [
        "1.2.840.113549.1.1.11", "1.2.840.113549.1.1.12", "1.2.840.113549.1.1.13", "1.2.840.113549.1.1.10",
        "1.2.840.10045.4.3.2", "1.2.840.10045.4.3.3", "1.2.840.10045.4.3.4",
    ]
    private static let rsa = "1.2.840.113549.1.1.1"
    private static let elliptic = "1.2.840.10045.2.1"
    /// P-256, P-384 and P-521.
    private static let curves: Set = ["1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35"]
    private static let leastRSA = 2048

    /// Returns the weakness, which such clients refuse, of a certificate in DER; nil if there is none.
    static func weakness(of certificate: [UInt8]) throws -> Weakness? {
        let parts = try fields(of: DER.parse(certificate), least: 2)
        // The key follows the serial number, signature, issuer, validity and subject.
        let key = try fields(of: parts[0], least: 6)[5]
        if let problem = try keyProblem(fields(of: key, least: 2)) { return .key(problem) }
        let signature = try name(fields(of: parts[1], least: 1)[0])
        return signatures.contains(signature) ? nil : .signature(signature)
    }

    /// Returns the fields of a sequence, without those that have a tag of their own, such as the version.
    private static func fields(of node: ASN1Node, least: Int) throws -> [ASN1Node] {
        guard case .constructed(let nodes) = node.content, node.identifier == .sequence else {
            throw ASN1Error.unexpectedFieldType(node.identifier)
        }
        let fields = nodes.filter { $0.identifier.tagClass == .universal }
        guard fields.count >= least else { throw ASN1Error.invalidASN1Object(reason: "A field is missing.") }
        return fields
    }

    private static func name(_ node: ASN1Node) throws -> String { "\(try ASN1ObjectIdentifier(derEncoded: node))" }

    private static func keyProblem(_ key: [ASN1Node]) throws -> String? {
        let algorithm = try fields(of: key[0], least: 1)
        let kind = try name(algorithm[0])
        switch kind {
        case rsa:
            let numbers = try fields(of: DER.parse(ASN1BitString(derEncoded: key[1]).bytes), least: 2)
            guard case .primitive(let bytes) = numbers[0].content else { return "an RSA key without a modulus" }
            let modulus = bytes.drop { $0 == 0 }
            let size = modulus.count * 8 - (modulus.first?.leadingZeroBitCount ?? 0)
            return size >= leastRSA ? nil : "an RSA key of \(size) bits"
        case elliptic:
            let curve = try name(algorithm[algorithm.count - 1])
            return curves.contains(curve) ? nil : "a key on the curve \(curve)"
        default: return "a key of the kind \(kind)"
        }
    }
}
