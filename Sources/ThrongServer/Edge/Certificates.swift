internal import Logging
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
    }

    private let files: TLSFiles
    private let clock: UnixClock
    private let logger: Logger
    private let state = Mutex(State())

    /// The time before a certificate's end from which the log warns that nobody renewed it. Unit: seconds.
    private static let late: Int64 = 14 * 86_400

    init(_ files: TLSFiles, clock: UnixClock, logger: Logger) {
        self.files = files
        self.clock = clock
        self.logger = logger
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
    @discardableResult
    func reload(isAsked: Bool = false) -> TLSError? {
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

    func sayIfLate() {
        guard let end = inForce?.certificate.end, end - clock.now < Self.late else { return }
        logger.warning(
            "the certificate ends soon, and nobody has renewed it", metadata: ["end": "\(Instant.text(end))"])
    }

    private func say(_ certificate: ServerCertificate) {
        logger.info("speaking TLS", metadata: ["certificate_until": "\(Instant.text(certificate.end))"])
        sayIfLate()
    }
}
