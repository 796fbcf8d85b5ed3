internal import Foundation
package import ThrongWire
internal import Yams

/// An operator's file that says who vouches for devices: a mapping of apps.
///
///     shop:
///       credentials: 2
///       attesters:
///         http: {url: "https://login.shop.example/attest", authorization: shop-login, seconds: 10}
///         command: {program: [/usr/local/bin/vouch, --strict], seconds: 10}
///         app-attest: {apps: [ABCDE12345.com.example.shop], environment: production}
///         device-check: {team: ABCDE12345, key: KEY1234567, secret: AuthKey_KEY1234567.p8}
///         android-key: {packages: [com.example.shop], signers: [SHA-256 in hexadecimal], roots: google.pem}
///
/// It is no part of the plan, because it names the operator's own machines and secrets; who may vouch is public all the
/// same, by `GET /v1/credentials/{app}`.
package struct CredentialSettings: Sendable {
    package let rules: [AppName: CredentialRules]

    package static let none = CredentialSettings(rules: [:])

    private init(rules: [AppName: CredentialRules]) { self.rules = rules }

    /// A rule for another app than a plan's is a slip. Files of headers Authorization are in the folder `secrets`.
    package init(path: String, apps: [AppName], secrets: String) throws(CredentialSettingsError) {
        guard let bytes = FileManager.default.contents(atPath: path), bytes.count <= 1 << 20,
            let text = String(validating: bytes, as: UTF8.self)
        else { throw .unreadable(path: path) }
        try self.init(text, path: path, apps: apps, secrets: secrets)
    }

    package init(_ text: String, path: String, apps: [AppName], secrets: String) throws(CredentialSettingsError) {
        let root: Node?
        do { root = try Yams.compose(yaml: text) } catch { throw .notYAML(path: path) }
        guard let root else { throw .notYAML(path: path) }
        var rules: [AppName: CredentialRules] = [:]
        for (name, part) in try SettingsPart(root, path: path, name: "the file").members() {
            guard let app = apps.first(where: { $0.text == name }) else {
                throw part.problem(
                    "no plan is for this app; allowed: \(apps.map(\.text).sorted().joined(separator: ", "))")
            }
            rules[app] = try Self.rules(part, secrets: secrets)
        }
        self.rules = rules
    }

    private static let kinds = ["http", "command", "app-attest", "device-check", "android-key"]

    private static func rules(
        _ part: SettingsPart, secrets: String
    ) throws(CredentialSettingsError) -> CredentialRules {
        let body = try part.members(of: ["credentials", "attesters"])
        let most = try body["credentials"]?.number(1...100) ?? CredentialRules.standardMost
        guard let list = body["attesters"] else { throw part.problem("attesters is missing; say who vouches") }
        var attesters: [any Attester] = []
        for (kind, part) in try list.members(of: kinds).sorted(by: { $0.key < $1.key }) {
            switch kind {
            case "http": attesters.append(try http(part, secrets: secrets))
            case "app-attest": attesters.append(try appAttest(part))
            case "device-check": attesters.append(try deviceCheck(part, most: most, secrets: secrets))
            case "android-key": attesters.append(try androidKey(part))
            default: attesters.append(try command(part))
            }
        }
        guard !attesters.isEmpty else {
            throw list.problem("nobody is named; name one of \(kinds.joined(separator: ", "))")
        }
        return CredentialRules(most: most, attesters: attesters)
    }

    private static func http(_ part: SettingsPart, secrets: String) throws(CredentialSettingsError) -> HTTPAttester {
        let body = try part.members(of: ["url", "authorization", "ca", "seconds"])
        guard let place = body["url"] else { throw part.problem("url is missing") }
        let url = try place.text()
        let host = URL(string: url)?.host() ?? ""
        let isHere = ["127.0.0.1", "localhost", "::1"].contains(host)
        guard !host.isEmpty, url.hasPrefix("https://") || url.hasPrefix("http://") && isHere else {
            throw place.problem("url takes https, or http of this machine such as http://127.0.0.1:9000/attest")
        }
        let secret = try body["authorization"].map { name throws(CredentialSettingsError) in try name.file(in: secrets)
        }
        return HTTPAttester(
            url: url, authorization: secret, authorities: try body["ca"]?.text(),
            seconds: try body["seconds"]?.number(1...60) ?? 10)
    }

    private static func command(_ part: SettingsPart) throws(CredentialSettingsError) -> CommandAttester {
        let body = try part.members(of: ["program", "seconds"])
        guard let place = body["program"] else { throw part.problem("program is missing") }
        let words = try place.texts()
        guard let first = words.first, first.hasPrefix("/") else {
            throw place.problem("program takes a list: an absolute path, and arguments")
        }
        return CommandAttester(command: words, seconds: try body["seconds"]?.number(1...60) ?? 10)
    }
}

