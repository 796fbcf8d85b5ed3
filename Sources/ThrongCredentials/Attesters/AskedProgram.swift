internal import CLinux
internal import Glibc
internal import ThrongSystem

/// A program that is asked on its standard input and answers on its standard output.
struct AskedProgram: Sendable {
    let command: [String]
    let limit: Duration

    /// Runs it to its end. Blocks this thread.
    ///
    /// - Returns: its exit status, 128 and more for signals; and what it wrote, of which no more than an answer has is read.
    func answer(to question: [UInt8]) throws(AttesterError) -> (status: Int32, output: [UInt8]) {
        let (input, output) = (throng_nameless_file(), throng_nameless_file())
        defer {
            for file in [input, output] where file >= 0 { close(file) }
        }
        guard input >= 0, output >= 0,
            question.withUnsafeBytes({ write(input, $0.baseAddress, $0.count) }) == question.count,
            lseek(input, 0, SEEK_SET) == 0
        else { throw .unavailable(reason: "there is no memory for a program's input") }
        let run = ProgramRun(command, environment: ["PATH=/usr/local/bin:/usr/bin:/bin"], folder: "/")
        let status: Int32
        do throws(ProgramRun.Failure) {
            status = try run.status(input: input, output: output, limit: limit)
        } catch {
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
