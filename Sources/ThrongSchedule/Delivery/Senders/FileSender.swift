internal import Crypto
internal import Foundation
internal import NIOCore
internal import NIOPosix
internal import Synchronization
package import ThrongPlan
package import ThrongReport
package import ThrongSystem

/// Sends one file to a partner over HTTPS.
///
/// The name is resolved once, the address is checked, and the connection goes to that address: a name that answers
/// otherwise the next time leads nowhere else. Redirects are not followed; TLS 1.2 or later, the certificate is
/// checked.
package struct FileSender: Sendable {
    package let options: DeliveryOptions
    package var lookup = HostLookup(limit: .seconds(DeliveryOptions.lookupSeconds))

    /// Sends a file, with a key of 32 bytes that is the same for every try; returns the status, which is 2xx.
    package func send(_ file: ReportFile, to target: HTTPDelivery, key: [UInt8]) async throws(DeliveryFault) -> Int {
        guard options.hosts.contains(target.authority) else { throw .hostNotAllowed(target.authority) }
        let secret = try target.authorization.map { name throws(DeliveryFault) in try options.secret(name) }
        let address = try await self.address(of: target)
        var rules = ConnectionRules()
        rules.allowsPlain = false
        rules.pinned = (address, target.port)
        rules.authorities = options.authorities
        rules.isKept = false
        rules.connectLimit = .seconds(min(10, options.fileSeconds))
        let request = request(file, to: target, key: key, secret: secret)
        let status: Int
        do throws(HTTPFault) {
            // The rest of the partner's answer is cut off: its status is all that counts.
            status = try await HTTPConnection(rules).status(of: request, within: .seconds(options.fileSeconds))
        } catch { throw .noAnswer(reason: error.description) }
        if (300..<400).contains(status) { throw .redirected(status: status) }
        guard (200..<300).contains(status) else { throw .refused(status: status) }
        return status
    }

    private func request(
        _ file: ReportFile, to target: HTTPDelivery, key: [UInt8], secret: String?
    ) -> OutgoingRequest {
        // RFC 9530, and the draft of the header Idempotency-Key: a structured field's string.
        let digest = Data(SHA256.hash(data: file.contents)).base64EncodedString()
        var headers = [
            (name: "Content-Type", value: file.mediaType), (name: "Content-Digest", value: "sha-256=:\(digest):"),
            (name: "Idempotency-Key", value: "\"\(key.lowerHex)\""),
            (name: "Content-Disposition", value: "attachment; filename=\"\(file.name)\""),
            (name: "User-Agent", value: "throng"),
        ]
        if let secret { headers.append((name: "Authorization", value: secret)) }
        let url = target.method == .put ? target.url + file.name : target.url
        return OutgoingRequest(target.method == .put ? .put : .post, url, headers: headers, body: Array(file.contents))
    }

    package static func key(of file: ReportFile, within delivery: [UInt8]) -> [UInt8] {
        Array(SHA256.hash(data: delivery + Array(file.name.utf8)))
    }

    private func address(of target: HTTPDelivery) async throws(DeliveryFault) -> String {
        let address: String
        switch await lookup.address(of: target.host, port: target.port) {
        case .found(let text): address = text
        case .unknown: throw .unresolved(host: target.host)
        case .late: throw .unresolvedInTime(host: target.host)
        }
        guard options.privateHosts.contains(target.authority) || PublicAddress.holds(address) else {
            throw .privateAddress(host: target.host, address: address)
        }
        return address
    }
}

/// Asks the system for the address of a host, for so long and no longer: it asks several servers several times, and a
/// delivery's lease ends meanwhile.
package struct HostLookup: Sendable {
    package enum Outcome: Sendable, Hashable {
        case found(String)
        case unknown
        case late
    }

    package let limit: Duration
    /// Blocks for as long as the system takes; nil where the name has no address.
    package var system: @Sendable (_ host: String, _ port: Int) -> String? = { host, port in
        do { return try SocketAddress.makeAddressResolvingHost(host, port: port).ipAddress } catch { return nil }
    }

    /// Looks on a thread of its own, which goes on by itself where it is late.
    package func address(of host: String, port: Int) async -> Outcome {
        await withCheckedContinuation { continuation in
            let first = First(continuation)
            let late = MultiThreadedEventLoopGroup.singleton.any().scheduleTask(in: TimeAmount(limit)) {
                first.say(.late)
            }
            Thread.detachNewThread { [system] in
                first.say(system(host, port).map { .found($0) } ?? .unknown)
                late.cancel()
            }
        }
    }

    /// A race for the answer: the first outcome wins.
    private final class First: Sendable {
        private let waiting: Mutex<CheckedContinuation<Outcome, Never>?>

        init(_ continuation: CheckedContinuation<Outcome, Never>) { waiting = Mutex(continuation) }

        func say(_ outcome: Outcome) {
            waiting.withLock { waiting in
                defer { waiting = nil }
                return waiting
            }?.resume(returning: outcome)
        }
    }
}

