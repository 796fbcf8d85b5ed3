internal import CLinux
internal import Dispatch
internal import Glibc
internal import NIOPosix
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
