import Foundation
import Testing
import ThrongPlan

@testable import ThrongReport
@testable import ThrongSchedule

@Suite("A manifest vouches for exactly the files that were signed")
struct ManifestTests {
    private static let now = UnixSeconds(1_795_500_000)
    private let key = ReportKey()
    private let folder = FileManager.default.temporaryDirectory.path + "/throng-manifest-\(UUID().uuidString)"
    private let document: ReportDocument

    init() { document = Shop().document }

    private func files(_ document: ReportDocument? = nil, at now: UnixSeconds = now) throws -> ReportFiles {
        let document = document ?? self.document
        return try ReportFiles(of: document, formats: [.csv, .json])
            .signed(as: document, with: key, now: now)
    }

    private func list(from: UnixSeconds? = nil, until: UnixSeconds? = nil) -> ReportKeyList {
        ReportKeyList(keys: [.init(key: key.publicKey, from: from, until: until)])
    }

    /// Delivers, lets something happen, and checks.
    private func check(_ keys: ReportKeyList? = nil, after change: () throws -> Void) throws -> FolderCheck {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try ReportFolder(path: folder).deliver(try files())
        try change()
        return try FolderCheck(of: folder, keys: keys ?? list())
    }

    private var base: String { "\(folder)/\(document.name)-\(document.periodLabel)" }

    private func overwrite(_ ending: String, _ change: (inout Data) -> Void) throws {
        var data = try Data(contentsOf: URL(fileURLWithPath: base + ending))
        change(&data)
        try data.write(to: URL(fileURLWithPath: base + ending))
    }

    @Test("what was delivered is good, and each file is named")
    func good() throws {
        let check = try check {}
        #expect(check.isGood, "\(check.lines)")
        #expect(check.reports == 1 && check.goodReports == 1)
        #expect(Set(check.lines.map(\.subject)).count == 4)
    }

    @Test("a flip of any bit of the manifest or its signature is found, and nothing in it is believed then")
    func flips() throws {
        let files = try files()
        let manifest = try #require(files.all.last)
        let signature = try #require(files.all.dropLast().last)
        #expect(key.publicKey.accepts(signature.contents, over: manifest.contents))
        for place in manifest.contents.indices {
            var changed = manifest.contents
            changed[place] ^= 1 << UInt8(place % 8)
            #expect(!key.publicKey.accepts(signature.contents, over: changed), "byte \(place)")
        }
        for place in 0..<512 {
            var changed = signature.contents
            changed[place / 8] ^= 1 << UInt8(place % 8)
            #expect(!key.publicKey.accepts(changed, over: manifest.contents), "bit \(place)")
        }
        let check = try check { try overwrite(".manifest.json") { $0[40] ^= 1 } }
        #expect(!check.isGood && check.goodReports == 0)
        #expect(!check.lines.contains { $0.isGood })
    }

    @Test("a file with one byte flipped, one byte less, or of another report is found")
    func contents() throws {
        #expect(try !check { try overwrite(".csv") { $0[$0.count / 2] ^= 1 } }.isGood)
        #expect(try !check { try overwrite(".csv") { $0.removeLast() } }.isGood)
        #expect(try !check { try overwrite(".csv") { $0 = Data("another report".utf8) } }.isGood)
        #expect(try !check { try overwrite(".manifest.json") { $0.removeLast() } }.isGood)
        #expect(try !check { try overwrite(".manifest.sig") { $0.removeLast() } }.isGood)
        #expect(try !check { try overwrite(".manifest.sig") { $0.append(0) } }.isGood)
    }

