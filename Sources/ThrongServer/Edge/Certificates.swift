internal import Foundation
internal import Hummingbird
internal import Logging
internal import NIOCore
internal import SwiftASN1
internal import Synchronization
package import ThrongWire

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

/// The files that a daemon needs for TLS, each of them PEM.
package struct TLSFiles: Sendable, Hashable {
    /// `tls.certificate` (path, none): the daemon's certificate, and behind it those between it and a root.
    package var certificate: String
    /// `tls.key` (path, none): the private key of the first certificate, without a passphrase.
    package var key: String
    /// `intake.client-authorities` (path, none): clients need a certificate of one of these authorities to connect; nil
    /// asks nobody for one.
    package var clientAuthorities: String?
    /// True if browsers are to use https for all names under this one, too: `includeSubDomains` behind `tls.certificate`.
    package var isForSubdomains = false

    package init(certificate: String, key: String, clientAuthorities: String? = nil) {
        (self.certificate, self.key, self.clientAuthorities) = (certificate, key, clientAuthorities)
    }

    struct Contents: Equatable {
        let certificate: [UInt8]
        let key: [UInt8]
        let clientAuthorities: [UInt8]?
    }

    func read() throws(TLSError) -> Contents {
        Contents(
            certificate: try Self.bytes(of: certificate), key: try Self.bytes(of: key),
            clientAuthorities: try clientAuthorities.map { path throws(TLSError) in try Self.bytes(of: path) })
    }

    /// The mode of the key's file if it lets others than the owner and readers of the group use it; nil if it does not.
    /// Unit: the mode's lowest nine bits.
    var looseKeyMode: UInt32? {
        var status = stat()
        guard stat(key, &status) == 0 else { return nil }
        return status.st_mode & 0o027 == 0 ? nil : status.st_mode & 0o777
    }

    private static func bytes(of path: String) throws(TLSError) -> [UInt8] {
        guard let file = fopen(path, "re") else {
            throw .unreadable(path: path, reason: String(cString: strerror(errno)))
        }
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: largest + 1)
        let count = fread(&bytes, 1, bytes.count, file)
        guard ferror(file) == 0 else { throw .unreadable(path: path, reason: String(cString: strerror(errno))) }
        guard count <= largest else { throw .unreadable(path: path, reason: "it has more than \(largest) bytes") }
        return Array(bytes.prefix(count))
    }

    /// The largest size of a file. Unit: bytes.
    private static let largest = 1 << 20
}

/// The reason why a daemon can't use TLS with the files that it was given.
package enum TLSError: Error, Sendable, Hashable, CustomStringConvertible {
    case unreadable(path: String, reason: String)
    case noCertificate(path: String)
    case noKey(path: String)
    case otherKey(path: String, certificate: String)
    case expired(path: String, at: UnixSeconds)
    case early(path: String, at: UnixSeconds)
    case weakKey(path: String, found: String)
    case weakSignature(path: String, found: String)
    case authoritiesWithoutTLS
    case notBuilt

    package var description: String {
        switch self {
        case .unreadable(let path, let reason):
            "\(path) can't be read: \(reason). Name a file in PEM with --tls-certificate, "
                + "--tls-key or THRONG_INTAKE_CLIENT_AUTHORITIES, and let the user that throng runs as read it."
        case .noCertificate(let path):
            "\(path) holds no certificate that can be read. It takes PEM, "
                + "lines between BEGIN CERTIFICATE and END CERTIFICATE: certbot calls the file fullchain.pem."
        case .noKey(let path):
            "\(path) holds no private key that can be read. It takes PEM without a passphrase: "
                + "certbot calls the file privkey.pem."
        case .otherKey(let path, let certificate):
            "the key in \(path) is not that of the first certificate in \(certificate). "
                + "Name the two that were made together, the certificate of this machine first in its file."
        case .expired(let path, let time):
            "the certificate in \(path) ended at \(Instant.text(time)). "
                + "Have it renewed (certbot renew, lego renew), and see to it that this happens by itself."
        case .early(let path, let time):
            "the certificate in \(path) begins at \(Instant.text(time)), which is still to come. "
                + "Set the clock right, or take the certificate that is in force."
        case .weakKey(let path, let found):
            "the certificate in \(path) has \(found). Clients take RSA with 2048 bits or more, or ECDSA on P-256, "
                + "P-384 or P-521: have one made with such a key."
        case .weakSignature(let path, let found):
            "the certificate in \(path) was signed by the algorithm \(found). "
                + "Clients take RSA and ECDSA with SHA-256, SHA-384 or SHA-512: have it signed anew."
        case .authoritiesWithoutTLS:
            "THRONG_INTAKE_CLIENT_AUTHORITIES asks clients for certificates, which takes TLS: "
                + "name --tls-certificate and --tls-key, too, or remove the variable."
        case .notBuilt:
            "this program was built for a first look, without TLS. Build one that has it: Deploy/quickstart --tls, or Deploy/build."
        }
    }
}

