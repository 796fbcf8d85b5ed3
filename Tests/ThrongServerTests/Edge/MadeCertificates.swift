import Foundation

/// Certificates that OpenSSL makes for a test, in a folder of their own.
final class MadeCertificates: Sendable {
    let folder = NSTemporaryDirectory() + "throng-edge-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    deinit {
        // What is left lies in the system's temporary folder.
        try? FileManager.default.removeItem(atPath: folder)
    }

    func path(_ name: String) -> String { folder + "/" + name }

    /// A certificate that signs itself, in NAME.crt, with its key in NAME.key.
    func make(_ name: String, key: [String] = ["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], _ more: String...) throws {
        try run(
            ["req", "-x509", "-newkey"] + key + [
                "-nodes", "-subj", "/CN=\(name)", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "\(name).key",
                "-out", "\(name).crt",
            ] + (more.contains("-days") ? more : more + ["-days", "30"]))
    }

    func run(_ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
        process.arguments = arguments
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
    }

    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: true, encoding: .utf8)
    }

    func text(_ name: String) throws -> String { try String(contentsOfFile: path(name), encoding: .utf8) }
}