/// The rules of an app's credentials: who vouches for its devices, and how much they get.
package struct CredentialRules: Sendable {
    package let most: Int
    /// The attesters that vouch for devices, by what clients call them.
    package let attesters: [any Attester]

    /// The number that a device gets unless told otherwise: one, and another one if it lost that.
    package static let standardMost = 2

    package init(most: Int = standardMost, attesters: [any Attester]) {
        (self.most, self.attesters) = (most, attesters)
    }
}

/// Attesters that are platforms'.
extension CredentialSettings {
    static func appAttest(_ part: SettingsPart) throws(CredentialSettingsError) -> AppAttestAttester {
        let body = try part.members(of: ["apps", "environment", "roots"])
        guard let place = body["apps"] else { throw part.problem("apps is missing") }
        let apps = try place.texts()
        guard apps.allSatisfy({ $0.wholeMatch(of: /[A-Z0-9]{10}\.[A-Za-z0-9.-]+/) != nil }) else {
            throw place.problem("apps takes a list of identifiers, such as ABCDE12345.com.example.shop")
        }
        let isDevelopment = try isDevelopment(body, of: part)
        let roots = try body["roots"].map { part throws(CredentialSettingsError) in try contents(part) }
        guard let attester = AppAttestAttester(apps: apps, isDevelopment: isDevelopment, roots: roots) else {
            throw part.problem("roots takes a file of certificates in PEM")
        }
        return attester
    }

    static func deviceCheck(
        _ part: SettingsPart, most: Int, secrets: String
    ) throws(CredentialSettingsError) -> DeviceCheckAttester {
        let body = try part.members(of: ["team", "key", "secret", "environment", "seconds"])
        guard let team = body["team"], let key = body["key"], let secret = body["secret"] else {
            throw part.problem("team, key and secret are needed")
        }
        for place in [team, key] where try place.text().wholeMatch(of: /[A-Z0-9]{10}/) == nil {
            throw place.problem("team and key take identifiers of ten letters and digits, as Apple gives them")
        }
        guard most <= DeviceCheckAttester.mostCounted else {
            throw part.problem(
                "Apple's two bits count to \(DeviceCheckAttester.mostCounted); lower 'credentials', or take app-attest")
        }
        return DeviceCheckAttester(
            address: DeviceCheckAttester.address(isDevelopment: try isDevelopment(body, of: part)),
            team: try team.text(), key: try key.text(), secret: try secret.file(in: secrets), most: most,
            seconds: try body["seconds"]?.number(1...60) ?? 10)
    }

    private static func isDevelopment(
        _ body: [String: SettingsPart], of part: SettingsPart
    ) throws(CredentialSettingsError) -> Bool {
        let environment = try body["environment"]?.text() ?? "production"
        guard let isDevelopment = ["production": false, "development": true][environment] else {
            throw part.problem("environment takes production or development")
        }
        return isDevelopment
    }

    static func androidKey(_ part: SettingsPart) throws(CredentialSettingsError) -> AndroidKeyAttester {
        let body = try part.members(of: ["packages", "signers", "level", "roots", "revoked"])
        guard let packages = body["packages"], let signers = body["signers"], let roots = body["roots"] else {
            throw part.problem("packages, signers and roots are needed")
        }
        var digests: [[UInt8]] = []
        for text in try signers.texts() {
            guard let digest = [UInt8](hex: text.replacing(":", with: "")), digest.count == 32 else {
                throw signers.problem(
                    "signers takes a list of SHA-256 digests in hexadecimal, as apksigner prints them")
            }
            digests.append(digest)
        }
        let level = try body["level"]?.text() ?? "trusted_environment"
        guard let needsStrongBox = ["trusted_environment": false, "strong_box": true][level] else {
            throw part.problem("level takes trusted_environment or strong_box")
        }
        guard
            let attester = AndroidKeyAttester(
                packages: try packages.texts(), signers: digests, needsStrongBox: needsStrongBox,
                roots: try contents(roots), revoked: try body["revoked"]?.text())
        else { throw roots.problem("roots takes a file of certificates in PEM") }
        return attester
    }

    private static func contents(_ file: SettingsPart) throws(CredentialSettingsError) -> String {
        let path = try file.text()
        guard let bytes = FileManager.default.contents(atPath: path) else {
            throw file.problem("\(path) can't be read")
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
