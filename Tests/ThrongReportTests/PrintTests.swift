import Foundation
import Testing
import ThrongPlan
import ThrongReport

@testable import ThrongSchedule

extension PagePrinter {
    fileprivate func pdf(of page: String) async throws(PrintError) -> [UInt8] {
        try await printed([Job(name: "page.pdf", form: .pdf, text: page)])[0].contents
    }
}

@Suite("PDF and pictures are printed by a program that gets nothing else, in time or not at all")
struct PrintTests {
    /// A program in a folder of the test's own, with `$PDF` where it is to print to, and of a picture its `$SIZE`.
    private static func withProgram(
        _ script: String, named name: String = "chromium",
        _ body: (_ program: String, _ folder: URL) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "throng-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let program = folder.appending(path: name)
        let text = """
            #!/bin/sh
            kept='\(folder.path())'
            for word; do case "$word" in
                --print-to-pdf=* | --screenshot=*) PDF="${word#*=}";;
                --window-size=*) SIZE="${word#*=}";;
            esac; done
            \(script)

            """
        try Data(text.utf8).write(to: program)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path())
        try await body(program.path(), folder)
    }

    private static let good = """
        printf '%%PDF-1.4\\n<</Title (X)\\n/CreationDate (D:20261122041253+00)' > "$PDF"
        printf '\\n/ModDate (D:20261122041254+00)>>\\nrest' >> "$PDF"
        """

    /// The beginning of a picture with two dots a pixel.
    private static let picture = #"""
        number() { printf "\\0\\0\\$(printf %o $(($1 >> 8)))\\$(printf %o $(($1 & 255)))"; }
        { printf '\211PNG\r\n\032\n\0\0\0\rIHDR'; number $((${SIZE%,*} * 2)); number $((${SIZE#*,} * 2)); } > "$PDF"
        """#

    private static func text(_ name: String, in folder: URL) throws -> String {
        String(decoding: try Data(contentsOf: folder.appending(path: name)), as: UTF8.self)
    }

    @Test("the times of printing are blanked out and no other byte changes")
    func times() async throws {
        try await Self.withProgram(Self.good) { program, _ in
            let pdf = try await PagePrinter(program: program).pdf(of: "<p>")
            let blanks = String(repeating: " ", count: 35)
            #expect(
                String(decoding: pdf, as: UTF8.self)
                    == "%PDF-1.4\n<</Title (X)\n\(blanks)\n\(blanks.dropLast(5))>>\nrest")
        }
    }

    @Test("letters that no font has are counted once each, and what is not drawn is none")
    func letters() {
        let fonts = FontCoverage(
            listing: ":charset=20-7e a0-17f 2014\n:charset=4e00-9fff 1f600\n\nnonsense\n:charset=zz 5-1\n")
        for text in ["", "<p>plain</p>", "Zürich \u{2014} 東京", "\u{1F600}\u{FE0F}\u{200D}\u{AD}\u{2003}\n"] {
            #expect(fonts.lacking(in: text) == 0, "\(text)")
        }
        #expect(fonts.lacking(in: "\u{1F389}\u{1F389} \u{1F600} \u{0431}\u{0431}") == 2)
        #expect(FontCoverage(listing: "").lacking(in: "ä ö ß") == 3)
        #expect("\(PrintError.boxes(letters: 2))".contains("2 different letters"))
    }

    @Test(
        "of a page the letters are told that this machine has no font for",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/fc-list"), "no machine without it knows"))
    func lack() async {
        // It is for private use, and no font's.
        #expect(await PagePrinter().lack(in: "<p>plain \u{10FFFD} and \u{10FFFD}</p>") == .boxes(letters: 1))
        #expect(await PagePrinter().lack(in: "<p>plain</p>") == nil)
    }

    @Test("the program sees the page in a private folder that goes, and nothing of this process")
    func surroundings() async throws {
        let script = """
            pwd > "$kept/where"; stat -c %a . > "$kept/mode"; env > "$kept/env"; ls -l /proc/self/fd > "$kept/open"
            printf '%s\\n' "$@" > "$kept/words"; for word; do :; done; cat "${word#file://}" > "$kept/page"
            \(Self.good)
            """
        try await Self.withProgram(script) { program, folder in
            let page = "<p>$(touch pwned) ' \" Zürich</p>"
            let held = try FileHandle(forReadingFrom: URL(filePath: program))
            defer { try? held.close() }
            _ = try await PagePrinter(program: program).pdf(of: page)
            #expect(try Self.text("page", in: folder) == page)
            #expect(try Self.text("mode", in: folder) == "700\n")
            let place = try Self.text("where", in: folder).trimmingCharacters(in: .newlines)
            #expect(!FileManager.default.fileExists(atPath: place))
            let names = try Self.text("env", in: folder).split(separator: "\n").compactMap {
                $0.split(separator: "=").first.map(String.init)
            }
            // The rest is the shell's own.
            let own: Set = ["PWD", "OLDPWD", "SHLVL", "_"]
            #expect(Set(names).subtracting(own) == ["PATH", "HOME", "TMPDIR", "LC_ALL", "TZ"])
            #expect(try !Self.text("open", in: folder).contains(folder.path() + "chromium\n"))
            let words = try Self.text("words", in: folder).split(separator: "\n")
            for word in [
                "--headless=new", "--no-pdf-header-footer", "--generate-pdf-document-outline",
                "--host-resolver-rules=MAP * ~NOTFOUND", "--disable-background-networking", "--log-level=2",
            ] {
                #expect(words.contains { $0 == word }, "\(word)")
            }
            #expect(words.contains("--no-sandbox") == (geteuid() == 0))
            #expect(words.contains { $0 == "--user-data-dir=\(place)/profile" })
            #expect(words.last == "file://\(place)/page.html")
        }
    }

    @Test("a program that hangs is stopped with what it started, and its folder goes", .timeLimit(.minutes(40)))
    func hangs() async throws {
        let script = "sleep 1000 & echo $! > \"$kept/child\"; pwd > \"$kept/where\"; sleep 1000"
        try await Self.withProgram(script) { program, folder in
            await #expect(throws: PrintError.tooSlow(program: program, seconds: 1)) {
                try await PagePrinter(program: program, limit: .seconds(1)).pdf(of: "<p>")
            }
            let child = try Self.text("child", in: folder).trimmingCharacters(in: .newlines)
            var state = "?"
            for _ in 0..<100 where state != "gone" {
                // Where nobody reaps orphans, what was stopped stays as a zombie.
                let facts = try? String(contentsOfFile: "/proc/\(child)/stat", encoding: .utf8)
                state = facts?.split(separator: " ").dropFirst(2).first.map { $0 == "Z" ? "gone" : "\($0)" } ?? "gone"
                try await Task.sleep(for: .milliseconds(20))
            }
            #expect(state == "gone")
            let place = try Self.text("where", in: folder).trimmingCharacters(in: .newlines)
            #expect(!FileManager.default.fileExists(atPath: place))
        }
    }

    @Test(
        "a program that fails is an error with its status and last words",
        arguments: [
            ("echo first >&2; echo 'no usable sandbox' >&2; exit 3", Int32(3), "first; no usable sandbox"),
            ("kill -9 $$", 137, ""),
        ])
    func dies(script: String, status: Int32, said: String) async throws {
        try await Self.withProgram(script) { program, _ in
            await #expect(throws: PrintError.failed(program: program, status: status, said: said)) {
                try await PagePrinter(program: program).pdf(of: "<p>")
            }
        }
    }

    @Test(
        "a program that fails once is tried again, and prints",
        arguments: ["kill -9 $$", "exit 1", "exit 0", "sleep 1000"])
    func secondTry(first: String) async throws {
        let script =
            "echo x >> \"$kept/tries\"; [ -e \"$kept/once\" ] || { : > \"$kept/once\"; \(first); }\n\(Self.good)"
        try await Self.withProgram(script) { program, folder in
            let pdf = try await PagePrinter(program: program, limit: .seconds(10)).pdf(of: "<p>")
            #expect(pdf.starts(with: Array("%PDF-".utf8)))
            #expect(try Self.text("tries", in: folder) == "x\nx\n")
        }
    }

    @Test("a program without a sandbox is not tried again, and the error says what to allow")
    func noSandbox() async throws {
        // As Chromium 156 says it, and goes on.
        let script = """
            echo x >> "$kept/tries"
            echo '[1:1:1122/084527.579516:ERROR:zygote_host_impl_linux.cc:130] No usable sandbox! If this is …' >&2
            echo 'you can try using --no-sandbox.' >&2; exit 1
            """
        try await Self.withProgram(script) { program, folder in
            let error = PrintError.noSandbox(program: program)
            await #expect(throws: error) { try await PagePrinter(program: program).pdf(of: "<p>") }
            let tries = try Self.text("tries", in: folder)
            #expect(tries == "x\n")
            #expect("\(error)".contains("seccomp") && !"\(error)".contains("--no-sandbox"))
        }
    }

    @Test(
        "a program that ends well and prints nothing, or no PDF, is an error",
        arguments: ["", "echo hello > \"$PDF\""])
    func nothing(script: String) async throws {
        try await Self.withProgram(script) { program, _ in
            await #expect(throws: PrintError.nothingPrinted(program: program)) {
                try await PagePrinter(program: program).pdf(of: "<p>")
            }
        }
    }

    @Test("the program is the one that is named, else the first on the PATH that may be run")
    func found() async throws {
        try await Self.withProgram("", named: "google-chrome") { program, folder in
            let path = "relative:/nowhere:\(folder.path())"
            #expect(try PagePrinter(searchPath: path).program().hasSuffix("/google-chrome"))
            #expect(try PagePrinter(environment: ["PATH": path]).program().hasSuffix("/google-chrome"))
            #expect(try PagePrinter(program: program, searchPath: "/nowhere").program() == program)
            #expect(throws: PrintError.noChromium) { try PagePrinter(searchPath: "/nowhere:relative").program() }
            for wrong in ["/nowhere/chromium", folder.path(), "google-chrome", ""] {
                #expect(throws: PrintError.noProgram(path: wrong)) {
                    try PagePrinter(program: wrong, searchPath: path).program()
                }
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: program)
            #expect(throws: PrintError.noChromium) { try PagePrinter(searchPath: path).program() }
        }
    }

    @Test("each drawing is a picture of its size, with two dots a pixel, light, and named like the drawing")
    func pictures() async throws {
        let document = Course().document
        let drawings = try ReportFiles(of: document, formats: [.svg]).all
        let script = """
            printf '%s\\n' "$@" >> "$kept/words"; for word; do :; done
            case "$word" in *.svg) cat "${word#file://}" >> "$kept/drawn";; esac
            \(Self.picture)
            """
        try await Self.withProgram(script) { program, folder in
            let printer = PagePrinter(program: program)
            let (files, lack) = try await printer.files(of: document, as: [.svg, .png])
            #expect(lack?.isMade ?? true)
            #expect(files.map(\.name) == drawings.map { $0.name.replacing(".svg", with: ".png") } && files.count > 5)
            #expect(files.allSatisfy { $0.mediaType == "image/png" })
            #expect(
                try Self.text("drawn", in: folder)
                    == drawings.map { String(decoding: $0.contents, as: UTF8.self) }.joined())
            let words = try Self.text("words", in: folder).split(separator: "\n").map(String.init)
            let heights = try drawings.map { drawing in
                let text = String(decoding: drawing.contents, as: UTF8.self)
                return String(try #require(text.firstMatch(of: /width="720" height="(\d+)"/)).1)
            }
            #expect(words.filter { $0.hasPrefix("--window-size=") } == heights.map { "--window-size=720,\($0)" })
            for word in ["--force-device-scale-factor=2", "--blink-settings=preferredColorScheme=1"] {
                #expect(words.count { $0 == word } == drawings.count, "\(word)")
            }
            #expect(words.contains("--host-resolver-rules=MAP * ~NOTFOUND"))
            #expect(!words.contains { $0.hasPrefix("--print") })
            let all = try ReportFiles(of: document, formats: [.png, .html], made: files).all
            #expect(all.map(\.name).dropFirst() == ArraySlice(files.map(\.name)) && all[0].name.hasSuffix(".html"))
        }
    }

    @Test("a picture of another size, or of another kind, is none", arguments: ["SIZE=720,1\n\(picture)", good])
    func otherPictures(script: String) async throws {
        try await Self.withProgram(script) { program, _ in
            let (files, lack) = try await PagePrinter(program: program).files(of: Course().document, as: [.png])
            #expect(files.isEmpty && lack == PrintLack(formats: [.png], error: .nothingPrinted(program: program)))
        }
    }

    @Test("all pictures of a report together have twice the time of one", .timeLimit(.minutes(10)))
    func slowPictures() async throws {
        try await Self.withProgram("echo x >> \"$kept/tries\"; sleep 0.6\n\(Self.picture)") { program, folder in
            let (files, lack) = try await PagePrinter(program: program, limit: .seconds(1))
                .files(of: Course().document, as: [.png])
            #expect(files.isEmpty && lack?.error == .tooSlow(program: program, seconds: 1))
            #expect(try Self.text("tries", in: folder).split(separator: "\n").count <= 4)
        }
    }

    @Test(
        "where nothing prints, one sentence says which files a report goes without; nobody looks unasked"
    )
    func lacks() async throws {
        let (printer, document) = (PagePrinter(searchPath: "/nowhere"), Shop().document)
        let (files, lack) = try await printer.files(of: document, as: [.html, .pdf, .png])
        #expect(files.isEmpty && lack == PrintLack(formats: [.pdf, .png], error: .noChromium))
        #expect(lack?.description.hasPrefix("the PDF and pictures could not be made: none of chromium") == true)
        #expect(try await printer.files(of: document, as: [.html, .svg, .json]).lack == nil)
        // The PDF is there, and stays.
        try await Self.withProgram("\(Self.good)\n[ -z \"$SIZE\" ] || exit 1") { program, _ in
            let (files, lack) = try await PagePrinter(program: program).files(of: document, as: [.pdf, .png])
            #expect(files.map(\.name) == ["weekly_shop-2026-W47.pdf"] && lack?.formats == [.png])
        }
    }

    @Test("a report has its PDF after its page, and goes without where there is none")
    func files() throws {
        let document = Shop().document
        let formats: [ReportFormat] = [.pdf, .json, .html]
        let pdf = ReportFile(name: "weekly_shop-2026-W47.pdf", contents: "%PDF-")
        let printed = try ReportFiles(of: document, formats: formats, made: [pdf]).all
        #expect(printed.map(\.name) == ["html", "pdf", "json"].map { "weekly_shop-2026-W47.\($0)" })
        #expect(printed[1].mediaType == "application/pdf")
        #expect(try ReportFiles(of: document, formats: formats).all == [printed[0], printed[2]])
    }
}
