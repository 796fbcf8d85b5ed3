internal import Foundation
internal import ThrongSystem

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
        else {
            return false
        }
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