    @Test("a file too many, one too few, a symbolic link and a folder are found")
    func surroundings() throws {
        let files = FileManager.default
        #expect(try !check { try files.removeItem(atPath: base + ".csv") }.isGood)
        #expect(try !check { try files.removeItem(atPath: base + ".manifest.sig") }.isGood)
        #expect(try !check { try files.removeItem(atPath: base + ".manifest.json") }.isGood)
        #expect(try !check { try Data("more".utf8).write(to: URL(fileURLWithPath: base + ".txt")) }.isGood)
        let inside = folder + "/more"
        #expect(try !check { try files.createDirectory(atPath: inside, withIntermediateDirectories: false) }.isGood)
        let outside = folder + "-outside"
        defer { try? files.removeItem(atPath: outside) }
        let check = try check {
            try files.moveItem(atPath: base + ".csv", toPath: outside)
            try files.createSymbolicLink(atPath: base + ".csv", withDestinationPath: outside)
        }
        #expect(!check.isGood, "a link to the right bytes is still a link")
    }

    @Test(
        "a name with a line break, a directional mark or another byte is one line that shows it, and never a good one")
    func names() throws {
        let forged = "x\nok   weekly_shop-2026-W47.csv: 12 bytes, as in the manifest"
        let odd = ["a\u{202e}gpj.b", "\u{1b}[2Kclean", "back\\nslash", "m\n.manifest.json", "W\u{212a}"]
        let check = try check {
            for name in [forged] + odd {
                try Data("more".utf8).write(to: URL(fileURLWithPath: folder + "/" + name))
            }
            // No UTF-8, and beside it the name that it would be shown as without care.
            for name: [UInt8] in [[0x61, 0xff], Array("a\u{fffd}".utf8), Array("a\\xff".utf8)] {
                let path = Array(folder.utf8) + [0x2f] + name + [0]
                let file = path.withUnsafeBytes { bytes in
                    fopen(bytes.assumingMemoryBound(to: CChar.self).baseAddress, "w")
                }
                #expect(file != nil)
                if let file { fclose(file) }
            }
        }
        let texts = check.lines.map { "\($0.subject): \($0.finding)" }
        #expect(texts.allSatisfy { $0.utf8.allSatisfy { (0x20...0x7e).contains($0) } }, "\(texts)")
        #expect(!check.isGood && check.reports == 1, "a manifest's name has no line break")
        for name in [
            "x\\x0aok   weekly_shop-2026-W47.csv: 12 bytes, as in the manifest", "a\\xe2\\x80\\xaegpj.b",
            "\\x1b[2Kclean", "back\\\\nslash", "m\\x0a.manifest.json", "W\\xe2\\x84\\xaa", "a\\xff",
            "a\\xef\\xbf\\xbd", "a\\\\xff",
        ] {
            let found = check.lines.filter { $0.subject == name }
            #expect(found.count == 1 && found.allSatisfy { !$0.isGood }, "\(name)")
        }
        #expect(!check.lines.contains { $0.finding == "holds these files and nothing else" })
    }

