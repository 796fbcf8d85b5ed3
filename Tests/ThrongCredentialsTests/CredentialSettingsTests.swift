import Foundation
import Testing
import ThrongCredentials
import ThrongWire

@Suite("The file that says who vouches is read to the letter")
struct CredentialSettingsTests {
    private func read(_ text: String) throws -> CredentialSettings {
        try CredentialSettings(text, path: "attesters.yaml", apps: ["shop", "notes"], secrets: "/data/secrets")
    }

    @Test("each app has its own attesters, and two credentials a device unless it says otherwise")
    func whole() throws {
        let settings = try read(
            """
            shop:
              credentials: 5
              attesters:
                http: {url: "https://login.example/attest", authorization: shop-login, seconds: 3, ca: /etc/ca.pem}
                command: {program: [/usr/bin/vouch, --strict]}
                app-attest: {apps: [ABCDE12345.com.example.shop], environment: development}
            notes:
              attesters:
                http: {url: "http://127.0.0.1:9000/"}
                device-check: {team: ABCDE12345, key: KEY1234567, secret: AuthKey_KEY1234567.p8, environment: development}
            """)
        #expect(settings.rules["shop"]?.most == 5 && settings.rules["notes"]?.most == 2)
        #expect(settings.rules["shop"]?.attesters.map(\.name) == ["app-attest", "command", "http"])
        #expect(settings.rules["notes"]?.attesters.map(\.name) == ["device-check", "http"])
        #expect(CredentialSettings.none.rules.isEmpty)
    }

    @Test(
        "what is wrong is named with its line",
        arguments: [
            ("shop: {attesters: {http: {url: \"http://login.example/\"}}}", 1),
            ("shop: {attesters: {http: {url: \"ftp://login.example/\"}}}", 1),
            ("shop: {attesters: {http: {}}}", 1),
            ("shop:\n  attesters:\n    http:\n      url: https://a.example/\n      authorization: ../key", 5),
            ("shop:\n  attesters:\n    http:\n      url: https://a.example/\n      seconds: 61", 5),
            ("shop:\n  credentials: 0\n  attesters: {command: {program: [/bin/true]}}", 2),
            ("shop:\n  attesters:\n    command: {program: [vouch]}", 3),
            ("shop:\n  attesters:\n    command: {program: /bin/true}", 3),
            ("shop:\n  attesters:\n    app-attest: {apps: [com.example.shop]}", 3),
            ("shop:\n  attesters:\n    app-attest: {apps: [ABCDE12345.a.b], environment: test}", 3),
            ("shop:\n  attesters:\n    app-attest: {apps: [ABCDE12345.a.b], roots: /nowhere}", 3),
            ("shop:\n  attesters:\n    android-key: {packages: [a.b], signers: [ab], roots: /nowhere}", 3),
            ("shop:\n  attesters:\n    android-key: {packages: [a.b], roots: /nowhere}", 3),
            ("shop:\n  attesters:\n    device-check: {team: ABCDE12345, key: KEY1234567}", 3),
            ("shop:\n  attesters:\n    device-check: {team: A, key: KEY1234567, secret: a.p8}", 3),
            ("shop:\n  attesters:\n    device-check: {team: ABCDE12345, key: KEY1234567, secret: ../a.p8}", 3),
            (
                "shop:\n  credentials: 4\n  attesters:\n    device-check: {team: ABCDE12345, key: KEY1234567, secret: a}",
                4
            ),
            ("shop:\n  attesters:\n    captcha: {}", 3), ("shop:\n  attesters: {}", 2),
            ("shop:\n  credentials: 2", 2), ("shop:\n  limit: 2", 2), ("unknown:\n  attesters: {}", 2), ("[]", 1),
        ])
    func wrong(text: String, line: Int) throws {
        do {
            _ = try read(text)
            Issue.record("it was taken")
        } catch let error as CredentialSettingsError {
            #expect(error.description.hasPrefix("attesters.yaml:\(line): "), "\(error)")
        }
    }

    @Test("a file that is none, or no YAML, is named")
    func files() {
        #expect(throws: CredentialSettingsError.unreadable(path: "/nowhere")) {
            try CredentialSettings(path: "/nowhere", apps: [], secrets: "")
        }
        for text in ["", "a: [", "shop: {}\nshop: {}"] {
            #expect(throws: CredentialSettingsError.notYAML(path: "attesters.yaml")) { try read(text) }
        }
    }
}