/// Tells addresses of the public internet from all others: a partner's name must not lead to a machine inside.
///
/// Source: IANA's special-purpose address registries (RFC 6890 and its updates).
package enum PublicAddress {
    /// Ranges of IPv4 that are not public: the address's first bits.
    private static let special4: [(network: [UInt8], bits: Int)] = [
        ([0], 8), ([10], 8), ([100, 64], 10), ([127], 8), ([169, 254], 16), ([172, 16], 12), ([192, 0, 0], 24),
        ([192, 0, 2], 24), ([192, 88, 99], 24), ([192, 168], 16), ([198, 18], 15), ([198, 51, 100], 24),
        ([203, 0, 113], 24), ([224], 3),
    ]

    /// Ranges within 2000::/3 that are not public, or that lead on to an IPv4 address.
    private static let special6: [(network: [UInt8], bits: Int)] = [
        ([0x20, 0x01, 0x00], 23), ([0x20, 0x01, 0x0D, 0xB8], 32), ([0x20, 0x02], 16), ([0x3F, 0xFF, 0x00], 20),
    ]

    /// True if a text is the address of a machine on the public internet.
    package static func holds(_ text: String) -> Bool {
        var four = in_addr()
        if inet_pton(AF_INET, text, &four) == 1 {
            let bytes = withUnsafeBytes(of: &four) { Array($0) }
            return !special4.contains { starts(bytes, with: $0.network, bits: $0.bits) }
        }
        var six = in6_addr()
        guard inet_pton(AF_INET6, text, &six) == 1 else { return false }
        let bytes = withUnsafeBytes(of: &six) { Array($0) }
        return starts(bytes, with: [0x20], bits: 3)
            && !special6.contains { starts(bytes, with: $0.network, bits: $0.bits) }
    }

    private static func starts(_ bytes: [UInt8], with network: [UInt8], bits: Int) -> Bool {
        (0..<bits).allSatisfy { bit in
            let wanted = bit / 8 < network.count ? network[bit / 8] : 0
            return (bytes[bit / 8] ^ wanted) & 0x80 >> UInt8(bit % 8) == 0
        }
    }
}

/// Sends a report's files in one mail, with its first answers in words.
struct MailSender {
    let options: DeliveryOptions

    /// The file in the folder of secrets that holds the password of the server's user.
    static let secret = "secrets/smtp"

    /// - Parameters:
    ///   - letter: a ``ReportLetter`` in JSON.
    ///   - key: 32 bytes, the same for every try; the mail's Message-ID.
    func send(
        _ files: [ReportFile], with letter: [UInt8], to address: MailAddress, key: [UInt8], now: UnixSeconds
    ) async throws {
        guard let mail = options.mail else { throw DeliveryFault.noMailServer }
        guard options.hosts.contains(address.domain) else { throw DeliveryFault.hostNotAllowed(address.domain) }
        let words = try ReportLetter(json: letter)
        var message = MailMessage(from: mail.from.text, to: address.text, id: key.lowerHex)
        (message.sender, message.subject) = (words.sender, words.subject)
        (message.text, message.page) = (words.text, words.page)
        message.files = files.map { .init(name: $0.name, mediaType: $0.mediaType, contents: $0.contents) }
        var dispatch = MailDispatch(to: mail.server)
        dispatch.authorities = options.authorities
        dispatch.limit = .seconds(options.fileSeconds)
        if mail.server.user != nil { dispatch.password = try options.secret("smtp") }
        do throws(MailFault) { try await dispatch.send(message, date: now.value) } catch { throw DeliveryFault(error) }
    }
}

extension DeliveryFault {
    fileprivate init(_ fault: MailFault) {
        self =
            switch fault {
            case .refused(let status): status < 500 ? .mailDeferred(status: status) : .mailRefused(status: status)
            case .signIn: .mailSignIn
            case .unprotected: .mailUnprotected
            case .failed(let fault): .noAnswer(reason: fault.description)
            }
    }
}