/// The TLS sessions of one listener. No session outlives a window.
///
/// A session that is resumed, by a ticket or by its number, tells that two connections are one device's, and so does a
/// connection that stays open. Across a window's end either would link two identifiers. A context resumes its own
/// sessions only. So each end of any purpose's window brings a new context, and connections of the former one are
/// closed (``endFormer(at:)``).
final class TLSSessions: Sendable {
    private struct State {
        var context: TLSContext?
        var certificate = 0
        var windows: [WindowNumber] = []
        /// The number of the current windows; grows with each end of one.
        var era = 0
        /// The era up to which connections were closed.
        var closed = 0
        var open: [ObjectIdentifier: (channel: any Channel, era: Int)] = [:]
    }

    private let certificates: Certificates
    private let rotations: [Rotation]
    /// True if only clients with a certificate of the listed authorities are let in: proxies, whose connections are no
    /// device's.
    private let asksClients: Bool
    private let state = Mutex(State())

    /// - Parameter rotations: the rotations of the purposes that are counted here.
    init(_ certificates: Certificates, rotations: Set<Rotation>, asksClients: Bool) {
        self.certificates = certificates
        self.rotations = rotations.sorted()
        self.asksClients = asksClients
    }

    /// Returns the context for a connection that begins now; nil without a certificate. Errors end the connection.
    func context(at now: UnixSeconds) throws -> TLSContext? {
        guard let inForce = certificates.inForce else { return nil }
        return try state.withLock { state in
            enter(now, &state)
            if let context = state.context, state.certificate == inForce.number { return context }
            let context = try inForce.certificate.context(asksClients: asksClients)
            state.context = context
            state.certificate = inForce.number
            return context
        }
    }

    /// Registers a connection, to be closed once its window is over.
    func opened(_ channel: any Channel, at now: UnixSeconds) {
        guard !asksClients else { return }
        let key = ObjectIdentifier(channel)
        state.withLock { state in
            enter(now, &state)
            state.open[key] = (channel, state.era)
        }
        channel.closeFuture.whenComplete { [weak self] _ in self?.closed(key) }
    }

    private func closed(_ key: ObjectIdentifier) { state.withLock { _ = $0.open.removeValue(forKey: key) } }

    /// Closes the connections of windows that are over: those that are idle at once, others after their answer.
    func endFormer(at now: UnixSeconds) {
        let former = state.withLock { state -> [any Channel] in
            enter(now, &state)
            guard state.closed < state.era else { return [] }
            state.closed = state.era
            let former = state.open.filter { $0.value.era < state.era }
            for key in former.keys { state.open.removeValue(forKey: key) }
            return former.values.map { $0.channel }
        }
        for channel in former { channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent()) }
    }

    private func enter(_ now: UnixSeconds, _ state: inout State) {
        let windows = rotations.map { $0.window(at: now) }
        guard windows != state.windows else { return }
        state.windows = windows
        state.context = nil
        state.era += 1
    }
}

/// Begins TLS with a connection's first bytes. A silent connection takes no memory for it, and nobody resumes a session
/// of a window that has ended since they connected.
///
/// Unchecked: a handler is confined to its channel's event loop.
final class TLSStart: ChannelInboundHandler, RemovableChannelHandler, @unchecked Sendable {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let sessions: TLSSessions
    private let clock: UnixClock

    init(_ sessions: TLSSessions, clock: UnixClock) { (self.sessions, self.clock) = (sessions, clock) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let pipeline = context.pipeline.syncOperations
        do {
            let now = clock.now
            guard let tls = try sessions.context(at: now) else { return context.close(promise: nil) }
            sessions.opened(context.channel, at: now)
            try pipeline.addHandler(tls.handler, position: .after(self))
        } catch {
            // A connection without a context of its own is closed: there is no other to fall back to.
            return context.close(promise: nil)
        }
        context.fireChannelRead(data)
        pipeline.removeHandler(self, promise: nil)
    }
}

/// Makes browsers use https only, for a year; for other names under this one only where the operator promises it.
///
/// Source: RFC 6797, sections 6.1.2 and 7.1: on answers over TLS, and on no others.
struct StrictTransport: RouterMiddleware {
    let isForSubdomains: Bool

    func handle(_ request: Request, context: BasicRequestContext, next: NextResponder) async throws -> Response {
        var response = try await next(request, context)
        response.headers[.strictTransportSecurity] = "max-age=31536000" + (isForSubdomains ? "; includeSubDomains" : "")
        return response
    }
}
