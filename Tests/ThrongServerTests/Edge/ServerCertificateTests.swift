import Foundation
import Testing
import ThrongWire

@testable import ThrongServer

@Suite("A certificate that clients would refuse is refused at the start, and says why", .serialized)
struct ServerCertificateTests {
    /// Each time anew: a certificate begins when it is made.
    private static var now: UnixSeconds { UnixClock.system.now }

    private func problem(
        _ made: MadeCertificates, _ certificate: String, key: String? = nil, authorities: String? = nil,
        now: UnixSeconds = Self.now
    ) -> TLSError? {
        let files = TLSFiles(
            certificate: made.path(certificate), key: made.path(key ?? certificate.replacing(".crt", with: ".key")),
            clientAuthorities: authorities.map(made.path))
        do throws(TLSError) {
            _ = try ServerCertificate(try files.read(), of: files, now: now)
            return nil
        } catch { return error }
    }

    @Test("files that are missing, empty, of something else, of another key or out of their time are named")
    func files() throws {
        let made = try MadeCertificates()
        try made.make("good")
        try made.make("other")
        try made.write("no certificate", to: "empty.crt")
        try made.run(["pkcs8", "-topk8", "-in", "good.key", "-out", "locked.key", "-passout", "pass:secret"])
        #expect(problem(made, "good.crt") == nil)
        #expect(problem(made, "good.crt", authorities: "other.crt") == nil)
        #expect(
            problem(made, "gone.crt")
                == .unreadable(path: made.path("gone.crt"), reason: "No such file or directory"))
        #expect(problem(made, "empty.crt", key: "good.key") == .noCertificate(path: made.path("empty.crt")))
        #expect(problem(made, "good.key", key: "good.key") == .noCertificate(path: made.path("good.key")))
        #expect(problem(made, "good.crt", key: "good.crt") == .noKey(path: made.path("good.crt")))
        #expect(problem(made, "good.crt", key: "locked.key") == .noKey(path: made.path("locked.key")))
        #expect(
            problem(made, "good.crt", key: "other.key")
                == .otherKey(path: made.path("other.key"), certificate: made.path("good.crt")))
        #expect(
            problem(made, "good.crt", authorities: "empty.crt") == .noCertificate(path: made.path("empty.crt")))
        for (later, isRefused) in [(29, false), (31, true), (-1, true)] as [(Int64, Bool)] {
            let problem = problem(made, "good.crt", now: Self.now + later * 86_400)
            #expect((problem != nil) == isRefused)
            if let problem { #expect(problem.description.contains(later > 0 ? "ended at 20" : "begins at 20")) }
        }
    }

    @Test("keys and signatures that App Transport Security refuses are refused; what it takes is taken")
    func strength() throws {
        let made = try MadeCertificates()
        for (name, key) in [
            ("rsa2048", ["rsa:2048"]), ("rsa3072", ["rsa:3072"]),
            ("p384", ["ec", "-pkeyopt", "ec_paramgen_curve:P-384"]),
            ("p521", ["ec", "-pkeyopt", "ec_paramgen_curve:P-521"]),
        ] {
            try made.make(name, key: key)
            #expect(problem(made, "\(name).crt") == nil, "\(name)")
        }
        try made.make("rsa1024", key: ["rsa:1024"])
        try made.make("p224", key: ["ec", "-pkeyopt", "ec_paramgen_curve:P-224"])
        try made.make("edwards", key: ["ed25519"])
        try made.make("sha1", key: ["rsa:2048"], "-sha1")
        #expect(
            problem(made, "rsa1024.crt")
                == .weakKey(path: made.path("rsa1024.crt"), found: "an RSA key of 1024 bits"))
        #expect(
            problem(made, "p224.crt")
                == .weakKey(path: made.path("p224.crt"), found: "a key on the curve 1.3.132.0.33"))
        #expect(
            problem(made, "edwards.crt")
                == .weakKey(path: made.path("edwards.crt"), found: "a key of the kind 1.3.101.112"))
        #expect(
            problem(made, "sha1.crt")
                == .weakSignature(path: made.path("sha1.crt"), found: "1.2.840.113549.1.1.5"))
    }

    @Test("no bytes in the place of a certificate crash what looks at its strength")
    func random() throws {
        let made = try MadeCertificates()
        try made.make("good", key: ["rsa:2048"])
        try made.run(["x509", "-in", "good.crt", "-outform", "der", "-out", "good.der"])
        let certificate = Array(try Data(contentsOf: URL(fileURLWithPath: made.path("good.der"))))
        #expect(try CertificateStrength.weakness(of: certificate) == nil)
        for _ in 0..<50_000 {
            var changed = Array(certificate.prefix(.random(in: 0...certificate.count)))
            if let place = changed.indices.randomElement() { changed[place] = .random(in: 0...255) }
            look(changed)
        }
        for count in 0..<certificate.count {
            // The signature itself, behind the last of what is read, may be missing.
            look(Array(certificate.prefix(count)))
        }
        #expect(throws: (any Error).self) { try CertificateStrength.weakness(of: []) }
    }

    private func look(_ bytes: [UInt8]) {
        do {
            _ = try CertificateStrength.weakness(of: bytes)
        } catch {
            #expect(!"\(error)".isEmpty)
        }
    }

    @Test("a key that others may read or change is named with its mode; its group may read it")
    func modes() throws {
        let made = try MadeCertificates()
        try made.make("good")
        let files = TLSFiles(certificate: made.path("good.crt"), key: made.path("good.key"))
        for (mode, isLoose) in [
            (0o600, false), (0o400, false), (0o640, false), (0o644, true), (0o660, true), (0o601, true),
        ] {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: files.key)
            #expect(files.looseKeyMode == (isLoose ? UInt32(mode) : nil))
        }
    }
}