/// The reason why a try of a delivery failed; never holds a secret or what a partner answered.
package enum DeliveryFault: Error, Hashable, CustomStringConvertible {
    case hostNotAllowed(String)
    case unresolved(host: String)
    case unresolvedInTime(host: String)
    case privateAddress(host: String, address: String)
    case secretMissing(path: String)
    case secretExposed(path: String)
    case secretMalformed(path: String)
    case refused(status: Int)
    case redirected(status: Int)
    case noAnswer(reason: String)
    case noMailServer
    case mailRefused(status: Int)
    case mailDeferred(status: Int)
    case mailSignIn
    case mailUnprotected
    case addressGone
    case unknownTarget
    case noFiles

    /// True where another try would come to the same.
    package var isForGood: Bool {
        switch self {
        case .mailRefused, .addressGone: true
        default: false
        }
    }

    package var description: String {
        switch self {
        case .hostNotAllowed(let authority):
            "\(authority) is not among THRONG_DELIVER_HOSTS, so that nothing was sent; add it there if that is right"
        case .unresolved(let host): "the name \(host) has no address"
        case .unresolvedInTime(let host):
            "the address of \(host) was not found within \(DeliveryOptions.lookupSeconds) seconds"
        case .privateAddress(let host, let address):
            "\(host) is at \(address), which is no public address, so that nothing was sent; list it in "
                + "THRONG_DELIVER_PRIVATE_HOSTS if that is right"
        case .secretMissing(let path): "the secret \(path) is missing or can't be read"
        case .secretExposed(let path): "others than its owner may read the secret \(path); chmod 600 it"
        case .secretMalformed(let path): "the secret \(path) is not one line of printable ASCII"
        case .refused(let status): "the partner answered \(status)"
        case .redirected(let status): "the partner answered with a redirect (\(status)), and redirects are not followed"
        case .noAnswer(let reason): "no answer came: \(reason)"
        case .noMailServer: "THRONG_DELIVER_MAIL names no server that takes mails"
        case .mailRefused(let status):
            "the mail server refused the mail for good (\(status)): look at the address in the plan, and at that of "
                + "the sender; `throng report send` tries again"
        case .mailDeferred(let status): "the mail server did not take the mail for now (\(status))"
        case .mailSignIn: "the mail server did not take the user and the password in \(MailSender.secret)"
        case .mailUnprotected:
            "the mail server offers no STARTTLS, and mails go in the clear to this machine only: use smtps://"
        case .addressGone: "the plan has no such mail address any more"
        case .unknownTarget: "the target is none that this version of throng knows"
        case .noFiles: "the report's files were let go of before they were delivered"
        }
    }
}

/// The permissions that an operator gives deliveries over the network. A plan only says where to.
package struct DeliveryOptions: Sendable, Hashable {
    /// The server that takes mails over, and the address that they come from.
    package struct MailRoute: Sendable, Hashable {
        package let server: MailServer
        package let from: MailAddress

        /// Reads both, with a space between them: `smtps://throng@mail.shop.example reports@shop.example`; nil for anything
        /// else.
        package init?(_ text: String) {
            let words = text.split(separator: " ")
            guard words.count == 2, let server = MailServer(String(words[0])), let from = MailAddress(String(words[1]))
            else { return nil }
            (self.server, self.from) = (server, from)
        }
    }

    /// `deliver.hosts` (text, none): hosts, with a port where it is not 443, that reports may be sent to, and domains of mail.
    package var hosts: Set<String> = []
    /// `deliver.private-hosts` (text, none): those of them that may be at loopback, private and other special
    /// addresses.
    package var privateHosts: Set<String> = []
    /// `deliver.ca` (path, none): certificates in PEM that vouch for partners, beside the system's.
    package var authorities: String?
    /// `deliver.mail` (text, none): how mails go; the password of the server's user is the secret `smtp`.
    package var mail: MailRoute?
    /// The folder with a file for each header Authorization, `secrets` in the data directory.
    package let secrets: String
    /// The longest time for a file. Unit: seconds.
    package var fileSeconds: Int64 = 60
    /// The pause after a first try; each is twice the one before, up to an hour. Unit: seconds.
    package var retrySeconds: Int64 = 30
    /// The tries after which a delivery is given up: five hours after the first.
    package var tries = 12

    /// The longest pause between two tries. Unit: seconds.
    package static let longestPause: Int64 = 3600

    /// The documented defaults: nothing goes over the network.
    package init(dataPath: String) { secrets = dataPath + "/secrets" }

    /// The longest time that the system may take to find the address of a host. Unit: seconds.
    package static let lookupSeconds: Int64 = 10

    /// The longest silence of a try before another process may begin one: a lookup, a file, and time to write it down.
    package var lease: Duration { .seconds(Self.lookupSeconds + fileSeconds + 15) }

    /// Returns the time at which a delivery is tried again after a try that failed; nil where that was the last.
    package func retry(after attempt: Int, now: UnixSeconds) -> UnixSeconds? {
        guard attempt < tries else { return nil }
        let doublings = min(max(attempt - 1, 0), 20)
        return now + min(retrySeconds << Int64(doublings), Self.longestPause)
    }

    /// Returns an operator's secret, by the name of its file.
    func secret(_ name: String) throws(DeliveryFault) -> String {
        let path = secrets + "/" + name
        do throws(HeaderSecretFault) { return try HeaderSecret.read(path) } catch {
            switch error {
            case .missing: throw .secretMissing(path: path)
            case .exposed: throw .secretExposed(path: path)
            case .malformed: throw .secretMalformed(path: path)
            }
        }
    }
}

/// The settings of an operator for reports: the same for the daemon and for reports that are made by hand.
package struct ReportSettings: Sendable, Hashable {
    /// `report.key` (path, `signing/key.pem` in the data directory): the key that signs manifests.
    package var signing: ReportKeyFolder
    package var printer = PagePrinter()
    package var delivery: DeliveryOptions

    package init(dataPath: String) {
        signing = ReportKeyFolder(dataPath: dataPath)
        delivery = DeliveryOptions(dataPath: dataPath)
    }
}
