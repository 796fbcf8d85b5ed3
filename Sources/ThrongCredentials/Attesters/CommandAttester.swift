internal import CLinux
internal import Foundation
internal import NIOPosix
internal import Synchronization
internal import ThrongAttestation
internal import ThrongSystem
package import ThrongWire

/// Starts a program, which reads `{"app", "challenge", "token"}` from its standard input and writes `{"device": "…"}`; it
/// says no by the exit status 1. No shell is involved, and nothing of a client is in an argument.
///
/// For tests and small sites: each request starts a process. It proves what the program proves.
package struct CommandAttester: Attester {
    package let name = "command"
    package let asksOthers = true

    private let program: AskedProgram
    /// A few at a time, each on a thread of its own.
    private let threads: WorkThreads

    /// The number of programs that run at the same time.
    private static let width = 4

    /// The command is the program's absolute path and its arguments.
    package init(command: [String], seconds: Int) {
        program = AskedProgram(command: command, limit: .seconds(seconds))
        threads = WorkThreads(count: Self.width)
    }

    package func device(
        by evidence: Evidence, challenge: [UInt8], app: AppName
    ) async throws(AttesterError) -> [UInt8] {
        let question = try AttesterAnswer.question(evidence, challenge: challenge, app: app)
        let result = await threads.run { [program] in
            Result { () throws(AttesterError) in try program.answer(to: question) }
        }
        let (status, output) = try result.get()
        switch status {
        case 0: return try AttesterAnswer.device(output)
        case 1: throw .refused(.denied)
        default: throw .unavailable(reason: "the program ended with \(status)")
        }
    }
}

/// A program that is asked on its standard input and answers on its standard output.
struct AskedProgram: Sendable {
    let command: [String]
    let limit: Duration

    /// Runs it to its end. Blocks this thread.
    ///
    /// - Returns: its exit status, 128 and more for signals; and what it wrote, of which no more than an answer has is read.
    func answer(to question: [UInt8]) throws(AttesterError) -> (status: Int32, output: [UInt8]) {
        let (input, output) = (throng_nameless_file(), throng_nameless_file())
        defer { for file in [input, output] where file >= 0 { close(file) } }
        guard input >= 0, output >= 0,
            question.withUnsafeBytes({ write(input, $0.baseAddress, $0.count) }) == question.count,
            lseek(input, 0, SEEK_SET) == 0
        else { throw .unavailable(reason: "there is no memory for a program's input") }
        let run = ProgramRun(command, environment: ["PATH=/usr/local/bin:/usr/bin:/bin"], folder: "/")
        let status: Int32
        do throws(ProgramRun.Failure) { status = try run.status(input: input, output: output, limit: limit) } catch {
            throw .unavailable(reason: reason(of: error))
        }
        var bytes = [UInt8](repeating: 0, count: AttesterAnswer.longest)
        let count = bytes.withUnsafeMutableBytes { pread(output, $0.baseAddress, $0.count, 0) }
        return (status, Array(bytes.prefix(max(count, 0))))
    }

    private func reason(of failure: ProgramRun.Failure) -> String {
        switch failure {
        case .notStarted(let code): "\(command[0]) can't be started (\(String(cString: strerror(code))))"
        case .lost: "the program was lost"
        case .tooSlow: "the program took too long"
        }
    }
}

/// Threads that do work in the order in which it came. They end with their owner, who limits how much may wait.
package final class WorkThreads: Sendable {
    private let threads: NIOThreadPool
    private let nice: Int32

    /// `nice` says how much others go first, 0 to 19. Linux has this for each thread.
    package init(count: Int = 1, nice: Int32 = 0) {
        threads = NIOThreadPool(numberOfThreads: count)
        self.nice = nice
        threads.start()
    }

    deinit { threads.shutdownGracefully { _ in } }

    package func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            threads.submit { [nice] _ in
                if nice > 0 { setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, nice) }
                continuation.resume(returning: work())
            }
        }
    }
}

/// Asks an endpoint of the operator's own, such as a shop's login: `POST` of `{"app", "challenge", "token"}`, answered by
/// 200 and `{"device": "…"}`, or by 403.
///
/// It proves what the endpoint proves: by a login "one account", not one device. A cheat pays for as many accounts as it wants
/// devices, divided by the allowance of each. The endpoint sees the challenge, which says nothing of the credential; it should
/// take each token once, or have it made over the challenge.
package struct HTTPAttester: Attester {
    package let name = "http"
    package let asksOthers = true

    private let url: String
    private let authorization: String?
    private let limit: Duration
    private let connections: Connections

    private static let width = 4

    /// - Parameters:
    ///   - url: https, or http of this machine.
    ///   - authorization: the path of a file that holds the header Authorization; nil sends none.
    ///   - authorities: a file of certificates in PEM that vouch for the endpoint, beside the system's.
    package init(url: String, authorization: String?, authorities: String?, seconds: Int) {
        self.url = url
        self.authorization = authorization
        limit = .seconds(seconds)
        var rules = ConnectionRules()
        rules.allowsPlain = url.hasPrefix("http://")
        rules.authorities = authorities
        connections = Connections(count: Self.width, rules)
    }

    package func device(
        by evidence: Evidence, challenge: [UInt8], app: AppName
    ) async throws(AttesterError) -> [UInt8] {
        let body = try AttesterAnswer.question(evidence, challenge: challenge, app: app)
        var headers = [(name: "Content-Type", value: "application/json"), (name: "User-Agent", value: "throng")]
        if let authorization {
            do throws(HeaderSecretFault) {
                headers.append((name: "Authorization", value: try HeaderSecret.read(authorization)))
            } catch { throw .unavailable(reason: "the secret \(authorization) \(error)") }
        }
        let question = OutgoingRequest(.post, url, headers: headers, body: body)
        let answer = try await AttesterAnswer.received(to: question, by: connections.next(), within: limit)
        switch answer.status {
        case 200: return try AttesterAnswer.device(answer.body)
        case 403: throw .refused(.denied)
        default: throw .unavailable(reason: "it answered \(answer.status)")
        }
    }

    /// Takes its turns: each serves one exchange at a time.
    private final class Connections: Sendable {
        private let all: [HTTPConnection]
        private let turn = Atomic<Int>(0)

        init(count: Int, _ rules: ConnectionRules) { all = (0..<count).map { _ in HTTPConnection(rules) } }

        func next() -> HTTPConnection { all[turn.wrappingAdd(1, ordering: .relaxed).oldValue & Int.max % all.count] }
    }
}

