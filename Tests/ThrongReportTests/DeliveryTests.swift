import Foundation
import Testing
import ThrongPlan
import ThrongReport
import ThrongSchedule

@Suite("a delivery into a folder is whole or not at all")
struct DeliveryTests {
    static func withFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "throng-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    static func files(_ shop: Shop = Shop()) throws -> ReportFiles {
        try ReportFiles(of: shop.document, formats: [.json, .html, .csv, .html])
    }

    static func listing(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
    }

    @Test("every format arrives once, readable by all, and nothing else stays")
    func delivers() throws {
        try Self.withFolder { folder in
            let deep = folder.appending(path: "a/b")
            let files = try Self.files()
            let paths = try ReportFolder(path: deep.path()).deliver(files)
            #expect(
                try Self.listing(deep) == [
                    "weekly_shop-2026-W47.csv", "weekly_shop-2026-W47.html", "weekly_shop-2026-W47.json",
                ])
            for (path, file) in zip(paths, files.all) {
                #expect(try Data(contentsOf: URL(filePath: path)) == Data(file.contents))
                let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
                #expect(mode == 0o644)
            }
        }
    }

    @Test("all files of a report go from its folder, drawings and pictures too, and no other period's or anybody's")
    func copies() throws {
        try Self.withFolder { folder in
            let shop = Shop()
            let drawings = try ReportFiles(of: shop.document, formats: [.svg]).all
            let pictures = drawings.map { ReportFile(name: $0.name.replacing(".svg", with: ".png"), contents: "PNG") }
            let all = try ReportFiles(of: shop.document, formats: [.html, .svg, .png], made: pictures)
            try ReportFolder(path: folder.path()).deliver(all)
            let stem = "weekly_shop-2026-W47"
            let others = ["-notes.txt", "-02-views.svg", "-.svg", "8-views.png", "b.json"].map { stem + $0 }
            for name in others { try Data().write(to: folder.appending(path: name)) }
            #expect(all.all.count == 2 * drawings.count + 1 && drawings.count > 3)
            let removed = try DeliveredCopies(folder: folder.path(), stems: [stem]).remove(takingFolder: false)
            #expect(removed == all.all.count)
            #expect(try Self.listing(folder) == others.sorted())
        }
    }

    @Test("a repeated delivery leaves the files alone; a changed one replaces them")
    func repeats() throws {
        try Self.withFolder { folder in
            let target = ReportFolder(path: folder.path())
            let path = try #require(try target.deliver(Self.files()).first)
            func inode() throws -> Int? {
                try FileManager.default.attributesOfItem(atPath: path)[.systemFileNumber] as? Int
            }
            let first = try inode()
            try target.deliver(Self.files())
            #expect(try inode() == first)
            var changed = Shop()
            changed.explanation = "Otherwise."
            try target.deliver(Self.files(changed))
            #expect(try inode() != first)
            #expect(try String(contentsOf: URL(filePath: path), encoding: .utf8).contains("Otherwise."))
            #expect(try Self.listing(folder).count == 3)
        }
    }

    @Test("what a killed process left goes with the next delivery; what another is writing stays")
    func sweeps() throws {
        try Self.withFolder { folder in
            let (left, held) = (".throng-delivery-killed", ".throng-delivery-alive")
            for name in [left, held] {
                let drafts = folder.appending(path: name)
                try FileManager.default.createDirectory(at: drafts, withIntermediateDirectories: true)
                try Data("half".utf8).write(to: drafts.appending(path: "weekly_shop-2026-W47.csv"))
            }
            let descriptor = open(folder.appending(path: held).path(), O_RDONLY)
            #expect(flock(descriptor, LOCK_EX) == 0)
            try ReportFolder(path: folder.path()).deliver(Self.files())
            let names = try Self.listing(folder)
            #expect(names.count == 4 && names.first == held)
            #expect(try Self.listing(folder.appending(path: held)).count == 1)
            // Everything has arrived; what a process left after that goes, too.
            close(descriptor)
            try ReportFolder(path: folder.path()).deliver(Self.files())
            #expect(try Self.listing(folder).count == 3)
        }
    }

    @Test("a symbolic link in the way is replaced, and what it points at stays as it is")
    func links() throws {
        try Self.withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let victim = folder.appending(path: "victim")
            try Data("mine".utf8).write(to: victim)
            let place = folder.appending(path: "weekly_shop-2026-W47.csv")
            try FileManager.default.createSymbolicLink(at: place, withDestinationURL: victim)
            try ReportFolder(path: folder.path()).deliver(Self.files())
            #expect(try String(contentsOf: victim, encoding: .utf8) == "mine")
            #expect(try String(contentsOf: place, encoding: .utf8).hasPrefix("insight,"))
        }
    }

    @Test("a folder that cannot be is an error that names it, and leaves nothing behind")
    func fails() throws {
        try Self.withFolder { folder in
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let blocked = folder.appending(path: "file")
            try Data().write(to: blocked)
            #expect(throws: ReportError.self) {
                try ReportFolder(path: blocked.appending(path: "sub").path()).deliver(Self.files())
            }
            let place = folder.appending(path: "weekly_shop-2026-W47.html/in-the-way")
            try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
            #expect(throws: ReportError.self) { try ReportFolder(path: folder.path()).deliver(Self.files()) }
            #expect(try Self.listing(folder).filter { $0.hasPrefix(".") }.isEmpty)
        }
    }
}
