package import Foundation
internal import ThrongClient

/// Files in a directory without a lock: what processes do to each other that take no turns.
package struct LawlessStorage: ClientStorage {
    private let directory: URL

    package init(_ directory: URL) throws {
        self.directory = directory
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    }

    package func read(_ name: String) throws -> Data? { FileManager.default.contents(atPath: place(of: name).path) }

    package func replace(_ name: String, with data: Data) throws {
        try data.write(to: place(of: name), options: .atomic)
    }

    package func remove(_ name: String) throws {
        if try read(name) != nil { try FileManager.default.removeItem(at: place(of: name)) }
    }

    private func place(of name: String) -> URL { directory.appendingPathComponent(name) }
}