/// Vouches for devices that ask for credentials. The worth of that depends on the attester: each says so.
package protocol Attester: Sendable {
    /// The name by which clients call it: `by` of their attestation.
    var name: String { get }
    /// True if it asks others over a network or starts programs, so that only a few may wait for it.
    var asksOthers: Bool { get }

    /// Says which device an attestation is of: what it is known by, the same for all its requests. The challenge is
    /// SHA-256 of the request for a credential, 32 bytes: evidence that is not bound to it may be another's.
    func device(by evidence: Evidence, challenge: [UInt8], app: AppName) async throws(AttesterError) -> [UInt8]
}

/// The members of a client's attestation, without `by`.
package struct Evidence: Sendable {
    private let members: [String: String]

    package init(_ members: [String: String]) { self.members = members }

    package func text(_ member: String) throws(AttesterError) -> String {
        guard let text = members[member] else { throw .evidence(member: member, expected: "a string") }
        return text
    }

    /// A member that is base64url or base64.
    package func bytes(_ member: String) throws(AttesterError) -> [UInt8] {
        guard let bytes = AnyBase64.bytes(try text(member)), !bytes.isEmpty else {
            throw .evidence(member: member, expected: "base64url")
        }
        return bytes
    }
}

/// The reason why an attester does not vouch for a device. No case holds anything that a client sent.
package enum AttesterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A member of the attestation is not there, or not of its form.
    case evidence(member: String, expected: String)
    case refused(Flaw)
    /// The device has got all that it gets in the month; the attester itself counts that.
    case spent
    /// Nobody could say now.
    case unavailable(reason: String)

    package enum Flaw: String, Sendable, Hashable {
        case denied = "the attester said no"
        case chain = "its certificates don't lead to a root that is trusted here, or are not valid now"
        case challenge = "it is not bound to the SHA-256 of this request"
        case key = "the key that it names is not the key that is attested"
        case app = "it is another app's"
        case used = "the key was used before"
        case revoked = "one of its certificates was revoked"
        case description = "its certificate does not describe a key"
        case level = "the key is not kept in hardware of the kind that is asked for"
        case system = "the device is unlocked, or its system is not its manufacturer's"
        case environment = "it is of a build for another environment"
    }

    package var description: String {
        switch self {
        case .evidence(let member, let expected):
            "\(member) of the attestation is not there or of another form; \(expected) is allowed."
        case .refused(let flaw): "The attestation does not vouch for this request: \(flaw.rawValue)."
        case .spent: "The device has got all credentials that it gets in this month."
        case .unavailable(let reason): "The attester can't be asked now: \(reason)."
        }
    }
}

/// The question to an attester of the operator's own, and its answer, as JSON.
enum AttesterAnswer {
    /// The most that may come back. Unit: bytes.
    static let longest = 4096
    /// The longest name that a device may be known by. Unit: bytes.
    static let longestDevice = 1024

    /// The question: `app`, `challenge` in base64url, and `token` as the client sent it.
    static func question(_ evidence: Evidence, challenge: [UInt8], app: AppName) throws(AttesterError) -> [UInt8] {
        let members = [
            "app": app.text, "challenge": Base64URL.text(of: challenge), "token": try evidence.text("token"),
        ]
        do { return Array(try JSONEncoder.stable().encode(members)) } catch {
            throw .evidence(member: "token", expected: "a string")
        }
    }

    static func received(
        to question: OutgoingRequest, by connection: HTTPConnection, within limit: Duration
    ) async throws(AttesterError) -> ReceivedAnswer {
        do throws(HTTPFault) {
            return try await connection.answer(to: question, within: limit, bodyLimit: longest)
        } catch { throw .unavailable(reason: error.description) }
    }

    /// The device of an answer that is `{"device": "…"}`.
    static func device(_ answer: [UInt8]) throws(AttesterError) -> [UInt8] {
        struct Answer: Decodable { let device: String }
        do {
            let device = Array(try JSONDecoder().decode(Answer.self, from: Data(answer)).device.utf8)
            guard (1...longestDevice).contains(device.count) else {
                throw AttesterError.unavailable(reason: "its device has no or too many bytes")
            }
            return device
        } catch let error as AttesterError { throw error } catch {
            throw .unavailable(reason: "its answer has no device")
        }
    }
}
