internal import Foundation
internal import Glibc
package import ThrongPlan
package import ThrongReport
internal import ThrongSystem

/// Prints pages as PDF and drawings as PNG with a headless Chromium, where one is installed.
///
/// Each file is printed by a process of its own with a fresh profile in a private folder, which both go afterwards. It
/// gets nothing of this process but what it prints, resolves no host name, and has a time limit. It keeps Chromium's
/// sandbox unless this process is root's, for whom Chromium has none. It tries twice where that may help.
package struct PagePrinter: Sendable, Hashable {
    /// The programs that are looked for on the PATH, in this order.
    static let names = [
        "chromium", "chromium-headless-shell", "google-chrome-stable", "google-chrome", "chrome-headless-shell",
    ]
    /// Larger files are not taken for a page or picture. Unit: bytes.
    private static let largest = 64 << 20

    private let named: String?
    private let searchPath: String
    private let limit: Duration

    /// Looks for a program on the path, folders separated by colons, for each page, unless one is named.
    package init(
        program: String? = nil, searchPath: String = "/usr/local/bin:/usr/bin:/bin", limit: Duration = .seconds(60)
    ) { (named, self.searchPath, self.limit) = (program, searchPath, limit) }

    /// The first program on the `PATH` of an environment.
    package init(environment: [String: String]) { self.init(searchPath: environment["PATH"] ?? "/usr/bin:/bin") }

    package func program() throws(PrintError) -> String {
        func canRun(_ path: String) -> Bool {
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && !isFolder.boolValue
                && FileManager.default.isExecutableFile(atPath: path)
        }
        if let named {
            guard named.hasPrefix("/"), canRun(named) else { throw .noProgram(path: named) }
            return named
        }
        for name in Self.names {
            for folder in searchPath.split(separator: ":") where folder.hasPrefix("/") {
                let path = "\(folder)/\(name)"
                if canRun(path) { return path }
            }
        }
        throw .noChromium
    }

    /// The files of a report that are printed, and the reason why others are not, or have boxes.
    ///
    /// Where the PDF can't be made, nobody tries pictures. The PDF, and all pictures together, have twice the time limit.
    ///
    /// - Throws: ``ReportError/template(name:reason:)`` where a built-in template does not parse.
    package func files(
        of document: ReportDocument, as formats: [ReportFormat]
    ) async throws(ReportError) -> (files: [ReportFile], lack: PrintLack?) {
        let stem = ReportFile.stem(report: document.name.text, period: document.periodLabel)
        var asked: [(format: ReportFormat, jobs: [Job])] = []
        if formats.contains(.pdf) {
            asked.append((.pdf, [Job(name: stem + ".pdf", form: .pdf, text: try document.html())]))
        }
        if formats.contains(.png) {
            let drawings = try document.drawings()
            let jobs = drawings.map {
                Job(name: $0.fileName(stem, .png), form: .png(width: Drawing.width, height: $0.height), text: $0.svg)
            }
            asked.append((.png, jobs))
        }
        var files: [ReportFile] = []
        for (place, (_, jobs)) in asked.enumerated() {
            do throws(PrintError) { files += try await printed(jobs) } catch {
                return (files, PrintLack(formats: asked[place...].map(\.format), error: error))
            }
        }
        guard !files.isEmpty else { return ([], nil) }
        let boxes = await lack(in: asked.flatMap(\.jobs).map(\.text).joined())
        return (files, boxes.map { PrintLack(formats: asked.map(\.format), error: $0) })
    }

    /// A text that is printed into a file.
    struct Job: Sendable {
        let name: String
        let form: PrintForm
        let text: String
    }

    /// Prints a file a job, or else none.
    ///
    /// The same text, Chromium and fonts make the same bytes: the times of printing are blanked out. Takes one to two
    /// seconds a file on a thread of its own; where Chromium fails, a second try.
    func printed(_ jobs: [Job]) async throws(PrintError) -> [ReportFile] {
        try await onOwnThread { () throws(PrintError) in
            let end = ContinuousClock.now + limit * 2
            var files: [ReportFile] = []
            for job in jobs {
                var bytes: [UInt8]
                do throws(PrintError) { bytes = try printedOnce(job, by: end) } catch {
                    guard error.mayPass else { throw error }
                    bytes = try printedOnce(job, by: end)
                }
                files.append(ReportFile(name: job.name, bytes: bytes))
            }
            return files
        }
    }

    /// Says how many letters of a text this machine has no font for; nil where all have one, or nobody knows.
    func lack(in text: String) async -> PrintError? {
        await onOwnThread {
            // A folder that can't be made kept the page from being printed, too, and that was said.
            guard let folder = try? Self.privateFolder() else { return nil }
            defer { Self.remove(folder) }
            let letters = FontCoverage.ofMachine(in: folder)?.lacking(in: text) ?? 0
            return letters > 0 ? .boxes(letters: letters) : nil
        }
    }

    static func arguments(profile: String, source: String, _ own: [String], asRoot: Bool) -> [String] {
        let common = [
            "--headless=new", "--user-data-dir=\(profile)",
            // Its name is written into the PDF, in place of Chromium's version and the machine's system.
            "--user-agent=Throng",
            // A page of ours asks for nothing; what Chromium wants for itself it does not get either.
            "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking", "--disable-component-update",
            "--disable-default-apps", "--disable-domain-reliability", "--disable-extensions", "--disable-sync",
            "--no-pings", "--no-first-run", "--no-default-browser-check",
            // Containers have a small /dev/shm and no graphics; nobody reads its crash reports.
            "--disable-dev-shm-usage", "--disable-gpu", "--disable-breakpad", "--disable-crash-reporter",
            // Errors: with less it does not even say that it has no sandbox.
            "--log-level=2",
        ]
        return common + own + (asRoot ? ["--no-sandbox"] : []) + ["file://\(source)"]
    }

    /// Runs a program to its end; a file gets what it says.
    private func status(
        of run: ProgramRun, _ program: String, saying words: String, by end: ContinuousClock.Instant
    ) throws(PrintError) -> Int32 {
        let left = min(limit, end - .now)
        guard left > .zero else { throw .tooSlow(program: program, seconds: limit.components.seconds) }
        let output = open(words, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard output >= 0 else { throw .system(call: "open", path: words, code: errno) }
        defer { close(output) }
        do throws(ProgramRun.Failure) { return try run.status(output: output, errors: output, limit: left) } catch {
            switch error {
            case .notStarted(let code): throw .system(call: "posix_spawn", path: program, code: code)
            case .lost(let code): throw .system(call: "waitpid", path: program, code: code)
            case .tooSlow: throw .tooSlow(program: program, seconds: limit.components.seconds)
            }
        }
    }

    private func printedOnce(_ job: Job, by end: ContinuousClock.Instant) throws(PrintError) -> [UInt8] {
        let program = try program()
        let folder = try Self.privateFolder()
        defer { Self.remove(folder) }
        let (page, print) = job.form.endings
        let (source, target, words) = ("\(folder)/page.\(page)", "\(folder)/page.\(print)", folder + "/words")
        guard FileManager.default.createFile(atPath: source, contents: Data(job.text.utf8)) else {
            throw .system(call: "write", path: source, code: errno)
        }
        let arguments = Self.arguments(
            profile: folder + "/profile", source: source, job.form.arguments(target), asRoot: geteuid() == 0)
        let run = ProgramRun(
            [program] + arguments,
            // Its caches go where everything else of it goes.
            environment: [
                "PATH=/usr/local/bin:/usr/bin:/bin", "HOME=\(folder)", "TMPDIR=\(folder)", "LC_ALL=C.UTF-8", "TZ=UTC",
            ], folder: folder)
        let status = try status(of: run, program, saying: words, by: end)
        guard status == 0 else {
            let said = FileManager.default.contents(atPath: words) ?? Data()
            if said.range(of: Data("No usable sandbox".utf8)) != nil { throw .noSandbox(program: program) }
            throw .failed(program: program, status: status, said: Self.lastWords(of: said))
        }
        // No file, no size: either way nothing was printed.
        guard let size = try? FileManager.default.attributesOfItem(atPath: target)[.size] as? Int, size <= Self.largest,
            let found = FileManager.default.contents(atPath: target), let file = job.form.whole(Array(found))
        else { throw .nothingPrinted(program: program) }
        return file
    }

    private static func lastWords(of said: Data) -> String {
        String(decoding: said.suffix(2000), as: UTF8.self).split(whereSeparator: \.isNewline).suffix(3)
            .joined(separator: "; ").filter { !$0.unicodeScalars.contains(where: \.isControl) }.suffix(300).description
    }

    private static func privateFolder() throws(PrintError) -> String {
        let parent = FileManager.default.temporaryDirectory.path()
        var template = Array((parent + (parent.hasSuffix("/") ? "" : "/") + "throng-print-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil else { throw .system(call: "mkdtemp", path: parent, code: errno) }
        return String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// A process that was just stopped may still be writing: a few tries, then the private folder stays.
    private static func remove(_ folder: String) {
        for _ in 0..<5 {
            if (try? FileManager.default.removeItem(atPath: folder)) != nil { return }
            usleep(100_000)
        }
    }
}

/// A form in which Chromium prints.
enum PrintForm: Sendable, Hashable {
    /// A page as a tagged PDF with an outline, in the size that its style asks for.
    case pdf
    /// A drawing as a picture, light, with two dots a pixel. Unit: pixels of CSS.
    case png(width: Int, height: Int)

    /// The endings of the files that Chromium reads and writes.
    var endings: (source: String, target: String) { self == .pdf ? ("html", "pdf") : ("svg", "png") }

    func arguments(_ target: String) -> [String] {
        switch self {
        case .pdf: ["--print-to-pdf=\(target)", "--no-pdf-header-footer", "--generate-pdf-document-outline"]
        case .png(let width, let height):
            [
                "--screenshot=\(target)", "--window-size=\(width),\(height)", "--force-device-scale-factor=2",
                "--hide-scrollbars", "--default-background-color=FFFFFFFF",
                // Light, whatever the machine's own pages are.
                "--blink-settings=preferredColorScheme=1",
            ]
        }
    }

    /// The bytes that are kept of a file that Chromium left; nil for one of another form or size.
    func whole(_ file: [UInt8]) -> [UInt8]? {
        switch self {
        case .pdf: return file.starts(with: "%PDF-".utf8) ? Self.withoutTimes(file) : nil
        case .png(let width, let height):
            // PNG, sections 5.2 and 11.2.2: the signature, then the length and name of the first chunk, and the size.
            let start: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52]
            let size = [width, height].flatMap { edge in
                stride(from: 24, through: 0, by: -8).map { UInt8(truncatingIfNeeded: (2 * edge) >> $0) }
            }
            return file.starts(with: start + size) ? file : nil
        }
    }

    /// Overwrites the times of printing, which stand in the first object, with as many spaces.
    private static func withoutTimes(_ file: [UInt8]) -> [UInt8] {
        var pdf = file
        for key in ["/CreationDate (", "/ModDate ("] {
            guard let found = pdf.prefix(4096).firstRange(of: Array(key.utf8)),
                let end = pdf[found.upperBound...].prefix(64).firstIndex(of: UInt8(ascii: ")"))
            else { continue }
            for place in found.lowerBound...end { pdf[place] = UInt8(ascii: " ") }
        }
        return pdf
    }
}

/// The letters for which this machine has a font: a letter without one is a box in a PDF, and nothing says so.
struct FontCoverage: Sendable, Hashable {
    private let ranges: [ClosedRange<UInt32>]

    /// Reads what `fc-list : charset` writes: for each font a line such as `:charset=20-7e a0 1f600-1f64f`.
    init(listing text: String) {
        var ranges: Set<ClosedRange<UInt32>> = []
        for line in text.split(whereSeparator: \.isNewline) {
            guard let sign = line.firstIndex(of: "=") else { continue }
            for word in line[line.index(after: sign)...].split(separator: " ") {
                let ends = word.split(separator: "-").compactMap { UInt32($0, radix: 16) }
                guard let first = ends.first, let last = ends.last, first <= last else { continue }
                ranges.insert(first...last)
            }
        }
        self.ranges = Array(ranges)
    }

    /// Returns the number of different letters of a text that no font has, of those that are drawn at all.
    func lacking(in text: String) -> Int {
        Set(text.unicodeScalars.filter { Self.isDrawn($0) }).count { scalar in
            !ranges.contains { $0.contains(scalar.value) }
        }
    }

    private static func isDrawn(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0xA0, !scalar.properties.isDefaultIgnorableCodePoint, !scalar.properties.isWhitespace
        else { return false }
        switch scalar.properties.generalCategory {
        case .control, .format, .unassigned, .surrogate, .lineSeparator, .paragraphSeparator: return false
        default: return true
        }
    }

    /// Those of this machine, by fontconfig, as for Chromium; nil where its program is not installed or fails.
    static func ofMachine(in folder: String) -> FontCoverage? {
        let (program, path) = ("/usr/bin/fc-list", folder + "/fonts")
        guard FileManager.default.isExecutableFile(atPath: program),
            FileManager.default.createFile(atPath: path, contents: nil), let file = FileHandle(forWritingAtPath: path)
        else { return nil }
        let run = ProgramRun(
            [program, ":", "charset"], environment: ["PATH=/usr/bin:/bin", "HOME=\(folder)", "LC_ALL=C.UTF-8"],
            folder: folder)
        // The listing may be missing: then nothing is known of fonts, and the page is printed all the same.
        guard (try? run.status(output: file.fileDescriptor, limit: .seconds(20))) == 0,
            let text = FileManager.default.contents(atPath: path)
        else { return nil }
        return FontCoverage(listing: String(decoding: text, as: UTF8.self))
    }
}

/// The formats of which a report goes without files, or whose files have boxes, and why. Others do not depend on them.
package struct PrintLack: Error, Sendable, Hashable, CustomStringConvertible {
    package let formats: [ReportFormat]
    package let error: PrintError

    package var description: String {
        let files = formats.map { $0 == .png ? "pictures" : $0.rawValue.uppercased() }.joined(separator: " and ")
        return isMade ? "boxes are in the \(files): \(error)." : "the \(files) could not be made: \(error)."
    }

    /// True if the files are there all the same.
    package var isMade: Bool { if case .boxes = error { true } else { false } }
}

/// The reason why something could not be printed, or not as it should be.
package enum PrintError: Error, Sendable, Hashable, CustomStringConvertible {
    case noChromium
    case noProgram(path: String)
    case system(call: String, path: String, code: Int32)
    case tooSlow(program: String, seconds: Int64)
    /// The program has no sandbox as this user, and does not run without.
    case noSandbox(program: String)
    case failed(program: String, status: Int32, said: String)
    case nothingPrinted(program: String)
    /// The files are there, and have boxes in the place of so many different letters, for which there is no font.
    case boxes(letters: Int)

    package var description: String {
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
            "\(program) took longer than \(seconds) seconds, and was stopped. The machine may be overloaded"
        case .noSandbox(let program):
            """
            \(program) has no sandbox here and does not run without. Allow this user to make user namespaces: in a \
            container by its seccomp profile, on a host by kernel.unprivileged_userns_clone or AppArmor. Publishing, \
            "Print reports as PDF", has more
            """
        case .failed(let program, let status, let said):
            """
            \(program) ended with status \(status)\(said.isEmpty ? "" : ", saying: \(said)"), twice. Run it by hand as this \
            user with --headless --print-to-pdf or --screenshot
            """
        case .nothingPrinted(let program): "\(program) ended well and left no such file. Check that it is Chromium"
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