    @Test("what is printed of a manifest or a record shows controls and directional marks instead of obeying them")
    func printable() {
        #expect(
            "a\nb\u{202e}c\u{1b}[2K\\\u{2028}\u{e0041}é".printable
                == "a\\u{a}b\\u{202e}c\\u{1b}[2K\\\\\\u{2028}\\u{e0041}é")
    }

    @Test("where a manifest fails, its files are said to be listed only there, and not to be strays")
    func causes() throws {
        func findings(_ keys: ReportKeyList? = nil, after change: () throws -> Void) throws -> [String: String] {
            let check = try check(keys, after: change)
            #expect(!check.isGood)
            #expect(check.series.count == check.goodReports, "a manifest that failed has a say")
            return Dictionary(check.lines.map { (String($0.subject.split(separator: "/").last ?? ""), $0.finding) }) {
                first, _ in first
            }
        }
        let stem = "\(document.name)-\(document.periodLabel)"
        let onlyThere = "is listed only in a manifest that failed"
        let wrongKey = try findings(ReportKeyList(keys: [.init(key: ReportKey().publicKey, from: nil)])) {}
        #expect(wrongKey[stem + ".csv"] == onlyThere && wrongKey[stem + ".json"] == onlyThere)
        let unsigned = try findings { try FileManager.default.removeItem(atPath: base + ".manifest.sig") }
        #expect(unsigned[stem + ".csv"] == onlyThere)
        let unread = try findings { try overwrite(".manifest.json") { $0.removeAll() } }
        #expect(unread[stem + ".csv"] == "is in no manifest that could be read")
        let stray = try check { try Data("more".utf8).write(to: URL(fileURLWithPath: base + ".txt")) }
        #expect(stray.lines.contains { $0.subject == stem + ".txt" && $0.finding == "is in no manifest" })
        let inside = try findings {
            try FileManager.default.createDirectory(atPath: folder + "/bank", withIntermediateDirectories: false)
        }
        #expect(inside["bank"]?.hasPrefix("is a folder: run") == true)
    }

    @Test("a period that was taken out with all its files is named, and no fault")
    func gaps() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        func series(_ weeks: [Int]) throws -> [ReportSeries] {
            try? FileManager.default.removeItem(atPath: folder)
            for ago in weeks {
                let document = ReportDocument(
                    plan: Shop().plan, report: Shop().report, period: Course.week(ago), releases: [])
                try ReportFolder(path: folder).deliver(try files(document))
            }
            let check = try FolderCheck(of: folder, keys: list())
            #expect(check.isGood, "\(check.lines)")
            return check.series
        }
        let whole = try #require(try series([0, 1, 2, 3]).first)
        #expect(whole.count == 4 && whole.first == "2026-W44" && whole.last == "2026-W47" && whole.missing.isEmpty)
        #expect(whole.finding == "4 weeks, from 2026-W44 to 2026-W47, none missing in between")
        let torn = try #require(try series([0, 1, 3]).first)
        #expect(torn.missing == ["2026-W45"] && torn.missingCount == 1)
        #expect(torn.finding == "3 weeks, from 2026-W44 to 2026-W47; 2026-W45 is not among them")
        let long = try #require(try series([0, 40]).first)
        #expect(long.missing.count == ReportSeries.most && long.missingCount == 39)
        #expect(long.finding.hasSuffix("and 19 more are not among them"))
        #expect(try series([0]).map(\.finding) == ["one week, 2026-W47"])
    }

    @Test("files that change places between two signed reports are found, under both names")
    func swapped() throws {
        let other = Shop(reportName: "other").document
        let check = try check {
            try ReportFolder(path: folder).deliver(try self.files(other))
            let second = "\(folder)/other-\(document.periodLabel)"
            for ending in [".csv", ".manifest.json", ".manifest.sig"] {
                try FileManager.default.moveItem(atPath: base + ending, toPath: folder + "/keep")
                try FileManager.default.moveItem(atPath: second + ending, toPath: base + ending)
                try FileManager.default.moveItem(atPath: folder + "/keep", toPath: second + ending)
            }
        }
        #expect(check.reports == 2 && check.goodReports == 0, "\(check.lines)")
    }

    @Test("another key, and a key that did not sign at that time, vouch for nothing")
    func keys() throws {
        #expect(try !check(ReportKeyList(keys: [.init(key: ReportKey().publicKey, from: nil)])) {}.isGood)
        #expect(try !check(list(from: Self.now + 1)) {}.isGood)
        #expect(try !check(list(until: Self.now - 1)) {}.isGood)
        #expect(try check(list(from: Self.now, until: Self.now)) {}.isGood)
    }

    @Test("a delivery that breaks off leaves no manifest that vouches for files that are not there yet")
    func brokenOff() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try ReportFolder(path: folder).deliver(try files())
        try FileManager.default.removeItem(atPath: base + ".json")
        try FileManager.default.createDirectory(atPath: base + ".json/inside", withIntermediateDirectories: true)
        #expect(throws: ReportError.self) { try ReportFolder(path: folder).deliver(try files()) }
        #expect(FileManager.default.fileExists(atPath: base + ".csv"))
        #expect(!FileManager.default.fileExists(atPath: base + ".manifest.json"))
    }

    @Test("a folder without a manifest is not good, and one that is not there is an error")
    func empty() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        #expect(try !FolderCheck(of: folder, keys: list()).isGood)
        try FileManager.default.removeItem(atPath: folder)
        #expect(throws: ReportError.self) { try FolderCheck(of: folder, keys: list()) }
    }

    @Test("a manifest has the same bytes each time, and says what it stands on")
    func bytes() throws {
        #expect(try files() == files())
        #expect(try files() != files(at: Self.now + 1))
        let text = String(decoding: try #require(try files().all.last).contents, as: UTF8.self)
        for word in [#""format": "throng-manifest/1""#, #""plan": "\#(document.plan.hex)""#, key.publicKey.id.hex] {
            #expect(text.contains(word))
        }
        let read = try #require(ReportManifest.Checked(Array(text.utf8)))
        #expect(read.report == document.name.text && read.files.count == 2)
    }

    @Test("keys change: the old one goes, stays listed with its times, and what it signed stays good")
    func rotation() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let place = ReportKeyFolder(dataPath: folder)
        #expect(try place.current() == nil)
        let first = try place.rotate(now: UnixSeconds(100))
        let old = try #require(try place.current())
        #expect(old.publicKey == first)
        let second = try place.rotate(now: UnixSeconds(200))
        #expect(try place.current()?.publicKey == second)
        let list = try place.list()
        #expect(list.keys.map(\.key) == [first, second])
        #expect(list.keys.map(\.from?.value) == [100, 200] && list.keys.map(\.until?.value) == [200, nil])
        #expect(ReportKeyList(list.json) == list)
        let mode = try FileManager.default.attributesOfItem(atPath: place.keyPath)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try String(contentsOfFile: folder + "/signing/verify.html", encoding: .utf8) == VerifyPage().html)

        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: place.keyPath)
        #expect(throws: ReportKeyError.exposed(path: place.keyPath, mode: 0o640)) { try place.current() }
        // A change that was cut short: the list is ahead of the key.
        try Data(old.pem.utf8).write(to: URL(fileURLWithPath: place.keyPath))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: place.keyPath)
        #expect(throws: ReportKeyError.notListed(path: place.keyPath, list: place.listPath)) { try place.current() }
    }

    @Test("of a key that can't be written the call that failed is told in brackets, within a sentence")
    func unwritable() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let page = folder + "/signing/verify.html"
        try FileManager.default.createDirectory(atPath: page, withIntermediateDirectories: true)
        let error = #expect(throws: ReportKeyError.self) {
            try ReportKeyFolder(dataPath: folder).rotate(now: UnixSeconds(100))
        }
        let told = error?.description ?? ""
        #expect(told.contains("(rename failed on \(page): Is a directory). Check"), "\(told)")
    }

    @Test("what a daemon that was lost may have lost stands in the manifest, and nothing where none was")
    func losses() throws {
        let loss = ReportManifest.Loss(from: UnixSeconds(1_795_400_000), until: UnixSeconds(1_795_403_600), slots: 64)
        let signed = try ReportFiles(of: document, formats: [.json])
            .signed(as: document, with: key, losses: [loss], now: Self.now)
        let manifest = try #require(signed.all.last).contents
        let tree = try #require(try JSONSerialization.jsonObject(with: Data(manifest)) as? [String: Any])
        let told = try #require(tree["losses"] as? [[String: Any]])
        #expect(told.count == 1)
        #expect(told[0]["from"] as? String == "2026-11-23T02:13:20Z")
        #expect(told[0]["until"] as? String == "2026-11-23T03:13:20Z")
        #expect(told[0]["slots"] as? Int == 64)
        #expect(!String(decoding: try #require(try files().all.last).contents, as: UTF8.self).contains("losses"))
    }
}
