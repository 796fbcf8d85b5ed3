internal import Glibc

/// The reason why a report's page could not be printed. Its other files do not depend on it.
package enum PrintError: Error, Sendable, Hashable, CustomStringConvertible {
    case noChromium
    case noProgram(path: String)
    case system(call: String, path: String, code: Int32)
    case tooSlow(program: String, seconds: Int64)
    /// The program has no sandbox as this user, and does not run without.
    case noSandbox(program: String)
    case failed(program: String, status: Int32, said: String)
    case nothingPrinted(program: String)
    /// The PDF is there, and has boxes in the place of so many different letters, for which there is no font.
    case boxes(letters: Int)

    package var description: String { "the PDF \(isMade ? "has boxes" : "could not be made"): \(problem)." }

    /// True if there is a PDF all the same.
    package var isMade: Bool { if case .boxes = self { true } else { false } }

    private var problem: String {
        switch self {
        case .boxes(let letters):
            """
            this machine has no font for \(letters) different letter\(letters == 1 ? "" : "s"). Install one, on Debian: \
            fonts-noto-color-emoji for emoji, fonts-noto-cjk or fonts-noto-core
            """
        case .noChromium:
            "none of \(PagePrinter.names.joined(separator: ", ")) is on the PATH. Install Chromium (on Debian: apt "
                + "install chromium), or put a link to one into a folder of the PATH"
        case .noProgram(let path): "\(path) is no program that this user can run"
        case .system(let call, let path, let code):
            "\(call) failed on \(path) with error \(code). Check that there is room for temporary files"
        case .tooSlow(let program, let seconds):
            "\(program) had not ended after \(seconds) seconds, twice, and was stopped. The machine may be overloaded"
        case .noSandbox(let program):
            """
            \(program) has no sandbox here and does not run without. Allow this user to make user namespaces: in a \
            container by its seccomp profile, on a host by kernel.unprivileged_userns_clone or AppArmor. Publishing, \
            "Print reports as PDF", has more
            """
        case .failed(let program, let status, let said):
            """
            \(program) ended with status \(status)\(said.isEmpty ? "" : ", saying: \(said)"), twice. Run it by hand as this \
            user with --headless --print-to-pdf
            """
        case .nothingPrinted(let program): "\(program) ended well and left no PDF. Check that it is Chromium"
        }
    }

    /// True if a second try may go well: Chromium crashes now and then, and a machine may be busy for a while.
    var mayPass: Bool {
        switch self {
        case .tooSlow, .failed, .nothingPrinted: true
        // It is being written, as by an update.
        case .system(_, _, let code): code == ETXTBSY
        case .noChromium, .noProgram, .noSandbox, .boxes: false
        }
    }
}
