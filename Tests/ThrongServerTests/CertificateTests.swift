import Foundation
import Testing
import ThrongSystem

@Suite("Requests over TLS go only to who has the right certificate", .serialized)
struct CertificateTests {
    /// An authority, and a server of OpenSSL's with a certificate that a test chose.
    private final class Town {
        let folder = NSTemporaryDirectory() + "throng-tls-\(UUID().uuidString)"
        private var server: Process?

        var authority: String { folder + "/ca.pem" }

        init() throws {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try openssl(
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj",
                "/CN=Test authority", "-keyout", "ca.key", "-out", "ca.pem")
        }

        deinit {
            stop()
            // What is left lies in the system's temporary folder.
            try? FileManager.default.removeItem(atPath: folder)
        }

        func stop() {
            // A child of one of the pool's threads holds back all signals but this one.
            if let server, server.isRunning { kill(server.processIdentifier, SIGKILL) }
            // waitUntilExit() needs the run loop of the thread that started it, which is not this one.
            while server?.isRunning == true { usleep(5000) }
            server = nil
        }

        private func process(_ arguments: [String]) -> Process {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
            process.arguments = arguments
            process.currentDirectoryURL = URL(fileURLWithPath: folder)
            process.standardInput = FileHandle.nullDevice
            process.standardOutput = FileHandle.nullDevice
            process.standardError = FileHandle.nullDevice
            return process
        }

        private func openssl(_ arguments: String...) throws {
            let process = process(arguments)
            try process.run()
            process.waitUntilExit()
            guard process.terminationStatus == 0 else { throw POSIXError(.EINVAL) }
        }

        /// Starts a server whose certificate is for `name`; returns its port.
        func serve(name: String, days: String = "2", signed: Bool = true, _ options: String...) async throws -> Int {
            stop()
            try "subjectAltName=\(name)\n".write(toFile: folder + "/ext", atomically: true, encoding: .utf8)
            try openssl(
                "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=127.0.0.1",
                "-keyout", "s.key", "-out", "s.csr")
            if signed {
                try openssl(
                    "x509", "-req", "-in", "s.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-days",
                    days,
                    "-extfile", "ext", "-out", "s.crt")
            } else {
                try openssl(
                    "x509", "-req", "-in", "s.csr", "-signkey", "s.key", "-days", days, "-extfile", "ext", "-out",
                    "s.crt")
            }
            // A port that was free a moment ago.
            let probe = try HostileServer { _, _ in false }
            probe.stop()
            let server = process(
                ["s_server", "-accept", "127.0.0.1:\(probe.port)", "-cert", "s.crt", "-key", "s.key", "-www"] + options)
            try server.run()
            self.server = server
            for _ in 0..<200 {
                if await fault(port: probe.port) != .notConnected(number: ECONNREFUSED) { return probe.port }
                try await Task.sleep(for: .milliseconds(50))
            }
            throw POSIXError(.ETIMEDOUT)
        }

        /// Why a request failed; nil where it did not.
        func fault(port: Int, host: String = "127.0.0.1", authorities: String? = nil) async -> HTTPFault? {
            var rules = ConnectionRules()
            rules.authorities = authorities
            rules.pinned = ("127.0.0.1", port)
            rules.isKept = false
            do throws(HTTPFault) {
                let status = try await HTTPConnection(rules).status(
                    of: OutgoingRequest(.get, "https://\(host):\(port)/"), within: .seconds(20))
                return status == 200 ? nil : .failed(code: status, reason: "the status")
            } catch {
                return error
            }
        }
    }

    @Test("a certificate is checked for its authority, its name and its time; old versions of TLS are refused")
    func certificates() async throws {
        let town = try Town()
        let ca = town.authority
        var port = try await town.serve(name: "IP:127.0.0.1")
        #expect(await town.fault(port: port, authorities: ca) == nil)
        #expect(await town.fault(port: port) == .certificate(verification: 20), "nobody vouches for it")
        #expect(await town.fault(port: port, host: "partner.example", authorities: ca) == .certificate(verification: 0))
        port = try await town.serve(name: "IP:192.0.2.1")
        #expect(await town.fault(port: port, authorities: ca) == .certificate(verification: 0), "another's")
        port = try await town.serve(name: "DNS:partner.example")
        #expect(await town.fault(port: port, host: "partner.example", authorities: ca) == nil, "by its name")
        port = try await town.serve(name: "IP:127.0.0.1", days: "-1")
        #expect(await town.fault(port: port, authorities: ca) == .certificate(verification: 10), "expired")
        port = try await town.serve(name: "IP:127.0.0.1", signed: false)
        #expect(await town.fault(port: port, authorities: ca) == .certificate(verification: 18), "its own authority")
        port = try await town.serve(name: "IP:127.0.0.1", "-tls1_1", "-cipher", "ALL:@SECLEVEL=0")
        #expect(await town.fault(port: port, authorities: ca) == .handshake, "TLS 1.1")
        port = try await town.serve(name: "IP:127.0.0.1", "-tls1_2")
        #expect(await town.fault(port: port, authorities: ca) == nil, "TLS 1.2")
    }

    @Test("a file of authorities that is missing, empty or broken is an error that names it")
    func authorities() async throws {
        let town = try Town()
        let port = try await town.serve(name: "IP:127.0.0.1")
        #expect(await town.fault(port: port, authorities: "/nowhere") == .authorities(path: "/nowhere"))
        for text in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            let path = town.folder + "/bad.pem"
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            #expect(await town.fault(port: port, authorities: path) == .authorities(path: path), "\(text)")
        }
    }
}
